package dialog

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// Question puts a tools.Question: choices by key, a form to fill in, or a page that
// somebody wants opened.
type Question struct {
	// Open starts the browser on an address, off the loop; nil: there is none to
	// start, and Why says so.
	Open func(address string) error
	Why  string

	bound *keymap.Map
	q     tools.Question
	theme *theme.Theme
	reply func(tools.Reply)
	form  *form // nil: there is nothing to type

	top, rows, page int  // the window on the body
	seen            bool // its end was shown
	opening         bool // the browser is being started
	note            string
	beneath         bool // Stack.Beneath
	answers         answers
}

// pageOpened says how starting the browser went.
type pageOpened struct {
	id  string
	err error
}

// NewQuestion returns a dialog for q; reply is called once and must not block.
func NewQuestion(t *theme.Theme, q tools.Question, reply func(tools.Reply)) *Question {
	q.Title, q.Body, q.Choices = lang.Said(q.Title), lang.Lines(q.Body), slices.Clone(q.Choices)
	for i, c := range q.Choices {
		q.Choices[i].Label = lang.Said(c.Label)
	}
	d := &Question{q: q, theme: t, reply: reply}
	if len(q.Fields) > 0 {
		d.form = newForm(t, q.Fields)
	}
	return d
}

// SetKeys changes which key does what.
func (d *Question) SetKeys(m *keymap.Map) {
	d.bound = m
	if d.form != nil {
		d.form.setKeys(m)
	}
}

// ID implements Dialog.
func (d *Question) ID() string { return d.q.ID }

// words implements Stack.Words.
func (d *Question) words() string {
	if d.form == nil {
		return ""
	}
	return d.form.words()
}

// Guarded implements Dialog.
func (d *Question) Guarded() bool { return true }

func (d *Question) setBeneath(b bool) { d.beneath = b }

// Cancel implements Dialog.
func (d *Question) Cancel() { d.reply(tools.Reply{}) }

// Update implements Dialog.
func (d *Question) Update(msg tea.Msg) (cmd tea.Cmd, handled, done bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return d.key(msg)
	case tea.PasteMsg:
		if d.form != nil {
			d.form.paste(msg)
		}
		return nil, d.form != nil, false
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			d.scroll(-3)
		case tea.MouseWheelDown:
			d.scroll(3)
		}
		return nil, true, false
	case pageOpened:
		if msg.id != d.q.ID || !d.opening {
			return nil, false, false
		}
		if d.opening = false; msg.err != nil {
			d.note = lang.T("no browser was opened: %s", msg.err.Error())
			return nil, true, false
		}
		return nil, true, d.answer(0)
	}
	return nil, false, false
}

func (d *Question) key(k tea.KeyPressMsg) (cmd tea.Cmd, handled, done bool) {
	chosen := d.answers.chosen
	if d.answers.chosen, d.answers.hint = "", ""; chosen != "" && d.form == nil && d.bound.Action(keymap.Note, k.String()) == keymap.NoteDone {
		return d.take(chosen)
	}
	a := d.bound.Action(keymap.Question, k.String())
	form := d.bound.Action(keymap.Form, k.String())
	switch {
	case d.form == nil && a == keymap.QuestionClose, d.form != nil && form == keymap.FormClose:
		d.reply(tools.Reply{})
		return nil, true, true
	case d.form != nil && form == keymap.FormDecline && len(d.q.Choices) > 1:
		return nil, true, d.answer(1)
	case d.form != nil:
		if d.form.key(k) {
			return nil, true, d.answer(0)
		}
		return nil, true, false
	case d.q.URL != "" && a == keymap.QuestionOpen:
		return d.open(), true, false
	case d.q.URL != "" && a == keymap.QuestionCopy:
		d.note = lang.T("copied, where the terminal allows it")
		return tea.SetClipboard(d.q.URL), true, false
	}
	switch a {
	case keymap.QuestionUp:
		d.top--
		return nil, true, false
	case keymap.QuestionDown:
		d.top++
		return nil, true, false
	case keymap.QuestionPageUp:
		d.top -= max(1, d.page-1)
		return nil, true, false
	case keymap.QuestionPageDown:
		d.top += max(1, d.page-1)
		return nil, true, false
	case keymap.QuestionTop:
		d.top = 0
		return nil, true, false
	case keymap.QuestionEnd:
		d.top = d.rows
		return nil, true, false
	}
	for i, c := range d.q.Choices {
		if k.Text == "" || !strings.EqualFold(k.Text, c.Key) && k.Text != digit(i) {
			continue
		}
		return nil, true, d.choose(i)
	}
	return nil, k.Text != "" && !beginsWord(k), false
}

