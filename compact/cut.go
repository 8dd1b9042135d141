package compact

import (
	"strings"
	"unicode/utf8"

	"forge/provider"
)

// safe reports whether a history may be cut before message i: never between a
// call and its result, and never inside an answer that a server paused.
func safe(ms []provider.Message, i int) bool {
	if i <= 0 || i >= len(ms) || hasResult(ms[i]) {
		return false
	}
	return !(ms[i].Role == provider.Assistant && ms[i-1].Role == provider.Assistant)
}

// cutAt returns the index of the first message to keep, or 0 where nothing can
// be cut. It keeps as much as fits into keep tokens, from a person's prompt on if
// one stands in the newer half of that; at the least, the newest exchange.
func cutAt(ms []provider.Message, keep int) int {
	at, last := 0, 0
	tail := 0
	for i := len(ms) - 1; i > 0; i-- {
		tail += weigh(ms[i : i+1])
		if !safe(ms, i) {
			continue
		}
		if last == 0 {
			last = i
		}
		if tail > keep {
			break
		}
		at = i
	}
	if at == 0 {
		at = last
	}
	for i := at; i < len(ms); i++ {
		if safe(ms, i) && isPrompt(ms[i]) && weigh(ms[i:]) >= keep/2 {
			return i
		}
	}
	return at
}

func hasResult(m provider.Message) bool {
	for _, b := range m.Blocks {
		if _, ok := b.(provider.ToolResult); ok {
			return true
		}
	}
	return false
}

// CommandMark begins a message that tells of a command the person ran: it is no
// request, however new it is.
const CommandMark = "The user ran a command in the workspace folder; this is no request."

// NoteMark begins a message that tells of something that was done outside of the
// conversation: it is no request either.
const NoteMark = "Note, no request:"

// NewsMark begins a message that tells the model of what changed around it.
const NewsMark = "[note from forge, not from the user]\n"

// LeftMark begins what stands in the place of something the person left out. Where
// that was their own prompt, it is none any more.
const LeftMark = "[left out by the user: "

func isPrompt(m provider.Message) bool {
	text := m.PlainText()
	return m.Role == provider.User && !hasResult(m) && text != "" && !isSummary(m) &&
		!strings.HasPrefix(text, CommandMark) && !strings.HasPrefix(text, NoteMark) && !strings.HasPrefix(text, NewsMark) && !strings.HasPrefix(text, LeftMark)
}

// clip keeps the two ends of a text, at most about n bytes of it.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	head, tail := ends(s, n)
	return head + "\n[…]\n" + tail
}

// ends returns the beginning and the end of a text that is longer than n bytes,
// two thirds and one third of n, between runes.
func ends(s string, n int) (head, tail string) {
	a, b := n*2/3, len(s)-n/3
	for a > 0 && !utf8.RuneStart(s[a]) {
		a--
	}
	for b < len(s) && !utf8.RuneStart(s[b]) {
		b++
	}
	return s[:a], s[b:]
}
