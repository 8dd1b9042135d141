package mcp

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"forge/programs"
)

// outsideFolders are the folders of the PATH without what lies in the folder forge runs in: an
// environment of a project that is activated does not say what opens an address, outside
// of the sandbox.
func outsideFolders() []string {
	here, _ := os.Getwd()
	return programs.Elsewhere(os.Getenv("PATH"), here)
}

// outsidePath is outsideFolders as one PATH.
func outsidePath() string { return strings.Join(outsideFolders(), string(filepath.ListSeparator)) }

// lookOutside finds a program in outsideFolders; one that is named with its folder is the
// person's choice.
func lookOutside(program string) (string, error) {
	if filepath.Base(program) != program {
		return exec.LookPath(program)
	}
	return programs.In(outsideFolders(), program)
}
