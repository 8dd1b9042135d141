package dialog

import (
	tea "charm.land/bubbletea/v2"

	"forge/ui/composer"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/theme"
)

// Entry is a line of a picker.
type Entry struct {
	Label  string
	Mark   string // a sign before it; empty: none
	Detail string // muted, behind it
	Search string // more words a filter finds it by
	Rest   string // what a filter finds by whole words, not by letters
	Chosen bool   // the one in force now
}

// Picker lets a person choose from a list they may filter by typing.
type Picker struct {
	Title string
	Theme *theme.Theme
	// Pick is called with the index of the entry; its command is run. Leave is
	// called when the picker is closed without a choice; nil: nothing.
	Pick  func(index int) tea.Cmd
	Leave func() tea.Cmd
	// Help is one muted line at the end; empty: the usual keys.
	Help string
	// Keys are more things to do with the entry chosen: the picker closes, and the
	// command is run.
	Keys map[keymap.Action]func(index int) tea.Cmd
	// Stay keeps the picker open when an entry is chosen: Leave is the only way out. Do are
	// more things to do with an entry that keep it open as well.
	Stay bool
	Do   map[keymap.Action]func(index int) tea.Cmd
	// Again is an action of the screen that goes to the next entry: the one the picker was
	// opened with, as fingers know it from shells. Empty: none does.
	Again keymap.Action
	// Yields says that nobody asked for this list: a question that comes is shown first, as
	// long as no key was pressed for it.
	Yields bool
	// Peek returns what reads a preview of an entry; it is run off the loop. nil:
	// there is none.
	Peek func(index int) func() string
	// Chosen is told of every entry the person moves to; nil: nobody is. Show draws what
	// stands beneath the list for it, in rows of at most width cells; nil: nothing does.
	Chosen func(index int)
	// Behind says that what is behind the list goes along with the entry chosen: half of the
	// height is left to it.
	Behind bool
	Show   func(index, width int) []string

	bound   *keymap.Map
	touched bool // a key was pressed
	entries []Entry
	shown   []int // indices into entries, in order of the filter
	at      int
	filter  *composer.Composer
	told    int // the entry Chosen was told of last, counted from 1
	peeked  int // the entry the preview is of, counted from 1
	preview string

	// first is the place in shown that the last View begins its list with, in its row
	// listed; it had room rows. pinned: that stays so, until a key is pressed.
	first, listed, room int
	pinned              bool
}

// peeked is a preview that was read.
type peekedMsg struct {
	of    *Picker
	index int
	text  string
}

// peek reads the preview of the entry chosen, where it is not the one on show.
func (p *Picker) peek() tea.Cmd {
	if p.Chosen != nil && len(p.shown) > 0 {
		if i := p.shown[p.at]; p.told != i+1 {
			p.told = i + 1
			p.Chosen(i)
		}
	}
	if p.Peek == nil || len(p.shown) == 0 {
		return nil
	}
	i := p.shown[p.at]
	if p.peeked == i+1 {
		return nil
	}
	p.peeked, p.preview = i+1, ""
	read := p.Peek(i)
	return func() tea.Msg { return peekedMsg{p, i, read()} }
}

// NewPicker returns a picker with the entry in force chosen.
func NewPicker(t *theme.Theme, title string, entries []Entry, pick func(int) tea.Cmd) *Picker {
	p := &Picker{Title: title, Theme: t, Pick: pick, entries: entries}
	p.filter = composer.New(composer.Options{Glyph: "/", Placeholder: lang.T("type to filter"), Styles: filterStyles(t)})
	p.refilter()
	for i, e := range entries {
		if e.Chosen {
			p.at = i
		}
	}
	return p
}

// Point moves to an entry.
func (p *Picker) Point(index int) {
	for at, i := range p.shown {
		if i == index {
			p.at = at
		}
	}
}

// Renew puts other entries in the place of those there are: the same ones in the same
// order, perhaps with more behind them. The one chosen stays chosen.
func (p *Picker) Renew(entries []Entry) {
	was := -1
	if p.at < len(p.shown) {
		was = p.shown[p.at]
	}
	if was == len(p.entries)-1 && len(entries) > len(p.entries) {
		was = len(entries) - 1 // the last line stays the last
	}
	p.entries = entries
	p.refilter()
	p.Point(was)
}

// SetTheme changes the looks of the picker itself.
func (p *Picker) SetTheme(t *theme.Theme) {
	p.Theme = t
	p.filter.SetStyles(filterStyles(t))
}

// SetKeys changes which key does what.
func (p *Picker) SetKeys(m *keymap.Map) {
	p.bound = m
	p.filter.SetKeys(m)
}

// ID implements Dialog; a picker is never withdrawn.
func (p *Picker) ID() string { return "" }

// Guarded implements Dialog: a person opened it, so keys are meant for it.
func (p *Picker) Guarded() bool { return false }

// Cancel implements Dialog.
func (p *Picker) Cancel() {}

// Update implements Dialog.
func (p *Picker) Update(msg tea.Msg) (cmd tea.Cmd, handled, done bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if m, mine := msg.(peekedMsg); mine && m.of == p {
		if m.index+1 == p.peeked {
			p.preview = m.text
		}
		return nil, true, false
	}
	if !ok {
		if _, paste := msg.(tea.PasteMsg); paste {
			p.filter.Update(msg)
			p.refilter()
			return p.peek(), true, false
		}
		return nil, false, false
	}
	p.pinned, p.touched = false, true
	if p.Again != "" && p.bound.Action(keymap.Screen, key.String()) == p.Again {
		p.step(1)
		return p.peek(), true, false
	}
	a := p.bound.Action(keymap.List, key.String())
	if do := p.Keys[a]; do != nil {
		if len(p.shown) == 0 {
			return nil, true, false
		}
		return do(p.shown[p.at]), true, true
	}
	if do := p.Do[a]; do != nil {
		if len(p.shown) == 0 {
			return nil, true, false
		}
		return do(p.shown[p.at]), true, false
	}
	switch a {
	case keymap.ListClose:
		return p.left(), true, true
	case keymap.ListChoose:
		if len(p.shown) == 0 {
			return nil, true, false
		}
		return p.Pick(p.shown[p.at]), true, !p.Stay
	case keymap.ListUp:
		p.step(-1)
	case keymap.ListDown:
		p.step(1)
	case keymap.ListPageUp:
		p.at = max(0, p.at-10)
	case keymap.ListPageDown:
		p.at = max(0, min(len(p.shown)-1, p.at+10))
	default:
		switch p.bound.Action(keymap.Prompt, key.String()) {
		case keymap.Send, keymap.Newline, keymap.Complete: // a filter is one line
			return nil, true, false
		}
		p.filter.Update(msg)
		p.refilter()
	}
	return p.peek(), true, false
}

// wheel goes on by some rows, to the first or the last at most.
func (p *Picker) wheel(by int) tea.Cmd {
	p.pinned, p.touched = false, true
	p.at = max(0, min(len(p.shown)-1, p.at+by))
	return p.peek()
}

// left is what closing it without a choice does.
func (p *Picker) left() tea.Cmd {
	if p.Leave == nil {
		return nil
	}
	return p.Leave()
}

func (p *Picker) step(by int) {
	if n := len(p.shown); n > 0 {
		p.at = (p.at + by + n) % n
	}
}

// Start reads the first preview.
func (p *Picker) Start() tea.Cmd { return p.peek() }
