package config

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func put(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// problems gives the problems without the folder of their file.
func problems(c *Config) string {
	var out []string
	for _, p := range c.Problems {
		out = append(out, regexp.MustCompile(`^.*/`).ReplaceAllString(p, ""))
	}
	return strings.Join(out, "\n")
}

const everything = `// mine
{
  "$schema": "https://example.org/forge.json",
  "provider": "deepseek", "model": "deepseek-chat", "base_url": "https://example.org/v1", "wire": "openai",
  "api_key_env": "MY_KEY", /* not the key itself */
  "headers": {"X-Team": "a"},
  "context_window": 128000, "max_tokens": 8000, "effort": "high",
  "prices": {"input": 0.5, "output": 2, "cache_read": 0.05, "cache_write": 0.6},
  "permissions": {"allow": ["read"], "ask": ["a"], "deny": ["b"], "mode": "edits"}, "sandbox": "off",
  "max_turns": 40, "budget": 60000, "keep": 9000, "theme": "light",
  "system_prompt": "You …", "append_system_prompt": "Be kind.",
}
`

func TestEveryKey(t *testing.T) {
	file := put(t, "forge.json", everything)
	c := Load(file, "")
	want := Config{Provider: "deepseek", Model: "deepseek-chat", BaseURL: "https://example.org/v1", Wire: "openai", APIKeyEnv: "MY_KEY",
		Headers: map[string]string{"X-Team": "a"}, ContextWindow: 128000, MaxTokens: 8000, Effort: "high",
		Prices: &Prices{0.5, 2, 0.05, 0.6},
		Permissions: Permissions{Allow: []string{"read"}, Ask: []string{"a"}, Deny: []string{"b"}, Mode: "edits",
			Rules: []Rule{{"allow", "read", file, 9, ScopeUser}, {"ask", "a", file, 9, ScopeUser}, {"deny", "b", file, 9, ScopeUser}}}, Sandbox: "off",
		MaxTurns: 40, Budget: 60000, Keep: 9000, Theme: "light", SystemPrompt: "You …", AppendSystemPrompt: "Be kind."}
	c.user, c.written = nil, nil
	if !reflect.DeepEqual(*c, want) {
		t.Errorf("got  %+v\nwant %+v", *c, want)
	}
}

func TestProjectOnlyRestricts(t *testing.T) {
	user := put(t, "forge.json", everything)
	c := Load(user, put(t, "project.json", everything))
	got := problems(c)
	for _, key := range []string{"provider", "model", "base_url", "wire", "api_key_env", "headers", "context_window", "max_tokens", "effort",
		"prices.input", "prices.output", "prices.cache_read", "prices.cache_write", "permissions.allow", "budget", "keep", "system_prompt", "append_system_prompt"} {
		if !strings.Contains(got, "a project may not set "+key+";") {
			t.Errorf("%s was taken from a project", key)
		}
	}
	if len(c.Problems) != 18 {
		t.Errorf("%d problems\n%s", len(c.Problems), got)
	}
	if p := c.Permissions; !reflect.DeepEqual(p.Allow, []string{"read"}) || !reflect.DeepEqual(p.Deny, []string{"b", "b"}) || !reflect.DeepEqual(p.Ask, []string{"a", "a"}) {
		t.Errorf("permissions %+v", p)
	}
	for _, c := range []struct{ user, project, want, problem string }{
		{`{}`, `{"permissions":{"mode":"plan"}}`, "plan", ""},
		{`{}`, `{"permissions":{"mode":"yolo"}}`, "", "project.json:1: permissions.mode: a project may only make it stricter than ask; left out"},
		{`{"permissions":{"mode":"auto"}}`, `{"permissions":{"mode":"ask"}}`, "ask", ""},
		{`{"permissions":{"mode":"plan"}}`, `{"permissions":{"mode":"ask"}}`, "plan", "project.json:1: permissions.mode: a project may only make it stricter than plan; left out"},
	} {
		got := Load(put(t, "forge.json", c.user), put(t, "project.json", c.project))
		if got.Permissions.Mode != c.want || problems(got) != c.problem {
			t.Errorf("%s then %s: mode %q, %s", c.user, c.project, got.Permissions.Mode, problems(got))
		}
	}
	for _, c := range []struct{ user, project, want, problem string }{
		{`{}`, `{"sandbox": "require"}`, "require", ""},
		{`{}`, `{"sandbox": "off"}`, "", "project.json:1: sandbox: a project may only make it stricter than auto; left out"},
		{`{"sandbox": "off"}`, `{"sandbox": "auto"}`, "auto", ""},
		{`{"sandbox": "require"}`, `{"sandbox": "auto"}`, "require", "project.json:1: sandbox: a project may only make it stricter than require; left out"},
		{`{"sandbox": "offf"}`, `{}`, "require", `forge.json:1: sandbox: "offf" is none of require, auto, off; taken as require`},
		{`{"sandbox": false}`, `{}`, "require", `forge.json:1: sandbox: must be a text in quotes, not bool; taken as require`},
	} {
		got := Load(put(t, "forge.json", c.user), put(t, "project.json", c.project))
		if got.Sandbox != c.want || problems(got) != c.problem {
			t.Errorf("%s then %s: sandbox %q, %s", c.user, c.project, got.Sandbox, problems(got))
		}
	}
	c = Load("", put(t, "project.json", `{"max_turns": 1000, "theme": "dark"}`))
	if c.MaxTurns != 0 || c.Theme != "dark" || len(c.Problems) != 1 {
		t.Errorf("turns %d, theme %q, %s", c.MaxTurns, c.Theme, problems(c))
	}
	if c = Load(put(t, "forge.json", `{"max_turns": 100}`), put(t, "project.json", `{"max_turns": 50}`)); c.MaxTurns != 50 {
		t.Errorf("turns %d", c.MaxTurns)
	}
	if c = Load(user, user); len(c.Problems) != 0 {
		t.Errorf("one file read as both: %s", problems(c))
	}
}

// Only the person, or a flag, opens the network.
func TestSandboxNetwork(t *testing.T) {
	for _, c := range []struct{ user, project, want, problem string }{
		{`{"sandbox_network": "open"}`, `{}`, "open", ""},
		{`{"sandbox_network": "open"}`, `{"sandbox_network": "closed"}`, "closed", ""},
		{`{}`, `{"sandbox_network": "open"}`, "", "sandbox_network"},
		{`{"sandbox_network": "opne"}`, `{}`, "", `"opne" is none of closed, open`},
	} {
		got := Load(put(t, "forge.json", c.user), put(t, "project.json", c.project))
		if got.SandboxNetwork != c.want || (c.problem == "") != (len(got.Problems) == 0) || !strings.Contains(strings.Join(got.Problems, " "), c.problem) {
			t.Errorf("%s then %s: %q, %q", c.user, c.project, got.SandboxNetwork, got.Problems)
		}
	}
}

const careful = "\nuntil the permissions are mended, forge asks before everything"

func TestLostDenialMakesCareful(t *testing.T) {
	for text, mode := range map[string]string{
		`{"permissions": {"allow": ["*"], "deny": "rm", "mode": "auto"}}`:   "ask",
		`{"permissions": {"allow": ["*"], "mode": "plan", "dney": ["rm"]}}`: "plan",
	} {
		c := Load(put(t, "forge.json", text), "")
		if c.Permissions.Mode != mode || c.Permissions.Allow != nil {
			t.Errorf("%s: %+v", text, c.Permissions)
		}
	}
	// A project's file that cannot be read may have forbidden what the person's own allows.
	c := Load(put(t, "forge.json", `{"permissions": {"allow": ["*"], "mode": "auto"}}`), put(t, "project.json", `{"permissions": {"deny": ["rm"}}`))
	if c.Permissions.Mode != "ask" || c.Permissions.Allow != nil {
		t.Errorf("a project's denial was lost: %+v", c.Permissions)
	}
	c = Load(put(t, "forge.json", `{"permissions": {"allow": "x", "mode": "auto"}}`), "")
	if c.Permissions.Mode != "auto" {
		t.Errorf("a lost permission is no danger: %+v", c.Permissions)
	}
}

func TestWrongFilesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		"// nothing yet":                     `forge.json: line 2, column 1: parsing value: unexpected EOF; nothing of this file is used until that is mended`,
		"{\n\"model\": \"m\"\n\"theme\": 1}": `forge.json: line 3, column 1: invalid character '"' after object value (expecting ',' or '}'); nothing of this file is used until that is mended`,
		"{} // done":                         "",
		"\ufeff{\"model\": \"m\"}":           "",
		`{"permissions": {"deny": ["x"}}`:    `forge.json: line 1, column 30: invalid character '}' after array value (expecting ',' or ']'); nothing of this file is used until that is mended` + careful,
		"[1]":                                `forge.json:1: settings must be one {…} object; nothing of this file is used`,
		"{\n\n\"modle\": \"m\"}":             `forge.json:3: unknown setting "modle"; did you mean "model"?; left out`,
		`{"providers": {}}`:                  `forge.json:1: unknown setting "providers"; an endpoint of your own is kept by forge login --base-url ADDRESS, as many as there are; left out`,
		`{"maxTurns": 3}`:                    `forge.json:1: unknown setting "maxTurns"; did you mean "max_turns"?; left out`,
		`{"weather": 3}`:                     `forge.json:1: unknown setting "weather"; left out`,
		`{"permissions": {"denny": []}}`:     `forge.json:1: unknown setting "permissions.denny"; did you mean "permissions.deny"?; left out` + careful,
		`{"permissions": []}`:                `forge.json:1: permissions must be an object; left out` + careful,
		"{\"max_turns\": \"ten\"}":           `forge.json:1: max_turns: must be a whole number, not string; left out`,
		"{\"max_turns\": 2.5}":               `forge.json:1: max_turns: must be a whole number, not 2.5; left out`,
		"{\"max_turns\": 0}":                 `forge.json:1: max_turns: must be at least 1, not 0; left out`,
		`{"model": null}`:                    `forge.json:1: model: must have a value; left out`,
		`{"model": {"id": "m"}}`:             `forge.json:1: model: must be a text in quotes, not object; left out`,
		`{"headers": {"a": 1}}`:              `forge.json:1: headers: must be a text in quotes, not number; left out`,
		`{"permissions": {"deny": "x"}}`:     `forge.json:1: permissions.deny: must be a list ["…"], not string; left out` + careful,
		`{"prices": {"input": -1}}`:          `forge.json:1: prices.input: must not be below 0, but is -1; left out`,
		`{"effort": "hihg"}`:                 `forge.json:1: effort: "hihg" is none of none, minimal, low, medium, high, xhigh, max; left out`,
		"{\"wire\": \"soap\",\n\"permissions\": {\n\"mode\": \"never\"}}": "forge.json:1: wire: \"soap\" is none of openai, anthropic; left out\nforge.json:3: permissions.mode: \"never\" is none of plan, ask, edits, auto, yolo; left out",
	} {
		c := Load(put(t, "forge.json", text), "")
		if got := problems(c); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
		if c.Model != "" && want != "" {
			t.Errorf("%q: the rest of a broken file was used", text)
		}
	}
	c := Load(put(t, "forge.json", `{"modle": 1, "theme": "dark"}`), "")
	if c.Theme != "dark" {
		t.Error("a good setting beside a bad one is lost")
	}
	if c := Load(t.TempDir()+"/none.json", t.TempDir()+"/none.json"); len(c.Problems) != 0 {
		t.Errorf("missing files: %s", problems(c))
	}
	if c := Load(t.TempDir(), ""); len(c.Problems) != 2 || !strings.HasSuffix(c.Problems[0], "not a regular file; going on without it") {
		t.Errorf("a folder: %q", c.Problems)
	}
	if c := Load(put(t, "forge.json", "{"+strings.Repeat(" ", maxFile)+"}"), ""); len(c.Problems) != 2 {
		t.Errorf("a huge file: %q", c.Problems)
	}
}

