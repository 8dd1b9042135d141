package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"forge/agent/session"
	"forge/compact"
	"forge/provider"
	"forge/tools"
)

func TestRunTellsEverythingInOrder(t *testing.T) {
	m := &model{replies: []reply{
		ends(provider.StopToolUse, append([]provider.Event{
			provider.Phase{Waiting: provider.WaitFirstByte}, provider.Phase{},
			provider.ThinkingDelta{Text: "hm"}, provider.ThinkingDelta{Signature: "sig"},
			provider.TextDelta{Index: 1, Text: "let me see"}}, uses(2, `read {"n":1}`)...)...),
		says("done"),
	}}
	w := &world{file: "x"}
	a := New(Options{Provider: m, Model: provider.Model{ID: "m", Window: 1000, Price: provider.Price{Input: 1, Output: 2, Known: true}}, System: "sys", Exec: w.executor(t)})
	var p tape
	if err := a.Run(t.Context(), Prompt{Text: "hi"}, p.sink); err != nil {
		t.Fatal(err)
	}
	want := `user(hi)
turn1
waiting
waiting
think0(hm)
text1(let me see)
input2(read)
input2({"n)
input2(":1})
turnend(tool_use)
start(read {"n":1})
running
out(reading)
end(read: x 1)
turn2
text3(done)
turnend(end_turn)
runend(<nil>)`
	if got := p.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	end := p.events[len(p.events)-1].(RunEnd)
	wantTotals := Totals{Usage: provider.Usage{Input: 200, Output: 40, Reported: true}, Cost: 280e-6, CostKnown: true, Turns: 2, priced: true}
	if end.Totals != wantTotals || a.Totals() != wantTotals {
		t.Errorf("totals %+v", end.Totals)
	}
	te := p.events[len(p.events)-2].(TurnEnd)
	if te.Used != 120 || te.Window != 1000 || te.Cost != 140e-6 || !te.CostKnown {
		t.Errorf("turn end %+v", te)
	}
	req := m.requests[1]
	if req.System != "sys" || req.Model != "m" || len(req.Tools) != 7 || len(req.Messages) != 3 {
		t.Errorf("request %+v", req)
	}
	if got := req.Messages[1].Blocks[0]; got != (provider.Thinking{Text: "hm", Signature: "sig"}) {
		t.Errorf("thinking goes back as %+v", got)
	}
	valid(t, a, m)
}

func TestCallsKeepTheirOrder(t *testing.T) {
	w := &world{file: "0"}
	m := &model{replies: []reply{asks(`append {"s":"a"}`, `append {"s":"b"}`, `read {"n":1}`, `read {"n":2}`, `todo {"n":1}`, `todo {"n":2}`, `append {"s":"c"}`, `read {"n":3}`, "silent")}}
	a := New(Options{Provider: m, Exec: w.executor(t)})
	if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); err != nil {
		t.Fatal(err)
	}
	want := []string{"appended", "appended", "0ab 1", "0ab 2", "noted", "noted", "appended", "0abc 3", "(no output)"}
	if got := results(a, 1); !reflect.DeepEqual(got, want) {
		t.Errorf("results %q\nwant    %q", got, want)
	}
	// The last write is prepared twice: once to see that it is no read, and again
	// after the reads before it.
	wantOrder := []string{"prepare 0", "prepare 0a", "prepare 0ab", "todo 1", "todo 2", "prepare 0ab"}
	if !reflect.DeepEqual(w.order, wantOrder) {
		t.Errorf("order %q\nwant  %q", w.order, wantOrder)
	}
	valid(t, a, m)
}

func TestReadsRunTogether(t *testing.T) {
	var meet sync.WaitGroup
	meet.Add(3)
	together := tool{name: "meet", kind: tools.Read, run: func(context.Context, map[string]any, io.Writer) (tools.Result, error) {
		meet.Done()
		meet.Wait() // ends only if all three are here
		return tools.Result{Text: "met"}, nil
	}}
	m := &model{replies: []reply{asks("meet", "meet", "meet")}}
	a := New(Options{Provider: m, Exec: (&world{}).executor(t, together)})
	if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); err != nil {
		t.Fatal(err)
	}
	if got := results(a, 1); !reflect.DeepEqual(got, []string{"met", "met", "met"}) {
		t.Errorf("results %q", got)
	}
}

