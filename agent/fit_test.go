package agent

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"forge/compact"
	"forge/provider"
	"forge/tools"
)

func notices(p *tape) []string {
	var out []string
	for _, e := range p.events {
		if n, ok := e.(Notice); ok {
			out = append(out, n.Text)
		}
	}
	return out
}

// A server that counts about the same again, however much is sent, cuts its input:
// that is said once, with what to do, and from then on the conversation fits.
func TestSilentTruncationIsNoticed(t *testing.T) {
	big := tool{name: "big", kind: tools.Read, run: func(_ context.Context, in map[string]any, _ io.Writer) (tools.Result, error) {
		return tools.Result{Text: strings.Repeat(fmt.Sprintln("a line of output number", in["n"]), 300)}, nil
	}}
	m := &model{}
	sent := func() int {
		n := 0
		for _, msg := range m.requests[len(m.requests)-1].Messages {
			for _, b := range msg.Blocks {
				switch b := b.(type) {
				case provider.Text:
					n += compact.Count(b.Text)
				case provider.ToolResult:
					n += compact.Count(provider.Message{Blocks: b.Content}.PlainText())
				}
			}
		}
		return n
	}
	cutting := func(r reply, read int) reply {
		stop := r.events[len(r.events)-1].(provider.Stop)
		stop.Usage = provider.Usage{Input: read, Output: 20, Reported: true}
		r.events[len(r.events)-1] = stop
		return r
	}
	for i := range 8 {
		m.replies = append(m.replies, cutting(asks(fmt.Sprintf(`big {"n":%d}`, i)), 4000-i%3*90))
	}
	m.replies = append(m.replies, cutting(says("done"), 2000))
	md := provider.Model{ID: "m", Window: 128_000, Local: true}
	a := New(Options{Provider: m, Model: md, Exec: (&world{}).executor(t, big), Compact: compact.New(compact.Options{Provider: m, Model: md, Rest: 1})})
	var p tape
	if err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink); err != nil {
		t.Fatal(err)
	}
	told := notices(&p)
	if len(told) != 1 || !strings.Contains(told[0], "num_ctx") || !strings.Contains(told[0], "cuts in silence") {
		t.Errorf("told %q", told)
	}
	if model, _ := a.Model(); model.Window < 3000 || model.Window > 4100 {
		t.Errorf("the window is taken for %d", model.Window)
	}
	if n := sent(); n > 4000 {
		t.Errorf("%d tokens are sent to a window of 4000", n)
	}
	valid(t, a, m)
}

// However often it happens, and whoever notices it first, it is told once.
func TestSilentTruncationIsToldOnce(t *testing.T) {
	big := tool{name: "big", kind: tools.Read, run: func(_ context.Context, in map[string]any, _ io.Writer) (tools.Result, error) {
		return tools.Result{Text: strings.Repeat(fmt.Sprintln("a line of output number", in["n"]), 300)}, nil
	}}
	for _, wire := range []bool{false, true} {
		m := &model{}
		for i := range 30 {
			r := asks(fmt.Sprintf(`big {"n":%d}`, i))
			r.events[len(r.events)-1] = provider.Stop{Reason: provider.StopToolUse, Usage: provider.Usage{Input: 4000, Output: 20, Reported: true}}
			if wire && i < 8 {
				r.events = append([]provider.Event{provider.Notice{Text: cutNote + ", or so"}}, r.events...)
			}
			m.replies = append(m.replies, r)
		}
		md := provider.Model{ID: "m", Local: true}
		a := New(Options{Provider: m, Model: md, Exec: (&world{}).executor(t, big), Compact: compact.New(compact.Options{Provider: m, Model: md})})
		var p tape
		a.Run(t.Context(), Prompt{Text: "go"}, p.sink)
		if told := notices(&p); len(told) != 1 {
			t.Errorf("noticed by the wire: %v, told %q", wire, told)
		}
	}
}

// A server that counts little, but more as more is sent, is none of that.
func TestHonestServersAreNotSuspected(t *testing.T) {
	m := &model{}
	for i := range 12 {
		r := ends(provider.StopToolUse, append([]provider.Event{provider.TextDelta{Text: strings.Repeat("some words ", 1000)}}, uses(1, "silent")...)...)
		r.events[len(r.events)-1] = provider.Stop{Reason: provider.StopToolUse, Usage: provider.Usage{Input: 1000 + i*1100, Output: 1100, Reported: true}}
		m.replies = append(m.replies, r)
	}
	a := New(Options{Provider: m, Model: provider.Model{ID: "m", Window: 128_000, Local: true}, Exec: (&world{}).executor(t)})
	var p tape
	if err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink); err != nil || len(notices(&p)) > 0 {
		t.Errorf("%v, told %q", err, notices(&p))
	}
}

