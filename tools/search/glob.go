package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Found is what Glob found.
type Found struct {
	// Paths are relative to Scope.Root, with slashes, newest first; those of one age
	// are in the order of paths.
	Paths []string
	Total int // how many there are; more than Paths where the limit cut them
	Stats Stats
}

// Glob finds the files whose path under s.Root matches pattern: * and ? stay
// within one folder, ** crosses folders, {a,b} is either, [a-z] a class. A
// pattern without a slash matches names at any depth; "./" in front ties it to
// the root. Links are listed, never followed. limit <= 0 means all.
//
// A pattern that begins with plain folder names is looked for under those only,
// also where they would be left out: node_modules/left-pad/** finds something.
func Glob(ctx context.Context, s Scope, pattern string, limit int) (Found, error) {
	s, file, err := s.resolve()
	if err != nil {
		return Found{}, err
	}
	if file != "" {
		return Found{}, fmt.Errorf("search %s: not a folder", s.Root)
	}
	base, rest := "", pattern
	if strings.Contains(pattern, "/") {
		base, rest = doublestar.SplitPattern(strings.TrimPrefix(pattern, "./"))
		if rest == "" { // names one folder
			rest = "**"
		}
		if base = path.Clean(base); base == "." {
			base = ""
		}
		if base != "" && !filepath.IsLocal(filepath.FromSlash(base)) {
			return Found{}, fmt.Errorf("pattern %q leaves the folder it is searched in; give path instead", pattern)
		}
	}
	if strings.Contains(pattern, "/") {
		rest = "./" + rest // no longer a bare name, even if it looks like one
	}
	m, err := newMatcher([]string{rest}, nil)
	if err != nil {
		return Found{}, err
	}
	outer, err := newMatcher(s.Include, s.Exclude)
	if err != nil {
		return Found{}, err
	}
	if base != "" {
		if s.Top == "" {
			s.Top = s.Root
		}
		s.Root = filepath.Join(s.Root, filepath.FromSlash(base))
		base += "/"
	}
	w, err := newWalker(s)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return Found{}, nil
		}
		return Found{}, err
	}
	parts := make([][]aged, s.Workers)
	files := make([]int, s.Workers*8) // a cache line each
	w.run = func(k int, d *dir, n *node) {
		prefix := n.path
		if prefix != "" {
			prefix += "/"
		}
		for _, e := range n.files {
			files[k*8]++
			if m.match(prefix, e.name) && outer.match(base+prefix, e.name) && !s.hides(prefix, e.name) {
				parts[k] = append(parts[k], aged{prefix, e.name, d.modTime(e.name)})
			}
		}
	}
	if err := w.walk(ctx); err != nil {
		return Found{}, err
	}
	all := slices.Concat(parts...)
	slices.SortFunc(all, newestFirst)
	found := Found{Total: len(all), Stats: w.stats}
	for k := range s.Workers {
		found.Stats.Files += files[k*8]
	}
	if limit > 0 && len(all) > limit {
		all = all[:limit]
	}
	for _, a := range all {
		found.Paths = append(found.Paths, base+a.prefix+a.name)
	}
	return found, nil
}

// An aged is a file with the time it was last changed. Its path is put together
// only if it is told: most are found to be too old.
type aged struct {
	prefix, name string // the folder, empty or with a slash at its end, and the name in it
	time         int64
}

func newestFirst(a, b aged) int {
	switch {
	case a.time > b.time:
		return -1
	case a.time < b.time:
		return 1
	case a.prefix == b.prefix:
		return strings.Compare(a.name, b.name)
	}
	// A folder and one inside it are compared by the name against what follows.
	if rest, ok := strings.CutPrefix(b.prefix, a.prefix); ok {
		return comparePaths(a.name, rest)
	}
	if rest, ok := strings.CutPrefix(a.prefix, b.prefix); ok {
		return comparePaths(rest, b.name)
	}
	return comparePaths(a.prefix, b.prefix)
}

// comparePaths orders by folder, then name, as a tree is read: a/b before a.go.
func comparePaths(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if x, y := a[i], b[i]; x != y {
			if x == '/' {
				return -1
			}
			if y == '/' {
				return 1
			}
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

// List lists the files of a scope in the order of paths, at most limit of them
// (<= 0: all), each relative to s.Root with slashes.
func List(ctx context.Context, s Scope, limit int) ([]string, error) {
	s, file, err := s.resolve()
	if err != nil || file != "" {
		return []string{file}, err
	}
	m, err := newMatcher(s.Include, s.Exclude)
	if err != nil {
		return nil, err
	}
	w, err := newWalker(s)
	if err != nil {
		return nil, err
	}
	parts := make([][]string, s.Workers)
	w.run = func(k int, _ *dir, n *node) {
		prefix := n.path
		if prefix != "" {
			prefix += "/"
		}
		for _, e := range n.files {
			if m.match(prefix, e.name) {
				parts[k] = append(parts[k], prefix+e.name)
			}
		}
	}
	if err := w.walk(ctx); err != nil {
		return nil, err
	}
	all := slices.Concat(parts...)
	slices.SortFunc(all, comparePaths)
	if limit > 0 && len(all) > limit {
		all = all[:limit]
	}
	return all, nil
}
