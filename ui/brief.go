package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/lang"
)

// The view with the prompt, one row of work and the answer alone. The first call or
// reasoning of a turn leads its work: the row stands above it, and what is over of the
// rest has no rows. What runs or waits, what failed and what was not allowed stays in
// sight; so does all that is no work, such as questions and errors.

const focusSetting = "screen.focus"

// deeds is what the model did for one prompt.
type deeds struct {
	lead   pane // the first part of it; nil: nothing was done
	open   bool // the person unfolded it
	began  time.Time
	until  time.Time // of the last part that ended; zero: nobody knows
	called int
	files  map[string]bool // that were changed
	said   []*answer       // since the last call
}

// join makes a pane a part of the work.
func (w *deeds) join(p pane) {
	if w.lead == nil {
		w.lead = p
	}
}

// says notes a text: with a call behind it, it is a part of the work as well.
func (w *deeds) says(p *answer) {
	p.work = w
	w.said = append(w.said, p)
}

func (w *deeds) calls(p *call) {
	w.join(p)
	w.called++
	for _, a := range w.said {
		a.before = true
	}
	w.said = nil
}

// drop takes a pane out that was void.
func (w *deeds) drop(p pane) {
	if _, ok := p.(*call); ok {
		w.called--
	}
	if w.lead == p {
		w.lead = nil
	}
}

// worked notes how a call ended. A command of the person's own is no work of the model.
func (c *conversation) worked(p *call, e agent.ToolEnd) {
	w := p.work
	if w == nil {
		return
	}
	w.until = c.when()
	for _, f := range e.Changes {
		if w.files == nil {
			w.files = map[string]bool{}
		}
		w.files[f.Path] = true
	}
}

// again notes that something comes of a call that was over: some models give two calls one
// name.
func (c *conversation) again(p *call) {
	if p.over() {
		c.t.refold()
	}
}

// workOf is the work a pane is a part of, and whether the row of that stands for it; nil:
// it is none.
func workOf(p pane) (w *deeds, away bool) {
	w, away = partOf(p)
	return w, away && w != nil && w.lead != nil
}

func partOf(p pane) (w *deeds, over bool) {
	switch p := p.(type) {
	case *call:
		return p.work, p.state == callDone || p.state == callCancelled
	case *thought:
		return p.work, p.done
	case *answer:
		return p.work, p.before && p.done
	case *pictured:
		if p.of != nil {
			return p.of.work, true
		}
	}
	return nil, false
}

// briefly reports whether work is folded into rows.
func (t *transcript) briefly() bool { return t.d.brief && !t.d.expanded }

// leads is the work whose row stands at a pane, or that a pane without rows is folded
// into; nil: it is folded by itself.
func (t *transcript) leads(p pane) *deeds {
	if !t.briefly() {
		return nil
	}
	if w, away := workOf(p); w != nil && (w.lead == p || away && !w.open) {
		return w
	}
	return nil
}

// folded reports whether a pane has no rows because the row of its work stands for it.
func (t *transcript) folded(p pane) bool {
	if !t.briefly() {
		return false
	}
	w, away := workOf(p)
	return away && !w.open && w.lead != p
}

func (t *transcript) briefTall(p pane, w *deeds, away bool) (n int) {
	if w.lead == p {
		n = 1
	}
	if away && !w.open {
		return n
	}
	return n + t.ownTall(p)
}

func (t *transcript) briefRows(p pane, w *deeds, away bool, from, to int) (rows []string) {
	if w.lead == p {
		if from == 0 && to > 0 {
			rows = append(rows, t.workRow(w))
		}
		from, to = from-1, to-1
	}
	if away && !w.open {
		return rows
	}
	return append(rows, t.ownRows(p, max(0, from), max(0, to))...)
}

// briefGap is gap where panes may have no rows: those part nothing.
func (t *transcript) briefGap(i int) int {
	if t.folded(t.panes[i]) || t.tall(t.panes[i]) == 0 {
		return 0
	}
	for k := t.shownBefore(i); k >= 0; k = t.shownBefore(k) {
		if t.tall(t.panes[k]) == 0 {
			continue
		}
		if t.snug(t.panes[i]) && t.snug(t.panes[k]) {
			return 0
		}
		return 1
	}
	return 0
}

// snug is tight, for what a row of work stands for as well.
func (t *transcript) snug(p pane) bool { return p.tight() || t.leads(p) != nil }

// workRow is the row: how much was done, and how long that took.
func (t *transcript) workRow(w *deeds) string {
	var parts []string
	if w.called > 0 {
		parts = append(parts, plural(w.called, "call"))
	} else {
		parts = append(parts, lang.T("thought"))
	}
	if n := len(w.files); n > 0 {
		parts = append(parts, lang.Count(n, "1 file changed", "%d files changed"))
	}
	if took := w.until.Sub(w.began); !w.began.IsZero() && !w.until.IsZero() && took >= time.Second {
		parts = append(parts, seconds(took.Truncate(time.Second)))
	}
	th := t.d.th
	return th.Faint.Apply(th.Glyphs.Sep) + " " + th.Muted.Apply(clip(strings.Join(parts, lang.T(", ")), max(1, t.d.w-gutter), th))
}

// showBrief folds the work of all turns into rows, or shows it again. What was left in
// the terminal cannot change: inline there is no such view.
func (m *Model) showBrief(on bool) {
	m.tr.brief = on
	m.tr.reshape(func(d *drawing) { d.brief = on && !m.o.Inline })
	if t := m.tr; t.focus != nil && t.tall(t.focus) == 0 {
		t.focus = nil
		m.unread()
	}
}

// cmdFocus is /focus.
func (m *Model) cmdFocus(string) tea.Cmd {
	on := !m.tr.brief
	m.showBrief(on)
	text, value := lang.T("calls and reasoning are shown again"), "false"
	switch {
	case on && m.o.Inline:
		text, value = lang.T("/focus is for the whole screen; /tui takes it"), "true"
	case on:
		text, value = lang.T("prompts, a row of work and answers alone; /focus again shows the rest"), "true"
	}
	if m.o.Settings == nil {
		return m.say(text)
	}
	set := m.o.Settings.Set
	return tea.Batch(m.say(text), func() tea.Msg {
		if err := set(focusSetting, value); err != nil {
			return failed{lang.T("it holds for now, but is not stored"), err}
		}
		return nil
	})
}
