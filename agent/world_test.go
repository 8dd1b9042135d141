package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"forge/agent/session"
	"forge/provider"
	"forge/tools"
)

// TestMain keeps the stacks of deliberate crashes out of the output.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// reopened closes a session and reads it as the next forge would.
func reopened(t *testing.T, s *session.Session) (*session.Session, []session.Record) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, rs, err := session.Open(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	return again, rs
}

// model plays replies, one a request, and remembers what it was asked.
type model struct {
	mu       sync.Mutex
	replies  []reply
	requests []provider.Request
	invalid  []error // what was wrong with the histories it got
}

type reply struct {
	events []provider.Event
	err    error
	before func() // runs as the request arrives
}

func (m *model) Stream(ctx context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		m.mu.Lock()
		var r reply
		if len(m.replies) > 0 {
			r, m.replies = m.replies[0], m.replies[1:]
		} else {
			r = says("done")
		}
		m.requests = append(m.requests, req)
		if err := session.Check(req.Messages); err != nil {
			m.invalid = append(m.invalid, fmt.Errorf("request %d: %w", len(m.requests), err))
		}
		m.mu.Unlock()
		if r.before != nil {
			r.before()
		}
		for _, ev := range r.events {
			if !yield(ev, nil) {
				return
			}
		}
		if r.err != nil {
			yield(nil, r.err)
		}
	}
}

var usage = provider.Usage{Input: 100, Output: 20, Reported: true}

func says(text string) reply { return ends(provider.StopEnd, provider.TextDelta{Text: text}) }

func ends(why provider.StopReason, evs ...provider.Event) reply {
	evs = append([]provider.Event{provider.Start{Origin: "test/m"}}, evs...)
	return reply{events: append(evs, provider.Stop{Reason: why, Usage: usage})}
}

// asks is a reply with these calls, "name input" each, at indices from first on.
func asks(calls ...string) reply {
	return ends(provider.StopToolUse, uses(0, calls...)...)
}

func uses(first int, calls ...string) []provider.Event {
	var evs []provider.Event
	for i, c := range calls {
		name, input, _ := strings.Cut(c, " ")
		evs = append(evs, provider.ToolUseStart{Index: first + i, ID: fmt.Sprint("id", i), WireID: fmt.Sprint("w", i), Name: name})
		if input != "" {
			half := len(input) / 2
			evs = append(evs, provider.ToolUseDelta{Index: first + i, JSON: input[:half]}, provider.ToolUseDelta{Index: first + i, JSON: input[half:]})
		}
	}
	return evs
}

func fails(kind provider.Kind, status int, text string) reply {
	return reply{events: []provider.Event{provider.Start{}}, err: &provider.Error{Kind: kind, Status: status, Message: text}}
}

// tool is a tool made of two functions.
type tool struct {
	name    string
	kind    tools.Kind
	prepare func(in map[string]any) error
	run     func(ctx context.Context, in map[string]any, out io.Writer) (tools.Result, error)
}

func (t tool) Spec() tools.Spec {
	return tools.Spec{Name: t.name, Description: t.name + "s", Schema: json.RawMessage(`{"type":"object"}`)}
}

func (t tool) Prepare(_ context.Context, call tools.Call) (*tools.Invocation, error) {
	in := map[string]any{}
	if err := json.Unmarshal([]byte(call.Input), &in); err != nil {
		return nil, err
	}
	if t.prepare != nil {
		if err := t.prepare(in); err != nil {
			return nil, err
		}
	}
	return &tools.Invocation{Effect: tools.Effect{Kind: t.kind, Title: t.name + " " + call.Input},
		Run: func(ctx context.Context, _ tools.Effect, out io.Writer) (tools.Result, error) {
			return t.run(ctx, in, out)
		}}, nil
}

type allow struct{}

func (allow) Authorize(context.Context, tools.Call, tools.Effect) (tools.Verdict, error) {
	return tools.Verdict{Allow: true}, nil
}

// world is a few tools over one string, standing for a file.
type world struct {
	mu    sync.Mutex
	file  string
	order []string
}

