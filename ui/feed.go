package ui

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
	"forge/tools/permission"
)

const (
	// frame is the shortest time between two batches of a busy feed. The eye does
	// not follow text faster, and a frame costs more than a delta.
	frame = 33 * time.Millisecond
	// feedSlots is how far a run may be ahead of the screen before Emit blocks.
	feedSlots = 64
	// batchBytes bounds one batch, so that a flood never makes one update long.
	batchBytes = 256 << 10
)

// errClosed is the answer to a question put to a screen that is gone.
var errClosed = errors.New("the screen is closed: nobody can answer")

// Feed is the bridge from the goroutines of a run to the screen: one channel for
// events, questions and notices, in the order they happened. Everything but Next
// may be called from any goroutine.
type Feed struct {
	ch     chan any
	closed chan struct{}
	once   sync.Once

	edited  atomic.Bool // the same of the editor
	stirred atomic.Bool // it was told that servers have changed, and the screen has not looked

	// Touched only by the one outstanding Next.
	last    time.Time // of the last batch
	flowing bool      // it had deltas
}

type (
	// batch is what Next returns: agent.Event, *ask, withdrawn and notice values.
	batch []any
	// notice is a line from the wiring.
	notice struct{ text string }
	// ask is a question on its way to the dialog. Exactly one of request and
	// question is set; the reply channel has one slot and one sender.
	ask struct {
		request  *permission.Request
		question *tools.Question
		answer   chan permission.Answer
		reply    chan tools.Reply
		// first is set before the answer is sent, and done by whoever waits for it before
		// it goes on: a run that is to stop with an answer must not take a step on it.
		first func()
		held  []*call // that waits with the question, and ran before it
	}
	// withdrawn says that nobody waits for the answer any more.
	withdrawn struct{ ask *ask }
)

// NewFeed returns an open feed.
func NewFeed() *Feed {
	return &Feed{ch: make(chan any, feedSlots), closed: make(chan struct{})}
}

// Close makes Emit discard and Ask fail from now on. It may be called twice.
func (f *Feed) Close() { f.once.Do(func() { close(f.closed) }) }

// Emit is an agent.Sink. It blocks while the screen is behind.
func (f *Feed) Emit(e agent.Event) { f.send(e) }

// Notice shows one line from the wiring: a server came or went.
func (f *Feed) Notice(text string) { f.send(notice{text}) }

// send waits for a slot; a closed feed discards.
func (f *Feed) send(v any) bool {
	select {
	case <-f.closed:
		return false
	default:
	}
	select {
	case f.ch <- v:
		return true
	case <-f.closed:
		return false
	}
}

// Ask implements permission.Asker: it returns with the person's answer, with the
// error of ctx, or when the screen closes.
func (f *Feed) Ask(ctx context.Context, r permission.Request) (permission.Answer, error) {
	q := &ask{request: &r, answer: make(chan permission.Answer, 1)}
	a, err := await(ctx, f, q, q.answer)
	if err == nil && q.first != nil {
		q.first()
	}
	return a, err
}

// AskQuestion puts a question of another kind: a turn limit, a form of a server.
func (f *Feed) AskQuestion(ctx context.Context, r tools.Question) (tools.Reply, error) {
	q := &ask{question: &r, reply: make(chan tools.Reply, 1)}
	return await(ctx, f, q, q.reply)
}

// Questions is the feed as a tools.Asker.
func (f *Feed) Questions() tools.Asker { return questions{f} }

type questions struct{ f *Feed }

func (q questions) Ask(ctx context.Context, r tools.Question) (tools.Reply, error) {
	return q.f.AskQuestion(ctx, r)
}

func await[T any](ctx context.Context, f *Feed, q *ask, reply <-chan T) (T, error) {
	var none T
	select {
	case <-f.closed:
		return none, errClosed
	default:
	}
	select {
	case f.ch <- q:
	case <-ctx.Done():
		return none, ctx.Err()
	case <-f.closed:
		return none, errClosed
	}
	select {
	case a := <-reply:
		return a, nil
	case <-ctx.Done():
		f.send(withdrawn{q}) // else its dialog would stay and answer nobody
		return none, ctx.Err()
	case <-f.closed:
		return none, errClosed
	}
}

