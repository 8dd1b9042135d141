package mcp

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"forge/programs"
)

// withheld is folders of projects: an environment of one that is activated does not say what
// opens an address, outside of the sandbox. The folder forge runs in is always one.
type withheld []string

func (o withheld) dirs() []string {
	here, _ := os.Getwd()
	return append(slices.Clone(o), here)
}

// look finds a program in none of them; one that is named with its folder is the person's
// choice.
func (o withheld) look(program string) (string, error) {
	if filepath.Base(program) != program {
		return exec.LookPath(program)
	}
	return programs.Find(program, o.dirs()...)
}

// environ is what a program has that opens an address: xdg-open is a script.
func (o withheld) environ() []string { return programs.Environ(os.Environ(), o.dirs()...) }
