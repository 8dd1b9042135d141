// Package search finds files and lines in a tree: the engine under the grep and
// glob tools, and under every list of files a face shows.
//
// It owns a parallel walk that never follows a link out of the tree, the whole
// meaning of .gitignore, glob patterns and a line search by regular expression.
// It starts no process and keeps no state between calls, so that answers depend
// on the tree alone and never on what is installed. It is called from the
// goroutines of tool calls, several at once; it imports nothing of forge.
package search

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"forge/lazy"
)

// Scope says where to look and what to leave out.
type Scope struct {
	// Root is the absolute path of the folder (for Grep also: the file) to look in.
	// It is searched even where a rule ignores it: who names it wants it.
	Root string
	// Top is Root or a folder above it: the search stays beneath Top also where Root
	// became a link meanwhile, and its .gitignore is the highest that counts when
	// Root lies in no repository. Empty: Root itself.
	Top string
	// Include and Exclude are glob patterns (see Glob) on file paths relative to
	// Root. A file must match one of Include, where there are any, and none of
	// Exclude.
	Include, Exclude []string
	// NoIgnore looks also at what .gitignore and its kin leave out.
	NoIgnore bool
	// All looks also into folders of packages and caches (SkippedDirs), but never
	// into those of a version control system.
	All bool
	// Hide leaves out files, by their absolute path, as though they were not there; nil:
	// none. It is called from several goroutines.
	Hide func(path string) bool
	// Workers is how many goroutines work; 0: one a core.
	Workers int
}

// Stats tells what a search saw.
type Stats struct {
	Files      int // files that were candidates after all rules
	Ignored    int // files and folders left out by ignore rules; a folder counts once
	Skipped    int // folders left out because of their name (node_modules, …)
	Binary     int // files not searched because they hold bytes, not text
	Unreadable int // files and folders that could not be read
}

func (s *Stats) add(o *Stats) {
	s.Files += o.Files
	s.Ignored += o.Ignored
	s.Skipped += o.Skipped
	s.Binary += o.Binary
	s.Unreadable += o.Unreadable
}

// vcsDirs are never looked into: their files are a tool's own.
var vcsDirs = lazy.Value[map[string]bool]{Of: func() map[string]bool {
	return map[string]bool{
		".git": true, ".hg": true, ".svn": true, ".jj": true, ".bzr": true, ".sl": true, "_darcs": true, ".pijul": true,
	}
}}

// skippedDirs hold what a package manager or a build put there, under names
// nobody gives to sources. Names that may also be sources (build, dist, vendor,
// target) are left to .gitignore and to CACHEDIR.TAG, which cargo and others
// write.
var skippedDirs = lazy.Value[map[string]bool]{Of: func() map[string]bool {
	return map[string]bool{
		"node_modules": true, "bower_components": true, ".pnpm-store": true, ".yarn": true,
		"__pycache__": true, ".venv": true, ".tox": true, ".nox": true, ".mypy_cache": true, ".pytest_cache": true,
		".ruff_cache": true, ".gradle": true, ".terraform": true, ".next": true, ".nuxt": true, ".svelte-kit": true,
		".turbo": true, ".parcel-cache": true, ".dart_tool": true, ".stack-work": true, ".bundle": true, "DerivedData": true,
	}
}}

// Check says what is wrong with the patterns of s, before anything is searched.
func (s Scope) Check() error {
	_, err := newMatcher(s.Include, s.Exclude)
	return err
}

// resolve checks s and fills what was left empty. A Root that is a file gives
// its folder and its name.
func (s Scope) resolve() (Scope, string, error) {
	if !filepath.IsAbs(s.Root) {
		return s, "", fmt.Errorf("search %q: need an absolute path", s.Root)
	}
	s.Root = filepath.Clean(s.Root)
	info, err := os.Stat(s.Root)
	if err != nil {
		return s, "", fmt.Errorf("search %s: %w", s.Root, cause(err))
	}
	if s.Workers <= 0 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	if info.IsDir() {
		return s, "", nil
	}
	if !info.Mode().IsRegular() {
		return s, "", fmt.Errorf("search %s: neither a file nor a folder", s.Root)
	}
	return s, filepath.Base(s.Root), nil
}

// openRoot opens the tree under dir, on a way beneath s.Top.
func (s *Scope) openRoot(dir string) (*tree, error) {
	if s.Top == "" || filepath.Clean(s.Top) == dir {
		return openTree(dir)
	}
	rel, err := filepath.Rel(s.Top, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, fmt.Errorf("it is not below %s", s.Top)
	}
	t, err := openTree(s.Top)
	if err != nil {
		return nil, err
	}
	defer t.close()
	return t.sub(filepath.ToSlash(rel))
}

// hides reports whether a file below s.Root is left out.
func (s *Scope) hides(prefix, name string) bool {
	return s.Hide != nil && s.Hide(filepath.Join(s.Root, filepath.FromSlash(prefix), name))
}

// cause is what err says beside the path, which our own text already names.
func cause(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}
