package main

import (
	"context"
	"path/filepath"
	"strings"
	"sync"

	"forge/tools/search"
)

// fileMenu finds the files the screen's @ menu offers: of the workspace, and of the
// folders that are open beside it. Its methods may be called from any goroutine.
type fileMenu struct {
	home *search.Finder
	open func() []string // the other folders, absolute, as they are now

	mu     sync.Mutex
	others map[string]*search.Finder // by folder; read when somebody types an @
}

// mostOffered bounds the menu.
const mostOffered = 50

// find completes what is written behind an @, best first. A file of another folder is
// written with that folder before it, as the person began it: whole, or from the
// workspace on.
func (m *fileMenu) find(ctx context.Context, query string) []string {
	var (
		others  []*search.Finder
		folders []string
	)
	for _, dir := range m.open() {
		f := m.finder(dir)
		for _, name := range m.names(dir) {
			if rest, in := strings.CutPrefix(query, name); in {
				return behind(name, f.Find(ctx, rest, mostOffered))
			}
			if query != "" && strings.ContainsRune(query, '/') && strings.HasPrefix(name, query) {
				folders = append(folders, name)
			}
		}
		others = append(others, f)
	}
	return append(folders, search.FindBeside(ctx, m.home, others, inWorkspace(m.home.Root, query), mostOffered)...)
}

// names are the ways to write a folder, with a slash at the end.
func (m *fileMenu) names(dir string) []string {
	out := []string{strings.TrimRight(filepath.ToSlash(dir), "/") + "/"}
	if rel, err := filepath.Rel(m.home.Root, dir); err == nil {
		out = append(out, filepath.ToSlash(rel)+"/")
	}
	return out
}

func (m *fileMenu) finder(dir string) *search.Finder {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.others[dir]
	if f == nil {
		f = &search.Finder{Root: dir, Tracked: tracked(dir)}
		if m.others == nil {
			m.others = map[string]*search.Finder{}
		}
		m.others[dir] = f
	}
	return f
}

// behind puts a folder's name before paths.
func behind(name string, paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = name + p
	}
	return out
}
