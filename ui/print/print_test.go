package print

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/tools"
)

// play writes a run and returns what stood where, and the exit code.
func play(o Options, err error, events ...agent.Event) (out, errOut string, code int) {
	var a, b bytes.Buffer
	o.Out, o.Err = &a, &b
	clock := time.Unix(0, 0)
	o.Now = func() time.Time { clock = clock.Add(time.Second); return clock }
	p := New(o)
	for _, e := range events {
		p.Emit(e)
	}
	code = p.Finish(err)
	return a.String(), b.String(), code
}

// What a model says is written as it came, unless it goes to a terminal, where it
// could do harm.
func TestAnswerOnATerminal(t *testing.T) {
	events := []agent.Event{agent.TurnStart{Turn: 1}, agent.TextDelta{Text: "\n<think>hm</think>red \x1b[31mtext\x1b]0;title\x07\n"}, agent.TurnEnd{Stop: provider.StopEnd}, agent.RunEnd{}}
	out, errOut, code := play(Options{Format: Text}, nil, events...)
	if out != "red \x1b[31mtext\x1b]0;title\x07\n" || errOut != "" || code != ExitDone {
		t.Errorf("%q %q %d", out, errOut, code)
	}
	out, _, _ = play(Options{Format: Text, OutTerminal: true}, nil, events...)
	if strings.Contains(out, "\x1b") || strings.Contains(out, "\x07") || !strings.HasPrefix(out, "red ") {
		t.Errorf("on a terminal: %q", out)
	}
}

// The answer is that of the last turn that said something; what a retry made void
// is no part of it.
func TestAnswerIsTheLastWord(t *testing.T) {
	out, _, _ := play(Options{Format: Text}, nil,
		agent.TurnStart{Turn: 1}, agent.TextDelta{Text: "half"}, agent.Retrying{Err: errors.New("cut"), Attempt: 1, Attempts: 6},
		agent.TextDelta{Text: "first"}, agent.TurnEnd{Stop: provider.StopToolUse},
		agent.TurnStart{Turn: 2}, agent.TextDelta{Text: "se"}, agent.TextDelta{Text: "cond"}, agent.TurnEnd{Stop: provider.StopToolUse},
		agent.TurnStart{Turn: 3}, agent.TurnEnd{Stop: provider.StopEnd}, agent.RunEnd{})
	if out != "second\n" {
		t.Errorf("%q", out)
	}
}

func TestProgress(t *testing.T) {
	_, errOut, _ := play(Options{Format: Text, Progress: true}, nil,
		agent.TurnStart{Turn: 1},
		agent.ToolStart{ID: "1", Name: "run_bash", Effect: tools.Effect{Title: "run echo a\necho b\x1b[2J"}},
		agent.ToolEnd{ID: "1", Name: "run_bash", Result: tools.Result{Text: "not run: no", IsError: true, Refused: true}},
		agent.Retrying{Err: errors.New("busy"), After: 1234 * time.Millisecond, Attempt: 1, Attempts: 6},
		agent.Notice{Text: "a notice"}, agent.RunEnd{})
	want := "· run echo a …\n· not run: run echo a …\n· retry 1 of 6 in 1.2s: busy\n· a notice\n"
	if !strings.HasPrefix(errOut, want) {
		t.Errorf("got  %q\nwant %q", errOut, want)
	}
}

// What forge says of the run itself reaches who does not follow the calls, too: on
// standard error, or as an event.
func TestNotice(t *testing.T) {
	for _, f := range []Format{Text, JSON} {
		if _, errOut, _ := play(Options{Format: f}, nil, agent.Notice{Text: "not saved: full\nmore\x1b[2J"}, agent.RunEnd{}); errOut != "forge: not saved: full …\n" {
			t.Errorf("%s: %q", f, errOut)
		}
	}
	if out, errOut, _ := play(Options{Format: StreamJSON}, nil, agent.Notice{Text: "not saved"}, agent.RunEnd{}); errOut != "" || !strings.Contains(out, `"text":"not saved"`) {
		t.Errorf("%q, %q", out, errOut)
	}
}

