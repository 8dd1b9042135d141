package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/ui/composer"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// form is the fields of a question being filled in.
type form struct {
	theme  *theme.Theme
	bound  *keymap.Map
	fields []entryField
	at     int // the one that has the keys
	top    int // first row shown
}

// entryField is one field: text in a composer, or choices out of its options.
type entryField struct {
	f      tools.Field
	text   *composer.Composer // nil: it is chosen
	chosen map[int]bool       // by option
	cursor int                // the option the keys are at
	wrong  string             // what is wrong with it, once somebody wanted to go on
}

func newForm(t *theme.Theme, fields []tools.Field) *form {
	d := &form{theme: t}
	for _, f := range fields {
		e := entryField{f: f}
		if len(f.Options) > 0 {
			e.begin()
		} else {
			o := composer.Options{Glyph: t.Glyphs.Pointer, Styles: composer.Styles{Prompt: t.Accent.Apply, Placeholder: t.Faint.Apply}}
			if f.Secret {
				o.Placeholder = f.Default
			}
			e.text = composer.New(o)
			if !f.Secret && f.Default != "" {
				e.text.SetValue(f.Default)
			}
		}
		d.fields = append(d.fields, e)
	}
	return d
}

func (d *form) setKeys(m *keymap.Map) {
	d.bound = m
	for i := range d.fields {
		if t := d.fields[i].text; t != nil {
			t.SetKeys(m)
		}
	}
}

