//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The key comes from a command of the person's settings: it runs with the first request
// and not before, its key goes to the endpoint of the settings alone, and neither is in
// any file of forge's.
func TestAKeyFromACommand(t *testing.T) {
	t.Parallel()
	url, keys := guarded(t, "good-key-12345", "hello there")
	p := newProgram(t)
	ran := filepath.Join(p.home, "ran")
	p.write(t, p.settings(), `{"base_url": "`+url+`", "model": "demo", "api_key": "$(echo x >> `+ran+`; echo good-key-12345)", "headers": {"X-A": "$(echo latebloom)", "x-b": "{env:PWD}", "X-C": "plain"}}`)
	if out, errOut, code := p.run(t, "login", "--list"); code != 0 {
		t.Errorf("%d %s %s", code, out, errOut)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("it ran before anybody needed the key")
	}
	out, errOut, code := p.run(t, "-p", "hi", "--raw", "raw.jsonl")
	if code != 0 || !strings.Contains(out, "hello there") {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	if b, err := os.ReadFile(filepath.Join(p.dir, "raw.jsonl")); err != nil || strings.Contains(string(b), "latebloom") ||
		!strings.Contains(string(b), `"X-B":"[key removed]"`) || !strings.Contains(string(b), `"X-C":"plain"`) {
		t.Errorf("recorded %s, %v", b, err)
	}
	if b, _ := os.ReadFile(ran); strings.Count(string(b), "x") != 1 {
		t.Errorf("it ran %q", b)
	}
	for _, k := range keys() {
		if k != "" && k != "good-key-12345" {
			t.Errorf("%q was sent", k)
		}
	}
	nowhereIn(t, filepath.Join(p.home, "state"), "good-key-12345")

	for settings, want := range map[string]string{
		`"api_key": "$(echo no agent >&2; exit 3)"`: "failed with exit code 3: no agent",
		`"api_key": "$(true)"`:                      "no key was given",
		`"api_key": "${NO_SUCH_KEY}"`:               "forge.json:1: api_key: the environment variable NO_SUCH_KEY is not set",
		`"headers": {"X": "$(printf 'a\\nb')"}`:     "more than one line",
	} {
		p.write(t, p.settings(), `{"base_url": "`+url+`", "model": "demo", `+settings+`}`)
		if out, errOut, code := p.run(t, "-p", "hi"); code != 1 || !strings.Contains(errOut, want) {
			t.Errorf("%s: exit %d, %q, %q", settings, code, out, errOut)
		}
	}
}

// Whom forge speaks with could not be worked out: nobody else hears the prompt instead.
func TestNobodyElseHearsIt(t *testing.T) {
	t.Parallel()
	url, keys := guarded(t, "k", "hello there")
	p := newProgram(t)
	p.env = append(p.env, "OPENAI_BASE_URL="+url, "OPENAI_API_KEY=k")
	p.write(t, p.settings(), `{"base_url": "https://${NO_SUCH_HOST}/v1"}`)
	if _, errOut, code := p.run(t, "-p", "hi"); code != 1 || !strings.Contains(errOut, "base_url: the environment variable NO_SUCH_HOST is not set") || len(keys()) > 0 {
		t.Errorf("exit %d, %q, %d requests", code, errOut, len(keys()))
	}
	if out, errOut, code := p.run(t, "-p", "hi", "--provider", "openai", "-m", "demo"); code != 0 || !strings.Contains(out, "hello there") {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
}
