package agent

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"forge/agent/session"
	"forge/provider"
	"forge/tools"
)

// prints is a command that says something and ends.
func prints(text, display string, failed bool) func(context.Context, io.Writer) (tools.Result, error) {
	return func(_ context.Context, out io.Writer) (tools.Result, error) {
		io.WriteString(out, text)
		return tools.Result{Text: text + "[" + display + "]\n", Display: display, IsError: failed}, nil
	}
}

// A command of the person's own asks the model nothing, and is there at its next
// call; stored and told again it is the same card.
func TestShellIsPartOfTheConversation(t *testing.T) {
	dir := t.TempDir()
	s, err := session.Create(dir, "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	m := &model{}
	w := &world{}
	a := New(Options{Provider: m, Model: provider.Model{ID: "m"}, Exec: w.executor(t), Session: s})
	var live tape
	if err := a.Shell(t.Context(), " go test \x00./... ", prints("ok  \tforge\n", "exit code 0", false), live.sink); err != nil {
		t.Fatal(err)
	}
	if len(m.requests) != 0 {
		t.Fatalf("the model was asked %d times", len(m.requests))
	}
	const want = "The user ran a command in the workspace folder; this is no request.\n<command>\ngo test \uFFFD./...\n</command>\n<output>\nok  \tforge\n[exit code 0]\n</output>"
	if h := a.History(); len(h) != 1 || h[0].Role != provider.User || h[0].PlainText() != want {
		t.Errorf("history %+v", h)
	}
	if err := a.Shell(t.Context(), "false", prints("", "exit code 1", true), live.sink); err != nil {
		t.Fatal(err)
	}
	if err := a.Run(t.Context(), Prompt{Text: "why?"}, live.sink); err != nil {
		t.Fatal(err)
	}
	if ms := m.requests[0].Messages; len(ms) != 3 || ms[0].PlainText() != want || ms[2].PlainText() != "why?" || len(m.invalid) > 0 {
		t.Errorf("the model read %+v %v", ms, m.invalid)
	}
	id := live.events[0].(ToolStart).ID
	begin := []Event{
		ToolStart{ID: id, Name: OwnCommand, Effect: tools.Effect{Kind: tools.Exec, Title: "! go test \uFFFD./...", Command: "go test \uFFFD./..."}},
		ToolRunning{id}, ToolOutput{id, "ok  \tforge\n"},
	}
	if !reflect.DeepEqual(live.events[:3], begin) {
		t.Errorf("told %+v", live.events[:3])
	}
	_, rs := reopened(t, s)
	b := New(Options{Provider: m, Model: provider.Model{ID: "m"}, Exec: w.executor(t)})
	b.Resume(nil, rs)
	var again tape
	b.Replay(again.sink)
	shown := func(events []Event) []Event {
		es := quiet(events)
		for i, e := range es {
			switch e := e.(type) {
			case ToolEnd:
				e.Result.Text = strings.TrimRight(e.Result.Text, "\n")
				es[i] = e
			case UserMessage: // a replay alone says when
				e.At = time.Time{}
				es[i] = e
			case RunEnd:
				e.At = time.Time{}
				es[i] = e
			case TurnStart:
				e.At = time.Time{}
				es[i] = e
			}
		}
		return es
	}
	if x, y := shown(live.events), shown(again.events); !reflect.DeepEqual(x, y) {
		t.Errorf("live  %+v\nagain %+v", x, y)
	}
	if !reflect.DeepEqual(b.History(), a.History()) {
		t.Errorf("history %+v, was %+v", b.History(), a.History())
	}
	all, err := session.List(dir)
	if err != nil || len(all) != 1 || all[0].Title != "why?" {
		t.Errorf("listed as %+v %v", all, err)
	}
}

// However a command ends, the conversation can go on, and the run is told to be
// over.
func TestShellEnds(t *testing.T) {
	for name, c := range map[string]struct {
		command string
		run     func(context.Context, io.Writer) (tools.Result, error)
		err     string
		history int
		text    string
	}{
		"cannot start": {"x", func(context.Context, io.Writer) (tools.Result, error) { return tools.Result{}, errors.New("no shell") }, "", 1, "no shell\n</output>"},
		"crashes":      {"x", func(context.Context, io.Writer) (tools.Result, error) { panic("boom") }, "forge crashed: boom", 0, ""},
		"is empty":     {" \n", nil, "the command is empty", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := New(Options{})
			var live tape
			err := a.Shell(t.Context(), c.command, c.run, live.sink)
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			if h := a.History(); len(h) != c.history || session.Check(h) != nil || c.history > 0 && !strings.HasSuffix(h[0].PlainText(), c.text) {
				t.Errorf("history %+v", h)
			}
			if _, ok := live.events[len(live.events)-1].(RunEnd); !ok {
				t.Errorf("told %+v", live.events)
			}
		})
	}
}

// What is asked may be asked otherwise: the records before a prompt make a
// conversation that keeps its promise, and the first one stays as it was.
func TestBeforeAPrompt(t *testing.T) {
	m := &model{replies: []reply{asks(`read {"n":1}`), says("one"), says("two"), says("other")}}
	w := &world{file: "f"}
	a := New(Options{Provider: m, Model: provider.Model{ID: "m"}, Exec: w.executor(t)})
	run := func(text string) {
		t.Helper()
		if err := a.Run(t.Context(), Prompt{Text: text}, func(Event) {}); err != nil {
			t.Fatal(err)
		}
	}
	run("first")
	if err := a.Shell(t.Context(), "ls", prints("f\n", "exit code 0", false), func(Event) {}); err != nil {
		t.Fatal(err)
	}
	m.replies[0].before = func() { a.Steer("and this") }
	run("second")
	asked := a.Asked()
	if len(asked) != 2 || asked[0].Text != "second" || asked[1].Text != "first" || asked[0].When.IsZero() {
		t.Fatalf("asked %+v", asked)
	}
	whole := a.History()
	b := New(Options{Provider: m, Model: provider.Model{ID: "m"}, Exec: w.executor(t)})
	b.Resume(nil, before(t, a, asked[0]))
	if h := b.History(); !reflect.DeepEqual(h, whole[:5]) || session.Check(h) != nil {
		t.Errorf("before the second prompt stands %+v", h)
	}
	if err := b.Run(t.Context(), Prompt{Text: "otherwise"}, func(Event) {}); err != nil || len(m.invalid) > 0 {
		t.Errorf("%v %v", err, m.invalid)
	}
	if !reflect.DeepEqual(a.History(), whole) {
		t.Error("the first conversation changed")
	}
	b.Resume(nil, before(t, a, asked[1]))
	if h := b.History(); len(h) != 0 {
		t.Errorf("before the first prompt stands %+v", h)
	}
}

func before(t *testing.T, a *Agent, p Asked) []session.Record {
	t.Helper()
	rs, err := a.Before(p)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}
