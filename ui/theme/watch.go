package theme

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settles is how long nothing more may come of a change before it is told: an editor
// writes in several steps.
const settles = 50 * time.Millisecond

// Watch tells of changes of the theme files in dir, and of those that links in it lead
// to: next returns when there was one, and false when nothing can be told any more. The
// system says so by itself; between two changes nothing runs. An error means that it
// does not, as for a folder that is not there, or one from another machine.
func Watch(dir string) (next func() bool, err error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	if err := w.Add(dir); err != nil {
		w.Close()
		return nil, err
	}
	for _, name := range files(dir) {
		path := filepath.Join(dir, name+".json")
		if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
			_ = w.Add(filepath.Dir(real)) // else the link itself is watched, as far as that goes
		}
	}
	return func() bool {
		for {
			select {
			case e, ok := <-w.Events:
				if !ok {
					return false
				}
				if concerns(e) {
					return settle(w)
				}
			case _, ok := <-w.Errors: // more than the system kept: anything may have changed
				return ok && settle(w)
			}
		}
	}, nil
}

// concerns reports whether what a theme says may have changed: not with the rights or the
// times of a file.
func concerns(e fsnotify.Event) bool {
	return strings.HasSuffix(e.Name, ".json") && e.Op&^fsnotify.Chmod != 0
}

// settle waits for the end of a change.
func settle(w *fsnotify.Watcher) bool {
	quiet := time.NewTimer(settles)
	defer quiet.Stop()
	for {
		select {
		case _, ok := <-w.Events:
			if !ok {
				return false
			}
			quiet.Reset(settles)
		case <-quiet.C:
			return true
		}
	}
}
