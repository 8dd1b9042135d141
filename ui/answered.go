package ui

import (
	"strings"

	"github.com/tidwall/gjson"

	stored "forge/agent/session"
	"forge/lazy"
	"forge/ui/lang"
)

// What a person answered is told to the model in the third person. The person reads it
// on the card of the call, and is spoken to.

// What stands in the result of a call that was on when forge ended, for lang to find.
var _ = [...]string{lang.N("interrupted; effects unknown"), lang.N("interrupted before anybody had allowed it; it did not run"),
	lang.N("interrupted before its turn came; it did not run")}

// unanswered reports whether the model asked by the call, and forge ended before there was
// an answer.
func (c *call) unanswered() bool { return c.state == callFailed && c.result.Text == stored.NotAnswered }

// asked is what such a call asked about, out of its arguments: no title of it was kept.
func (c *call) asked() string {
	var about []string
	for _, h := range gjson.Get(c.input.String(), "questions.#.header").Array() {
		about = append(about, h.Str)
	}
	return "ask: " + strings.Join(about, ", ")
}

// left is what a call left behind, as the person reads it.
func (c *call) left() string {
	switch text := c.text(); text {
	case stored.NotAnswered:
		return lang.T("forge ended before you had answered; the model asks again if it still matters")
	case stored.Interrupted, stored.NotRun, stored.NotBegun:
		return lang.T(text)
	default:
		return text
	}
}

// declined is how the result of a call begins that was denied without a word.
const declined = "not run: the user declined; "

// declinedWith is how it begins where the person said why.
const declinedWith = "not run: the user declined and says: "

// refusal is why it did not run: the person's own words, where there are some.
func (c *call) refusal() string {
	if words, ok := strings.CutPrefix(c.text(), declinedWith); ok {
		return lang.T("you said: %s", words)
	}
	return c.text()
}

// remarkedWith is how the result of a call begins that was allowed with a word.
const remarkedWith = "the user says: "

// remarked is what the person said along with a yes.
func (c *call) remarked(d *drawing, w int) []string {
	words, ok := strings.CutPrefix(c.result.Text, remarkedWith)
	if !ok {
		return nil
	}
	end := strings.Index(words, "\nchanged ") // the words may have lines of their own
	if end < 0 {
		end = strings.IndexByte(words+"\n", '\n')
	}
	return wrap(lang.T("you said: %s", words[:end]), w, d.th.Muted)
}

// movedAway is how the line begins that tells the model what became of a command which
// went to the background. The person sent it there, and the card says so.
const movedAway = "[the user moved it to the background after "

// toPerson says to the person what a review says of the person to the model.
var toPerson = lazy.Value[sayings]{Of: func() sayings {
	return sayings{
		"the user refused this, and the file does not have it:":                          lang.N("you dropped this, the file does not have it:"),
		"the user changed your version (- as you proposed it, + as it landed):":          lang.N("you changed it (- as proposed, + as it landed):"),
		"the user settled the conflict; this is how the file differs from your version:": lang.N("you settled the conflict (- as proposed, + as it landed):"),
	}
}}

// sayings is other words for whole lines.
type sayings map[string]string

// Replace returns text with them; the counts before a colon are said as an outcome is.
func (s sayings) Replace(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if said, ok := s[l]; ok {
			lines[i] = lang.T(said)
		} else if counts, ok := strings.CutSuffix(l, ":"); ok && strings.Contains(l, " landed as proposed") {
			lines[i] = lang.Outcome(counts) + ":"
		}
	}
	return strings.Join(lines, "\n")
}
