package ui

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/lang"
)

// job is a run or a compaction that is on in the background. There is at most
// one.
type job struct {
	id       int
	cancel   context.CancelFunc
	stopping bool // the person interrupted it
	waited   int  // prompts that were queued by then
	failed   bool // its error was told already
	answered bool // the model has come to the end of an answer
	talk     bool // a run of the agent, not a compaction
	loop     int  // the number of the loop it is of; 0: a person began it
}

// jobDone comes up the feed behind every event of the job. Only then is the
// screen free for another: the agent's function has returned.
type jobDone struct {
	id     int
	err    error
	unsent []string // words for the run that it did not read
}

func (m *Model) busy() bool { return m.job != nil }

// begin runs f in the background, as a Cmd: the goroutine Bubble Tea gives it is
// the run's. f tells its events to the sink; its end comes as jobDone.
func (m *Model) begin(f func(ctx context.Context, sink agent.Sink) error) tea.Cmd {
	cmd := m.start(f)
	m.tr.toEnd()
	return cmd
}

// start is begin for what nobody asked for just now: what is read stays where it is.
func (m *Model) start(f func(ctx context.Context, sink agent.Sink) error) tea.Cmd {
	ctx, cancel := m.context()
	m.jobs++
	j := &job{id: m.jobs, cancel: cancel}
	m.job = j
	m.dropRecap()
	m.unsuggest()
	m.talk.begin(m.now)
	m.status.began = m.now
	m.status.wait(lang.T("starting"), m.now)
	if m.clearing { // esc stops now, and that is what the line has to say
		m.clearing, m.status.flash = false, ""
	}
	a, feed, gate := m.o.Agent, m.o.Feed, m.gate
	return tea.Batch(m.ticks(), func() tea.Msg {
		defer cancel()
		select {
		case gate <- struct{}{}:
		case <-ctx.Done():
			feed.send(jobDone{id: j.id, err: ctx.Err()})
			return nil
		}
		err := guard(func() error { return f(ctx, feed.Emit) })
		unsent := a.Unsent()
		<-gate
		feed.send(jobDone{j.id, err, unsent})
		return nil
	})
}

// between does what must not happen during a run (another model, another
// session) off the loop, and returns its message. What is sent until that is shown
// waits: it is meant for what there is then.
func (m *Model) between(f func() tea.Msg) tea.Cmd {
	gate := m.gate
	ctx, cancel := m.context()
	m.changing++
	return func() tea.Msg {
		defer cancel()
		select {
		case gate <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		defer func() { <-gate }()
		var msg tea.Msg
		if err := guard(func() error { msg = f(); return nil }); err != nil {
			return changed{failed{"", err}}
		}
		return changed{msg}
	}
}

// changed brings what between has done.
type changed struct{ msg tea.Msg }

// settle shows what was done between runs, and then sends what waited for it. What
// was meant for something that failed goes back into the composer.
func (m *Model) settle(c changed) tea.Cmd {
	m.changing--
	m.moving = m.moving && m.changing > 0
	var cmd tea.Cmd
	if c.msg != nil {
		cmd = tea.Batch(m.update(c.msg), m.readPanel()) // files may have been taken back
	}
	if m.changing > 0 || len(m.behind) == 0 {
		return cmd
	}
	m.queue, m.behind = append(m.behind, m.queue...), nil
	_, wrong := c.msg.(failed)
	if to, is := c.msg.(moved); wrong || is && to.err != nil {
		m.putBack()
	}
	if m.busy() {
		return cmd
	}
	return tea.Batch(cmd, m.nextInLine())
}

// soon does what between does, but before the next step of the run that is on, if one
// comes before the run's end. The run does it then, where nothing else uses the agent.
func (m *Model) soon(f func() tea.Msg) tea.Cmd {
	gate, a := m.gate, m.o.Agent
	ctx, cancel := m.context()
	return func() tea.Msg {
		defer cancel()
		var msg tea.Msg
		err := atStep(ctx, a, gate, func() error { msg = f(); return nil })
		switch {
		case ctx.Err() != nil && errors.Is(err, ctx.Err()):
			return nil
		case err != nil:
			return failed{"", err}
		}
		return msg
	}
}

// atStep does f before the next step of the run that is on, or where nothing runs at
// once, and waits for that. gate is held by whoever uses the agent.
func atStep(ctx context.Context, a Agent, gate chan struct{}, f func() error) error {
	done := make(chan error, 1)
	do := sync.OnceFunc(func() { done <- guard(f) })
	a.Soon(do)
	select {
	case err := <-done:
		return err
	case gate <- struct{}{}: // the run ended first
		defer func() { <-gate }()
		do()
		return <-done
	case <-ctx.Done():
		return ctx.Err()
	}
}

// guard turns a panic into an error: a broken run must not take the screen along.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("crashed in the background", "panic", p, "stack", string(debug.Stack()))
			err = errors.New(lang.T("forge crashed here: %v; the log has the details", p))
		}
	}()
	return f()
}

