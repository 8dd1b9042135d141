package ui

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/ui/lang"
	"forge/ui/safe"
)

// The line names the cause of every wait, and the key that ends it, down to 60 columns,
// in each language whole.
func TestStatusNamesEveryWait(t *testing.T) {
	start := func(id, name string, e tools.Effect) agent.Event {
		return agent.ToolStart{ID: id, Name: name, Effect: e}
	}
	for name, c := range map[string]struct {
		events func(now time.Time) []agent.Event
		want   string
	}{
		"connecting": {func(time.Time) []agent.Event {
			return []agent.Event{agent.TurnStart{Turn: 1}, agent.Waiting{For: string(provider.WaitConnect)}}
		}, "connecting 20 s"},
		"first byte": {func(now time.Time) []agent.Event {
			return []agent.Event{agent.Waiting{For: string(provider.WaitFirstByte), Since: now, Limit: 10 * time.Minute}}
		}, "waiting for the first byte, 20 s of 10 m"},
		"thinking": {func(time.Time) []agent.Event { return []agent.Event{agent.ThinkingDelta{Text: "hm"}} }, "thinking 20 s"},
		"no bytes": {func(now time.Time) []agent.Event {
			return []agent.Event{agent.TextDelta{Text: "well"}, agent.Waiting{For: string(provider.WaitBytes), Since: now, Limit: time.Minute}}
		}, "no bytes for 20 s of 60 s"},
		"bytes again": {func(now time.Time) []agent.Event {
			return []agent.Event{agent.TextDelta{Text: "well"}, agent.Waiting{For: string(provider.WaitBytes), Since: now, Limit: time.Minute}, agent.Waiting{}}
		}, "answering 20 s"},
		"text again": {func(now time.Time) []agent.Event {
			return []agent.Event{agent.Waiting{For: string(provider.WaitBytes), Since: now, Limit: time.Minute}, agent.TextDelta{Text: "well"}}
		}, "answering 20 s"},
		"retry": {func(time.Time) []agent.Event {
			return []agent.Event{agent.Retrying{Err: errors.New("no"), After: 28 * time.Second, Attempt: 2, Attempts: 5}}
		}, "retrying in 8 s (2 of 5)"},
		"rate limit": {func(now time.Time) []agent.Event {
			return []agent.Event{agent.Waiting{For: string(provider.WaitLimit), Until: now.Add(50 * time.Second)}}
		}, "held back 30 s by the server's rate limit"},
		"a tool": {func(time.Time) []agent.Event {
			return []agent.Event{start("1", "run_bash", tools.Effect{Kind: tools.Exec}), agent.ToolRunning{ID: "1"}}
		}, "running the command 20 s"},
		"one of two": {func(time.Time) []agent.Event {
			return []agent.Event{start("1", "read_file", tools.Effect{}), start("2", "grep", tools.Effect{}), agent.ToolRunning{ID: "1"}, agent.ToolRunning{ID: "2"}, agent.ToolEnd{ID: "1"}}
		}, "running grep 20 s"},
		"two": {func(time.Time) []agent.Event {
			return []agent.Event{start("1", "read_file", tools.Effect{}), start("2", "grep", tools.Effect{}), agent.ToolRunning{ID: "1"}, agent.ToolRunning{ID: "2"}}
		}, "running 2 calls 20 s"},
		"an MCP server": {func(time.Time) []agent.Event {
			return []agent.Event{start("1", "find", tools.Effect{Server: "docs"}), agent.ToolRunning{ID: "1"}}
		}, "MCP server docs: find 20 s"},
		"a sub-agent's server": {func(now time.Time) []agent.Event {
			return []agent.Event{start("1", "task", tools.Effect{}), agent.ToolRunning{ID: "1"}, agent.Nested{ID: "1", Event: agent.TurnStart{Turn: 1}},
				agent.Nested{ID: "1", Event: agent.Waiting{For: string(provider.WaitBytes), Since: now, Limit: 90 * time.Second}}}
		}, "running task: no bytes for 20 s of 90 s"},
		"a sub-agent's retry": {func(time.Time) []agent.Event {
			return []agent.Event{start("1", "task", tools.Effect{}), agent.ToolRunning{ID: "1"},
				agent.Nested{ID: "1", Event: agent.Retrying{Err: errors.New("no"), After: 28 * time.Second, Attempt: 1, Attempts: 6}}}
		}, "running task: retrying in 8 s (1 of 6)"},
		"a sub-agent that ended": {func(time.Time) []agent.Event {
			return []agent.Event{start("1", "task", tools.Effect{}), agent.ToolRunning{ID: "1"}, agent.Nested{ID: "1", Event: agent.TurnStart{Turn: 1}}, agent.Nested{ID: "1", Event: agent.RunEnd{}}}
		}, "running task 20 s"},
		"servers at the start": {func(time.Time) []agent.Event { return []agent.Event{agent.Waiting{For: "waiting for MCP server docs"}} }, "waiting for MCP server docs 20 s"},
		"a lock":               {func(time.Time) []agent.Event { return []agent.Event{agent.Waiting{For: agent.WaitLock}} }, "another forge"},
		"compacting":           {func(time.Time) []agent.Event { return []agent.Event{agent.Compacting{}} }, "compacting 20 s"},
		"compacting, no answer yet": {func(now time.Time) []agent.Event {
			return []agent.Event{agent.Compacting{}, agent.Waiting{For: string(provider.WaitFirstByte), Since: now, Limit: 10 * time.Minute}}
		}, "compacting: waiting for the first byte, 20 s of 10 m"},
		"compacting, no bytes": {func(now time.Time) []agent.Event {
			return []agent.Event{agent.Compacting{}, agent.Waiting{For: string(provider.WaitFirstByte), Since: now, Limit: 10 * time.Minute}, agent.Waiting{},
				agent.Waiting{For: string(provider.WaitBytes), Since: now, Limit: 90 * time.Second}}
		}, "no bytes for 20 s of 90 s"},
		"compacting, bytes come": {func(now time.Time) []agent.Event {
			return []agent.Event{agent.Compacting{}, agent.Waiting{For: string(provider.WaitFirstByte), Since: now, Limit: 10 * time.Minute}, agent.Waiting{}}
		}, "compacting 20 s"},
		"compacted": {func(now time.Time) []agent.Event {
			return []agent.Event{agent.Compacting{}, agent.Compacted{}, agent.Waiting{For: string(provider.WaitConnect)}}
		}, "connecting 20 s"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() { _ = lang.Use(lang.English) }()
			for _, tag := range lang.Tags() {
				if err := lang.Use(tag); err != nil {
					t.Fatal(err)
				}
				o := testOptions(&fakeAgent{})
				o.Sandbox = "landlock"
				m := still(t, o, 120, 10)
				m.status.usage, m.status.used, m.status.servers = provider.Usage{Input: 1000, Output: 10}, 5000, "MCP: 1 failed"
				for _, e := range c.events(m.now) {
					m.status.take(e, m.now)
				}
				later := m.now.Add(20 * time.Second)
				if tag == lang.English && !strings.Contains(m.status.says(later), c.want) {
					t.Fatalf("%q, want %q", m.status.says(later), c.want)
				}
				for _, w := range []int{60, 80, 120, 200} {
					line := m.status.view(w, m.th, later, true)
					if !strings.Contains(ansi.Strip(line), m.status.says(later)) || !strings.Contains(line, lang.T("esc stops")) && safe.Width(m.status.says(later)) <= w-13 || cellsOf(line) > w {
						t.Errorf("%s at %d: %q", tag, w, ansi.Strip(line))
					}
				}
			}
		})
	}
}

// What waits for the person says so.
func TestStatusNamesTheQuestion(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 20)
	m.ask(&ask{question: &tools.Question{ID: agent.BudgetQuestion, Title: "Raise it?", Choices: []tools.Choice{{ID: "y", Label: "yes", Key: "y"}}}, reply: make(chan tools.Reply, 1)})
	if got := m.status.says(m.now); got != "the budget waits for your answer" {
		t.Error(got)
	}
}
