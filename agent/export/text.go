package export

import "strings"

// Text is the conversation as plain text, and the line, counted from 0, where the
// record seq begins.
func (t Talk) Text(seq int) (text string, line int) {
	var b strings.Builder
	lines := 0
	write := func(s string) {
		b.WriteString(s)
		lines += strings.Count(s, "\n")
	}
	who, found := "", false
	for _, p := range t.parts() {
		if p.who != "" && p.who != who {
			who = p.who
			write("\n── " + who + "\n")
		}
		write("\n")
		if p.seq == seq && !found {
			line, found = lines, true
		}
		if p.head != "" {
			mark := "· "
			if p.kind == "result" {
				mark = "→ "
			}
			if p.bad {
				mark = "✗ "
			}
			write(mark + p.head + "\n")
		}
		switch {
		case p.mime != "":
			write("(picture)\n")
		case p.text != "":
			write(strings.TrimRight(p.text, "\n") + "\n")
		}
	}
	return b.String(), line
}
