package dialog

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/ui/composer"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/theme"
)

// Inquiry puts what a model wants to know: one topic after the other and, where there are
// several, at the end what would be sent. It permits nothing and does not look like what
// does: the model's words stand behind a bar, and all else is forge's.
type Inquiry struct {
	// Kept is given what the person wrote into a question that they close; nil: it goes.
	Kept func(words string)

	bound *keymap.Map
	q     tools.Question
	theme *theme.Theme
	reply func(tools.Reply)
	pages []*inquiryPage // one a topic, and one to send from where there are several
	at    int            // the one shown

	writing bool // words of the person's own are being written
	clicked bool // the last that was done was a click on the row the cursor is at
	passing bool // the keys last pressed were words for the prompt
	note    string
	beneath bool // Stack.Beneath
	drawn   inquiryDrawn
}

// inquiryPage is a topic and what is said to it so far. The page to send from has none.
type inquiryPage struct {
	t      *tools.Topic
	chosen []bool             // by option
	own    *composer.Composer // words of the person's own
	owned  bool               // they are (a part of) the answer
	cursor int                // the row the keys are at
	top    int                // first row shown
	follow bool               // the window goes with the cursor
}

// NewInquiry returns a dialog for the topics of q; reply is called once and must not
// block.
func NewInquiry(t *theme.Theme, q tools.Question, reply func(tools.Reply)) *Inquiry {
	d := &Inquiry{q: q, theme: t, reply: reply}
	for i := range q.Topics {
		topic := &q.Topics[i]
		d.pages = append(d.pages, &inquiryPage{t: topic, chosen: make([]bool, len(topic.Options)),
			own: composer.New(composer.Options{Glyph: t.Glyphs.Pointer, Styles: filterStyles(t)})})
	}
	if len(q.Topics) > 1 {
		d.pages = append(d.pages, &inquiryPage{cursor: len(q.Topics)})
	}
	return d
}

// SetKeys changes which key does what.
func (d *Inquiry) SetKeys(m *keymap.Map) {
	d.bound = m
	for _, p := range d.pages {
		if p.own != nil {
			p.own.SetKeys(m)
		}
	}
}

// SetTheme changes the looks of a question and of what is written into it.
func (d *Inquiry) SetTheme(t *theme.Theme) {
	d.theme = t
	for _, p := range d.pages {
		if p.own != nil {
			p.own.SetStyles(filterStyles(t))
		}
	}
}

// ID implements Dialog.
func (d *Inquiry) ID() string { return d.q.ID }

// Guarded implements Dialog.
func (d *Inquiry) Guarded() bool { return true }

// Cancel implements Dialog.
func (d *Inquiry) Cancel() { d.reply(tools.Reply{}) }

func (d *Inquiry) setBeneath(b bool) { d.beneath = b }

func (d *Inquiry) passed() { d.passing = true }

func (d *Inquiry) within() bool { return d.writing }

// words implements Stack.Words.
func (d *Inquiry) words() string {
	var all []string
	for _, p := range d.pages {
		if p.own != nil && !p.own.Empty() {
			all = append(all, p.own.Draft())
		}
	}
	return strings.Join(all, "\n")
}

// page is the one shown.
func (d *Inquiry) page() *inquiryPage { return d.pages[d.at] }

// rows is how many rows of a page can be gone to: the options and words of one's own, or
// the topics and sending.
func (d *Inquiry) rows() int {
	if t := d.page().t; t != nil {
		return len(t.Options) + 1
	}
	return len(d.q.Topics) + 1
}

// response is what is said to the topic of a page.
func (p *inquiryPage) response() (r tools.Response) {
	for i, c := range p.chosen {
		if c {
			r.Chosen = append(r.Chosen, i)
		}
	}
	if p.owned {
		r.Words = strings.TrimSpace(p.own.Value())
	}
	return r
}

// Update implements Dialog.
func (d *Inquiry) Update(msg tea.Msg) (cmd tea.Cmd, handled, done bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		d.clicked = false
		if d.writing {
			return nil, true, d.write(msg)
		}
		handled, done = d.key(msg)
		return nil, handled, done
	case tea.PasteMsg:
		if d.writing = d.writing || d.begins(); d.writing {
			d.note = ""
			d.page().own.Update(msg)
		}
		return nil, d.writing, false
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			d.scroll(-3)
		case tea.MouseWheelDown:
			d.scroll(3)
		}
		return nil, true, false
	}
	return nil, false, false
}

func (d *Inquiry) scroll(by int) {
	p := d.page()
	p.top += by
	p.follow = false
}

