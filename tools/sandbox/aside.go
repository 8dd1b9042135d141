package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/lazy"
)

// orders is what git runs in a root of the workspace, as it was before a command:
// its hooks, and the settings that can name programs. What a command puts there is
// moved aside and what was there comes back, since git would run it for the person,
// outside of any sandbox. Everything goes through os.Root, because the command may
// have left links to bend the way.
type orders struct {
	root  string
	files map[string]order // by slash-separated path in root
}

// order is one such file; text is nil where it is too large to be kept.
type order struct {
	mode fs.FileMode
	text []byte
}

const (
	hooksDir = ".git/hooks"
	asideDir = ".git/forge-aside"
	orderMax = 256 << 10 // bytes of a file that is kept
	askGit   = 5 * time.Second
)

// gitSettings are the files whose keys may run programs.
var gitSettings = []string{".git/config", ".git/config.worktree"}

// keepOrders remembers them for every root that is a repository.
func keepOrders(roots []string) (out []orders) {
	for _, dir := range roots {
		r, err := os.OpenRoot(dir)
		if err != nil {
			continue
		}
		out = append(out, orders{dir, readOrders(r)})
		r.Close()
	}
	return out
}

func readOrders(r *os.Root) map[string]order {
	files := map[string]order{}
	names := slices.Clone(gitSettings)
	if fi, err := r.Lstat(hooksDir); err == nil && !fi.IsDir() {
		names = append(names, hooksDir) // a link, or what else is in its place
	}
	if fi, err := r.Stat(hooksDir); err == nil && fi.IsDir() { // a pipe would be waited for
		if d, err := r.Open(hooksDir); err == nil {
			hooks, _ := d.Readdirnames(stockMax)
			d.Close()
			for _, name := range hooks {
				if !strings.HasSuffix(name, ".sample") {
					names = append(names, path.Join(hooksDir, name))
				}
			}
		}
	}
	for _, name := range names {
		fi, err := r.Lstat(name)
		if err != nil || fi.IsDir() {
			continue
		}
		o := order{mode: fi.Mode()}
		switch {
		case fi.Mode().IsRegular() && fi.Size() <= orderMax:
			o.text, _ = r.ReadFile(name)
		case fi.Mode()&fs.ModeSymlink != 0:
			to, _ := r.Readlink(name)
			o.text = []byte(to)
		}
		files[name] = o
	}
	return files
}

func (o order) same(p order) bool {
	return o.mode == p.mode && bytes.Equal(o.text, p.text) && (o.text == nil) == (p.text == nil)
}

// putBack undoes what a command did to them. It returns a line for the person and
// the model, or nothing, and the absolute paths it tells of.
func (o orders) putBack() (note string, told []string) {
	r, err := os.OpenRoot(o.root)
	if err != nil {
		return "", nil
	}
	defer r.Close()
	now := readOrders(r)
	var lines []string
	for name, is := range now {
		was, there := o.files[name]
		if there && is.same(was) || slices.Contains(gitSettings, name) && !runsMore(was.text, is.text) {
			continue
		}
		abs := filepath.Join(o.root, filepath.FromSlash(name))
		at, err := aside(r, name)
		switch {
		case err != nil:
			lines = append(lines, fmt.Sprintf("%s could not be moved aside (%v): do not use git before you have looked at it", abs, err))
		case there && was.mode.IsRegular() && was.text != nil:
			if err = was.write(r, name); err != nil {
				lines = append(lines, fmt.Sprintf("%s was moved to %s, what was there before could not be written back: %v", abs, at, err))
			} else {
				lines = append(lines, fmt.Sprintf("%s is as it was before, the changed one is %s", abs, at))
			}
		default:
			lines = append(lines, fmt.Sprintf("%s was moved to %s", abs, at))
		}
		told = append(told, abs)
	}
	for name, was := range o.files {
		if _, there := now[name]; there || was.text == nil {
			continue
		}
		if gone, err := was.restore(r, name); gone {
			abs := filepath.Join(o.root, filepath.FromSlash(name))
			if err != nil {
				lines = append(lines, fmt.Sprintf("%s was deleted and could not be written back: %v", abs, err))
			} else {
				lines = append(lines, abs+" was deleted and is as it was before")
			}
			told = append(told, abs)
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	slices.Sort(lines)
	return "it changed what git runs, which nobody was asked about, so that was undone: " + strings.Join(lines, "; ") +
		". Whoever wants it can put it back by hand", told
}

func (o order) write(r *os.Root, name string) error {
	if err := r.WriteFile(name, o.text, o.mode.Perm()); err != nil {
		return err
	}
	return r.Chmod(name, o.mode.Perm())
}

// restore brings a file back that was deleted. A repository that went as a whole, or
// whose folder of hooks is another thing now, is left alone: gone is false.
func (o order) restore(r *os.Root, name string) (gone bool, err error) {
	if fi, err := r.Lstat(path.Dir(name)); err != nil || !fi.IsDir() {
		return false, nil
	}
	if _, err := r.Lstat(name); err == nil {
		return false, nil
	}
	switch {
	case o.mode.IsRegular():
		return true, o.write(r, name)
	case o.mode&fs.ModeSymlink != 0:
		return true, r.Symlink(string(o.text), name)
	}
	return false, nil
}

// aside moves a file to where nothing reads it.
func aside(r *os.Root, name string) (string, error) {
	if err := r.MkdirAll(asideDir, 0o700); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		to := path.Join(asideDir, fmt.Sprintf("%s.%d", path.Base(name), n))
		if _, err := r.Lstat(to); err == nil && n < 10_000 {
			continue
		}
		return to, r.Rename(name, to)
	}
}

// running are keys of git's settings whose values are programs, or name files with
// such keys. It is compiled when settings first changed.
var running = lazy.Regexp{Expr: `^(core\.(fsmonitor|hookspath|sshcommand|pager|editor|gitproxy|askpass|attributesfile|worktree)|sequence\.editor|` +
	`include\.path|includeif\..*|alias\..*|pager\..*|diff\.external|diff\..*\.(command|textconv)|merge\..*\.driver|filter\..*|` +
	`gpg\..*program|credential\.(.*\.)?helper|(diff|merge)tool\..*|(diff|merge|gui|guitool|browser|man|web|instaweb|sendemail|trailer|interactive)\..*(cmd|command|tool|browser|path|filter)|` +
	`uploadpack\.packobjectshook|remote\..*\.(uploadpack|receivepack|vcs)|url\..*|protocol\..*|submodule\..*\.update|init\.templatedir|imap\.tunnel|sendemail\..*)$`}

// runsMore says whether settings run something now that they did not before. What
// git cannot read it does not obey.
func runsMore(was, is []byte) bool {
	if bytes.Equal(was, is) {
		return false
	}
	if is == nil { // too large to be looked at, or no file
		return true
	}
	before := strings.Split(listSettings(was), "\x00")
	for _, entry := range strings.Split(listSettings(is), "\x00") {
		key, _, _ := strings.Cut(entry, "\n")
		if running.Get().MatchString(strings.ToLower(key)) && !slices.Contains(before, entry) {
			return true
		}
	}
	return false
}

// listSettings is what git reads out of settings: key, line feed, value, NUL.
func listSettings(text []byte) string {
	ctx, cancel := context.WithTimeout(context.Background(), askGit)
	defer cancel()
	out, err := GitWith(ctx, os.TempDir(), text, "config", "--file", "-", "--no-includes", "--list", "-z")
	if err != nil {
		return ""
	}
	return string(out)
}
