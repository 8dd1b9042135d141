package ui

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Dictation is the person's own command that listens and writes what it heard.
type Dictation struct {
	Command []string // from their own settings; empty: none is set
	// Run runs it until it ends or ctx does: it is asked to end, then killed with all it
	// started. What it writes comes to out; the error says how it failed, in its own
	// last words.
	Run func(ctx context.Context, command []string, out io.Writer) error
}

// dictateSetting names the command that listens.
const dictateSetting = "editor.dictate"

// tookDictation has another command listen from the next time on; empty: none. It reports
// whether that can be done here.
func (m *Model) tookDictation(value string) bool {
	if m.o.Dictation == nil {
		return false
	}
	m.o.Dictation.Command = nil
	if list, err := typedList(value); err == nil && value != "" {
		m.o.Dictation.Command = list
	}
	return true
}

// dictation is the command at work.
type dictation struct {
	began  time.Time
	cancel context.CancelFunc
	ending bool
	wrote  bool // something was heard
	came   chan heardMsg
	over   chan struct{}
}

// heardMsg is what it wrote, or that it has ended.
type heardMsg struct {
	from *dictation
	text string
	end  bool
	err  error
}

// dictate begins to listen, or ends it.
func (m *Model) dictate() tea.Cmd {
	if m.hears != nil {
		return m.unhear()
	}
	d := m.o.Dictation
	if d == nil || len(d.Command) == 0 {
		return m.say(lang.T("no command listens here: set editor.dictate to one of yours, see docs/keys.md"))
	}
	if m.covered() {
		return nil
	}
	m.unread()
	ctx, cancel := m.context()
	h := &dictation{began: m.now, cancel: cancel, came: make(chan heardMsg, 16), over: make(chan struct{})}
	m.hears = h
	command := d.Command
	work := func() tea.Msg {
		defer close(h.over)
		defer cancel()
		err := guard(func() error { return d.Run(ctx, command, hearer{h}) })
		if ctx.Err() != nil {
			err = nil
		}
		select {
		case h.came <- heardMsg{from: h, end: true, err: err}:
		case <-time.After(quitWait): // nobody listens any more
		}
		return nil
	}
	return tea.Batch(work, h.next, m.ticks())
}

// hearer hands on what the command writes; a screen that is slow slows it.
type hearer struct{ *dictation }

func (h hearer) Write(p []byte) (int, error) {
	select {
	case h.came <- heardMsg{from: h.dictation, text: string(p)}:
		return len(p), nil
	case <-time.After(quitWait):
		return 0, io.ErrClosedPipe
	}
}

func (h *dictation) next() tea.Msg { return <-h.came }

// unhear asks the command to end. What it still writes then is taken.
func (m *Model) unhear() tea.Cmd {
	if !m.hears.ending {
		m.hears.ending = true
		m.hears.cancel()
	}
	return nil
}

// heard takes what the command wrote.
func (m *Model) heard(msg heardMsg) tea.Cmd {
	h := m.hears
	if h == nil || h != msg.from {
		return nil
	}
	if !msg.end {
		before, _ := m.comp.Written()
		m.comp.Hear(msg.text)
		after, _ := m.comp.Written()
		h.wrote = h.wrote || before != after
		return tea.Batch(h.next, m.draftChanged())
	}
	m.hears = nil
	m.comp.HeardAll()
	switch {
	case msg.err != nil:
		name := m.o.Dictation.Command[0]
		return m.show(failed{lang.T("the dictation"), errors.New(lang.T("%s; run %s in a shell and mend what it says", oneLine(msg.err), safe.Line(name)))})
	case !h.wrote:
		return m.say(lang.T("nothing was heard"))
	}
	return nil
}

// listening is what the status line says meanwhile.
func (m *Model) listening() string {
	h := m.hears
	switch {
	case h == nil:
		return ""
	case h.ending:
		return lang.T("ending the dictation")
	}
	text := lang.T("listening %s", round(m.now.Sub(h.began)))
	if keys := m.o.Keys.Keys(keymap.Dictate); len(keys) > 0 {
		text += " " + m.th.Glyphs.Sep + " " + m.o.Keys.Named(lang.T("ctrl+x d ends it"), keymap.Dictate)
	}
	return text
}

// endDictation waits until the command is gone, at most as long as ending one takes; its
// context has ended.
func (m *Model) endDictation() {
	h := m.hears
	if h == nil {
		return
	}
	h.cancel()
	timeout := time.After(quitWait)
	for {
		select {
		case <-h.over:
			return
		case <-h.came: // so that it is not held up
		case <-timeout:
			return
		}
	}
}

func (m *Model) cmdDictate(string) tea.Cmd { return m.dictate() }