func TestWhatNeverRuns(t *testing.T) {
	last := func(calls ...string) reply { return ends(provider.StopMaxTokens, uses(0, calls...)...) }
	for name, c := range map[string]struct {
		reply reply
		want  []string // a part of each result
	}{
		"invalid JSON":     {asks(`append {"s":"a"`), []string{"not valid JSON (unexpected end of JSON input)"}},
		"repeats it":       {asks(`append {"s":"a"`), []string{"arguments received: {\"s\":\"a\""}},
		"no object":        {asks(`append ["a"]`), []string{"must be one JSON object"}},
		"null":             {asks(`append null`), []string{"must be one JSON object"}},
		"cut at the limit": {last(`append {"s":"a"}`, `append {"s":"b"}`), []string{"appended", "reached its output limit"}},
		"empty at limit":   {last("append", `append {"s":"b"}`), []string{"reached its output limit", "reached its output limit"}},
		"unknown tool":     {asks(`nope {}`), []string{`no tool is named "nope"; there are: append,`}},
		"no name":          {asks(` {}`), []string{`no tool is named "unnamed"`}},
		"a panic":          {asks("crash", "silent"), []string{"tool crash crashed: boom", "(no output)"}},
		"an error":         {asks("fail", "silent"), []string{"it failed", "(no output)"}},
		"a refusal":        {ends(provider.StopRefusal, append([]provider.Event{provider.TextDelta{Text: "no"}}, uses(1, `append {"s":"a"}`)...)...), nil},
	} {
		w := &world{}
		m := &model{replies: []reply{c.reply}}
		a := New(Options{Provider: m, Exec: w.executor(t)})
		if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := results(a, min(1, len(a.History())-1))
		if len(got) != len(c.want) {
			t.Errorf("%s: results %q", name, got)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], c.want[i]) {
				t.Errorf("%s: result %d is %q, want %q in it", name, i, got[i], c.want[i])
			}
		}
		if name != "cut at the limit" && w.file != "" {
			t.Errorf("%s: it ran", name)
		}
		valid(t, a, m)
	}
}

func TestSteering(t *testing.T) {
	a := New(Options{Exec: (&world{}).executor(t)})
	m := &model{}
	m.replies = []reply{asks("silent"), says("almost done"), says("done")}
	m.replies[0].before = func() { a.Steer("one"); a.Steer("two") }
	m.replies[1].before = func() { a.Steer("three") }
	a.SetModel(m, provider.Model{}, "")
	var p tape
	if err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range a.History() {
		got = append(got, string(h.Role)+" "+h.PlainText())
	}
	want := []string{"user go", "assistant ", "user ", "user one", "user two", "assistant almost done", "user three", "assistant done"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("history %q", got)
	}
	a.Steer("late")
	if got := a.Unsent(); len(got) != 1 || len(a.Unsent()) != 0 {
		t.Errorf("unsent %q", got)
	}
	valid(t, a, m)
}

