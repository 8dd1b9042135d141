package ui

import (
	"path/filepath"
	"strings"

	"forge/tools"
	"forge/ui/lang"
	"forge/ui/safe"
)

// matter is what a pane is about, as it was written: what is copied, searched and
// shown whole, whatever of it the pane shows.
type matter struct {
	kind  kind
	title string
	text  string
	read  bool   // the text may be a file's, with the numbers of its lines
	rest  string // the file that holds the whole of a text that was cut; may be empty
}

// plain is what of it is copied, where that is less than all: a file without the
// numbers of its lines. Else it is empty.
func (m matter) plain() string {
	if !m.read {
		return ""
	}
	return unnumbered(m.text)
}

// kind is what sort of thing a pane is.
type kind int

const (
	other kind = iota // nothing to read: it is passed over
	isPrompted
	isAnswered
	isThought
	isCalled
	isNoted
)

// matterOf reads a pane.
func matterOf(p pane) matter {
	switch p := p.(type) {
	case *whole:
		return p.matter
	case *retry:
		return matter{kind: isNoted, title: lang.T("retry"), text: p.cause}
	case *answer:
		if p.md == nil {
			return matter{}
		}
		return matter{kind: isAnswered, title: lang.T("answer"), text: asWritten(p.md.Text())}
	case *thought:
		return matter{kind: isThought, title: lang.T("reasoning"), text: safe.Output(strings.TrimSpace(p.text.String()))}
	case *pictured:
		return p.about()
	case *call:
		return p.matter()
	}
	return matter{}
}

// asWritten is an answer without the lines that are left empty at its end.
func asWritten(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return strings.TrimRight(text, "\n")
}

// matter is what the call left behind, or what it has written so far; of a change,
// the change.
func (c *call) matter() matter {
	m := matter{kind: isCalled, title: safe.Line(c.title())}
	switch {
	case c.state == callDone && c.diff != nil:
		m.text = c.diff.unified()
	case c.over():
		m.text = safe.Output(c.text())
		m.rest = restOf(c.result.Text)
		m.read = c.effect.Kind == tools.Read && c.state == callDone
	case c.out != nil:
		m.text = strings.Join(c.out.Lines(), "\n")
	}
	return m
}

// looks are those the command gave lines of matter's text.
func (c *call) looks() dyes {
	if c.out != nil {
		lines := c.out.Coloured()
		return dyesOf(lines, strings.Join(c.out.Lines(), "\n"))
	}
	return c.dyes
}

// restOf finds the file that a result says holds the whole of it: run_bash says so in
// its last lines, what was cut for a model where it was cut.
func restOf(text string) string {
	const ends = 2 << 10
	for _, place := range []string{text[max(0, len(text)-ends):], cutLine(text)} {
		for line := range strings.SplitSeq(place, "\n") {
			for _, words := range []string{"[the whole output, ", "[the first ", "; the whole is in "} {
				_, rest, ok := strings.Cut(line, words)
				if !ok {
					continue
				}
				if i := strings.LastIndex(rest, " in "); i >= 0 {
					rest = rest[i+len(" in "):]
				}
				if i := strings.Index(rest, ".txt"); i >= 0 && filepath.IsAbs(rest[:i]) {
					return rest[:i+len(".txt")]
				}
			}
		}
	}
	return ""
}

// cutLine is the line where a long result was cut.
func cutLine(text string) string {
	i := strings.Index(text, "; the whole is in ")
	if i < 0 {
		return ""
	}
	line, _, _ := strings.Cut(text[i:], "\n")
	return line
}

// unified is what was changed as a patch.
func (b *diffBody) unified() string {
	var out strings.Builder
	for _, f := range b.files {
		out.WriteString("--- " + safe.Line(f.path) + "\n+++ " + safe.Line(f.path) + "\n")
		for _, h := range f.hunks {
			out.WriteString(h.Header() + "\n")
			for _, l := range h.Lines {
				out.WriteString(string(l.Op) + safe.Output(strings.TrimSuffix(l.Text, "\n")) + "\n")
			}
		}
	}
	return strings.TrimRight(out.String(), "\n")
}
