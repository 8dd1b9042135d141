package acp

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/ui/lang"
)

// talk is an open conversation with its editor.
type talk struct {
	home *House
	o    *Talk
	ctx  context.Context // ends when it is closed, at the latest
	stop context.CancelFunc
	line *Line
	tell *teller

	mu      sync.Mutex
	last    chan struct{}         // closed when whoever came last in the queue is done
	cancels map[*inQueue]struct{} // prompts that wait or run
	closed  bool

	telling sync.Mutex // of commands: one list after the other
	told    []Command  // the last of them

	out       sync.Mutex // of what is told and asked: it goes to all in one order
	viewers   []*server
	came      chan struct{} // closed when one more looks
	held      int           // those that are about to look
	running   bool
	stopped   string // why the last run ended
	questions map[*question]struct{}
	retelling int     // clients that are being told what there was
	journal   journal // since the run began, or the first of those came
	mark      int     // records of the conversation before that
	timer     *time.Timer
}

// inQueue is a prompt that was sent.
type inQueue struct {
	stop context.CancelFunc
	ends context.Context
	from *server
}

// mostQueued is how many prompts of one conversation may wait.
const mostQueued = 100

func newTalk(n *House) *talk {
	done := make(chan struct{})
	close(done)
	t := &talk{home: n, last: done, cancels: map[*inQueue]struct{}{}, came: make(chan struct{}), questions: map[*question]struct{}{}}
	t.line = &Line{t: t}
	return t
}

// begins is called once the conversation is there, before anybody else finds it.
func (t *talk) begins(o *Talk, stop context.CancelFunc) {
	t.o = o
	t.ctx, t.stop = context.WithCancel(t.home.ctx)
	end := o.Close
	o.Close = func() {
		defer stop()
		defer t.stop()
		end()
	}
	t.tell = newTeller(t)
}

// shuts takes no more prompts, and a place behind those there are.
func (t *talk) shuts() (wait <-chan struct{}, leave func()) {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.out.Lock()
	if t.timer != nil {
		t.timer.Stop()
	}
	t.out.Unlock()
	return t.place()
}

// place takes a place in the queue of what is done in this conversation, one after the
// other: it is a turn when wait is closed, and over with leave.
func (t *talk) place() (wait <-chan struct{}, leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	prev, mine := t.last, make(chan struct{})
	t.last = mine
	return prev, sync.OnceFunc(func() { close(mine) })
}

// turn waits for a place.
func (t *talk) turn() (leave func()) {
	wait, leave := t.place()
	<-wait
	return leave
}

// busy reports whether a prompt waits or runs.
func (t *talk) busy() bool { return t.queued() > 0 }

// queued is how many prompts wait or run.
func (t *talk) queued() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.cancels)
}

// cancel stops every prompt that was sent.
func (t *talk) cancel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for q := range t.cancels {
		q.stop()
	}
}

// prompt answers session/prompt. It has its place in the queue before the next message is
// read, so that a cancel that follows finds it.
func (s *server) prompt(m message) {
	var p promptParams
	err := decode(m, &p)
	var t *talk
	if err == nil {
		t, err = s.open(p.ID)
	}
	var w Words
	if err == nil {
		w, err = words(p.Prompt, t.o.Root)
	}
	if err == nil && t.queued() >= mostQueued {
		err = fail(codeRequest, lang.T("too many prompts wait here already; send this one when some of them are worked on"))
	}
	if err != nil {
		s.reply(m, nil, err)
		return
	}
	if !s.home.begins() {
		return
	}
	// It goes on without whoever sent it, if its house keeps what is begun.
	ctx, stop := context.WithCancel(t.ctx)
	q := &inQueue{stop, ctx, s}
	wait, leave := t.place()
	t.mu.Lock()
	t.cancels[q] = struct{}{}
	t.mu.Unlock()
	s.mu.Lock()
	s.prompts[string(m.ID)] = stop
	s.mu.Unlock()
	s.counted(m, func() {
		defer t.home.settles(t)
		defer leave()
		over := sync.OnceFunc(func() {
			stop()
			t.mu.Lock()
			delete(t.cancels, q)
			t.mu.Unlock()
			s.mu.Lock()
			delete(s.prompts, string(m.ID))
			s.mu.Unlock()
		})
		defer over()
		<-wait
		reason, err := t.run(ctx, q, w)
		over() // what comes behind the answer finds nothing running
		if err != nil {
			t.failed(s, err)
			s.reply(m, nil, err)
			return
		}
		s.answer(m.ID, promptResult{reason})
	})
}

// run works on a prompt to its end and says in the protocol's words why it ended.
func (t *talk) run(ctx context.Context, q *inQueue, w Words) (why string, err error) {
	t.mu.Lock()
	closed := t.closed
	t.mu.Unlock()
	if closed || ctx.Err() != nil { // it was cancelled while it waited
		return "cancelled", nil
	}
	t.runs(true, "")
	defer func() { t.runs(false, why) }()
	t.line.asking(q)
	defer t.line.asking(nil)
	run := t.tell.run()
	run.from = q.from
	var pe *provider.Error
	known := false
	if line, ok := slash(w); ok {
		run.user(agent.UserMessage{Text: line})
		run.shown = true
		known, err = t.o.Command(ctx, line, run.event, run.say)
	}
	switch {
	case !known:
		err = t.o.Run(ctx, w, run.event)
	case err != nil && ctx.Err() == nil && !errors.As(err, &pe) && !agent.Limited(err): // what a command could not do is its answer
		run.say(lang.Said(err.Error()))
		err = nil
	}
	run.over()
	t.tell.named()
	t.commands(nil) // a run writes files of commands, too
	switch {
	case ctx.Err() != nil, t.home.ctx.Err() != nil: // the house's end reaches a question before it reaches ctx
		return "cancelled", nil
	case err == nil:
		switch run.stop {
		case provider.StopMaxTokens:
			return "max_tokens", nil
		case provider.StopRefusal:
			return "refusal", nil
		}
		return "end_turn", nil
	case agent.Limited(err):
		t.tell.notice("warning", lang.Said(err.Error()))
		return "max_turn_requests", nil
	case errors.As(err, &pe):
		text := lang.Said(err.Error())
		if pe.Hint != "" {
			text += lang.T(" - ") + lang.Said(pe.Hint)
		}
		e := fail(codeInternal, text)
		if pe.Kind == provider.KindAuth {
			e.Code = codeAuth
		}
		e.Data = map[string]any{"kind": string(pe.Kind)}
		return "", e
	}
	return "", err
}

// failed tells the others who look why a run failed: who sent the prompt has it as the
// answer.
func (t *talk) failed(from *server, err error) {
	if !t.home.keeps {
		return
	}
	if u := t.tell.noticed("warning", lang.Said(err.Error())); u != nil {
		t.others(from, *u)
	}
}

// slash is the line of a prompt that is nothing but one.
func slash(w Words) (string, bool) {
	line := strings.TrimSpace(w.Text)
	return line, strings.HasPrefix(line, "/") && !strings.Contains(line, "\n") && len(w.Pictures) == 0 && len(w.Attached) == 0
}

// retell tells a client the first n records of the conversation, as it was when it
// happened; below 0: all of it.
func (t *talk) retell(to *server, n int) {
	past := newTeller(t)
	past.to = to
	run := past.run()
	run.again = true
	t.o.Replay(n, run.event)
	run.over()
	past.plan()
}
