// Package permission decides whether a call may run.
//
// It owns the modes, the rules, the risk of a command line and the grants a
// person gave. It reads only a tools.Effect and knows no tool by name. Its
// Manager is the tools.Guard of every executor, sub-agents' included, and is
// called from the goroutines of runs; it asks through an Asker, one question at
// a time.
package permission

import (
	"context"

	"forge/tools"
)

// Mode is how much runs without a question.
type Mode string

// The modes, in the order Shift+Tab goes through the first four.
const (
	ModeAsk   Mode = "ask"   // writes, commands and unknown effects ask
	ModeEdits Mode = "edits" // edits inside the workspace run; the rest asks
	ModePlan  Mode = "plan"  // nothing changes: what would change something is refused
	ModeAuto  Mode = "auto"  // asks only for HIGH and above
	ModeYolo  Mode = "yolo"  // asks nothing but about what is CRITICAL
)

// Level is how much harm a call could do.
type Level int

// The levels, mildest first.
const (
	Low Level = iota
	Medium
	High
	Critical
)

// String gives the level as it is shown: LOW, MEDIUM, HIGH, CRITICAL.
func (l Level) String() string {
	return [...]string{"LOW", "MEDIUM", "HIGH", "CRITICAL"}[l]
}

// Risk is one thing that makes a call dangerous, with the words that explain it.
type Risk struct {
	Level  Level
	Reason string // "deletes a directory tree"
}

// Scope is how long an answer holds.
type Scope string

// The scopes.
const (
	ScopeOnce    Scope = "once"
	ScopeSession Scope = "session"
	ScopeRule    Scope = "rule" // stored in the person's settings
)

// Grant is an answer that can be kept for the session. Text is exactly what is
// stored and shown: "run_bash: go test …", "edit files under ui/".
type Grant struct {
	Text  string
	key   string
	files []string // of the workspace, whose content it is bound to
	bound string   // what they held
}

// Request is a question about one call, with what permission knows of it.
type Request struct {
	ID      string
	Call    tools.Call
	Effect  tools.Effect
	Level   Level
	Risks   []Risk
	Cwd     string
	Rule    string  // the rule that made it a question, as text; empty: the mode
	Sandbox string  // "none", "landlock", …
	Grants  []Grant // what "for the session" would store; empty: not offered
	// Rules is what "as a rule" would store, as the exact texts, and StoredIn the
	// file; empty: not offered.
	Rules    []string
	StoredIn string
	// Parts are the commands of the line that need the answer, where others of it
	// do not; empty: all do.
	Parts []string
	// Changed says why this is asked once more: what is not as it was when it was
	// allowed.
	Changed []string
	// Nth and Of count the calls of one answer of the model that change files right
	// behind each other: this is the one after Nth others, of so many. Of is 0 where it
	// is the only one, or nothing is known of others.
	Nth, Of int
	// With are calls that come right behind this one and can be answered with it; each
	// is as it would be if those before it do what they propose. What is said of Level,
	// Risks, Grants and Rules is then said of all of them. An Asker may pass over With:
	// each is asked about in its turn then.
	With []Request
	// Rework gives the calls behind this one as they would be if calls made these
	// changes, by the IDs of the calls, in place of what they propose: where a hunk was
	// dropped, another that builds on it is not what it was. It takes as long as reading
	// files does, and may be called from any goroutine while the question is open. nil
	// where there is no With.
	Rework func(kept map[string][]tools.Change) []tools.Planned
}

// Answer is what the person said. Reason goes to the model. Changes, if not nil,
// replaces Effect.Changes (hunks were dropped).
type Answer struct {
	Allow      bool
	Scope      Scope
	Reason     string
	Changes    []tools.Change
	Unattended bool // no person answered: Reason is forge's own
	// With are the answers to Request.With, in that order, without a Scope of their own;
	// what is not there is Open.
	With []Answer
	// Shown, of an answer in With, is what the call proposed as it was shown last, where
	// that is not what Request.With said. The answer counts for nothing else.
	Shown []tools.Change
	// Open, of an answer in With, says that nothing was answered: it is asked about in its
	// turn. Alone, of the answer to the request itself, says that nothing at all was
	// answered: each call is to be asked about by itself.
	Open, Alone bool
}

// Asker puts a Request to a person, or answers for one who is not there.
type Asker interface {
	Ask(ctx context.Context, r Request) (Answer, error)
}
