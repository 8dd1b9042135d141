// Package command reads commands of a person's own and makes prompts of them.
//
// A command is a Markdown file: commands/review.md is /review, commands/git/tidy.md is
// /git:tidy. Above its text may stand settings between two lines of ---, as other agents
// have them. $ARGUMENTS and $1 to $9 in the text are what was typed behind the name, and
// !`git diff` is what that command line prints.
//
//	find.go   which files of a folder are commands, and what was wrong with the others
//	set.go    which of two commands a name means
//	parse.go  a file read
//	fill.go   the text with its arguments; words.go and quote.go, how they are divided,
//	          and how they are written into a command line
//
// The package owns these rules and nothing else. It runs no command line, asks nobody and
// attaches nothing: Fill is handed a function for that, and whether a line may run is
// settled there, as for any command a model asks for. No setting of a file changes what
// may run. It knows no screen; what it returns of a file is as the file has it and is
// made safe by whoever shows it. All of it may be called from any goroutine.
package command

import "fmt"

// Scope says whose a command is.
type Scope string

// The scopes, in the order in which a name is looked up. They are written before a name
// to reach one that another hides: /user:review, /project:review, /skill:review.
const (
	User    Scope = "user"
	Project Scope = "project"
	Skill   Scope = "skill" // whoever's; what it says is found elsewhere
)

// Command is one command, read.
type Command struct {
	Name  string // "review", "git:tidy"; in lower case
	About string // what it does: its description, else the beginning of its text
	Hint  string // what may follow it: "[branch]"
	Scope Scope
	Path  string // its file, with slashes: from the source's folder on
	File  string // the same for a person

	Call string // what reaches it: Name, or with its scope before where Name means another

	parts []part
}

// Long is the name with the scope before it.
func (c Command) Long() string { return string(c.Scope) + ":" + c.Name }

// Problem is a file that is no command, or a name that means another one.
type Problem struct {
	Name string // the command it would be; may be empty
	File string // for a person
	Line int    // 0: the file as a whole
	Err  error
}

// Error implements error.
func (p Problem) Error() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d: %v", p.File, p.Line, p.Err)
	}
	return fmt.Sprintf("%s: %v", p.File, p.Err)
}

// Unwrap gives the cause.
func (p Problem) Unwrap() error { return p.Err }
