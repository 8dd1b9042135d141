package agent

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"forge/agent/session"
	"forge/compact"
	"forge/provider"
	"forge/tools"
)

// endless is a model that always asks for one more call, says something every
// tenth turn, and writes summaries. It keeps nothing of what it was asked.
type endless struct {
	turns   int
	largest int // tokens of a request
}

func (m *endless) Stream(_ context.Context, req provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		in := compact.Count(req.System)
		for _, msg := range req.Messages {
			for _, b := range msg.Blocks {
				switch b := b.(type) {
				case provider.Text:
					in += compact.Count(b.Text)
				case provider.ToolUse:
					in += compact.Count(b.Input)
				case provider.ToolResult:
					in += compact.Count(provider.Message{Blocks: b.Content}.PlainText())
				}
			}
		}
		m.largest = max(m.largest, in)
		stop := provider.Stop{Reason: provider.StopEnd, Usage: provider.Usage{Input: in, Output: 30, Reported: true}}
		if len(req.Tools) == 0 {
			_ = yield(provider.Start{Origin: "test/m"}, nil) && yield(noted("the work goes on").events[1], nil) && yield(stop, nil)
			return
		}
		m.turns++
		evs := []provider.Event{provider.Start{Origin: "test/m"}, provider.TextDelta{Text: fmt.Sprint("step ", m.turns)}}
		if m.turns%10 != 0 {
			evs = append(evs, uses(1, fmt.Sprintf(`page {"n":%d}`, m.turns))...)
			stop.Reason = provider.StopToolUse
		}
		for _, e := range append(evs, stop) {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// A session of very many turns costs the same at its end as at its beginning: what
// it holds in memory is what its model sees, however long the file is.
// FORGE_TURNS=5000 takes the whole of it.
func TestLongSessionStaysFlat(t *testing.T) {
	turns := 300
	if n, err := strconv.Atoi(os.Getenv("FORGE_TURNS")); err == nil {
		turns = n
	}
	page := tool{name: "page", kind: tools.Read, run: func(_ context.Context, in map[string]any, _ io.Writer) (tools.Result, error) {
		return tools.Result{Text: strings.Repeat(fmt.Sprintf("line %v of a page that has many of them\n", in["n"]), 100)}, nil
	}}
	s, err := session.Create(t.TempDir(), "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m := &endless{}
	model := provider.Model{ID: "m", Window: 30_000}
	ex := (&world{}).executor(t, page)
	ex.Bound.Dir = t.TempDir()
	a := New(Options{Provider: m, Model: model, Exec: ex, Session: s, MaxTurns: -1, Compact: compact.New(compact.Options{Provider: m, Model: model})})
	cuts := 0
	heap := func() int64 {
		runtime.GC()
		var ms runtime.MemStats
		runtime.ReadMemStats(&ms)
		return int64(ms.HeapAlloc)
	}
	const parts = 10
	var heaps []int64
	var took []time.Duration
	for part := range parts {
		start := time.Now()
		for m.turns < (part+1)*turns/parts {
			err := a.Run(t.Context(), Prompt{Text: fmt.Sprint("go on, ", m.turns)}, func(e Event) {
				if e, ok := e.(Compacted); ok {
					cuts++
					if e.Err != nil {
						t.Errorf("turn %d: %v", m.turns, e.Err)
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		took = append(took, time.Since(start)/time.Duration(turns/parts))
		heaps = append(heaps, heap())
	}
	fi, err := os.Stat(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d turns, %d compactions, file %d KB; a turn took %v at first, %v at last; heap %d KB, then %d KB; largest request %d tokens",
		m.turns, cuts, fi.Size()>>10, took[0], took[parts-1], heaps[1]>>10, heaps[parts-1]>>10, m.largest)
	if cuts < turns/100 || cuts == 0 {
		t.Errorf("%d compactions", cuts)
	}
	if m.largest > model.Window {
		t.Errorf("a request had %d tokens", m.largest)
	}
	// What grows is a line for each prompt that can be gone back to, and the IDs of
	// calls: some hundred bytes a turn, where the file grows by five thousand.
	if grown := heaps[parts-1] - heaps[1]; grown > fi.Size()/8+512<<10 {
		t.Errorf("the heap grew by %d KB while the file grew to %d KB", grown>>10, fi.Size()>>10)
	}
	if err := session.Check(a.History()); err != nil {
		t.Error(err)
	}
	prompts := 0
	a.Replay(func(e Event) {
		if _, ok := e.(UserMessage); ok {
			prompts++
		}
	})
	if want := m.turns / 10; prompts != want || len(a.Asked()) != want {
		t.Errorf("%d prompts are told again, %d can be gone back to, of %d", prompts, len(a.Asked()), want)
	}
}
