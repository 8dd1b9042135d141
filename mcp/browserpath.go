package mcp

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// outsidePath is the PATH without what lies in the folder forge runs in: an environment of
// a project that is activated does not say what opens an address, outside of the sandbox.
func outsidePath() string {
	here, err := os.Getwd()
	if err != nil {
		return os.Getenv("PATH")
	}
	var out []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if filepath.IsAbs(dir) && !liesIn(here, dir) && !liesIn(followed(here), followed(dir)) {
			out = append(out, dir)
		}
	}
	return strings.Join(out, string(filepath.ListSeparator))
}

// lookOutside finds a program by outsidePath; one that is named with its folder is the
// person's choice.
func lookOutside(program string) (string, error) {
	if filepath.Base(program) != program {
		return exec.LookPath(program)
	}
	for _, dir := range filepath.SplitList(outsidePath()) {
		if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return path, nil
		}
	}
	return "", &exec.Error{Name: program, Err: exec.ErrNotFound}
}

func liesIn(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}

func followed(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
