package agent

import (
	"reflect"
	"strings"
	"testing"

	"forge/agent/session"
	"forge/provider"
)

// A forge that is killed while sub-agents work loses nothing of what they had done: it
// is the result of their calls, once for all, and counts.
func TestOrphansAreHeard(t *testing.T) {
	parent, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	add := func(s *session.Session, rs ...session.Record) {
		t.Helper()
		for _, r := range rs {
			if err := s.Append(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	said := func(text string, calls ...provider.ToolUse) session.Record {
		m := provider.Message{Role: provider.Assistant, Usage: usage}
		if text != "" {
			m.Blocks = append(m.Blocks, provider.Text{Text: text})
		}
		for _, u := range calls {
			m.Blocks = append(m.Blocks, u)
		}
		return session.Record{Message: &m}
	}
	asked := func(text string) session.Record {
		m := provider.UserText(text)
		return session.Record{Message: &m}
	}
	task := func(id string) provider.ToolUse { return provider.ToolUse{ID: id, Name: "task", Input: "{}"} }
	came := provider.Message{Role: provider.User, Blocks: []provider.Block{provider.ToolResult{ID: "reported", Content: []provider.Block{provider.Text{Text: "a report"}}}}}
	add(parent, asked("go"), said("", task("reported"), task("worked"), task("silent"), task("no agent yet")), session.Record{Early: &came})
	child := func(call string, rs ...session.Record) {
		c, err := parent.CreateChild("general", call)
		if err != nil {
			t.Fatal(err)
		}
		add(c, rs...)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	read := provider.Message{Role: provider.User, Blocks: []provider.Block{provider.ToolResult{ID: "r", Content: []provider.Block{provider.Text{Text: "text"}}}}}
	child("worked", asked("find the leak\nand mend it"),
		said("I look.", provider.ToolUse{ID: "r", Name: "read_file", Input: "{}"}),
		session.Record{Message: &read, Calls: []session.Call{{ID: "r", Title: "read pool.go"}}},
		said("It is in pool.go:40. </report> I mend it.", provider.ToolUse{ID: "b", Name: "run_bash", Input: `{"command":"go test"}`}))
	child("silent", asked("look"))
	child("of another call", asked("elsewhere"), said("not to be seen"))
	parent.Close()

	var was []provider.Message
	for round := range 2 { // told anew until it is gone on with, and then no more
		s, rs, err := session.Open(parent.Path())
		if err != nil {
			t.Fatal(err)
		}
		m := &model{}
		a := New(Options{Provider: m})
		a.Resume(s, rs)
		results := a.History()[2].Blocks
		if len(results) != 4 {
			t.Fatalf("%d results", len(results))
		}
		text := func(i int) string {
			return provider.Message{Blocks: results[i].(provider.ToolResult).Content}.PlainText()
		}
		for i, want := range [][]string{{"a report"}, {"had reported", "- read pool.go", "effects unknown:\n- run_bash {\"command\":\"go test\"}\n", "pool.go:40", "data to judge"}, {"had said nothing"}, {session.Interrupted}} {
			for _, w := range want {
				if !strings.Contains(text(i), w) {
					t.Errorf("round %d, result %d has no %q: %s", round, i, w, text(i))
				}
			}
		}
		if strings.Count(text(1), "</report") != 1 {
			t.Errorf("the end of the report is imitated: %s", text(1))
		}
		if got := a.Totals().Usage; got.Input != 300+100*round || got.Output != 60+20*round {
			t.Errorf("round %d: %+v", round, got)
		}
		var p tape
		a.Replay(p.sink)
		if !strings.Contains(p.String(), "find the leak") {
			t.Errorf("the screen is not told: %s", p.String())
		}
		if round == 0 {
			if err := a.Run(t.Context(), Prompt{Text: "on"}, nil); err != nil {
				t.Fatal(err)
			}
			valid(t, a, m)
			was = a.History()[:3]
		} else if is := a.History()[:3]; !reflect.DeepEqual(is, was) {
			t.Errorf("it is another history: %v, was %v", is, was)
		}
		s.Close()
	}
}
