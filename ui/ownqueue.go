package ui

import (
	"strings"
)

// ownMark is before a command of the person's own that waits in the queue. No prompt can
// begin with it: a pasted text that begins with ! waits as the prompt it is.
const ownMark = "\x00"

// ownIn reads an entry of the queue as a command of the person's own, ! included.
func ownIn(queued string) (line string, ok bool) { return strings.CutPrefix(queued, ownMark) }

// waitingText is an entry of the queue as it was written.
func waitingText(queued string) string { return strings.TrimPrefix(queued, ownMark) }

// asWords is a prompt as it may stand in the composer: one that begins with ! is none of
// those commands there either.
func asWords(prompt string) string {
	if strings.HasPrefix(prompt, "!") {
		return " " + prompt
	}
	return prompt
}

// putBack puts what is queued into the composer: the person decides. There it is one text;
// a command of theirs is at its beginning only where it is all of it, so that no words are
// run.
func (m *Model) putBack() {
	var words, own []string
	for _, q := range m.queue {
		if line, ok := ownIn(q); ok {
			own = append(own, line)
			continue
		}
		words = append(words, asWords(q))
	}
	m.queue = nil
	switch {
	case len(words) == 0 && len(own) > 0 && m.comp.Empty(): // the others wait again
		m.comp.SetValue(own[0])
		for _, line := range own[1:] {
			m.queue = append(m.queue, ownMark+line)
		}
	case len(words) == 0 && len(own) > 0:
		m.comp.SetValue(m.comp.Value() + "\n\n" + strings.Join(own, "\n\n"))
	case len(words) > 0:
		m.comp.Prepend(strings.Join(append(words, own...), "\n\n"))
	}
}
