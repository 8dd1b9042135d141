package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"forge/programs"
)

// bwrapProbe is how long bubblewrap may take to show that it works.
const bwrapProbe = 5 * time.Second

// findBwrap finds bubblewrap and tries it, since many systems have it and forbid
// what it needs. It says what is wrong, or nothing.
func (c *core) findBwrap() string {
	if c.bwrap == "" {
		path, err := bwrapAt("/usr/bin/bwrap", c.scope().roots) // distributions allow this one what they forbid others
		if err != nil {
			return "bubblewrap is not installed"
		}
		c.bwrap = path
	}
	if path := resolved(c.bwrap); slices.ContainsFunc(c.scope().roots, func(root string) bool { return beneath(root, path) }) {
		return "the bubblewrap in PATH lies in the workspace"
	}
	ctx, cancel := context.WithTimeout(context.Background(), bwrapProbe)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.bwrap, slices.Concat(bwrapBase(false), []string{"--", "/bin/true"})...)
	cmd.Env, cmd.WaitDelay = []string{}, time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return "bubblewrap does not work here: " + strings.TrimSpace(line+" ("+err.Error()+")")
	}
	return ""
}

// bwrapAt is where bubblewrap lies: at its usual place, else by PATH. One in a root of the
// workspace is not to keep forge from the machine's.
func bwrapAt(usual string, roots []string) (string, error) {
	if _, err := os.Stat(usual); err == nil {
		return usual, nil
	}
	return programs.Find("bwrap", roots...)
}

// bwrapBase is the world of a command without its own places: all of the file
// system to be read, and processes, devices and a network of its own.
func bwrapBase(network bool) []string {
	a := []string{"--die-with-parent", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"}
	if os.Geteuid() == 0 {
		// Root needs no user namespace, and in one files of other users could not be
		// written.
		a[1] = "--cap-drop"
		a = slices.Insert(a, 2, "ALL")
		for _, name := range []string{"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_SETUID", "CAP_SETGID", "CAP_KILL"} {
			a = append(a, "--cap-add", name)
		}
	}
	if !network {
		a = append(a, "--unshare-net")
	}
	return append(a, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
}

// runKept are the parts of /run that programs need and that are no doors: where
// names are looked up, and where some systems keep their programs.
var runKept = []string{"/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf", "/run/current-system", "/run/booted-system", "/run/wrappers", "/run/opengl-driver"}

// wrap makes the command one of bubblewrap's.
func (p *Policy) wrap(c *confinement, cmd *exec.Cmd) error {
	if cmd.Err != nil { // it was not found, and is not by bubblewrap either
		return cmd.Err
	}
	rules, err := filterFile(filter(netSockets, 0, 0))
	if err != nil {
		return fmt.Errorf("%w: %w", errNotConfined, err)
	}
	c.files = append(c.files, rules)
	cmd.ExtraFiles = []*os.File{rules} // the first is number 3
	args := slices.Concat([]string{p.bwrap}, bwrapBase(p.network), p.places(c.alone), []string{"--chdir", cmd.Dir, "--seccomp", "3", "--", cmd.Path}, cmd.Args[1:])
	cmd.Path, cmd.Args = p.bwrap, args
	return nil
}

// places are the mounts of this policy; a later one lies over an earlier one.
func (p *Policy) places(alone bool) []string {
	a := []string{"--tmpfs", "/run"}
	for _, kept := range runKept {
		a = append(a, "--ro-bind-try", kept, kept)
	}
	for _, dir := range []string{"/tmp", "/var/tmp"} {
		if fi, err := os.Lstat(dir); err == nil && fi.IsDir() {
			a = append(a, "--bind", p.temp, dir)
		}
	}
	roots := p.writable() // an outer one comes first
	for _, root := range roots {
		a = append(a, "--bind", root, root)
	}
	for _, root := range p.scope().roots {
		if slices.Contains(roots, root) {
			a = append(a, protect(root, alone)...)
		}
	}
	// After everything a command could bend a path of.
	var empty []string
	hidden := slices.Clone(p.scope().hidden)
	slices.Sort(hidden)
	for _, path := range hidden {
		if slices.ContainsFunc([]string{"/run", "/tmp", "/var/tmp"}, func(d string) bool { return beneath(d, path) }) &&
			!slices.ContainsFunc(roots, func(r string) bool { return beneath(r, path) }) {
			continue // not there any more
		}
		switch fi, err := os.Lstat(path); {
		case err != nil:
		case fi.IsDir():
			a = append(a, "--tmpfs", path)
			empty = append(empty, path)
		case fi.Mode().IsRegular():
			a = append(a, "--ro-bind", "/dev/null", path)
		}
	}
	for _, dir := range p.readable {
		a = append(a, "--ro-bind-try", dir, dir)
	}
	for _, path := range empty { // a write there is refused, not lost
		a = append(a, "--remount-ro", path)
	}
	return a
}

// protect makes what git and forge take orders from read-only. The folder is
// mounted itself first: it cannot be moved away then to have another in its place.
// What is not there cannot be protected without leaving an empty file behind;
// forge looks for it afterwards. While another command runs, which could put a link
// in the folder's place at the wrong moment, the folder is left as it is.
func protect(root string, alone bool) []string {
	var a []string
	if dir := filepath.Join(root, ".forge"); isDir(dir) {
		a = append(a, "--ro-bind", dir, dir)
	}
	git := filepath.Join(root, ".git")
	if !isDir(git) {
		return a
	}
	if alone {
		a = append(a, "--bind", git, git)
	}
	for _, name := range []string{"hooks", "config", "config.worktree", "info", "modules"} {
		path := filepath.Join(git, name)
		if fi, err := os.Lstat(path); err == nil && (fi.IsDir() || fi.Mode().IsRegular()) {
			a = append(a, "--ro-bind", path, path)
		}
	}
	return a
}

func isDir(path string) bool {
	fi, err := os.Lstat(path)
	return err == nil && fi.IsDir()
}

// filterFile holds a filter in a file without a name.
func filterFile(p []unix.SockFilter) (*os.File, error) {
	fd, err := unix.MemfdCreate("filter", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("seccomp: %w", err)
	}
	f := os.NewFile(uintptr(fd), "filter")
	_, err = f.Write(filterBytes(p))
	if _, seekErr := f.Seek(0, 0); err != nil || seekErr != nil {
		f.Close()
		return nil, fmt.Errorf("seccomp: %w", errors.Join(err, seekErr))
	}
	return f, nil
}