// Next is a tea.Cmd; exactly one is outstanding. It waits for something to
// happen. After a quiet time that is shown at once, and so is the first delta of
// a stream; in the stream it returns all that arrived until a frame after the
// last batch, neighbouring deltas merged.
func (f *Feed) Next() tea.Msg {
	var m merger
	select {
	case v := <-f.ch:
		m.add(v)
	case <-f.closed:
		return f.rest(&m)
	}
	if wait := frame - time.Since(f.last); wait > 0 {
		t := time.NewTimer(wait)
		defer t.Stop()
		for m.size < batchBytes && (f.flowing || !m.deltas) {
			select {
			case v := <-f.ch:
				m.add(v)
				continue
			case <-f.closed:
				return f.rest(&m)
			case <-t.C:
			}
			break
		}
	}
	for m.size < batchBytes { // what is here already costs no waiting
		select {
		case v := <-f.ch:
			m.add(v)
			continue
		default:
		}
		break
	}
	f.last, f.flowing = time.Now(), m.deltas
	return m.batch()
}

// rest empties a closed feed. A nil message ends the chain of Next.
func (f *Feed) rest(m *merger) tea.Msg {
	for {
		select {
		case v := <-f.ch:
			m.add(v)
			continue
		default:
		}
		if len(m.out) == 0 {
			return nil
		}
		return m.batch()
	}
}

// merger joins deltas of one block that follow each other. The text of the last
// one grows in a builder: appending strings would copy a flood once per delta.
type merger struct {
	out  batch
	text strings.Builder
	open bool // text holds more of the last value of out
	size int  // bytes of text so far

	deltas bool // there are some
}

func (m *merger) add(v any) {
	text, ok := deltaText(v)
	m.size += len(text) + 64
	m.deltas = m.deltas || ok
	if ok && len(m.out) > 0 && sameBlock(m.out[len(m.out)-1], v) {
		if !m.open {
			first, _ := deltaText(m.out[len(m.out)-1])
			m.text.WriteString(first)
			m.open = true
		}
		m.text.WriteString(text)
		return
	}
	m.close()
	m.out = append(m.out, v)
}

// close writes the gathered text back into the last value.
func (m *merger) close() {
	if m.open {
		i := len(m.out) - 1
		m.out[i] = withText(m.out[i], m.text.String())
		m.text.Reset()
		m.open = false
	}
}

func (m *merger) batch() batch { m.close(); return m.out }

// deltaText is the text of a delta; false for what is none.
func deltaText(v any) (string, bool) {
	switch e := v.(type) {
	case agent.TextDelta:
		return e.Text, true
	case agent.ThinkingDelta:
		return e.Text, true
	case agent.ToolInput:
		return e.JSON, true
	case agent.ToolOutput:
		return e.Text, true
	case agent.Nested:
		return deltaText(e.Event)
	}
	return "", false
}

// sameBlock reports whether b is more of a.
func sameBlock(a, b any) bool {
	switch b := b.(type) {
	case agent.TextDelta:
		a, ok := a.(agent.TextDelta)
		return ok && a.Block == b.Block
	case agent.ThinkingDelta:
		a, ok := a.(agent.ThinkingDelta)
		return ok && a.Block == b.Block
	case agent.ToolInput:
		a, ok := a.(agent.ToolInput)
		return ok && a.Block == b.Block && b.ID == ""
	case agent.ToolOutput:
		a, ok := a.(agent.ToolOutput)
		return ok && a.ID == b.ID
	case agent.Nested:
		a, ok := a.(agent.Nested)
		return ok && a.ID == b.ID && sameBlock(a.Event, b.Event)
	}
	return false
}

func withText(v any, text string) any {
	switch e := v.(type) {
	case agent.TextDelta:
		e.Text = text
		return e
	case agent.ThinkingDelta:
		e.Text = text
		return e
	case agent.ToolInput:
		e.JSON = text
		return e
	case agent.ToolOutput:
		e.Text = text
		return e
	case agent.Nested:
		if inner, ok := withText(e.Event, text).(agent.Event); ok {
			e.Event = inner
		}
		return e
	}
	return v
}
