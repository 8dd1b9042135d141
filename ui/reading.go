package ui

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/reader"
	"forge/ui/safe"
	"forge/ui/vim"
)

// reading is the state in which the keys belong to the transcript: one pane of it
// has the focus. The prompt keeps what is written in it.
type reading struct {
	line *line // words are being written; nil: none
	hits reader.Hits
	at   int // of hits
	from int // the pane where looking began
}

// read gives the focus to the last pane in view.
func (m *Model) read() tea.Cmd {
	if !m.tr.step(-1, anyMatter) {
		return m.say(lang.T("there is nothing to read yet"))
	}
	m.reads = &reading{}
	return nil
}

func anyMatter(matter) bool { return true }

// unread gives the keys back to the prompt.
func (m *Model) unread() {
	m.inside = nil
	m.reads, m.tr.focus, m.tr.query = nil, nil, reader.Query{}
	if m.tr.settle(); m.tr.follow {
		m.tr.toEnd()
	}
}

// readKey takes a key while a pane has the focus; false: it is one of the screen's.
func (m *Model) readKey(k tea.KeyPressMsg, s string) (tea.Cmd, bool) {
	r, t := m.reads, m.shown()
	had := t.focus
	if t.focus == nil { // its pane is gone: a reply that was begun anew
		if !t.step(-1, anyMatter) && m.inside == nil {
			m.unread()
			return nil, false
		}
	}
	if r.line != nil {
		cmd, open := r.line.key(m.o.Keys, k)
		if !open {
			r.line = nil
		}
		return cmd, true
	}
	switch m.o.Keys.Action(keymap.Read, s) {
	case keymap.ReadLeave:
		if !t.query.Empty() && s == "esc" { // the words first, as in a pager; what is read stays
			t.query, r.hits = reader.Query{}, reader.Hits{}
			return nil, true
		}
		if m.inside != nil {
			m.outside()
			return nil, true
		}
		m.unread()
	case keymap.ReadNext:
		if t.beyond(1) {
			t.scroll(max(1, t.h/2))
		} else {
			t.step(1, anyMatter)
		}
	case keymap.ReadBefore:
		if t.beyond(-1) {
			t.scroll(-max(1, t.h/2))
		} else {
			t.stepUp()
		}
	case keymap.ReadPromptBefore:
		t.step(-1, isPrompt)
	case keymap.ReadPromptNext:
		t.step(1, isPrompt)
	case keymap.ReadTop:
		t.toTop()
		t.focus = nil
		t.step(1, anyMatter)
	case keymap.ReadEnd:
		t.toEnd()
		t.view(t.h)
		t.focus = nil
		t.step(-1, anyMatter)
	case keymap.ReadHalfDown:
		t.scroll(max(1, t.h/2))
	case keymap.ReadHalfUp:
		t.scroll(-max(1, t.h/2))
	case keymap.ReadOpen:
		if w := t.leads(t.focus); w != nil && !w.open { // what it stands for, before any of it
			t.flip(t.focus)
			break
		}
		return m.open(t.focus), true
	case keymap.ReadStop:
		return m.stopRead(had), true
	case keymap.ReadTerminal:
		return m.terminalKey(k), true
	case keymap.ReadFold:
		t.flip(t.focus)
	case keymap.ReadCopy:
		mt := matterOf(t.focus)
		return m.copy(nameOf(mt), cmp.Or(mt.plain(), mt.text)), true
	case keymap.ReadCopyCode:
		return m.copyCode(matterOf(t.focus).text, 0), true
	case keymap.ReadFind:
		m.find()
	case keymap.ReadHitNext:
		return m.nextHit(1), true
	case keymap.ReadHitBefore:
		return m.nextHit(-1), true
	case keymap.ReadAll:
		return m.readAll(), true
	case keymap.ReadHelp:
		return m.cmdHelp(""), true
	default:
		if k.Text != "" {
			return m.typeThrough(k), true
		}
		// What would change a prompt nobody looks at stops here; keys of the screen keep
		// their meaning.
		keys := m.o.Keys
		return nil, keys.Action(keymap.Prompt, s) != "" && keys.Action(keymap.Screen, s) == "" && keys.Action(keymap.Empty, s) == ""
	}
	return nil, true
}

// typeThrough takes what is written while a pane has the focus, or something lies over the
// transcript, and is no key of that: it begins words for the prompt, and the keys go there
// with it. The keys of vi may be waiting for a command there; a letter is not meant as one.
func (m *Model) typeThrough(k tea.KeyPressMsg) tea.Cmd {
	if mode, _ := m.comp.Mode(); m.comp.Vim() && mode != vim.Insert {
		if len(k.Text) == 1 {
			return m.say(m.o.Keys.Named(lang.T("that is no key of what is read: esc goes back to the prompt"), keymap.ReadLeave))
		}
		m.uncover()
		m.comp.Paste(k.Text)
		return m.composed(nil)
	}
	m.uncover()
	return m.compose(k)
}

// uncover leaves what is read, and what lies over the transcript.
func (m *Model) uncover() {
	m.pager, m.window, m.servers.panel = nil, nil, nil
	m.unread()
}

func isPrompt(mt matter) bool { return mt.kind == isPrompted }

// nameOf is what a thing is called when it was copied.
func nameOf(mt matter) string {
	switch mt.kind {
	case isPrompted:
		return lang.T("the prompt")
	case isAnswered:
		return lang.T("the answer")
	case isThought:
		return lang.T("the reasoning")
	case isCalled:
		return lang.T("the output")
	}
	return lang.T("the notice")
}

