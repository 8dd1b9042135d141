package ui

import (
	"slices"
	"testing"

	"forge/tools/permission"
	"forge/ui/cockpit"
	"forge/ui/ledger"
)

func standingOptions() Options {
	o := testOptions(&fakeAgent{})
	o.Version, o.Model.ID, o.Mode, o.Sandbox, o.Network, o.Cwd = "0.1", "big-model", permission.ModePlan, "landlock", true, "~/project"
	o.Ledger = &Ledger{Usage: func() ledger.Usage {
		return ledger.Usage{Session: ledger.Sum{Calls: 2, USD: 0.25, Input: 1200, Output: 30}, Used: 1000, Size: 8000}
	}}
	o.Servers = &Servers{Status: func() []cockpit.Server { return []cockpit.Server{{Name: "notes", State: "ready"}} }}
	return o
}

// /status shows in one place what else stands in several, on the screen and in lines.
func TestStatusCommand(t *testing.T) {
	want := []string{"0.1", "big-model", "plan", "landlock, network open", "~/project", "$0.25", "1.0k of 8.0k tokens", "notes: "}
	bubble(t, func(t *testing.T) {
		m := still(t, standingOptions(), 80, 24)
		cmd := m.runCommand("/status", "status", "")
		if cmd == nil {
			t.Fatal("nothing is read")
		}
		m.Update(cmd())
		has(t, shot(m), append(slices.Clone(want), "How things stand")...)
	})
	l := &lines{o: standingOptions()}
	var said string
	if _, err := l.standing(t.Context(), "", func(s string) { said += s + "\n" }); err != nil {
		t.Fatal(err)
	}
	has(t, said, append(want, "version: 0.1", "mode: plan")...)
}

// Where no model, ledger or server is known, the rest is told.
func TestStatusOfLittle(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Ledger, o.Servers = nil, nil
	facts := standing(o, status{mode: permission.ModeAsk})
	if !slices.Contains(facts, [2]string{"model", "none yet"}) || !slices.Contains(facts, [2]string{"mode", "ask"}) {
		t.Errorf("%q", facts)
	}
}
