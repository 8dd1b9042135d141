package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/ui/keymap"
	"forge/ui/lang"
)

// A command that takes long: what its card says can be done with it, and giving it more
// time before it is ended.

// moreTime gives the commands that run as much time again as they had at first.
func (m *Model) moreTime() tea.Cmd {
	var given time.Duration
	for _, c := range m.talk.calls {
		if c.state == callRunning && c.effect.Limit > 0 {
			given = c.effect.Limit
			c.limit += given
			c.version++
		}
	}
	more := m.o.MoreTime
	if more == nil || given == 0 {
		return m.say(lang.T("no limit of time stands on it"))
	}
	return func() tea.Msg {
		if more() == 0 {
			return saidMsg(lang.T("no command is waited for now"))
		}
		return saidMsg(lang.T("it has %s more", round(given)))
	}
}

const (
	// hintAfter is how long a command runs before its card says what can be done.
	hintAfter = 5 * time.Second
	// warnBefore is how long at most before the end of its time the card says so.
	warnBefore = time.Minute
)

// ending is how much time a command that runs has left; false: its end is not near.
func (c *call) ending(now time.Time) (left time.Duration, near bool) {
	if c.limit == 0 {
		return 0, false
	}
	left = max(0, c.limit-now.Sub(c.began))
	return left, left <= min(c.limit/4, warnBefore)
}

// choices is the row that says what can be done with a command that runs long.
func (c *call) choices(d *drawing, w int) []string {
	if c.effect.Kind != tools.Exec || !d.sends || d.now.Sub(c.began) < hintAfter {
		return nil
	}
	away := d.keys.Named(lang.T("ctrl+b sends it to the background"), keymap.Background)
	left, near := c.ending(d.now)
	if !near {
		if d.tmux && d.keys.First(keymap.Background) == "ctrl+b" { // its own first key
			away += lang.T(" (in tmux twice)")
		}
		return []string{d.th.Faint.Apply(clip(away, w, d.th))}
	}
	text := lang.T("it is ended in %s", seconds(left.Round(time.Second))) + lang.T(" · ") + d.keys.Named(lang.T("alt+m gives it more time"), keymap.MoreTime)
	return wrap(text+lang.T(" · ")+away, w, d.th.Warn)
}
