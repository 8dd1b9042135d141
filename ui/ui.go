// Package ui is the full-screen face of forge.
//
// It owns the screen: the transcript and its window, the status line, the slash
// commands, and the feed by which runs in the background reach it. Its children
// are plain values: ui/composer for writing, ui/dialog for questions, ui/markdown
// and ui/diffview for what is shown, ui/theme for how, ui/safe for text from
// outside, which becomes cells by no other way. main calls Run once and hands in
// everything the screen can do as functions; the screen knows no configuration,
// no server and no wire. All of its state belongs to the Bubble Tea loop; other
// goroutines speak to it through Feed only.
package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/agent/loop"
	"forge/provider"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/composer"
	"forge/ui/display"
	"forge/ui/keymap"
	"forge/ui/tips"
)

// Agent is what the screen needs of an agent. All but Steer are called between
// runs, one at a time, off the loop.
type Agent interface {
	Run(ctx context.Context, p agent.Prompt, sink agent.Sink) error
	// Compact shortens the conversation; focus, if not empty, is what to remember.
	Compact(ctx context.Context, focus string, sink agent.Sink) error
	// Uncompact takes the last compaction back.
	Uncompact(ctx context.Context, sink agent.Sink) error
	Replay(sink agent.Sink)
	// Shell makes a command the person ran, and its output, part of the conversation.
	Shell(ctx context.Context, command string, run func(ctx context.Context, out io.Writer) (tools.Result, error), sink agent.Sink) error
	// Steer hands the run words for its next step; any time, any goroutine.
	Steer(text string)
	// Unsent takes back the words no step has read.
	Unsent() []string
	// Soon has f called before the next model call of the run that is on, or of the
	// next one, where nothing else uses the agent.
	Soon(f func())
}

// ModelChoice is a line of the model picker.
type ModelChoice struct {
	Model provider.Model
	Label string // empty: provider and id
	Note  string // "128k · $0.27 in, $1.10 out"
}

// SessionChoice is a line of the session picker.
type SessionChoice struct {
	ID    string
	Title string
	When  time.Time
	Note  string // "34 messages · $0.12"
}

// Earlier is a prompt of the conversation that can be gone back to. Fork goes on
// in a copy of the conversation that ends before it: Agent then replays that.
type Earlier struct {
	Text string
	When time.Time
	Fork func() error
}

// Todo is a line of the todo panel.
type Todo struct {
	Text  string
	State string // pending, in_progress or done
}

// FirstRun is what is offered where no model can be reached yet. Each function
// is called off the loop; the screen goes on when one of them returns a model.
type FirstRun struct {
	Keys  []KeyChoice                               // providers a key may be pasted for
	Names string                                    // of all providers, by which the way to another one is found
	Local func(ctx context.Context) []ModelChoice   // models of servers on this machine; nil: not offered
	Use   func(ModelChoice) (provider.Model, error) // takes one of Local's
	// Demo notes that the demo is wanted, with what is written in the prompt; the screen
	// then ends, since the demo has a workspace of its own. nil: not offered.
	Demo func(written string)

	at int // the way that was taken last: the list comes back there
}

// KeyChoice is a provider whose key may be pasted. Try makes one request with
// the key and keeps it if that works.
type KeyChoice struct {
	Name string
	Try  func(ctx context.Context, key string) (LoggedIn, error)
}

