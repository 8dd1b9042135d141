package permission

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"forge/tools"
)

// script is an Asker that answers in order and remembers what it was asked.
type script struct {
	answers []Answer
	asked   []Request
}

func (s *script) Ask(_ context.Context, r Request) (Answer, error) {
	s.asked = append(s.asked, r)
	if len(s.answers) == 0 {
		return Answer{}, errors.New("asked once too often")
	}
	a := s.answers[0]
	s.answers = s.answers[1:]
	return a, nil
}

func effect(kind tools.Kind, paths ...string) tools.Effect {
	e := tools.Effect{Kind: kind, Paths: paths}
	if kind == tools.Write {
		for _, p := range paths {
			e.Changes = append(e.Changes, tools.Change{Path: p, Op: tools.Modify})
		}
	}
	return e
}

func TestModesDecide(t *testing.T) {
	effects := map[string]tools.Effect{
		"read inside":    effect(tools.Read, "/w/a.go"),
		"read outside":   effect(tools.Read, "/etc/passwd"),
		"edit inside":    effect(tools.Write, "/w/ui/a.go"),
		"edit outside":   effect(tools.Write, "/etc/hosts"),
		"edit protected": effect(tools.Write, "/w/.git/config"),
		"sibling":        effect(tools.Write, "/workspace/a.go"),
		"todo":           {Kind: tools.Internal},
		"unknown":        {},
		"network":        {Kind: tools.Network},
	}
	want := map[Mode]map[string]string{
		ModeAsk: {"read inside": "allow", "read outside": "ask", "edit inside": "ask", "edit outside": "ask", "edit protected": "ask",
			"sibling": "ask", "todo": "allow", "unknown": "ask", "network": "ask"},
		ModeEdits: {"read inside": "allow", "read outside": "ask", "edit inside": "allow", "edit outside": "ask", "edit protected": "ask",
			"sibling": "ask", "todo": "allow", "unknown": "ask", "network": "ask"},
		ModePlan: {"read inside": "allow", "read outside": "ask", "edit inside": "deny", "edit outside": "deny", "edit protected": "deny",
			"sibling": "deny", "todo": "allow", "unknown": "deny", "network": "deny"},
		ModeAuto: {"read inside": "allow", "read outside": "allow", "edit inside": "allow", "edit outside": "ask", "edit protected": "ask",
			"sibling": "ask", "todo": "allow", "unknown": "ask", "network": "allow"},
		ModeYolo: {"read inside": "allow", "read outside": "allow", "edit inside": "allow", "edit outside": "allow", "edit protected": "allow",
			"sibling": "allow", "todo": "allow", "unknown": "allow", "network": "allow"},
	}
	for mode, row := range want {
		for name, decision := range row {
			s := &script{answers: []Answer{{Allow: false, Reason: "no"}}}
			m := New(Options{Roots: []string{"/w"}, Asker: s, Mode: mode,
				Protected: func(p string) bool { return strings.Contains(p, "/.git/") }})
			v, err := m.Authorize(t.Context(), tools.Call{Name: "t"}, effects[name])
			if err != nil {
				t.Fatal(err)
			}
			got := "deny"
			if len(s.asked) > 0 {
				got = "ask"
			} else if v.Allow {
				got = "allow"
			}
			if got != decision {
				t.Errorf("%s, %s: %s, want %s", mode, name, got, decision)
			}
			if !v.Allow && v.Reason == "" {
				t.Errorf("%s, %s: refused without a word for the model", mode, name)
			}
		}
	}
}

func TestSessionGrantCoversItsDirectoryAndNoOther(t *testing.T) {
	s := &script{answers: []Answer{{Allow: true, Scope: ScopeSession}, {Allow: true}, {Allow: true}}}
	m := New(Options{Roots: []string{"/w"}, Asker: s})
	for i, c := range []struct {
		path  string
		asked int
	}{{"/w/ui/a.go", 1}, {"/w/ui/b.go", 1}, {"/w/ui/deep/c.go", 2}, {"/w/d.go", 3}} {
		if v, err := m.Authorize(t.Context(), tools.Call{Name: "edit_file"}, effect(tools.Write, c.path)); err != nil || !v.Allow {
			t.Fatalf("%d: %v %v", i, v, err)
		}
		if len(s.asked) != c.asked {
			t.Fatalf("%s: asked %d times, want %d", c.path, len(s.asked), c.asked)
		}
	}
	if g := s.asked[0].Grants; len(g) != 1 || g[0].Text != "edit files in ui/" {
		t.Errorf("offered %v", g)
	}
	if got := m.Granted(); len(got) != 1 || got[0] != s.asked[0].Grants[0].Text {
		t.Errorf("stored %q, shown %q", got, s.asked[0].Grants[0].Text)
	}
}

