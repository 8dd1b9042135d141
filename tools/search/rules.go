package search

import (
	"os"
	"path/filepath"
)

// Rules are the ignore rules in force in one folder, for a walk of somebody
// else's that keeps what it saw. They do not change once made: where an ignore
// file changed, they are to be made anew.
type Rules struct {
	rules ruleset
	root  string // of the walk
	path  string // of the folder, relative to root with slashes; "" is the root
	conf  gitConfig
}

// NewRules reads the rules for the folder root, those of the folders over it
// included.
func NewRules(root string) *Rules {
	conf := globalConfig()
	r := &Rules{rules: above(root, root, conf), root: root, conf: conf}
	r.enter()
	return r
}

// Below reads the rules for one of the folder's own folders.
func (r *Rules) Below(name string) *Rules {
	sub := *r
	sub.path = name
	if r.path != "" {
		sub.path = r.path + "/" + name
	}
	sub.enter()
	return &sub
}

// enter adds what the folder itself says.
func (r *Rules) enter() {
	dir := filepath.Join(r.root, filepath.FromSlash(r.path))
	depth := len(r.path)
	if depth > 0 {
		depth++
	}
	l := &level{up: r.rules.levels, depth: depth}
	found := false
	if isRepo(dir) {
		repo := newRepo(dir, r.conf)
		repo.top, repo.depth = l, depth
		r.rules.repo, found = repo, true
	}
	fold := r.conf.fold
	if r.rules.repo != nil {
		fold = r.rules.repo.fold
	}
	if data := readOwn(filepath.Join(dir, ".gitignore")); data != nil {
		l.git, found = parseIgnore(data, fold), true
	}
	if data := readOwn(filepath.Join(dir, ".ignore")); data != nil {
		l.plain, found = parseIgnore(data, fold), true
	}
	if found {
		r.rules.levels = l
	}
}

// Judge says of an entry of the folder whether the rules ignore it, and whether
// it is a folder nobody looks into for sources: a version control system's own,
// or one of packages and caches.
func (r *Rules) Judge(name string, isDir bool) (ignored, never bool) {
	if name == ".git" || isDir && (vcsDirs.Get()[name] || skippedDirs.Get()[name]) {
		return true, true
	}
	path := name
	if r.path != "" {
		path = r.path + "/" + name
	}
	if r.rules.levels != nil || r.rules.repo != nil {
		ignored = r.rules.ignored(path, name, isDir)
	}
	if !ignored && isDir {
		never = taggedCache(filepath.Join(r.root, filepath.FromSlash(path)))
	}
	return ignored || never, never
}

// taggedCache says whether a program marked the folder as its cache.
func taggedCache(dir string) bool {
	file := filepath.Join(dir, "CACHEDIR.TAG")
	if fi, err := os.Lstat(file); err != nil || !fi.Mode().IsRegular() {
		return false
	}
	data := readSmall(file)
	return len(data) >= len(cacheTag) && string(data[:len(cacheTag)]) == cacheTag
}
