package subagent

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"forge/agent"
	"forge/agent/session"
	"forge/provider"
	"forge/tools"
)

// three is three agents side by side. The one in the middle is stopped; the others go
// on, and end only when that was told.
const three = `
call task {"agent":"general","description":"the left third","prompt":"look left"}
call task {"agent":"general","description":"the middle third","prompt":"look in the middle"}
call task {"agent":"general","description":"the right third","prompt":"look right"}
end
expect result[task] I saw left
expect result[task] I saw right
text Two are done.
end
agent general
when task middle
MIDDLE
otherwise
call meet {}
end
when task left
text I saw left.
when task right
text I saw right.
otherwise
text I saw the middle.
end
`

// dumb is a provider that says nothing to the agent in the middle, not even that the
// request arrived.
type dumb struct {
	provider.Provider
	asked func()
}

func (d dumb) Stream(ctx context.Context, r provider.Request) iter.Seq2[provider.Event, error] {
	if !strings.Contains(r.Messages[0].PlainText(), "middle") {
		return d.Provider.Stream(ctx, r)
	}
	return func(yield func(provider.Event, error) bool) {
		d.asked()
		<-ctx.Done()
		yield(nil, ctx.Err())
	}
}

// TestOneOfThreeIsStopped: whatever an agent is doing, it can be stopped alone. Its
// call's result says so with its last words, the others report, and the run goes on.
func TestOneOfThreeIsStopped(t *testing.T) {
	for _, c := range []struct {
		name, middle string
		does         string // it is stopped once this was seen of it
		last         string // what is told of it
	}{
		{"before the first byte", "text never", "asked", "said nothing"},
		{"while it streams", "text I have seen half\npause forever", "text", "I have seen half"},
		{"while it thinks", "think Well then\npause forever", "thinking", "said nothing"},
		{"in a tool", "text I run it now\ncall hang {}", "hang", "I run it now"},
		{"in a tool that does not end", "text I run it now\ncall deaf {}", "deaf", "I run it now"},
		{"in a question", "text May I?\ncall ask {}", "question", "May I?"},
		{"between its retries", "error server 503 times=always down", "retrying", "said nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			now, told := make(chan struct{}), make(chan struct{})
			seen := sync.OnceFunc(func() { close(now) })
			saw := func(what string) {
				if what == c.does {
					seen()
				}
			}
			meet := tool{"meet", tools.Read, func(ctx context.Context, _ string) (string, error) {
				select {
				case <-told:
					return "met", nil
				case <-ctx.Done():
					return "", ctx.Err()
				}
			}}
			hang := tool{"hang", tools.Exec, func(ctx context.Context, _ string) (string, error) {
				saw("hang")
				<-ctx.Done()
				return "", ctx.Err()
			}}
			over := make(chan struct{})
			defer close(over)
			deaf := tool{"deaf", tools.Exec, func(context.Context, string) (string, error) {
				saw("deaf")
				<-over
				return "too late", nil
			}}
			ask := tool{"ask", tools.Network, func(context.Context, string) (string, error) { return "", errors.New("it was never allowed") }}
			w := newWorld(t, strings.Replace(three, "MIDDLE", c.middle, 1), Options{}, meet, hang, deaf, ask)
			o := w.options
			o.Exec.Guard = patient{w, saw}
			o.Provider = provider.WithRetry(o.Provider, 0)
			if c.does == "asked" {
				o.Provider = dumb{o.Provider, func() { saw("asked") }}
			}
			w.agent = agent.New(o)
			var mu sync.Mutex
			var path []string
			var end agent.ToolEnd
			said := ""
			stopped := make(chan bool, 1)
			go func() {
				<-now
				mu.Lock()
				p := slices.Clone(path)
				mu.Unlock()
				stopped <- w.crew.Stop(p)
			}()
			err := w.agent.Run(t.Context(), agent.Prompt{Text: "begin"}, func(e agent.Event) {
				switch e := e.(type) {
				case agent.ToolStart:
					if strings.Contains(e.Effect.Title, "middle") {
						mu.Lock()
						path = []string{e.ID}
						mu.Unlock()
					}
				case agent.Nested:
					if len(path) == 0 || e.ID != path[0] {
						return
					}
					switch e := e.Event.(type) {
					case agent.TextDelta:
						if said += e.Text; strings.Contains(said, "half") {
							saw("text")
						}
					case agent.ThinkingDelta:
						saw("thinking")
					case agent.Retrying:
						saw("retrying")
					}
				case agent.ToolEnd:
					if len(path) > 0 && e.ID == path[0] {
						end = e
						close(told)
					}
				}
			})
			seen() // else the one that stops it would wait for ever where it was never seen
			if err != nil || !<-stopped {
				t.Fatalf("the run ended with %v", err)
			}
			if r := end.Result; !r.IsError || r.Refused || !strings.HasPrefix(r.Text, agent.Cancelled) || !strings.Contains(r.Text, c.last) || !strings.Contains(r.Text, "no other") {
				t.Errorf("what was told of it: %+v", r)
			}
			rs := w.results(1)
			if len(rs) != 3 || !strings.Contains(rs[0], "I saw left") || !strings.Contains(rs[2], "I saw right") || rs[1] != end.Result.Text {
				t.Errorf("results %q", rs)
			}
			if err := session.Check(w.agent.History()); err != nil {
				t.Error(err)
			}
			if w.crew.Stop(path) {
				t.Error("what has ended was stopped")
			}
			w.endings(t, map[string]string{"middle": session.EndCancelled, "left": "", "right": ""})
		})
	}
}

