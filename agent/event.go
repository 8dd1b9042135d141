package agent

import (
	"time"

	"forge/agent/budget"
	"forge/agent/session"
	"forge/provider"
	"forge/tools"
)

// Event is something a run tells its face, in the order it happened.
type Event interface{ event() }

type (
	// UserMessage opens a run, or is steering that was taken in.
	UserMessage struct {
		Text   string // with the marks of its pictures
		Line   string // what the person typed, where Text is what became of it
		Images []provider.Image
		Steer  bool
		At     time.Time // in a replay: when it was said, UTC; else zero, it is said now
	}
	// NotSent gives words back that were sent to a run and that it does not take; why is
	// told by a Notice.
	NotSent struct{ Text string }
	// Attached tells what goes with the words before it; Err, why it does not.
	Attached struct {
		Label, Text string
		Images      []provider.Image
		Err         error
	}
	// TurnStart precedes a model call; Turn counts from 1 in a run. At is that of a
	// UserMessage: when the answer was whole.
	TurnStart struct {
		Turn int
		At   time.Time
	}
	// TextDelta is more of the model's text. Block is unique in the run.
	TextDelta struct {
		Block int
		Text  string
	}
	// ThinkingDelta is more of the model's reasoning.
	ThinkingDelta struct {
		Block int
		Text  string
	}
	// ToolInput is more of a call's arguments as they stream. The first one of a
	// call has its ID and Name, the rest only Block and JSON.
	ToolInput struct {
		Block          int
		ID, Name, JSON string
	}
	// ToolStart says that a call was prepared and is about to be authorized and run. It
	// is told once more where a hook gave the call other arguments.
	ToolStart struct {
		ID, Name, Input string
		Effect          tools.Effect
	}
	// ToolRunning says that the call was allowed and runs now.
	ToolRunning struct{ ID string }
	// ToolOutput is live output of a running call.
	ToolOutput struct{ ID, Text string }
	// ToolEnd ends a call. A call whose preparation failed has no ToolStart. Changes
	// is what was really written, Took how long it ran, without the wait before that.
	ToolEnd struct {
		ID, Name string
		Result   tools.Result
		Changes  []tools.Change
		Took     time.Duration
	}
	// TurnEnd ends a model call. Used and Window are tokens of context; Window is 0
	// where unknown. Cost is US dollars of this call, CostKnown whether it is known.
	TurnEnd struct {
		Stop         provider.StopReason
		Detail       string
		Usage        provider.Usage
		Cost         float64
		CostKnown    bool
		Used, Window int
	}
	// Retrying says that all since the last TurnStart is void and the call is tried
	// again After this long.
	Retrying struct {
		Err               error
		After             time.Duration
		Attempt, Attempts int
	}
	// Waiting names what the run waits for; empty: data flows. Until is when that is
	// over, where it is known; where Limit is not 0, the wait began at Since and fails
	// when it has lasted that long.
	Waiting struct {
		For   string
		Until time.Time
		Since time.Time
		Limit time.Duration
	}
	// Notice is one line for a person.
	Notice struct{ Text string }
	// Compacting says that a compaction began, Compacted how it ended, in estimated
	// tokens: that many old results are told by their ends, and where there is a
	// Summary, it stands for the older messages. Own says why forge wrote it itself.
	// Totals are what was used by then, the summary included.
	Compacting struct{ Reason string } // AskedFor, or why forge does it by itself
	Compacted  struct {
		Before, After int
		Summary       string
		Trimmed       int
		Own           string
		Totals        Totals
		Err           error
	}
	// Unfinished says, at the end of a replay, what a forge that was killed left
	// undone, or that the last run was stopped.
	Unfinished struct{ session.Left }
	// Uncompacted says that the last compaction was taken back, in estimated tokens.
	Uncompacted struct{ Before, After int }
	// CacheMissed says that a server read again what it had in its cache, and why, as
	// far as forge knows: what changed and at which byte of the request. Tokens were
	// read anew, which cost Cost more US dollars than reading them from the cache.
	// Expected ones follow from what was done: another model, a compaction.
	CacheMissed struct {
		Cause     string
		At        int // bytes from the beginning of the request, as forge lays it out; -1: nothing changed
		Tokens    int
		Cost      float64
		CostKnown bool
		Expected  bool
	}
	// BudgetWarned says that a limit is nearly reached.
	BudgetWarned struct{ budget.Level }
	// Delegated says which sub-agent call ID is the work of, and the ID of the session
	// its own conversation is kept in; empty: it is kept nowhere. A replay also tells
	// what it used, its own agents included; Cost is US dollars.
	Delegated struct {
		ID, Agent, Session string
		Turns              int
		Usage              provider.Usage
		Cost               float64
		CostKnown          bool
	}
	// Nested is an event of the sub-agent running as call ID.
	Nested struct {
		ID    string
		Event Event
	}
	// RunEnd is always the last event of a run. Err is nil when the agent rests.
	RunEnd struct {
		Err    error
		Limit  bool // a limit ended it: of turns, of a budget, of the same failure over and over
		Totals Totals
		At     time.Time // in a replay: when the last of it was said, UTC; else zero, it ends now
	}
)

// Totals adds up a session so far. CostKnown says that Cost is all of it.
type Totals struct {
	Usage     provider.Usage
	Cost      float64
	CostKnown bool
	Turns     int
	// Missed is the tokens servers read anew though their cache had had them since
	// forge began, MissedCost what that cost more, in US dollars, as far as known.
	Missed     int
	MissedCost float64

	priced, unpriced bool // some call had a price; some had tokens and none
}

// A Sink takes the events of a run one at a time, in order. It may block: that
// is how a slow face slows the stream.
type Sink func(Event)

func (UserMessage) event()   {}
func (NotSent) event()       {}
func (Attached) event()      {}
func (TurnStart) event()     {}
func (TextDelta) event()     {}
func (ThinkingDelta) event() {}
func (ToolInput) event()     {}
func (ToolStart) event()     {}
func (ToolRunning) event()   {}
func (ToolOutput) event()    {}
func (ToolEnd) event()       {}
func (TurnEnd) event()       {}
func (Retrying) event()      {}
func (Waiting) event()       {}
func (Notice) event()        {}
func (Compacting) event()    {}
func (Compacted) event()     {}
func (Unfinished) event()    {}
func (Uncompacted) event()   {}
func (CacheMissed) event()   {}
func (BudgetWarned) event()  {}
func (Delegated) event()     {}
func (Nested) event()        {}
func (RunEnd) event()        {}

// AskedFor is the reason of a compaction that the person asked for.
const AskedFor = "asked for"
