package ui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/agent/budget"
	"forge/agent/loop"
	"forge/ui/lang"
)

// When prompts of loops are sent: what is due goes out once nothing runs, nothing is asked
// and nobody is in the middle of something. There is one timer, and none without a loop.

// How long after the last key a loop may go out.
const (
	draftQuiet = 15 * time.Second // something is written and not sent
	keyQuiet   = twice            // else: a second press may be on its way
)

// looping is what the screen knows of loops beside the book they are in.
type looping struct {
	wake  context.CancelFunc // ends the timer; nil: none is armed
	at    time.Time          // when it runs out
	keyed time.Time          // when a key was pressed last
}

// loopWake says that the timer ran out.
type loopWake struct{ at time.Time }

// stirLoops sends what is due, or sees to it that it is looked at in time. It is asked
// behind every message: whatever has changed, it may be the moment.
func (m *Model) stirLoops(msg tea.Msg) tea.Cmd {
	b := m.o.Loops
	if b == nil {
		return nil
	}
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		m.loops.keyed = m.now
	case loopWake:
		if msg.at.Equal(m.loops.at) {
			m.loops.wake = nil
		}
	}
	if !b.Any() {
		m.disarmLoops()
		m.status.loops = ""
		return nil
	}
	now := m.o.Now()
	cmds := []tea.Cmd{m.expireLoops(now)}
	l, ok := b.Next(now)
	switch {
	case !ok: // its run is on
		m.disarmLoops()
	case !l.Due(now):
		cmds = append(cmds, m.armLoops(l.Next, now))
	case !m.atRest(): // whatever ends that is a message
		m.disarmLoops()
	case now.Before(m.quietAt(l)):
		cmds = append(cmds, m.armLoops(m.quietAt(l), now))
	default:
		m.disarmLoops()
		cmds = append(cmds, m.sendLoop(l, now))
		l, ok = b.Next(now)
	}
	m.status.loops = loopPart(len(b.List()), l, ok, now)
	return tea.Batch(cmds...)
}

// atRest reports whether nothing is on, nothing is asked and nothing waits.
func (m *Model) atRest() bool {
	return !m.busy() && m.errand == nil && m.changing == 0 && m.looking == 0 && m.hears == nil && !m.dialogs.Active() && len(m.asks) == 0 &&
		len(m.queue) == 0 && len(m.behind) == 0
}

// quietAt is when a loop may go out for all that is pressed. The first time of one follows
// from a key.
func (m *Model) quietAt(l loop.Loop) time.Time {
	switch {
	case !m.comp.Empty():
		return m.loops.keyed.Add(draftQuiet)
	case l.Runs == 0:
		return time.Time{}
	}
	return m.loops.keyed.Add(keyQuiet)
}

// sendLoop sends the prompt of a loop. What is written, and where the transcript is read,
// stays.
func (m *Model) sendLoop(l loop.Loop, now time.Time) tea.Cmd {
	m.o.Loops.Begin(l.N, now)
	m.left = goOn{}
	if l.Runs > 0 { // the first stands beneath what began it
		m.tr.add(newNotice(lang.T("loop %s, every %s", number(l), everyWords(l.Every))))
	}
	fill, a := m.loopFill(l.Prompt), m.o.Agent
	cmd := m.start(func(ctx context.Context, sink agent.Sink) (err error) {
		p := agent.Prompt{Text: l.Prompt}
		if fill != nil {
			if p, err = fill(ctx, sink); err != nil {
				return err
			}
		}
		p.Timed = true
		return a.Run(ctx, p, sink)
	})
	m.job.talk, m.job.loop = true, l.N
	return cmd
}

// loopFill is what makes a prompt of a line that is a command; nil: it is the prompt.
func (m *Model) loopFill(line string) func(ctx context.Context, sink agent.Sink) (agent.Prompt, error) {
	if p, typed, ok, _ := m.serverPrompt(line); ok {
		fill := m.o.Prompts.Fill
		return func(ctx context.Context, _ agent.Sink) (agent.Prompt, error) {
			args, _ := p.Read(typed)
			return fill(ctx, p, args)
		}
	}
	if _, _, ok := m.commandIn(line); !ok || m.o.FromFiles == nil {
		return nil
	}
	return m.filling(line)
}

// loopEnded notes how the run of loop n went, and says what becomes of it; over is why it
// has ended. Of a run that was none of a loop, which is 0, there is nothing to note.
func (m *Model) loopEnded(n int, err error, stopped, failed bool) (cmd tea.Cmd, over string) {
	if n == 0 {
		return nil, ""
	}
	how := loopOutcome(err, stopped, failed)
	l, why, ok := m.o.Loops.End(n, how, m.now)
	over = loopOver(l, why)
	switch {
	case !ok:
		return nil, ""
	case over != "":
		m.tr.add(newNotice(over))
		return m.keepLoops(), over
	case how != loop.Done:
		m.tr.add(newNotice(loopGoesOn(l, m.now)))
	}
	return nil, ""
}

// loopOutcome is how a run went.
func loopOutcome(err error, stopped, failed bool) loop.Outcome {
	var crossed *budget.Exceeded
	switch {
	case errors.As(err, &crossed):
		return loop.Broke
	case stopped:
		return loop.Stopped
	case failed:
		return loop.Failed
	}
	return loop.Done
}

// loopGoesOn says that a run which was stopped, or failed, was not the last.
func loopGoesOn(l loop.Loop, now time.Time) string {
	return lang.T("loop %s goes on at %s; /loop stop %s ends it", number(l), clock(l.Next, now), number(l))
}

// expireLoops ends those that had no moment in all their life.
func (m *Model) expireLoops(now time.Time) tea.Cmd {
	ended := m.o.Loops.Expired(now)
	if ended == nil {
		return nil
	}
	for _, l := range ended {
		m.tr.add(newNotice(loopOver(l, loop.Old)))
	}
	return m.keepLoops()
}

// armLoops has the screen look again at a time.
func (m *Model) armLoops(at, now time.Time) tea.Cmd {
	if m.loops.wake != nil && m.loops.at.Equal(at) {
		return nil
	}
	m.disarmLoops()
	ctx, cancel := m.context()
	m.loops.wake, m.loops.at = cancel, at
	wait := at.Sub(now)
	return func() tea.Msg {
		defer cancel()
		t := time.NewTimer(wait)
		defer t.Stop()
		select {
		case <-t.C:
			return loopWake{at}
		case <-ctx.Done():
			return nil
		}
	}
}

func (m *Model) disarmLoops() {
	if m.loops.wake != nil {
		m.loops.wake()
		m.loops.wake = nil
	}
}

// loopPart is what the status line shows: when the next is sent, which is a time of day, so
// that nothing has to count.
func loopPart(n int, next loop.Loop, ok bool, now time.Time) string {
	switch {
	case n == 0:
		return ""
	case !ok:
		return lang.Count(n, "1 loop", "%d loops")
	case next.Due(now) && n == 1:
		return lang.T("loop waits")
	case next.Due(now):
		return lang.Count(n, "1 loop", "%d loops") + lang.T(", ") + lang.T("one waits")
	case n == 1:
		return lang.T("loop %s", clock(next.Next, now))
	}
	return lang.Count(n, "1 loop", "%d loops") + " " + clock(next.Next, now)
}
