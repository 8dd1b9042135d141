package tools

import (
	"io/fs"
	"time"
)

// Kind sorts effects by what they touch. The zero Kind is Unknown, and an
// unknown effect is always asked about: a tool that says nothing of itself is
// safe by default.
type Kind string

// The kinds of effect.
const (
	Unknown  Kind = ""
	Read     Kind = "read"     // reads inside the workspace
	Write    Kind = "write"    // changes files, all of them listed in Changes
	Exec     Kind = "exec"     // runs Command
	Network  Kind = "network"  // sends something out
	Delegate Kind = "delegate" // starts another agent, whose calls are asked about one by one
	Internal Kind = "internal" // touches only forge's own memory (todo list, job output)
)

// Effect describes what a call would do, in words no policy and no screen needs
// to know the tool for.
type Effect struct {
	Kind    Kind
	Title   string        // one line for a person: "edit ui/feed.go", "run go test ./..."
	Paths   []string      // absolute paths read or written
	Command string        // the command line, for Exec
	Dir     string        // the absolute directory Command runs in
	Limit   time.Duration // after which Command is ended, unless it is given more time; 0: never
	Env     []string      // NAME=value on top of the environment of commands; the guard's, never a model's
	Changes []Change      // exactly what will be written
	Agent   string        // the sub-agent that calls, "explore", with those above it before it; empty: the person's own
	Task    string        // what that agent was given to do, in a few words
	Under   []string      // the IDs of the calls that agent runs as, the person's own conversation's first
	Server  string        // the MCP server a remote tool belongs to; empty for ours
	Claims  Kind          // what that server says it is, where its word does not count; decides nothing
	Detail  string        // more for a person to judge by, many lines: a remote tool's arguments, why a change is asked about again
	Secrets []Hidden      // whose real values it would get, though its texts show placeholders
	Changed string        // what changed since this was allowed, where the guard is asked again
	Escape  Escape        // what of the sandbox Command would run without; Detail then says why
	Said    Said          // what the person's hooks say of it; the Executor's alone
}

// Escape is how far a command would go beyond the sandbox. No tool has one at
// first and no input of a model makes one: it is offered when the sandbox stopped
// the command, and always asked about.
type Escape string

// The escapes, in words for a person.
const (
	Confined    Escape = ""
	NetworkOpen Escape = "with the network open"
	Outside     Escape = "outside the sandbox"
)

// Op is what a Change does to its file.
type Op string

// The operations.
const (
	Create Op = "create"
	Modify Op = "edit"
	Delete Op = "delete"
	Move   Op = "move"
)

// Thing is what a Change deletes or moves.
type Thing string

// The things. Of all but text Before is no content that could be written.
const (
	Text   Thing = ""
	Folder Thing = "folder" // with all that is in it; to be deleted, Before names that, a file a line
	Link   Thing = "link"   // itself, not what it leads to; to be deleted, Before is what it says
	Binary Thing = "binary" // a file that is no text, whose bytes are not shown
	Large  Thing = "large"  // a file with too much text to be shown
)

// Change is one file before and after. Before is what the file held when the
// call was prepared; applying it fails if the file holds something else by then. Of
// a Move neither is given: not a byte changes. Path is relative to the workspace
// root, with slashes.
type Change struct {
	Path          string
	From          string // the path it had before a Move, as Path is
	Op            Op
	Thing         Thing       // of a Delete or a Move
	Files         int         // of a Folder: files and links in it, at any depth
	Size          int64       // of what is deleted or moved, in bytes
	Lost          int         // files among it that undo could not bring back: too large to be kept
	Mode          fs.FileMode // the mode after; 0: unchanged, or 0644 for a new file
	Before, After []byte
	// Conflicts is how many places After has two versions of between marks, the
	// proposed one and what the file has since somebody changed it. Such a change is
	// for a person to settle and is never written.
	Conflicts int
}
