package permission

import (
	"os"
	"path/filepath"
	"testing"

	"forge/tools"
)

// A rule that denies is about more than one that allows the same: what is in a
// folder it names, and what a link it names leads to.
func TestRestrictingRulesCoverFolders(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("hidden", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		pattern, path string
		denies        bool // and allows, if exact
		exact         bool
	}{
		{"priv", "priv", true, true},
		{"priv", "priv/a/b", true, false},
		{"priv/", "priv/a", true, false},
		{"priv/", "priv", true, false},
		{"priv", "private/a", false, false},
		{dir + "/priv", "priv/a", true, false},
		{"**/keys", "a/keys/k", true, false},
		{"*/keys/", "a/keys/k", true, false},
		{"*", "a/b", false, false},
		{"*.go", "a.go/x", false, false},
		{"*/", "a/b", true, false},
		{"docs/**", "docs/a/b", true, true},
		{"./priv", "priv", true, false},
		{"x/../priv", "priv", true, false},
		{"link", "hidden/k", true, false},
		{"link", "hidden", true, false},
		{"secrets/{a,b}", "secrets/a/x", false, false},
		{`a\*b`, "a*b", true, true},
	} {
		for action, want := range map[Action]bool{Deny: c.denies, Allow: c.exact} {
			r := Rule{Action: action, Tool: "t", Pattern: c.pattern}
			s := &script{answers: []Answer{{Allow: true}}}
			m := New(Options{Roots: []string{dir}, Rules: []Rule{r}, Asker: s})
			v, err := m.Authorize(t.Context(), tools.Call{Name: "t"}, effect(tools.Write, filepath.Join(dir, filepath.FromSlash(c.path))))
			if err != nil {
				t.Fatal(err)
			}
			got := !v.Allow
			if action == Allow {
				got = len(s.asked) == 0
			}
			if got != want {
				t.Errorf("%s %s on %s: %v, want %v", action, c.pattern, c.path, got, want)
			}
		}
	}
}

// Where a file is found by its name in any case, a rule that denies it is about it in any
// case, too; and on Windows either slash parts folders.
func TestRestrictingRulesOnOtherSystems(t *testing.T) {
	for _, c := range []struct {
		pattern, path          string
		linux, darwin, windows bool
	}{
		{"priv", "/w/PRIV/a", false, true, true},
		{"**/.Env", "/w/x/.env", false, true, true},
		{`priv\keys`, "/w/priv/keys/k", false, false, true},
		{`priv\**`, "/w/Priv/keys", false, false, true},
		{"priv/keys", "/w/priv/keys", true, true, true},
		{"priv", "/w/privat", false, false, false},
	} {
		for system, want := range map[string]bool{"linux": c.linux, "darwin": c.darwin, "windows": c.windows} {
			r := Rule{Action: Deny, Tool: "t", Pattern: c.pattern}
			if got := r.restrictsOn(system, []string{filepath.FromSlash("/w")})(filepath.FromSlash(c.path)); got != want {
				t.Errorf("%s on %s, %s: %v", c.pattern, c.path, system, got)
			}
		}
	}
}

func TestForbidden(t *testing.T) {
	var rules []Rule
	for _, text := range []string{"read_file(secret.env)", "*(priv)", "write_file(out/**)", "run_bash(cat *)"} {
		r, err := ParseRule(Deny, text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, r)
	}
	ask, err := ParseRule(Ask, "read_file(asked)")
	if err != nil {
		t.Fatal(err)
	}
	m := New(Options{Roots: []string{"/w"}, Rules: append(rules, ask)})
	hide := m.Forbidden("grep", "read_file")
	for path, want := range map[string]bool{"/w/secret.env": true, "/w/priv/a/b": true, "/w/out/x": false, "/w/asked": false, "/w/a.go": false} {
		if hide(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
	if hide := m.Forbidden("glob"); hide("/w/secret.env") || !hide("/w/priv") {
		t.Error("a rule for read_file counts for glob, or one for all tools does not")
	}
	if New(Options{Roots: []string{"/w"}, Rules: []Rule{rules[2]}}).Forbidden("grep") != nil {
		t.Error("there is something to ask where no rule is about the tool")
	}
}

// Who may not edit a file may not get round that with another tool.
func TestRulesForEditingAreForAllThatChangesFiles(t *testing.T) {
	for _, c := range []struct {
		rule, tool string
		effect     tools.Effect
		denied     bool
	}{
		{"edit_file(secrets/**)", "write_file", effect(tools.Write, "/w/secrets/a"), true},
		{"write_file(secrets/**)", "edit_file", effect(tools.Write, "/w/secrets/a"), true},
		{"edit(secrets)", "delete_file", taking(tools.Delete, tools.Folder, "/w/secrets", "/w/secrets/a"), true},
		{"write(secrets/a)", "move_file", taking(tools.Move, tools.Folder, "/w/secrets", "/w/secrets/a", "/w/s", "/w/s/a"), true},
		{"edit_file(secrets/**)", "move_file", taking(tools.Move, tools.Text, "/w/a", "/w/secrets/a"), true},
		{"edit_file(secrets/**)", "read_file", effect(tools.Read, "/w/secrets/a"), false},
		{"move_file(secrets/**)", "edit_file", effect(tools.Write, "/w/secrets/a"), false},
		{"read_file(secrets/**)", "move_file", taking(tools.Move, tools.Text, "/w/secrets/a", "/w/a"), true},
		{"read(a.env)", "move_file", taking(tools.Move, tools.Folder, "/w/d", "/w/d/x", "/w/a.env", "/w/n"), true},
		{"read_file(secrets/**)", "delete_file", taking(tools.Delete, tools.Text, "/w/secrets/a"), false},
		{"edit_file", "write_file", effect(tools.Write, "/w/secrets/a"), false},
		{"edit_file(secrets/**)", "write_file", effect(tools.Write, "/w/a"), false},
		{"edit_file(secrets/**)", "mcp__f__write", tools.Effect{Kind: tools.Write, Server: "f", Paths: []string{"/w/secrets/a"}}, false},
	} {
		r, err := ParseRule(Deny, c.rule)
		if err != nil {
			t.Fatal(err)
		}
		m := New(Options{Roots: []string{"/w"}, Rules: []Rule{r}, Mode: ModeAuto, Asker: &script{}})
		v, err := m.Authorize(t.Context(), tools.Call{Name: c.tool}, c.effect)
		if err != nil || v.Allow == c.denied {
			t.Errorf("%s on %s %q: %+v %v", c.rule, c.tool, c.effect.Paths, v, err)
		}
	}
}