func TestStops(t *testing.T) {
	long := provider.Error{Kind: provider.KindNetwork, Message: "gone"}
	for name, c := range map[string]struct {
		replies  []reply
		err      error
		requests int
		history  int
		events   string // must be among the events
	}{
		"rest":              {[]reply{says("hi")}, nil, 1, 2, "turnend(end_turn)"},
		"pause goes on":     {[]reply{ends(provider.StopPause, provider.OpaqueBlock{Block: provider.Opaque{Origin: "o", JSON: "{}"}}), says("hi")}, nil, 2, 3, "turnend(pause)"},
		"cut text":          {[]reply{ends(provider.StopMaxTokens, provider.TextDelta{Text: "hal"})}, nil, 1, 2, "notice"},
		"cut reasoning":     {[]reply{ends(provider.StopMaxTokens, provider.ThinkingDelta{Text: "hm"})}, nil, 1, 1, "notice"},
		"refusal":           {[]reply{ends(provider.StopRefusal)}, nil, 1, 1, "turnend(refusal)"},
		"nothing":           {[]reply{ends(provider.StopEnd)}, ErrEmpty, 1, 1, "turnend(end_turn)"},
		"blank":             {[]reply{says(" \n")}, ErrEmpty, 1, 1, ""},
		"only reasoning":    {[]reply{ends(provider.StopEnd, provider.ThinkingDelta{Text: "hm"})}, ErrEmpty, 1, 1, ""},
		"broken at once":    {[]reply{{err: &long}}, &long, 1, 1, "turnend(aborted)"},
		"broken in text":    {[]reply{{events: []provider.Event{provider.TextDelta{Text: "half"}}, err: &long}}, &long, 1, 2, ""},
		"broken in a call":  {[]reply{{events: uses(0, `append {"s":"a"}`), err: &long}}, &long, 1, 1, ""},
		"retried":           {[]reply{ends(provider.StopEnd, provider.TextDelta{Text: "void"}, provider.Retry{Attempt: 1}, provider.TextDelta{Text: "hi"})}, nil, 1, 2, "text1(hi)"},
		"tool use, no call": {[]reply{ends(provider.StopToolUse, provider.TextDelta{Text: "hi"})}, nil, 1, 2, ""},
	} {
		m := &model{replies: c.replies}
		w := &world{}
		a := New(Options{Provider: m, Exec: w.executor(t)})
		var p tape
		err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink)
		if !errors.Is(err, c.err) || len(m.requests) != c.requests || len(a.History()) != c.history {
			t.Errorf("%s: error %v, %d requests, history of %d", name, err, len(m.requests), len(a.History()))
		}
		if !strings.Contains(p.String(), c.events) {
			t.Errorf("%s: events\n%s", name, &p)
		}
		if end, ok := p.events[len(p.events)-1].(RunEnd); !ok || !errors.Is(end.Err, c.err) {
			t.Errorf("%s: last event %v", name, p.events[len(p.events)-1])
		}
		valid(t, a, m)
	}
}

func TestRefusalTellsTheReason(t *testing.T) {
	m := &model{replies: []reply{{events: []provider.Event{provider.Stop{Reason: provider.StopRefusal, Detail: "bio"}}}}}
	var p tape
	if err := New(Options{Provider: m}).Run(t.Context(), Prompt{Text: "go"}, p.sink); err != nil {
		t.Fatal(err)
	}
	if te := p.events[2].(TurnEnd); te.Detail != "bio" || te.Stop != provider.StopRefusal {
		t.Errorf("%+v", te)
	}
}

func TestPausedMessageGoesBackLast(t *testing.T) {
	a := New(Options{})
	pause := ends(provider.StopPause, provider.OpaqueBlock{Block: provider.Opaque{Origin: "o", JSON: "{}"}})
	pause.before = func() { a.Steer("and this") }
	m := &model{replies: []reply{pause, says("one"), says("two")}}
	a.SetModel(m, provider.Model{}, "")
	if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); err != nil {
		t.Fatal(err)
	}
	second := m.requests[1].Messages
	if last := second[len(second)-1]; last.Role != provider.Assistant || last.Stop != provider.StopPause {
		t.Errorf("the paused message is followed by %+v", last)
	}
	if len(m.requests) != 3 {
		t.Errorf("%d requests; the steering was to be taken in after the pause", len(m.requests))
	}
}

type answering struct {
	choices []string
	asked   []tools.Question
}

func (a *answering) Ask(_ context.Context, q tools.Question) (tools.Reply, error) {
	a.asked = append(a.asked, q)
	c := a.choices[0]
	a.choices = a.choices[1:]
	return tools.Reply{Choice: c}, nil
}

