package permission

import (
	"strings"
	"testing"

	"forge/tools"
)

// A call that would get a secret's value is asked about whatever the mode, the
// rules and the grants say of the call itself; yolo asks nothing, and tells the
// door so.
func TestValues(t *testing.T) {
	var rules []Rule
	for _, text := range []string{"run_bash(*)", "mcp__s__t"} {
		r, err := ParseRule(Allow, text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, r)
	}
	secret := []tools.Hidden{{Kind: "GitHub token", Placeholder: "SECRET_github_aaaaaaaaaa", Count: 1}}
	exec := tools.Effect{Kind: tools.Exec, Command: "psql SECRET_github_aaaaaaaaaa", Dir: "/w", Secrets: secret}
	reads := exec
	reads.Command = "cat SECRET_github_aaaaaaaaaa"
	remote := tools.Effect{Server: "s", Secrets: secret}
	believed := tools.Effect{Server: "s", Kind: tools.Read, Secrets: secret}
	write := tools.Effect{Kind: tools.Write, Paths: []string{"/w/a"}, Secrets: secret}
	for _, c := range []struct {
		name   string
		mode   Mode
		e      tools.Effect
		asks   bool
		allow  bool
		level  Level
		grants bool
	}{
		{"a command", ModeAsk, exec, true, true, Medium, true},
		{"a command", ModeAuto, exec, true, true, Medium, true},
		{"a command that reads", ModeAsk, reads, true, true, Medium, false},
		{"a command that reads", ModePlan, reads, false, false, Medium, false},
		{"a server", ModeAsk, remote, true, true, High, false},
		{"a server", ModeAuto, remote, true, true, High, false},
		{"a server", ModeYolo, remote, false, true, High, false},
		{"a server that only reads", ModeAsk, believed, true, true, High, false},
		{"a server that only reads", ModePlan, believed, true, true, High, false},
		{"a write", ModeEdits, write, false, true, Low, false},
	} {
		name := "run_bash"
		if c.e.Server != "" {
			name = "mcp__s__t"
		}
		s := &script{answers: []Answer{{Allow: true, Scope: ScopeSession}}}
		m := New(Options{Rules: rules, Roots: []string{"/w"}, Asker: s, Mode: c.mode})
		v, err := m.Authorize(t.Context(), tools.Call{Name: name}, c.e)
		if err != nil || v.Allow != c.allow || (len(s.asked) == 1) != c.asks || v.Asked != (c.asks && c.allow) {
			t.Errorf("%s in %s: %+v %v, asked %d times", c.name, c.mode, v, err, len(s.asked))
			continue
		}
		if !c.asks {
			continue
		}
		r := s.asked[0]
		why := r.Risks[len(r.Risks)-1].Reason
		if r.Level < c.level || !strings.Contains(why, "GitHub token (SECRET_github_aaaaaaaaaa)") || (len(r.Grants) > 0) != c.grants {
			t.Errorf("%s in %s: %+v", c.name, c.mode, r)
		}
		if !c.grants {
			continue
		}
		// What was granted holds for this secret, and for no other.
		if v, err := m.Authorize(t.Context(), tools.Call{Name: name}, c.e); err != nil || !v.Allow || len(s.asked) != 1 {
			t.Errorf("%s in %s is asked about again: %+v %v", c.name, c.mode, v, err)
		}
		s.answers = append(s.answers, Answer{})
		other := c.e
		other.Secrets = []tools.Hidden{{Kind: "password", Placeholder: "SECRET_password_bbbbbbbbbb"}}
		if v, err := m.Authorize(t.Context(), tools.Call{Name: name}, other); err != nil || v.Allow || len(s.asked) != 2 {
			t.Errorf("another secret in %s is not asked about: %+v %v", c.mode, v, err)
		}
	}
}
