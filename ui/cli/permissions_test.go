package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/tools/permission"
)

func explain(t *testing.T, o PermissionsOptions, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	root := Root(Options{Out: &out, Err: &out, Permissions: o})
	root.SetArgs(Args(root, append([]string{"permissions", "explain"}, args...)))
	err := root.Execute()
	return out.String(), err
}

func TestPermissionsExplain(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		mode, command, decision, risk string
		readOnly, grants              bool
	}{
		{"ask", "cat a.txt | wc -l", "allow", "LOW", true, false}, {"ask", "go test ./...", "ask", "MEDIUM", false, true}, {"auto", "go test ./...", "allow", "MEDIUM", false, false},
		{"auto", "rm -rf /", "ask", "CRITICAL", false, false}, {"plan", "touch b", "deny", "LOW", false, false}, {"ask", "echo '", "ask", "HIGH", false, false}, {"ask", "-x", "ask", "MEDIUM", false, true}, {"ask", "", "ask", "LOW", false, false},
	} {
		out, err := explain(t, PermissionsOptions{}, "--json", "--cwd", dir, "--mode", c.mode, "--", c.command)
		if err != nil {
			t.Fatalf("%q: %v", c.command, err)
		}
		var got explanationJSON
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatalf("%q: %v in %s", c.command, err, out)
		}
		if got.Decision != c.decision || got.Risk != c.risk || got.ReadOnly != c.readOnly || len(got.Grants) > 0 != c.grants || got.Rule == "" {
			t.Errorf("%s %q: %+v", c.mode, c.command, got)
		}
		var raw map[string]any
		_ = json.Unmarshal([]byte(out), &raw)
		for _, key := range []string{"parsed", "risk", "read_only", "decision", "reasons", "rule", "grants"} {
			if raw[key] == nil {
				t.Errorf("%q: %s is missing in %s", c.command, key, out)
			}
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("something was written: %v %v", left, err)
	}
}

func TestPermissionsExplainForPeople(t *testing.T) {
	rule, err := permission.ParseRule(permission.Deny, "bash(rm *)")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out, err := explain(t, PermissionsOptions{Load: func(d string, _ Flags) (permission.Options, []string, error) {
		return permission.Options{Roots: []string{d}, Rules: []permission.Rule{rule}}, []string{"forge.json:3: \x1b is no rule"}, nil
	}}, "--cwd", dir, "--", "sudo rm x \x1b[2J")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"deny", "deny run_bash(rm *)", "CRITICAL", "control characters", "runs as another user", "forge: forge.json:3:"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Errorf("an escape reached the terminal: %q", out)
	}
}

func TestPermissionsExplainTakesOneCommand(t *testing.T) {
	for _, args := range [][]string{{}, {"--", "ls", "-l"}, {"--cwd", "no-such-folder", "--", "ls"}, {"--mode", "fast", "--", "ls"}} {
		out, err := explain(t, PermissionsOptions{}, args...)
		if _, usage := err.(Usage); !usage || out != "" {
			t.Errorf("%q: %v, %q", args, err, out)
		}
	}
}
