package lsp

import (
	"io/fs"
	"path/filepath"
	"strings"
	"time"
)

const (
	// mostLooked is how many entries of a tree are looked at, at most.
	mostLooked = 40_000
	// lookLimit is how long that may take.
	lookLimit = 400 * time.Millisecond
)

// A stamp is how a file was when it was looked at.
type stamp struct {
	size int64
	time time.Time
}

// A tree is the files of a server's folder as the server was last told of them. A model
// runs commands and a person has an editor: what they changed is found by a look before
// every edit is shown, without anything that watches in between.
type tree struct {
	root   string
	server Server
	files  map[string]stamp
	large  bool // too large to be looked at; the server has to watch it itself
}

// look finds what is different since the last look. The first one tells of nothing.
func (t *tree) look() []fileEvent {
	if t.large {
		return nil
	}
	now, ok := t.walk()
	if !ok {
		t.large, t.files = true, nil
		return nil
	}
	var out []fileEvent
	if t.files != nil {
		for path, s := range now {
			was, known := t.files[path]
			switch {
			case !known:
				out = append(out, fileEvent{uriOf(path), fileCreated})
			case was != s:
				out = append(out, fileEvent{uriOf(path), fileChanged})
			}
		}
		for path := range t.files {
			if _, left := now[path]; !left {
				out = append(out, fileEvent{uriOf(path), fileDeleted})
			}
		}
	}
	t.files = now
	return out
}

func (t *tree) walk() (found map[string]stamp, ok bool) {
	found = map[string]stamp{}
	n, until := 0, time.Now().Add(lookLimit)
	err := filepath.WalkDir(t.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if n++; n > mostLooked || n%256 == 0 && time.Now().After(until) {
			return fs.SkipAll
		}
		if d.IsDir() {
			if path != t.root && passedOver(d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !t.server.handles(path) && !matches(t.server.Roots, d.Name()) {
			return nil
		}
		if info, err := d.Info(); err == nil {
			found[path] = stamp{info.Size(), info.ModTime()}
		}
		return nil
	})
	return found, err == nil && n <= mostLooked && time.Now().Before(until)
}

// passedOver are folders whose files nobody writes by hand.
func passedOver(name string) bool {
	switch name {
	case "node_modules", "target", "vendor", "__pycache__", "dist", "build", "venv":
		return true
	}
	return strings.HasPrefix(name, ".")
}
