package sandbox

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// scratchDir makes a folder of a name, with something in it, that was touched so long ago.
func scratchDir(t *testing.T, dir, name string, age time.Duration) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.MkdirAll(filepath.Join(path, "in", "deep"), 0o700))
	must(t, os.WriteFile(filepath.Join(path, "in", "deep", "file"), []byte("x"), 0o600))
	then := time.Now().Add(-age)
	must(t, os.Chtimes(path, then, then))
	return path
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// What a forge that is gone left is swept; what somebody has, what is nobody's scratch
// and what only looks like it stays, and so does what a link leads to.
func TestSweepScratch(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	long := 2 * scratchAfter
	stays := map[string]string{}
	keep := func(what, path string) { stays[path] = what }

	live, err := NewScratch(dir, ScratchTemp)
	must(t, err)
	past := time.Now().Add(-long)
	must(t, os.Chtimes(live.Path(), past, past))
	keep("a living forge's", live.Path())

	must(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600))
	must(t, os.Symlink(outside, filepath.Join(dir, ScratchTemp+"17")))
	must(t, os.Symlink(outside, filepath.Join(dir, ScratchTemp+"00000000-18")))
	keep("a link", filepath.Join(dir, ScratchTemp+"17"))
	keep("a link", filepath.Join(dir, ScratchTemp+"00000000-18"))
	keep("what a link leads to", filepath.Join(outside, "secret"))
	must(t, os.WriteFile(filepath.Join(dir, ScratchTemp+"19"), nil, 0o600))
	must(t, os.Chtimes(filepath.Join(dir, ScratchTemp+"19"), past, past))
	keep("a file", filepath.Join(dir, ScratchTemp+"19"))
	keep("young, and nobody says that it would be locked", scratchDir(t, dir, ScratchTemp+"20", time.Hour))
	keep("young, of another kernel", scratchDir(t, dir, ScratchTemp+"00000000-21", time.Hour))
	for _, name := range []string{"forge-tmp-", "forge-tmp-x1", "forge-tmp-12-", "forge-tmp-notes", "forge-tmp-0000000-1", "forge-tmp-00000000-x", "my-forge-tmp-12", "forge-12", "forge-demo-12", "forge-tmp"} {
		keep("no scratch", scratchDir(t, dir, name, long))
	}
	if os.Geteuid() == 0 {
		path := scratchDir(t, dir, ScratchTemp+"22", long)
		must(t, os.Lchown(path, 65534, 65534))
		keep("another user's", path)
	}
	var goes []string
	goes = append(goes, scratchDir(t, dir, ScratchTemp+"30", long), scratchDir(t, dir, ScratchPictures+"31", long), scratchDir(t, dir, ScratchTemp+"00000000-32", long))
	if m := kernelMark.Get(); m != "" {
		goes = append(goes, scratchDir(t, dir, ScratchTemp+m+"-33", 0), scratchDir(t, dir, ScratchPictures+m+"-34", 0))
	}
	stuck := scratchDir(t, dir, ScratchTemp+"35", long)
	must(t, os.Symlink(outside, filepath.Join(stuck, "in", "deep", "link")))
	for _, sub := range []string{"in/deep", "in"} { // as the folders of Go's modules
		must(t, os.Chmod(filepath.Join(stuck, sub), 0o500))
	}
	goes = append(goes, stuck)

	if n := SweepScratch(t.Context(), dir, dir, filepath.Join(dir, "nowhere")); n != len(goes) {
		t.Errorf("%d were swept, want %d", n, len(goes))
	}
	for _, path := range goes {
		if isThere(path) {
			t.Errorf("%s is there still", path)
		}
	}
	for path, what := range stays {
		if !isThere(path) {
			t.Errorf("%s is gone: %s", path, what)
		}
	}
	must(t, live.Close())
	if isThere(live.Path()) {
		t.Error("it is there after it was closed")
	}

	// Short runs get on as well: one each.
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	scratchDir(t, dir, ScratchTemp+"40", long)
	scratchDir(t, dir, ScratchTemp+"41", long)
	if n := SweepScratch(ended, dir); n != 1 {
		t.Errorf("%d were swept though it had ended", n)
	}
}

// Somebody cleans up while forge runs: the folder that is made again is locked again.
func TestScratchMadeAgain(t *testing.T) {
	dir := t.TempDir()
	s, err := NewScratch(dir, ScratchTemp)
	must(t, err)
	must(t, os.RemoveAll(s.Path()))
	s.Keep()
	if n := SweepScratch(t.Context(), dir); n != 0 || !isThere(s.Path()) {
		t.Errorf("%d were swept of what is in use", n)
	}
	must(t, s.Close())
}

// Many make folders while others sweep: nobody loses one.
func TestScratchRace(t *testing.T) {
	dir := t.TempDir()
	done := make(chan struct{})
	var sweepers, makers sync.WaitGroup
	for range 2 {
		sweepers.Go(func() {
			for {
				SweepScratch(t.Context(), dir)
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for range 4 {
		makers.Go(func() {
			for range 50 {
				s, err := NewScratch(dir, ScratchTemp)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(s.Path(), "file"), nil, 0o600); err != nil {
					t.Error(err)
				}
				if err := s.Close(); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Error(err)
				}
			}
		})
	}
	makers.Wait()
	close(done)
	sweepers.Wait()
}

// A forge in another container, where its processes have other numbers, keeps its
// folder as long as it lives, and no longer.
func TestScratchOfAnotherContainer(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), scratchEnv+"="+dir)
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
	}
	cmd.SysProcAttr = attr
	out, err := cmd.StdoutPipe()
	must(t, err)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Skip("no namespaces here:", err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	path, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	path = strings.TrimSpace(path)
	if n := SweepScratch(t.Context(), dir); n != 0 || !isThere(path) {
		t.Errorf("%d folders of a living forge were swept", n)
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	if n := SweepScratch(t.Context(), dir); n != 1 || isThere(path) {
		t.Errorf("%d folders were swept once it was gone", n)
	}
}
