package linear

import (
	"reflect"
	"strings"
	"testing"

	"forge/tools"
)

// The word that sends is no answer of one's own: it says what would be sent, and there
// sends it.
func TestSendIsNoAnswer(t *testing.T) {
	for _, word := range []string{"send", "发送"} {
		var reply *tools.Reply
		q := newInquiry(&Asked{Question: tools.Question{Topics: []tools.Topic{
			{Header: "One", Options: []tools.Alternative{{Label: "a"}, {Label: "b"}}}, {Header: "Two", Options: []tools.Alternative{{Label: "c"}}},
		}}, Reply: func(r tools.Reply) { reply = &r }})
		if over, _, _ := q.answer("2"); over {
			t.Fatal("over")
		}
		over, _, say := q.answer(word)
		if text := strings.Join(say, "\n"); over || reply != nil || !strings.Contains(text, "One: b") || !strings.Contains(text, "Two: not answered") {
			t.Fatalf("%s: %q", word, say)
		}
		if over, _, _ = q.answer(word); !over || reply == nil || len(reply.Responses) != 2 || reply.Responses[1].Words != "" {
			t.Errorf("%s, said twice: %+v", word, reply)
		}
	}
}

// A line of numbers is a choice, any other is words; what is neither is asked again.
func TestRespond(t *testing.T) {
	options := []tools.Alternative{{Label: "a"}, {Label: "b"}, {Label: "c"}}
	for _, c := range []struct {
		line string
		many bool
		want tools.Response
		ok   bool
	}{
		{"2", false, tools.Response{Chosen: []int{1}}, true},
		{"3 1", true, tools.Response{Chosen: []int{0, 2}}, true},
		{"3，1、2, 2", true, tools.Response{Chosen: []int{0, 1, 2}}, true},
		{"3 1", false, tools.Response{}, false},
		{"4", false, tools.Response{}, false},
		{"0", true, tools.Response{}, false},
		{"，,", true, tools.Response{}, false},
		{"2 of them", true, tools.Response{Words: "2 of them"}, true},
		{"8080", false, tools.Response{}, false},
		{`"8080"`, false, tools.Response{Words: "8080"}, true},
		{"“1，2”", true, tools.Response{Words: "1，2"}, true},
		{`"both" of them`, true, tools.Response{Words: `"both" of them`}, true},
		{"都不要", false, tools.Response{Words: "都不要"}, true},
	} {
		got, wrong := respond(tools.Topic{Options: options, Many: c.many}, c.line)
		if !reflect.DeepEqual(got, c.want) || (wrong == "") != c.ok {
			t.Errorf("%q: %+v, %q", c.line, got, wrong)
		}
	}
}