func TestTurnLimit(t *testing.T) {
	busy := func(n int) []reply {
		var rs []reply
		for range n {
			rs = append(rs, asks("silent"))
		}
		return rs
	}
	for name, c := range map[string]struct {
		max      int
		asker    *answering
		busy     int
		requests int
		limit    bool
		asked    int
	}{
		"headless, limit given": {3, nil, 10, 3, true, 0},
		"headless, no limit":    {0, nil, 200, 100, true, 0},
		"none at all":           {-1, nil, 120, 121, false, 0},
		"stop":                  {0, &answering{choices: []string{"stop"}}, 160, 100, true, 1},
		"closed":                {2, &answering{choices: []string{""}}, 60, 2, true, 1},
		"more, then stop":       {0, &answering{choices: []string{"more", "stop"}}, 160, 125, true, 2},
		"no limit":              {2, &answering{choices: []string{"any"}}, 60, 61, false, 1},
	} {
		m := &model{replies: busy(c.busy)}
		o := Options{Provider: m, Exec: (&world{}).executor(t), MaxTurns: c.max}
		if c.asker != nil {
			o.Asker = c.asker
		}
		a := New(o)
		var p tape
		err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink)
		end := p.events[len(p.events)-1].(RunEnd)
		if errors.Is(err, ErrTurnLimit) != c.limit || end.Limit != c.limit || len(m.requests) != c.requests {
			t.Errorf("%s: %v, %+v, %d requests", name, err, end, len(m.requests))
		}
		if c.asker != nil && len(c.asker.asked) != c.asked {
			t.Errorf("%s: asked %d times", name, len(c.asker.asked))
		}
		valid(t, a, m)
	}
}

type closing struct{ cancel func() }

func (c closing) Ask(ctx context.Context, _ tools.Question) (tools.Reply, error) {
	c.cancel()
	return tools.Reply{}, ctx.Err()
}

func TestCancelledAtTheLimitIsNoLimit(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := New(Options{Provider: &model{replies: []reply{asks("silent")}}, Exec: (&world{}).executor(t), MaxTurns: 1, Asker: closing{cancel}})
	if err := a.Run(ctx, Prompt{Text: "go"}, nil); !errors.Is(err, context.Canceled) || errors.Is(err, ErrTurnLimit) {
		t.Error(err)
	}
}

// noted is a checkpoint as a model should write it.
func noted(words string) reply {
	var b strings.Builder
	for _, h := range []string{"Goal", "Decisions", "Files", "State", "Todos", "Open questions", "Next step"} {
		fmt.Fprintf(&b, "## %s\n%s\n", h, words)
	}
	return says(b.String())
}

func TestOverflowShortensOnce(t *testing.T) {
	long := strings.Repeat("word ", 3000)
	var history []provider.Message
	for i := range 5 {
		history = append(history, provider.UserText(fmt.Sprint(i, long)), provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.Text{Text: "ok"}}})
	}
	overflow := fails(provider.KindOverflow, 400, "too long")
	overflow.err.(*provider.Error).Window = 20_000
	m := &model{replies: []reply{overflow, noted("x"), says("fine")}}
	a := New(Options{Provider: m, Compact: compact.New(compact.Options{Provider: m, Keep: 4000})})
	a.SetSession(nil, history)
	var p tape
	if err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink); err != nil {
		t.Fatal(err)
	}
	if len(m.requests) != 3 || !strings.Contains(m.requests[2].Messages[0].PlainText(), "## Goal\nx") {
		t.Errorf("%d requests", len(m.requests))
	}
	if model, _ := a.Model(); model.Window != 20_000 {
		t.Errorf("the window the server named was not learnt: %d", model.Window)
	}
	if s := p.String(); !strings.Contains(s, "compacting\ncompacted\nturn2\n") {
		t.Errorf("events\n%s", s)
	}
	if got := a.Totals(); got.Usage.Input != 200 || got.Turns != len(history)/2+2 {
		t.Errorf("totals %+v: the summary is paid for, and is no turn", got)
	}
	valid(t, a, m)

	// Still too large: the error comes out, nothing loops.
	m.replies = []reply{overflow, noted("short"), overflow}
	before := len(m.requests)
	if err := a.Run(t.Context(), Prompt{Text: long}, nil); !errors.Is(err, overflow.err) {
		t.Errorf("second overflow: %v", err)
	}
	if n := len(m.requests) - before; n > 3 {
		t.Errorf("%d requests", n)
	}
}

