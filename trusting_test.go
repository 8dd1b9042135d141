package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"forge/mcp"
	"forge/tools"
	"forge/tools/trust"
)

// person answers questions with one choice and remembers them.
type person struct {
	choice string
	asked  []tools.Question
}

func (p *person) Ask(_ context.Context, q tools.Question) (tools.Reply, error) {
	p.asked = append(p.asked, q)
	return tools.Reply{Choice: p.choice}, nil
}

// visit starts with a folder as the screen does: the one question, then what each
// server of the project wants to know.
func visit(t *testing.T, dir, state, choice string) (p *person, started []string) {
	t.Helper()
	files := mcp.Files{Project: mcp.ProjectFile(dir)}
	all, problems := files.Load(nil, "forge")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	p = &person{choice: choice}
	s := &servers{dir: dir, trust: trust.Open(filepath.Join(state, "trust.json"))}
	keeper := newDoorkeeper(s, p, false)
	keeper.greet(t.Context(), all, p.Ask, func(s string) { t.Log(s) })
	for name, c := range all {
		if !keeper.Approved(dir, "mcp:"+name, c.Identity()) {
			r, err := keeper.Ask(t.Context(), tools.Question{ID: "mcp:" + name, Source: "mcp", Choices: []tools.Choice{{ID: "start"}, {ID: "no"}}})
			if err != nil || r.Choice != "start" {
				continue
			}
			if err := keeper.Approve(dir, "mcp:"+name, c.Identity()); err != nil {
				t.Fatal(err)
			}
		}
		started = append(started, name)
	}
	slices.Sort(started)
	return p, started
}

func configure(t *testing.T, dir string, commands map[string]string) {
	t.Helper()
	list := map[string]any{}
	for name, c := range commands {
		list[name] = map[string]any{"command": c}
	}
	b, err := json.MarshalIndent(map[string]any{"mcpServers": list}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestOneQuestionForAWorkspace(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	if p, _ := visit(t, dir, state, "trust"); len(p.asked) != 0 {
		t.Errorf("asked about a folder without power: %+v", p.asked)
	}
	configure(t, dir, map[string]string{"a": "run-a", "b": "run-b"})
	p, started := visit(t, dir, state, "no")
	if len(p.asked) != 1 || len(started) != 0 {
		t.Errorf("no: asked %d times, started %q", len(p.asked), started)
	}
	if body := p.asked[0].Body; !strings.Contains(body, "a: run-a") || !strings.Contains(body, "b: run-b") || !strings.Contains(body, `"command": "run-b"`) {
		t.Errorf("shown:\n%s", body)
	}
	p, started = visit(t, dir, state, "trust")
	if len(p.asked) != 1 || !slices.Equal(started, []string{"a", "b"}) {
		t.Errorf("yes: asked %d times, started %q", len(p.asked), started)
	}
	p, started = visit(t, dir, state, "no")
	if len(p.asked) != 0 || !slices.Equal(started, []string{"a", "b"}) {
		t.Errorf("trusted: asked %d times, started %q", len(p.asked), started)
	}
	configure(t, dir, map[string]string{"a": "run-a", "b": "evil"})
	p, started = visit(t, dir, state, "no")
	if len(p.asked) != 1 || !slices.Equal(started, []string{"a"}) {
		t.Errorf("changed: asked %d times, started %q", len(p.asked), started)
	}
	if body := p.asked[0].Body; !strings.Contains(body, `-      "command": "run-b"`) || !strings.Contains(body, `+      "command": "evil"`) {
		t.Errorf("the change is not shown:\n%s", body)
	}
	if p, started = visit(t, t.TempDir(), state, "no"); len(p.asked)+len(started) != 0 {
		t.Errorf("another folder: %q", started)
	}
}

func TestTrustIsTakenBack(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, ".mcp.json", `{"mcpServers": {"a": {"command": "run-a"}}}`)
	trusting := func(dir string) {
		t.Helper()
		dirs := trust.Open(filepath.Join(filepath.Join(p.home, "state", "forge"), "trust.json"))
		files, err := trust.Find(dir, powers())
		if err != nil {
			t.Fatal(err)
		}
		if err := dirs.Trust(dir, files); err != nil {
			t.Fatal(err)
		}
		if err := dirs.Approve(dir, "mcp:a", "h"); err != nil {
			t.Fatal(err)
		}
	}
	run := func(code int, args ...string) string {
		t.Helper()
		out, errOut, got := p.run(t, append([]string{"trust"}, args...)...)
		if got != code {
			t.Errorf("%q: exit %d, %q, %q", args, got, out, errOut)
		}
		return out + errOut
	}
	if out := run(0, "list"); !strings.Contains(out, "nothing yet") {
		t.Errorf("%q", out)
	}
	trusting(p.dir)
	if out := run(0, "list"); !strings.Contains(out, p.dir) || !strings.Contains(out, ".mcp.json") || !strings.Contains(out, "mcp:a") {
		t.Errorf("%q", out)
	}
	if out := run(1, "revoke", ".", "nothing"); !strings.Contains(out, "forge trust list") {
		t.Errorf("%q", out)
	}
	if out := run(0, "revoke", p.dir, ".mcp.json"); !strings.Contains(out, "mcp:a") { // what the file starts as well
		t.Errorf("%q", out)
	}
	if kept, _ := os.ReadDir(filepath.Join(filepath.Join(p.home, "state", "forge"), "trusted")); len(kept) != 0 {
		t.Errorf("kept: %v", kept)
	}
	trusting(p.dir)
	gone := filepath.Join(p.home, "gone")
	p.write(t, filepath.Join(gone, ".mcp.json"), `{"mcpServers": {"a": {"command": "run-a"}}}`)
	trusting(gone)
	if err := os.RemoveAll(gone); err != nil {
		t.Fatal(err)
	}
	if out := run(0, "list", "--json"); strings.Count(out, `"gone": true`) != 2 || strings.Count(out, `"gone": false`) != 2 {
		t.Errorf("%q", out)
	}
	run(0, "revoke", gone)
	run(0, "revoke")
	if out := run(0, "list", "--json"); out != "[]\n" {
		t.Errorf("%q", out)
	}
	run(2, "revoke", "a", "b", "c")
}

// Without a screen a project's servers start only with the flag, and the flag is
// for that run alone.
func TestHeadlessTrustIsAFlag(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "good.script", "text hello\nend\n")
	p.write(t, ".mcp.json", `{"mcpServers": {"a": {"command": "forge", "args": ["mcp", "demo"]}}}`)
	for _, c := range []struct {
		flag []string
		want string
	}{{nil, "unapproved"}, {[]string{"--trust-workspace"}, ""}, {nil, "unapproved"}} {
		out, errOut, code := p.run(t, append([]string{"-p", "hi", "-C", ".", "--demo=good.script"}, c.flag...)...)
		if out != "hello\n" || code != 0 || c.want == "" && strings.Contains(errOut, "unapproved") || !strings.Contains(errOut, c.want) {
			t.Errorf("%q: exit %d, %q, %q", c.flag, code, out, errOut)
		}
	}
}