func TestUnknownIsSaidOnce(t *testing.T) {
	m := &model{}
	for range 6 {
		r := asks("silent")
		r.events[len(r.events)-1] = provider.Stop{Reason: provider.StopToolUse, Usage: provider.Usage{Input: 20_000, Output: 10, Reported: true}}
		m.replies = append(m.replies, r)
	}
	a := New(Options{Provider: m, Model: provider.Model{ID: "new-one"}, Exec: (&world{}).executor(t)})
	var p tape
	for range 2 {
		if err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink); err != nil {
			t.Fatal(err)
		}
	}
	if told := notices(&p); len(told) != 2 || !strings.Contains(told[0], "window of new-one is not known") || !strings.Contains(told[1], "price of new-one is not known") {
		t.Errorf("told %q", told)
	}
	// A budget of tokens says when to shorten: no window is needed for that.
	last := says("well")
	last.events[len(last.events)-1] = provider.Stop{Reason: provider.StopEnd, Usage: provider.Usage{Input: 20_000, Output: 10, Reported: true}}
	m, p = &model{replies: []reply{last}}, tape{}
	a = New(Options{Provider: m, Model: provider.Model{ID: "new-one"}, Exec: (&world{}).executor(t),
		Compact: compact.New(compact.Options{Provider: m, Model: provider.Model{ID: "new-one"}, Budget: 90_000})})
	if err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink); err != nil {
		t.Fatal(err)
	}
	if told := notices(&p); len(told) != 1 || !strings.Contains(told[0], "price of new-one") {
		t.Errorf("told %q", told)
	}
}

// What differs is named, with the byte at which it begins to.
func TestDifference(t *testing.T) {
	spec := func(name, about string) provider.ToolSpec {
		return provider.ToolSpec{Name: name, Description: about, Schema: []byte("{}")}
	}
	msgs := func(texts ...string) (ms []provider.Message) {
		for _, s := range texts {
			ms = append(ms, provider.UserText(s))
		}
		return ms
	}
	was := provider.Request{Model: "mm", System: "abcdef", Tools: []provider.ToolSpec{spec("b", "two"), spec("a", "one")}, Messages: msgs("x", "y")}
	one := len(bytesOf(provider.UserText("x")))
	for _, c := range []struct {
		name  string
		is    func(r provider.Request) provider.Request
		cause string
		at    int
	}{
		{"grown", func(r provider.Request) provider.Request { r.Messages = msgs("x", "y", "z"); return r }, "", -1},
		{"tools in another order", func(r provider.Request) provider.Request {
			r.Tools = []provider.ToolSpec{spec("a", "one"), spec("b", "two")}
			return r
		}, "", -1},
		{"model", func(r provider.Request) provider.Request { r.Model = "mn"; return r }, "the model changed from mm to mn", 1},
		{"effort", func(r provider.Request) provider.Request { r.Effort = "high"; return r }, "the effort changed", 2},
		{"system", func(r provider.Request) provider.Request { r.System = "abcxef"; return r }, "the system prompt changed", 5},
		{"tool words", func(r provider.Request) provider.Request {
			r.Tools = []provider.ToolSpec{spec("b", "twx"), spec("a", "one")}
			return r
		}, "the tool b changed", 2 + 6 + 6 + 3},
		{"tool gone", func(r provider.Request) provider.Request { r.Tools = r.Tools[:1]; return r }, "the tool a went away", 8},
		{"tool came", func(r provider.Request) provider.Request {
			r.Tools = append([]provider.ToolSpec{spec("c", "")}, r.Tools...)
			return r
		}, "the tool c came", 8 + 12},
		{"history", func(r provider.Request) provider.Request { r.Messages = msgs("x", "Y"); return r }, "message 1 of the history changed",
			20 + one + strings.Index(string(bytesOf(provider.UserText("y"))), `y"`)},
		{"shorter", func(r provider.Request) provider.Request { r.Messages = msgs("x"); return r }, "the history became shorter", 20 + one},
	} {
		if cause, at := difference(was, c.is(was)); cause != c.cause || at != c.at {
			t.Errorf("%s: %q at %d, want %q at %d", c.name, cause, at, c.cause, c.at)
		}
	}
}