func (d *Inquiry) key(k tea.KeyPressMsg) (handled, done bool) {
	p := d.page()
	if beginsWord(k) && (len(k.Text) > 1 || !unicode.IsDigit(rune(k.Text[0]))) && d.begins() {
		d.writing, d.note = true, ""
		return true, d.write(k)
	}
	passing := d.passing
	d.note, d.passing = "", false
	switch d.bound.Action(keymap.Inquiry, k.String()) {
	case keymap.InquiryUp:
		d.moveTo((p.cursor + d.rows() - 1) % d.rows())
	case keymap.InquiryDown:
		d.moveTo((p.cursor + 1) % d.rows())
	case keymap.InquiryPageUp:
		d.scroll(-max(1, d.drawn.page-1))
	case keymap.InquiryPageDown:
		d.scroll(max(1, d.drawn.page-1))
	case keymap.InquiryNext:
		d.show((d.at + 1) % len(d.pages))
	case keymap.InquiryBefore:
		d.show((d.at + len(d.pages) - 1) % len(d.pages))
	case keymap.InquiryTick:
		if passing && k.Text != "" { // it parts words there
			return false, false
		}
		d.mark(p.cursor)
	case keymap.InquiryTake:
		if passing { // whoever wrote to the prompt may mean to send that
			d.elsewhere()
			return true, false
		}
		return true, d.take()
	case keymap.InquiryClose:
		if words := d.words(); words != "" && d.Kept != nil {
			d.Kept(words)
		}
		d.reply(tools.Reply{})
		return true, true
	default:
		for i := range d.rows() {
			if k.Text == digit(i) && passing && !p.isOwn(i) {
				d.moveTo(i)
				d.elsewhere()
				return true, false
			}
			if k.Text == digit(i) {
				return true, d.number(i)
			}
		}
		return k.Text != "" && !beginsWord(k), false
	}
	return true, false
}

// begins reports whether what is typed or pasted begins words of the person's own: they
// went to the row for them, and do not write on in the prompt.
func (d *Inquiry) begins() bool {
	p := d.page()
	return !d.passing && p.isOwn(p.cursor)
}

// elsewhere says where words went that were typed while this stood here.
func (d *Inquiry) elsewhere() {
	d.note = d.bound.Named(lang.T("your words are in the prompt; enter again answers"), keymap.InquiryTake)
}

func (d *Inquiry) moveTo(row int) {
	p := d.page()
	p.cursor, p.follow = row, true
}

func (d *Inquiry) show(at int) {
	d.at, d.writing, d.clicked, d.note = at, false, false, ""
	d.drawn = inquiryDrawn{tabs: -1} // nothing of it has been seen
	if p := d.page(); p.t == nil {
		p.cursor = len(d.q.Topics)
	}
}

// isOwn reports whether a row of the page is the one for words of the person's own.
func (p *inquiryPage) isOwn(row int) bool { return p.t != nil && row == len(p.t.Options) }

// number is a digit: what is not in view is only gone to, since nobody has read it.
func (d *Inquiry) number(row int) (done bool) {
	seen := d.drawn.sees(row)
	d.moveTo(row)
	p := d.page()
	switch {
	case p.isOwn(row): // there is nothing to read of it
		d.writing = true
	case !seen:
	case p.t != nil && p.t.Many:
		d.mark(row)
	default:
		return d.take()
	}
	return false
}

// mark chooses a row, or takes that back.
func (d *Inquiry) mark(row int) {
	p := d.page()
	switch {
	case !d.drawn.sees(row):
		p.follow = true
	case p.t == nil:
	case p.isOwn(row) && strings.TrimSpace(p.own.Value()) == "":
		d.writing = true
	case p.isOwn(row):
		p.owned = !p.owned
		p.alone(row)
	default:
		p.chosen[row] = !p.chosen[row]
		p.alone(row)
	}
}

// alone takes all other rows back where one alone may be chosen.
func (p *inquiryPage) alone(row int) {
	if p.t.Many {
		return
	}
	for i := range p.chosen {
		p.chosen[i] = p.chosen[i] && i == row
	}
	p.owned = p.owned && p.isOwn(row)
}

// take takes the row the cursor is at and goes on.
func (d *Inquiry) take() (done bool) {
	p := d.page()
	switch {
	case !d.drawn.sees(p.cursor):
		p.follow = true
		return false
	case p.t == nil && p.cursor < len(d.q.Topics):
		d.show(p.cursor)
		return false
	case p.t == nil:
		return d.send()
	case p.isOwn(p.cursor) && !p.owned:
		d.writing = true
		return false
	case !p.t.Many && !p.isOwn(p.cursor):
		p.chosen[p.cursor] = true
		p.alone(p.cursor)
	case p.response().Open():
		d.note = d.bound.Named(lang.T("nothing is marked yet: space marks"), keymap.InquiryTick)
		return false
	}
	return d.goOn()
}

// goOn shows the next page, or sends from the last one.
func (d *Inquiry) goOn() (done bool) {
	if d.at == len(d.pages)-1 {
		return d.send()
	}
	d.show(d.at + 1)
	return false
}

func (d *Inquiry) send() (done bool) {
	r := tools.Reply{Choice: "ok"}
	for _, p := range d.pages {
		if p.t != nil {
			r.Responses = append(r.Responses, p.response())
		}
	}
	d.reply(r)
	return true
}

// write takes a key for the words of the person's own.
func (d *Inquiry) write(k tea.KeyPressMsg) (done bool) {
	p := d.page()
	a := d.bound.Action(keymap.Note, k.String())
	if a != keymap.NoteDone && a != keymap.NoteClose {
		p.own.Update(k)
		return false
	}
	d.writing, d.note = false, ""
	empty := strings.TrimSpace(p.own.Value()) == ""
	if p.owned = !empty && (p.owned || a == keymap.NoteDone); a == keymap.NoteClose || empty {
		return false
	}
	p.alone(len(p.t.Options))
	if p.t.Many { // there may be more to mark
		return false
	}
	return d.goOn()
}
