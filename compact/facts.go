package compact

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"forge/lazy"
	"forge/provider"
)

// Facts is what forge itself knows of a conversation and no summary may lose. The
// person's own words need not be named: they are found in the history.
type Facts struct {
	Mode  string   // how calls are permitted now, in a word; empty: not told
	Todos []string // what is open on the list, the one being worked on first
	Files []File   // the files that were changed, the last one last
	// Skills are those that were loaded, with their files: "pdf (/home/me/.agents/skills/pdf/SKILL.md)".
	Skills []string
	// Goal is what the person wants reached over runs; empty: nothing.
	Goal string
}

// File is a file a call changed: Op is "create", "edit" or "delete".
type File struct{ Path, Op string }

// carried is what a summary holds beside the note: forge's own part, which the
// next compaction reads back and carries on.
type carried struct {
	requests []string // of the person, the oldest first, but for the last one
	left     int      // requests between them that were too many
	goal     string   // the last one, where no newer one stays in the history
	pins     []pinned
	focus    string
	facts    Facts
}

type pinned struct{ id, what, text string }

// What stands around forge's part of a summary. goalMark comes last: a summary may
// paraphrase anything but what the work is for.
const (
	keptMark  = "## Kept word for word"
	goalMark  = "The user's last request, word for word:"
	summaryIn = "<summary>\n"
	summaryTo = "\n</summary>"
)

const (
	maxGoal    = 4 << 10 // bytes of the last request, and of the first
	maxRequest = 2 << 10 // bytes of any other
	maxPinned  = 32 << 10
	maxFiles   = 200
)

// isSummary reports whether a message stands for what an earlier cut took away.
func isSummary(m provider.Message) bool {
	text := m.PlainText()
	return m.Role == provider.User && strings.Contains(text, summaryIn) && strings.HasSuffix(text, summaryTo)
}

