package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"forge/agent"
	"forge/provider"
	"forge/ui/safe"
)

// beside answers what is asked about the conversation.
func beside(text string, err error) Beside {
	return func(context.Context) (string, agent.Totals, error) {
		return text, agent.Totals{Turns: 2, Usage: provider.Usage{Input: 5000}}, err
	}
}

// A recap is a notice; one is asked for at a time, and a failure is said.
func TestRecapOnTheScreen(t *testing.T) { bubble(t, recapOnTheScreen) }

func recapOnTheScreen(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Recap = beside("The laps are measured.\n\n- 中位数 is \x1b[31mopen\n", nil)
	m := still(t, o, 80, 24)
	cmd := m.runCommand("/recap", "recap", "")
	m.runCommand("/recap", "recap", "")
	if got := ansi.Strip(shot(m)); !strings.Contains(got, "the recap is being written") {
		t.Errorf("asking:\n%s", got)
	}
	work(m, cmd)
	m.events(m.o.Feed.Next().(batch))
	shown := shot(m)
	for _, want := range []string{"recap: The laps are measured.", "- 中位数 is open"} {
		if !strings.Contains(ansi.Strip(shown), want) {
			t.Errorf("%q is not there:\n%s", want, ansi.Strip(shown))
		}
	}
	if strings.Contains(ansi.Strip(shown), "is being written") {
		t.Error("it is told that a recap is to come, and it is there")
	}
	if m.status.usage.Input != 5000 || m.recap.on {
		t.Errorf("usage %+v, asking %v", m.status.usage, m.recap.on)
	}
	m.o.Recap = beside("", errors.New("no connection"))
	work(m, m.runCommand("/recap", "recap", ""))
	m.events(m.o.Feed.Next().(batch))
	if got := ansi.Strip(shot(m)); !strings.Contains(got, "no connection") {
		t.Errorf("failed:\n%s", got)
	}
	l := &lines{o: o, gate: make(chan struct{}, 1)}
	l.gate <- struct{}{} // a run is on
	if got, _ := said(l, "recap", ""); !strings.HasPrefix(got, "recap: The laps are measured.") {
		t.Error(got)
	}
}

// A name the model made up is one line that fits; where there is none the old one stays.
func TestRenameAuto(t *testing.T) {
	long := strings.Repeat("圈速", 40)
	for said, want := range map[string]string{
		"Laps and medians": "Laps and medians", "\n\n**\"Laps\"**.\nbecause": "Laps", "「圈速」。": "圈速", "a\x1b[2Jb\tc": "ab c",
	} {
		if got, err := madeName(t.Context(), beside(said, nil)); err != nil || got != want {
			t.Errorf("%q is %q, want %q: %v", said, got, want, err)
		}
	}
	if got, err := madeName(t.Context(), beside(long, nil)); err != nil || safe.Width(got) > nameCells || !strings.HasPrefix(got, "圈速圈速") {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := madeName(t.Context(), beside("\"\"\n", nil)); err == nil {
		t.Errorf("a name of nothing: %q", got)
	}
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		named := make(chan string, 2)
		o.Stored.Rename = func(id, title string) error { named <- title; return nil }
		o.MakeName = beside("Laps", nil)
		s := start(t, o, 80, 24)
		s.send("/rename\r")
		s.see("/rename auto: the model makes up a name")
		s.send("\x1b")
		s.gone("the model makes up")
		s.send("/rename auto\r")
		s.see("this conversation is called Laps now")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		if got := <-named; got != "Laps" || len(named) != 0 {
			t.Errorf("named %q", got)
		}
	})
	o := testOptions(&fakeAgent{})
	var names []string
	o.Stored.Rename = func(id, title string) error { names = append(names, title); return nil }
	o.MakeName = beside("", errors.New("no connection"))
	l := &lines{o: o, gate: make(chan struct{}, 1)}
	if got, _ := said(l, "rename", "auto"); got != "error: no connection" || len(names) != 0 {
		t.Errorf("%q, named %q", got, names)
	}
	m := still(t, o, 80, 24)
	if got := m.completeRename("a"); strings.Join(got, ",") != "auto" {
		t.Errorf("offered %q", got)
	}
	m.o.Stored.Rename = nil
	if got := m.completeRename("a"); len(got) != 0 {
		t.Errorf("nothing can be named, and offered is %q", got)
	}
	m.o.Stored.Rename = o.Stored.Rename
	work(m, m.runCommand("/rename auto", "rename", "auto"))
	if got := ansi.Strip(shot(m)); !strings.Contains(got, "no connection") || len(names) != 0 {
		t.Errorf("named %q:\n%s", names, got)
	}
	o.MakeName = beside("Laps", nil)
	if got, _ := said(&lines{o: o, gate: make(chan struct{}, 1)}, "rename", "auto"); got != "this conversation is called Laps now" || strings.Join(names, ",") != "Laps" {
		t.Errorf("%q, named %q", got, names)
	}
}
