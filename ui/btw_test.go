package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"forge/agent"
	"forge/provider"
)

func TestBesideTheWork(t *testing.T) {
	var asked []string
	var answer error
	o := testOptions(&fakeAgent{})
	o.Btw = func(_ context.Context, q string, say func(string)) (agent.Totals, error) {
		asked = append(asked, q)
		say("Because it is **needed** ")
		say("for 构建.")
		return agent.Totals{Turns: 2, Usage: provider.Usage{Input: 5000}, Cost: 0.5, CostKnown: true}, answer
	}
	m := still(t, o, 80, 24)
	m.job = &job{id: 1, cancel: func() {}} // a run is on
	m.comp.SetValue("half a draft")
	cmd := m.runCommand("/btw why is it there?", "btw", "why is it there?")
	if !strings.Contains(ansi.Strip(shot(m)), "asking; the work goes on") {
		t.Errorf("before the answer:\n%s", ansi.Strip(shot(m)))
	}
	work(m, cmd)
	m.events(m.o.Feed.Next().(batch))
	got := ansi.Strip(shot(m))
	for _, want := range []string{"why is it there?", "Because it is needed for 构建.", "half a draft"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not there:\n%s", want, got)
		}
	}
	if m.status.costKnown {
		t.Error("the cost was told in the middle of a run, whose end tells it")
	}
	panes := len(m.tr.panes)
	press(m, "esc")
	if m.pager != nil || m.job.stopping || len(m.tr.panes) != panes {
		t.Error("esc closes the answer, and nothing else")
	}
	// Without a question the last one comes back; a new one takes its place.
	m.runCommand("/btw", "btw", "")
	if !strings.Contains(ansi.Strip(shot(m)), "Because it is needed") {
		t.Errorf("again:\n%s", ansi.Strip(shot(m)))
	}
	m.job, answer = nil, errors.New("no connection")
	cmd = m.runCommand("/btw and now?", "btw", "and now?")
	m.btwSaid(btwText{1, "late words of the first"})
	work(m, cmd)
	m.events(m.o.Feed.Next().(batch))
	if got := ansi.Strip(shot(m)); !strings.Contains(got, "no connection") || strings.Contains(got, "late words") {
		t.Errorf("failed:\n%s", got)
	}
	if len(asked) != 2 || !m.status.costKnown || m.status.usage.Input != 5000 {
		t.Errorf("asked %q, status %+v", asked, m.status.usage)
	}
}

func TestAgentsAreListed(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Agents = func() []AgentInfo {
		return []AgentInfo{{Name: "explore", About: "finds things out", Source: "built in", Tools: "grep"},
			{Name: "mine\x1b[31m", About: strings.Repeat("long words ", 30), Source: "user, ~/.config/forge/agents/mine.md", Tools: "all", Model: "small"}}
	}
	for _, w := range []int{200, 80, 30} {
		m := still(t, o, w, 40)
		m.runCommand("/agents", "agents", "")
		got := ansi.Strip(shot(m))
		for _, want := range []string{"@explore", "finds things out", "grep", "the model in use", "small"} {
			if w > 30 && !strings.Contains(got, want) {
				t.Errorf("%d: %q is not there:\n%s", w, want, got)
			}
		}
		if strings.Contains(got, "\x1b[31m") {
			t.Error("a definition's name has colours of its own")
		}
	}
}
