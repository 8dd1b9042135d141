// Package crew follows the sub-agents of a conversation, from the events of its runs.
//
// It owns what there is to know of each of them: whose it is and what it was given to
// do, what it does at this moment, what it has used, and its last steps. What it keeps
// is bounded, however much an agent says. It draws nothing, keeps no conversation and
// starts and stops nobody; the faces ask it, each from one goroutine.
package crew

import (
	"slices"
	"strings"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/tools"
)

// Roster is the sub-agents that one conversation has started, in the order they came.
// Of is the agent whose conversation it is; nil: the person's own. The zero Roster has
// none.
type Roster struct {
	Of *Agent

	list []*Agent
	by   map[string]*Agent
}

// Agent is a sub-agent: the work of one call.
type Agent struct {
	Call    string // its ID, in the conversation it was started from
	Above   *Agent // whose conversation that is; nil: the person's own
	Name    string
	Task    string // in a few words
	Session string // the ID of the session its own conversation is kept in; empty: in none
	Below   Roster // those it has started itself

	// What it has used, those it has started included. Cost is US dollars.
	Usage     provider.Usage
	Cost      float64
	CostKnown bool
	Turns     int // model calls of its own
	Calls     int // tool calls of its own that have ended

	began  time.Time // zero: it waits for its turn, or it is not known
	took   time.Duration
	asking int // questions that wait for the person
	end    ending
	doing  doing
	steps  steps
}

type ending int

const (
	going ending = iota
	done
	failed
	cancelled
)

// Take follows the next event of the conversation.
func (r *Roster) Take(e agent.Event, now time.Time) {
	switch e := e.(type) {
	case agent.ToolStart:
		if e.Effect.Kind == tools.Delegate {
			a := r.at(e.ID)
			a.Name, a.Task, _ = strings.Cut(e.Effect.Title, ": ")
		}
	case agent.Delegated:
		a := r.at(e.ID)
		a.Name, a.Session = e.Agent, e.Session
		if e.Turns > 0 { // a replay: none of its own events come
			a.Turns, a.Usage, a.Cost, a.CostKnown = e.Turns, e.Usage, e.Cost, e.CostKnown
		}
		a.begin(now)
	case agent.Nested:
		a := r.at(e.ID)
		a.begin(now)
		a.take(e.Event, now)
	case agent.ToolEnd:
		if a := r.by[e.ID]; a != nil {
			a.over(e, now)
		}
	case agent.RunEnd:
		for _, a := range r.list {
			a.cut(now)
		}
	}
}

// at is the agent of a call, made where there is none.
func (r *Roster) at(call string) *Agent {
	a := r.by[call]
	if a == nil {
		a = &Agent{Call: call, Above: r.Of}
		a.Below.Of = a
		if r.by == nil {
			r.by = map[string]*Agent{}
		}
		r.by[call] = a
		r.list = append(r.list, a)
	}
	return a
}

// Find is the agent at the end of calls, each of which belongs to the agent of the one
// before it; nil: there is none.
func (r *Roster) Find(path ...string) *Agent {
	if r == nil || len(path) == 0 {
		return nil
	}
	a := r.by[path[0]]
	if a == nil || len(path) == 1 {
		return a
	}
	return a.Below.Find(path[1:]...)
}

// All are the agents, each with those it has started behind it.
func (r *Roster) All() (out []*Agent) {
	for _, a := range r.list {
		out = append(append(out, a), a.Below.All()...)
	}
	return out
}

// Running are those of All that have not ended.
func (r *Roster) Running() []*Agent {
	return slices.DeleteFunc(r.All(), (*Agent).Over)
}

// Path is the calls that lead to the agent, that of the person's own conversation first.
func (a *Agent) Path() []string {
	if a.Above == nil {
		return []string{a.Call}
	}
	return append(a.Above.Path(), a.Call)
}

// Sessions are the sessions that lead to its own conversation in the same way; nil: one
// of them is not kept.
func (a *Agent) Sessions() []string {
	if a.Session == "" {
		return nil
	}
	if a.Above == nil {
		return []string{a.Session}
	}
	above := a.Above.Sessions()
	if above == nil {
		return nil
	}
	return append(above, a.Session)
}

// Over reports whether nothing more comes of it.
func (a *Agent) Over() bool { return a.end != going }

// Began reports whether it has been given a place to work.
func (a *Agent) Began() bool { return !a.began.IsZero() }

// Asks notes that one of its questions was put to the person, or, with by -1, answered.
func (a *Agent) Asks(by int) { a.asking = max(0, a.asking+by) }

// Asking reports whether one of its questions waits for the person.
func (a *Agent) Asking() bool { return a.asking > 0 }

// Took is how long it has worked; 0 where that is not known.
func (a *Agent) Took(now time.Time) time.Duration {
	if a.Over() || a.began.IsZero() {
		return a.took
	}
	return max(0, now.Sub(a.began))
}

// Tokens are those it has sent and got.
func (a *Agent) Tokens() int { return a.Usage.Input + a.Usage.Output }

func (a *Agent) begin(now time.Time) {
	if a.began.IsZero() {
		a.began = now
		a.doing.at("", now)
	}
}

func (a *Agent) over(e agent.ToolEnd, now time.Time) {
	if a.Over() {
		return
	}
	if a.took = e.Took; !a.began.IsZero() && !now.IsZero() {
		a.took = now.Sub(a.began)
	}
	switch {
	case e.Result.IsError && strings.HasPrefix(e.Result.Text, agent.Cancelled):
		a.end = cancelled
	case e.Result.IsError:
		a.end = failed
	default:
		a.end = done
	}
	a.rest(now)
}

// cut ends an agent whose run is over.
func (a *Agent) cut(now time.Time) {
	if !a.Over() {
		a.took, a.end = a.Took(now), cancelled
		a.rest(now)
	}
}

func (a *Agent) rest(now time.Time) {
	a.asking, a.doing = 0, doing{}
	for _, b := range a.Below.list {
		b.cut(now)
	}
}

// take follows the next event of its own conversation.
func (a *Agent) take(e agent.Event, now time.Time) {
	a.Below.Take(e, now)
	a.doing.take(e, now)
	a.steps.take("", e)
	switch e.(type) {
	case agent.TurnStart:
		a.Turns++
	case agent.ToolEnd:
		a.Calls++
	}
	if end, ok := turnEnd(e); ok {
		a.Usage = a.Usage.Add(end.Usage)
		a.Cost += end.Cost
		a.CostKnown = a.CostKnown || end.CostKnown
	}
}

// turnEnd is the end of a model call, of whichever floor.
func turnEnd(e agent.Event) (agent.TurnEnd, bool) {
	switch e := e.(type) {
	case agent.TurnEnd:
		return e, true
	case agent.Nested:
		return turnEnd(e.Event)
	}
	return agent.TurnEnd{}, false
}
