package subagent

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"forge/agent"
	"forge/agent/session"
	"forge/provider"
	"forge/provider/demo"
	"forge/tools"
)

// below is an agent that starts another one, which is at work when forge is killed.
const below = `
call task {"agent":"general","description":"deep","prompt":"first floor"}
end
text Done.
end
agent general
when task first
call task {"agent":"general","description":"deeper","prompt":"second floor"}
when task second
call meet {}
end
text That is all.
end
`

// TestKilledAgentsAreCounted: what agents used whose forge was killed stands in the
// totals of the conversation that is gone on with, in what its screen is told, and in
// its file, once; on every floor.
func TestKilledAgentsAreCounted(t *testing.T) {
	t.Run("side by side", func(t *testing.T) { killed(t, pair, 2) })
	t.Run("below", func(t *testing.T) { killed(t, below, 1) })
}

// killed takes a copy of all files when so many agents are in the tool meet, and goes on
// in that.
func killed(t *testing.T, script string, agents int) {
	there := filepath.Join(t.TempDir(), "there")
	var mu sync.Mutex
	in := 0
	var want agent.Totals
	all := make(chan struct{})
	var w *world
	w = newWorld(t, script, Options{Depth: 2}, tool{"meet", tools.Exec, func(context.Context, string) (string, error) {
		mu.Lock()
		if in++; in == agents { // what a kill would leave
			want = w.agent.Totals()
			if err := os.CopyFS(there, os.DirFS(w.dir)); err != nil {
				t.Error(err)
			}
			close(all)
		}
		mu.Unlock()
		<-all
		return "ok", nil
	}})
	if err := w.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want.Usage.Input == 0 || !want.CostKnown {
		t.Fatalf("nothing was used: %+v", want)
	}
	after, err := demo.Parse(strings.NewReader(strings.Repeat("text Once more.\nend\n", 9)))
	if err != nil {
		t.Fatal(err)
	}
	m := demo.Model()
	m.Price = provider.Price{Known: true, Input: 1, Output: 2}
	path := filepath.Join(there, filepath.Base(w.session.Path()))
	for range 3 {
		s, rs, err := session.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		a := agent.New(agent.Options{Session: s, Provider: demo.New(after, demo.Options{}), Model: m, Exec: &tools.Executor{Tools: w.reg, Guard: w}})
		a.Resume(s, rs)
		same(t, "resumed", a.Totals(), want)
		var last agent.Totals
		a.Replay(func(e agent.Event) {
			if e, ok := e.(agent.RunEnd); ok {
				last = e.Totals
			}
		})
		same(t, "told again", last, want)
		if err := a.Run(t.Context(), agent.Prompt{Text: "go on"}, func(agent.Event) {}); err != nil {
			t.Fatal(err)
		}
		if now := a.Totals(); now.Usage.Input <= want.Usage.Input {
			t.Errorf("%+v after another turn, %+v before", now.Usage, want.Usage)
		}
		want = a.Totals() // and the file tells the next one
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func same(t *testing.T, what string, got, want agent.Totals) {
	t.Helper()
	if got.Usage != want.Usage || math.Abs(got.Cost-want.Cost) > 1e-9 || got.CostKnown != want.CostKnown {
		t.Errorf("%s: %+v, want %+v", what, got, want)
	}
}
