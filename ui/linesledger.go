package ui

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"forge/ui/lang"
	"forge/ui/ledger"
	"forge/ui/linear"
)

// itemsSaid is how many items of the window are said by themselves.
const itemsSaid = 20

// usage says what was used up.
func (l *lines) usage(_ context.Context, _ string, say func(string)) (*linear.Choice, error) {
	for _, line := range l.now().Ledger.Usage().Lines() {
		say(line)
	}
	return nil, nil
}

// window says what the model sees, and does to an item what was asked.
func (l *lines) window(ctx context.Context, arg string, say func(string)) (*linear.Choice, error) {
	word, rest, _ := strings.Cut(arg, " ")
	w := l.now().Ledger.Window()
	switch word {
	case "", "all", "largest":
		most := itemsSaid
		if word == "all" {
			most = len(w.Items)
		} else {
			for _, line := range w.Lines() {
				say(line)
			}
		}
		for _, line := range w.Listed(most, word == "largest") {
			say(line)
		}
		if n := len(w.Talk()); n > most {
			say(lang.T("these are %d of %d; /context all says all, /context largest the largest first", most, n))
		}
		say(lang.T("/context drop, collapse, restore, pin or unpin and a number does that; /context tools says the tools"))
		return nil, nil
	case "tools":
		for _, line := range w.ToolLines() {
			say(line)
		}
		return nil, nil
	}
	want, known := map[string]ledger.Want{"drop": ledger.Drop, "collapse": ledger.Collapse, "restore": ledger.Restore, "pin": ledger.Pin, "unpin": ledger.Unpin}[word]
	talk := w.Talk()
	n, err := strconv.Atoi(strings.TrimSpace(rest))
	switch {
	case !known:
		return nil, errors.New(lang.T("/context takes nothing, all, largest, tools, or drop, collapse, restore, pin or unpin and a number"))
	case err != nil || n < 1 || n > len(talk):
		return nil, errors.New(lang.T("no item %s; there are 1 to %d", strings.TrimSpace(rest), len(talk)))
	}
	it := talk[n-1]
	a, why := it.May(want)
	switch {
	case why != "":
		return nil, errors.New(why)
	case a.Want == ledger.Nothing:
		say(lang.T("nothing to do: %s", it.Said()))
		return nil, nil
	}
	if len(l.gate) > 0 {
		say(lang.T("at the next step of the run"))
	}
	if err := atStep(ctx, l.now().Agent, l.gate, func() error { return l.now().Ledger.Act(a) }); err != nil {
		return nil, err
	}
	for _, is := range l.now().Ledger.Window().Talk() {
		if is.ID == it.ID {
			say(strconv.Itoa(n) + lang.T(": ") + is.Said())
		}
	}
	return nil, nil
}
