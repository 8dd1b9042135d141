package provider

import (
	"strings"

	"forge/lazy"
)

// Attached is what goes with a person's words without being theirs: a resource they
// named, what a server says about its tools. It is a Text of a user message, of the
// same one or of the next, which PlainText leaves out.
type Attached struct {
	Label string // where it is from
	Note  string // what the model is told about it, before the text
	Text  string
}

const (
	attachedBegin = `<attached from="`
	attachedEnd   = "\n</attached>"
)

// marks is what reads like the begin or the end of an Attached, in whatever letters.
var marks = lazy.Regexp{Expr: `(?i)<(\s*/\s*attached\b|\s*attached\s+from\b)`}

// Block is it as the model reads it. What stands in it cannot end it, nor begin another.
func (a Attached) Block() Text {
	label := strings.NewReplacer(`"`, "'", "\n", " ", ">", " ").Replace(a.Label)
	text := a.Text
	if strings.Contains(text, "<") {
		text = marks.Get().ReplaceAllString(text, `<\$1`)
	}
	return Text{attachedBegin + label + "\">\n" + a.Note + "\n\n" + strings.TrimRight(text, "\n") + attachedEnd}
}

// attached reads a Text back; false: it is none.
func (t Text) attached() (Attached, bool) {
	rest, ok := strings.CutPrefix(t.Text, attachedBegin)
	rest, whole := strings.CutSuffix(rest, attachedEnd)
	label, rest, named := strings.Cut(rest, "\">\n")
	if !ok || !whole || !named {
		return Attached{}, false
	}
	note, text, _ := strings.Cut(rest, "\n\n")
	return Attached{label, note, text}, true
}

// Typed is a Text of a person's own words: they are not taken for an Attached,
// whatever they are.
func Typed(s string) Text {
	if strings.HasPrefix(s, attachedBegin) {
		s = " " + s
	}
	return Text{s}
}

// Attached lists what is attached in a user message.
func (m Message) Attached() []Attached {
	var out []Attached
	for _, b := range m.Blocks {
		if t, ok := b.(Text); ok && m.Role == User {
			if a, is := t.attached(); is {
				out = append(out, a)
			}
		}
	}
	return out
}
