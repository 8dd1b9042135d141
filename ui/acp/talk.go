package acp

import (
	"context"
	"errors"
	"strings"
	"sync"

	"forge/agent"
	"forge/provider"
	"forge/ui/lang"
)

// talk is an open conversation with its editor.
type talk struct {
	s    *server
	o    *Talk
	line *Line
	tell *teller

	mu      sync.Mutex
	last    chan struct{}         // closed when whoever came last in the queue is done
	cancels map[*inQueue]struct{} // prompts that wait or run
	closed  bool

	telling sync.Mutex // of commands: one list after the other
	told    []Command  // the last of them
}

// inQueue is a prompt that was sent.
type inQueue struct {
	stop context.CancelFunc
	ends context.Context
}

func newTalk(s *server) *talk {
	done := make(chan struct{})
	close(done)
	t := &talk{s: s, last: done, cancels: map[*inQueue]struct{}{}}
	t.line = &Line{t: t}
	return t
}

// begins is called once the conversation is there, before anybody else finds it.
func (t *talk) begins(o *Talk) {
	t.o = o
	t.tell = newTeller(t)
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
func (t *talk) busy() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.cancels) > 0
}

// cancel stops every prompt that was sent.
func (t *talk) cancel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for q := range t.cancels {
		q.stop()
	}
}

func (t *talk) update(u any) {
	t.s.notify("session/update", updateParams{t.o.ID, u})
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
	if err != nil {
		s.reply(m, nil, err)
		return
	}
	ctx, stop := context.WithCancel(s.ctx)
	q := &inQueue{stop, ctx}
	wait, leave := t.place()
	t.mu.Lock()
	t.cancels[q] = struct{}{}
	t.mu.Unlock()
	s.mu.Lock()
	s.prompts[string(m.ID)] = stop
	s.mu.Unlock()
	s.going(m, func() {
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
			s.reply(m, nil, err)
			return
		}
		s.answer(m.ID, promptResult{reason})
	})
}

// run works on a prompt to its end and says in the protocol's words why it ended.
func (t *talk) run(ctx context.Context, q *inQueue, w Words) (string, error) {
	t.mu.Lock()
	closed := t.closed
	t.mu.Unlock()
	if closed || ctx.Err() != nil { // it was cancelled while it waited
		return "cancelled", nil
	}
	t.line.asking(q)
	defer t.line.asking(nil)
	run := t.tell.run()
	var err error
	var pe *provider.Error
	known := false
	if line, ok := slash(w); ok {
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
	t.commands(false) // a run writes files of commands, too
	switch {
	case ctx.Err() != nil:
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

// slash is the line of a prompt that is nothing but one.
func slash(w Words) (string, bool) {
	line := strings.TrimSpace(w.Text)
	return line, strings.HasPrefix(line, "/") && !strings.Contains(line, "\n") && len(w.Pictures) == 0 && len(w.Attached) == 0
}

// retell tells the conversation so far, as it was when it happened.
func (t *talk) retell() {
	t.tell.forget()
	run := t.tell.run()
	run.again = true
	t.o.Replay(run.event)
	run.over()
	t.tell.plan()
}
