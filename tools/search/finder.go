package search

import (
	"context"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/sahilm/fuzzy"
)

// Finder finds the files of a folder by a few letters of their path, as a person
// types them. The list is read once and again when it is older than a few
// seconds, so that a keystroke in a tree of 100,000 files does not walk it. Its
// method may be called from any goroutine.
type Finder struct {
	Root string // absolute

	mu    sync.Mutex
	paths []string // folders with a slash at the end
	read  time.Time
}

const (
	finderAge   = 5 * time.Second
	finderFiles = 200_000
)

// Find returns at most n paths relative to Root, best first; folders end in a
// slash. An empty query gives the files nearest to the root. An unreadable
// folder has none.
func (f *Finder) Find(ctx context.Context, query string, n int) []string {
	paths := f.list(ctx)
	if query == "" {
		return paths[:min(n, len(paths))]
	}
	var found []string
	for _, m := range fuzzy.Find(query, paths) {
		if found = append(found, m.Str); len(found) == n {
			break
		}
	}
	return found
}

func (f *Finder) list(ctx context.Context) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.paths != nil && time.Since(f.read) < finderAge {
		return f.paths
	}
	files, err := List(ctx, Scope{Root: f.Root}, finderFiles)
	if err != nil {
		return f.paths // an old list is better than none
	}
	f.paths, f.read = withFolders(files), time.Now()
	return f.paths
}

// withFolders adds the folders files lie in, and puts what is near the root
// first.
func withFolders(files []string) []string {
	seen := map[string]bool{}
	byDepth := map[int][]string{}
	deepest := 0
	add := func(p string) {
		d := strings.Count(strings.TrimSuffix(p, "/"), "/")
		byDepth[d] = append(byDepth[d], p)
		deepest = max(deepest, d)
	}
	for _, file := range files {
		for dir := path.Dir(file); dir != "." && !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			add(dir + "/")
		}
		add(file)
	}
	out := make([]string, 0, len(files)+len(seen))
	for d := 0; d <= deepest; d++ {
		out = append(out, byDepth[d]...)
	}
	return out
}
