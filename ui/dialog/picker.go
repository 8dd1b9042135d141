package dialog

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"forge/ui/composer"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// Entry is a line of a picker.
type Entry struct {
	Label  string
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

func filterStyles(t *theme.Theme) composer.Styles {
	return composer.Styles{Prompt: t.Accent.Apply, Placeholder: t.Faint.Apply}
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

// left is what closing it without a choice does.
func (p *Picker) left() tea.Cmd {
	if p.Leave == nil {
		return nil
	}
	return p.Leave()
}

// extra are the actions of the picker's own that its help names.
func (p *Picker) extra() (out []keymap.Action) {
	for _, a := range []keymap.Action{keymap.ListRename, keymap.ListDelete} {
		if p.Keys[a] != nil || p.Do[a] != nil {
			out = append(out, a)
		}
	}
	return out
}

func (p *Picker) step(by int) {
	if n := len(p.shown); n > 0 {
		p.at = (p.at + by + n) % n
	}
}

type source []Entry

func (s source) String(i int) string { return s[i].Label + " " + s[i].Detail + " " + s[i].Search }
func (s source) Len() int            { return len(s) }

func (p *Picker) refilter() {
	p.shown = p.shown[:0]
	p.at = 0
	query := strings.TrimSpace(p.filter.Value())
	if query == "" {
		for i := range p.entries {
			p.shown = append(p.shown, i)
		}
		return
	}
	words := strings.Fields(strings.ToLower(query))
	var told, within []int // those where the words stand in what is said of it, and inside of others
	for i, e := range p.entries {
		if holds(strings.ToLower(e.Label), words) == atBegin {
			p.shown = append(p.shown, i)
			continue
		}
		switch text := strings.ToLower(source(p.entries).String(i) + " " + e.Rest); holds(text, words) {
		case atBegin:
			told = append(told, i)
		case anywhere:
			within = append(within, i)
		}
	}
	if p.shown = append(append(p.shown, told...), within...); len(p.shown) > 0 {
		return
	}
	for _, m := range fuzzy.FindFrom(query, source(p.entries)) { // letters of it, as a last help
		p.shown = append(p.shown, m.Index)
	}
}

// How words stand in a text.
const (
	nowhere = iota
	anywhere
	atBegin // the first of them at the begin of a word
)

func holds(text string, words []string) int {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return nowhere
		}
	}
	for at := 0; ; {
		i := strings.Index(text[at:], words[0])
		if i < 0 {
			return anywhere
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		if at+i == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return atBegin
		}
		at += i + len(words[0])
	}
}

// Filter writes into the filter, as if it had been typed.
func (p *Picker) Filter(words string) {
	p.filter.SetValue(words)
	p.refilter()
}

// View implements Dialog.
func (p *Picker) View(width, height int, _ bool) Frame {
	t := p.Theme
	rows := []string{t.Title.Apply(cut(safe.Output(p.Title), width))}
	filter, x, y := p.filter.View(width, 1)
	f := Frame{X: x, Y: y + len(rows), Cursor: true}
	rows = append(rows, filter...)
	room := max(1, height-len(rows)-1)
	var preview []string
	if p.Peek != nil && room >= 9 {
		preview = p.previewRows(width, room/2)
		room -= len(preview)
	}
	if p.Show != nil && len(p.shown) > 0 && room >= 9 {
		for _, r := range p.Show(p.shown[p.at], width-2) {
			preview = append(preview, "  "+cut(r, width-2))
		}
		preview = append([]string{t.Border.Apply(strings.Repeat(t.Glyphs.Rule, width))}, preview...)
		room -= len(preview)
	}
	first := min(max(0, p.at-room/2), max(0, len(p.shown)-room))
	if p.pinned = p.pinned && p.at >= p.first && p.at < p.first+room; p.pinned {
		first = p.first
	}
	p.first, p.listed, p.room = first, len(rows), room
	for i := first; i < min(first+room, len(p.shown)); i++ {
		rows = append(rows, p.row(p.entries[p.shown[i]], i == p.at, width))
	}
	if len(p.shown) == 0 {
		rows = append(rows, t.Muted.Apply(cut("  "+lang.T("nothing matches"), width)))
	}
	help := p.Help
	if help == "" {
		help = lang.T("enter choose · esc close")
	}
	help = p.bound.Named(help, append([]keymap.Action{keymap.ListChoose}, append(p.extra(), keymap.ListClose)...)...)
	if n := len(p.shown); n > room {
		help = lang.T("%d of %d · %s", p.at+1, n, help)
	}
	rows = append(rows, preview...)
	f.Rows = append(rows, t.Faint.Apply(cut(help, width)))
	return f
}

// previewRows shows what was read of the entry chosen, under a rule.
func (p *Picker) previewRows(width, room int) []string {
	if p.preview == "" {
		return nil
	}
	t := p.Theme
	var rows []string
	for l := range strings.Lines(p.preview) {
		for _, r := range safe.Wrap(safe.Output(strings.TrimRight(l, "\n")), max(1, width-2)) {
			rows = append(rows, "  "+t.Muted.Apply(r))
		}
	}
	if len(rows) >= room {
		rows = rows[len(rows)-room+1:]
	}
	return append([]string{t.Faint.Apply(strings.Repeat(t.Glyphs.Rule, width))}, rows...)
}

func (p *Picker) row(e Entry, chosen bool, width int) string {
	t := p.Theme
	mark := "  "
	if chosen {
		mark = t.Glyphs.Pointer + " "
	}
	now := ""
	if e.Chosen {
		now = " " + t.Glyphs.Ok
	}
	label := cut(oneLine(e.Label), max(1, width-3-len(now)))
	left := mark + label + now
	room := width - safe.Width(left) - 2
	detail := ""
	if room > 8 && e.Detail != "" {
		detail = "  " + cut(oneLine(e.Detail), room)
	}
	if chosen {
		return t.Selection.Apply(safe.Fit(left+detail, width, ""))
	}
	return left + t.Muted.Apply(detail)
}

// oneLine makes untrusted text fit for a row.
func oneLine(s string) string {
	return strings.Join(strings.Fields(safe.Output(s)), " ")
}

// Start reads the first preview.
func (p *Picker) Start() tea.Cmd { return p.peek() }
