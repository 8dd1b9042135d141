package ui

import (
	"slices"
	"strings"

	"forge/agent"
	"forge/tools"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// A command's output on its card: its last rows while it runs, few of them when it has ended.

// outputRows is how much of the output is shown while folded: more of a command
// that the person ran to see it.
func (c *call) outputRows() int {
	if c.name == agent.OwnCommand {
		return 2 * outputRows
	}
	return outputRows
}

// live is the end of what a running call has written.
func (c *call) live(d *drawing, w int) []string {
	if c.out == nil {
		return nil
	}
	lines, n := c.out.Coloured(), c.outputRows()
	if d.expanded {
		n *= 4
	}
	var rows []string
	if hidden := c.out.Total() - min(n, len(lines)); hidden > 0 {
		rows = append(rows, d.th.Faint.Apply(lang.T("%s above", plural(hidden, "line"))))
	}
	for _, l := range lines[max(0, len(lines)-n):] {
		rows = append(rows, dyedRow(l, w, d.th, d.th.Muted))
	}
	return rows
}

// goesOn stands behind that a call was cancelled whose tool took no notice.
var goesOn = lang.N("the tool did not stop, its effects are unknown")

// text is what the call left behind, as long as it is worth showing: that it was cancelled,
// and the arguments repeated to a model that got them wrong, tell a person nothing.
func (c *call) text() string {
	text := tools.Unrepeated(c.result)
	if c.state == callCancelled { // the card says so, and the person knows
		if text = strings.TrimPrefix(strings.TrimPrefix(text, agent.Cancelled), "; "); text == goesOn {
			text = lang.T(text)
		}
	}
	text = strings.TrimRight(text, "\n ")
	text = strings.TrimRight(strings.TrimSuffix(text, tools.TerminalNote), "\n ") // the card has its own words for that
	if i := strings.LastIndexByte(text, '\n') + 1; strings.HasPrefix(text[i:], movedAway) {
		text = strings.TrimRight(text[:i], "\n ")
	}
	return text
}

// short is the result with each line on one row.
func (c *call) short(d *drawing, w int) []string {
	if c.text() == "" {
		return nil
	}
	lines := strings.Split(c.text(), "\n")
	if last := len(lines) - 1; last > 0 && c.result.Display != "" {
		// How it ended stands in the title already.
		ending := "[" + strings.Replace(c.result.Display, " · ", ", ", 1) + "]"
		if i := slices.Index(lines[max(0, last-4):], ending); i >= 0 {
			lines = slices.Delete(lines, max(0, last-4)+i, max(0, last-4)+i+1)
		}
	}
	rows := make([]string, len(lines))
	for i, l := range lines {
		if n := c.outputRows(); i < n || i >= len(lines)-n {
			rows[i] = dyedRow(c.dyed(l), w, d.th, d.th.Muted)
		}
	}
	return rows
}

// dyed is a line of the result with the looks the command gave it.
func (c *call) dyed(line string) string {
	if len(c.dyes) > 0 {
		if l, ok := c.dyes[strings.TrimSuffix(safe.Output(line), "\n")]; ok {
			return l
		}
	}
	return line
}

// clipRow is Line for text whose leading blanks mean something.
func clipRow(s string, w int, th *theme.Theme) string {
	s, _, _ = strings.Cut(safe.Output(s), "\n")
	return safe.Truncate(safe.ExpandTabs(s, 0), w, th.Glyphs.Ellipsis)
}

// fold keeps n of the rows, the last ones if tail, and says how many it hid.
func (c *call) fold(d *drawing, rows []string, n int, tail bool) []string {
	if d.expanded || len(rows) <= n+1 { // hiding one row costs one row
		return rows
	}
	hidden := plural(len(rows)-n, "line")
	if tail {
		return append([]string{d.th.Faint.Apply(lang.T("%s above", hidden) + d.unfolds())}, rows[len(rows)-n:]...)
	}
	return append(rows[:n:n], d.th.Faint.Apply(lang.T("%s more", hidden)+d.unfolds()))
}
