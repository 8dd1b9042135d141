package permission

import (
	"testing"

	"forge/tools"
)

// What was granted is taken back by the words it was shown in, and a rule is dropped
// for the session.
func TestRevoke(t *testing.T) {
	dir := t.TempDir()
	m := New(Options{Roots: []string{dir}, Rules: []Rule{{Action: Deny, Tool: "grep", Tier: TierProject}, {Action: Ask, Tool: "glob", Tier: TierUser}}})
	ns, _ := m.needs(tools.Call{Name: "use_it"}, tools.Effect{Kind: tools.Unknown}, Analysis{})
	m.keep([]Grant{ns[0].grant})
	granted := m.Granted()
	if len(granted) != 1 || granted[0] != "use use_it" {
		t.Fatalf("%q", granted)
	}
	if m.Revoke("use other") || !m.Revoke("use use_it") || len(m.Granted()) != 0 || m.Revoke("use use_it") {
		t.Errorf("%q", m.Granted())
	}
	m.Drop(Rule{Action: Deny, Tool: "grep"})
	m.Drop(Rule{Action: Ask, Tool: "glob"})
	if left := m.current(); len(left) != 1 || left[0].Tool != "grep" {
		t.Errorf("%v: a project's rule stays, the person's goes", left)
	}
}
