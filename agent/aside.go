package agent

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"forge/agent/session"
	"forge/provider"
)

// asideEvery is how long what a model says may be in memory alone: a forge that is
// killed loses no more of it.
const asideEvery = 200 * time.Millisecond

// aside keeps what is no history yet, so that a forge that is killed can be gone
// on with: an answer while it is said, results before those of their neighbours. A
// disk that refuses is told of when the history is saved.
type aside struct {
	h    *history
	mask func(string) string // takes secrets out of what a server said

	mu             sync.Mutex
	text, thinking strings.Builder
	fresh          bool // nothing of this answer is kept yet
	kept           bool // something is
	results        []provider.Block
	calls          []session.Call
	timer          *time.Timer
}

func newAside(h *history, mask func(string) string) *aside { return &aside{h: h, mask: mask} }

// begin starts another answer; what was kept of the one before is void.
func (a *aside) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text.Reset()
	a.thinking.Reset()
	if a.kept {
		a.h.beside(session.Record{Partial: &session.Partial{New: true}})
	}
	a.fresh, a.kept = true, false
}

// said takes more of the answer. It is on disk a moment later.
func (a *aside) said(text, thinking string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text.WriteString(text)
	a.thinking.WriteString(thinking)
	a.arm()
}

func (a *aside) arm() {
	if a.timer == nil {
		a.timer = time.AfterFunc(asideEvery, a.flush)
	}
}

// flush keeps at once what came.
func (a *aside) flush() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer == nil { // all of it is kept
		return
	}
	a.timer.Stop()
	a.timer = nil
	if len(a.results) > 0 {
		a.h.beside(session.Record{Early: &provider.Message{Role: provider.User, Blocks: a.results}, Calls: a.calls})
		a.results, a.calls = nil, nil
	}
	if a.text.Len()+a.thinking.Len() == 0 {
		return
	}
	p := session.Partial{New: a.fresh, Text: a.text.String(), Thinking: a.thinking.String()}
	a.text.Reset()
	a.thinking.Reset()
	a.fresh, a.kept = false, true
	a.h.beside(session.Record{Partial: &p})
}

// heard ends the answer or the calls: from here on their message is what is kept.
func (a *aside) heard() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text.Reset()
	a.thinking.Reset()
	a.results, a.calls = nil, nil
	a.kept = false
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
}

// end notes that the run is over, so that nobody offers to go on with it.
func (a *aside) end(err error) {
	a.heard()
	end := session.End{Why: session.EndFailed}
	switch {
	case err == nil:
		end.Why = session.EndDone
	case errors.Is(err, context.Canceled):
		end.Why = session.EndCancelled
	case Limited(err):
		end.Why = session.EndLimit
	case errors.Is(err, ErrNoPrompt):
		return // there was no run
	}
	if end.Why == session.EndFailed || end.Why == session.EndLimit {
		end.Error = a.mask(err.Error())
		end.Error = strings.ToValidUTF8(end.Error[:min(len(end.Error), mostError)], "")
		if e := (*provider.Error)(nil); errors.As(err, &e) {
			end.Hint = a.mask(e.Hint)
		}
	}
	a.h.end(end)
}

// mostError bounds what is kept of an error, in bytes: some servers answer with a page.
const mostError = 2000

// end keeps how a run ended, with the history where a screen shows it there.
func (h *history) end(e session.End) {
	h.mu.Lock()
	said := len(h.log)+h.shed.n > 0
	h.mu.Unlock()
	switch r := (session.Record{End: &e}); {
	case !said:
	case e.Why == session.EndDone:
		h.beside(r)
	default:
		h.note(r)
	}
}

// came takes the result of a call whose message waits for others: what a command
// has done is known, whatever becomes of the next one.
func (a *aside) came(j *job) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.results = append(a.results, j.told(""))
	a.calls = append(a.calls, j.shown)
	a.arm()
}

// beside keeps a record that is no history.
func (h *history) beside(r session.Record) {
	h.mu.Lock()
	s := h.session
	h.mu.Unlock()
	if s != nil && s.ReadOnly() == "" {
		_ = s.Append(r) // tried again, and told, with the next message
	}
}

// Waits keeps the prompts that wait to be sent, the oldest first. Any goroutine may
// call it at any time.
func (a *Agent) Waits(prompts []string) {
	kept := make([]string, len(prompts))
	for i, p := range prompts {
		kept[i] = a.masked(p)
	}
	a.history.beside(session.Record{Queue: &session.Queue{Prompts: kept}})
}

// Asks keeps that a question is before the person, or with an Answer that it is no
// more. Any goroutine may call it at any time.
func (a *Agent) Asks(q session.Asked) { a.history.beside(session.Record{Asked: &q}) }
