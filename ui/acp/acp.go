// Package acp is the face of forge in an editor: an agent of the Agent Client Protocol,
// JSON-RPC in lines on a pair of pipes, or on as many connections as there are clients.
//
// It owns the protocol: its lines, its methods, and how a conversation is told in its
// words. The conversations are its Host's, which main implements: it opens them, runs
// prompts in them and hands the events of each run to the sink that is given. Questions
// of permission go to the editor through the Line of their conversation, and what is
// offered there is what the full screen offers. Messages are read on one goroutine for
// each connection; each prompt runs on one of its own.
//
// Open conversations live in a House, and connections look at them. With one pair of
// pipes (Serve) the house ends with the editor. A house that keeps its conversations
// (forge serve) lets them go on when whoever looked went away: what happens is recorded
// until the run is over and told to the next who comes (journal.go), and a question waits
// for the first answer of anybody (put.go). No connection can hold another or a
// conversation: each has a queue of its own for what goes out (outbox.go), and is cut off
// where that grows too long.
package acp

import (
	"context"
	"log/slog"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/tools/permission"
)

// Host opens conversations. Its functions may be called side by side.
type Host struct {
	Version string
	Log     *slog.Logger
	// Ready says why no model can be spoken with; nil: one can.
	Ready func(ctx context.Context) error
	// Open begins a conversation, or goes on with a stored one. Whatever is asked or told
	// goes to the line. ErrNoSession: there is none of that ID. NoModel: there is no
	// model to speak with. Wrong: what was asked for cannot be.
	Open func(ctx context.Context, s Start, to *Line) (*Talk, error)
	// List names the stored conversations, the last used first.
	List func() ([]Stored, error)
	// Delete removes a stored conversation that nobody has open.
	Delete func(id string) error
}

// Start is what a conversation is to begin with.
type Start struct {
	ID      string // of a stored one; empty: a new one
	Cwd     string // absolute
	AddDirs []string
	Servers []Server // MCP servers of the editor
	Editor  string   // its name, for people
}

// Server is an MCP server as an editor describes it. Its texts mean what they say:
// nothing in them is a reference.
type Server struct {
	Name    string
	Type    string // stdio, http or sse
	Command string
	Args    []string
	Env     map[string]string
	URL     string
	Headers map[string]string
}

// Stored is a conversation that can be gone on with. Updated is RFC 3339.
type Stored struct{ ID, Cwd, Title, Updated string }

// Words is a prompt. Pictures go with it, in the bytes of their files; what is Attached
// goes with it without being the person's own words.
type Words struct {
	Text     string
	Pictures [][]byte
	Attached []provider.Attached
}

// Talk is an open conversation. Run and Command are called one at a time, as is SetModel
// unless it is told that a run is on; the rest at any time.
type Talk struct {
	ID   string
	Root string // the folder it is about, which relative paths of changes begin at
	Run  func(ctx context.Context, w Words, sink agent.Sink) error
	// Told is how many records the conversation has so far, and Replay tells the first n of
	// them; below 0: all. Both may be called while a run is on.
	Told   func() int
	Replay func(n int, sink agent.Sink)
	Todos  func() []Todo
	Title  func() string       // what it is called; empty: nothing yet
	Spent  func() agent.Totals // so far

	Modes   []Mode
	Mode    func() permission.Mode
	SetMode func(permission.Mode)

	Models   func() []Model
	Model    func() (id, name string)
	SetModel func(id string, running bool) error
	// Efforts are those of the model; none: it has no such thing.
	Efforts   func() (all []string, now string)
	SetEffort func(effort string, running bool) error

	Commands func() []Command
	// Command runs one of forge's own. say tells what it has to say; known is false for
	// a line that is none of them.
	Command func(ctx context.Context, line string, sink agent.Sink, say func(string)) (known bool, err error)

	// Busy says whether something of it goes on beside prompts, as a command in the
	// background, and Empty whether nothing was ever said in it. Only a house that keeps
	// its conversations asks.
	Busy  func() bool
	Empty func() bool
	Close func()
}

// Todo is an item of the model's list; State is pending, in_progress or done.
type Todo struct{ Text, State string }

// Mode is one the person may choose, in their language.
type Mode struct {
	ID          permission.Mode
	Name, About string
}

// Model is one the person may choose.
type Model struct{ ID, Name, About string }

// Command is a slash command, without the slash.
type Command struct{ Name, About, Hint string }

var (
	_ permission.Asker = (*Line)(nil)
	_ tools.Asker      = questions{}
)