// Old output goes first, which costs nothing; then a model writes a checkpoint.
func TestShortensBeforeTheWindowIsFull(t *testing.T) {
	long := strings.Repeat("word ", 2500)
	big := tool{name: "big", kind: tools.Read, run: func(context.Context, map[string]any, io.Writer) (tools.Result, error) {
		return tools.Result{Text: long}, nil
	}}
	m := &model{}
	for range 4 {
		r := asks("big")
		r.events[len(r.events)-1] = provider.Stop{Reason: provider.StopToolUse} // no usage: the estimate decides
		m.replies = append(m.replies, r)
	}
	last := says("done")
	last.events[len(last.events)-1] = provider.Stop{Reason: provider.StopEnd}
	m.replies = append(m.replies, last)
	ex := (&world{}).executor(t, big)
	ex.Bound.Dir = t.TempDir()
	a := New(Options{Provider: m, Exec: ex, Compact: compact.New(compact.Options{Provider: m, Budget: 9000, Rest: 1})})
	var p tape
	if err := a.Run(t.Context(), Prompt{Text: "the task"}, p.sink); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(p.String(), "compacted"); n != 1 || len(m.requests) != 5 {
		t.Errorf("%d compactions, %d requests\n%s", n, len(m.requests), &p)
	}
	first := a.History()[2].Blocks[0].(provider.ToolResult)
	text := provider.Message{Blocks: first.Content}.PlainText()
	_, where, _ := strings.Cut(text, "the whole is in ")
	where, _, _ = strings.Cut(where, "]")
	if kept, err := os.ReadFile(where); err != nil || string(kept) != long || len(text) > 1200 {
		t.Errorf("the first result is told as %q; the whole: %v", text, err)
	}
	valid(t, a, m)

	m.replies = []reply{noted("a note"), says("done again")}
	if err := a.Run(t.Context(), Prompt{Text: "more: " + strings.Repeat("long words ", 4000)}, p.sink); err != nil {
		t.Fatal(err)
	}
	if first := a.History()[0].PlainText(); !strings.Contains(first, "a note") || !strings.Contains(first, "the task\n") {
		t.Errorf("first message %q\n%v", first, p.events[len(p.events)-5:])
	}
	valid(t, a, m)
}

// A model that cannot be asked for a summary is asked after 3, 6, 12, … turns
// again, not every time.
func TestFailedShorteningIsTriedSeldom(t *testing.T) {
	long := strings.Repeat("word ", 2500)
	m, mute := &model{}, &model{}
	for range 30 {
		r := ends(provider.StopToolUse, append([]provider.Event{provider.TextDelta{Text: long}}, uses(1, "silent")...)...)
		r.events[len(r.events)-1] = provider.Stop{Reason: provider.StopToolUse} // no usage: the estimate decides
		m.replies = append(m.replies, r)
	}
	for range 40 {
		mute.replies = append(mute.replies, fails(provider.KindServer, 500, "broken"))
	}
	a := New(Options{Provider: m, Exec: (&world{}).executor(t), Compact: compact.New(compact.Options{Provider: mute, Budget: 9000})})
	var failed, turns []int
	turn := 0
	err := a.Run(t.Context(), Prompt{Text: "the task"}, func(e Event) {
		switch e := e.(type) {
		case TurnStart:
			turn = e.Turn
		case Compacted:
			if e.Err != nil {
				failed = append(failed, turn)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range failed[1:] {
		turns = append(turns, failed[i+1]-failed[i])
	}
	if !reflect.DeepEqual(turns, []int{6, 12}) {
		t.Errorf("failed after turns %v: %v apart", failed, turns)
	}
	valid(t, a, m)
}

func TestRefusedBlocksAreSentOnceWithout(t *testing.T) {
	history := []provider.Message{
		{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "see"}, provider.Image{MIME: "image/png", Data: "iVBORw=="}}},
		{Role: provider.Assistant, Blocks: []provider.Block{provider.Thinking{Text: "t", Signature: "s"}, provider.Text{Text: "ok"}}},
	}
	m := &model{replies: []reply{
		fails(provider.KindInvalid, 400, "messages.1.content.0: Invalid `signature` in `thinking` block"),
		fails(provider.KindInvalid, 400, "unknown variant `image_url`, expected `text`"),
		says("fine"),
	}}
	a := New(Options{Provider: m})
	a.SetSession(nil, history)
	if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); err != nil {
		t.Fatal(err)
	}
	got := m.requests[2].Messages
	if len(got[1].Blocks) != 1 || got[0].PlainText() != "see[picture left out: the model's server did not take this picture]" {
		t.Errorf("sent again: %+v", got)
	}
	valid(t, a, m)

	m.replies = []reply{fails(provider.KindInvalid, 400, "Invalid `signature` in `thinking` block")}
	if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); err == nil {
		t.Error("a refusal that nothing can mend was swallowed")
	}
}

