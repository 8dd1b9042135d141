package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"forge/agent"
	"forge/ui/linear"
)

// said runs a command in lines and returns what it says, its error and a list among it.
func said(l *lines, name, arg string) (text string, c *linear.Choice) {
	var out []string
	for _, cmd := range l.commands() {
		if cmd.Name != name {
			continue
		}
		var err error
		if c, err = cmd.Run(context.Background(), arg, func(s string) { out = append(out, s) }); err != nil {
			out = append(out, "error: "+err.Error())
		}
		if c != nil {
			out = append(append(out, c.Title), c.Entries...)
		}
		return strings.Join(out, "\n"), c
	}
	return "no such command", nil
}

// What runs in the background is listed, read and ended in lines as well.
func TestJobsInLines(t *testing.T) {
	o := testOptions(&fakeAgent{})
	jobs := []Job{{ID: "job1", Command: "old", Status: "exit code 0"}, {ID: "job2", Command: "npm run\x1b[2J dev", Status: "running", Running: true, Bytes: 9}}
	ended := ""
	o.Jobs = Jobs{List: func() []Job { return jobs }, Output: func(id string) (string, error) { return map[string]string{"job2": "listening\n"}[id], nil },
		End: func(id string) error { ended += id; return nil }}
	l := &lines{o: o, gate: make(chan struct{}, 1)}
	for _, c := range []struct{ arg, want string }{
		{"", "job2, running, 0 s, 9 B, npm run dev\njob1, exit code 0, 0 s, 0 B, old\n/jobs NAME"},
		{"job2", "npm run dev\nlistening"},
		{"job1", "it has written nothing"},
		{"job3", "error: no command in the background is named job3"},
		{"end job3", "error: no command"},
		{"end job1", "error: job1 has ended already"},
		{"end job2", "job2 is ended"},
	} {
		if got, _ := said(l, "jobs", c.arg); !strings.Contains(got, c.want) {
			t.Errorf("/jobs %s: %q", c.arg, got)
		}
	}
	if ended != "job2" {
		t.Errorf("ended %q", ended)
	}
	jobs = nil
	if got, _ := said(l, "jobs", ""); got != "nothing runs in the background" {
		t.Errorf("%q", got)
	}
}

// A question beside the work is answered beside it, and what came of an answer that broke off
// is said, too.
func TestBtwInLines(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Btw = func(_ context.Context, q string, say func(string)) (agent.Totals, error) {
		say("<think>hm</think>because ")
		say("of " + q)
		if q == "it" {
			return agent.Totals{}, errors.New("cut off")
		}
		return agent.Totals{}, nil
	}
	l := &lines{o: o, gate: make(chan struct{}, 1)}
	l.gate <- struct{}{} // a run is on
	for arg, want := range map[string]string{"": "error: write the question behind it", "that": "beside the work: because of that", "it": "beside the work: because of it\nerror: cut off"} {
		if got, _ := said(l, "btw", arg); !strings.HasPrefix(got, want) {
			t.Errorf("/btw %s: %q", arg, got)
		}
	}
}

// What answers with a list waits for its turn: beside something else nobody could choose.
func TestListsInLinesWait(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Stored.Search, o.Stored.Read = func(context.Context, string) ([]Found, error) { return nil, nil }, func(string, int) (string, int, error) { return "", 0, nil }
	o.Memory = func() []MemoryInfo { return nil }
	beside := map[string]bool{}
	for _, c := range (&lines{o: o}).commands() {
		beside[c.Name] = c.Beside
	}
	if b, there := beside["search"]; b || !there || !beside["memory"] {
		t.Errorf("%v", beside)
	}
}

// In lines, too, conversations can be searched, and the instructions there are are told.
func TestSearchAndMemoryInLines(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Stored.Search = func(_ context.Context, words string) ([]Found, error) {
		if words == "panic" {
			return []Found{{ID: "s1", Title: "a title", Excerpt: "it panics", Note: "you", Seq: 3}}, nil
		}
		return nil, nil
	}
	o.Stored.Read = func(string, int) (string, int, error) { return "first\nsecond\nit panics here\nlast", 1, nil }
	o.Memory = func() []MemoryInfo { return []MemoryInfo{{Name: "AGENTS.md", Tokens: 40}} }
	l := &lines{o: o, gate: make(chan struct{}, 1)}
	got, c := said(l, "search", "panic")
	if !strings.Contains(got, "1 found: panic\nit panics, you, a title") {
		t.Fatalf("%q", got)
	}
	var out []string
	if err := c.Pick(t.Context(), 0, func(s string) { out = append(out, s) }); err != nil || strings.Join(out, "\n") != "it panics here\nlast\n/resume s1 goes on with it" {
		t.Errorf("%v: %q", err, out)
	}
	for arg, want := range map[string]string{"": "say what to look for", "other": "no conversation has other"} {
		if got, _ := said(l, "search", arg); !strings.Contains(got, want) {
			t.Errorf("/search %s: %q", arg, got)
		}
	}
	if got, _ := said(l, "memory", ""); got != "AGENTS.md, 40 tokens, this project" {
		t.Errorf("%q", got)
	}
}
