package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/reader"
	"forge/ui/safe"
	"forge/ui/theme"
)

// pager shows rows over the transcript until it is closed: help, a long diff, one
// thing of the transcript whole.
type pager struct {
	keys  *keymap.Map // what hints name
	title string
	// resume, where not nil, is what r does; also tells of it.
	resume  func() tea.Cmd
	anytime bool // resume may be done during a run
	also    string
	text    string // what is shown as it was written; empty: it cannot be copied
	plain   string // what of it is copied and saved, where that is less
	dyes    dyes   // of its lines
	aside   bool   // a question waits until it is closed
	file    string // a name for it, for editors and for saving
	// draw makes the rows for a width; they are kept until it changes.
	draw func(th *theme.Theme, w int) []string

	of pane // what it shows whole; nil: no pane

	other func() *pager // what tab goes to, also tells of it too; nil: nowhere

	list   []string
	w, h   int
	th     *theme.Theme
	top    int
	raw    bool // the text itself, not wrapped
	left   int  // columns of it that are left of the screen
	widest int
	note   string
	hinted string // what stood at the right of its first row, from column hintAt on
	hintAt int

	line   *line
	query  reader.Query
	hits   []int // rows, one for each place
	at     int
	chosen *choice
}

// pagerHead is the rows above the text.
const pagerHead = 2

func (p *pager) rows(th *theme.Theme, w int) []string {
	if p.list == nil || p.w != w || p.th != th {
		if p.raw {
			p.list = rawRows(p.text, p.dyes, th)
		} else {
			p.list = p.draw(th, w)
		}
		p.w, p.th, p.widest = w, th, 0
		if p.raw {
			for _, r := range p.list {
				p.widest = max(p.widest, safe.Width(r))
			}
		}
		p.search()
	}
	return p.list
}

// copied is what a copy of all of it takes.
func (p *pager) copied() string { return cmp.Or(p.plain, p.text) }

// rawRows are the lines of a text as they are, however long.
func rawRows(text string, d dyes, th *theme.Theme) []string {
	var rows []string
	for l := range strings.SplitSeq(strings.TrimRight(safe.Output(text), "\n"), "\n") {
		if dyed, ok := d[l]; ok {
			rows = append(rows, string(safe.AppendRuns(nil, runs(dyed, th, th.Text))))
			continue
		}
		rows = append(rows, th.Text.Apply(safe.ExpandTabs(l, 0)))
	}
	return rows
}

func (p *pager) scroll(by int) {
	p.top = max(0, min(p.top+by, len(p.list)-p.h))
}

// pagerTitle is how many cells of a title are worth more than a second key.
const pagerTitle = 12

// view returns exactly h rows.
func (p *pager) view(th *theme.Theme, w, h int) []string {
	p.h = max(1, h-3) // title and blank rows
	rows := p.rows(th, w)
	p.scroll(0)
	out := make([]string, 0, h)
	hint := p.hint(w)
	if p.also != "" {
		const roomy = 110
		if w < roomy { // the title needs the row more
			hint = p.keys.Named(lang.T("esc closes"), keymap.PagerClose)
		}
		also := keymap.PagerOther
		if p.resume != nil {
			also = keymap.PagerResume
		}
		other := p.keys.Named(p.also, also)
		if both := other + lang.T(" · ") + hint; safe.Width(both) < w-len("100%  ")-pagerTitle {
			hint = both
		} else {
			hint = other // esc is what everybody tries
		}
	}
	if len(rows) > p.h {
		hint = fmt.Sprintf("%d%%  %s", 100*(p.top+p.h)/len(rows), hint)
	}
	hint = safe.Truncate(hint, max(0, w-2), th.Glyphs.Ellipsis)
	p.hinted, p.hintAt = hint, w-safe.Width(hint)
	title := safe.Truncate(safe.Line(p.title), max(1, w-safe.Width(hint)-2), th.Glyphs.Ellipsis)
	gap := safe.Blanks(max(1, w-safe.Width(title)-safe.Width(hint)))
	out = append(out, th.Title.Apply(title)+gap+th.Faint.Apply(hint), "")
	for i, r := range clamp(rows, p.top, p.top+p.h) {
		r = reader.Highlight(r, p.query, th.Match, p.hitIn(p.top+i), th.Selection)
		if p.chosen != nil {
			if from, to := p.chosen.columns(func(pane) int { return 0 }, nil, p.top+i); to > from {
				r = reader.Paint(r, from+p.left, min(to+p.left, safe.Width(r)), th.Selection)
			}
		}
		if p.raw {
			r = safe.Cut(r, p.left, p.left+w)
		}
		out = append(out, r)
	}
	for len(out) < h {
		out = append(out, "")
	}
	if p.line == nil && h > pagerHead+1 {
		switch {
		case !p.query.Empty() && len(p.hits) > 0:
			out[h-1] = th.Muted.Apply(safe.Truncate("/"+safe.Line(p.query.String())+"  "+p.count(), w, ""))
		case p.note != "":
			out[h-1] = th.Muted.Apply(safe.Truncate(p.note, w, th.Glyphs.Ellipsis))
		}
	}
	return out[:h]
}

// hint is the keys worth naming.
func (p *pager) hint(w int) string {
	if p.text == "" || w < 60 {
		return p.keys.Named(lang.T("esc closes"), keymap.PagerClose)
	}
	if w < 100 {
		return p.keys.Named(lang.T("/ find  c copy  s save  esc closes"), keymap.PagerFind, keymap.PagerCopy, keymap.PagerSave, keymap.PagerClose)
	}
	return p.keys.Named(lang.T("/ find  c copy  s save  w wrap  e editor  p pager  esc closes"), keymap.PagerFind, keymap.PagerCopy, keymap.PagerSave,
		keymap.PagerWrap, keymap.PagerEditor, keymap.PagerProgram, keymap.PagerClose)
}