// words are those of the fields somebody wrote into, the secret ones left out.
func (d *form) words() string {
	var all []string
	for _, e := range d.fields {
		if e.text == nil || e.f.Secret {
			continue
		}
		if text := e.text.Draft(); text != e.f.Default {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// begin chooses the options of the default.
func (e *entryField) begin() {
	e.chosen = map[int]bool{}
	values := []string{e.f.Default}
	if e.f.Many {
		values = strings.Split(e.f.Default, "\n")
	}
	first := -1
	for i, o := range e.f.Options {
		if e.f.Default != "" && slices.Contains(values, o.Value) {
			e.chosen[i] = true
			if first < 0 {
				first = i
			}
		}
	}
	e.cursor = max(0, first)
}

// value is what would be sent.
func (e *entryField) value() string {
	if e.text != nil {
		v := strings.TrimSpace(e.text.Value())
		if v == "" && e.f.Secret {
			return e.f.Default
		}
		return v
	}
	var out []string
	for i, o := range e.f.Options {
		if e.chosen[i] {
			out = append(out, o.Value)
		}
	}
	return strings.Join(out, "\n")
}

// check says what is wrong with it, and keeps that.
func (e *entryField) check() bool {
	e.wrong = ""
	switch v := e.value(); {
	case v == "" && e.f.Required:
		e.wrong = lang.T("it must not be empty")
	case v != "" && e.f.Check != nil:
		if err := e.f.Check(v); err != nil {
			e.wrong = lang.Said(err.Error())
		}
	}
	return e.wrong == ""
}

func (d *form) values() map[string]string {
	out := map[string]string{}
	for i := range d.fields {
		out[d.fields[i].f.Name] = d.fields[i].value()
	}
	return out
}

func (d *form) paste(msg tea.PasteMsg) {
	if e := &d.fields[d.at]; e.text != nil {
		e.text.Update(msg)
		e.wrong = ""
	}
}

// key takes a key; true: the form is whole and is to be sent. Enter goes on to the
// next field and, from the last, sends.
func (d *form) key(k tea.KeyPressMsg) bool {
	e := &d.fields[d.at]
	switch d.bound.Action(keymap.Form, k.String()) {
	case keymap.FormNext:
		if !e.check() {
			return false
		}
		if d.at+1 < len(d.fields) {
			d.at++
			return false
		}
		for i := range d.fields {
			if !d.fields[i].check() {
				d.at = i
				return false
			}
		}
		return true
	case keymap.FormField:
		e.check()
		d.at = (d.at + 1) % len(d.fields)
	case keymap.FormBefore:
		e.check()
		d.at = (d.at + len(d.fields) - 1) % len(d.fields)
	default:
		e.wrong = ""
		if e.text != nil {
			e.text.Update(k)
			return false
		}
		e.choose(d.bound, k)
	}
	return false
}

// choose moves among options and takes them. Where one alone may be taken, moving
// takes it; in the other case space does.
func (e *entryField) choose(keys *keymap.Map, k tea.KeyPressMsg) {
	n := len(e.f.Options)
	switch keys.Action(keymap.Choice, k.String()) {
	case keymap.ChoiceLeft:
		e.cursor = (e.cursor + n - 1) % n
	case keymap.ChoiceRight:
		if len(e.chosen) > 0 || e.f.Many {
			e.cursor = (e.cursor + 1) % n
		}
	case keymap.ChoiceTake:
		if e.f.Many {
			if e.chosen[e.cursor] = !e.chosen[e.cursor]; !e.chosen[e.cursor] {
				delete(e.chosen, e.cursor)
			}
			return
		}
		if len(e.chosen) > 0 {
			e.cursor = (e.cursor + 1) % n
		}
	case keymap.ChoiceClear:
		clear(e.chosen)
		return
	default:
		i := e.begins(k.Text)
		if i < 0 {
			return
		}
		e.cursor = i
	}
	if !e.f.Many {
		clear(e.chosen)
		e.chosen[e.cursor] = true
	}
}

// begins finds the next option that begins with a letter.
func (e *entryField) begins(letter string) int {
	if letter == "" {
		return -1
	}
	for n := range e.f.Options {
		i := (e.cursor + 1 + n) % len(e.f.Options)
		for _, s := range []string{e.f.Options[i].Label, e.f.Options[i].Value} {
			if strings.HasPrefix(strings.ToLower(s), strings.ToLower(letter)) {
				return i
			}
		}
	}
	return -1
}

func (d *form) help() string {
	e := &d.fields[d.at]
	enter := d.bound.Named(lang.T("enter send"), keymap.FormNext)
	if d.at+1 < len(d.fields) {
		enter = d.bound.Named(lang.T("enter next"), keymap.FormNext)
	}
	switch {
	case e.text == nil && e.f.Many:
		return d.bound.Named(lang.T("←→ space choose"), keymap.ChoiceLeft, keymap.ChoiceRight, keymap.ChoiceTake) + lang.T(" · ") + enter
	case e.text == nil:
		return d.bound.Named(lang.T("←→ choose"), keymap.ChoiceLeft, keymap.ChoiceRight) + lang.T(" · ") + enter
	case len(d.fields) > 1:
		return d.bound.Named(lang.T("tab other fields"), keymap.FormField) + lang.T(" · ") + enter
	}
	return enter
}

// view draws the fields that fit around the current one, and where the cursor is;
// y is negative where there is none.
func (d *form) view(width, height int) (rows []string, x, y int) {
	t := d.theme
	y = -1
	from, to := 0, 0
	for i := range d.fields {
		e := &d.fields[i]
		if i == d.at {
			from = len(rows)
		}
		label := safe.Line(safe.Prompt(e.f.Label))
		style := t.Muted
		if i == d.at {
			style = t.Text
		}
		head := "  " + style.Apply(cut(label, width-4))
		if e.f.Required {
			head += t.Warn.Apply(" *")
		}
		rows = append(rows, head)
		if e.f.Note != "" && i == d.at {
			for _, r := range safe.Wrap(safe.Prompt(lang.Said(e.f.Note)), max(4, width-2)) {
				rows = append(rows, "  "+t.Faint.Apply(r))
			}
		}
		body, cx, cy := d.draw(e, i == d.at, max(4, width-2))
		if i == d.at && cy >= 0 {
			x, y = cx+2, len(rows)+cy
		}
		for _, r := range body {
			rows = append(rows, "  "+r)
		}
		if e.wrong != "" {
			rows = append(rows, "  "+t.Error.Apply(cut(t.Glyphs.Fail+" "+safe.Line(e.wrong), width-2)))
		}
		if i == d.at {
			to = len(rows)
		}
	}
	if len(rows) <= height {
		d.top = 0
		return rows, x, y
	}
	d.top = min(max(d.top, to-height), from, len(rows)-height)
	return rows[d.top : d.top+height], x, y - d.top
}

func (d *form) draw(e *entryField, here bool, width int) (rows []string, x, y int) {
	if e.text != nil {
		if e.f.Secret && !e.text.Empty() { // how much was typed, and nothing else
			dots := strings.Repeat("*", min(len([]rune(e.text.Value())), max(1, width-3)))
			return []string{d.theme.Accent.Apply(d.theme.Glyphs.Pointer) + " " + dots}, 2 + len(dots), 0
		}
		return e.text.View(width, 3)
	}
	t := d.theme
	var row strings.Builder
	used := 0
	for i, o := range e.f.Options {
		label := o.Label
		if label == "" {
			label = o.Value
		}
		mark := t.Glyphs.Ring
		switch {
		case e.f.Many && e.chosen[i]:
			mark = t.Glyphs.Ticked
		case e.f.Many:
			mark = t.Glyphs.Unticked
		case e.chosen[i]:
			mark = t.Glyphs.Dot
		}
		text := safe.Truncate(mark+" "+safe.Line(safe.Prompt(label)), width, t.Glyphs.Ellipsis)
		if w := safe.Width(text) + 2; used > 0 && used+w > width {
			rows = append(rows, row.String())
			row.Reset()
			used = 0
		}
		if used > 0 {
			row.WriteString("  ")
			used += 2
		}
		used += safe.Width(text)
		if here && i == e.cursor {
			text = t.Selection.Apply(text)
		}
		row.WriteString(text)
	}
	return append(rows, row.String()), 0, -1
}
