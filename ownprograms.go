package main

import (
	"cmp"
	"os"
	"strings"

	"forge/programs"
)

// elsewhere is the environment by which programs are found that forge runs by itself, as
// those for the clipboard: its PATH has no folder of the workspace, where commands may write.
func (f *forge) elsewhere(name string) string {
	if name != "PATH" {
		return os.Getenv(name)
	}
	const sep = string(os.PathListSeparator)
	return cmp.Or(strings.Join(programs.Elsewhere(os.Getenv(name), f.hands.workspace.WritableRoots()...), sep), sep)
}
