package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"

	"forge/agent/session"
	"forge/provider"
)

// Errors that end a run. ErrTurnLimit leaves a history that can be gone on with.
var (
	ErrTurnLimit = errors.New("turn limit reached; raise --max-turns, or say \"go on\"")
	ErrNoModel   = errors.New("no model is chosen; choose one first")
	ErrNoPrompt  = errors.New("the prompt is empty; write what is to be done")
	ErrTorn      = errors.New("cut off here: forge ended while the model was answering")
	ErrEmpty     = errors.New("the model answered with nothing; try again, or another model")
)

// Agent holds one conversation. Run, Compact, SetModel, SetSession, Resume and
// Replay are called one at a time; Steer, Soon, Window, Totals and History at any time.
type Agent struct {
	o       Options
	history history
	mail    mailbox
	soon    todoList
	pace    pace
	cache   cache
	read    reading         // of the last request
	pins    map[string]bool // items that survive a compaction word for word
	edited  map[string]bool // items the person wants told otherwise
	told    map[string]bool // what a server's notices said already
	usual   int             // tokens of an answer, about

	noting sync.Mutex // of a note of what was spent, until it is in the file

	mu      sync.Mutex
	totals  Totals
	besides []Use // what was asked beside, by what it was for
	seen    outlook
	left    session.Left // what the conversation's last forge left undone
}

// New returns an agent whose conversation is empty.
func New(o Options) *Agent {
	a := &Agent{o: o}
	a.history.begin(o.Session, nil, nil)
	a.noteModel()
	a.look(nil)
	return a
}

// run is what one Run needs beside the conversation.
type run struct {
	*Agent
	mu       sync.Mutex // events come from the goroutines of calls too
	sink     Sink       // nil once RunEnd was told: a tool that does not stop may still talk
	turns    int        // model calls so far
	limit    int        // model calls allowed; 0: any number
	blocks   int        // blocks shown so far, so that each has a number of its own
	aside    *aside     // what is no history yet
	paused   bool       // the server wants its last message back, with nothing after it
	failures map[string]*failure
	called   int      // tool calls so far
	stuck    *stuckAt // what the person is to be asked about
	kept     int      // how often it was kept from resting
	halted   string   // why a command of the person's ends it; calls write it one at a time
}

