package config

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPolicyOnlyRestrictsAndCannotBeUndone(t *testing.T) {
	policy := put(t, "policy.json", `{"permissions": {"deny": ["run_bash(curl *)"], "ask": ["edit_file(infra/**)"], "allow": ["run_bash(rm *)"], "mode": "auto"},
  "sandbox": "require", "sandbox_network": "closed", "model": "m"}`)
	user := put(t, "forge.json", `{"permissions": {"mode": "yolo", "allow": ["run_bash(go test *)"]}, "sandbox": "off", "sandbox_network": "open"}`)
	c := LoadUnder([]string{policy}, user, "")
	if p := c.Permissions; !slices.Equal(p.Deny, []string{"run_bash(curl *)"}) || !slices.Equal(p.Ask, []string{"edit_file(infra/**)"}) || !slices.Equal(p.Allow, []string{"run_bash(go test *)"}) {
		t.Errorf("%+v", p)
	}
	if c.Policy != (Policy{Mode: "auto", Sandbox: "require", Network: "closed"}) || c.Model != "" {
		t.Errorf("%+v, model %q", c.Policy, c.Model)
	}
	if got := c.Policy.AtMostMode(c.Permissions.Mode) + " " + c.Policy.AtMostMode("plan") + " " + c.Policy.AtMostSandbox(c.Sandbox) + " " + c.Policy.AtMostNetwork(c.SandboxNetwork); got != "auto plan require closed" {
		t.Error(got)
	}
	if c.Permissions.Rules[0].Scope != ScopePolicy || c.Permissions.Rules[0].Line != 1 {
		t.Errorf("%+v", c.Permissions.Rules)
	}
	if got := problems(c); !strings.Contains(got, "policy.json:1: a policy may not set permissions.allow") || !strings.Contains(got, "policy.json:2: a policy sets") {
		t.Error(got)
	}
}

func TestUnreadablePolicyIsTheStricterReading(t *testing.T) {
	user := put(t, "forge.json", `{"permissions": {"mode": "yolo", "allow": ["run_bash(go test *)"]}}`)
	for _, text := range []string{`{oops`, `[]`, `{"permissions": {"deny": "x"}}`, `{"permissions": {"deny": [1]}}`, `{"permissions": {"mode": "safe"}}`, `{"permision": {}}`} {
		c := LoadUnder([]string{put(t, "policy.json", text)}, user, "")
		if c.Permissions.Mode != "ask" || c.Permissions.Allow != nil || c.Policy.AtMostMode("yolo") != "ask" || len(c.Problems) < 2 {
			t.Errorf("%s: %+v, %+v, %q", text, c.Permissions, c.Policy, c.Problems)
		}
	}
}

func TestPolicyFiles(t *testing.T) {
	env := map[string]string{"FORGE_POLICY": "/x/more.json", "ProgramData": filepath.FromSlash("/data")}
	for goos, first := range map[string]string{"linux": "/etc/forge/policy.json", "darwin": "/Library/Application Support/forge/policy.json", "windows": filepath.FromSlash("/data/forge/policy.json")} {
		if got := policyFiles(goos, func(k string) string { return env[k] }); !slices.Equal(got, []string{first, "/x/more.json"}) {
			t.Errorf("%s: %q", goos, got)
		}
	}
}
