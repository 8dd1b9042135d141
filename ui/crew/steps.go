package crew

import (
	"errors"
	"strings"

	"forge/agent"
	"forge/ui/lang"
	"forge/ui/ledger"
)

// Bounds of what is kept of an agent's steps.
const (
	mostSteps = 200
	mostWords = 2000 // bytes of one
)

// Step is one thing an agent did: a call, or words, which have no State.
type Step struct {
	Text  string
	State StepState

	call  string
	under string // the calls between the agent and whoever said the words
}

// StepState is how far a call is.
type StepState int

// The states. Those from Done on are ends.
const (
	Words StepState = iota
	Ready
	Runs
	Done
	Failed
	Refused
)

type steps struct {
	list []Step
	gone int // before these
}

// Steps are its last steps and those of the agents it has started, the oldest first,
// and how many came before these.
func (a *Agent) Steps() (last []Step, before int) { return a.steps.list, a.steps.gone }

// take notes what an event does; under is the calls between the agent and whoever did
// it, since each conversation numbers its calls for itself.
func (s *steps) take(under string, e agent.Event) {
	switch e := e.(type) {
	case agent.Nested:
		s.take(under+e.ID+"\x00", e.Event)
	case agent.Retrying:
		s.say(under, lang.T("trying again in %s: %s", seconds(e.After), said(e.Err)))
	case agent.Compacted:
		if e.Err == nil {
			s.say(under, lang.T("compacted %s to %s tokens", ledger.Count(e.Before), ledger.Count(e.After)))
		}
	case agent.TextDelta:
		if n := len(s.list); n > 0 && s.list[n-1].call == "" && s.list[n-1].under == under {
			s.list[n-1].Text = end(s.list[n-1].Text + e.Text)
			return
		}
		s.say(under, end(e.Text))
	case agent.ToolStart:
		l := s.of(under + e.ID)
		if l.Text, l.State = lang.Title(e.Effect.Title), Ready; l.Text == "" {
			l.Text = e.Name
		}
	case agent.ToolRunning:
		s.of(under + e.ID).State = Runs
	case agent.ToolEnd:
		l := s.of(under + e.ID)
		if l.Text == "" {
			l.Text = e.Name
		}
		switch {
		case e.Result.Refused:
			l.State = Refused
		case e.Result.IsError:
			l.State = Failed
		default:
			l.State = Done
		}
	}
}

func (s *steps) say(under, text string) { s.add(Step{Text: text, under: under}) }

func (s *steps) add(l Step) *Step {
	if len(s.list) >= mostSteps {
		kept := s.list[len(s.list)-mostSteps/2:]
		s.gone += len(s.list) - len(kept)
		s.list = append(s.list[:0], kept...)
	}
	s.list = append(s.list, l)
	return &s.list[len(s.list)-1]
}

// of is the step of a call, made where there is none.
func (s *steps) of(call string) *Step {
	for i := len(s.list) - 1; i >= 0; i-- {
		if s.list[i].call == call {
			return &s.list[i]
		}
	}
	return s.add(Step{call: call, State: Ready})
}

// end is the end of a text that grows.
func end(text string) string {
	if len(text) <= 2*mostWords {
		return text
	}
	return strings.ToValidUTF8(text[len(text)-mostWords:], "")
}

func said(err error) string {
	if err == nil {
		err = errors.New("unknown cause")
	}
	return lang.Said(strings.Join(strings.Fields(err.Error()), " "))
}
