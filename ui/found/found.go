// Package found says in a person's language what somebody found wrong with files that a
// call changed. Every face uses it; it draws nothing.
package found

import (
	"strings"

	"forge/tools"
	"forge/ui/lang"
)

// Line says it in one line, whoever found it first. What another wrote is in it: it is to
// be made safe.
func Line(f tools.Found) string {
	if f.Note != "" {
		return f.By + lang.T(": ") + lang.Said(f.Note)
	}
	var parts []string
	switch {
	case f.New == 0:
	case f.Unsure:
		parts = append(parts, lang.Count(f.New, "1 error, perhaps an old one", "%d errors, perhaps old ones"))
	default:
		parts = append(parts, lang.Count(f.New, "1 new error", "%d new errors"))
	}
	if f.Elsewhere > 0 {
		parts = append(parts, lang.Count(f.Elsewhere, "1 new error in other files", "%d new errors in other files"))
	}
	if f.Old > 0 {
		parts = append(parts, lang.Count(f.Old, "1 error as before", "%d errors as before"))
	}
	if f.Gone > 0 {
		parts = append(parts, lang.Count(f.Gone, "1 error gone", "%d errors gone"))
	}
	return f.By + lang.T(": ") + strings.Join(parts, lang.T(", "))
}

// More is how many errors there are beside those told in words.
func More(f tools.Found) int { return max(0, f.New+f.Elsewhere-len(f.Lines)) }

// Lines says all of it: the line, those told in words, and how many there are beside them.
// They are to be made safe as Line is.
func Lines(f tools.Found) []string {
	all := append([]string{Line(f)}, f.Lines...)
	if more := More(f); more > 0 {
		all = append(all, lang.Count(more, "and 1 more", "and %d more"))
	}
	return all
}

// Bad says whether it is something to look at.
func Bad(f tools.Found) bool { return f.New+f.Elsewhere > 0 || f.Note != "" }
