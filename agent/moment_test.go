package agent

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"forge/compact"
	"forge/provider"
	"forge/tools"
)

// moments is what the person's commands say at each moment.
func moments(say func(Moment) Word, seen *[]Moment) func(context.Context, Moment) Word {
	return func(_ context.Context, m Moment) Word {
		*seen = append(*seen, m)
		return say(m)
	}
}

func TestPromptIsHeardBeforeItIsSent(t *testing.T) {
	m := &model{replies: []reply{says("hello")}}
	var seen []Moment
	word := Word{Block: "not on a Monday", Notes: []string{"a note"}}
	a := New(Options{Provider: m, Moment: moments(func(m Moment) Word {
		if m.Kind == Prompted {
			return word
		}
		return Word{}
	}, &seen)})
	var p tape
	err := a.Run(t.Context(), Prompt{Text: "hi"}, p.sink)
	var blocked *Blocked
	if !errors.As(err, &blocked) || blocked.Words != "hi" || !strings.Contains(err.Error(), "not on a Monday") || len(m.requests) != 0 || len(a.History()) != 0 {
		t.Fatalf("%v, %d requests, history %v", err, len(m.requests), a.History())
	}
	if !strings.Contains(noticed(&p), "a note") || strings.Contains(p.String(), "user(") {
		t.Errorf("told\n%s", p.String())
	}
	word = Word{Context: "it is Tuesday"}
	if err := a.Run(t.Context(), Prompt{Text: "hi"}, p.sink); err != nil {
		t.Fatal(err)
	}
	var sent strings.Builder
	for _, msg := range m.requests[0].Messages {
		for _, b := range msg.Blocks {
			if text, ok := b.(provider.Text); ok {
				sent.WriteString(text.Text)
			}
		}
	}
	if !strings.Contains(sent.String(), "it is Tuesday") || !strings.Contains(sent.String(), "not the user's words") {
		t.Errorf("sent %s", sent.String())
	}
	valid(t, a, m)
}

func TestKeptFromResting(t *testing.T) {
	m := &model{replies: []reply{says("done"), says("really done"), says("x")}}
	var seen []Moment
	a := New(Options{Provider: m, Moment: moments(func(m Moment) Word {
		if m.Kind == Resting && !m.Again {
			return Word{Block: "tests are red"}
		}
		return Word{}
	}, &seen)})
	if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); err != nil || len(m.requests) != 2 {
		t.Fatalf("%v, %d requests", err, len(m.requests))
	}
	last := m.requests[1].Messages
	if text := last[len(last)-1].PlainText(); !strings.Contains(text, "tests are red") || !strings.HasPrefix(text, newsMark) {
		t.Errorf("the model is told %q", text)
	}
	if seen[1].Text != "done" || !seen[2].Again {
		t.Errorf("moments %+v", seen)
	}
	valid(t, a, m)
}

func TestNobodyIsKeptForEver(t *testing.T) {
	m := &model{}
	for range mostKept + 3 {
		m.replies = append(m.replies, says("done"))
	}
	var seen []Moment
	a := New(Options{Provider: m, Moment: moments(func(m Moment) Word {
		if m.Kind == Resting {
			return Word{Block: "never"}
		}
		return Word{}
	}, &seen)})
	var p tape
	if err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink); err != nil || len(m.requests) != mostKept+1 {
		t.Fatalf("%v, %d requests", err, len(m.requests))
	}
	if !strings.Contains(noticed(&p), "though it is not to") {
		t.Errorf("nobody is told:\n%s", p.String())
	}
}

func TestCompactionCanBeRefused(t *testing.T) {
	m := &model{}
	a := New(Options{Provider: m, Compact: compact.New(compact.Options{Provider: m, Model: provider.Model{Window: 1000}}),
		Moment: func(_ context.Context, m Moment) Word {
			if m.Kind == Shortening && !m.Auto {
				return Word{Block: "keep it all"}
			}
			return Word{}
		}})
	if err := a.Compact(t.Context(), "", nil); err == nil || !strings.Contains(err.Error(), "keep it all") || len(m.requests) != 0 {
		t.Errorf("%v", err)
	}
}

