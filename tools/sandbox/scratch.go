package sandbox

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"forge/lazy"
)

// The names scratch folders begin with.
const (
	ScratchTemp     = "forge-tmp-"      // the private temp folder of commands
	ScratchPictures = "forge-pictures-" // pictures of a conversation that is not kept
)

// scratchAfter is how long a folder must have been untouched to go where its name does
// not say that whoever made it locks what is in use: one of another kernel, of the time
// before a restart, or of a forge that knew no locks.
const scratchAfter = 7 * 24 * time.Hour

// Scratch is a folder that lives as long as this process does, and may be swept by any
// forge afterwards. Who has it is told by a lock on the folder itself: that holds
// whatever a command does to what is in it, in every container of one kernel, and ends
// with the process however that ended. Its methods may be called from any goroutine.
type Scratch struct {
	path string

	mu   sync.Mutex
	lock *os.File // nil: this file system knows none
}

// NewScratch makes a folder in dir (empty: the system's place for temporary files) for
// this user alone. Its name begins with what, one of the constants above.
func NewScratch(dir, what string) (*Scratch, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	name := what
	if m := kernelMark.Get(); m != "" {
		name += m + "-"
	}
	for range 100 {
		path, err := os.MkdirTemp(dir, name)
		if err != nil {
			return nil, err
		}
		s := &Scratch{path: resolved(path)}
		switch s.lock, err = lockFolder(s.path); {
		case err == nil:
			return s, nil
		case errors.Is(err, errFolderHeld) || errors.Is(err, fs.ErrNotExist): // it was swept in this very moment
			continue
		case name == what:
			return s, nil
		}
		// Without a lock its name may not say that there is one.
		name = what
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("make a temporary folder in %s: each one was taken away at once", dir)
}

// Path is the folder, links resolved.
func (s *Scratch) Path() string { return s.path }

// Keep makes the folder again if somebody cleaned up, and tells who looks at its time
// that it is in use. A nil Scratch is none.
func (s *Scratch) Keep() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if os.Chtimes(s.path, now, now) == nil {
		return
	}
	for range 3 { // a sweep may come in between
		_ = os.MkdirAll(s.path, 0o700) // what is missing then fails where it is used
		if s.lock == nil {
			return
		}
		if lock, err := lockFolder(s.path); err == nil {
			s.lock.Close()
			s.lock = lock
			return
		}
	}
}

// Close removes the folder and what is in it.
func (s *Scratch) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := removeFolder(s.path)
	if s.lock != nil {
		s.lock.Close()
		s.lock = nil
	}
	return err
}

// SweepScratch removes the scratch folders in dirs whose owner is gone, and returns how
// many those were: this user's own, real folders that nobody has a lock on. When ctx has
// ended it does no more than the folder it is at, but that one.
func SweepScratch(ctx context.Context, dirs ...string) (n int) {
	for i, dir := range dirs {
		if slices.Contains(dirs[:i], dir) {
			continue
		}
		names, err := readNames(dir)
		if err != nil {
			continue
		}
		for _, name := range names {
			if !isScratch(name) {
				continue
			}
			if sweepOne(dir, name, time.Now()) {
				n++
			}
			if ctx.Err() != nil {
				return n
			}
		}
	}
	return n
}

func readNames(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(0)
}

// isScratch knows the names again: digits, behind the mark of a kernel or not.
func isScratch(name string) bool {
	for _, what := range []string{ScratchTemp, ScratchPictures} {
		if rest, ok := strings.CutPrefix(name, what); ok {
			if mark, digits, ok := strings.Cut(rest, "-"); ok {
				return len(mark) == markLen && strings.Trim(mark, "0123456789abcdef") == "" && digits != "" && strings.Trim(digits, "0123456789") == ""
			}
			return rest != "" && strings.Trim(rest, "0123456789") == ""
		}
	}
	return false
}

func sweepOne(dir, name string, now time.Time) bool {
	path := filepath.Join(dir, name)
	fi, err := os.Lstat(path)
	if err != nil || !fi.IsDir() || !ownFile(fi) {
		return false
	}
	mark := kernelMark.Get()
	if (mark == "" || !strings.Contains(name, "-"+mark+"-")) && now.Sub(fi.ModTime()) < scratchAfter {
		return false
	}
	lock, err := lockFolder(path)
	if err != nil {
		return false // it is in use, or nobody can tell
	}
	defer lock.Close()
	if same, err := lock.Stat(); err != nil || !os.SameFile(fi, same) {
		return false
	}
	return removeFolder(path) == nil
}

// removeFolder removes a folder also where what lies in it forbids that, as the folders
// of Go's modules do. It follows no link.
func removeFolder(path string) error {
	err := os.RemoveAll(path)
	if err == nil {
		return nil
	}
	root, openErr := os.OpenRoot(path)
	if openErr != nil {
		return err
	}
	_ = fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() && err == nil {
			_ = root.Chmod(name, 0o700) // before its entries are read, and told by RemoveAll
		}
		return nil
	})
	root.Close()
	return os.RemoveAll(path)
}

// markLen is the length of a kernel's mark.
const markLen = 8

// kernelMark names the kernel that runs, since its start: it is the same in each of its
// containers, and another one after a restart. Empty where the system does not tell.
var kernelMark = lazy.Value[string]{Of: func() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(id) == 0 {
		return ""
	}
	h := fnv.New32a()
	h.Write(id)
	return fmt.Sprintf("%0*x", markLen, h.Sum32())
}}