func (w *world) note(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.order = append(w.order, s)
}

func (w *world) tools() []tools.Tool {
	return []tools.Tool{
		tool{name: "read", kind: tools.Read, run: func(_ context.Context, in map[string]any, out io.Writer) (tools.Result, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			fmt.Fprint(out, "reading")
			return tools.Result{Text: fmt.Sprint(w.file, " ", in["n"])}, nil
		}},
		tool{name: "append", kind: tools.Write, prepare: func(map[string]any) error { w.note("prepare " + w.file); return nil },
			run: func(_ context.Context, in map[string]any, _ io.Writer) (tools.Result, error) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.file += fmt.Sprint(in["s"])
				return tools.Result{Text: "appended"}, nil
			}},
		tool{name: "crash", kind: tools.Exec, run: func(context.Context, map[string]any, io.Writer) (tools.Result, error) { panic("boom") }},
		tool{name: "fail", kind: tools.Exec, run: func(context.Context, map[string]any, io.Writer) (tools.Result, error) {
			return tools.Result{}, errors.New("it failed")
		}},
		tool{name: "silent", kind: tools.Exec, run: func(context.Context, map[string]any, io.Writer) (tools.Result, error) { return tools.Result{}, nil }},
		tool{name: "wait", kind: tools.Exec, run: func(ctx context.Context, _ map[string]any, out io.Writer) (tools.Result, error) {
			fmt.Fprint(out, "waiting")
			<-ctx.Done()
			return tools.Result{}, ctx.Err()
		}},
		tool{name: "todo", kind: tools.Internal, run: func(_ context.Context, in map[string]any, _ io.Writer) (tools.Result, error) {
			w.note(fmt.Sprint("todo ", in["n"]))
			return tools.Result{Text: "noted"}, nil
		}},
	}
}

func (w *world) executor(t testing.TB, more ...tools.Tool) *tools.Executor {
	reg, err := tools.NewRegistry(append(w.tools(), more...)...)
	if err != nil {
		t.Fatal(err)
	}
	return &tools.Executor{Tools: reg, Guard: allow{}}
}

// tape keeps the events of runs as short words.
type tape struct {
	events []Event
}

func (p *tape) sink(e Event) { p.events = append(p.events, e) }

func word(e Event) string {
	switch e := e.(type) {
	case UserMessage:
		return fmt.Sprintf("user(%s)", e.Text)
	case TurnStart:
		return fmt.Sprintf("turn%d", e.Turn)
	case TextDelta:
		return fmt.Sprintf("text%d(%s)", e.Block, e.Text)
	case ThinkingDelta:
		return fmt.Sprintf("think%d(%s)", e.Block, e.Text)
	case ToolInput:
		return fmt.Sprintf("input%d(%s%s)", e.Block, e.Name, e.JSON)
	case ToolStart:
		return fmt.Sprintf("start(%s)", e.Effect.Title)
	case ToolRunning:
		return "running"
	case ToolOutput:
		return fmt.Sprintf("out(%s)", e.Text)
	case ToolEnd:
		return fmt.Sprintf("end(%s: %s)", e.Name, e.Result.Text)
	case TurnEnd:
		return fmt.Sprintf("turnend(%s)", e.Stop)
	case RunEnd:
		return fmt.Sprintf("runend(%v)", e.Err)
	}
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", e), "agent."))
}

func (p *tape) String() string {
	var s []string
	for _, e := range p.events {
		s = append(s, word(e))
	}
	return strings.Join(s, "\n")
}

func valid(t testing.TB, a *Agent, m *model) {
	t.Helper()
	if err := session.Check(a.History()); err != nil {
		t.Errorf("history: %v", err)
	}
	for _, err := range m.invalid {
		t.Error(err)
	}
}

// texts gives the results of the last message but back, in order.
func results(a *Agent, back int) []string {
	h := a.History()
	var s []string
	for _, b := range h[len(h)-1-back].Blocks {
		if r, ok := b.(provider.ToolResult); ok {
			s = append(s, provider.Message{Blocks: r.Content}.PlainText())
		}
	}
	return s
}
