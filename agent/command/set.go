package command

import (
	"fmt"
	"slices"
	"strings"

	"forge/sorting"
)

// Set is the commands there are, and what is wrong with the others.
type Set struct {
	Commands []Command
	Problems []Problem
}

// Settle decides which command a name means: forge's own, then the person's, then the
// project's, whose files come from a stranger, then skills. taken tells forge's own names. A command
// whose name means another is reached with its scope before it; where that means another
// too, it is left out. Either is told as a problem.
func (s *Set) Settle(taken func(name string) bool) {
	sorting.StableBy(s.Commands, func(a, b Command) int { return rank(a.Scope) - rank(b.Scope) })
	had, long := map[string]Command{}, map[string]Command{}
	out := s.Commands[:0:0]
	for _, c := range s.Commands {
		problem := func(err error) {
			if c.Scope != Skill { // whoever lists skills says what is odd about them
				s.Problems = append(s.Problems, Problem{Name: c.Name, File: c.File, Err: err})
			}
		}
		if first, again := long[c.Long()]; again {
			problem(fmt.Errorf("/%s is %s already; this one is left out", c.Name, first.File))
			continue
		}
		long[c.Long()] = c
		c.Call = c.Name
		first, again := had[c.Name]
		switch {
		case taken(c.Name):
			c.Call = c.Long()
			problem(fmt.Errorf("/%s is a command of forge; /%s means this one", c.Name, c.Call))
		case again:
			c.Call = c.Long()
			problem(fmt.Errorf("/%s is %s; /%s means this one", c.Name, first.File, c.Call))
		default:
			had[c.Name] = c
		}
		out = append(out, c)
	}
	s.Commands = out
}

func rank(s Scope) int {
	return slices.Index([]Scope{User, Project, Skill}, s)
}

// Find returns the command that a word after the slash means.
func (s Set) Find(name string) (Command, bool) {
	name = strings.ToLower(name)
	for _, by := range []func(Command) string{func(c Command) string { return c.Call }, Command.Long} {
		if i := slices.IndexFunc(s.Commands, func(c Command) bool { return by(c) == name }); i >= 0 {
			return s.Commands[i], true
		}
	}
	return Command{}, false
}

// Broken returns what is wrong with the file that would be the command of this name.
func (s Set) Broken(name string) (Problem, bool) {
	name = strings.ToLower(name)
	i := slices.IndexFunc(s.Problems, func(p Problem) bool { return p.Name != "" && p.Name == name })
	if i < 0 {
		return Problem{}, false
	}
	return s.Problems[i], true
}

// Typed reads a line as a call of a command: its name and what follows it. A path, or
// anything else that no file could be called, is none.
func Typed(line string) (name, args string, ok bool) {
	rest, slash := strings.CutPrefix(line, "/")
	end := strings.IndexFunc(rest, func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' })
	if end < 0 {
		end = len(rest)
	}
	name, args = rest[:end], strings.TrimSpace(rest[end:])
	if !slash || name == "" || strings.ContainsFunc(name, func(r rune) bool { return r != ':' && !nameRune(r) }) {
		return "", "", false
	}
	return strings.ToLower(name), args, true
}
