package agent

import (
	"cmp"
	"slices"
	"time"

	"forge/agent/session"
	"forge/provider"
)

// Asked is a prompt of this conversation that a person may go back to.
type Asked struct {
	Text string    // as it was typed
	When time.Time // UTC
	at   int       // its place among all records of the conversation
	seq  int       // of its record
}

// Asked lists the prompts that began runs, the newest first: what was cut from
// the model's view too, but nothing sent into a run that was on.
func (a *Agent) Asked() []Asked {
	a.history.mu.Lock()
	defer a.history.mu.Unlock()
	out := append(slices.Clone(a.history.shed.prompts), asked(a.history.log, a.history.shed.n)...)
	slices.Reverse(out)
	return out
}

// asked finds the prompts among records, the first of which is number n.
func asked(rs []session.Record, n int) []Asked {
	var out []Asked
	for i, r := range rs {
		if m := r.Message; m != nil && m.Role == provider.User && !r.Steer && r.Shell == nil && r.Note == nil && !onlyResults(*m) {
			out = append(out, Asked{Text: cmp.Or(r.Line, m.PlainText()), When: r.Time, at: n + i, seq: r.Seq})
		}
	}
	return out
}

// Before returns the records of the conversation up to a prompt: what a fork of
// it that asks something else begins with. It may read the session's file.
func (a *Agent) Before(p Asked) ([]session.Record, error) {
	a.history.mu.Lock()
	n, last, log := a.history.shed.n, a.history.shed.seq, a.history.log
	a.history.mu.Unlock()
	if p.at >= n {
		log = slices.Clone(log[:min(p.at-n, len(log))])
	} else {
		log, last = nil, p.seq-1
	}
	if last == 0 {
		return log, nil
	}
	rs, err := session.Records(a.o.Session.Path(), last)
	return append(session.History(rs), log...), err
}

func onlyResults(m provider.Message) bool {
	return !slices.ContainsFunc(m.Blocks, func(b provider.Block) bool {
		_, result := b.(provider.ToolResult)
		return !result
	})
}

// Records returns the conversation, what was cut from the model's view too: what a
// copy of it begins with, or an export holds.
func (a *Agent) Records() ([]session.Record, error) { return a.history.all() }
