package ui

import (
	"fmt"
	"strings"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/ui/lang"
	"forge/ui/safe"
)

// waits is what a run does or waits for just now, and the same of the agents that work
// for it.
type waits struct {
	waiting string    // in words; empty: nothing runs
	since   time.Time // when that began
	until   time.Time // of a wait with an end, else zero
	limit   time.Duration
	silence agent.Waiting // a server that says nothing; For is empty: none does
	shorten bool          // the conversation is being shortened: what is waited for is that

	calls   map[string]string // those that were prepared, by ID: what is said while they run
	running []string          // IDs
	below   map[string]*waits // of the agents that run as calls
}

// wait says what a run waits for; the same words again do not restart the clock.
func (s *waits) wait(what string, now time.Time) {
	if s.waiting != what {
		s.waiting, s.since = what, now
	}
	s.until, s.limit, s.silence = time.Time{}, 0, agent.Waiting{}
}

// follow takes the next event of the run.
func (s *waits) follow(e agent.Event, now time.Time) {
	switch e := e.(type) {
	case agent.TurnStart:
		s.wait(lang.T("waiting for the model"), now)
	case agent.Waiting:
		s.waitFor(e, now)
	case agent.ThinkingDelta:
		s.wait(lang.T("thinking"), now)
	case agent.TextDelta:
		s.wait(lang.T("answering"), now)
	case agent.ToolInput:
		s.wait(lang.T("writing a call"), now)
	case agent.ToolStart:
		if s.calls == nil {
			s.calls = map[string]string{}
		}
		s.calls[e.ID] = lang.T("running %s", e.Name)
		switch {
		case e.Effect.Kind == tools.Exec && e.Name != agent.OwnCommand && e.Effect.Server == "": // its card says which
			s.calls[e.ID] = lang.T("running the command")
		case e.Name == agent.OwnCommand:
			s.calls[e.ID] = lang.T("running your command")
		case e.Effect.Server != "":
			s.calls[e.ID] = lang.T("MCP server %s: %s", e.Effect.Server, e.Name)
		}
	case agent.ToolRunning:
		s.running = append(s.running, e.ID)
		s.run(now)
	case agent.ToolEnd:
		s.over(e.ID, now)
	case agent.Nested:
		if _, end := e.Event.(agent.RunEnd); end {
			delete(s.below, e.ID)
			return
		}
		if s.below == nil {
			s.below = map[string]*waits{}
		}
		if s.below[e.ID] == nil {
			s.below[e.ID] = &waits{}
		}
		s.below[e.ID].follow(e.Event, now)
	case agent.Retrying:
		s.wait(lang.T("retrying in %s (%d of %d)", "%s", e.Attempt, e.Attempts), now)
		s.until = now.Add(e.After)
	case agent.Compacting:
		s.wait(lang.T("compacting"), now)
		s.shorten = true
	case agent.Compacted:
		s.wait(lang.T("waiting for the model"), now)
		s.shorten = false
	case agent.RunEnd:
		s.running, s.calls, s.below, s.silence, s.shorten = nil, nil, nil, agent.Waiting{}, false
	}
}

func (s *waits) waitFor(e agent.Waiting, now time.Time) {
	switch e.For {
	case "":
		s.silence = agent.Waiting{}
		if s.shorten { // nothing of a summary is shown while it is written
			s.wait(lang.T("compacting"), now)
		}
	case string(provider.WaitBytes):
		s.silence = e
	case string(provider.WaitConnect):
		s.wait(lang.T("connecting"), now)
	case string(provider.WaitFirstByte):
		s.wait(lang.T("waiting for the first byte"), now)
		if e.Limit > 0 {
			s.since, s.limit = e.Since, e.Limit
		}
	case string(provider.WaitLimit):
		s.wait(lang.T("held back by the server's rate limit"), now)
		if !e.Until.IsZero() {
			s.waiting = lang.T("held back %s by the server's rate limit", "%s")
			s.until = e.Until
		}
	case agent.WaitLock:
		s.wait(lang.T("waiting for another forge to write what it used"), now)
	default:
		s.wait(lang.Said(e.For), now)
	}
}

// run names the call that runs, or says how many do.
func (s *waits) run(now time.Time) {
	switch n := len(s.running); n {
	case 0:
	case 1:
		what := s.calls[s.running[0]]
		if what == "" {
			what = lang.T("running %s", plural(1, "call"))
		}
		s.wait(what, now)
	default:
		s.wait(lang.T("running %s", plural(n, "call")), now)
	}
}

func (s *waits) over(id string, now time.Time) {
	delete(s.calls, id)
	delete(s.below, id)
	for i, r := range s.running {
		if r == id {
			s.running = append(s.running[:i:i], s.running[i+1:]...)
			s.run(now)
			return
		}
	}
}

// says is what the line says of it now.
func (s *waits) says(now time.Time) string {
	text := s.cause(now)
	if why := lang.T("compacting"); s.shorten && s.waiting != why {
		return why + lang.T(": ") + text
	}
	return text
}

// cause is says without why the server is asked at all.
func (s *waits) cause(now time.Time) string {
	text := s.waiting
	switch d := now.Sub(s.since); {
	case s.silence.For != "":
		quiet := seconds(max(0, now.Sub(s.silence.Since)).Truncate(time.Second))
		text = lang.T("no bytes for %s of %s", quiet, round(s.silence.Limit))
	case !s.until.IsZero():
		text = strings.Replace(text, "%s", seconds(max(0, s.until.Sub(now)).Round(time.Second)), 1)
	case s.limit > 0 && d >= time.Second:
		text = lang.T("%s, %s of %s", text, seconds(d.Truncate(time.Second)), round(s.limit))
	case d >= time.Second:
		text += " " + seconds(d.Truncate(time.Second))
	}
	// What the one agent waits for that this one waits for is the cause.
	if len(s.running) == 1 && s.silence.For == "" {
		if b := s.below[s.running[0]]; b != nil && b.waiting != "" {
			return fmt.Sprintf("%s: %s", safe.Line(s.waiting), b.says(now))
		}
	}
	return text
}

// round is a limit for eyes: "90 s", "10 m".
func round(d time.Duration) string {
	switch {
	case d >= 2*time.Minute && d%time.Minute == 0:
		return fmt.Sprintf("%d m", int(d.Minutes()))
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Round(time.Second).Seconds()))
	}
	return seconds(d.Round(time.Second))
}