// interrupt ends the run; what is being written stays.
func (m *Model) interrupt() {
	if cancel := m.stopping(); cancel != nil {
		cancel()
	}
}

// stopping notes that the run is to end, and returns what ends it; nil: none is on, or it
// is ending already.
func (m *Model) stopping() (cancel func()) {
	if m.job == nil || m.job.stopping {
		return nil
	}
	m.job.stopping, m.job.waited = true, len(m.queue)
	m.status.wait(lang.T("stopping"), m.now)
	return m.job.cancel
}

// ended makes the screen free again and sends what was queued. What was queued before
// an interruption or a failure goes back into the composer: the person decides.
func (m *Model) ended(d jobDone) tea.Cmd {
	if m.job == nil || m.job.id != d.id {
		return nil
	}
	if errors.Is(d.err, agent.ErrNotCompacted) || errors.Is(d.err, agent.ErrNothing) { // nothing was to be done: that is no failure of a conversation
		return tea.Batch(m.say(oneLine(d.err)), m.ended(jobDone{id: d.id, unsent: d.unsent}))
	}
	if !m.job.talk && errors.Is(d.err, agent.ErrNoGain) { // nor is this, and its line stands there
		d.err = nil
	}
	ofLoop := m.job.loop
	stopped := m.job.stopping || ofLoop == 0 && (m.job.failed || d.err != nil) // what waits behind a loop is not meant for its run
	if d.err != nil && !isCancel(d.err) && !m.job.failed {
		m.tr.add(newError(oneLine(d.err), hint(d.err)))
	}
	var unfit unfilled
	if errors.As(d.err, &unfit) && ofLoop == 0 {
		m.giveBack(unfit.line)
	}
	var blocked *agent.Blocked
	if errors.As(d.err, &blocked) && blocked.Words != "" && ofLoop == 0 {
		m.giveBack(blocked.Words)
	}
	broken := m.job.failed || d.err != nil && !isCancel(d.err)
	answered, talk, halted := m.job.answered, m.job.talk, m.job.stopping
	since := len(m.queue) // where what was sent behind the interruption begins
	if m.job.stopping {
		since = min(m.job.waited, since)
	}
	since += len(d.unsent)
	if talk {
		m.gone.runOver(answered && !stopped, broken)
	}
	m.job = nil
	m.status.took = m.now.Sub(m.status.began)
	m.closeTodos()
	m.sending = ""
	m.status.wait("", m.now)
	m.queue, m.steering = append(d.unsent, m.queue...), nil
	kept, over := m.loopEnded(ofLoop, d.err, halted, broken)
	switch {
	case len(m.queue) == 0 && broken:
		if talk && unfit.error == nil && blocked == nil {
			m.offerAgain(d.err)
		}
		return tea.Batch(kept, m.notify(cmp.Or(over, lang.T("ended with an error"))))
	case len(m.queue) == 0:
		if stopped && talk {
			m.left = goOn{run: true} // the person knows why it ended: nothing is said of it
		}
		var next tea.Cmd
		if answered && !stopped {
			m.planMade()
			if ofLoop == 0 { // nobody waits behind a loop's run
				next = m.suggest()
			}
		}
		return tea.Batch(kept, next, m.notify(cmp.Or(over, lang.T("done"))))
	case stopped:
		sent := slices.Clone(m.queue[since:])
		m.queue = m.queue[:since]
		m.putBack()
		m.queue = sent
	}
	return tea.Batch(kept, m.nextInLine())
}

func isCancel(err error) bool { return errors.Is(err, context.Canceled) }

// Times of the screen's own clock.
const (
	tick      = 100 * time.Millisecond // of a spinner
	slowTick  = time.Second            // of a count of seconds
	flashTime = 4 * time.Second        // of a line in the status
	flashLong = 7 * time.Second        // of one that takes longer to read
	twice     = 3 * time.Second        // for the second of two presses
)
