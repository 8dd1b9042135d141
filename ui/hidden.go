package ui

import (
	"forge/tools"
	"forge/ui/lang"
	"forge/ui/safe"
)

// hidden is the row that says which secrets a model did not get to see in a
// result; nil where there were none.
func hidden(hs []tools.Hidden, w int, d *drawing) []string {
	if len(hs) == 0 {
		return nil
	}
	text := lang.T("hidden from the model: %s", lang.Said(tools.HiddenSummary(hs)))
	return []string{d.th.Warn.Apply(clip(safe.Line(text), w, d.th))}
}