// jump shows the prompt before or after what is in view, without the focus.
func (m *Model) jump(by int) tea.Cmd {
	t := m.shown()
	had := t.focus
	t.focus = nil
	top := t.settle()
	i := top.pane
	if by > 0 && t.follow {
		return nil
	}
	if by < 0 && top.row > t.gap(min(i, max(0, len(t.panes)-1))) {
		i++ // its begin is above the window
	}
	for i += by; i >= 0 && i < len(t.panes); i += by {
		if isPrompt(matterOf(t.panes[i])) {
			t.follow, t.top, t.was = false, spot{i, 0}, place{}
			t.settle()
			t.focus = had
			return nil
		}
	}
	if t.focus = had; by > 0 {
		t.toEnd()
		return nil
	}
	return m.say(lang.T("no prompt stands above this one"))
}

// instant is how much text may be searched at every letter that is typed, in bytes;
// of more, Enter begins.
const instant = 4 << 20

// find asks for words to look for.
func (m *Model) find() {
	r, t := m.reads, m.shown()
	was := t.query
	r.from = max(0, t.index(t.focus))
	size := 0
	for _, p := range t.panes {
		size += len(matterOf(p).text)
	}
	l := &line{label: "/"}
	l.done = func(words string) tea.Cmd {
		if words == "" {
			return nil
		}
		m.look(words)
		if r.hits.Len() == 0 {
			return m.say(lang.T("%q stands nowhere in this conversation", words))
		}
		return nil
	}
	l.left = func() { t.query = was }
	if size <= instant {
		l.typed = func(words string) tea.Cmd { m.look(words); return nil }
	}
	r.line = l
}

// look finds words in everything, what is folded away included, and shows the place
// nearest to where looking began.
func (m *Model) look(words string) {
	r, t := m.reads, m.shown()
	t.query = reader.NewQuery(words)
	r.hits = reader.FindAll(t.query, len(t.panes), func(i int) string { return searched(t.panes[i]) })
	if r.hits.Len() > 0 {
		r.at = r.hits.Until(r.from)
		m.showHit()
	}
}

// searched is the text of a pane in which words are looked for.
func searched(p pane) string {
	mt := matterOf(p)
	if mt.kind == isCalled {
		return mt.title + "\n" + mt.text
	}
	return mt.text
}

func (m *Model) showHit() {
	h := m.reads.hits.At(m.reads.at)
	if t := m.shown(); h.Text < len(t.panes) {
		t.showHit(h.Text, h.Nth)
	}
}

// nextHit goes to another place of the words, around the ends.
func (m *Model) nextHit(by int) tea.Cmd {
	r, t := m.reads, m.shown()
	if t.query.Empty() {
		return m.say(m.o.Keys.Named(lang.T("nothing is looked for: / begins"), keymap.ReadFind))
	}
	// The conversation may have grown since.
	r.hits = reader.FindAll(t.query, len(t.panes), func(i int) string { return searched(t.panes[i]) })
	n := r.hits.Len()
	if n == 0 {
		return m.say(lang.T("%q stands nowhere in this conversation", t.query.String()))
	}
	r.at = ((r.at+by)%n + n) % n
	m.showHit()
	return nil
}

// count says which place is shown, of how many.
func (r *reading) count(q reader.Query) string {
	switch {
	case q.Empty():
		return ""
	case r.hits.Len() == 0:
		return lang.T("not found")
	}
	return lang.T("%d of %d", r.at+1, r.hits.Len())
}

// readRow is the row beneath the transcript while it is read: the words looked for,
// or what the keys do. x is the column of the caret, -1 where there is none.
func (m *Model) readRow(w int) (row string, x int) {
	r, t := m.reads, m.shown()
	count := r.count(t.query)
	if r.line != nil {
		return r.line.view(m.th, w, count)
	}
	hint := m.o.Keys.Named(lang.T("j k move  enter open  space fold  c copy  / find  esc back"), keymap.ReadNext, keymap.ReadBefore, keymap.ReadOpen, keymap.ReadFold, keymap.ReadCopy, keymap.ReadFind, keymap.ReadLeave)
	if own := m.crewHint(); own != "" {
		hint = own
	} else if c, ok := t.focus.(*call); ok && t.d.terminal && c.wantedTerminal() {
		hint = m.o.Keys.Named(lang.T("T runs it on your terminal  enter open  j k move  c copy  esc back"), keymap.ReadTerminal, keymap.ReadOpen, keymap.ReadNext, keymap.ReadBefore, keymap.ReadCopy, keymap.ReadLeave)
	}
	if count != "" {
		hint = fmt.Sprintf("/%s  %s  ", safe.Line(t.query.String()), count) + m.o.Keys.Named(lang.T("n N next, before  esc back"), keymap.ReadHitNext, keymap.ReadHitBefore, keymap.ReadLeave)
	}
	if t.fresh && !t.follow {
		fresh := m.th.Glyphs.Down + " " + lang.T("new output")
		if room := w - safe.Width(fresh) - 4; room > 10 {
			hint = safe.Fit(hint, room, m.th.Glyphs.Ellipsis)
			return "  " + m.th.Muted.Apply(hint) + " " + m.th.Accent.Apply(fresh), -1
		}
	}
	return "  " + m.th.Muted.Apply(strings.TrimRight(safe.Truncate(hint, max(0, w-3), m.th.Glyphs.Ellipsis), " ")), -1
}