// Options is everything the screen can do, handed in by main. A nil function is
// a command that says it is not available; only Agent and Feed are needed.
type Options struct {
	Agent Agent
	Feed  *Feed
	Keys  *keymap.Map // the keys in force; nil: those nobody changed
	Vim   bool        // the prompt takes the keys of vi
	// VimEscape is two characters that leave its insert mode, typed quickly; empty: none.
	VimEscape string
	NoEmoji   bool       // no emoji are offered behind a colon
	Dictation *Dictation // nil: nothing listens
	Spelling  *Spelling  // nil: no words are checked

	Model  provider.Model
	Effort provider.Effort
	// SetModel changes the model or the effort of the conversation, where nothing else
	// uses the agent and off the loop; it returns the model as it is in force.
	SetModel func(c ModelChoice, e provider.Effort) (provider.Model, error)
	Models   func(ctx context.Context) ([]ModelChoice, error)
	// Favorites are models the person marked, and those used lately; nil: none are kept.
	Favorites *Favorites

	Mode    permission.Mode
	SetMode func(permission.Mode)  // any time; it must not block
	InForce func() permission.Mode // what became of it: a policy may allow no laxer one; nil: it is in force
	Laxest  permission.Mode        // that a policy allows; empty: every one
	Yolo    bool                   // yolo was asked for: it is confirmed before the first run
	Network bool                   // confined commands have the network without a question
	Sandbox string                 // what confines commands, for the status line: "landlock", "none", "off"; empty: not shown

	// Status is what the line at the bottom shows: a list of StatusParts; none:
	// what is usual. StatusCommand is the person's own part of it, a line for their shell,
	// which RunStatus runs with in on its standard input; it returns what was written.
	Status        []string
	StatusCommand string
	RunStatus     func(ctx context.Context, command string, in []byte) (string, error)
	Place         func() Place // called off the loop; nil: nothing is known of it

	Sessions func() ([]SessionChoice, error)
	Resume   func(id string) error // Agent then replays that conversation
	New      func() error          // Agent then starts an empty one

	Stored Sessions

	Earlier func() []Earlier // the newest first; called between runs, off the loop

	// Undo plans what taking back would do: "" the last prompt's changes, "turn" those
	// of its last model turn; "redo" plans to bring again what was taken back last.
	// UndoSince plans for everything that was changed since a prompt. Both return nil
	// where there is nothing, and are called between runs, off the loop.
	Undo      func(what string) (*Takeback, error)
	UndoSince func(t time.Time) (*Takeback, error)

	// RunOwn runs a command the person typed after !, until it or ctx ends.
	RunOwn func(ctx context.Context, command string, out io.Writer) (tools.Result, error)

	// OnTerminal makes a command that is to have their terminal; nil: none can.
	OnTerminal Terminal

	// Background sends the commands a run waits for to the background and says how
	// many there were; off the loop. While there is none it waits for one until ctx
	// ends. nil: it cannot be done.
	Background func(context.Context) int
	// MoreTime lets those of them that have a limit run longer, each by as much as it
	// was given at first, and says how many there were; off the loop. nil: it cannot.
	MoreTime func() int
	Jobs     Jobs             // what runs there
	LSP      *LanguageServers // nil: they are off

	// Browser opens an address for the person, off the loop and without a shell; nil:
	// there is none here, and NoBrowser says why.
	Browser   func(address string) error
	NoBrowser string

	// Clipboard hands text to the system's clipboard, off the loop; nil, or an error
	// that is clipboard.ErrNone: only the terminal is asked.
	Clipboard func(ctx context.Context, text string) error

	SessionDiff func() string                                    // what the conversation changed, unified; called off the loop
	GitDiff     func(ctx context.Context) (string, error)        // of the working tree, unified
	Files       func(ctx context.Context, query string) []string // for @, best first
	Todos       func() []Todo                                    // as the todo tool has them now
	Started     func(ctx context.Context)                        // called off the loop after the first frame

	Settings *Settings // of the person's file; nil: they cannot be changed here
	// Powers lists rules and grants, Tools what the model may be given; SwitchTool
	// turns one on or off. They are called off the loop; nil: not offered.
	Powers     func() []Power
	Tools      func() []ToolChoice
	SwitchTool func(name string, on bool) error
	// Btw asks the model beside the work; say hears the answer as it comes. It is called
	// off the loop, during runs too, and returns what the conversation has used.
	Btw func(ctx context.Context, question string, say func(text string)) (agent.Totals, error)
	// Recap asks it what was done in the conversation and what is open, MakeName what
	// that might be called; nil: not offered.
	Recap, MakeName Beside
	// Suggest asks it what the person may ask for next; Suggests says that they want that
	// behind each answer.
	Suggest  Beside
	Suggests bool
	// RecapAfter is how long somebody was away before Recap is asked by itself once they are
	// back and something happened; 0: never. NoAwayLine leaves out what forge itself tells then.
	RecapAfter time.Duration
	NoAwayLine bool
	Changelog  string              // of this build; empty: not offered
	Memory     func() []MemoryInfo // the instructions the model has; called off the loop
	Agents     func() []AgentInfo  // the sub-agents there are; it must not block
	Crew       Crew                // those at work, and what they did
	Hooks      Hooks               // the person's own commands at set moments

	IDE *IDE // the editor forge runs in; nil: it is left alone

	Pictures *Pictures // nil: nothing is attached
	Folders  *Folders  // beside the workspace's own; nil: none can be opened

	Ledger    *Ledger    // nil: there is none
	Servers   *Servers   // nil: there can be none
	Prompts   *Prompts   // of servers; nil: there are none
	FromFiles *FromFiles // commands from files; nil: there are none
	Skills    *Skills    // nil: there are none
	Goal      *Goal      // nil: there is no such thing
	// Tips is what a person who waits is told; nil: nothing. NoTips says that they are not
	// wanted now.
	Tips   *tips.Book
	NoTips bool
	Loops  *loop.Book // of the conversation that is open; nil: there are none
	// Reload reads anew what can be read without a restart, and tells say what changed.
	// What the face takes up itself it is handed by take, which returns when that is in
	// force: what is asked afterwards is asked in the language that was read. It is called
	// off the loop, between runs; nil: nothing can.
	Reload func(ctx context.Context, takes []string, say func(string), take func(Reloaded)) error
	// Mentions finds what may follow an @ beside files, best first, and says whether
	// files are wanted, too. It is called off the loop; nil: nothing.
	Mentions func(ctx context.Context, query string) (found []composer.Found, files bool)
	// Paths completes a path in a command for the shell, off the loop; nil: nothing does.
	Paths func(ctx context.Context, typed string) []composer.Found

	Doctor   Examiner // nil: nothing can be examined
	Feedback Reporter // nil: no report can be written

	Logins   *Logins          // nil: no key can be given here
	FirstRun *FirstRun        // nil: a model is there
	Ways     func() *FirstRun // what /model offers where no model is listed; nil: nothing

	History       []string // earlier prompts, oldest first
	AppendHistory func(string)
	Draft         string // what was being written last time
	SaveDraft     func(string)

	// KeepQueue keeps the prompts that wait to be sent, so that they outlive a crash.
	// It is called off the loop, one call at a time.
	KeepQueue func([]string)
	// Offer finds a conversation of this folder that was cut off, to be gone on with;
	// called off the loop, after the first frame. false: there is none.
	Offer func() (SessionChoice, bool)

	Prompt string // sent at once, if not empty
	// Restore opens the conversation to begin with, off the loop and before the
	// first run; Agent then replays it. nil: there is none to open.
	Restore func() error
	// Peek tells the end of that conversation, to be shown while Restore opens a
	// long one; may be nil.
	Peek     func(agent.Sink)
	Cwd      string // shown as it is: shorten a home directory before
	Version  string
	Theme    string // a name of theme.Names, or of a file in ThemeDir; empty: auto
	ThemeDir string // where the person's themes are; empty: nowhere
	// WatchThemes is theme.Watch; nil: files are looked at when something happens.
	WatchThemes func(dir string) (next func() bool, err error)
	Glyphs      string // a name of theme.GlyphSets; empty: auto
	Dir         string // the workspace, absolute: where what is saved goes
	// Parting is what stays in the terminal when the screen is gone: "none", "last",
	// the last answer, or "all"; empty: "last".
	Parting    string
	Notify     string           // one of terminal.Ways; empty: "auto"
	NoTitle    bool             // leave the window's title alone
	TitleShows []string         // what the title says behind forge's name: words of TitleParts; none: the folder
	Images     string           // one of graphics.Ways; empty: "auto"
	Links      string           // one of terminal.LinkWays; empty: "auto"
	NoProgress bool             // show the terminal no progress
	Inline     bool             // without the alternate screen: what is finished stays in the terminal
	Lines      bool             // speak in plain lines, for a screen reader, and draw no screen
	Interrupts <-chan os.Signal // presses of ctrl+c, where Lines; the screen reads them as keys
	Scrollbar  string           // at the edge of the transcript: "scrolled", "always", "never"; empty: "scrolled"
	Wheel      int              // rows a notch of the wheel moves; 0: 3
	Reasoning  string           // how much of it is shown: "hidden", "line", "full"; empty: "line"
	Panel      bool             // how things stand, beside the conversation, where there is room
	Still      bool             // nothing moves by itself: spinners stand
	Focus      bool             // the work of a turn is one row
	Times      bool             // when each prompt and each answer was said is shown
	NoMouse    bool             // leave the mouse to the terminal's own selection
	Getenv     func(string) string

	// For tests: where the screen reads and writes, and what time it is there.
	Terminal display.Terminal
	Now      func() time.Time
}

