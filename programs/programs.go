// Package programs finds the machine's programs that forge runs by itself, outside of any
// sandbox: none that a project brings. It owns which folders of a PATH count.
package programs

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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

// By finds a program that is named without its folder by the PATH it will have: os/exec goes
// by forge's own, in which an environment of the project may be activated. One that is named
// with its folder is what it is. The error is exec.ErrNotFound.
func By(env []string, name string) (string, error) {
	if filepath.Base(name) != name {
		return name, nil
	}
	for _, kv := range slices.Backward(env) { // the last of a name counts
		if is, list, _ := strings.Cut(kv, "="); isPath(is) {
			return In(Elsewhere(list), name)
		}
	}
	return In(nil, name)
}

// Environ is an environment by which nothing is found in any of dirs: its PATH is Elsewhere
// of what it was. Where nothing is left of that it has none: an empty one means the folder
// that a program runs in.
func Environ(env []string, dirs ...string) []string {
	out := slices.Clone(env)
	for i, kv := range out {
		if name, list, _ := strings.Cut(kv, "="); isPath(name) {
			out[i] = name + "=" + strings.Join(Elsewhere(list, dirs...), string(filepath.ListSeparator))
		}
	}
	return slices.DeleteFunc(out, func(kv string) bool { return isPath(strings.TrimSuffix(kv, "=")) })
}

// isPath: Windows calls it Path.
func isPath(name string) bool { return strings.EqualFold(name, "PATH") }

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
