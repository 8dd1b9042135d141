// Package ide joins forge and the editor it runs in: it knows what the person has open
// and selected there, and shows a proposed change in the editor's own diff.
//
// It owns the two bridges that editors' extensions already offer, neither of them made
// for forge: the companion of Gemini CLI's specification (MCP over HTTP) and the one of
// Claude Code that coder/claudecode.nvim documents (JSON-RPC over a WebSocket). An
// editor leaves a file that says where it listens; find.go reads those, and is the place
// where it is decided whom to speak with: this machine, this user, this folder. Manager
// holds the one connection there is. main makes it and hands its functions to the
// screen; nothing here knows a model, a tool or a face. All of it may be called from any
// goroutine.
//
// What an editor says is data: it is bounded here, made fit for a terminal where it is
// shown, and decides nothing by itself. Whether an accepted diff is an answer is for
// whoever asked the question.
package ide

import (
	"errors"
	"fmt"
)

// Kind is which of the bridges an editor offers.
type Kind string

// The kinds.
const (
	Companion Kind = "companion" // Gemini CLI's specification
	LockFile  Kind = "lock file" // Claude Code's, as coder/claudecode.nvim documents it
)

// Bridge is an editor that offers itself in a discovery file.
type Bridge struct {
	ID      string // tells bridges apart while their files stand
	Kind    Kind
	Name    string // of the editor, as it says; empty: it does not
	Port    int    // on 127.0.0.1
	PID     int    // of the editor, or of what started the bridge; 0: not told
	Folders []string
	Own     bool  // the environment says that this is the editor whose terminal it is
	Why     error // why it is not to be spoken with; nil: it may be

	file  string
	token func() string // no printing of a Bridge shows it
}

// Why a bridge is not to be spoken with. The texts are for people.
var (
	ErrDead      = errors.New("its process is gone; the file it left is stale")
	ErrSilent    = errors.New("nothing listens on its port any more")
	ErrStranger  = errors.New("its port is in the hands of another user")
	ErrElsewhere = errors.New("it has another folder open")
	ErrNoFolder  = errors.New("it has no folder open")
	ErrOpenFile  = errors.New("its file can be written by others")
	ErrForeign   = errors.New("its file belongs to another user")
	ErrBroken    = errors.New("its file cannot be read")
)

// Why there is no connection.
var (
	ErrNone   = errors.New("no editor offers a bridge for this folder")
	ErrTwo    = errors.New("two editors or more have this folder open: say which one")
	ErrGone   = errors.New("the editor has closed the connection")
	ErrNoDiff = errors.New("this editor offers no diff")
	ErrApart  = errors.New("no editor is connected")
	ErrSlow   = errors.New("the editor does not answer")
	ErrBusy   = errors.New("another change of this file is open in the editor")
)

// Context is what the person has before them in the editor. Its paths and texts are as
// the editor said, bounded.
type Context struct {
	Path        string // of the file with the focus, absolute; empty: none
	Line        int    // of the cursor, from 1; 0: not told
	Text        string // selected; empty: nothing is
	Cut         bool   // more was selected than is here
	First, Last int    // lines of the selection, from 1; 0: not known
	Open        []string
}

// Label is the place in words, as it is written behind an @: main.go:10-20.
func (c Context) Label(path string) string {
	switch {
	case c.Text == "" || c.First == 0:
		return path
	case c.First == c.Last:
		return fmt.Sprintf("%s:%d", path, c.First)
	}
	return fmt.Sprintf("%s:%d-%d", path, c.First, c.Last)
}

// Bounds of what an editor may say.
const (
	maxText    = 16 << 10 // bytes of a selection, as the companion's specification has it
	maxOpen    = 10       // files
	maxPath    = 4096     // bytes
	maxLine    = 1 << 30  // the largest number of one
	maxName    = 60       // bytes of an editor's name
	maxMessage = 24 << 20 // bytes of one message: an edited file, written as JSON
	// MaxDiff is the largest text that is shown in an editor, in bytes: companions take
	// requests of 10 MB, and JSON may double a text.
	MaxDiff = 4 << 20
)

// Outcome is what became of a change that was shown in the editor.
type Outcome struct {
	Accepted bool
	Text     string // what the editor had then, which may be edited; only of an accepted one
	// Loose: Text is not what was sent, and may not be the person's edit of it either. A
	// companion tells an outcome with the file's name alone, to all who are connected: it
	// may be of another program's diff. An empty text may come of an editor that failed.
	// It is to be read again before it counts.
	Loose bool
}
