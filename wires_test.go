package main

import (
	"errors"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"forge/agent"
	"forge/provider"
	"forge/provider/anthropic"
	"forge/provider/demo"
	"forge/provider/openai"
	"forge/tools"
	"forge/tools/builtin"
	"forge/tools/permission"
	"forge/tools/sandbox"
)

// conversation is a script that does all a conversation can: it thinks, calls
// side by side and one after another, changes a file, is refused arguments that
// are no JSON, breaks before and amid its words, and stops for other reasons.
const conversation = `
think
  Two files, both unknown:
  read them together.
text I'll read **both**.
call read_file {"path":"a.txt"}
call grep {"pattern":"needle","path":"b.txt"}
end

expect result[read_file] first line
expect result[grep] needle
error rate after=1ms slow down
text Now the change.
call edit_file {"path":"a.txt","edits":[{"old_string":"first","new_string":"1st – «früher»"}]}
call write_file {"path":"new/c.txt","content":"three\nlines\nlong\n"}
call read_file {"path":"a.txt"}
end

expect result[read_file] «früher»
text This will br
error server 503 after=1ms busy
think Once more.
text It broke and goes on.
rawcall read_file {"path":"a.txt
end

# What is left of such arguments goes back in each wire's own way, so the figures
# of the next request are given.
expect failed[read_file]
usage input=700 output=12 cache_read=600 cache_write=100
text Those arguments were cut; I have all I need anyway.
end

expect user and then
usage input=710 output=3 cache_read=700 cache_write=10
text One more wo
end max_tokens

expect user is that all
usage input=720 output=9 cache_read=710 cache_write=10 reasoning=4
think They want one more look.
call read_file {"path":"missing.txt"}
end

expect failed[read_file]
usage input=750 output=5 cache_read=720 cache_write=30
text That is not there.
end
`

// The same script gives a run the same events and figures whether it is played in
// the program or comes over either wire.
func TestWiresAgree(t *testing.T) {
	t.Parallel()
	script, err := demo.Parse(strings.NewReader(conversation))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ways := []string{"inside", "openai", "anthropic"}
	told := map[string][]string{}
	for _, way := range ways {
		var p provider.Provider
		switch way {
		case "inside":
			p = demo.New(script, demo.Options{})
		default:
			server := httptest.NewServer(demo.Serve(script, demo.Options{}))
			defer server.Close()
			p = openai.New(openai.Options{Name: "demo", BaseURL: server.URL + "/v1", Key: "k"})
			if way == "anthropic" {
				p = anthropic.New(anthropic.Options{BaseURL: server.URL, Key: "k"})
			}
		}
		told[way] = converse(t, filepath.Join(dir, "work"), provider.WithRetry(p, 0))
	}
	for _, way := range ways[1:] {
		if diff := firstDifference(told["inside"], told[way]); diff != "" {
			t.Errorf("inside and over %s: %s", way, diff)
		}
	}
	whole := strings.Join(told["inside"], "\n")
	for _, want := range []string{
		"Retrying rate 1/6", "Retrying server 1/6", "ToolEnd call3 edit_file false refused=false changed=a.txt", "«früher»",
		"ToolEnd call4 write_file false refused=false changed=c.txt", "the arguments are not valid JSON", "TurnEnd max_tokens", "Turns:7",
	} {
		if !strings.Contains(whole, want) {
			t.Errorf("the conversation lacks %q:\n%s", want, whole)
		}
	}
}

func firstDifference(a, b []string) string {
	for i := range max(len(a), len(b)) {
		x, y := "(nothing more)", "(nothing more)"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return fmt.Sprintf("event %d:\n  %s\n  %s", i, x, y)
		}
	}
	return ""
}

