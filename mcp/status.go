package mcp

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"forge/sorting"
)

// State is where a server is in its life.
type State string

// The states.
const (
	Disabled   State = "disabled"    // by the configuration, or by the person
	Unapproved State = "unapproved"  // a project's, and nobody said yes to its command
	Idle       State = "idle"        // lazy: its tools are known, the first call starts it
	Starting   State = "starting"    // it is being started or connected to
	Ready      State = "ready"       // its tools can be called
	NeedsLogin State = "needs-login" // it wants a login first
	Failed     State = "failed"      // Reason says why, and what happens next
	Stopped    State = "stopped"     // forge is leaving
)

// ByYou is why a tool is off that the person switched off.
const ByYou = "by you"

// Status is all there is to know of a server. It is the one source of truth for
// whoever shows servers.
type Status struct {
	Name    string
	State   State
	Reason  string // one line; empty where the state says all
	Since   time.Time
	About   About
	Command string // or the URL, as configured: references are not replaced
	Source  Source
	Latency time.Duration // of the last answer
	Starts  int           // how often it was started
	Tools   []ToolStatus
	Tokens  int // what its active tools cost each request, about
	Defer   bool
	Notes   []string // what is odd about its configuration or its tools
	Changes []Change // what waits for an approval
	Stderr  string   // the end of what it wrote to its error stream, and of our remarks
	Frames  []Frame  // the last messages
	LogFile string
}

// ToolStatus is one tool of a server.
type ToolStatus struct {
	Name        string // as the model sees it
	Remote      string // as the server has it
	Description string
	Tokens      int
	On          bool
	Why         string   // why it is off
	Warnings    []string // what is suspicious in its definition
	ReadOnly    bool     // by its server's word
}

// status tells what is known; full: with what is long.
func (s *server) status(full bool) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{Name: s.name, State: s.state, Reason: s.reason, Since: s.since, About: s.about, Command: s.cfg.Line(), Source: s.cfg.Source,
		Starts: s.starts, Notes: slices.Clone(s.notes), Changes: slices.Clone(s.changes), Defer: s.deferred, LogFile: s.logFile()}
	there := s.state == Ready || s.state == Idle || s.state == Failed && strings.Contains(s.reason, "trying again")
	offered := s.offered
	if s.state == Idle {
		offered = s.manifest.remembered()
	}
	held := map[string]bool{}
	for _, c := range s.changes {
		if c.Tool != "" {
			held[c.Tool] = true
		}
	}
	for _, t := range offered {
		ts := ToolStatus{Name: s.names[t.Name], Remote: t.Name, Description: describe(s.name, t), ReadOnly: t.Hints.ReadOnly, On: there, Warnings: scan(t)}
		ts.Tokens = tokens(ts.Name, ts.Description, t.Input)
		switch {
		case t.Broken != "":
			ts.On, ts.Why, ts.Tokens, ts.Description = false, t.Broken, 0, ""
		case held[t.Name]:
			ts.On, ts.Why = false, "its definition is not the one that was approved"
		case s.refused[t.Name] != "":
			ts.On, ts.Why = false, s.refused[t.Name]
		case !there:
			ts.Why = "the server is " + string(s.state)
		}
		if ts.On && !s.deferred {
			st.Tokens += ts.Tokens
		}
		st.Tools = append(st.Tools, ts)
	}
	sorting.By(st.Tools, func(a, b ToolStatus) int { return strings.Compare(a.Remote, b.Remote) })
	st.Frames, st.Latency = s.trace.last()
	if !full {
		st.Frames = nil
		return st
	}
	st.Stderr = clean(s.log.String())
	return st
}

// Line is the command or the address as it was configured, quoted so that it can be
// read as one.
func (c ServerConfig) Line() string {
	if !c.Local() {
		if u, err := url.Parse(c.URL); err == nil && u.User != nil {
			return u.Redacted() // it is shown and logged
		}
		return c.URL
	}
	words := []string{quoteWord(c.Command)}
	for _, a := range c.Args {
		words = append(words, quoteWord(a))
	}
	return strings.Join(words, " ")
}

func quoteWord(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,~", r))
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
