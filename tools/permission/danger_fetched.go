package permission

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// What came from the network stays what it is in whatever file it is put into: to run
// that file, or what was unpacked of it, is to run what was fetched.

// fetchedFile reports whether a path names something that the line itself fetched.
func (s *scan) fetchedFile(p string) bool {
	return slices.ContainsFunc(s.places(p, false), func(at string) bool {
		return slices.Contains(s.fetched, at) || slices.ContainsFunc(s.cloned, func(dir string) bool { return within(dir, at) })
	})
}

// fetches notes a file that now holds what came from the network.
func (s *scan) fetches(w word) {
	s.fetched = append(s.fetched, s.places(w.path, false)...)
}

// redirected notes the files that a statement's output goes to, where it is what was
// fetched.
func (s *scan) redirected(st *syntax.Stmt) {
	for _, r := range st.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
			s.fetches(s.word(r.Word))
		}
	}
}

// takesOver notes that files which were fetched go on under another name: copied,
// moved, written by tee or dd.
func (c *command) takesOver(from, to []word) {
	s := c.s
	if !c.feed.net && !slices.ContainsFunc(from, func(w word) bool { return s.fetchedFile(w.path) }) {
		return
	}
	for _, w := range to {
		s.fetches(w)
		for _, at := range s.places(w.path, true) { // a directory: whatever is in it now may be that
			if isDir(at) {
				s.cloned = append(s.cloned, at)
			}
		}
	}
}

// unpacks notes the folder an archive that was fetched is unpacked into.
func (c *command) unpacks(archives []word) {
	s := c.s
	if !c.feed.net && !slices.ContainsFunc(archives, func(w word) bool { return s.fetchedFile(w.path) }) {
		return
	}
	into := c.values("-C", "--directory", "-d")
	if len(into) == 0 {
		into = []word{literal(".")}
	}
	for _, w := range into {
		s.cloned = append(s.cloned, s.places(w.path, false)...)
	}
}

// inFetched: what runs code of the folder it is in runs what came from the network,
// if the folder did.
func (c *command) inFetched() {
	s := c.s
	if len(s.cloned) == 0 || c.name == "git" || c.name == "cd" {
		return
	}
	_, project := recipes.Get()[c.name]
	runs := project || interpreter(c.name) != "" || slices.ContainsFunc(c.s.a.Risks, func(r Risk) bool { return r.Reason == runsProject })
	for _, dir := range s.cwds {
		if runs && slices.ContainsFunc(s.cloned, func(at string) bool { return within(at, dir) }) {
			s.risk(Critical, "runs what it fetched from the network")
		}
	}
}
