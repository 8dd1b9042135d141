package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/ui/composer"
	"forge/ui/safe"
	"forge/ui/theme"
)

// Question puts a tools.Question: choices by key, or fields to be typed.
type Question struct {
	q      tools.Question
	theme  *theme.Theme
	reply  func(tools.Reply)
	fields []*composer.Composer
	at     int // the field being typed
}

// NewQuestion returns a dialog for q; reply is called once and must not block.
func NewQuestion(t *theme.Theme, q tools.Question, reply func(tools.Reply)) *Question {
	d := &Question{q: q, theme: t, reply: reply}
	for _, f := range q.Fields {
		c := composer.New(composer.Options{Glyph: t.Glyphs.Pointer, Placeholder: f.Default,
			Styles: composer.Styles{Prompt: t.Accent.Apply, Placeholder: t.Faint.Apply}})
		d.fields = append(d.fields, c)
	}
	return d
}

// ID implements Dialog.
func (d *Question) ID() string { return d.q.ID }

// Guarded implements Dialog.
func (d *Question) Guarded() bool { return true }

// Cancel implements Dialog.
func (d *Question) Cancel() { d.reply(tools.Reply{}) }

// Update implements Dialog.
func (d *Question) Update(msg tea.Msg) (cmd tea.Cmd, handled, done bool) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		if _, paste := msg.(tea.PasteMsg); paste && len(d.fields) > 0 {
			d.fields[d.at].Update(msg)
			return nil, true, false
		}
		return nil, false, false
	}
	if key.String() == "esc" {
		d.reply(tools.Reply{})
		return nil, true, true
	}
	if len(d.fields) > 0 {
		return d.typeKey(key)
	}
	for i, c := range d.q.Choices {
		if key.Text != "" && (strings.EqualFold(key.Text, c.Key) || key.Text == digit(i)) {
			d.reply(tools.Reply{Choice: c.ID})
			return nil, true, true
		}
	}
	return nil, key.Text != "", false
}

// typeKey fills the fields; Enter goes to the next and, from the last, answers
// with the first choice.
func (d *Question) typeKey(key tea.KeyPressMsg) (cmd tea.Cmd, handled, done bool) {
	switch key.String() {
	case "enter", "tab":
		if d.at+1 < len(d.fields) {
			d.at++
			return nil, true, false
		}
		if key.String() == "tab" {
			d.at = 0
			return nil, true, false
		}
		r := tools.Reply{Values: map[string]string{}, Choice: "ok"}
		if len(d.q.Choices) > 0 {
			r.Choice = d.q.Choices[0].ID
		}
		for i, f := range d.q.Fields {
			v := strings.TrimSpace(d.fields[i].Value())
			if v == "" {
				v = f.Default
			}
			r.Values[f.Name] = v
		}
		d.reply(r)
		return nil, true, true
	case "shift+tab", "up":
		d.at = max(0, d.at-1)
	default:
		d.fields[d.at].Update(key)
	}
	return nil, true, false
}

// View implements Dialog.
func (d *Question) View(width, height int, armed bool) Frame {
	t := d.theme
	title := t.Glyphs.Warn + " " + safe.Prompt(d.q.Title)
	f := Frame{Rows: []string{t.Title.Apply(cut(title, width))}}
	for _, row := range safe.Wrap(safe.Prompt(d.q.Body), max(4, width-2)) {
		if d.q.Body != "" {
			f.Rows = append(f.Rows, "  "+row)
		}
	}
	if room := max(2, height-len(d.fields)*2-len(d.q.Choices)-1); len(f.Rows) > room {
		f.Rows = append(f.Rows[:room-1], t.Muted.Apply("  "+t.Glyphs.Ellipsis))
	}
	for i, c := range d.fields {
		f.Rows = append(f.Rows, t.Muted.Apply("  "+cut(safe.Prompt(d.q.Fields[i].Label), width-2)))
		rows, x, y := d.fieldRows(i, c, width-2)
		if i == d.at {
			f.X, f.Y, f.Cursor = x+2, y+len(f.Rows), true
		}
		for _, r := range rows {
			f.Rows = append(f.Rows, "  "+r)
		}
	}
	if len(d.fields) == 0 {
		for i, c := range d.q.Choices {
			f.Rows = append(f.Rows, choice(t, keyName(c.Key, i), safe.Prompt(c.Label), width, armed))
		}
	}
	f.Rows = append(f.Rows, t.Faint.Apply(cut("  esc close", width)))
	return f
}

// fieldRows draws a field; a secret shows how much was typed and nothing else.
func (d *Question) fieldRows(i int, c *composer.Composer, width int) (rows []string, x, y int) {
	if !d.q.Fields[i].Secret || c.Empty() {
		return c.View(width, 3)
	}
	dots := strings.Repeat("*", min(len([]rune(c.Value())), max(1, width-3)))
	return []string{d.theme.Accent.Apply(d.theme.Glyphs.Pointer) + " " + dots}, 2 + len(dots), 0
}

func digit(i int) string { return string(rune('1' + i)) }

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