func TestSection(t *testing.T) {
	c := Load(put(t, "forge.json", `{"prices": {"input": 2, /* dear */ }, "theme": "x"}`), put(t, "p.json", `{"headers": {"a": "b"}}`))
	var p struct{ Input float64 }
	if err := c.Section("prices", &p); err != nil || p.Input != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	var n int
	if err := c.Section("theme", &n); err == nil || err.Error() != `settings "theme": must be a whole number, not string` {
		t.Errorf("%v", err)
	}
	if err := c.Section("missing", &n); err != nil {
		t.Error(err)
	}
	var h map[string]string
	if _ = c.Section("headers", &h); h != nil {
		t.Error("a section came from a project")
	}
}

// The documentation has a row for every setting, says rightly what a project may
// set, and names no setting that is not there.
func TestDocumentationIsComplete(t *testing.T) {
	doc, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "## Settings")
	table, _, _ = strings.Cut(table, "\n## ")
	var got, want []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|.*\\| ([^|]*) \\|$").FindAllStringSubmatch(table, -1) {
		may := "project"
		if m[2] == "no" {
			may = "person"
		}
		got = append(got, m[1]+" "+may)
	}
	for _, k := range Keys() {
		may := "person"
		if k.Project {
			may = "project"
		}
		want = append(want, k.Name+" "+may)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("documented %q\nthere are  %q", got, want)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(everything)
	f.Add(`{"permissions": {"permissions": {}}}`)
	f.Fuzz(func(t *testing.T, s string) {
		path := filepath.Join(t.TempDir(), "f")
		os.WriteFile(path, []byte(s), 0o600)
		c := Load("", path)
		if c.Provider+c.Model+c.BaseURL+c.APIKeyEnv != "" || c.Permissions.Allow != nil || c.Headers != nil {
			t.Fatalf("a project set %+v", c)
		}
	})
}

// What the files say is compared, by setting and by file.
func TestChanged(t *testing.T) {
	dir := t.TempDir()
	file, project := filepath.Join(dir, "forge.json"), filepath.Join(dir, "project.json")
	load := func(user, theirs string) *Config {
		t.Helper()
		for name, text := range map[string]string{file: user, project: theirs} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return Load(file, project)
	}
	was := load(`{"lang": "en", "theme": "dark", "screen": {"mouse": true}, "permissions": {"deny": ["a"]}}`, `{"theme": "light"}`)
	now := load(`{"lang": "en", "theme": "dark", "screen": {"mouse": false}, "permissions": {"deny": ["a", "b"]}}`, `{"max_turns": 3}`)
	want := []string{"max_turns", "permissions.deny", "screen.mouse", "theme"}
	if got := now.Changed(was); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if was.TakeUp(now, []string{"theme", "permissions.deny"}); !slices.Equal(now.Changed(was), []string{"max_turns", "screen.mouse"}) {
		t.Errorf("%q", now.Changed(was))
	}
	if got := now.Changed(now); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
