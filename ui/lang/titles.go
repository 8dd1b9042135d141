package lang

import (
	"strings"

	"forge/lazy"
)

// titles are what a call would do, in a line, as the tools write it: what stands for
// the verbs is the model's, and shown as it is.
var titles = []string{
	N("run again with the network open: %s"), N("run again outside the sandbox: %s"),
	N("run %s in the background"), N("run %s"),
	N("read %s from line %d"), N("read %s"), N("list %s"), N("glob %s in %s"), N("grep \"%s\" in %s"),
	N("create %s (%s)"), N("edit %s (%s)"), N("write %s (no change)"), N("write %s (%s)"),
	N("move folder %s → %s (1 file)"), N("move folder %s → %s (%d files)"), N("move %s → %s"),
	N("delete folder %s (1 file, %s)"), N("delete folder %s (%d files, %s)"), N("delete link %s"), N("delete %s (%s)"),
	N("output of %s: %s"), N("end %s: %s"), N("todo: %d of %d done"), N("recall: message %d"), N("recall: %s"), N("ask: %s"),
	N("find tools: %s"), N("list resources"), N("%d changes of one answer"), N("write %s"), N("edit %s"), N("move %s"), N("delete %s"), // while they are written
}

// Title is the title of a call, in the language in force.
func Title(text string) string {
	if l := current.Load(); l != nil && l.words[text] != "" {
		return l.words[text]
	}
	title := ownSigns(As(text, titles...))
	if i := strings.LastIndex(title, arrow); i >= 0 && plain.Load() && strings.HasPrefix(text, "move ") {
		title = title[:i] + oneCell.Replace(arrow) + title[i+len(arrow):]
	}
	return title
}

// arrow stands in a title between the old name and the new one.
const arrow = " → "

var counts = lazy.Regexp{Expr: `\+(\d+) −(\d+)`}

// ownSigns makes signs of one cell, where T does, of those that a tool counts lines with;
// what the person and the model wrote stays as it is.
func ownSigns(text string) string {
	if !plain.Load() {
		return text
	}
	return counts.Get().ReplaceAllString(text, "+$1 -$2")
}

// grants are what an answer would allow from then on, titles likewise.
var grants = []string{
	N("run %s in the workspace with the network open"), N("run %s in the workspace outside the sandbox"), N("run %s in the workspace"),
	N("run %s with the network open"), N("run %s outside the sandbox"), N("run %s"),
	N("edit files in the workspace root"), N("edit files in %s"), N("delete files in the workspace root"), N("delete files in %s"), N("use %s"), N("give commands the %s"),
}

// Grant is a grant as the question shows it, in the language in force.
func Grant(text string) string {
	if l := current.Load(); l != nil && l.words[text] != "" {
		return l.words[text]
	}
	return As(text, grants...)
}

// outcomes are how a call ended, as its tool counts it up, for lang to find.
var _ = []string{
	N("1 entry"), N("%d entries"), N("no files"), N("1 file"), N("%d files"), N("no matches"), N("1 match in 1 file"), N("%d matches in 1 file"),
	N("%d matches in %d files"), N("first %s"), N("no change"), N("nothing applied"), N("written in part"), N("changed meanwhile"), N("%s started"),
	N("in the background as %s"), N("nothing found"), N("%d found"), N("1 resource"), N("%d resources"), N("1 tool"), N("%d tools"), N("1 call"), N("%d calls"), N("%dk tokens"), N("%d tokens"),
	N("%d of %s landed as proposed"), N("1 hunk"), N("%d hunks"), N("%d refused"), N("%d changed by the user"), N("killed"), N("not answered"), N("%s is a binary file: %s"),
}

// Outcome is how a call ended, in the language in force: what stands between dots
// and commas is said by itself.
func Outcome(text string) string {
	if current.Load() == nil && !plain.Load() {
		return text
	}
	parts := strings.Split(text, " · ")
	for i, part := range parts {
		part = ownSigns(part)
		parts[i] = part
		if listed, ok := list(part); ok { // "2 turns, 9 tokens" is no number of tokens
			parts[i] = listed
			continue
		}
		if parts[i] = Said(part); parts[i] != part {
			continue
		}
		some := strings.Split(part, ", ")
		for j := range some {
			some[j] = Said(some[j])
		}
		if said := strings.Join(some, ", "); said != part {
			parts[i] = strings.Join(some, T(", "))
		}
	}
	return strings.Join(parts, T(" · "))
}

// list says a text whose parts, with commas between, all have words of their own.
func list(text string) (string, bool) {
	parts := strings.Split(text, ", ")
	for i, part := range parts {
		if parts[i] = Said(part); parts[i] == part {
			return "", false
		}
	}
	return strings.Join(parts, T(", ")), len(parts) > 1
}