// patient lets the person think about the tool ask until nobody wants to know any more.
type patient struct {
	*world
	saw func(string)
}

func (p patient) Authorize(ctx context.Context, call tools.Call, e tools.Effect) (tools.Verdict, error) {
	if call.Name != "ask" {
		return p.world.Authorize(ctx, call, e)
	}
	if e.Agent != "general" || e.Task != "the middle third" || len(e.Under) != 1 {
		p.t.Errorf("the question is of %q, for %q, under %q", e.Agent, e.Task, e.Under)
	}
	p.saw("question")
	<-ctx.Done()
	return tools.Verdict{}, ctx.Err()
}

// endings looks how the agents' own conversations ended, by a word of their tasks.
func (w *world) endings(t *testing.T, want map[string]string) {
	t.Helper()
	files, err := os.ReadDir(w.session.Children())
	if err != nil || len(files) != len(want) {
		t.Fatalf("%d conversations are kept, %v", len(files), err)
	}
	for _, f := range files {
		rs, err := session.Records(filepath.Join(w.session.Children(), f.Name()), 0)
		if err != nil {
			t.Fatal(err)
		}
		task, why := "", ""
		for _, r := range rs {
			if r.Message != nil && task == "" {
				task = r.Message.PlainText()
			}
			if r.End != nil {
				why = r.End.Why
			}
		}
		for word, end := range want {
			if strings.Contains(task, word) && end != "" && why != end {
				t.Errorf("%s ended with %q", word, why)
			}
		}
	}
}

