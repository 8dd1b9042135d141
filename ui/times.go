package ui

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// Times: when each prompt and each answer was said, at the right edge. They are painted
// over a frame, so that no row that is kept, copied or searched has them.

const timesSetting = "screen.times"

// The words of /times.
const (
	timesOn  = "on"
	timesOff = "off"
)

// when is the time of what is said: in a replay that of its record, else now.
func (c *conversation) when() time.Time {
	if c.quiet {
		return c.at
	}
	return c.now
}

// saidAt notes when a prompt was said.
func saidAt(p pane, at time.Time) pane {
	if w, ok := p.(*whole); ok {
		w.at = at
	}
	return p
}

// timeOf is when a pane was said; zero: nobody knows, or it was not said.
func timeOf(p pane) time.Time {
	switch p := p.(type) {
	case *whole:
		return p.at
	case *answer:
		return p.at
	}
	return time.Time{}
}

// clock is a time for eyes, the date with it on another day than now's.
func clock(at, now time.Time) string {
	at, now = at.Local(), now.Local()
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("2006-01-02 15:04")
}

// timeLabel is what stands at the edge for a pane; empty: nothing. The last cell is left
// to the scrollbar.
func (t *transcript) timeLabel(p pane) string {
	at := timeOf(p)
	if !t.d.times || at.IsZero() {
		return ""
	}
	label := clock(at, t.d.now)
	if safe.Width(label)+gutter+1 > t.d.w {
		return ""
	}
	return label
}

// fits reports whether a label has room behind the words of a row.
func (t *transcript) fits(row, label string) bool {
	return safe.Width(row)+2+safe.Width(label)+1 <= t.d.w
}

// timeAbove is the blank rows before the first pane: one, where its time has no room in
// its row. All others that are said have one.
func (t *transcript) timeAbove() int {
	p := t.panes[0]
	label := t.timeLabel(p)
	if label == "" || t.tall(p) == 0 || t.fits(t.cut(p, 0, 1)[0], label) {
		return 0
	}
	return 1
}

// stamp writes the time of a pane into its rows: the first of them that is its own, which
// is the one behind above blank ones, or where that has no room the blank one before it.
func (t *transcript) stamp(p pane, rows []string, above int) {
	label := t.timeLabel(p)
	if label == "" || len(rows) <= above {
		return
	}
	at := above
	if !t.fits(rows[at], label) {
		if at--; at < 0 {
			return // it is scrolled away
		}
	}
	rows[at] += safe.Blanks(t.d.w-1-safe.Width(rows[at])-safe.Width(label)) + t.d.th.Faint.Apply(label)
}

// showTimes shows them from now on, or not.
func (m *Model) showTimes(on bool) {
	m.tr.reshape(func(d *drawing) { d.times = on })
}

// cmdTimes shows the times or hides them, now and for later; without a word it takes the
// other one.
func (m *Model) cmdTimes(word string) tea.Cmd {
	on, err := wantsTimes(word, m.tr.d.times)
	if err != nil {
		return m.say(err.Error())
	}
	m.showTimes(on)
	text, value := lang.T("times of prompts and answers are hidden"), "false"
	if on {
		text, value = lang.T("times of prompts and answers are shown"), "true"
	}
	if m.o.Settings == nil {
		return m.say(text)
	}
	set := m.o.Settings.Set
	return tea.Batch(m.say(text), func() tea.Msg {
		if err := set(timesSetting, value); err != nil {
			return failed{lang.T("it holds for now, but is not stored"), err}
		}
		return nil
	})
}

// wantsTimes is what the word behind /times wants; without one it is the other one.
func wantsTimes(word string, on bool) (bool, error) {
	switch word {
	case "":
		return !on, nil
	case timesOn, timesOff:
		return word == timesOn, nil
	}
	return on, errors.New(lang.T("there are %s and %s, not %s", timesOn, timesOff, safe.Line(word)))
}

// clock is what stands before what asks for a prompt; empty: nothing.
func (l *lines) clock() string {
	if !l.times.Load() {
		return ""
	}
	return clock(time.Now(), time.Now())
}

// sayTimes is /times in plain lines.
func (l *lines) sayTimes(_ context.Context, word string, say func(string)) (*linear.Choice, error) {
	on, err := wantsTimes(word, l.times.Load())
	if err != nil {
		return nil, err
	}
	l.times.Store(on)
	text := lang.T("the time is not said any more")
	if on {
		text = lang.T("the time is said before a prompt is asked for")
	}
	say(text)
	if l.o.Settings == nil {
		return nil, nil
	}
	if err := l.o.Settings.Set(timesSetting, strconv.FormatBool(on)); err != nil {
		return nil, fmt.Errorf("%s: %w", lang.T("it holds for now, but is not stored"), err)
	}
	return nil, nil
}

func completeTimes(_ *Model, prefix string) []string {
	return beginning([]string{timesOn, timesOff}, prefix)
}
