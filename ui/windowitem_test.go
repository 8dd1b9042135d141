package ui

import (
	"errors"
	"testing"

	"forge/ui/ledger"
)

// Enter on an item of the window shows it whole over the panel, as the model sees it; on
// a group it folds it.
func TestAnItemOfTheWindowIsShownWhole(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Ledger = &Ledger{Text: func(id string) (string, error) {
		if id != "b" {
			return "", errors.New("that is not in the window any more")
		}
		return "all of it\x1b[2J\n" + long(40), nil
	}}
	m := still(t, o, 100, 30)
	m.window = ledger.NewContext(ledger.Window{Items: []ledger.Item{
		{Group: "system", Name: "the instructions", Fixed: true}, {ID: "a", Group: "talk", Kind: "prompt", Name: "go"}, {ID: "b", Group: "talk", Kind: "result", Name: "result of it"}}})
	do(m, "G", "enter")
	has(t, shot(m), "as the model sees it", "all of it", "line 5")
	do(m, "esc")
	if m.pager != nil || m.window == nil {
		t.Fatal("esc closed more than the item")
	}
	do(m, "k", "enter")
	has(t, shot(m), "not in the window any more")
	do(m, "g", "enter")
	has(t, shot(m), "▸ system prompt")
	do(m, "enter", "j", "enter")
	has(t, shot(m), "▾ system prompt", "no part of what was said")
}