// quitWait is how long a run may take to close down before the program leaves
// without it: a tool's processes get their INT, TERM and KILL in less.
const quitWait = 5 * time.Second

// Run shows the screen until the person leaves or ctx ends. On every way out the
// terminal is restored, the run is cancelled and waited for, and the feed is
// closed. The error is nil when the person left.
func Run(ctx context.Context, o Options) error {
	if o.Agent == nil || o.Feed == nil {
		return errors.New("start the screen: an agent and a feed are needed")
	}
	if o.Lines {
		return runLines(ctx, o)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newModel(ctx, o)
	defer func() {
		cancel()
		o.Feed.Close()
		m.await(quitWait)
		m.endScript()
		m.endDictation()
		m.saveDraft()
	}()
	m.enter()
	err := display.Run(ctx, m, o.Terminal)
	m.leave()
	switch {
	case err == nil, errors.Is(err, tea.ErrInterrupted):
		return nil
	case errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil:
		return ctx.Err()
	}
	return fmt.Errorf("the screen ended: %w", err)
}

// await waits until no run is on, at most d. It takes the gate for good, so that
// nothing starts any more.
func (m *Model) await(d time.Duration) {
	select {
	case m.gate <- struct{}{}:
	case <-time.After(d):
		slog.Warn("a run did not end in time", "waited", d)
	}
}
