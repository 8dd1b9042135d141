package agent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"forge/provider"
	"forge/provider/demo"
	"forge/tools"
)

// What the model is told comes behind the conversation, marked as not the user's, and
// is no prompt to go back to; a face is not shown it as one.
func TestNews(t *testing.T) {
	script, err := demo.Parse(strings.NewReader("call nothing {}\nend\n\ntext Done.\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	told := [][]string{{"first"}, nil, {"second", "third"}, nil}
	reg, err := tools.NewRegistry(tools.Func("nothing", "Does nothing.", func(context.Context, tools.Call, struct{}) (*tools.Invocation, error) {
		return nil, errors.New("it does nothing")
	}))
	if err != nil {
		t.Fatal(err)
	}
	a := New(Options{Provider: demo.New(script, demo.Options{Pace: -1}), Model: demo.Model(), Exec: &tools.Executor{Tools: reg}, News: func() []string {
		if len(told) == 0 {
			return nil
		}
		next := told[0]
		told = told[1:]
		return next
	}})
	var seen []string
	see := func(e Event) {
		if e, ok := e.(UserMessage); ok {
			seen = append(seen, e.Text)
		}
	}
	if err := a.Run(t.Context(), Prompt{Text: "Go."}, see); err != nil {
		t.Fatal(err)
	}
	a.Replay(see)
	if got := strings.Join(seen, ","); got != "Go.,Go." {
		t.Errorf("a face was shown %s", got)
	}
	var all []string
	for _, m := range a.History() {
		if m.Role == provider.User {
			all = append(all, strings.ReplaceAll(m.PlainText(), newsMark, "* "))
		}
	}
	if got := strings.Join(all, "|"); got != "* first|Go.||* second\n\nthird" {
		t.Errorf("the model was told %q", got)
	}
	if asked := a.Asked(); len(asked) != 1 || asked[0].Text != "Go." {
		t.Errorf("prompts %+v", asked)
	}
}