func TestDenyRuleBeatsGrantAllowRuleAndYolo(t *testing.T) {
	var rules []Rule
	for _, r := range []struct {
		a Action
		s string
	}{{Deny, "edit(secret/**)"}, {Allow, "edit_file(**)"}, {Ask, "edit(docs/**)"}} {
		rule, err := ParseRule(r.a, r.s)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, rule)
	}
	s := &script{answers: []Answer{{Allow: true}}}
	m := New(Options{Roots: []string{"/w"}, Asker: s, Rules: rules})
	call := tools.Call{Name: "edit_file"}
	if v, _ := m.Authorize(t.Context(), call, effect(tools.Write, "/w/a.go")); !v.Allow || len(s.asked) != 0 {
		t.Error("the allow rule did not answer")
	}
	if v, _ := m.Authorize(t.Context(), call, effect(tools.Write, "/w/docs/a.md")); !v.Allow || len(s.asked) != 1 || s.asked[0].Rule != "ask edit_file(docs/**)" {
		t.Errorf("the ask rule did not ask: %+v", s.asked)
	}
	m.SetMode(ModeYolo)
	v, _ := m.Authorize(t.Context(), call, effect(tools.Write, "/w/a.go", "/w/secret/k"))
	if v.Allow || !strings.Contains(v.Reason, "deny edit_file(secret/**)") {
		t.Errorf("yolo let a denied path through: %+v", v)
	}
}

func TestAnswersReachTheModel(t *testing.T) {
	changes := []tools.Change{{Path: "a.go", After: []byte("half")}}
	s := &script{answers: []Answer{{Reason: "use tabs"}, {Allow: true, Reason: "kept one hunk", Changes: changes}, {Unattended: true, Reason: "alone"}}}
	m := New(Options{Roots: []string{"/w"}, Asker: s})
	e := effect(tools.Write, "/w/a.go")
	if v, _ := m.Authorize(t.Context(), tools.Call{}, e); v.Allow || v.Reason != "the user declined and says: use tabs" {
		t.Errorf("%+v", v)
	}
	if v, _ := m.Authorize(t.Context(), tools.Call{}, e); !v.Allow || string(v.Changes[0].After) != "half" || v.Reason != "the user says: kept one hunk" {
		t.Errorf("%+v", v)
	}
	if v, _ := m.Authorize(t.Context(), tools.Call{}, e); v.Allow || v.Reason != "alone" {
		t.Errorf("%+v", v)
	}
}

// slow is an Asker that holds its answer until released.
type slow struct {
	open    chan Request
	release chan Answer
}

func (s slow) Ask(ctx context.Context, r Request) (Answer, error) {
	s.open <- r
	select {
	case a := <-s.release:
		return a, nil
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
}

func TestOneQuestionAtATimeAndGrantsAreLookedAtAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := slow{make(chan Request), make(chan Answer)}
		m := New(Options{Roots: []string{"/w"}, Asker: s})
		done := make(chan bool, 3)
		edit := func() {
			v, err := m.Authorize(t.Context(), tools.Call{Name: "edit_file"}, effect(tools.Write, "/w/ui/a.go"))
			done <- err == nil && v.Allow
		}
		go edit()
		<-s.open // the first question is open; the rest come behind it
		go edit()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := m.Authorize(ctx, tools.Call{Name: "x"}, tools.Effect{})
			done <- errors.Is(err, context.Canceled)
		}()
		synctest.Wait()
		select {
		case r := <-s.open:
			t.Fatalf("a second question is open: %+v", r)
		default:
		}
		cancel() // one that waits for its turn leaves at once
		if !<-done {
			t.Fatal("the waiting call did not end with its context")
		}
		s.release <- Answer{Allow: true, Scope: ScopeSession}
		if first, second := <-done, <-done; !first || !second { // the second is covered by the answer to the first
			t.Fatal("a call was not allowed")
		}
	})
}

func TestRefuseSaysWhy(t *testing.T) {
	m := New(Options{Roots: []string{"/w"}, Asker: Refuse{}})
	v, err := m.Authorize(t.Context(), tools.Call{}, effect(tools.Write, "/w/a"))
	if err != nil || v.Allow || !strings.Contains(v.Reason, "nobody is there") {
		t.Errorf("%+v %v", v, err)
	}
}

