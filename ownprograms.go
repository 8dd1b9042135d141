package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"forge/programs"
	"forge/tools/sandbox"
)

// works are the folders that conversations of this process work in, for what is not of one
// conversation: names of machines are looked up for all of them.
var works folderList

type folderList struct {
	mu   sync.Mutex
	dirs []string
}

func (l *folderList) add(dir string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.dirs, dir) {
		l.dirs = append(l.dirs, dir)
	}
}

func (l *folderList) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.dirs)
}

// workIn is the folder of the work that a flag names, absolute; empty: nobody knows it.
func workIn(flag string) string {
	dir, err := filepath.Abs(flag)
	if err != nil {
		return ""
	}
	return dir
}

// unattended is the environment env, nil for that of commands, of a command of the person's
// settings which runs by itself, outside of the sandbox. A command in it can write to an
// environment of the project that is activated: what lies there is not to be the jq or the
// pass of such a line.
func (f *forge) unattended(env []string) []string {
	if env == nil {
		env = sandbox.Environ()
	}
	return programs.Environ(env, f.hands.workspace.WritableRoots()...)
}

// elsewhere is the environment by which programs are found that forge runs by itself, as
// those for the clipboard: its PATH has no folder of the workspace, where commands may write.
func (f *forge) elsewhere(name string) string {
	if name != "PATH" {
		return os.Getenv(name)
	}
	const sep = string(os.PathListSeparator)
	return cmp.Or(strings.Join(programs.Elsewhere(os.Getenv(name), f.hands.workspace.WritableRoots()...), sep), sep)
}
