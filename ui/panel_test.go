package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
	"forge/ui/cockpit"
)

// besides is what stands in the panel, row by row; none where it is not shown.
func besides(m *Model) (out []string) {
	for row := range strings.Lines(shot(m)) {
		if _, said, ok := strings.Cut(row, m.th.Glyphs.Bar); ok {
			out = append(out, strings.TrimSpace(said))
		}
	}
	return out
}

const patch = "diff a b.go (mode 0644 → 0755)\n@@ -1,3 +1,4 @@\n x\n-- a\n+++ b\n+c\n y\ndiff pic.png (new file)\n(what it held is not kept)\ndiff one.txt\n@@ -7 +7 @@\n-a\n\\ No newline at end of file\n+b\n"

// The panel says how things stand and what changed, where there is room, keeps the
// choice, and takes nothing of the conversation: its rows end before it, and what is
// chosen by mouse has none of it.
func TestPanel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var stored []string
		o := testOptions(&fakeAgent{})
		o.SessionDiff = func() string { return patch }
		o.Settings = &Settings{Set: func(name, value string) error { stored = append(stored, name+"="+value); return nil }}
		m := still(t, o, 120, 30)
		tell(m, agent.UserMessage{Text: "mend it"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Text: strings.Repeat("words ", 60)},
			agent.TurnEnd{Used: 50_000, Window: 200_000, Cost: 0.5, CostKnown: true},
			agent.ToolEnd{ID: "1", Name: "edit_file", Changes: []tools.Change{{}}}, agent.RunEnd{})
		m.todos = []Todo{{Text: "read", State: "done"}, {Text: "mend", State: "in_progress"}}
		m.servers.list = []cockpit.Server{{Name: "docs", State: cockpit.Ready}, {Name: "slow", State: cockpit.Failed}}
		if got := besides(m); got != nil {
			t.Errorf("nobody asked for it: %q", got)
		}
		work(m, m.runCommand("/panel", "panel", ""))
		got := besides(m)
		for _, want := range []string{"demo-1 · high", "50.0k of 200k tokens  $0.50", "todo list", "✓ read", "● mend", "MCP servers", "▲ slow: failed", "changed files",
			"a b.go                       +2 −1", "pic.png", "one.txt                      +1 −1"} {
			if !slices.Contains(got, want) {
				t.Errorf("no %q in\n%s", want, strings.Join(got, "\n"))
			}
		}
		for row := range strings.Lines(shot(m)) {
			if cellsOf(strings.TrimSuffix(row, "\n")) > 120 {
				t.Errorf("too wide: %q", row)
			}
			if said, _, ok := strings.Cut(row, m.th.Glyphs.Bar); ok && cellsOf(said) != m.talkWidth() {
				t.Errorf("the panel stands at %d, not %d: %q", cellsOf(said), m.talkWidth(), row)
			}
		}
		m.Update(tea.MouseClickMsg{X: 100, Y: 3, Button: tea.MouseLeft})
		m.Update(tea.MouseMotionMsg{X: 110, Y: 5, Button: tea.MouseLeft})
		if m.choice() != nil || m.reads != nil {
			t.Error("the mouse chooses in the panel")
		}
		// A click on a file reads what the conversation changed; one elsewhere does nothing.
		for y, row := range strings.Split(shot(m), "\n") {
			cmd := m.mouse(tea.MouseClickMsg{X: 100, Y: y, Button: tea.MouseLeft})
			if on := strings.Contains(row, "b.go") || strings.Contains(row, "pic.png") || strings.Contains(row, "one.txt"); on != (m.errand != nil) || y < m.readable() && on != (cmd != nil) {
				t.Errorf("a click on %q: %v", row, m.errand != nil)
			}
			m.turnBack()
		}
		m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
		if got := besides(m); got != nil || m.tr.d.w != 100 {
			t.Errorf("at 100 columns, the conversation %d wide: %q", m.tr.d.w, got)
		}
		m.Update(tea.WindowSizeMsg{Width: 200, Height: 12})
		if got := besides(m); len(got) == 0 {
			t.Error("nothing of it at 200 columns")
		}
		press(m, "ctrl+x")
		work(m, m.key(keyMsg("b")))
		if got := besides(m); got != nil || m.tr.d.w != 200 {
			t.Errorf("put away: %q", got)
		}
		if want := []string{"screen.panel=true", "screen.panel=false"}; !slices.Equal(stored, want) {
			t.Errorf("stored %q", stored)
		}
	})
}

// In a conversation that is opened again the panel has its name and what it changed at once:
// both are known only once it is open.
func TestPanelOfAReopenedConversation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		o := testOptions(a)
		opened := make(chan struct{})
		isOpen := func() bool {
			select {
			case <-opened:
				return true
			default:
				return false
			}
		}
		o.Panel = true
		o.SessionDiff = func() string {
			if isOpen() {
				return patch
			}
			return ""
		}
		o.Place = func() Place {
			if isOpen() {
				return Place{Title: "the laps"}
			}
			return Place{}
		}
		o.Restore = func() error {
			time.Sleep(time.Second) // what is read at the start is read by then
			a.history = turns(0, 3)
			close(opened)
			return nil
		}
		s := start(t, o, 120, 30)
		s.see("the laps")
		s.see("pic.png")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// The lines of a diff are counted by its hunks: a line that looks like a head is none.
func TestChangedIn(t *testing.T) {
	want := []changedFile{{"a b.go", 2, 1}, {"pic.png", 0, 0}, {"one.txt", 1, 1}}
	if got := changedIn(patch); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	for _, broken := range []string{"", "@@ -1,3 +1,4 @@\n-a\n", "diff x\n@@ -1,9", "diff x\n@@ -a,b +c,d @@\n+c\n"} {
		if got := changedIn(broken); len(got) > 1 || len(got) == 1 && got[0].added > 0 {
			t.Errorf("of %q: %+v", broken, got)
		}
	}
	if got := changedIn("diff x\n@@ -1,9 +1,9 @@\n+a\n(and more)\ndiff y\n"); len(got) != 2 || got[0].added != 1 {
		t.Errorf("cut short: %+v", got)
	}
}
