package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/tips"
)

// Tips: while a run takes its time, the row beneath the transcript, which is blank then,
// tells of a key or a command that was not used yet. It moves nothing: where something else
// has the row, or the words do not fit into it, there is none.

const tipsSetting = "screen.tips"

const (
	tipAfter = 8 * time.Second  // of a run
	tipEvery = 10 * time.Minute // from one to the next
)

// tipping is what the screen knows of tips. What it has used is a part of it only once
// something was.
type tipping struct {
	used  []string // since forge began
	kept  int      // how many of those are on their way into the file
	asked bool     // for the run that is on
	on    tips.Tip // shown; the zero value: none is
	last  time.Time
}

// tipsRead brings what was used and told before.
type tipsRead struct{ counts tips.Counts }

// use notes that the person has used a key or a command.
func (m *Model) use(id string) {
	if m.o.Tips == nil || slices.Contains(m.tips.used, id) || !tips.Known(id) {
		return
	}
	m.tips.used = append(m.tips.used, id)
	if m.tips.on.ID() == id {
		m.tips.on = tips.Tip{}
	}
}

// stirTips keeps what was used, and looks for a tip where a run has been on for a while.
func (m *Model) stirTips() tea.Cmd {
	t, b := &m.tips, m.o.Tips
	if b == nil {
		return nil
	}
	var cmd tea.Cmd
	if new := t.used[t.kept:]; len(new) > 0 {
		new, t.kept = slices.Clone(new), len(t.used)
		cmd = look(func() tea.Msg { b.Note(new, ""); return nil })
	}
	switch {
	case !m.busy():
		t.asked, t.on = false, tips.Tip{}
	case t.asked || m.o.NoTips || len(m.asks) > 0 || m.now.Sub(m.status.began) < tipAfter || !t.last.IsZero() && m.now.Sub(t.last) < tipEvery:
	default:
		t.asked = true
		cmd = tea.Batch(cmd, look(func() tea.Msg { return tipsRead{b.Note(nil, "")} }))
	}
	return cmd
}

// tipFound shows the tip that is due.
func (m *Model) tipFound(c tips.Counts) tea.Cmd {
	if !m.busy() {
		return nil
	}
	tip, ok := tips.Choose(c, func(t tips.Tip) bool {
		return !slices.Contains(m.tips.used, t.ID()) && m.tipFits(m.tipText(t), m.talkWidth())
	})
	if !ok {
		return nil
	}
	m.tips.on, m.tips.last = tip, m.now
	b := m.o.Tips
	return look(func() tea.Msg { b.Note(nil, tip.ID()); return nil })
}

// tipText is a tip in the words and keys in force; empty: there is no such key.
func (m *Model) tipText(t tips.Tip) string {
	sep := " " + m.th.Glyphs.Sep + " "
	if t.Action != "" {
		if key := m.o.Keys.First(t.Action); key != "" {
			return lang.T("tip") + sep + key + sep + lang.T(keymap.Help(t.Action))
		}
		return ""
	}
	if about := commandAbout(t.Command); about != "" {
		return lang.T("tip") + sep + "/" + t.Command + sep + about
	}
	return ""
}

// commandAbout is what one of forge's commands does.
func commandAbout(name string) string {
	for _, c := range commands() {
		if c.name == name {
			return lang.T(c.about)
		}
	}
	return ""
}

func (m *Model) tipFits(text string, w int) bool { return text != "" && safe.Width(text)+3 < w }

// tipRow is the row beneath the transcript, blank where there is no tip.
func (m *Model) tipRow(w int) string {
	if m.tips.on == (tips.Tip{}) || m.o.NoTips || m.dialogs.Active() {
		return ""
	}
	text := m.tipText(m.tips.on)
	if !m.tipFits(text, w) {
		return ""
	}
	return "  " + m.th.Faint.Apply(text)
}