// Run sends a prompt and works until the model asks for nothing more, its
// context ends, or a limit is reached. Everything it does is told to sink; RunEnd
// comes last, whatever happened. The history keeps its promise at every moment,
// so the next Run may follow any end.
func (a *Agent) Run(ctx context.Context, p Prompt, sink Sink) (err error) {
	r := a.newRun(sink)
	defer func() {
		if p := recover(); p != nil {
			slog.Error("run crashed", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("forge crashed: %v; the log has more, and the conversation can go on", p)
		}
		r.end(err)
	}()
	if a.o.Provider == nil {
		return ErrNoModel
	}
	said, err := r.prompt(ctx, p)
	if err != nil {
		return err
	}
	defer r.work()()
	if r.o.Await != nil {
		r.o.Await(ctx, func(what string) { r.emit(Waiting{For: what}) })
		r.emit(Waiting{})
	}
	r.attach(ctx, p.names())
	r.hooked(said)
	for {
		r.change()
		if err := r.mayGoOn(ctx); err != nil {
			return err
		}
		r.steer(ctx)
		r.news()
		if err := r.fit(ctx); err != nil {
			return err
		}
		m, err := r.turn(ctx)
		if err != nil {
			return err
		}
		r.called += len(m.ToolUses())
		r.calls(ctx, m)
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.halted != "" {
			return &Blocked{Why: r.halted}
		}
		if err := r.unstick(ctx); err != nil {
			return err
		}
		rests, err := r.rests(m)
		if rests && err == nil {
			var on bool
			on, err = r.keptOn(ctx, m)
			rests = !on
		}
		if rests {
			return err
		}
	}
}

func (a *Agent) newRun(sink Sink) *run {
	r := &run{Agent: a, sink: sink, limit: a.o.MaxTurns, aside: newAside(&a.history, a.masked)}
	if r.limit == 0 {
		r.limit = DefaultTurns
	}
	a.history.notify = func(text string) { r.emit(Notice{text}) }
	return r
}

func (r *run) emit(e Event) {
	if traced() {
		r.trace(e)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sink != nil {
		r.sink(e)
	}
}

func (r *run) end(err error) {
	r.history.close(Cancelled)
	r.aside.end(err)
	r.emit(RunEnd{Err: err, Limit: Limited(err), Totals: r.Totals()})
	r.mu.Lock()
	r.sink = nil
	r.mu.Unlock()
}

// goOn is said to a model whose answer was cut off.
const goOn = "Go on from where you were cut off."

// prompt opens the run. An empty one goes on with what a limit, a cancel or a crash
// left unanswered, if anything is. said is what the model is to be told beside it.
func (r *run) prompt(ctx context.Context, p Prompt) (said string, err error) {
	if strings.TrimSpace(p.Text) == "" && len(p.Images) == 0 {
		ms := r.history.view()
		switch {
		case len(ms) == 0 || ms[len(ms)-1].Role == provider.Assistant && ms[len(ms)-1].Stop != provider.StopAborted:
			return "", ErrNoPrompt
		case ms[len(ms)-1].Role == provider.Assistant:
			p = Prompt{Text: goOn}
			r.emit(UserMessage{Text: p.Text, Steer: true})
			r.history.prompt(p, true)
		}
		r.history.pay()
		r.leaves(session.Left{})
		return "", nil
	}
	w, err := r.heard(ctx, p)
	if err != nil {
		return "", err
	}
	r.news() // what is known already comes before what is asked
	r.leaves(session.Left{})
	p.Text, p.Line = r.hide(p.Text), r.masked(p.Line)
	p, tell := r.pictured(p)
	r.history.prompt(p, false) // kept before anybody hears that it was sent
	r.emit(UserMessage{Text: p.Text, Line: p.Line, Images: p.Images})
	tell()
	return w.Context, nil
}

// steer takes in what the person sent while the agent worked.
func (r *run) steer(ctx context.Context) {
	if r.paused {
		return
	}
	for _, text := range r.mail.take() {
		w, err := r.heard(ctx, Prompt{Text: text})
		if err != nil && ctx.Err() == nil {
			r.emit(Notice{r.masked(err.Error())})
			r.emit(NotSent{text})
			continue
		}
		text = r.hide(text)
		p, tell := r.pictured(Prompt{Text: text})
		r.history.prompt(p, true)
		r.emit(UserMessage{Text: p.Text, Images: p.Images, Steer: true})
		tell()
		r.attach(ctx, text)
		r.hooked(w.Context)
	}
}

// rests says whether the run is over after this message, and how.
func (r *run) rests(m provider.Message) (bool, error) {
	empty := session.Empty(m)
	r.paused = m.Stop == provider.StopPause
	switch {
	case m.Stop == provider.StopRefusal:
		return true, nil // TurnEnd told it, with the server's reason
	case m.Stop == provider.StopMaxTokens && empty:
		r.emit(Notice{"the model used up its output limit before it said anything (reasoning counts): raise max_tokens or lower the effort"})
		return true, nil
	case empty:
		return true, ErrEmpty
	case len(m.ToolUses()) > 0, r.paused:
		return false, nil
	case m.Stop == provider.StopMaxTokens:
		r.emit(Notice{"the answer was cut at the output limit: say \"go on\", or raise max_tokens"})
	}
	return r.mail.empty() && !r.goesOn(m), nil
}

// Steer hands the agent words at the next point where it can take them in:
// before its next model call, in this run or the next one. Any goroutine may call
// it at any time.
func (a *Agent) Steer(text string) { a.mail.put(text) }

// Unsent takes back the steering no model call took in, to be shown as drafts.
func (a *Agent) Unsent() []string { return a.mail.take() }
