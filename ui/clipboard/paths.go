package clipboard

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
)

// paths is a PATH by which the programs are found: the one of whoever calls, who may leave
// out folders that are not to say what a program is.
type paths string

func pathsOf(getenv func(string) string) paths {
	return paths(cmp.Or(getenv("PATH"), os.Getenv("PATH")))
}

// look finds a program in it.
func (p paths) look(program string) (string, error) {
	for _, dir := range filepath.SplitList(string(p)) {
		if filepath.IsAbs(dir) {
			if path, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
				return path, nil
			}
		}
	}
	return "", &exec.Error{Name: program, Err: exec.ErrNotFound}
}