func TestParseRule(t *testing.T) {
	for text, want := range map[string]string{
		"bash(go test *)":     "allow run_bash(go test *)",
		"mcp__fs__read_file":  "allow mcp__fs__read_file",
		"Edit( ui/** )":       "allow edit_file(ui/**)",
		"*":                   "",
		"run_bash(rm -rf (x)": "allow run_bash(rm -rf (x)",
		"run bash(x)":         "",
		"":                    "",
	} {
		r, err := ParseRule(Allow, text)
		if text == "*" {
			if err != nil || r.Tool != "*" {
				t.Errorf("*: %v %v", r, err)
			}
			continue
		}
		if want == "" {
			if err == nil {
				t.Errorf("%q parsed as %v", text, r)
			}
			continue
		}
		if err != nil || r.String() != want {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
}

// The options of a program do not hide what it is asked to do.
func TestOptionsDoNotHideFromADenyRule(t *testing.T) {
	r, err := ParseRule(Deny, "run_bash(git push *)")
	if err != nil {
		t.Fatal(err)
	}
	m := New(Options{Roots: []string{"/w"}, Rules: []Rule{r}, Mode: ModeYolo})
	for line, want := range map[string]bool{
		"git push": true, "git push origin": true, "git -C . push origin": true, "git --no-pager push": true,
		"git -c a.b=c --git-dir .git push -f": true, "env A=b git -C sub push": true, "git -C . status && git -P push": true,
		"git status": false, "git -C . status": false, "git log --grep push": false, "git stash push": false, "git -C . stash push": false,
	} {
		v, err := m.Authorize(t.Context(), tools.Call{Name: "run_bash"}, tools.Effect{Kind: tools.Exec, Command: line, Dir: "/w"})
		if err != nil || v.Allow == want {
			t.Errorf("%s: %+v %v", line, v, err)
		}
	}
}

func TestWildcard(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"go test *", "go test", true}, {"go test *", "go test ./...", true}, {"go test *", "go testx", false},
		{"*", "", true}, {"a*b*c", "aXbYc", true}, {"a*b*c", "acb", false}, {"git push", "git push -f", false},
		{"*rm*", "x rm y", true}, {"a*a", "a", false},
	} {
		if got := wildcard(c.pattern, c.s); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.s, got)
		}
	}
}

func TestNextModeNeverEntersYolo(t *testing.T) {
	m := ModeAsk
	var seen []string
	for range 4 {
		m = m.Next()
		seen = append(seen, string(m))
	}
	if got := strings.Join(seen, " "); got != "edits plan auto ask" {
		t.Error(got)
	}
	if ModeYolo.Next() != ModeAsk {
		t.Error("yolo goes to", ModeYolo.Next())
	}
}

func TestOnlyWhatRunsUnaskedGetsTheReadersEnvironment(t *testing.T) {
	dir := t.TempDir()
	m := New(Options{Roots: []string{dir}, Asker: &script{answers: []Answer{{Allow: true}}}})
	read := tools.Effect{Kind: tools.Exec, Command: "ls", Dir: dir}
	v, err := m.Authorize(t.Context(), tools.Call{Name: "run_bash"}, read)
	if err != nil || !v.Allow || !strings.Contains(strings.Join(v.Env, " "), "GOTOOLCHAIN=local") || !strings.Contains(strings.Join(v.Env, " "), "core.fsmonitor") {
		t.Errorf("ls: %+v %v", v, err)
	}
	asked := tools.Effect{Kind: tools.Exec, Command: "git commit -m x", Dir: dir}
	if v, err := m.Authorize(t.Context(), tools.Call{Name: "run_bash"}, asked); err != nil || !v.Allow || v.Env != nil {
		t.Errorf("a command that was asked about: %+v %v", v, err)
	}
}

func TestCriticalIsRefusedWhereNobodyWatches(t *testing.T) {
	dir := t.TempDir()
	e := tools.Effect{Kind: tools.Exec, Command: "sudo rm -rf /", Dir: dir}
	for _, unattended := range []bool{false, true} {
		s := &script{answers: []Answer{{Allow: true, Scope: ScopeSession}}}
		m := New(Options{Roots: []string{dir}, Mode: ModeYolo, Unattended: unattended, Asker: s})
		v, err := m.Authorize(t.Context(), tools.Call{Name: "run_bash"}, e)
		if err != nil || v.Allow == unattended || unattended && !strings.Contains(v.Reason, "CRITICAL") {
			t.Errorf("unattended %v: %+v %v", unattended, v, err)
		}
		if asked := len(s.asked) == 1; asked == unattended || len(m.Granted()) > 0 {
			t.Errorf("unattended %v: asked %d times, kept %q", unattended, len(s.asked), m.Granted())
		}
	}
}

