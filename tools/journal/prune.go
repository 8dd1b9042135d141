package journal

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"forge/sorting"
)

// scratchPrefix begins the folders of conversations that are not kept.
const scratchPrefix = "scratch-"

// prune deletes, once in a process and beside the work, what is older than a
// journal is kept, and the oldest journals while all take more than they may. That
// of the conversation at hand stays, and those written to within the last day: they
// may be another forge's.
func (j *Journal) prune() {
	if j.told["prune"] || j.closed {
		return
	}
	j.told["prune"] = true
	own, dir, limits := j.book.dir, j.o.Dir, j.o.Limits
	j.pruning.Add(1)
	go func() {
		defer j.pruning.Done()
		defer recovered("pruning journals crashed")
		prune(dir, own, limits, time.Now())
	}()
}

// Forget deletes the journal of a conversation in dir, if there is one.
func Forget(dir, id string) error {
	if id == "" || id != filepath.Base(id) || !filepath.IsLocal(id) {
		return fmt.Errorf("%q is no name of a journal", id)
	}
	return os.RemoveAll(filepath.Join(dir, id))
}

func prune(dir, own string, limits Limits, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	type journal struct {
		path string
		time time.Time
		size int64
	}
	var all []journal
	var total int64
	var newest time.Time // of the others
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		fi, err := e.Info()
		if err != nil {
			continue
		}
		if !fi.IsDir() {
			if strings.HasPrefix(e.Name(), seenPrefix) && now.Sub(fi.ModTime()) > 24*time.Hour {
				os.Remove(path) // where an open file cannot be removed, a crash leaves it
			}
			continue
		}
		a := journal{path: path, time: fi.ModTime()}
		_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil
			}
			if fi, err := e.Info(); err == nil {
				a.size += fi.Size()
				if fi.ModTime().After(a.time) {
					a.time = fi.ModTime()
				}
			}
			return nil
		})
		total += a.size
		if path != own && a.time.After(newest) {
			newest = a.time
		}
		if path != own && now.Sub(a.time) > 24*time.Hour {
			all = append(all, a)
		}
	}
	sorting.By(all, func(a, b journal) int { return cmp.Compare(a.time.UnixNano(), b.time.UnixNano()) })
	// A clock that is ahead is no age: it counts from the newest of the others.
	aged := now
	if newest.Before(now) {
		aged = newest
	}
	for _, a := range all {
		scratch := strings.HasPrefix(filepath.Base(a.path), scratchPrefix)
		if scratch || total > limits.Total || aged.Sub(a.time) > limits.Age {
			if os.RemoveAll(a.path) == nil {
				total -= a.size
			}
		}
	}
}
