package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"forge/ide"
)

func besideNothing(t *testing.T, connected bool) *Model {
	t.Helper()
	o := testOptions(&fakeAgent{})
	o.Dir = t.TempDir()
	if connected {
		temp := t.TempDir()
		o.IDE = &IDE{Manager: &ide.Manager{Dir: o.Dir, Places: ide.Usual(func(name string) string {
			return map[string]string{"TMPDIR": temp}[name]
		}, temp)}}
	}
	return still(t, o, 100, 30)
}

func TestIDEWhereThereIsNone(t *testing.T) {
	m := besideNothing(t, false)
	m.runCommand("/ide", "ide", "")
	has(t, shot(m), "the bridge to editors is off")
	m.nameSelection()
	has(t, shot(m), "no editor is connected")
	m = besideNothing(t, true)
	for line, want := range map[string]string{
		"": "no editor offers a bridge for this folder", "connect": "no editor offers a bridge for this folder",
		"41234": "no such editor offers a bridge",
	} {
		msg := m.runCommand("/ide "+line, "ide", line)()
		if both, ok := msg.(tea.BatchMsg); ok { // the word that it is under way, and the way
			has(t, shot(m), "connecting to the editor")
			msg = both[len(both)-1]()
		}
		m.Update(msg)
		has(t, shot(m), want)
	}
	m.runCommand("/ide d", "ide", "d")
	has(t, shot(m), "no editor is connected")
	if m.status.ide != "" {
		t.Error(m.status.ide)
	}
}

// A connection that is being made can be given up, and nothing more is heard of it.
func TestConnectingToAnEditorIsGivenUp(t *testing.T) {
	m := besideNothing(t, true)
	under, ok := m.runCommand("/ide connect", "ide", "connect")().(tea.BatchMsg)
	if !ok {
		t.Fatal("nothing is under way")
	}
	m.runCommand("/ide disconnect", "ide", "disconnect")
	has(t, shot(m), "no longer connecting to the editor")
	m.Update(under[len(under)-1]())
	if s := shot(m); strings.Contains(s, "not connected") || strings.Contains(s, "no editor offers") {
		t.Errorf("told of what was given up:\n%s", s)
	}
	m.runCommand("/ide disconnect", "ide", "disconnect")
	has(t, shot(m), "no editor is connected")
}

// What the person sent from the editor stands in the prompt once, apart from what they
// write, and never in a command line.
func TestSentFromTheEditor(t *testing.T) {
	m := besideNothing(t, true)
	m.Update(batch{ideNamed{"@a.go#L2-3"}})
	if v := m.comp.Value(); v != "@a.go#L2-3 " {
		t.Errorf("%q", v)
	}
	has(t, shot(m), "sent from the editor: @a.go#L2-3")
	m.comp.SetValue("look at")
	m.Update(batch{ideNamed{"@a.go#L2-3"}})
	m.Update(batch{ideNamed{"@a.go#L2-3"}})
	if v := m.comp.Value(); v != "look at @a.go#L2-3 " {
		t.Errorf("%q", v)
	}
	m.comp.Reset()
	for _, r := range "!ls" {
		press(m, string(r))
	}
	if !m.comp.Shell() {
		t.Fatal("no command is written")
	}
	m.Update(batch{ideNamed{"@b.go"}})
	if v := m.comp.Value(); strings.Contains(v, "b.go") {
		t.Errorf("%q", v)
	}
}

// An editor that goes wild does not fill the prompt.
func TestFloodFromTheEditor(t *testing.T) {
	m := besideNothing(t, true)
	for i := range 500 {
		m.Update(batch{ideNamed{fmt.Sprintf("@f%d.go", i)}})
	}
	if n := strings.Count(m.comp.Value(), "@"); n != mostSent {
		t.Errorf("%d places", n)
	}
	has(t, shot(m), "enough stands in the prompt")
}

func TestIsBeginning(t *testing.T) {
	for typed, want := range map[string]bool{"": false, "c": true, "con": true, "Connect": true, "connected": false, "d": false} {
		if isBeginning(typed, "connect") != want {
			t.Error(typed)
		}
	}
}
