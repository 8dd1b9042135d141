package permission

import (
	"strings"
	"testing"

	"forge/tools"
)

// taking is the effect of a tool that deletes or moves.
func taking(op tools.Op, thing tools.Thing, paths ...string) tools.Effect {
	return tools.Effect{Kind: tools.Write, Paths: paths, Changes: []tools.Change{{Path: "x", Op: op, Thing: thing, Files: len(paths)}}}
}

func TestModesDecideAboutWhatGoes(t *testing.T) {
	lost := taking(tools.Delete, tools.Large, "/w/big")
	lost.Changes[0].Lost = 1
	for name, c := range map[string]struct {
		effect tools.Effect
		want   string // in the modes ask, edits, plan, auto
		level  Level
	}{
		"a file":                   {taking(tools.Delete, tools.Text, "/w/a.go"), "ask allow deny allow", Low},
		"a binary":                 {taking(tools.Delete, tools.Binary, "/w/a.png"), "ask allow deny allow", Low},
		"a link":                   {taking(tools.Delete, tools.Link, "/w/l"), "ask allow deny allow", Low},
		"a folder":                 {taking(tools.Delete, tools.Folder, "/w/d", "/w/d/a"), "ask ask deny allow", Medium},
		"what undo cannot keep":    {lost, "ask ask deny allow", Medium},
		"a protected file":         {taking(tools.Delete, tools.Text, "/w/.git/config"), "ask ask deny ask", High},
		"a protected one in it":    {taking(tools.Delete, tools.Folder, "/w/d", "/w/d/.git", "/w/d/.git/config"), "ask ask deny ask", High},
		"a file, moved":            {taking(tools.Move, tools.Text, "/w/a", "/w/b"), "ask allow deny allow", Low},
		"a folder, moved":          {taking(tools.Move, tools.Folder, "/w/d", "/w/e"), "ask allow deny allow", Low},
		"moved to a protected one": {taking(tools.Move, tools.Text, "/w/a", "/w/.git/hooks/x"), "ask ask deny ask", High},
		"moved from one":           {taking(tools.Move, tools.Folder, "/w/.git", "/w/g"), "ask ask deny ask", High},
		"moved outside":            {taking(tools.Move, tools.Text, "/w/a", "/x/a"), "ask ask deny ask", High},
	} {
		var got []string
		for _, mode := range []Mode{ModeAsk, ModeEdits, ModePlan, ModeAuto} {
			s := &script{answers: []Answer{{}}}
			m := New(Options{Roots: []string{"/w"}, Mode: mode, Asker: s, Protected: func(p string) bool { return strings.Contains(p, "/.git") }})
			v, err := m.Authorize(t.Context(), tools.Call{Name: "delete_file"}, c.effect)
			switch {
			case err != nil:
				t.Fatal(err)
			case v.Allow:
				got = append(got, "allow")
			case len(s.asked) == 0:
				got = append(got, "deny")
			default:
				got = append(got, "ask")
				if s.asked[0].Level != c.level {
					t.Errorf("%s: %s, want %s: %v", name, s.asked[0].Level, c.level, s.asked[0].Risks)
				}
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Who lets files be edited says nothing of files that go, and a folder that goes is
// asked about each time; a rule of the person's may cover all of it.
func TestGrantsForWhatGoes(t *testing.T) {
	session := Answer{Allow: true, Scope: ScopeSession}
	s := &script{answers: []Answer{session, session, {Allow: true}, {Allow: true}, {Allow: true}}}
	m := New(Options{Roots: []string{"/w"}, Asker: s})
	call := func(e tools.Effect) (asked bool) {
		t.Helper()
		n := len(s.asked)
		if v, err := m.Authorize(t.Context(), tools.Call{Name: "t"}, e); err != nil || !v.Allow {
			t.Fatalf("%+v %v", v, err)
		}
		return len(s.asked) > n
	}
	for i, c := range []struct {
		e     tools.Effect
		asked bool
		grant string
	}{
		{effect(tools.Write, "/w/ui/a"), true, "edit files in ui/"},
		{taking(tools.Move, tools.Text, "/w/ui/a", "/w/ui/b"), false, ""},
		{taking(tools.Delete, tools.Text, "/w/ui/b"), true, "delete files in ui/"},
		{taking(tools.Delete, tools.Text, "/w/ui/c"), false, ""},
		{taking(tools.Delete, tools.Folder, "/w/ui/d", "/w/ui/d/x"), true, ""},
		{taking(tools.Delete, tools.Folder, "/w/ui/d", "/w/ui/d/x"), true, ""},
		{taking(tools.Move, tools.Folder, "/w/ui/d", "/w/ui/e"), true, ""},
	} {
		if asked := call(c.e); asked != c.asked {
			t.Fatalf("%d: asked %v", i, asked)
		}
		if c.asked {
			gs := s.asked[len(s.asked)-1].Grants
			if len(gs) != 0 != (c.grant != "") || c.grant != "" && gs[0].Text != c.grant {
				t.Errorf("%d: offered %q, want %q", i, gs, c.grant)
			}
		}
	}
	if got := strings.Join(m.Granted(), ", "); got != "delete files in ui/, edit files in ui/" {
		t.Errorf("granted %s", got)
	}
	rule, err := ParseRule(Allow, "t(build/**)")
	if err != nil {
		t.Fatal(err)
	}
	m = New(Options{Roots: []string{"/w"}, Rules: []Rule{rule}, Asker: s})
	s.answers = []Answer{{Allow: true}}
	if call(taking(tools.Delete, tools.Folder, "/w/build", "/w/build/x")) {
		t.Error("asked about what a rule covers")
	}
	if !call(taking(tools.Move, tools.Folder, "/w/build", "/w/out")) {
		t.Error("not asked about what a rule covers in part")
	}
}

// A server's tool is asked about whatever the server says of it, and the reason is true:
// that nobody here knows, or that a word of the server's does not count.
func TestAServersWordIsNamedAndCountsForNothing(t *testing.T) {
	for want, e := range map[string]tools.Effect{
		"does not say what it does":                                               {},
		"only its server knows what it does":                                      {Server: "files"},
		`says that it only reads, which counts once its server has "trust": true`: {Server: "files", Claims: tools.Read},
	} {
		s := &script{answers: []Answer{{}}}
		m := New(Options{Roots: []string{"/w"}, Asker: s})
		if _, err := m.Authorize(t.Context(), tools.Call{Name: "mcp__files__x"}, e); err != nil {
			t.Fatal(err)
		}
		if len(s.asked) != 1 || s.asked[0].Level != Medium || len(s.asked[0].Risks) != 1 || s.asked[0].Risks[0].Reason != want {
			t.Errorf("%+v: asked %+v, want %q", e, s.asked, want)
		}
	}
}