// ending ends the run at the second call.
type ending struct{ n int }

func (h *ending) Concern(tools.Call) string { return "ending" }

func (h *ending) Before(context.Context, tools.Call, tools.Effect) tools.Ruling {
	if h.n++; h.n == 2 {
		return tools.Ruling{Halt: "that is enough"}
	}
	return tools.Ruling{Notes: []string{"seen"}}
}

func (h *ending) After(context.Context, tools.Call, tools.Effect, tools.Result, time.Duration) tools.Echo {
	return tools.Echo{}
}

// A hook that ends the run leaves every call answered.
func TestHaltEndsTheRun(t *testing.T) {
	w := &world{file: "0"}
	m := &model{replies: []reply{asks(`append {"s":"a"}`, `append {"s":"b"}`, `append {"s":"c"}`), says("never asked")}}
	x := w.executor(t)
	x.Hooks = &ending{}
	a := New(Options{Provider: m, Exec: x})
	var p tape
	err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink)
	var blocked *Blocked
	if !errors.As(err, &blocked) || blocked.Why != "that is enough" || len(m.requests) != 1 || w.file != "0a" {
		t.Errorf("%v, %d requests, %q", err, len(m.requests), w.file)
	}
	if strings.Count(p.String(), "end(append") != 3 || !strings.Contains(noticed(&p), "seen") {
		t.Errorf("told\n%s", p.String())
	}
	valid(t, a, m)
}

// changing gives each call other arguments.
type changing struct{ ending }

func (changing) Before(_ context.Context, c tools.Call, _ tools.Effect) tools.Ruling {
	return tools.Ruling{Input: `{"s":"B"}`, By: "hook x"}
}

func TestChangedCallIsShownAsItRan(t *testing.T) {
	w := &world{file: "0"}
	m := &model{replies: []reply{asks(`append {"s":"a"}`), says("done")}}
	x := w.executor(t)
	x.Hooks = &changing{}
	a := New(Options{Provider: m, Exec: x})
	var p tape
	if err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink); err != nil || w.file != "0B" {
		t.Fatalf("%v, %q", err, w.file)
	}
	if !strings.Contains(p.String(), `start(append {"s":"B"})`) {
		t.Errorf("told\n%s", p.String())
	}
	if text := m.requests[1].Messages[2].Blocks[0].(provider.ToolResult).Content[0].(provider.Text).Text; !strings.Contains(text, `{"s":"B"}`) {
		t.Errorf("the model is told %q", text)
	}
	valid(t, a, m)
}

// noticed is what a tape holds for a person.
func noticed(p *tape) string {
	var b strings.Builder
	for _, e := range p.events {
		if n, ok := e.(Notice); ok {
			b.WriteString(n.Text + "\n")
		}
	}
	return b.String()
}

// Words for a run that the person's commands do not let through are theirs again; the run
// goes on without them.
func TestSteeredWordsAreGivenBack(t *testing.T) {
	m := &model{replies: []reply{says("done")}}
	var seen []Moment
	a := New(Options{Provider: m, Moment: moments(func(m Moment) Word {
		if m.Kind == Prompted && m.Text == "not this" {
			return Word{Block: "no"}
		}
		return Word{}
	}, &seen)})
	a.Steer("not this")
	a.Steer("this")
	var back []string
	var p tape
	if err := a.Run(t.Context(), Prompt{Text: "go"}, func(e Event) {
		if e, ok := e.(NotSent); ok {
			back = append(back, e.Text)
		}
		p.sink(e)
	}); err != nil {
		t.Fatal(err)
	}
	if len(back) != 1 || back[0] != "not this" || !strings.Contains(noticed(&p), "not sent: no") {
		t.Errorf("given back %q\n%s", back, p.String())
	}
	var told []string
	for _, m := range a.History() {
		told = append(told, m.PlainText())
	}
	if all := strings.Join(told, "|"); strings.Contains(all, "not this") || !strings.Contains(all, "go|this") {
		t.Errorf("the model was told %q", all)
	}
}