func TestEveryEventIsALine(t *testing.T) {
	out, _, _ := play(Options{Format: StreamJSON}, nil,
		agent.UserMessage{Text: "hi"}, agent.TurnStart{Turn: 1}, agent.Waiting{For: "headers"}, agent.ThinkingDelta{Block: 0, Text: "hm"},
		agent.TextDelta{Block: 1, Text: "<b>"}, agent.ToolInput{Block: 2, ID: "1", Name: "task", JSON: "{}"},
		agent.TurnEnd{Stop: provider.StopToolUse, Usage: provider.Usage{Input: 5, Output: 2, CacheRead: 1}, Cost: 0.1 + 0.2, CostKnown: true, Used: 7, Window: 100},
		agent.ToolStart{ID: "1", Name: "task", Input: "{}", Effect: tools.Effect{Kind: tools.Delegate, Title: "delegate"}},
		agent.ToolRunning{ID: "1"},
		agent.Nested{ID: "1", Event: agent.TurnStart{Turn: 1}}, agent.Nested{ID: "1", Event: agent.Waiting{}},
		agent.ToolOutput{ID: "1", Text: "live"},
		agent.ToolEnd{ID: "1", Name: "task", Result: tools.Result{Text: "done"}, Changes: []tools.Change{{Path: "a.go"}}, Took: 1500 * time.Millisecond},
		agent.Retrying{Err: errors.New("busy"), After: time.Second, Attempt: 1, Attempts: 6}, agent.Notice{Text: "n"},
		agent.Compacting{Reason: "full"}, agent.Compacted{Before: 9, After: 3}, agent.Compacted{Before: 9, Err: errors.New("no")}, agent.RunEnd{})
	want := []string{
		`{"text":"hi","type":"user"}`,
		`{"turn":1,"type":"turn_start"}`,
		`{"block":0,"text":"hm","type":"thinking"}`,
		`{"block":1,"text":"\u003cb\u003e","type":"text"}`,
		`{"context_tokens":7,"context_window":100,"cost_usd":0.3,"stop_reason":"tool_use","type":"turn_end","usage":{"prompt_tokens":5,"completion_tokens":2,"cache_read_tokens":1,"cache_write_tokens":0,"reasoning_tokens":0}}`,
		`{"effect":"delegate","id":"1","input":"{}","title":"delegate","tool":"task","type":"tool_start"}`,
		`{"parent":"1","turn":1,"type":"turn_start"}`,
		`{"id":"1","text":"live","type":"tool_output"}`,
		`{"duration_ms":1500,"files":["a.go"],"id":"1","is_error":false,"refused":false,"text":"done","tool":"task","type":"tool_end"}`,
		`{"after_ms":1000,"attempt":1,"attempts":6,"error":"busy","type":"retry"}`,
		`{"text":"n","type":"notice"}`,
		`{"after":3,"before":9,"type":"compacted"}`,
		`{"after":9,"before":9,"error":"no","type":"compacted"}`,
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != len(want)+1 {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	for i := range want {
		if lines[i] != want[i] {
			t.Errorf("line %d:\ngot  %s\nwant %s", i, lines[i], want[i])
		}
	}
}

// The result counts this run, not the conversation before it.
func TestResult(t *testing.T) {
	before := agent.Totals{Usage: provider.Usage{Input: 100, Output: 10, CacheRead: 50, CacheWrite: 5, Reasoning: 3}, Cost: 1}
	after := agent.Totals{Usage: provider.Usage{Input: 130, Output: 12, CacheRead: 70, CacheWrite: 6, Reasoning: 4}, Cost: 1.25, CostKnown: true}
	out, errOut, code := play(Options{Format: JSON, Before: before, Session: "s", Model: provider.Model{Provider: "p", ID: "m"}},
		&provider.Error{Kind: provider.KindRate, Status: 429, Message: "slow down", Hint: "wait"},
		agent.TurnStart{Turn: 1}, agent.TextDelta{Text: "so far"}, agent.TurnEnd{Stop: provider.StopError}, agent.RunEnd{Totals: after})
	want := `{"type":"result","ok":false,"exit_code":1,"text":"so far","stop_reason":"error","turns":1,` +
		`"usage":{"prompt_tokens":30,"completion_tokens":2,"cache_read_tokens":20,"cache_write_tokens":1,"reasoning_tokens":1},"cost_usd":0.25,"duration_ms":1000,` +
		`"provider":"p","model":"m","session":"s","refused":[],"error":{"kind":"rate","message":"model server: slow down (HTTP 429, rate)","hint":"wait"}}` + "\n"
	if out != want || code != ExitFailed {
		t.Errorf("exit %d\ngot  %s\nwant %s", code, out, want)
	}
	if errOut != "forge: model server: slow down (HTTP 429, rate) - wait\n" {
		t.Errorf("%q", errOut)
	}
	// A run that ended before its first request cost nothing, whatever is known of prices.
	out, _, _ = play(Options{Format: JSON}, nil, agent.RunEnd{Limit: true, Err: agent.ErrTurnLimit})
	if !strings.Contains(out, `"cost_usd":0,`) {
		t.Errorf("%s", out)
	}
	// Where nothing began there is nothing to count.
	out, _, _ = play(Options{Format: JSON, Before: before}, errors.New("no model"))
	var r Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.Usage != (Usage{}) || r.Cost != nil || r.Error.Kind != "other" {
		t.Errorf("%s %v", out, err)
	}
}

func TestExitCodes(t *testing.T) {
	refused := agent.ToolEnd{ID: "1", Name: "x", Result: tools.Result{Refused: true, IsError: true, Text: "not run: no"}}
	for _, c := range []struct {
		name   string
		err    error
		events []agent.Event
		want   int
	}{
		{"done", nil, nil, 0},
		{"failed", errors.New("x"), nil, 1},
		{"refused", nil, []agent.Event{refused}, 3},
		{"refused, then failed", errors.New("x"), []agent.Event{refused}, 1},
		{"limit", agent.ErrTurnLimit, []agent.Event{refused, agent.RunEnd{Limit: true}}, 4},
		{"interrupted", context.Canceled, []agent.Event{refused}, 130},
		{"no time left", context.DeadlineExceeded, nil, 1},
	} {
		if _, _, code := play(Options{Format: Text}, c.err, c.events...); code != c.want {
			t.Errorf("%s: exit %d, want %d", c.name, code, c.want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// An answer that could not be written is no success.
func TestFullDisk(t *testing.T) {
	for _, f := range []Format{Text, JSON, StreamJSON} {
		var errOut bytes.Buffer
		p := New(Options{Out: full{}, Err: &errOut, Format: f})
		for _, e := range []agent.Event{agent.TurnStart{Turn: 1}, agent.TextDelta{Text: "a"}, agent.TurnEnd{Stop: provider.StopEnd}, agent.RunEnd{}} {
			p.Emit(e)
		}
		if code := p.Finish(nil); code != ExitFailed || errOut.String() != "forge: write the answer: no space left on device\n" {
			t.Errorf("%s: exit %d, %q", f, code, errOut.String())
		}
	}
}
