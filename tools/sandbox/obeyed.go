package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A stock is what the workspace holds of files that programs obey: git's hooks
// and settings, tasks of editors, start-up files. Not every form of the sandbox
// can protect a name in a folder that may be written to, and none a name that is
// not there, so it is looked at before and after a command.
type stock map[string]stockItem

type stockItem struct {
	mode fs.FileMode
	size int64
	time int64
}

// stockMax bounds how many files of one folder are looked at.
const stockMax = 200

// gitObeyed are the places below .git whose content makes git run something.
var gitObeyed = []string{"config", "config.worktree", "info/attributes", "hooks"}

func takeStock(roots []string) stock {
	s := stock{}
	for _, root := range roots {
		there := entries(root)
		for _, name := range protectedFiles {
			if there(name) {
				s.add(filepath.Join(root, name))
			}
		}
		for _, name := range protectedDirs {
			if name != ".git" && name != "git~1" && there(name) {
				s.addDir(filepath.Join(root, name))
			}
		}
		for _, name := range protectedPairs {
			if outer, _, _ := strings.Cut(name, "/"); there(outer) {
				s.addDir(filepath.Join(root, filepath.FromSlash(name)))
			}
		}
		for _, name := range gitObeyed {
			s.addDir(filepath.Join(root, ".git", filepath.FromSlash(name)))
		}
	}
	return s
}

// entries tells which names a folder may have, by one look at it: most have few of
// those that are asked for. A very large folder may have any.
func entries(dir string) func(name string) bool {
	const most = 5000
	f, err := os.Open(dir)
	if err != nil {
		return func(string) bool { return true }
	}
	defer f.Close()
	names, _ := f.Readdirnames(most)
	if len(names) == most {
		return func(string) bool { return true }
	}
	have := make(map[string]bool, len(names))
	for _, n := range names {
		have[strings.ToLower(n)] = true
	}
	return func(name string) bool { return have[name] }
}

func (s stock) add(path string) (fs.FileInfo, bool) {
	fi, err := os.Lstat(path)
	if err != nil {
		return nil, false
	}
	item := stockItem{mode: fi.Mode()}
	if !fi.IsDir() {
		item.size, item.time = fi.Size(), changeTime(fi)
	}
	s[path] = item
	return fi, true
}

// addDir adds a file, or a folder and what is directly in it.
func (s stock) addDir(path string) {
	fi, ok := s.add(path)
	if !ok || !fi.IsDir() {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		return
	}
	names, _ := f.Readdirnames(stockMax)
	f.Close()
	for _, name := range names {
		if !strings.HasSuffix(name, ".sample") { // git makes them, and runs none
			s.add(filepath.Join(path, name))
		}
	}
}

// compare says in a line what is new or changed, or nothing.
func (s stock) compare(now stock) string {
	var paths []string
	for path, item := range now {
		was, known := s[path]
		switch {
		case !known && !item.mode.IsDir():
			paths = append(paths, path+" (new)")
		case known && was != item:
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return ""
	}
	slices.Sort(paths)
	more := ""
	if len(paths) > 4 {
		paths, more = paths[:4], " and others"
	}
	return "it changed files that programs take orders from; look at them before you use them: " + strings.Join(paths, ", ") + more
}