func TestRulesFromTheCommandLine(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, ".forge/forge.json", "{\n  // theirs\n  \"permissions\": {\"deny\": [\"run_bash(git push *)\"], \"allow\": [\"run_bash(rm *)\"]}\n}\n")
	policy := filepath.Join(p.home, "policy.json")
	p.write(t, policy, `{"permissions": {"deny": ["run_bash(curl *)"], "mode": "auto"}}`)
	p.env = append(p.env, "FORGE_POLICY="+policy)
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"add", "allow", "bash(git *)"}, 0, []string{"allow run_bash(git *)\nstored in " + p.settings(), "where both match wins deny run_bash(git push *)"}},
		{[]string{"add", "allow", "run_bash(sudo *)"}, 2, []string{"not stored: sudo x is HIGH"}},
		{[]string{"add", "allow", "run_bash(python3 *)"}, 2, []string{"not stored: python3 x runs other code"}},
		{[]string{"add", "--project", "allow", "run_bash(ls)"}, 2, []string{"a project may not allow anything"}},
		{[]string{"add", "--project", "ask", "edit(docs/**)"}, 0, []string{"stored in " + filepath.Join(p.dir, ".forge", "forge.json")}},
		{[]string{"add", "maybe", "x"}, 2, []string{"is none of allow, ask and deny"}},
		{[]string{"list"}, 0, []string{"allow run_bash(git *)", "deny run_bash(curl *)", "(policy, " + policy + ":1)", "not in force: a project may only restrict", "ask edit_file(docs/**)"}},
		{[]string{"list", "--json"}, 0, []string{`"rule": "run_bash(rm *)"`, `"in_force": false`, `"from": "project"`}},
		{[]string{"explain", "--mode", "yolo", "--", "ls; curl x"}, 0, []string{"deny run_bash(curl *)", policy + ":1"}},
		{[]string{"explain", "--mode", "yolo", "--", "docker ps"}, 0, []string{"mode auto"}},
		{[]string{"remove", "allow", "run_bash(git *)"}, 0, []string{"removed from " + p.settings()}},
		{[]string{"remove", "allow", "run_bash(git *)"}, 1, []string{"has no rule"}},
	} {
		out, errOut, code := p.run(t, append([]string{"permissions"}, c.args...)...)
		for _, want := range c.want {
			if !strings.Contains(out+errOut, want) {
				t.Errorf("%q: no %q in %q %q", c.args, want, out, errOut)
			}
		}
		if code != c.code {
			t.Errorf("%q: exit %d, want %d: %q %q", c.args, code, c.code, out, errOut)
		}
	}
	if b, err := os.ReadFile(filepath.Join(p.dir, ".forge", "forge.json")); err != nil || !strings.Contains(string(b), "// theirs") {
		t.Errorf("%s %v", b, err)
	}
}

// Settings that cannot be read may have held a denial: until they are mended all is
// asked about, in every mode, what only reads as well.
func TestSettingsThatCannotBeReadAskAboutAll(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"no end": `{"permissions": {"deny": ["run_bash(ls *)"]`, "a bad rule": `{"permissions": {"deny": ["run_bash("], "allow": ["run_bash(touch *)"]}}`} {
		p := newProgram(t)
		p.write(t, p.settings(), text)
		for _, command := range []string{"ls", "touch x"} {
			if out, errOut, code := p.run(t, "permissions", "explain", "--json", "--mode", "auto", "--", command); code != 0 || !strings.Contains(out, `"decision": "ask"`) {
				t.Errorf("%s, %s: exit %d, %q, %q", name, command, code, out, errOut)
			}
		}
	}
}
