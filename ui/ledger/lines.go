package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"forge/sorting"
	"forge/ui/lang"
	"forge/ui/safe"
)

// In words: what a face says that shows no panel, line by line.

// Lines says how full the window is, and of what.
func (w Window) Lines() []string {
	line := Tokens(w.Tokens)
	if w.Size > 0 {
		line = lang.T("%s of %s tokens", Count(w.Tokens), Count(w.Size)) + lang.T(", ") + fmt.Sprintf("%d%%", 100*w.Tokens/w.Size)
	}
	if w.Limit > 0 {
		line += lang.T(", ") + lang.T("shortened at %s", Count(w.Limit))
	}
	out := []string{line}
	for _, r := range NewContext(w).rows {
		if r.item == nil {
			out = append(out, groupName(r)+lang.T(": ")+Tokens(r.tokens))
		}
	}
	return out
}

// Listed says the items of the conversation, each with the number by which it is named,
// from 1 in the order of the window; at most most of them: the newest, or with largest
// those with the most tokens first.
func (w Window) Listed(most int, largest bool) []string {
	talk := w.Talk()
	at := make([]int, len(talk))
	for i := range at {
		at[i] = i
	}
	if largest {
		sorting.StableBy(at, func(a, b int) int { return cmp.Compare(talk[b].Tokens, talk[a].Tokens) })
		at = at[:min(most, len(at))]
	} else {
		at = at[max(0, len(at)-most):]
	}
	var out []string
	for _, i := range at {
		out = append(out, fmt.Sprintf("%d%s", i+1, lang.T(": "))+talk[i].words(w.CostKnown))
	}
	return out
}

// Talk is the items of the conversation.
func (w Window) Talk() []Item {
	return slices.DeleteFunc(slices.Clone(w.Items), func(it Item) bool { return it.Group != "talk" })
}

// words says an item, how large and how old it is.
func (it Item) words(priced bool) string {
	line := it.Said()
	line += lang.T(", ") + Tokens(it.Tokens)
	if it.Age > 0 {
		line += lang.T(", ") + lang.Count(it.Age, "1 turn old", "%d turns old")
	}
	if priced {
		line += lang.T(", ") + lang.T("%s a turn", Money(it.Cost))
	}
	return line
}

// Said says what an item is, and how it stands.
func (it Item) Said() string { return aloud(describe(it, Nothing)) }

// aloud is a row as it is read: a dot between two things is a pause.
func aloud(s string) string { return strings.ReplaceAll(s, lang.T(" · "), lang.T(", ")) }

// ToolLines says the tools, each with what it costs.
func (w Window) ToolLines() []string {
	var out []string
	for _, it := range w.Items {
		if it.Group == "tools" {
			out = append(out, safe.Line(it.Owner)+lang.T(": ")+safe.Line(it.Name)+lang.T(", ")+Tokens(it.Tokens))
		}
	}
	return out
}