// TestAgentBelowIsStopped: an agent of an agent is stopped alone, and who started it
// goes on with that; one that was stopped takes along those it has started.
func TestAgentBelowIsStopped(t *testing.T) {
	for _, c := range []struct {
		name  string
		floor int // of the one that is stopped
		want  string
	}{{"below", 2, "They said it."}, {"with what it started", 1, agent.Cancelled}} {
		t.Run(c.name, func(t *testing.T) {
			script := `
call task {"agent":"general","description":"deep","prompt":"first floor"}
end
text Done.
end
agent general
when task first
call task {"agent":"general","description":"deeper","prompt":"second floor"}
when task second
call hang {}
end
expect result[task] cancelled by the user
text They said it.
end
`
			in := make(chan struct{})
			ended := make(chan struct{})
			w := newWorld(t, script, Options{Depth: 2}, tool{"hang", tools.Exec, func(ctx context.Context, _ string) (string, error) {
				close(in)
				<-ctx.Done()
				close(ended)
				return "", ctx.Err()
			}})
			var mu sync.Mutex
			var path []string
			go func() {
				<-in
				mu.Lock()
				defer mu.Unlock()
				if !w.crew.Stop(path[:c.floor]) {
					t.Error("it was not found")
				}
			}()
			err := w.agent.Run(t.Context(), agent.Prompt{Text: "begin"}, func(e agent.Event) {
				mu.Lock()
				defer mu.Unlock()
				switch e := e.(type) {
				case agent.ToolStart:
					path = append(path, e.ID)
				case agent.Nested:
					if s, ok := e.Event.(agent.ToolStart); ok && len(path) == 1 {
						path = append(path, s.ID)
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			<-ended
			if rs := w.results(1); len(rs) != 1 || !strings.Contains(rs[0], c.want) {
				t.Errorf("results %q", rs)
			}
		})
	}
}

// TestAgentIsStoppedBeforeItBegins: one that waits for a place is stopped as well, and
// takes none.
func TestAgentIsStoppedBeforeItBegins(t *testing.T) {
	script := strings.Replace(three, "MIDDLE", "call meet {}", 1)
	var mu sync.Mutex
	var path []string
	told := make(chan struct{})
	w := newWorld(t, strings.ReplaceAll(script, "expect result[task]", "# "), Options{Parallel: 2}, tool{"meet", tools.Read, func(ctx context.Context, _ string) (string, error) {
		select {
		case <-told:
			return "met", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}})
	var once sync.Once
	err := w.agent.Run(t.Context(), agent.Prompt{Text: "begin"}, func(e agent.Event) {
		switch e := e.(type) {
		case agent.ToolOutput: // "waiting until one of 2 agents has ended"
			mu.Lock()
			path = []string{e.ID}
			mu.Unlock()
			go w.crew.Stop([]string{e.ID})
		case agent.ToolEnd:
			if len(path) == 1 && e.ID == path[0] {
				once.Do(func() { close(told) })
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	never := 0
	for _, r := range w.results(1) {
		if strings.Contains(r, "had not begun") {
			never++
		}
	}
	if never != 1 {
		t.Errorf("results %q", w.results(1))
	}
}

// TestManyAgentsAtOnce: as many run at a time as the settings let, however many calls of
// other kinds run side by side.
func TestManyAgentsAtOnce(t *testing.T) {
	const n = 20
	script := strings.Repeat("call task {\"agent\":\"general\",\"prompt\":\"look\"}\n", n) + "end\ntext Done.\nend\nagent general\ncall meet {}\nend\ntext ok\nend\n"
	var all sync.WaitGroup
	all.Add(n)
	w := newWorld(t, script, Options{Parallel: n}, tool{"meet", tools.Read, func(context.Context, string) (string, error) {
		all.Done()
		all.Wait() // for ever, if they did not run at once
		return "met", nil
	}})
	if err := w.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rs := w.results(1); len(rs) != n {
		t.Errorf("%d reports", len(rs))
	}
}

// TestReplayTellsOfAgents: a stored conversation tells which agent a call was, where its
// own conversation is and what it used.
func TestReplayTellsOfAgents(t *testing.T) {
	w := newWorld(t, "call task {\"agent\":\"general\",\"prompt\":\"look\"}\nend\ntext Done.\nend\nagent general\ntext I looked.\nend\n", Options{}, tool{"meet", tools.Read, nil})
	if err := w.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	find := func(es []agent.Event) (d agent.Delegated) {
		for _, e := range es {
			if e, ok := e.(agent.Delegated); ok {
				d = e
			}
		}
		return d
	}
	live := find(w.events)
	var again []agent.Event
	w.agent.Replay(func(e agent.Event) { again = append(again, e) })
	kept := find(again)
	if live.Agent != "general" || live.Session == "" || kept.ID != live.ID || kept.Session != live.Session || kept.Turns != 1 || !kept.Usage.Reported {
		t.Errorf("live %+v, kept %+v", live, kept)
	}
}
