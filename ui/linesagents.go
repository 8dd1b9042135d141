package ui

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"forge/agent"
	"forge/ui/crew"
	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// lineCrew is what lines know of the sub-agents of a run. It is told from the goroutine
// that reads the feed and asked from those of commands.
type lineCrew struct {
	mu     sync.Mutex
	roster crew.Roster
}

// take follows an event of a run.
func (l *lineCrew) take(e agent.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if u, ok := e.(agent.UserMessage); ok && !u.Steer { // of a new run
		l.roster = crew.Roster{}
	}
	l.roster.Take(e, time.Now())
}

// asks notes whose question was put to the person, or, with by -1, is not open any more.
func (l *lineCrew) asks(q *ask, by int) {
	if q.request == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if a := l.roster.Find(q.request.Effect.Under...); a != nil {
		a.Asks(by)
	}
}

// numbered are the agents of the run, in the order of their numbers. The lock is held.
func (l *lineCrew) numbered(arg string) (all []*crew.Agent, one *crew.Agent, err error) {
	all = l.roster.All()
	if arg == "" {
		return all, nil, nil
	}
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 || n > len(all) {
		return all, nil, errors.New(lang.T("there is no sub-agent %s; /agents lists them", safe.Line(arg)))
	}
	return all, all[n-1], nil
}

// agents says which sub-agents are at work; with a number, what that one did last; with
// stop and a number, it stops that one.
func (l *lines) agents(_ context.Context, arg string, say func(string)) (*linear.Choice, error) {
	l.crew.mu.Lock()
	defer l.crew.mu.Unlock()
	words := strings.Fields(arg)
	if len(words) == 2 && words[0] == "stop" {
		return nil, l.stopAgent(words[1], say)
	}
	all, one, err := l.crew.numbered(strings.Join(words, " "))
	switch now := time.Now(); {
	case err != nil:
		return nil, err
	case one != nil:
		say(lineOf(one, now))
		steps, before := one.Steps()
		if before > 0 {
			say(lang.T("%s above", plural(before, "step")))
		}
		for _, s := range steps {
			if text := stepLine(s); text != "" {
				say(text)
			}
		}
	case len(all) == 0:
		l.definitions(say)
	default:
		for i, a := range all {
			say(strconv.Itoa(i+1) + ": " + lineOf(a, now))
		}
		say(lang.T("/agents and a number says what it did; /agents stop and a number stops it alone"))
	}
	return nil, nil
}

// stopAgent stops one alone. The lock is held.
func (l *lines) stopAgent(number string, say func(string)) error {
	_, a, err := l.crew.numbered(number)
	switch stop := l.now().Crew.Stop; {
	case err != nil:
		return err
	case a.Over():
		return errors.New(lang.T("%s has ended already", safe.Line(a.Name)))
	case stop == nil:
		return errors.New(lang.T("a sub-agent cannot be stopped alone here"))
	case !stop(a.Path()):
		return errors.New(lang.T("%s is not at work", safe.Line(a.Name)))
	default:
		say(lang.T("stopping %s; the others go on", safe.Line(a.Name)))
		return nil
	}
}

func (l *lines) definitions(say func(string)) {
	if l.now().Agents == nil {
		say(lang.T("there are no sub-agents here"))
		return
	}
	for _, a := range l.now().Agents() {
		say("@" + safe.Line(a.Name) + lang.T(": ") + safe.Line(a.About))
	}
}

// lineOf is an agent in words.
func lineOf(a *crew.Agent, now time.Time) string {
	name := safe.Line(a.Name)
	for b := a.Above; b != nil; b = b.Above {
		name = lang.T("%s, started by %s", name, safe.Line(b.Name))
	}
	return strings.Join(append([]string{strings.TrimSuffix(name+lang.T(": ")+safe.Line(a.Task), lang.T(": "))}, a.Facts(now)...), lang.T(", "))
}

// stepLine is a step in words.
func stepLine(s crew.Step) string {
	text := strings.TrimSpace(safe.Output(s.Text))
	switch s.State {
	case crew.Words:
		return text
	case crew.Done:
		return lang.T("tool done: %s", text)
	case crew.Failed:
		return lang.T("tool failed: %s", text)
	case crew.Refused:
		return lang.T("tool not allowed: %s", text)
	}
	return lang.T("tool started: %s", text)
}
