package lsp

import (
	"fmt"
	"path/filepath"
	"strings"

	"forge/sorting"
	"forge/tools"
)

// placed is a finding in its file.
type placed struct {
	path string
	finding
}

// sorted has the worst first, in the order of their places.
func sorted(ps []placed) []placed {
	sorting.StableBy(ps, func(a, b placed) int {
		if a.severity != b.severity {
			return a.severity - b.severity
		}
		if c := strings.Compare(a.path, b.path); c != 0 {
			return c
		}
		if a.at.Line != b.at.Line {
			return a.at.Line - b.at.Line
		}
		return a.at.Character - b.at.Character
	})
	return ps
}

// line is a finding as it is told: place, words, and whose they are.
func (m *Manager) line(s *session, p placed) string {
	text := ""
	if d := s.docs[p.path]; d != nil {
		text = d.text
	} else if t, _, ok := content(p.path); ok {
		text = t
	}
	col := p.at.Character + 1
	if l, ok := lineOf(text, p.at.Line); ok {
		col = column(l, p.at.Character, s.units)
	}
	what := p.text
	if p.severity != severityError {
		what = "warning: " + what
	}
	if from := strings.TrimSpace(p.by + " " + p.code); from != "" {
		what += " (" + from + ")"
	}
	return fmt.Sprintf("%s:%d:%d: %s", plain(m.name(p.path), 200), p.at.Line+1, col, what)
}

// name is a file as the model knows it.
func (m *Manager) name(path string) string {
	rel, err := filepath.Rel(m.o.Root, path)
	if err != nil || !m.within(path) {
		return path
	}
	return filepath.ToSlash(rel)
}

// words is what a model is told of a server's findings; empty: nothing that would help.
func words(f tools.Found) string {
	if f.Note != "" {
		if strings.HasPrefix(f.Note, "is gone") || strings.HasPrefix(f.Note, "does not start") {
			return fmt.Sprintf("[language server %s %s]", f.By, f.Note)
		}
		return ""
	}
	var b strings.Builder
	switch {
	case f.New+f.Elsewhere > 0:
	case f.Gone > 0 && f.Old > 0:
		return fmt.Sprintf("[%s: %s gone, %d left in what you changed]", f.By, errorsIn(f.Gone), f.Old)
	case f.Gone > 0:
		return fmt.Sprintf("[%s: %s gone, none left in what you changed]", f.By, errorsIn(f.Gone))
	case f.Old > 0:
		return fmt.Sprintf("[%s: no new errors; %d as before]", f.By, f.Old)
	default:
		return ""
	}
	fmt.Fprintf(&b, "[%s: ", f.By)
	switch {
	case f.Unsure:
		fmt.Fprintf(&b, "%s; some may have been there before", errorsIn(f.New))
	case f.New > 0:
		fmt.Fprintf(&b, "%s new", errorsIn(f.New))
	default:
		b.WriteString("no new errors in what you changed")
	}
	if f.Old > 0 {
		fmt.Fprintf(&b, ", %d as before", f.Old)
	}
	if f.Gone > 0 {
		fmt.Fprintf(&b, ", %d gone", f.Gone)
	}
	if f.Elsewhere > 0 {
		fmt.Fprintf(&b, ", %s new in other files", errorsIn(f.Elsewhere))
	}
	b.WriteString("]")
	for _, l := range f.Lines {
		b.WriteString("\n" + l)
	}
	if more := f.New + f.Elsewhere - len(f.Lines); more > 0 {
		fmt.Fprintf(&b, "\n… and %d more", more)
	}
	return b.String()
}

func errorsIn(n int) string {
	if n == 1 {
		return "1 error"
	}
	return fmt.Sprintf("%d errors", n)
}
