package agent

import (
	"testing"

	"forge/agent/session"
	"forge/provider"
)

// What is listed call by call adds up to what is counted: sub-agents and compactions
// are in both.
func TestUsesAddUpToTheTotals(t *testing.T) {
	usage := func(in, out int) provider.Usage { return provider.Usage{Input: in, Output: out, Reported: true} }
	child, cut := usage(1000, 100), usage(500, 50)
	cost := 0.25
	ask := provider.Message{Role: provider.Assistant, Stop: provider.StopToolUse, Usage: usage(10, 1), Blocks: []provider.Block{provider.ToolUse{ID: "1", Name: "task", Input: "{}"}}}
	result := provider.Message{Role: provider.User, Blocks: []provider.Block{provider.ToolResult{ID: "1", Content: []provider.Block{provider.Text{Text: "found"}}}}}
	calls := []session.Call{{ID: "1", Child: &session.Child{Agent: "explore", Turns: 3, Usage: &child, Cost: cost, Priced: true}}}
	prompt := provider.UserText("go")
	rs := []session.Record{
		{Model: &session.Model{Provider: "p", ID: "m"}},
		{Message: &prompt},
		{Message: &ask},
		{Message: &result, Calls: calls},
		{Cut: &session.Cut{Usage: &cut, Cost: &cost}},
	}
	for i := range rs {
		rs[i].Seq = i + 1
	}
	a := New(Options{})
	a.Resume(nil, rs)
	uses, err := a.Uses()
	if err != nil || len(uses) != 3 {
		t.Fatalf("%+v, %v", uses, err)
	}
	var sum provider.Usage
	priced := 0.0
	for _, u := range uses {
		sum = sum.Add(u.Usage)
		if u.Cost != nil {
			priced += *u.Cost
		}
		if u.Agent != "" && (u.Agent != "explore" || u.Calls != 3) {
			t.Errorf("the sub-agent's: %+v", u)
		}
	}
	if total := a.Totals(); sum.Input != total.Usage.Input || sum.Output != total.Usage.Output || priced != total.Cost || sum.Input != 1510 {
		t.Errorf("listed %+v, $%v; counted %+v, $%v", sum, priced, total.Usage, total.Cost)
	}
}
