// Package agent runs the loop between a model and its tools.
//
// It owns the history of one conversation and the promise that every tool use in
// it is answered in the very next message. Run is called from one goroutine at a
// time, in the background; everything a face needs to know goes to a Sink.
package agent

import (
	"context"

	"forge/agent/budget"
	"forge/agent/session"
	"forge/compact"
	"forge/provider"
	"forge/tools"
)

// Prompt is what a person sends. Images go with it.
type Prompt struct {
	Text   string
	Images []provider.Image
	Quoted bool // somebody else wrote Text: nothing that it names is attached
	// Line is what the person typed where Text is what became of it: it is kept beside
	// the text and shown in its place. Then Names is what may name things to attach.
	Line, Names string
	// Looks says that nothing may change while this is worked on; whoever guards the calls
	// sees to that.
	Looks bool
	// Timed says that forge sends it by the clock: nobody is known to be there.
	Timed bool
}

// names is what of a prompt may name files and resources.
func (p Prompt) names() string {
	switch {
	case p.Quoted:
		return ""
	case p.Line != "":
		return p.Names
	}
	return p.Text
}

// An Attachment goes with a person's words without being theirs. Err says why it could
// not be had: that is told, and nothing is sent.
type Attachment struct {
	provider.Attached
	Images []provider.Image
	Err    error
}

// Options is everything an Agent needs.
type Options struct {
	Provider  provider.Provider
	Model     provider.Model
	Effort    provider.Effort
	MaxTokens int          // output tokens per call; 0: the wire's choice
	System    string       // fixed for the session, so that the prefix stays byte-stable
	Memory    []MemoryFile // the instructions in System, so that they can be told apart
	Exec      *tools.Executor
	MaxTurns  int                  // model calls in one run; 0: DefaultTurns; below 0: no limit
	Budget    *budget.Counter      // what the conversation may cost, shared with its sub-agents; nil: nothing is counted
	Lent      bool                 // the budget is that of the agent this one works for
	Host      *Host                // the call of another agent that this one runs as; nil: it is the person's own
	Asker     tools.Asker          // asks whether to go on at the limit; nil: the run ends there with ErrTurnLimit
	Veil      tools.Veil           // hides secrets in what does not come through Exec; nil: nothing does
	SendAsIs  bool                 // a person's prompts go to the model as they were written, secrets and all
	Session   *session.Session     // nil: nothing is kept
	Compact   *compact.Compactor   // nil: never shortened
	Facts     func() compact.Facts // the mode and what is open on the todo list, for a summary; nil: neither
	// Attach finds what goes with a person's words, before the model reads them: at the
	// beginning of a run, and with every steering. has says whether the model still sees
	// that very text. It is called on the run's goroutine and ends with ctx; nil: there is
	// never anything.
	Attach func(ctx context.Context, words string, has func(provider.Attached) bool) []Attachment
	// Pictures finds what the marks in a person's words stand for, in their order, and why
	// one of them is not there. It is called on the run's goroutine; nil: marks are words.
	Pictures func(words string) (found []provider.Image, gone []error)
	// Beneath finds the instructions of the folders that calls touched, by the absolute
	// paths of their effects. It is called on the run's goroutine; nil: there are none.
	Beneath func(paths []string) []Attachment
	// News is asked before each model call for what the model is to be told that nobody
	// typed, such as tools that came; it must not wait. nil: nothing.
	News func() []string
	// Rested is asked when the model asks for nothing more and nobody has words for it: what
	// it returns is told to the model, and the run goes on. nil, or nothing: the run ends.
	Rested func(Rest) string
	// Await is what a run waits for once its prompt is kept, before its first model call;
	// say names it. nil: nothing.
	Await func(ctx context.Context, say func(what string))
	// Moment asks what the person's own commands say at a moment of a run. It is called on
	// the run's goroutine and ends with ctx; nil: there are none. Sub-agents have it too.
	Moment func(context.Context, Moment) Word
	// OverBudget asks the person about a request that would cross a limit, Unstick about
	// a call that fails again and again. nil: the run ends there.
	OverBudget func(context.Context, *budget.Exceeded) (Allowance, error)
	Unstick    func(context.Context, Stuck) (Unstick, error)
}
