package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"forge/tools"
)

// asker answers with what a test says, and remembers what was asked.
type asker struct {
	q     tools.Question
	reply tools.Reply
	err   error
}

func (a *asker) Ask(_ context.Context, q tools.Question) (tools.Reply, error) {
	a.q = q
	return a.reply, a.err
}

func askTool(t *testing.T, a tools.Asker) tools.Tool {
	t.Helper()
	for _, tool := range All(&Env{Asker: a}) {
		if tool.Spec().Name == AskName {
			return tool
		}
	}
	return nil
}

const twoQuestions = `{"questions":[
	{"header":" Data\nbase ","question":"Which one?\n\nIt stays.","options":[{"label":"Postgres","description":"runs  already"},{"label":"SQLite"}]},
	{"header":"Login","question":"How?","multiple":true,"options":[{"label":"a"},{"label":"b"},{"label":"c"}]}]}`

// What the person said reaches the model by the names it gave, words of their own told
// apart from them; who is not there is not offered to be asked.
func TestAsk(t *testing.T) {
	if askTool(t, nil) != nil {
		t.Fatal("nobody is there, and a model may ask them")
	}
	for _, c := range []struct {
		input         string
		reply         tools.Reply
		text, display string
	}{
		{twoQuestions, tools.Reply{Choice: "ok", Responses: []tools.Response{{Chosen: []int{1}}, {Chosen: []int{0, 2}, Words: " and d\nlater "}}},
			"The user answered:\nData base: SQLite\nLogin: a; c; in their own words: and d\nlater", "SQLite · a, c, and d later"},
		{twoQuestions, tools.Reply{Choice: "ok", Responses: []tools.Response{{}, {Words: "neither"}}},
			"The user answered:\nData base: not answered\nLogin: in their own words: neither", "– · neither"},
		{twoQuestions, tools.Reply{Choice: "ok", Responses: []tools.Response{{}, {}}}, "The user did not answer. Do not ask the same again: decide, and say what you decided.", "not answered"},
		{twoQuestions, tools.Reply{Responses: []tools.Response{{Chosen: []int{1}}, {}}}, "The user did not answer. Do not ask the same again: decide, and say what you decided.", "not answered"},
		{twoQuestions, tools.Reply{Choice: "ok", Responses: []tools.Response{{Chosen: []int{7, -1}}}}, "The user did not answer. Do not ask the same again: decide, and say what you decided.", "not answered"},
	} {
		a := &asker{reply: c.reply}
		call := tools.Call{ID: "c1", Name: AskName, Input: c.input}
		inv, err := askTool(t, a).Prepare(t.Context(), call)
		if err != nil {
			t.Fatal(err)
		}
		if inv.Effect.Kind != tools.Internal || inv.Effect.Title != "ask: Data base, Login" {
			t.Errorf("the effect is %+v", inv.Effect)
		}
		r, err := inv.Run(t.Context(), inv.Effect, nil)
		if err != nil || r.Text != c.text || r.Display != c.display || r.Own != (c.display != "not answered") || r.IsError {
			t.Errorf("%+v: %+v, %v", c.reply, r, err)
		}
		want := []tools.Topic{{Header: "Data base", Text: "Which one?\n\nIt stays.", Options: []tools.Alternative{{Label: "Postgres", About: "runs already"}, {Label: "SQLite"}}},
			{Header: "Login", Text: "How?", Options: []tools.Alternative{{Label: "a"}, {Label: "b"}, {Label: "c"}}, Many: true}}
		if a.q.ID != "c1" || !reflect.DeepEqual(a.q.Topics, want) {
			t.Errorf("asked %+v", a.q)
		}
	}
	a := &asker{err: context.Canceled}
	inv, err := askTool(t, a).Prepare(t.Context(), tools.Call{ID: "c1", Name: AskName, Input: twoQuestions})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inv.Run(t.Context(), inv.Effect, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// What no person could read or tell apart is not asked: the model is told what is wrong
// with it.
func TestAskThatIsWrong(t *testing.T) {
	one := func(header, question string, labels ...string) string {
		os := []map[string]string{}
		for _, l := range labels {
			os = append(os, map[string]string{"label": l})
		}
		b, err := json.Marshal(map[string]any{"questions": []any{map[string]any{"header": header, "question": question, "options": os}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var fifty []string
	for i := range 50 {
		fifty = append(fifty, fmt.Sprint("answer ", i))
	}
	for _, c := range []struct{ input, want string }{
		{`{}`, `"questions" is missing`},
		{`{"questions":[]}`, "there are 0 questions, must be 1 to 4"},
		{`{"questions":[` + strings.Repeat(`{"header":"h","question":"q","options":[{"label":"a"},{"label":"b"}]},`, 4) + `{"header":"h","question":"q","options":[{"label":"a"},{"label":"b"}]}]}`, "there are 5 questions"},
		{one("h", "q"), "questions[0] has 0 options, must be 2 to 8; an answer in the user's own words is always offered beside them"},
		{one("h", "q", "only"), "questions[0] has 1 options"},
		{one("h", "q", fifty...), "questions[0] has 50 options"},
		{one("h", "q", "Yes", " yes "), "questions[0].options[1].label is that of options[0] too"},
		{one("h", "q", "a", strings.Repeat("长", 3400)), "questions[0].options[1].label has 3400 characters, at most 100 can be shown"},
		{one("h", "q", "a", " \n"), "questions[0].options[1].label is empty"},
		{one("", "q", "a", "b"), "questions[0].header is empty"},
		{one("h", " ", "a", "b"), "questions[0].question is empty"},
		{one(strings.Repeat("h", 31), "q", "a", "b"), "questions[0].header has 31 characters"},
		{one("h", strings.Repeat("q", 2001), "a", "b"), "questions[0].question has 2001 characters"},
		{`{"questions":[{"header":"h","question":"q","options":["a","b"]}]}`, "options[0] must be an object"},
	} {
		_, err := askTool(t, &asker{}).Prepare(t.Context(), tools.Call{Name: AskName, Input: c.input})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), AskName) || len(err.Error()) > 400 {
			t.Errorf("%.80s: %v, want %s", c.input, err, c.want)
		}
	}
}
