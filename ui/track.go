package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	"forge/agent"
	"forge/tools"
	"forge/ui/crew"
	"forge/ui/lang"
)

// Bounds of what is kept of the work of sub-agents, in bytes of text: of one, and of all
// that have ended. What is given up can be read in their sessions.
const (
	trackMax  = 1 << 20
	tracksMax = 8 << 20
)

// track is what a sub-agent said and did, as panes that a view may show. Nothing of it is
// drawn until then.
type track struct {
	agent *crew.Agent
	tr    *transcript   // nil: it was given up
	talk  *conversation // folds its events into tr
	kept  *tracks
	sizes map[pane]int // bytes of text, by the pane they came to
	bytes int          // all of them
	gone  int          // panes given up at the beginning
	over  bool
}

// tracks are those that have ended, the oldest first.
type tracks struct {
	list  []*track
	bytes int
}

func newTrack(a *crew.Agent, kept *tracks, now time.Time) *track {
	w := &track{agent: a, tr: newTranscript(nil), kept: kept, sizes: map[pane]int{}}
	w.talk = newConversation(w.tr)
	w.talk.deep, w.talk.crew, w.talk.kept = true, &a.Below, kept
	w.talk.begin(now)
	return w
}

// take folds an event of the agent's own conversation.
func (w *track) take(e agent.Event, now time.Time) {
	if w.over || w.tr == nil {
		return
	}
	if end, ok := e.(agent.ToolEnd); ok { // pictures are large, and shown in the person's own conversation alone
		end.Result.Images = nil
		e = end
	}
	w.talk.take(e, now)
	if n := len(w.tr.panes); n > 0 {
		size := sizeOf(e)
		w.sizes[w.tr.panes[n-1]] += size
		w.bytes += size
	}
	if w.bytes > trackMax {
		w.giveUp()
	}
}

// end closes the work when its call has ended.
func (w *track) end(e agent.ToolEnd, now time.Time) {
	if w.over || w.tr == nil {
		return
	}
	end := agent.RunEnd{}
	switch {
	case e.Result.IsError && strings.HasPrefix(e.Result.Text, agent.Cancelled):
		end.Err = context.Canceled
	case e.Result.IsError:
		first, _, _ := strings.Cut(strings.TrimSpace(e.Result.Text), "\n")
		end.Err = errors.New(first)
	}
	w.talk.take(end, now)
	w.over = true
	w.kept.add(w)
}

// add keeps a work that has ended, as long as there is room for it.
func (k *tracks) add(w *track) {
	k.list = append(k.list, w)
	k.bytes += w.bytes
	for k.bytes > tracksMax {
		old := k.list[0]
		k.list = k.list[1:]
		k.bytes -= old.bytes
		old.tr, old.talk, old.sizes = nil, nil, nil
	}
}

// giveUp lets go of the first half of what nothing happens to any more.
func (w *track) giveUp() {
	t := w.tr
	n, freed := 0, 0
	for n < w.talk.turn && freed < w.bytes/2 {
		if c, ok := t.panes[n].(*call); ok && !c.over() {
			break
		}
		freed += w.sizes[t.panes[n]]
		n++
	}
	if n == 0 {
		return
	}
	lost := map[pane]bool{}
	for _, p := range t.panes[:n] {
		lost[p] = true
		delete(w.sizes, p)
	}
	if w.gone > 0 {
		n-- // the line that says so
	}
	w.gone += n
	t.remove(0, func(p pane) bool { return lost[p] })
	w.talk.lose(lost)
	w.bytes -= freed
	line := newNotice(lang.Count(w.gone, "1 earlier thing is not shown here while the agent works", "%d earlier things are not shown here while the agent works"))
	t.refold()
	t.panes = append([]pane{line}, t.panes...)
	t.top.pane++
	w.talk.turn = max(0, w.talk.turn-len(lost)) + 1
}

// lose forgets panes that are gone.
func (c *conversation) lose(gone map[pane]bool) {
	for id, p := range c.calls {
		if gone[p] {
			delete(c.calls, id)
		}
	}
	for block, p := range c.answers {
		if gone[p] {
			delete(c.answers, block)
		}
	}
	for block, p := range c.thoughts {
		if gone[p] {
			delete(c.thoughts, block)
		}
	}
}

// sizeOf is about how much text an event brings.
func sizeOf(e agent.Event) int {
	const each = 64
	text, _ := deltaText(e)
	n := each + len(text)
	switch e := e.(type) {
	case agent.UserMessage:
		n += len(e.Text)
	case agent.Attached:
		n += len(e.Text)
	case agent.Compacted:
		n += len(e.Summary)
	case agent.ToolStart:
		n += len(e.Input) + len(e.Effect.Detail) + changedBytes(e.Effect.Changes)
	case agent.ToolEnd:
		n += len(e.Result.Text) + changedBytes(e.Changes)
	case agent.Nested:
		return each // its own work counts it
	}
	return n
}

func changedBytes(cs []tools.Change) (n int) {
	for _, c := range cs {
		n += len(c.Before) + len(c.After)
	}
	return n
}
