package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/ui/keymap"
	"forge/ui/lang"
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
