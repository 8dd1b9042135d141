package sandbox

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
			inside = inside || dir != "" && dir != filepath.Dir(dir) && (beneath(dir, at) || beneath(resolved(dir), resolved(at)))
		}
		if !inside {
			out = append(out, at)
		}
	}
	return out
}

// Program finds a program of the machine's that forge runs by itself, outside of the
// sandbox: one that lies in any of dirs, where commands may write, is passed over. The
// error is exec.ErrNotFound.
func Program(name string, dirs ...string) (string, error) {
	for _, at := range Elsewhere(os.Getenv("PATH"), dirs...) {
		if path, err := exec.LookPath(filepath.Join(at, name)); err == nil {
			return path, nil
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}