// What a run nobody watches names as a way is a way: with it the call is not
// asked about.
func TestTheWayLeadsOn(t *testing.T) {
	rule, err := ParseRule(Ask, "run_bash(make *)")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		effect tools.Effect
		want   string
		modes  []Mode // that let it run
	}{
		{tools.Effect{Kind: tools.Exec, Command: "touch /w/new"}, "--mode auto, a rule in the settings, or --yolo", []Mode{ModeAuto, ModeYolo}},
		{tools.Effect{Kind: tools.Exec, Command: "make x"}, "--yolo, or without the rule " + rule.String(), []Mode{ModeYolo}},
		{tools.Effect{Kind: tools.Exec, Command: "rm -rf src"}, "--yolo, which asks nothing: this is HIGH", []Mode{ModeYolo}},
		{tools.Effect{Kind: tools.Write, Paths: []string{"/w/a"}}, "--mode edits, a rule in the settings, or --yolo", []Mode{ModeEdits, ModeAuto, ModeYolo}},
		{tools.Effect{Kind: tools.Write, Paths: []string{"/w/a"}, Changes: []tools.Change{{Path: "/w/a", Op: tools.Delete}}}, "--mode edits, a rule in the settings, or --yolo", []Mode{ModeEdits, ModeAuto, ModeYolo}},
		{tools.Effect{Kind: tools.Write, Paths: []string{"/w/a"}, Changes: []tools.Change{{Path: "/w/a", Op: tools.Delete, Thing: tools.Folder}}}, "--mode auto, a rule in the settings, or --yolo", []Mode{ModeAuto, ModeYolo}},
		{tools.Effect{}, "a rule in the settings, or --yolo", []Mode{ModeYolo}},
	} {
		var ways []string
		m := New(Options{Roots: []string{"/w"}, Rules: []Rule{rule}, Unattended: true, Asker: Refuse{Asked: func(q Request) { ways = append(ways, q.Way("")) }}})
		for _, mode := range []Mode{ModeAsk, ModeEdits, ModeAuto, ModeYolo} {
			m.SetMode(mode)
			ways = nil
			v, err := m.Authorize(t.Context(), tools.Call{ID: "1", Name: "run_bash"}, c.effect)
			if err != nil || v.Allow != slices.Contains(c.modes, mode) {
				t.Errorf("%+v in mode %s: %+v %v", c.effect, mode, v, err)
			}
			if !v.Allow && !slices.Equal(ways, []string{c.want}) {
				t.Errorf("%+v in mode %s is told %q, want %q", c.effect, mode, ways, c.want)
			}
		}
	}
}

// Under a policy the way names no mode that the policy forbids.
func TestTheWayUnderAPolicy(t *testing.T) {
	rule, write := "ask run_bash(make *)", tools.Effect{Kind: tools.Write, Paths: []string{"/w/a"}}
	run := tools.Effect{Kind: tools.Exec, Command: "touch /w/new"}
	for _, c := range []struct {
		q         Request
		strictest Mode
		want      string
	}{
		{Request{Level: High, Effect: run}, ModeAuto, "another policy of this machine: it lets nobody have --yolo, and this is HIGH"},
		{Request{Rule: rule, Effect: run}, ModeAuto, "settings without the rule " + rule},
		{Request{Level: Medium, Effect: run}, ModeAuto, "--mode auto, or a rule in the settings"},
		{Request{Level: Medium, Effect: run}, ModeEdits, "a rule in the settings"},
		{Request{Level: Low, Effect: write}, ModeEdits, "--mode edits, or a rule in the settings"},
		{Request{Level: Low, Effect: write}, ModeAsk, "a rule in the settings"},
		{Request{}, ModeAuto, "a rule in the settings"},
		{Request{Level: High, Effect: run}, ModeYolo, "--yolo, which asks nothing: this is HIGH"},
	} {
		if got := c.q.Way(c.strictest); got != c.want {
			t.Errorf("%+v under %s: %q, want %q", c.q, c.strictest, got, c.want)
		}
	}
}