// opened takes a summary out of its message: the note, and what was kept beside it.
func opened(m provider.Message) (note string, c carried) {
	_, text, _ := strings.Cut(m.PlainText(), summaryIn)
	text = strings.TrimSuffix(text, summaryTo)
	if before, goal, found := cutLast(text, goalMark+"\n"); found {
		text, c.goal = before, strings.TrimSpace(goal)
	}
	note, kept, found := cutLast(text, keptMark+"\n")
	if !found {
		return strings.TrimSpace(text), c
	}
	for _, e := range entryTags.Get().FindAllStringSubmatch(kept, -1) {
		switch body := unquote(e[4]); e[1] {
		case "request":
			c.requests = append(c.requests, body)
		case "pinned":
			c.pins = append(c.pins, pinned{e[2], e[3], body})
		case "focus":
			c.focus = body
		}
	}
	fmt.Sscanf(leftOut.Get().FindString(kept), "(%d", &c.left)
	return strings.TrimSpace(note), c
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// The patterns are compiled at their first use: most starts of forge need none.
var (
	entryTags = lazy.Regexp{Expr: `(?s)<(request|pinned|focus)(?: id="([^"]*)" what="([^"]*)")?>\n(.*?)\n</(?:request|pinned|focus)>`}
	leftOut   = lazy.Regexp{Expr: `\(\d+ requests between`}
)

// quote keeps a person's words from ending the entry they stand in.
func quote(s string) string { return strings.ReplaceAll(s, "</", "<\\/") }

func unquote(s string) string { return strings.ReplaceAll(s, "<\\/", "</") }

// gather works out what must be carried over a cut: gone is what it takes away,
// kept what stays, room the bytes the person's earlier requests may have.
func gather(gone, kept []provider.Message, r Request, room int) carried {
	c := carried{facts: r.Facts, focus: r.Focus}
	var asked []string
	for _, m := range gone {
		switch {
		case isSummary(m):
			_, before := opened(m)
			c.left += before.left
			asked = append(asked, before.requests...)
			if before.goal != "" {
				asked = append(asked, before.goal)
			}
			for _, p := range before.pins {
				if r.Pins[p.id] {
					c.pins = append(c.pins, p)
				}
			}
			if c.focus == "" {
				c.focus = before.focus
			}
		case isPrompt(m):
			asked = append(asked, strings.TrimSpace(m.PlainText()))
		}
	}
	for _, it := range items(gone) {
		if r.Pins[it.ID] && it.text != "" {
			c.pins = append(c.pins, pinned{it.ID, it.Name, clip(it.text, maxPinned)})
		}
	}
	if n := len(asked); n > 0 && !slices.ContainsFunc(kept, isPrompt) {
		c.goal, asked = clip(asked[n-1], maxGoal), asked[:n-1]
	}
	for i, text := range asked {
		asked[i] = clip(text, maxRequest)
	}
	c.requests = fitting(asked, room, &c.left)
	return c
}

// fitting keeps the first request and as many of the newest as there is room for.
func fitting(asked []string, room int, left *int) []string {
	size := 0
	for i := len(asked) - 1; i > 0; i-- {
		if size += len(asked[i]) + 24; size > room {
			*left += i
			return append([]string{asked[0]}, asked[i+1:]...)
		}
	}
	return asked
}

// String is forge's part of a summary, empty where there is nothing to carry.
func (c carried) String() string {
	var b strings.Builder
	if c.facts.Goal != "" {
		fmt.Fprintf(&b, "The user's goal, which stands until it is met:\n<standing-goal>\n%s\n</standing-goal>\n", quote(c.facts.Goal))
	}
	if c.facts.Mode != "" {
		fmt.Fprintf(&b, "Mode: %s\n", c.facts.Mode)
	}
	if len(c.facts.Todos) > 0 {
		b.WriteString("Open on the todo list:\n")
		for _, t := range c.facts.Todos {
			fmt.Fprintf(&b, "- %s\n", t)
		}
	}
	if fs := c.facts.Files; len(fs) > 0 {
		b.WriteString("Files changed so far:\n")
		if n := len(fs) - maxFiles; n > 0 {
			fmt.Fprintf(&b, "- (%d more before these)\n", n)
			fs = fs[n:]
		}
		for _, f := range fs {
			fmt.Fprintf(&b, "- %s (%s)\n", f.Path, f.Op)
		}
	}
	if len(c.facts.Skills) > 0 {
		b.WriteString("Skills in use, whose texts are not kept; load one again before you go on with what it is for:\n")
		for _, s := range c.facts.Skills {
			fmt.Fprintf(&b, "- %s\n", s)
		}
	}
	if c.focus != "" {
		fmt.Fprintf(&b, "To be kept above all:\n<focus>\n%s\n</focus>\n", quote(c.focus))
	}
	for _, p := range c.pins {
		fmt.Fprintf(&b, "Pinned by the user:\n<pinned id=%q what=%q>\n%s\n</pinned>\n", p.id, p.what, quote(p.text))
	}
	if len(c.requests) > 0 {
		b.WriteString("The user's earlier requests, the oldest first:\n")
		for i, q := range c.requests {
			if i == 1 && c.left > 0 {
				fmt.Fprintf(&b, "(%d requests between were left out)\n", c.left)
			}
			fmt.Fprintf(&b, "<request>\n%s\n</request>\n", quote(q))
		}
	}
	s := strings.TrimSpace(b.String())
	if s != "" {
		s = keptMark + "\n" + s
	}
	if c.goal != "" {
		s = strings.TrimSpace(s + "\n\n" + goalMark + "\n" + quote(c.goal))
	}
	return s
}

// missing names what a note lost of the facts, in words for the model that wrote
// it.
func (f Facts) missing(note string) []string {
	var out []string
	for _, h := range headings {
		if !hasHeading(note, h) {
			out = append(out, "the heading \"## "+h+"\"")
		}
	}
	low := strings.ToLower(note)
	for _, t := range f.Todos {
		if !tells(low, t) {
			out = append(out, "the open todo \""+t+"\"")
		}
	}
	for _, file := range f.Files[max(0, len(f.Files)-maxNamed):] {
		if name := file.Path[strings.LastIndexByte(file.Path, '/')+1:]; !strings.Contains(low, strings.ToLower(name)) {
			out = append(out, "the changed file "+file.Path)
		}
	}
	return out
}

// maxNamed is how many of the changed files a note must name: it is to be short,
// and forge lists all of them.
const maxNamed = 20

func hasHeading(note, h string) bool {
	for line := range strings.Lines(note) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") && strings.EqualFold(strings.TrimSpace(strings.TrimLeft(line, "#")), h) {
			return true
		}
	}
	return false
}

// tells reports whether half of a todo's longer words are in a note, which may put
// it in another way.
func tells(low, todo string) bool {
	all, have := 0, 0
	for _, w := range strings.FieldsFunc(strings.ToLower(todo), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) < 4 {
			continue
		}
		all++
		if strings.Contains(low, w) {
			have++
		}
	}
	return have*2 >= all
}
