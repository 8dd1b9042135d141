package ui

import (
	"sync"
	"testing"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
)

// The same of a language server, which takes its time to end.
func TestStoppingAServerKeepsTheList(t *testing.T) {
	runs := true
	o := testOptions(&fakeAgent{})
	o.LSP = &LanguageServers{List: func() []LanguageServer { return []LanguageServer{{Name: "gopls", State: "ready", Runs: runs}} },
		Stop: func(string) error { runs = false; return nil }}
	m := still(t, o, 80, 24)
	work(m, m.cmdLSP(""))
	cmd := m.key(keyMsg("ctrl+x"))
	if !m.dialogs.Active() {
		t.Fatal("the list is away meanwhile")
	}
	press(m, "esc")
	work(m, cmd)
	if runs || m.dialogs.Active() {
		t.Errorf("runs %v\n%s", runs, shot(m))
	}
}

// A list whose entry is switched stays where it is: a key that follows at once is the
// list's, Esc closes it for good, and two presses are two switches, in their order.
func TestSwitchingKeepsTheList(t *testing.T) {
	for _, c := range []struct {
		name, key string
		open      func(*Model) tea.Cmd
	}{
		{"hooks", "enter", func(m *Model) tea.Cmd { return m.cmdHooks("") }},
		{"tools", "enter", func(m *Model) tea.Cmd { return m.cmdTools("") }},
		{"skills", "ctrl+x", func(m *Model) tea.Cmd { return m.cmdSkills("") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var mu sync.Mutex
			off, did := false, ""
			set := func(on bool) error {
				mu.Lock()
				defer mu.Unlock()
				off = !on
				did += map[bool]string{true: "on ", false: "off "}[on]
				return nil
			}
			is := func() bool { mu.Lock(); defer mu.Unlock(); return off }
			o := testOptions(&fakeAgent{})
			o.Hooks = Hooks{List: func() []Hook { return []Hook{{Event: "Stop", Command: "one", Off: is()}} }, Switch: func(_ int, on bool) error { return set(on) }}
			o.Tools = func() []ToolChoice { return []ToolChoice{{Name: "one", On: !is()}} }
			o.SwitchTool = func(_ string, on bool) error { return set(on) }
			o.Skills = &Skills{List: func() []SkillInfo { return []SkillInfo{{Name: "one", File: "one", Off: is()}} }, Switch: func(_ string, on bool) error { return set(on) }}
			m := still(t, o, 80, 24)
			tell(m, agent.UserMessage{Text: "before"})
			work(m, c.open(m))
			first := m.key(keyMsg(c.key))
			has(t, shot(m), "off · ")
			second := m.key(keyMsg(c.key))
			has(t, shot(m), "on · ")
			third := m.key(keyMsg(c.key))
			var late []tea.Msg
			var all sync.WaitGroup
			got := make(chan tea.Msg, 3)
			for _, cmd := range []tea.Cmd{third, second, first} { // as they come on a busy machine
				all.Go(func() { got <- cmd() })
			}
			all.Wait()
			close(got)
			for msg := range got {
				late = append(late, msg)
			}
			if did != "off on off " || !is() {
				t.Errorf("switched %q", did)
			}
			m.Update(late[0])
			m.Update(late[1])
			has(t, shot(m), "off · ") // what was read between two presses is old
			m.Update(keyMsg("esc"))
			if m.dialogs.Active() {
				t.Fatal("esc does not close it")
			}
			m.Update(late[2])
			if m.dialogs.Active() {
				t.Errorf("it came back:\n%s", shot(m))
			}
		})
	}
}
