package agent

import (
	"slices"
	"time"

	"forge/agent/session"
	"forge/provider"
)

// Asked is a prompt of this conversation that a person may go back to.
type Asked struct {
	Text string
	When time.Time // UTC
	at   int       // in the log
}

// Asked lists the prompts that began runs, the newest first: what was cut from
// the model's view too, but nothing sent into a run that was on.
func (a *Agent) Asked() []Asked {
	a.history.mu.Lock()
	defer a.history.mu.Unlock()
	var out []Asked
	for i, r := range a.history.log {
		if m := r.Message; m != nil && m.Role == provider.User && !r.Steer && r.Shell == nil && !onlyResults(*m) {
			out = append(out, Asked{Text: m.PlainText(), When: r.Time, at: i})
		}
	}
	slices.Reverse(out)
	return out
}

// Before returns the records of the conversation up to a prompt: what a fork of
// it that asks something else begins with.
func (a *Agent) Before(p Asked) []session.Record {
	a.history.mu.Lock()
	defer a.history.mu.Unlock()
	return slices.Clone(a.history.log[:min(p.at, len(a.history.log))])
}

func onlyResults(m provider.Message) bool {
	return !slices.ContainsFunc(m.Blocks, func(b provider.Block) bool {
		_, result := b.(provider.ToolResult)
		return !result
	})
}
