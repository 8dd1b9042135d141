package linear

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"forge/tools"
	"forge/ui/lang"
	"forge/ui/safe"
)

// form puts a question of another kind: choices, or fields one after the other.
type form struct {
	a      *Asked
	values map[string]string
	field  int
	chosen string // the choice the values go with
	hides  bool   // what is typed is not shown, where that is wanted
}

func newForm(a *Asked) *form { return &form{a: a, values: map[string]string{}} }

func (q *form) key() any { return q.a }
func (q *form) cancel()  { q.a.Reply(tools.Reply{}) }

// secret reports whether the next line is to be shown to nobody.
func (q *form) secret() bool {
	fs := q.a.Question.Fields
	return (q.chosen != "" || len(q.a.Question.Choices) == 0) && q.field < len(fs) && fs[q.field].Secret
}

func (q *form) lines() []string {
	out := []string{lang.T("question: %s", safe.Prompt(lang.Said(q.a.Question.Title)))}
	if s := q.a.Question.Source; s != "" {
		out = append(out, lang.T("from %s", safe.Prompt(s)))
	}
	if b := strings.TrimSpace(q.a.Question.Body); b != "" {
		out = append(out, strings.Split(safe.Prompt(lang.Lines(b)), "\n")...)
	}
	if u := q.a.Question.URL; u != "" {
		out = append(out, lang.T("page to open: %s", safe.Prompt(u)))
	}
	return append(out, q.next()...)
}

// next says what is asked now: the choices first, then each field.
func (q *form) next() []string {
	cs, fs := q.a.Question.Choices, q.a.Question.Fields
	if q.chosen == "" && len(cs) > 0 {
		var words []string
		for i, c := range cs {
			words = append(words, keyOf(c, i)+": "+safe.Prompt(lang.Said(c.Label)))
		}
		return []string{lang.T("answer %s; close: no answer", strings.Join(words, lang.T("; ")))}
	}
	if q.field >= len(fs) {
		return nil
	}
	f := fs[q.field]
	label := safe.Prompt(f.Label)
	if label == "" {
		label = safe.Prompt(f.Name)
	}
	out := []string{lang.T("field %d of %d: %s", q.field+1, len(fs), label)}
	if f.Note != "" {
		out = append(out, safe.Prompt(lang.Said(f.Note)))
	}
	for i, o := range f.Options {
		text := o.Label
		if text == "" {
			text = o.Value
		}
		out = append(out, strconv.Itoa(i+1)+": "+safe.Prompt(text))
	}
	switch {
	case f.Many:
		out = append(out, lang.T("answer with numbers, as many as you like"))
	case len(f.Options) > 0:
		out = append(out, lang.T("answer with a number"))
	}
	switch {
	case f.Secret && q.hides:
		out = append(out, lang.T("what you type is not shown"))
	case f.Secret:
		out = append(out, lang.T("what you type can be seen on the screen"))
	}
	if f.Default != "" && !f.Secret {
		out = append(out, lang.T("enter alone: %s", safe.Prompt(f.Default)))
	}
	if !f.Required && f.Default == "" {
		out = append(out, lang.T("enter alone: nothing"))
	}
	return out
}

func keyOf(c tools.Choice, i int) string {
	if c.Key != "" {
		return safe.Prompt(c.Key)
	}
	return strconv.Itoa(i + 1)
}

func (q *form) answer(line string) (over, stop bool, say []string) {
	text := strings.TrimSpace(line)
	cs, fs := q.a.Question.Choices, q.a.Question.Fields
	if low := strings.ToLower(text); low == "close" || low == "关闭" {
		q.cancel()
		return true, false, []string{lang.T("not answered")}
	}
	if q.chosen == "" && len(cs) > 0 {
		i := slices.IndexFunc(cs, func(c tools.Choice) bool { return strings.EqualFold(c.Key, text) && text != "" })
		if n, err := strconv.Atoi(text); i < 0 && err == nil && n >= 1 && n <= len(cs) && cs[n-1].Key == "" {
			i = n - 1
		}
		if i < 0 {
			return false, false, append([]string{lang.T("this is none of the answers")}, q.next()...)
		}
		q.chosen = cs[i].ID
		if i > 0 || len(fs) == 0 { // only the first choice sends the fields
			return q.send(lang.T("answered: %s", safe.Prompt(cs[i].Label)))
		}
		return false, false, q.next()
	}
	if q.field < len(fs) {
		value, wrong := valueOf(fs[q.field], text)
		if wrong != "" {
			return false, false, append([]string{wrong}, q.next()...)
		}
		q.values[fs[q.field].Name] = value
		if q.field++; q.field < len(fs) {
			return false, false, q.next()
		}
	}
	return q.send(lang.T("answered"))
}

func (q *form) send(said string) (over, stop bool, say []string) {
	choice := q.chosen
	if choice == "" {
		choice = "ok"
	}
	q.a.Reply(tools.Reply{Choice: choice, Values: q.values})
	return true, false, []string{said}
}

// valueOf reads what was typed for a field.
func valueOf(f tools.Field, text string) (value, wrong string) {
	if text == "" {
		text = f.Default
		if text == "" && f.Required {
			return "", lang.T("this field cannot be empty")
		}
		return text, ""
	}
	if len(f.Options) > 0 {
		var values []string
		for _, w := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '，' }) {
			n, err := strconv.Atoi(w)
			if err != nil || n < 1 || n > len(f.Options) {
				return "", lang.T("there are 1 to %d", len(f.Options))
			}
			values = append(values, f.Options[n-1].Value)
		}
		if len(values) > 1 && !f.Many {
			return "", lang.T("answer with a number")
		}
		text = strings.Join(values, "\n")
	}
	if f.Check != nil {
		if err := f.Check(text); err != nil {
			return "", errorLine(err)
		}
	}
	return text, ""
}

// Choice is a list of which the person takes one by its number.
type Choice struct {
	Title   string
	Entries []string
	Pick    func(ctx context.Context, i int, say func(string)) error
}

// choose puts a Choice.
type choose struct {
	ctx context.Context
	f   *face
	c   *Choice
}

func newChoose(ctx context.Context, f *face, c *Choice) *choose { return &choose{ctx, f, c} }

func (q *choose) key() any { return q.c }
func (q *choose) cancel()  {}

func (q *choose) lines() []string {
	out := []string{q.c.Title}
	for i, e := range q.c.Entries {
		out = append(out, strconv.Itoa(i+1)+": "+safe.Line(e))
	}
	return append(out, lang.T("answer with a number; enter alone closes"))
}

func (q *choose) answer(line string) (over, stop bool, say []string) {
	text := strings.TrimSpace(line)
	if text == "" {
		return true, false, []string{lang.T("nothing was chosen")}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > len(q.c.Entries) {
		return false, false, []string{lang.T("there are 1 to %d", len(q.c.Entries))}
	}
	q.f.begin(q.ctx, false, func(ctx context.Context) (*Choice, error) {
		return nil, q.c.Pick(ctx, n-1, func(l string) { q.f.o.Send(plain(l)) })
	})
	return true, false, nil
}
