package permission

import (
	"os"
	"path/filepath"
	"slices"

	"forge/lazy"
)

// Analysis is what is known of a command line without running it.
type Analysis struct {
	Parsed   [][]string // the simple commands found, as words; opaque words as written
	ReadOnly bool       // provably harmless: it may run without a question
	Level    Level
	Risks    []Risk
	// Shapes are the grants that together cover the parts of the line that need
	// one, as the exact text they are kept by. Empty: the line cannot be granted
	// (HIGH or above, an interpreter, a wrapper, words that are not literal).
	Shapes []string
	// Parts are the commands themselves, those that others run left out.
	Parts []Part
	// Files are those of the workspace that decide what the line does: scripts it
	// names, a Makefile, a package.json. Absolute; some may not exist.
	Files []string

	broken bool // it could not be judged
	// inner are the commands that others run: what wrappers wrap, what words may
	// become, programs by their bare name. Deny and ask rules look at them too.
	inner [][]string
}

// Part is one command of a line.
type Part struct {
	Argv     []string
	Harmless bool     // it needs no permission
	Shape    string   // what a grant for it stores; empty: there is none
	Files    []string // of Analysis.Files, those this command obeys
}

// risk adds a reason once and raises the level.
func (a *Analysis) risk(l Level, reason string) {
	a.Level = max(a.Level, l)
	if r := (Risk{l, reason}); !slices.Contains(a.Risks, r) {
		a.Risks = append(a.Risks, r)
	}
}

// world is where a command line is judged: the directory it runs in and the
// folders that are the person's workspace, absolute.
type world struct {
	dir   string
	roots []string
	home  string              // "": the person's own
	git   func(string) string // why git may not run unasked in a directory; "": it may. nil: never
	real  []string            // roots with links followed
	path  []string            // the folders of PATH that are relative or lie in the workspace; nil: looked up
}

// filled puts in what was left out.
func (w world) filled() world {
	if w.home == "" {
		w.home, _ = os.UserHomeDir()
	}
	if w.home == "" {
		w.home = "/root"
	}
	if w.dir == "" && len(w.roots) > 0 {
		w.dir = w.roots[0]
	}
	w.dir = real("/", w.dir)
	w.real = nil
	for _, r := range w.roots {
		if r = real("/", r); r != "" {
			w.real = append(w.real, r)
		}
	}
	if w.path == nil {
		w.path = []string{}
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			if at := real(w.dir, dir); !filepath.IsAbs(dir) || slices.ContainsFunc(w.real, func(r string) bool { return within(r, at) }) {
				w.path = append(w.path, dir)
			}
		}
	}
	if w.git == nil {
		w.git = func(string) string { return unread }
	}
	return w
}

// ownCommands are those of the shell itself, which it does not look for.
var ownCommands = lazy.Value[map[string]bool]{Of: func() map[string]bool {
	return set("cd", "echo", "printf", "pwd", "test", "[", "type", "command", "true", "false", ":", "exit")
}}

// shadowed reports whether PATH leads to a program of the workspace by this name,
// which somebody may have put there in the place of the system's.
func (s *scan) shadowed(name string) bool {
	if len(s.w.path) == 0 || ownCommands.Get()[name] {
		return false
	}
	names := []string{name}
	if name == "egrep" || name == "fgrep" { // scripts, which call it
		names = append(names, "grep")
	}
	for _, dir := range s.w.path {
		for _, cwd := range s.cwds {
			at := dir
			if !filepath.IsAbs(dir) {
				at = filepath.Join(cwd, dir)
			}
			if slices.ContainsFunc(names, func(n string) bool { return exists(filepath.Join(at, n)) }) {
				return true
			}
		}
	}
	return false
}