// converse has the conversation in a fresh workspace and returns what was told of
// it, a line an event.
func converse(t *testing.T, dir string, p provider.Provider) []string {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.txt": "first line\n", "b.txt": "hay\nneedle\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := sandbox.OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	env := &builtin.Env{Workspace: w}
	defer env.Jobs.Close()
	registry, err := tools.NewRegistry(builtin.All(env)...)
	if err != nil {
		t.Fatal(err)
	}
	a := agent.New(agent.Options{
		Provider: p, Model: demo.Model(), System: "You are tested.",
		Exec: &tools.Executor{Tools: registry, Guard: permission.New(permission.Options{Roots: w.Roots(), Asker: permission.Refuse{}, Mode: permission.ModeYolo})},
	})
	l := &listener{ids: map[string]string{}, calls: map[string][]string{}}
	for _, prompt := range []string{"look at both files", "and then?", "is that all?"} {
		if err := a.Run(t.Context(), agent.Prompt{Text: prompt}, l.hear); err != nil {
			t.Errorf("%s: %v", prompt, err)
		}
	}
	return l.lines
}

// listener writes events down without what may differ: the names of calls, times,
// what a face shows while it waits, and where a text is cut into deltas.
type listener struct {
	lines []string
	ids   map[string]string
	open  string              // the delta line that still grows
	calls map[string][]string // what was told of the calls of this turn; reads run side by side
}

func (l *listener) id(id string) string {
	if l.ids[id] == "" {
		l.ids[id] = fmt.Sprintf("call%d", len(l.ids)+1)
	}
	return l.ids[id]
}

// call notes what is told of a call; what is told of others in between says
// nothing, because reads run side by side.
func (l *listener) call(id, format string, args ...any) {
	id = l.id(id)
	l.calls[id] = append(l.calls[id], fmt.Sprintf(format, append([]any{id}, args...)...))
}

func (l *listener) flush() {
	for _, id := range slices.Sorted(maps.Keys(l.calls)) {
		l.lines = append(l.lines, l.calls[id]...)
	}
	l.calls = map[string][]string{}
}

func (l *listener) add(format string, args ...any) {
	l.flush()
	l.open = ""
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

func (l *listener) delta(head, text string) {
	if l.open != head {
		l.add("%s", head)
		l.open = head
	}
	l.lines[len(l.lines)-1] += text
}

func (l *listener) hear(e agent.Event) {
	switch e := e.(type) {
	case agent.Waiting:
	case agent.TextDelta:
		l.delta(fmt.Sprintf("Text %d ", e.Block), e.Text)
	case agent.ThinkingDelta:
		l.delta(fmt.Sprintf("Thinking %d ", e.Block), e.Text)
	case agent.ToolInput:
		if e.ID != "" {
			l.add("ToolInput %d %s %s", e.Block, l.id(e.ID), e.Name)
		}
		if e.JSON != "" {
			l.delta(fmt.Sprintf("ToolInput %d ", e.Block), e.JSON)
		}
	case agent.ToolStart:
		l.call(e.ID, "ToolStart %s %s %s %s %q", e.Name, e.Input, e.Effect.Kind, e.Effect.Title)
	case agent.ToolRunning:
		l.call(e.ID, "ToolRunning %s")
	case agent.ToolEnd:
		l.call(e.ID, "ToolEnd %s %s %v refused=%v changed=%s %q", e.Name, e.Result.IsError, e.Result.Refused, changedPaths(e.Changes), e.Result.Text)
	case agent.Retrying:
		var pe *provider.Error
		errors.As(e.Err, &pe)
		l.add("Retrying %s %d/%d", pe.Kind, e.Attempt, e.Attempts)
	case agent.TurnEnd:
		l.add("TurnEnd %s %q %+v cost=%v/%v used=%d/%d", e.Stop, e.Detail, e.Usage, e.Cost, e.CostKnown, e.Used, e.Window)
	default:
		l.add("%s %+v", reflect.TypeOf(e).Name(), e)
	}
}

func changedPaths(cs []tools.Change) string {
	var paths []string
	for _, c := range cs {
		paths = append(paths, filepath.Base(c.Path))
	}
	return strings.Join(paths, ",")
}
