package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/ui/dialog"
	"forge/ui/keymap"
)

// Whatever keys a person took away, ctrl+c closes what is open, and twice leaves.
func TestNobodyIsShutIn(t *testing.T) {
	var entries []keymap.Entry
	for _, b := range keymap.Actions() {
		entries = append(entries, keymap.Entry{Action: string(b.Action)})
	}
	keys, wrong := keymap.New(entries)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	for name, open := range map[string]func(m *Model){
		"a list": func(m *Model) { m.dialogs.Push(dialog.NewPicker(m.th, "opened", []dialog.Entry{{Label: "x"}}, nil)) },
		"a form": func(m *Model) { m.dialogs.Push(wanted{form(m).(*dialog.Question)}) },
		"a question": func(m *Model) {
			m.dialogs.Push(wanted{dialog.NewQuestion(m.th, tools.Question{Title: "opened"}, replies(m))})
		},
		"a takeback": func(m *Model) { takeback(m, []dialog.TakebackRow{{Path: "a"}}) },
		"a pager":    func(m *Model) { m.pager = longPager() },
		"words": func(m *Model) {
			m.pager = longPager()
			m.pager.line = &line{label: "/", done: func(string) tea.Cmd { return nil }}
		},
		"the window":  scenes[keymap.Window],
		"the servers": func(m *Model) { panel(m, "") },
		"a server":    func(m *Model) { panel(m, "docs") },
		"the menu":    func(m *Model) { typeText(m, "/m") },
		"the reader":  scenes[keymap.Read],
	} {
		t.Run(name, func(t *testing.T) {
			o := testOptions(&fakeAgent{})
			m := still(t, o, 80, 24)
			open(m)
			rekey(m, keys)
			m.dialogs.Keys = keys
			var cmd tea.Cmd
			for range 5 {
				_, cmd = m.Update(namedKey("ctrl+c"))
				if strings.Contains(strings.Join(commandNames(cmd), " "), "tea.Quit") || strings.HasSuffix(strings.Join(commandNames(cmd), " "), ".Quit") {
					return
				}
			}
			t.Errorf("five times ctrl+c do not leave:\n%s", shot(m))
		})
	}
}
