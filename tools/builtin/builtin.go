// Package builtin holds the tools every forge has: they read, search, list, write
// and edit files below a workspace, run commands, keep a todo list, and ask the person.
//
// It owns what these tools say to a model, what they remember of a session (what
// was read, the todo list, commands in the background) and how text is decoded
// and encoded. main makes one Env and registers All of it; the tools are called
// from the goroutines of runs, through the one door.
package builtin

import (
	"context"
	"fmt"

	"forge/tools"
	"forge/tools/sandbox"
)

// Env is what the tools of one session share. The zero value of every field but
// Workspace works.
type Env struct {
	Workspace *sandbox.Workspace
	Seen      Seen  // what the model has read
	Todos     Todos // the todo list
	Jobs      Jobs  // commands in the background; close it when the session ends

	// Terminal says that a person is there who can run a command on their own terminal: a
	// model is told so where one wanted a terminal.
	Terminal bool

	Shell string   // the shell commands run in; empty: bash, else sh
	Vars  []string // the environment of commands; nil: forge's own, scrubbed
	// Policy confines commands; nil: nothing does.
	Policy *sandbox.Policy
	// Guardian ends what commands left when forge is killed; nil: nobody does.
	Guardian *sandbox.Guardian

	// Veil hides secrets in what is kept on disk, and learns those of files that are
	// read or changed; nil: nothing is hidden.
	Veil tools.Veil

	// UndoLimit is the size of the largest file that undo can bring back, in bytes; 0:
	// nothing is remembered for it.
	UndoLimit int64

	// Forbidden gives what tells of a path whether a rule keeps it from these tools, nil
	// where none does: a search leaves it out. nil: no rule is known.
	Forbidden func(tools ...string) func(path string) bool

	// Asker puts what a model wants to know to the person. nil: nobody is there, and no
	// model is offered to ask.
	Asker tools.Asker

	OutDir string // a private folder for output that is too long to show; empty: none is kept

	// MaxText is how many bytes of a file one read_file may show, kept below what a
	// result is bounded to, so that a page ends between lines and the next page is
	// named. 0: 40 KiB.
	MaxText int
}

// All returns the built-in tools in the order a model sees them.
func All(e *Env) []tools.Tool {
	all := []tools.Tool{
		newRead(e),
		newList(e),
		newGlob(e),
		newGrep(e),
		newWrite(e),
		newEdit(e),
		newMove(e),
		newDelete(e),
		newBash(e),
		newJobOutput(e),
		newJobKill(e),
		newTodo(e),
	}
	if e.Asker != nil {
		all = append(all, newAsk(e))
	}
	return all
}

// prepared makes a tool of what prepares its calls. An error names the tool.
func prepared[I any](name, about string, prepare func(context.Context, I) (*tools.Invocation, error)) tools.Tool {
	return tools.Func(name, about, func(ctx context.Context, _ tools.Call, in I) (*tools.Invocation, error) {
		inv, err := prepare(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return inv, nil
	})
}