func (d *Question) scroll(by int) { d.top += by }

// choose gives a choice, by its place, once all of the question was shown.
func (d *Question) choose(i int) (done bool) {
	if !d.seen && i < len(d.q.Choices)-1 { // the last one is the careful one
		d.top += max(1, d.page-1)
		return false
	}
	return d.answer(i)
}

// Click moves to the answer in a row of the last View; on the one it is at already it gives
// it.
func (d *Question) Click(row int) (cmd tea.Cmd, done bool) {
	answer, again := d.answers.click(row)
	if d.answers.hint = ""; answer == "" || d.form != nil {
		return nil, false
	}
	d.answers.hint = d.bound.Named(lang.T("enter, or a second click, takes it"), keymap.NoteDone)
	if !again {
		return nil, false
	}
	cmd, _, done = d.take(answer)
	return cmd, done
}

// take gives an answer that was chosen by a click.
func (d *Question) take(answer string) (cmd tea.Cmd, handled, done bool) {
	d.answers.chosen = ""
	switch keymap.Action(answer) {
	case keymap.QuestionOpen:
		return d.open(), true, false
	case keymap.QuestionCopy:
		d.note = lang.T("copied, where the terminal allows it")
		return tea.SetClipboard(d.q.URL), true, false
	}
	for i, c := range d.q.Choices {
		if c.ID == answer {
			return nil, true, d.choose(i)
		}
	}
	return nil, true, false
}

// open starts the browser, once the whole address was shown.
func (d *Question) open() tea.Cmd {
	switch {
	case !d.seen:
		d.top += max(1, d.page-1)
	case d.Open == nil:
		d.note = d.bound.Named(lang.T("no browser can be opened here; c copies the address"), keymap.QuestionCopy)
	case !d.opening:
		d.opening = true
		start, id, address := d.Open, d.q.ID, d.q.URL
		return func() tea.Msg { return pageOpened{id, start(address)} }
	}
	return nil
}

// answer gives a choice, by its place; where there are none, what was filled in.
func (d *Question) answer(i int) bool {
	r := tools.Reply{Choice: "ok"}
	if i < len(d.q.Choices) {
		r.Choice = d.q.Choices[i].ID
	}
	if d.form != nil {
		r.Values = d.form.values()
	}
	d.reply(r)
	return true
}

// View implements Dialog.
func (d *Question) View(width, height int, armed bool) Frame {
	seen := d.seen
	f := d.view(width, height, armed)
	if !seen && d.seen { // its end has just been shown: the answers say so at once
		f = d.view(width, height, armed)
	}
	return f
}

func (d *Question) view(width, height int, armed bool) Frame {
	t := d.theme
	title := t.Glyphs.Warn + " " + safe.Prompt(d.q.Title)
	f := Frame{Rows: []string{t.Title.Apply(cut(title, width))}}
	var foot []string
	d.answers.rows = nil
	if d.form == nil {
		foot = d.choices(width, armed)
	}
	help := d.help()
	switch {
	case d.answers.hint != "":
		help = d.answers.hint
	case d.note != "":
		help = d.note
	}
	foot = append(foot, t.Faint.Apply(cut("  "+safe.Line(help), width)))
	room := max(1, height-1-len(foot))
	if d.form == nil {
		d.page = room
		f.Rows = append(append(f.Rows, d.window(d.body(width), width)...), foot...)
		d.answers.drawn(len(f.Rows), len(foot))
		return f
	}
	body := d.body(width)
	if most := max(1, room/2); len(body) > most { // the form matters more
		body = append(body[:most-1:most-1], t.Muted.Apply("  "+t.Glyphs.Ellipsis))
	}
	f.Rows = append(f.Rows, body...)
	rows, x, y := d.form.view(width, max(2, room-len(body)))
	f.X, f.Y, f.Cursor = x, y+len(f.Rows), y >= 0 && armed // before, what is typed is written elsewhere
	f.Rows = append(append(f.Rows, rows...), foot...)
	return f
}

