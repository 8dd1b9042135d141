package ui

import (
	"strings"

	"forge/ui/found"
	"forge/ui/lang"
	"forge/ui/safe"
)

// foundRows is how many errors of changed files are shown while folded.
const foundRows = 4

// found is what was found wrong with the files once they were changed.
func (c *call) found(d *drawing, w int) (rows []string) {
	for _, f := range c.result.Found {
		style := d.th.Muted
		switch {
		case f.Note != "":
			style = d.th.Warn
		case found.Bad(f):
			style = d.th.Error
		}
		rows = append(rows, wrap(safe.Line(found.Line(f)), w, style)...)
		var lines []string
		for _, l := range f.Lines {
			lines = append(lines, clipRow(strings.TrimSpace(l), w, d.th))
		}
		for i, l := range lines {
			lines[i] = d.th.Text.Apply(l)
		}
		if more := found.More(f); more > 0 {
			lines = append(lines, d.th.Faint.Apply(lang.Count(more, "and 1 more", "and %d more")))
		}
		rows = append(rows, c.fold(d, lines, foundRows, false)...)
	}
	return rows
}
