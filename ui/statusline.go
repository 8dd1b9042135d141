package ui

import (
	"encoding/json"
	"slices"
	"strings"

	"forge/ui/lang"
)

// arrangement is what the status line shows, from left to right, by the names of its
// parts.
type arrangement struct{ left, right []string }

// statusEdge divides, in a list of parts, those on the left from those on the right.
const statusEdge = "|"

// statusParts is every part there is, in the order in which they are offered, and what
// each shows.
func statusParts() [][2]string {
	return [][2]string{
		{"vim", lang.N("the mode of the keys of vi, while they are on")},
		{"mode", lang.N("what may run without a question")},
		{"sandbox", lang.N("what confines commands")},
		{"servers", lang.N("what is wrong with MCP servers")},
		{"editor", lang.N("where you are in the connected editor")},
		{"activity", lang.N("what goes on, and what was just done")},
		{"goal", lang.N("the goal that stands")},
		{"loops", lang.N("when the next loop sends its prompt")},
		{"jobs", lang.N("commands in the background")},
		{"queue", lang.N("prompts that wait")},
		{"keys", lang.N("the key that lists the keys")},
		{"tokens", lang.N("tokens sent and received")},
		{"cache", lang.N("how much of them the server's cache had")},
		{"context", lang.N("how full the model's window is, in percent")},
		{"gauge", lang.N("the same as a bar")},
		{"cost", lang.N("what the conversation has cost")},
		{"time", lang.N("how long the run takes, or took")},
		{"model", lang.N("the model, and how much it may think")},
		{"branch", lang.N("the branch of git")},
		{"folder", lang.N("the folder of the work")},
		{"title", lang.N("the title of the conversation")},
		{"session", lang.N("the end of its ID, as forge -r takes it")},
		{"version", lang.N("forge's version")},
	}
}

// StatusParts lists what the setting "screen.status" may name, "|" included.
func StatusParts() []string {
	out := []string{statusEdge}
	for _, p := range statusParts() {
		out = append(out, p[0])
	}
	return out
}

// usualStatus is the line nobody arranged.
func usualStatus() arrangement {
	return arrangement{
		left:  []string{"vim", "mode", "sandbox", "servers", "editor", "activity", "goal", "loops", "jobs", "queue", "keys"},
		right: []string{"tokens", "cache", "context", "cost", "model"},
	}
}

// arranged reads a list of parts. What is no part is passed over: the settings refuse it.
func arranged(list []string) (a arrangement) {
	all := StatusParts()
	side := &a.left
	for _, name := range list {
		switch {
		case name == statusEdge:
			side = &a.right
		case slices.Contains(all, name) && !a.has(name):
			*side = append(*side, name)
		}
	}
	return a
}

// names is the list that arranged reads.
func (a arrangement) names() []string {
	return slices.Concat(a.left, []string{statusEdge}, a.right)
}

func (a arrangement) has(part string) bool {
	return slices.Contains(a.left, part) || slices.Contains(a.right, part)
}

// side is where a part stands: -1 on the left, 1 on the right, 0 nowhere.
func (a arrangement) side(part string) int {
	switch {
	case slices.Contains(a.left, part):
		return -1
	case slices.Contains(a.right, part):
		return 1
	}
	return 0
}

// without is the arrangement less a part.
func (a arrangement) without(part string) arrangement {
	is := func(s string) bool { return s == part }
	return arrangement{slices.DeleteFunc(slices.Clone(a.left), is), slices.DeleteFunc(slices.Clone(a.right), is)}
}

// turned takes a part to its next place: from nowhere to the end of the left, from there
// to the end of the right, and away.
func (a arrangement) turned(part string) arrangement {
	at := a.side(part)
	a = a.without(part)
	switch at {
	case 0:
		a.left = append(a.left, part)
	case -1:
		a.right = append(a.right, part)
	}
	return a
}

// moved takes a part one place on, or back, among those of its side.
func (a arrangement) moved(part string, by int) arrangement {
	a = arrangement{slices.Clone(a.left), slices.Clone(a.right)}
	for _, list := range [][]string{a.left, a.right} {
		i := slices.Index(list, part)
		if j := i + by; i >= 0 && j >= 0 && j < len(list) {
			list[i], list[j] = list[j], list[i]
		}
	}
	return a
}

func (a arrangement) same(b arrangement) bool {
	return slices.Equal(a.left, b.left) && slices.Equal(a.right, b.right)
}

// typedList reads a setting that is a list as it is typed or stored: one text, or JSON.
func typedList(value string) (list []string, err error) {
	if !strings.HasPrefix(value, "[") {
		return []string{value}, nil
	}
	err = json.Unmarshal([]byte(value), &list)
	return list, err
}
