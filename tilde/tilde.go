// Package tilde shows paths to people: the home folder is ~. Any package may use it.
package tilde

import (
	"os"
	"path/filepath"
	"strings"
)

// Short is a path with ~ in the place of the home folder it lies in; any other, and
// every path where there is no home, is itself.
func Short(path string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	if rel, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rel
	}
	return path
}
