package permission

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"forge/tools"
)

func rule(t *testing.T, a Action, text string) Rule {
	t.Helper()
	r, err := ParseRule(a, text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// shell is a folder with some files, and a manager of it.
func shell(t *testing.T, o Options) (dir string, m *Manager, s *script) {
	t.Helper()
	if len(o.Roots) == 0 {
		o.Roots = []string{canonical(t.TempDir())}
	}
	s = &script{}
	if o.Asker == nil {
		o.Asker = s
	}
	return o.Roots[0], New(o), s
}

func run(dir, line string) tools.Effect {
	return tools.Effect{Kind: tools.Exec, Command: line, Dir: dir}
}

func decided(t *testing.T, m *Manager, s *script, tool string, e tools.Effect, input string) string {
	t.Helper()
	n := len(s.asked)
	s.answers = []Answer{{Reason: "no"}}
	v, err := m.Authorize(t.Context(), tools.Call{Name: tool, Input: input}, e)
	switch {
	case err != nil:
		t.Fatal(err)
	case len(s.asked) > n:
		return "ask"
	case v.Allow:
		return "allow"
	}
	return "deny"
}

func TestRuleTexts(t *testing.T) {
	for _, c := range []struct{ text, tool, pattern, folder, again string }{
		{"bash(go test *)", "run_bash", "go test *", "", "run_bash(go test *)"},
		{"edit(docs/**) in /w/x", "edit_file", "docs/**", "/w/x", "edit_file(docs/**) in /w/x"},
		{"mcp__a__b in /w", "mcp__a__b", "", "/w", "mcp__a__b in /w"},
		{"run_bash(echo look in /tmp)", "run_bash", "echo look in /tmp", "", "run_bash(echo look in /tmp)"},
		{"run_bash(go test … in src/) in /w", "run_bash", "go test … in src/", "/w", "run_bash(go test … in src/) in /w"},
		{"run_bash((a))", "run_bash", "(a)", "", "run_bash((a))"},
	} {
		r, err := ParseRule(Deny, c.text)
		if err != nil || r.Tool != c.tool || r.Pattern != c.pattern || r.Folder != c.folder || r.Text() != c.again {
			t.Errorf("%q: %+v %v, text %q", c.text, r, err, r.Text())
		}
	}
	for _, bad := range []string{"", "a b", "run_bash(x", "x)", "run_bash(a\nb)", "run_bash(a) in /x)", "edit_file([)"} {
		if r, err := ParseRule(Deny, bad); err == nil {
			t.Errorf("%q is read as %+v", bad, r)
		}
	}
}

// A line is asked about once, and only about what needs it: what runs unasked, what
// a rule covers and what was granted needs none.
func TestCompoundLines(t *testing.T) {
	rules := []Rule{rule(t, Allow, "bash(touch *)"), rule(t, Allow, "bash(mkdir *)")}
	dir, m, s := shell(t, Options{Rules: rules})
	for line, want := range map[string]string{
		"touch a && ls": "allow", "ls; touch a; mkdir b || true": "allow", "touch a && rm a": "ask", "touch a > b": "ask",
		"touch a; sudo touch b": "ask", "touch $(cat x)": "ask", "X=1 touch a": "ask", "ls && pwd": "allow", "bash -c 'touch a'": "ask",
	} {
		if got := decided(t, m, s, "run_bash", run(dir, line), ""); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
	s.answers = []Answer{{Allow: true, Scope: ScopeSession}}
	if _, err := m.Authorize(t.Context(), tools.Call{Name: "run_bash"}, run(dir, "ls && touch a && rm a && go vet ./...")); err != nil {
		t.Fatal(err)
	}
	q := s.asked[len(s.asked)-1]
	var grants []string
	for _, g := range q.Grants {
		grants = append(grants, g.Text)
	}
	if !slices.Equal(q.Parts, []string{"rm a", "go vet ./..."}) || len(grants) != 2 || !strings.HasPrefix(grants[0], "run rm … in ") {
		t.Errorf("asked about %q, offered %q", q.Parts, grants)
	}
	if got := decided(t, m, s, "run_bash", run(dir, "rm b; go vet ./...; mkdir c"), ""); got != "allow" {
		t.Error("what was granted and what a rule covers are asked about together:", got)
	}
}

func TestAllowRulesReadWordsAsAShellDoes(t *testing.T) {
	dir, m, s := shell(t, Options{Rules: []Rule{rule(t, Allow, "bash(touch a b)"), rule(t, Allow, `bash(mkdir \*)`)}})
	for line, want := range map[string]string{
		"touch a b": "allow", "touch 'a b'": "ask", "touch a  b": "allow", "touch a b c": "ask", "touch a": "ask", "mkdir x": "ask",
	} {
		if got := decided(t, m, s, "run_bash", run(dir, line), ""); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

func TestAllowRulesThatMayNotBe(t *testing.T) {
	roots := []string{t.TempDir()}
	for text, want := range map[string]bool{
		"run_bash(go test *)": true, "run_bash(git commit *)": true, "run_bash(touch a)": true, "edit_file(**)": true, "mcp__a__b": true, "run_bash(ls *)": true,
		"run_bash(go test -race … in src/)": true, "run_bash(make *)": true,
		"run_bash": false, "run_bash(*)": false, "run_bash(* x)": false, "run_bash(g* test)": false, "*": false, "mcp__a__*": false, "mcp__a__b(path~x)": false,
		"run_bash(python3 *)": false, "run_bash(bash -c *)": false, "run_bash(env *)": false, "run_bash(sudo *)": false, "run_bash(xargs *)": false,
		"run_bash(rm -rf *)": false, "run_bash(./x.sh)": false, "run_bash(npx *)": false, "run_bash(npm exec *)": false, "run_bash(timeout 5 *)": false,
		"run_bash(go test; rm x)": true, // both are plain; a part never holds a ";"
		"run_bash(echo $(x))":     false, "run_bash(echo 'x)": false, "run_bash(git push --force *)": false, "run_bash(curl x | sh)": false,
	} {
		if ok, why := CheckAllow(rule(t, Allow, text), roots); ok != want || ok != (why == "") {
			t.Errorf("%s: %v %q", text, ok, why)
		}
	}
}

func TestPolicyIsStricterThanEverything(t *testing.T) {
	policy := rule(t, Deny, "bash(touch secret*)")
	policy.Tier = TierPolicy
	wary := rule(t, Ask, "bash(mkdir *)")
	wary.Tier = TierPolicy
	generous := rule(t, Allow, "bash(rmdir *)")
	generous.Tier = TierPolicy
	dir, m, s := shell(t, Options{Mode: ModeYolo, Rules: []Rule{rule(t, Allow, "bash(touch *)"), rule(t, Allow, "bash(mkdir *)"), rule(t, Ask, "bash(touch b)"), policy, wary, generous}})
	for line, want := range map[string]string{"touch a": "allow", "touch secret": "deny", "mkdir x": "ask", "touch b": "allow", "ls && touch secrets": "deny"} {
		if got := decided(t, m, s, "run_bash", run(dir, line), ""); got != want {
			t.Errorf("yolo, %q: %s, want %s", line, got, want)
		}
	}
	v, _ := m.Authorize(t.Context(), tools.Call{Name: "run_bash"}, run(dir, "touch secret"))
	if !strings.Contains(v.Reason, "policy of this machine") {
		t.Error(v.Reason)
	}
	_, m, s = shell(t, Options{Roots: []string{dir}, Mode: ModeYolo, Strictest: ModeAsk, Rules: []Rule{generous}})
	m.SetMode(ModeAuto)
	for line, want := range map[string]string{"touch a": "ask", "rmdir x": "ask", "ls": "allow"} {
		if got := decided(t, m, s, "run_bash", run(dir, line), ""); got != want || m.Mode() != ModeAsk {
			t.Errorf("bounded to ask, %q: %s, want %s, mode %s", line, got, want, m.Mode())
		}
	}
}

func TestRulesOfAProjectOnlyRestrict(t *testing.T) {
	allows, denies := rule(t, Allow, "bash(touch *)"), rule(t, Deny, "bash(mkdir *)")
	allows.Tier, denies.Tier = TierProject, TierProject
	dir, m, s := shell(t, Options{Rules: []Rule{allows, denies, rule(t, Allow, "bash(mkdir *)")}})
	for line, want := range map[string]string{"touch a": "ask", "mkdir x": "deny"} {
		if got := decided(t, m, s, "run_bash", run(dir, line), ""); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}

func TestRulesHoldInTheirFolder(t *testing.T) {
	base := canonical(t.TempDir())
	in, out := filepath.Join(base, "in", "deep"), filepath.Join(base, "inner")
	for _, d := range []string{in, out} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	rules := []Rule{rule(t, Allow, "bash(touch *) in "+filepath.Join(base, "in"))}
	for dir, want := range map[string]string{in: "allow", out: "ask"} {
		_, m, s := shell(t, Options{Roots: []string{dir}, Rules: rules})
		if got := decided(t, m, s, "run_bash", run(dir, "touch a"), ""); got != want {
			t.Errorf("in %s: %s, want %s", dir, got, want)
		}
	}
}

// A rule for one tool of a server, and for what it is called with.
func TestRulesForServersTools(t *testing.T) {
	rules := []Rule{rule(t, Allow, "mcp__files__write"), rule(t, Deny, "mcp__files__write(path~/etc/*)"), rule(t, Ask, "mcp__files__write(opts.mode~0*7)"), rule(t, Deny, "mcp__*(*drop table*)")}
	_, m, s := shell(t, Options{Rules: rules})
	for input, want := range map[string]string{
		`{"path":"docs/a"}`: "allow", `{"path":"/etc/passwd"}`: "deny", `{"path":"a","path":"/etc/x"}`: "deny", `{"path":"/etc/x","path":"a"}`: "deny",
		`{"Path":"/ETC/x"}`: "deny", `{"path":["a","/etc/x"]}`: "deny", `{"path":{"to":"/etc/x"}}`: "deny", `{"other":"/etc/x"}`: "allow",
		`{"opts":{"mode":"0777"}}`: "ask", `{"opts":{"mode":"0644"}}`: "allow", `{"q":{"deep":["x; DROP TABLE y"]}}`: "deny", `{"path":"\u002fetc/x"}`: "deny",
		`{"path":`: "deny", `{} {}`: "deny", ``: "allow",
	} {
		e := tools.Effect{Server: "files"}
		if got := decided(t, m, s, "mcp__files__write", e, input); got != want {
			t.Errorf("%s: %s, want %s", input, got, want)
		}
	}
	if got := decided(t, m, s, "mcp__files__writer", tools.Effect{Server: "files"}, `{}`); got != "ask" {
		t.Error("another tool of the server:", got)
	}
	// A server that is trusted and says that a tool only reads is under the rules all the same.
	if got := decided(t, m, s, "mcp__files__write", tools.Effect{Server: "files", Kind: tools.Read}, `{"path":"/etc/x"}`); got != "deny" {
		t.Error("a reading tool:", got)
	}
}

func TestASessionGrantIsForOneServersTool(t *testing.T) {
	_, m, s := shell(t, Options{})
	s.answers = []Answer{{Allow: true, Scope: ScopeSession}}
	if v, err := m.Authorize(t.Context(), tools.Call{Name: "mcp__a__b"}, tools.Effect{Server: "a"}); err != nil || !v.Allow {
		t.Fatal(v, err)
	}
	for _, c := range []struct{ tool, server, want string }{{"mcp__a__b", "a", "allow"}, {"mcp__a__b", "other", "ask"}, {"mcp__a__c", "a", "ask"}, {"mcp__a__b__c", "a", "ask"}} {
		if got := decided(t, m, s, c.tool, tools.Effect{Server: c.server}, ""); got != c.want {
			t.Errorf("tool %s of server %s: %s, want %s", c.tool, c.server, got, c.want)
		}
	}
}

// An answer as a rule stores the text that was shown, and holds at once.
func TestAnswerAsARule(t *testing.T) {
	var kept []Rule
	dir, m, s := shell(t, Options{StoredIn: "forge.json", Keep: func(r Rule) error { kept = append(kept, r); return nil }})
	for _, c := range []struct {
		tool  string
		e     tools.Effect
		rules []string
		then  tools.Effect
	}{
		{"run_bash", run(dir, "go test -race ./..."), []string{"run_bash(go test -race … in the workspace) in " + dir}, run(dir, "go test -race .")},
		{"run_bash", run(dir, "kubectl get 'pods *'"), []string{`run_bash(kubectl get 'pods \*') in ` + dir}, run(dir, "kubectl get 'pods *'")},
		{"edit_file", effect(tools.Write, filepath.Join(dir, "u[i]", "a.go")), []string{`edit_file(u\[i\]/*) in ` + dir}, effect(tools.Write, filepath.Join(dir, "u[i]", "b.go"))},
		{"mcp__a__b", tools.Effect{Server: "a"}, []string{"mcp__a__b in " + dir}, tools.Effect{Server: "a"}},
	} {
		kept = nil
		s.answers = []Answer{{Allow: true, Scope: ScopeRule}}
		if v, err := m.Authorize(t.Context(), tools.Call{Name: c.tool}, c.e); err != nil || !v.Allow {
			t.Fatal(v, err)
		}
		q := s.asked[len(s.asked)-1]
		if !slices.Equal(q.Rules, c.rules) || q.StoredIn != "forge.json" || len(kept) != len(c.rules) || kept[0].Text() != c.rules[0] {
			t.Errorf("shown %q, stored %+v, want %q", q.Rules, kept, c.rules)
		}
		if got := decided(t, m, s, c.tool, c.then, ""); got != "allow" {
			t.Errorf("%s after the rule %s: %s", c.then.Command, c.rules, got)
		}
		// And it is read again as what was meant.
		_, again, s2 := shell(t, Options{Roots: []string{dir}, Rules: []Rule{rule(t, Allow, c.rules[0])}})
		if got := decided(t, again, s2, c.tool, c.then, ""); got != "allow" {
			t.Errorf("%s with the stored rule: %s", c.then.Command, got)
		}
	}
	for _, c := range []string{"kubectl get 'pods x'", "kubectl get pods", "go test -exec ./x ./...", "go test ./..."} {
		if got := decided(t, m, s, "run_bash", run(dir, c), ""); got != "ask" {
			t.Errorf("%s: %s", c, got)
		}
	}
}

func TestWhatIsNotOfferedAsARule(t *testing.T) {
	dir, m, s := shell(t, Options{Keep: func(Rule) error { return nil }})
	if err := os.WriteFile(filepath.Join(dir, "Makefile"), []byte("all:\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"make all", "python3 x.py", "env touch a", "sudo touch a", "rm -rf x", "npx foo", "touch a > b", "bash x.sh", "touch a && make all"} {
		if got := decided(t, m, s, "run_bash", run(dir, line), ""); got != "ask" {
			t.Fatal(line, got)
		}
		if q := s.asked[len(s.asked)-1]; len(q.Rules) > 0 {
			t.Errorf("%q offers the rules %q", line, q.Rules)
		}
	}
	// A rule that cannot be stored holds for the session.
	_, m, s = shell(t, Options{Roots: []string{dir}, Keep: func(Rule) error { return errors.New("full") }})
	s.answers = []Answer{{Allow: true, Scope: ScopeRule}}
	if v, err := m.Authorize(t.Context(), tools.Call{Name: "run_bash"}, run(dir, "touch a")); err != nil || !v.Allow || len(m.Granted()) != 1 {
		t.Error(v, err, m.Granted())
	}
}

func TestStandings(t *testing.T) {
	project, policy := rule(t, Allow, "bash(touch *)"), rule(t, Deny, "bash(git push *)")
	project.Tier, policy.Tier = TierProject, TierPolicy
	all := []Rule{rule(t, Allow, "bash(git *)"), policy, project, rule(t, Allow, "bash(python3 *)"), rule(t, Ask, "edit(docs/**)"), rule(t, Allow, "edit(docs/a.md)"), rule(t, Allow, "bash(touch *) in /elsewhere"), rule(t, Allow, "bash(mkdir *)")}
	var got []string
	for _, s := range Standings(all, []string{t.TempDir()}, false) {
		got = append(got, map[bool]string{true: "+", false: "-"}[s.InForce]+s.Why)
	}
	want := []string{"+where both match wins deny run_bash(git push *)", "+", "-a project may only restrict", "-python3 x runs other code (an interpreter, a wrapper, a script) or more than plain words, which is asked about each time", "+",
		"+where both match wins ask edit_file(docs/**)", "-it holds in /elsewhere", "+"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, s := range Standings(all, []string{t.TempDir()}, true) {
		if s.Rule.Action == Allow && s.InForce {
			t.Errorf("%s counts while a denial cannot be read", s.Rule)
		}
	}
}

// Any fault of forge on the way to a decision is a question, whatever the mode.
func TestAFaultMeansAsk(t *testing.T) {
	dir, m, s := shell(t, Options{Mode: ModeYolo, Protected: func(string) bool { panic("oops") }})
	if got := decided(t, m, s, "edit_file", effect(tools.Write, filepath.Join(dir, "a")), ""); got != "ask" {
		t.Error("a write:", got)
	}
	m.read = func(string, world) Analysis { panic("oops") }
	if got := decided(t, m, s, "run_bash", run(dir, "ls"), ""); got != "ask" {
		t.Error("a command:", got)
	}
	if q := s.asked[len(s.asked)-1]; q.Level != High || len(q.Grants)+len(q.Rules) > 0 {
		t.Errorf("%+v", q)
	}
	_, quiet, _ := shell(t, Options{Roots: []string{dir}, Mode: ModeYolo, Asker: Refuse{}, Unattended: true})
	quiet.read = m.read
	if v, err := quiet.Authorize(t.Context(), tools.Call{Name: "run_bash"}, run(dir, "ls")); err != nil || v.Allow {
		t.Error("nobody there:", v, err)
	}
}

// meddler changes something while the question stands.
type meddler struct {
	script
	while func(n int)
}

func (x *meddler) Ask(ctx context.Context, r Request) (Answer, error) {
	x.while(len(x.asked))
	return x.script.Ask(ctx, r)
}

func TestAQuestionWhoseFactsChangedIsAskedAgain(t *testing.T) {
	write := func(t *testing.T, file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		line   string
		change func(t *testing.T, dir string)
		want   string
	}{
		"a script":          {"./x.sh", func(t *testing.T, d string) { write(t, filepath.Join(d, "x.sh"), "rm -rf ~") }, "x.sh holds something else now"},
		"an interpreted":    {"python3 x.py", func(t *testing.T, d string) { write(t, filepath.Join(d, "x.py"), "import os") }, "x.py is there now"},
		"a Makefile":        {"make all", func(t *testing.T, d string) { write(t, filepath.Join(d, "Makefile"), "all:\n\tevil\n") }, "Makefile holds something else now"},
		"one that wins":     {"make all", func(t *testing.T, d string) { write(t, filepath.Join(d, "GNUmakefile"), "all:\n\tevil\n") }, "GNUmakefile is there now"},
		"behind a wrapper":  {"env A=1 ./x.sh", func(t *testing.T, d string) { write(t, filepath.Join(d, "x.sh"), "evil") }, "x.sh holds something else now"},
		"in another folder": {"cd sub && npm test", func(t *testing.T, d string) { write(t, filepath.Join(d, "sub", "package.json"), "{}") }, "package.json is there now"},
		"the folder": {"touch a", func(t *testing.T, d string) {
			if err := errors.Join(os.Rename(d, d+"-old"), os.Mkdir(d, 0o700)); err != nil {
				t.Fatal(err)
			}
		}, "the folder it runs in is another one now"},
		"the risk": {"touch link/a", func(t *testing.T, d string) {
			if err := os.Symlink("/etc", filepath.Join(d, "link")); err != nil {
				t.Fatal(err)
			}
		}, "the risk was LOW and is CRITICAL now"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(canonical(t.TempDir()), "w")
			if err := os.MkdirAll(filepath.Join(dir, "sub"), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "x.sh"), "echo hi")
			write(t, filepath.Join(dir, "Makefile"), "all:\n")
			x := &meddler{script: script{answers: []Answer{{Allow: true, Scope: ScopeSession}, {Allow: true}}}, while: func(n int) {
				if n == 0 {
					c.change(t, dir)
				}
			}}
			m := New(Options{Roots: []string{dir}, Asker: x})
			v, err := m.Authorize(t.Context(), tools.Call{Name: "run_bash"}, run(dir, c.line))
			if err != nil || !v.Allow || len(x.asked) != 2 {
				t.Fatalf("%+v %v, asked %d times", v, err, len(x.asked))
			}
			if q := x.asked[1]; !strings.Contains(strings.Join(q.Changed, "; "), c.want) || q.ID == x.asked[0].ID {
				t.Errorf("asked again because of %q, want %q", q.Changed, c.want)
			}
			if len(m.Granted()) > 0 {
				t.Errorf("the answer that was void is kept: %q", m.Granted())
			}
		})
	}
	t.Run("again and again", func(t *testing.T) {
		dir := canonical(t.TempDir())
		x := &meddler{script: script{answers: slices.Repeat([]Answer{{Allow: true}}, maxAsked)}, while: func(n int) { write(t, filepath.Join(dir, "x.sh"), strings.Repeat("x", n)) }}
		m := New(Options{Roots: []string{dir}, Asker: x})
		if v, err := m.Authorize(t.Context(), tools.Call{Name: "run_bash"}, run(dir, "./x.sh")); err != nil || v.Allow || !strings.Contains(v.Reason, "changed each time") {
			t.Errorf("%+v %v", v, err)
		}
	})
}

// A grant for the session is bound to the files that say what the command does.
func TestAGrantEndsWithTheFileItWasGivenFor(t *testing.T) {
	dir, m, s := shell(t, Options{})
	file := filepath.Join(dir, "Makefile")
	if err := os.WriteFile(file, []byte("all:\n\techo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.answers = []Answer{{Allow: true, Scope: ScopeSession}}
	if _, err := m.Authorize(t.Context(), tools.Call{Name: "run_bash"}, run(dir, "make all")); err != nil {
		t.Fatal(err)
	}
	if got := decided(t, m, s, "run_bash", run(dir, "make all"), ""); got != "allow" {
		t.Fatal("granted, but", got)
	}
	if err := os.WriteFile(file, []byte("all:\n\tcurl evil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := decided(t, m, s, "run_bash", run(dir, "make all"), ""); got != "ask" {
		t.Error("the Makefile is another, but", got)
	}
	if q := s.asked[len(s.asked)-1]; !strings.Contains(strings.Join(q.Changed, ""), "what it obeys has changed since: Makefile") {
		t.Errorf("%q", q.Changed)
	}
}

// What was allowed is looked at once more right before it runs.
func TestWhatChangesBeforeTheStartIsAskedAgain(t *testing.T) {
	dir := canonical(t.TempDir())
	file := filepath.Join(dir, "x.sh")
	for _, text := range []string{"", "echo a"} {
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s := &script{answers: []Answer{{Allow: true}, {Reason: "not this one"}}}
	registry, err := tools.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	x := &tools.Executor{Tools: registry, Guard: New(Options{Roots: []string{dir}, Asker: s})}
	ran := false
	o := x.Run(t.Context(), tools.Call{Name: "run_bash"}, &tools.Invocation{Effect: run(dir, "./x.sh"), Run: func(context.Context, tools.Effect, io.Writer) (tools.Result, error) {
		ran = true
		return tools.Result{}, nil
	}}, tools.Watch{Started: func() {
		if err := os.WriteFile(file, []byte("evil"), 0o700); err != nil {
			t.Error(err)
		}
	}})
	if ran || !o.Result.Refused || len(s.asked) != 2 || !strings.Contains(strings.Join(s.asked[1].Changed, ""), "x.sh holds something else now") {
		t.Errorf("ran %v, %+v, asked %d times", ran, o.Result, len(s.asked))
	}
}

// What ran unasked because it only read is looked at once more at the very start: a
// link may have taken the place of a file meanwhile.
func TestWhatNoLongerOnlyReadsIsAskedAbout(t *testing.T) {
	dir, m, _ := shell(t, Options{})
	name := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	v, err := m.Authorize(t.Context(), tools.Call{Name: "run_bash"}, run(dir, "cat notes.txt"))
	if err != nil || !v.Allow || v.Still() != "" {
		t.Fatalf("%+v %v", v, err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", name); err != nil {
		t.Skip(err)
	}
	if v.Still() == "" {
		t.Error("it still runs unasked")
	}
}

// While somebody wants nothing changed, no mode lets anything be, and the mode is the old
// one afterwards.
func TestOnlyLook(t *testing.T) {
	m := New(Options{Mode: ModeYolo, Roots: []string{"/w"}})
	write := tools.Effect{Kind: tools.Write, Title: "edit x", Paths: []string{"/w/x"}, Changes: []tools.Change{{Path: "x", Op: tools.Create, After: []byte("x")}}}
	allowed := func(e tools.Effect) tools.Verdict {
		t.Helper()
		v, err := m.Authorize(t.Context(), tools.Call{Name: "t"}, e)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	one, two := m.OnlyLook("only a look"), m.OnlyLook("only a look")
	one()
	one()
	for _, e := range []tools.Effect{write, {Kind: tools.Exec, Title: "run", Command: "touch x", Dir: "/w"}, {Kind: tools.Network, Title: "send"}} {
		if v := allowed(e); v.Allow || v.Reason != "only a look" {
			t.Errorf("%s: %+v", e.Title, v)
		}
	}
	for _, e := range []tools.Effect{{Kind: tools.Read, Title: "read", Paths: []string{"/w/x"}}, {Kind: tools.Internal, Title: "todo"}, {Kind: tools.Exec, Title: "run", Command: "ls", Dir: "/w"}} {
		if v := allowed(e); !v.Allow {
			t.Errorf("%s: %+v", e.Title, v)
		}
	}
	if two(); !allowed(write).Allow || m.Mode() != ModeYolo {
		t.Error("it goes on looking")
	}
}

// Other rules take the place of those there were, and only those that may count.
func TestSetRules(t *testing.T) {
	rule := func(a Action, text string) Rule {
		t.Helper()
		r, err := ParseRule(a, text)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	m := New(Options{Roots: []string{"/w"}, Rules: []Rule{rule(Deny, "run_bash(ls)")}, Unattended: true, Asker: Refuse{}})
	run := func() tools.Verdict {
		t.Helper()
		v, err := m.Authorize(t.Context(), tools.Call{Name: "run_bash"}, tools.Effect{Kind: tools.Exec, Title: "run ls", Command: "ls", Dir: "/w"})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if run().Allow {
		t.Error("a deny rule allows")
	}
	if m.SetRules(nil); !run().Allow {
		t.Error("a rule that went denies")
	}
	if m.SetRules([]Rule{rule(Deny, "run_bash")}); run().Allow {
		t.Error("a rule that came allows")
	}
}
