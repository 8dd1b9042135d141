package search

import (
	"cmp"
	"context"
	"log/slog"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Finder finds the files of a folder by a few letters of their path, as a person
// types them. The tree is read once, and again in the background when the list is older
// than a few seconds, so that a keystroke in a tree of 100,000 files neither walks it nor
// waits for that. Its methods may be called from any goroutine.
type Finder struct {
	Root string // absolute
	// Tracked lists files that are part of the project though ignore rules leave them
	// out, relative to Root; nil: there are none.
	Tracked func(ctx context.Context) []string

	mu      sync.Mutex
	list    *catalog // nil: never read
	read    time.Time
	reading chan struct{}    // closed when the reading that is on ends; nil: none is
	recent  []string         // what was chosen, the newest last
	at      map[string]int32 // where that stands in list; nil: not looked up yet
}

const (
	finderAge    = 5 * time.Second
	finderFiles  = 200_000
	finderRecent = 100
)

// Warm reads the tree in the background, so that the first question finds it read.
func (f *Finder) Warm(ctx context.Context) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refresh(ctx)
}

// Used notes that a file was named, or worked on: it is offered first from now on.
func (f *Finder) Used(paths ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range paths {
		f.recent = slices.DeleteFunc(f.recent, func(r string) bool { return r == p })
		f.recent = append(f.recent, p)
	}
	f.recent = slices.Clone(f.recent[max(0, len(f.recent)-finderRecent):])
	f.at = nil
}

// Find returns at most n paths relative to Root, best first; folders end in a
// slash. An empty query gives what was used last, then what is nearest to the root. An
// unreadable folder has none.
func (f *Finder) Find(ctx context.Context, query string, n int) []string {
	list, recent, at := f.now(ctx)
	if list == nil || n <= 0 {
		return nil
	}
	if query == "" {
		return first(list, recent, at, n)
	}
	var found []string
	for _, m := range list.find(ctx, query, n, bonusOf(recent, at)) {
		found = append(found, list.paths[m.at])
	}
	return found
}

// bonusOf is what each path that was used, the newest first, is worth beside its letters.
func bonusOf(recent []string, at map[string]int32) map[int32]int32 {
	bonus := map[int32]int32{}
	for age, p := range recent {
		if i := at[p]; i >= 0 {
			bonus[i] = int32(max(recentBest-4*age, recentBest/4))
		}
	}
	return bonus
}

// FindBeside is Find in several folders: at most n paths, best first, those of home
// relative to it, those of the others behind their own Root and a slash. Where two fit as
// well, home's comes first. An empty query is home's alone.
func FindBeside(ctx context.Context, home *Finder, others []*Finder, query string, n int) []string {
	if query == "" || len(others) == 0 {
		return home.Find(ctx, query, n)
	}
	type scored struct {
		path  string
		score int32
	}
	var all []scored
	for i, f := range append([]*Finder{home}, others...) {
		list, recent, at := f.now(ctx)
		if list == nil {
			continue
		}
		before := ""
		if i > 0 {
			before = strings.TrimRight(filepath.ToSlash(f.Root), "/") + "/"
		}
		for _, m := range list.find(ctx, query, n, bonusOf(recent, at)) {
			all = append(all, scored{before + list.paths[m.at], m.score})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	var out []string
	for _, s := range all[:min(n, len(all))] {
		out = append(out, s.path)
	}
	return out
}

// first is what is offered before anything was typed.
func first(list *catalog, recent []string, at map[string]int32, n int) (out []string) {
	const most = 5 // of what was used: the rest is to be seen, too
	had := map[string]bool{}
	for _, p := range recent {
		if len(out) == min(most, n) {
			break
		}
		if at[p] >= 0 {
			had[p] = true
			out = append(out, p)
		}
	}
	for _, p := range list.paths {
		if len(out) == n {
			break
		}
		if !had[p] {
			out = append(out, p)
		}
	}
	return out
}

// now is the list as it is known, and what was used, the newest first, with where in the
// list that stands. It waits only where nothing is known yet.
func (f *Finder) now(ctx context.Context) (list *catalog, recent []string, at map[string]int32) {
	f.mu.Lock()
	if f.list == nil || time.Since(f.read) >= finderAge {
		f.refresh(ctx)
	}
	reading := f.reading
	wait := f.list == nil && reading != nil
	f.mu.Unlock()
	if wait {
		select {
		case <-reading:
		case <-ctx.Done():
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	recent = slices.Clone(f.recent)
	slices.Reverse(recent)
	if f.at == nil && f.list != nil {
		f.at = f.list.places(recent)
	}
	return f.list, recent, f.at
}

// refresh begins to read the tree, unless somebody does. The lock is held. Whoever asked
// may lose interest meanwhile: the next one is glad of the list.
func (f *Finder) refresh(ctx context.Context) {
	if f.reading != nil {
		return
	}
	done := make(chan struct{})
	f.reading = done
	ctx = context.WithoutCancel(ctx)
	go func() {
		var list *catalog
		defer func() {
			if p := recover(); p != nil {
				slog.Error("list of files crashed", "panic", p)
			}
			f.mu.Lock()
			if list != nil { // an old list is better than none
				f.list, f.at = list, nil
			}
			f.read, f.reading = time.Now(), nil
			f.mu.Unlock()
			close(done)
		}()
		files, err := List(ctx, Scope{Root: f.Root}, finderFiles)
		if err != nil {
			return
		}
		if f.Tracked != nil {
			files = together(files, f.Tracked(ctx))
		}
		list = newCatalog(withFolders(files))
	}()
}

// together adds files to a list of others, each once.
func together(files, more []string) []string {
	if len(more) == 0 {
		return files
	}
	had := make(map[string]bool, len(files))
	for _, p := range files {
		had[p] = true
	}
	for _, p := range more {
		if !had[p] && len(files) < finderFiles {
			had[p] = true
			files = append(files, p)
		}
	}
	slices.SortFunc(files, comparePaths)
	return files
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
