package linear

import (
	"strconv"
	"strings"

	"forge/tools"
	"forge/ui/lang"
	"forge/ui/safe"
)

// inquiry puts what a model wants to know: one topic after the other and, where there are
// several, at the end what would be sent.
type inquiry struct {
	a    *Asked
	said []tools.Response
	at   int // the topic that is asked; behind the last: whether to send
}

func newInquiry(a *Asked) *inquiry {
	return &inquiry{a: a, said: make([]tools.Response, len(a.Question.Topics))}
}

func (q *inquiry) key() any { return q.a }
func (q *inquiry) cancel()  { q.a.Reply(tools.Reply{}) }

// quoted is words of the model, on one line.
func quoted(s string) string { return safe.Line(safe.Prompt(s)) }

func (q *inquiry) lines() []string {
	out := []string{lang.T("the model asks; no answer allows anything")}
	return append(out, q.next()...)
}

// next says what is asked now.
func (q *inquiry) next() []string {
	ts := q.a.Question.Topics
	if q.at == len(ts) {
		out := []string{lang.T("what the model will be told")}
		for i, t := range ts {
			out = append(out, quoted(t.Header)+lang.T(": ")+q.spoken(i))
		}
		return append(out, lang.T("answer send, back to change something, or close to answer nothing"))
	}
	t := ts[q.at]
	var out []string
	if len(ts) > 1 {
		out = append(out, lang.T("question %d of %d: %s", q.at+1, len(ts), quoted(t.Header)))
	} else {
		out = append(out, lang.T("question: %s", quoted(t.Header)))
	}
	out = append(out, strings.Split(safe.Prompt(t.Text), "\n")...)
	for i, o := range t.Options {
		line := strconv.Itoa(i+1) + ": " + quoted(o.Label)
		if o.About != "" {
			line += lang.T("; ") + quoted(o.About)
		}
		out = append(out, line)
	}
	if t.Many {
		out = append(out, lang.T("answer with numbers, as many as you like, or in your own words"))
	} else {
		out = append(out, lang.T("answer with a number, or in your own words"))
	}
	if len(ts) > 1 {
		if !q.said[q.at].Open() {
			out = append(out, lang.T("so far: %s", q.spoken(q.at)))
		}
		return append(out, lang.T("or next to leave it as it is, back to the question before, close to answer nothing"))
	}
	return append(out, lang.T("or close to answer nothing"))
}

// spoken is what was said to a topic, in a line.
func (q *inquiry) spoken(i int) string {
	var parts []string
	for _, c := range q.said[i].Chosen {
		parts = append(parts, quoted(q.a.Question.Topics[i].Options[c].Label))
	}
	if w := q.said[i].Words; w != "" {
		parts = append(parts, lang.T("“")+safe.Line(w)+lang.T("”"))
	}
	if len(parts) == 0 {
		return lang.T("not answered")
	}
	return strings.Join(parts, lang.T(", "))
}

func (q *inquiry) answer(line string) (over, stop bool, say []string) {
	text := strings.TrimSpace(line)
	ts := q.a.Question.Topics
	several, last := len(ts) > 1, q.at == len(ts)
	switch low := strings.ToLower(text); {
	case low == "close" || low == "关闭":
		q.cancel()
		return true, false, []string{lang.T("not answered")}
	case several && (low == "back" || low == "上一个"):
		q.at = max(0, q.at-1)
		return false, false, q.next()
	case several && !last && (low == "next" || low == "下一个"):
		q.at++
		return false, false, q.next()
	case several && !last && (low == "send" || low == "发送"): // what would be sent is said first
		q.at = len(ts)
		return false, false, q.next()
	case last && (low == "send" || low == "发送"):
		q.a.Reply(tools.Reply{Choice: "ok", Responses: q.said})
		return true, false, []string{lang.T("answered")}
	case last:
		return false, false, append([]string{lang.T("this is none of the answers")}, q.next()...)
	case text == "":
		return false, false, q.next()
	}
	said, wrong := respond(ts[q.at], text)
	if wrong != "" {
		return false, false, append([]string{wrong}, q.next()...)
	}
	q.said[q.at] = said
	if !several {
		q.a.Reply(tools.Reply{Choice: "ok", Responses: q.said})
		return true, false, []string{lang.T("answered: %s", q.spoken(0))}
	}
	spoken := lang.T("answered: %s", q.spoken(q.at))
	q.at++
	return false, false, append([]string{spoken}, q.next()...)
}

// respond reads an answer: numbers where it has nothing else in it, words otherwise; numbers
// in quotation marks are words.
func respond(t tools.Topic, text string) (said tools.Response, wrong string) {
	if inner := strings.Trim(text, "\"'“”"); inner != text && numbered(inner) != nil {
		return tools.Response{Words: inner}, ""
	}
	all := numbered(text)
	switch {
	case all == nil && strings.Trim(text, parting) == "":
		return said, lang.T("this is none of the answers")
	case all == nil:
		return tools.Response{Words: text}, ""
	}
	chosen := make([]bool, len(t.Options))
	for _, i := range all {
		if i < 1 || i > len(chosen) {
			return said, lang.T("there are 1 to %d", len(chosen)) + lang.T("; ") + lang.T("as words of your own a number stands in quotation marks: \"%d\"", i)
		}
		chosen[i-1] = true
	}
	if len(all) > 1 && !t.Many {
		return said, lang.T("answer with a number, or in your own words")
	}
	for i, c := range chosen {
		if c {
			said.Chosen = append(said.Chosen, i)
		}
	}
	return said, ""
}

// parting is what may stand between numbers.
const parting = " ,，、"

// numbered are the numbers of a text that holds nothing else; nil: it holds something else.
func numbered(text string) (all []int) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(parting, r) }) {
		i, err := strconv.Atoi(w)
		if err != nil {
			return nil
		}
		all = append(all, i)
	}
	return all
}
