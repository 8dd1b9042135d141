// Package skill finds skills: folders with a SKILL.md, as https://agentskills.io has them
// and other agents read them.
//
// A skill is instructions for a kind of task, with files that belong to them. A model is
// told the name and the description of each, and reads one whole when its task fits; a
// person calls one by its name.
//
//	parse.go  one SKILL.md read, and what is wrong with it
//	find.go   which folders are skills
//	set.go    which of two skills a name means, and which a model is told of
//	told.go   the list for a model, the text of one that was loaded, its files
//	tool.go   the tool by which a model loads one
//
// The package owns these rules and nothing else. It asks nobody: whether a project's skill
// is trusted, and which are switched off, it is told. No setting of a skill changes what
// may run: allowed-tools grants nothing. What it returns of a file is made safe for the
// screen by whoever shows it. All of it may be called from any goroutine.
package skill

import "io/fs"

// Scope says whose a skill is.
type Scope string

// The scopes.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Skill is one skill, as far as its settings tell.
type Skill struct {
	Name    string // what calls it, in lower case
	About   string // what it does and when to use it, on one line; at most maxAbout characters
	Hint    string // what may follow its name: "[file]"
	License string
	Person  bool // only a person calls it: disable-model-invocation
	Model   bool // only a model loads it: user-invocable is false

	Scope Scope
	Base  string // the folder its source lies in, absolute: what a project's trust is given for
	Path  string // its SKILL.md, from Base on, with slashes
	File  string // the same, absolute
	Dir   string // its folder, absolute
	Show  string // its SKILL.md for a person

	// Notes are what is odd about it and does not keep it from being used, in English.
	Notes []string

	// What whoever looked it up says of it, before Settle.
	Waits bool // a project's, and nobody trusts it yet
	Off   bool // the person switched it off

	Over string // the file of a nearer one with the same name, which is meant; by Settle

	info fs.FileInfo
}

// Fault is a file or folder that is no skill.
type Fault struct {
	File string // for a person
	Line int    // 0: the file as a whole
	Err  error  // in English
}
