package crew

import (
	"fmt"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/ui/lang"
	"forge/ui/ledger"
	"forge/ui/safe"
)

// doing is what an agent does at this moment.
type doing struct {
	what    string // in words
	since   time.Time
	names   map[string]string // of calls that were prepared, by ID
	running []string          // IDs
}

// at notes what is done now; the same again does not start the clock anew.
func (d *doing) at(what string, now time.Time) {
	if d.what != what || d.since.IsZero() {
		d.what, d.since = what, now
	}
}

func (d *doing) take(e agent.Event, now time.Time) {
	switch e := e.(type) {
	case agent.TurnStart:
		d.at(lang.T("waiting for the model"), now)
	case agent.ThinkingDelta:
		d.at(lang.T("thinking"), now)
	case agent.TextDelta:
		d.at(lang.T("answering"), now)
	case agent.ToolInput:
		d.at(lang.T("writing a call"), now)
	case agent.Retrying:
		d.at(lang.T("trying again (%d of %d): %s", e.Attempt, e.Attempts, safe.Line(lang.Said(e.Err.Error()))), now)
	case agent.Compacting:
		d.at(lang.T("compacting"), now)
	case agent.Compacted:
		d.at(lang.T("waiting for the model"), now)
	case agent.Waiting:
		if e.For == string(provider.WaitLimit) {
			d.at(lang.T("held back by the server's rate limit"), now)
		}
	case agent.ToolStart:
		if d.names == nil {
			d.names = map[string]string{}
		}
		d.names[e.ID] = e.Name
	case agent.ToolRunning:
		d.running = append(d.running, e.ID)
		d.calls(now)
	case agent.ToolEnd:
		delete(d.names, e.ID)
		for i, id := range d.running {
			if id == e.ID {
				d.running = append(d.running[:i:i], d.running[i+1:]...)
				d.calls(now)
				break
			}
		}
	}
}

// calls names the call that runs, or says how many do.
func (d *doing) calls(now time.Time) {
	switch n := len(d.running); n {
	case 0:
		d.at(lang.T("waiting for the model"), now)
	case 1:
		d.at(lang.T("running %s", safe.Line(d.names[d.running[0]])), now)
	default:
		d.at(lang.T("running %s", lang.Count(n, "1 call", "%d calls")), now)
	}
}

// Says is the agent's state in words: what it does and for how long, or how it ended.
func (a *Agent) Says(now time.Time) string {
	switch {
	case a.end == done:
		return lang.T("done")
	case a.end == failed:
		return lang.T("failed")
	case a.end == cancelled:
		return lang.T("cancelled")
	case a.asking > 0:
		return lang.T("waiting for your answer")
	case a.began.IsZero():
		return lang.T("waiting")
	case a.doing.what == "":
		return lang.T("starting")
	}
	if d := now.Sub(a.doing.since); d >= time.Second && !a.doing.since.IsZero() {
		return a.doing.what + " " + seconds(d)
	}
	return a.doing.what
}

// Facts are its state, its calls, tokens and cost, and how long it has worked, as far as
// they are known.
func (a *Agent) Facts(now time.Time) []string {
	out := []string{a.Says(now)}
	if a.Calls > 0 {
		out = append(out, lang.Count(a.Calls, "1 call", "%d calls"))
	}
	if n := a.Tokens(); n > 0 {
		out = append(out, Tokens(n))
	}
	if a.CostKnown {
		out = append(out, ledger.Money(a.Cost))
	}
	if d := a.Took(now); d >= time.Second {
		out = append(out, seconds(d))
	}
	return out
}

// Tokens is a number of tokens for eyes.
func Tokens(n int) string { return ledger.Tokens(n) }

// seconds is a time for eyes, in whole seconds.
func seconds(d time.Duration) string {
	switch s := int(d.Seconds()); {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d m %02d s", s/60, s%60)
	default:
		return fmt.Sprintf("%d h %02d m", s/3600, s/60%60)
	}
}
