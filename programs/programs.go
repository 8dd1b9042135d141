// Package programs finds the machine's programs that forge runs by itself, outside of any
// sandbox: none that a project brings. It owns which folders of a PATH count.
package programs

import (
	"os"
	"os/exec"
	"path/filepath"
)

// Elsewhere are the folders of list, which is a PATH, by which no workspace says what a
// program is: those that are absolute and lie in none of dirs, also through links. An
// activated environment (.venv/bin, node_modules/.bin) is one that does. The topmost folder
// of all has the machine's programs in it, and counts for none.
func Elsewhere(list string, dirs ...string) (out []string) {
	for _, at := range filepath.SplitList(list) {
		if !filepath.IsAbs(at) {
			continue
		}
		inside := false
		for _, dir := range dirs {
			inside = inside || dir != "" && dir != filepath.Dir(dir) && (beneath(dir, at) || beneath(followed(dir), followed(at)))
		}
		if !inside {
			out = append(out, at)
		}
	}
	return out
}

// Find finds a program by the PATH of forge without what lies in any of dirs, where
// commands may write. The error is exec.ErrNotFound.
func Find(name string, dirs ...string) (string, error) {
	return In(Elsewhere(os.Getenv("PATH"), dirs...), name)
}

// In finds a program in the first of the folders that has it. The error is
// exec.ErrNotFound.
func In(folders []string, name string) (string, error) {
	for _, at := range folders {
		if path, err := exec.LookPath(filepath.Join(at, name)); err == nil {
			return path, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// beneath says whether path is dir or something in it.
func beneath(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// followed is a path without links, as far as it exists.
func followed(path string) string {
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(followed(dir), filepath.Base(path))
	}
	return path
}