// count says which place of the words is shown, of how many.
func (p *pager) count() string {
	switch {
	case p.query.Empty(), p.line != nil && p.line.label != "/": // words for something else are written
		return ""
	case len(p.hits) == 0:
		return lang.T("not found")
	}
	return lang.T("%d of %d", p.at+1, len(p.hits))
}

// hitIn is which place of the words in a row is the one looked at; -1: none.
func (p *pager) hitIn(row int) int {
	if len(p.hits) == 0 || p.hits[p.at] != row {
		return -1
	}
	return p.at - slices.Index(p.hits, row)
}

// search finds the words anew in the rows.
func (p *pager) search() {
	p.hits = p.hits[:0]
	for i, r := range p.list {
		for range p.query.Find(ansi.Strip(r)) {
			p.hits = append(p.hits, i)
		}
	}
	p.at = max(0, min(p.at, len(p.hits)-1))
}

// look shows the first place of words from the top row on.
func (p *pager) look(words string) {
	p.query = reader.NewQuery(words)
	p.at = 0
	p.search()
	for i, row := range p.hits {
		if row >= p.top {
			p.at = i
			break
		}
	}
	p.showHit()
}

func (p *pager) showHit() {
	if len(p.hits) == 0 {
		return
	}
	row := p.hits[p.at]
	if row < p.top || row >= p.top+p.h {
		p.top = row - p.h/3
		p.scroll(0)
	}
	if p.raw { // sideways, too
		plain := ansi.Strip(p.list[row])
		if at := p.query.Find(plain); len(at) > 0 {
			if x := safe.Width(plain[:at[0].From]); x < p.left || x >= p.left+p.w {
				p.left = max(0, x-p.w/3)
			}
		}
	}
}

// pagerKey takes every key while the pager is open.
func (m *Model) pagerKey(k tea.KeyPressMsg) tea.Cmd {
	p := m.pager
	if p.line != nil {
		cmd, open := p.line.key(m.o.Keys, k)
		if !open {
			p.line = nil
		}
		return cmd
	}
	a := m.o.Keys.Action(keymap.Pager, k.String())
	if a == "" && k.Text != "" && !p.aside {
		return m.typeThrough(k)
	}
	return m.pagerDoes(a)
}

// pagerDoes is what an action does to what the pager shows.
func (m *Model) pagerDoes(a keymap.Action) tea.Cmd {
	p := m.pager
	const sideways = 8
	switch a {
	case keymap.PagerClose:
		m.pager = nil
	case keymap.PagerResume:
		if p.resume != nil {
			if m.busy() && !p.anytime {
				return m.say(m.o.Keys.Named(lang.T("a run is on: esc closes this, and then esc stops the run"), keymap.PagerClose, keymap.Interrupt))
			}
			m.pager = nil
			return p.resume()
		}
	case keymap.PagerTerminal:
		if cmd, ok := m.runCall(p.of); ok {
			m.pager = nil
			return cmd
		}
		return m.say(lang.T("this is no command that has ended"))
	case keymap.PagerOther:
		if p.other != nil {
			m.pager = p.other()
		}
	case keymap.PagerUp:
		p.scroll(-1)
	case keymap.PagerDown:
		p.scroll(1)
	case keymap.PagerPageUp:
		p.scroll(-p.h)
	case keymap.PagerPageDown:
		p.scroll(p.h)
	case keymap.PagerHalfUp:
		p.scroll(-max(1, p.h/2))
	case keymap.PagerHalfDown:
		p.scroll(max(1, p.h/2))
	case keymap.PagerTop:
		p.scroll(-len(p.list))
	case keymap.PagerEnd:
		p.scroll(len(p.list))
	case keymap.PagerLeft:
		p.left = max(0, p.left-sideways)
	case keymap.PagerRight:
		if p.raw {
			p.left = max(0, min(p.left+sideways, p.widest-p.w/2))
		}
	case keymap.PagerWrap:
		if p.text != "" {
			p.raw, p.left, p.list = !p.raw, 0, nil
		}
	case keymap.PagerFind:
		p.line = &line{label: "/", typed: func(s string) tea.Cmd { p.look(s); return nil }, done: func(s string) tea.Cmd {
			if p.look(s); s != "" && len(p.hits) == 0 {
				return m.say(lang.T("%q stands nowhere here", s))
			}
			return nil
		}, left: func() { p.look("") }}
	case keymap.PagerHitNext, keymap.PagerHitBefore:
		if n := len(p.hits); n > 0 {
			by := 1
			if a == keymap.PagerHitBefore {
				by = n - 1
			}
			p.at = (p.at + by) % n
			p.showHit()
		}
	case keymap.PagerCopy:
		return m.copy(lang.T("all of it"), p.copied())
	case keymap.PagerCopyCode:
		return m.copyCode(p.text, 0)
	case keymap.PagerSave:
		if p.text != "" {
			p.line = &line{label: lang.T("save as: "), text: p.file, done: func(name string) tea.Cmd { return m.saveAs(name, p.copied()) }}
		}
	case keymap.PagerEditor:
		if p.text != "" {
			return m.inEditor(p)
		}
	case keymap.PagerProgram:
		if p.text != "" {
			return m.inPager(p)
		}
	case keymap.PagerRedraw:
		return tea.ClearScreen
	case keymap.PagerSuspend:
		return tea.Suspend
	}
	return nil
}