// body is what is asked: the text, and the page it is about, whole.
func (d *Question) body(width int) []string {
	var rows []string
	if d.q.Body != "" {
		for _, row := range safe.Wrap(safe.Prompt(d.q.Body), max(4, width-2)) {
			rows = append(rows, "  "+row)
		}
	}
	if d.q.URL == "" {
		return rows
	}
	rows = append(rows, "")
	shown := safe.Prompt(d.q.URL)
	before, host, after := shown, "", ""
	if u, err := url.Parse(d.q.URL); err == nil && u.Host != "" {
		if at := strings.Index(shown, u.Host); at >= 0 { // where someone could be misled, it has no marker in it
			before, host, after = shown[:at], u.Host, shown[at+len(u.Host):]
		}
	}
	pos := 0
	for _, row := range safe.Chop(before+host+after, max(4, width-2)) {
		from, to := pos, pos+len(row)
		pos = to
		row = d.paint(row, from, len(before), len(before)+len(host))
		rows = append(rows, "  "+row)
	}
	return rows
}

// paint marks the part of a row that belongs to the host. row begins at from; the
// host is between a and b.
func (d *Question) paint(row string, from, a, b int) string {
	a, b = min(max(a-from, 0), len(row)), min(max(b-from, 0), len(row))
	if a >= b {
		return row
	}
	return row[:a] + d.theme.Warn.Apply(row[a:b]) + row[b:]
}

// window cuts the body to the page and remembers whether its end was shown.
func (d *Question) window(all []string, width int) []string {
	if d.rows = len(all); d.rows <= d.page {
		d.top, d.seen = 0, true
		return all
	}
	page := max(1, d.page-1)
	d.top = min(max(0, d.top), d.rows-page)
	d.seen = d.seen || d.top+page >= d.rows
	at := d.bound.Named(lang.T("rows %d to %d of %d · ↑↓ scroll", d.top+1, d.top+page, d.rows), keymap.QuestionUp, keymap.QuestionDown)
	return append(append([]string(nil), all[d.top:d.top+page]...), d.theme.Faint.Apply(cut("  "+at, width)))
}

func (d *Question) choices(width int, armed bool) (rows []string) {
	t := d.theme
	if d.q.URL != "" {
		label := lang.T("open it in the browser")
		switch {
		case d.opening:
			label = lang.T("opening the browser")
		case d.Open == nil:
			label = lang.T("no browser here: %s", d.Why)
		case !d.seen:
			label = lang.T("scroll to the end first")
		}
		rows = append(rows, choice(t, d.bound.First(keymap.QuestionOpen), label, width, armed && d.Open != nil))
		d.answers.mark(t, rows, 1, string(keymap.QuestionOpen), width)
		rows = append(rows, choice(t, d.bound.First(keymap.QuestionCopy), lang.T("copy the address"), width, armed))
		d.answers.mark(t, rows, 1, string(keymap.QuestionCopy), width)
	}
	for i, c := range d.q.Choices {
		label, ready := safe.Prompt(c.Label), armed
		if !d.seen && i < len(d.q.Choices)-1 && d.rows > d.page {
			label, ready = lang.T("scroll to the end first"), false
		}
		rows = append(rows, choice(t, keyName(c.Key, i), label, width, ready))
		d.answers.mark(t, rows, 1, c.ID, width)
	}
	return rows
}

func (d *Question) help() string {
	if d.beneath && d.form == nil {
		return d.bound.Named(lang.T("esc out of the view above"), keymap.QuestionClose)
	}
	if n := len(d.q.Choices); d.form == nil && d.q.URL == "" && n > 1 { // unanswered is the careful answer
		return d.bound.Named(lang.T("esc: %s", safe.Line(d.q.Choices[n-1].Label)), keymap.QuestionClose)
	}
	if d.form == nil {
		return d.bound.Named(lang.T("esc close"), keymap.QuestionClose)
	}
	help := d.form.help()
	if len(d.q.Choices) > 1 {
		help += d.bound.Named(lang.T(" · ctrl+d %s", strings.ToLower(safe.Line(d.q.Choices[1].Label))), keymap.FormDecline)
	}
	if d.beneath {
		return help + lang.T(" · ") + d.bound.Named(lang.T("esc out of the view above"), keymap.FormClose)
	}
	return help + d.bound.Named(lang.T(" · esc cancel"), keymap.FormClose)
}

func digit(i int) string { return fmt.Sprint(i + 1) }

func keyName(key string, i int) string {
	if key == "" {
		return digit(i)
	}
	return key
}

// choice is a row "y  allow once"; its key is faint while keys go elsewhere.
func choice(t *theme.Theme, key, label string, width int, armed bool) string {
	style := t.Key
	if !armed {
		style = t.Faint
	}
	pad := strings.Repeat(" ", max(1, 4-safe.Width(key)))
	return "  " + style.Apply(key) + pad + cut(label, max(1, width-2-safe.Width(key)-len(pad)))
}
