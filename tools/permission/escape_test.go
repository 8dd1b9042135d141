package permission

import (
	"strings"
	"testing"

	"forge/tools"
)

// A command that wants out of the sandbox is asked about whatever the mode, the
// rules and the grants say of the command itself.
func TestEscapes(t *testing.T) {
	allowed, err := ParseRule(Allow, "run_bash(*)")
	if err != nil {
		t.Fatal(err)
	}
	call := tools.Call{Name: "run_bash"}
	for _, c := range []struct {
		mode    Mode
		command string
		escape  tools.Escape
		asks    bool
		allow   bool
		level   Level
		sandbox string
	}{
		{ModeAsk, "ls", tools.Confined, false, true, Low, ""},
		{ModeAsk, "ls", tools.Outside, true, true, High, "none for this run"},
		{ModeAsk, "go test ./...", tools.NetworkOpen, true, true, Medium, "landlock, network open"},
		{ModeAsk, "go test ./...", tools.Outside, true, true, High, "none for this run"},
		{ModeAuto, "go test ./...", tools.Confined, false, true, Low, ""},
		{ModeAuto, "go test ./...", tools.NetworkOpen, true, true, Medium, "landlock, network open"},
		{ModeAuto, "go test ./...", tools.Outside, true, true, High, "none for this run"},
		{ModePlan, "go test ./...", tools.NetworkOpen, false, false, Low, ""},
		{ModeYolo, "go test ./...", tools.Outside, false, true, Low, ""},
	} {
		s := &script{answers: []Answer{{Allow: true, Scope: ScopeSession}}}
		m := New(Options{Rules: []Rule{allowed}, Roots: []string{"/w"}, Asker: s, Mode: c.mode, Sandbox: "landlock, no network"})
		e := tools.Effect{Kind: tools.Exec, Command: c.command, Dir: "/w", Escape: c.escape, Detail: "it said: no route"}
		v, err := m.Authorize(t.Context(), call, e)
		if err != nil || v.Allow != c.allow || (len(s.asked) == 1) != c.asks {
			t.Errorf("%s %q %s: %+v %v, asked %d times", c.mode, c.command, c.escape, v, err, len(s.asked))
			continue
		}
		if !c.asks {
			continue
		}
		r := s.asked[0]
		why := r.Risks[len(r.Risks)-1].Reason
		if r.Level < c.level || r.Sandbox != c.sandbox || !strings.Contains(why, "it said: no route") || (len(r.Grants) > 0) != (r.Level < High && c.command != "ls") {
			t.Errorf("%s %q %s: %+v", c.mode, c.command, c.escape, r)
		}
	}
}

// An answer for the session holds for that command with the network open, not for
// the same command outside, and the other way round not either.
func TestEscapeGrants(t *testing.T) {
	s := &script{answers: []Answer{{Allow: true, Scope: ScopeSession}, {}}}
	m := New(Options{Roots: []string{"/w"}, Asker: s, Sandbox: "landlock, no network"})
	call := tools.Call{Name: "run_bash"}
	e := tools.Effect{Kind: tools.Exec, Command: "go test ./...", Dir: "/w", Escape: tools.NetworkOpen}
	for range 3 {
		if v, err := m.Authorize(t.Context(), call, e); err != nil || !v.Allow {
			t.Fatal(v, err)
		}
	}
	if len(s.asked) != 1 || len(s.asked[0].Grants) == 0 || !strings.HasSuffix(s.asked[0].Grants[0].Text, "with the network open") {
		t.Fatalf("%+v", s.asked)
	}
	e.Escape = tools.Outside
	if v, _ := m.Authorize(t.Context(), call, e); v.Allow || len(s.asked) != 2 {
		t.Errorf("the grant opens the sandbox: %+v", v)
	}
}