func TestBadPartsDoNotStay(t *testing.T) {
	odd := tool{name: "odd", kind: tools.Exec, run: func(context.Context, map[string]any, io.Writer) (tools.Result, error) {
		return tools.Result{Text: "a\x00b\xff", Images: []tools.Image{{MIME: "image/png", Data: "!"}, {MIME: "image/png", Data: "iVBORw=="}}}, nil
	}}
	m := &model{replies: []reply{asks("odd")}}
	a := New(Options{Provider: m, Exec: (&world{}).executor(t, odd)})
	err := a.Run(t.Context(), Prompt{Text: "x\x00", Images: []provider.Image{{MIME: "image/png"}, {MIME: "image/tiff", Data: "AAAA"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := a.History()
	if got := h[0].PlainText(); got != "x\uFFFD[picture left out: it is not valid base64][picture left out: models take PNG, JPEG, GIF and WebP, not image/tiff]" {
		t.Errorf("prompt %q", got)
	}
	res := h[2].Blocks[0].(provider.ToolResult)
	if len(res.Content) != 3 || res.Content[0] != (provider.Text{Text: "a\uFFFDb\uFFFD"}) || res.Content[2] != (provider.Image{MIME: "image/png", Data: "iVBORw=="}) {
		t.Errorf("result %+v", res)
	}
}

func TestIDsAreUniqueInTheSession(t *testing.T) {
	again := asks("silent", "silent")
	again.events = append(again.events[:2:2], provider.ToolUseStart{Index: 0, ID: "id0", Name: "silent"}, provider.ToolUseStart{Index: 1, Name: "silent"}, provider.Stop{})
	m := &model{replies: []reply{asks("silent", "silent"), asks("silent", "silent"), again}}
	a := New(Options{Provider: m, Exec: (&world{}).executor(t)})
	var p tape
	if err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink); err != nil {
		t.Fatal(err)
	}
	valid(t, a, m)
	shown := map[string]int{}
	for _, e := range p.events {
		if e, ok := e.(ToolEnd); ok {
			shown[e.ID]++
		}
	}
	if len(shown) != 6 {
		t.Errorf("ended calls %v", shown)
	}
	for _, h := range a.History() {
		for _, u := range h.ToolUses() {
			if shown[u.ID] != 1 {
				t.Errorf("call %s of the history was shown %d times", u.ID, shown[u.ID])
			}
		}
	}
}

// rich is a run with everything that can be cut short.
func rich() []reply {
	return []reply{
		ends(provider.StopToolUse, append([]provider.Event{
			provider.ThinkingDelta{Text: "hm", Signature: "s"}, provider.TextDelta{Index: 1, Text: "first"}},
			uses(2, `append {"s":"a"}`, `read {"n":1}`, `read {"n":2}`, `todo {"n":1}`, "crash")...)...),
		ends(provider.StopToolUse, append([]provider.Event{
			provider.TextDelta{Text: "void"}, provider.Retry{Attempt: 1}, provider.ThinkingDelta{Text: "t"}}, uses(1, "wait", "silent", `bad {`)...)...),
		says("done"),
	}
}

// Whatever event a person cancels at, the history keeps its promise, RunEnd is
// the last event, every call that was shown is ended, and the conversation can go
// on, in memory and from its file.
func TestCancelAtEveryEvent(t *testing.T) {
	dir := t.TempDir()
	for at := 1; ; at++ {
		m := &model{replies: rich()}
		s, err := session.Create(dir, "/w", "")
		if err != nil {
			t.Fatal(err)
		}
		a := New(Options{Provider: m, Exec: (&world{}).executor(t), Session: s})
		ctx, cancel := context.WithCancel(t.Context())
		var p tape
		n := 0
		err = a.Run(ctx, Prompt{Text: "go"}, func(e Event) {
			p.sink(e)
			// The tool that waits for ever is where every longer run is cut.
			if n++; n == at || word(e) == "out(waiting)" {
				cancel()
			}
		})
		cancel()
		valid(t, a, m)
		if _, last := p.events[len(p.events)-1].(RunEnd); !last || strings.Count(p.String(), "runend") != 1 {
			t.Fatalf("cancelled at %d: RunEnd is not the last of\n%s", at, &p)
		}
		if at <= len(p.events)-1 && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at %d of %d: %v", at, len(p.events), err)
		}
		open := map[string]bool{}
		for _, e := range p.events {
			switch e := e.(type) {
			case ToolStart:
				open[e.ID] = true
			case ToolEnd:
				delete(open, e.ID)
			}
		}
		if len(open) > 0 {
			t.Errorf("cancelled at %d: calls %v have no end", at, open)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s, rs, err := session.Open(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		if got := session.Messages(rs); !reflect.DeepEqual(got, a.History()) {
			t.Fatalf("cancelled at %d: the file holds\n%+v\nthe agent\n%+v", at, got, a.History())
		}
		a.Resume(s, rs)
		m.replies = []reply{asks("silent")}
		if err := a.Run(t.Context(), Prompt{Text: "on"}, nil); err != nil {
			t.Fatalf("cancelled at %d, gone on: %v", at, err)
		}
		valid(t, a, m)
		s.Close()
		if at > n {
			if at < 30 {
				t.Fatalf("only %d events", n)
			}
			return
		}
	}
}

// A cancel from another goroutine, at moments nobody chose.
func TestCancelFromOutside(t *testing.T) {
	for i := range 60 {
		m := &model{replies: rich()}
		a := New(Options{Provider: m, Exec: (&world{}).executor(t)})
		ctx, cancel := context.WithCancel(t.Context())
		told := make(chan struct{}, 1000)
		done := make(chan error)
		go func() { done <- a.Run(ctx, Prompt{Text: "go"}, func(Event) { told <- struct{}{} }) }()
		for range i % 30 {
			<-told
		}
		a.Steer("x")
		_ = a.History()
		_ = a.Totals()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%d: %v", i, err)
		}
		valid(t, a, m)
	}
}

func TestAbortedMessageKeepsWhatCanGoBack(t *testing.T) {
	r := reply{events: append([]provider.Event{
		provider.ThinkingDelta{Text: "sealed", Signature: "s"}, provider.TextDelta{Index: 1, Text: "half an ans"},
	}, uses(2, `append {"s":"a"}`)...), err: errors.New("cut")}
	m := &model{replies: []reply{r, {events: []provider.Event{provider.TextDelta{Text: "so"}, provider.ThinkingDelta{Index: 1, Text: "un", Signature: "se"}}, err: errors.New("cut")}}}
	a := New(Options{Provider: m})
	if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); err == nil {
		t.Fatal("a cut stream is a success")
	}
	got := a.History()[1]
	want := []provider.Block{provider.Thinking{Text: "sealed", Signature: "s"}, provider.Text{Text: "half an ans"}}
	if !reflect.DeepEqual(got.Blocks, want) || got.Stop != provider.StopAborted {
		t.Errorf("kept %+v", got)
	}
	_ = a.Run(t.Context(), Prompt{Text: "go"}, nil)
	if got := a.History()[3].Blocks; !reflect.DeepEqual(got, []provider.Block{provider.Text{Text: "so"}}) {
		t.Errorf("kept %+v", got)
	}
}

func TestPanicOfAProviderEndsOnlyTheRun(t *testing.T) {
	m := &model{replies: []reply{{before: func() { panic("wire") }}}}
	a := New(Options{Provider: m})
	var p tape
	err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink)
	if err == nil || !strings.Contains(err.Error(), "wire") || word(p.events[len(p.events)-1]) != "runend("+err.Error()+")" {
		t.Errorf("%v\n%s", err, &p)
	}
	if err := a.Run(t.Context(), Prompt{Text: "again"}, nil); err != nil {
		t.Error(err)
	}
}

func TestUnsavableSessionIsToldOnce(t *testing.T) {
	s, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(session.Record{Message: &provider.Message{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: "x"}}}}); err != nil {
		t.Fatal(err)
	}
	second, rs, err := session.Open(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a := New(Options{Provider: &model{replies: []reply{asks("silent")}}, Exec: (&world{}).executor(t)})
	a.Resume(second, rs)
	var p tape
	if err := a.Run(t.Context(), Prompt{Text: "go"}, p.sink); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(p.String(), "notice"); n != 1 || len(a.History()) != 5 {
		t.Errorf("%d notices, history of %d", n, len(a.History()))
	}
}

func TestToolThatDoesNotStopIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		deaf := tool{name: "deaf", kind: tools.Exec, run: func(_ context.Context, _ map[string]any, out io.Writer) (tools.Result, error) {
			<-free
			fmt.Fprint(out, "still here")
			return tools.Result{Text: "late"}, nil
		}}
		m := &model{replies: []reply{asks("deaf", "silent")}}
		a := New(Options{Provider: m, Exec: (&world{}).executor(t, deaf)})
		ctx, cancel := context.WithCancel(t.Context())
		var p tape
		err := a.Run(ctx, Prompt{Text: "go"}, func(e Event) {
			p.sink(e)
			if _, ok := e.(ToolRunning); ok {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if got := results(a, 0); !strings.Contains(got[0], "did not stop") || got[1] != Cancelled {
			t.Errorf("results %q", got)
		}
		n := len(p.events)
		close(free)
		synctest.Wait()
		if len(p.events) != n {
			t.Errorf("events after RunEnd: %v", p.events[n:])
		}
		valid(t, a, m)
	})
}

func TestNoModel(t *testing.T) {
	a := New(Options{})
	if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); !errors.Is(err, ErrNoModel) || len(a.History()) != 0 {
		t.Errorf("%v, history %v", err, a.History())
	}
}

func TestEmptyPrompt(t *testing.T) {
	m := &model{replies: []reply{asks("silent")}}
	a := New(Options{Provider: m, Exec: (&world{}).executor(t), MaxTurns: 1})
	var p tape
	if err := a.Run(t.Context(), Prompt{Text: " \n"}, p.sink); !errors.Is(err, ErrNoPrompt) || p.String() != "runend("+ErrNoPrompt.Error()+")" {
		t.Errorf("%v\n%s", err, &p)
	}
	if err := a.Run(t.Context(), Prompt{Text: "go"}, nil); !errors.Is(err, ErrTurnLimit) {
		t.Error(err)
	}
	if err := a.Run(t.Context(), Prompt{}, nil); err != nil || len(m.requests) != 2 {
		t.Errorf("going on where the limit was: %v, %d requests", err, len(m.requests))
	}
	if err := a.Run(t.Context(), Prompt{}, nil); !errors.Is(err, ErrNoPrompt) {
		t.Errorf("nothing is open, yet %v", err)
	}
}
