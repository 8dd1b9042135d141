//go:build unix

package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"forge/tools"
)

// Every key of a server does what it says, also in the section of the settings.
func TestEveryKey(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	hinted := newWeb(t, false, func(w writer, r *request, m badMsg) bool {
		if m.Method != "tools/list" {
			return false
		}
		webReply(w, m, webTools(map[string]any{"name": "look", "title": "Look around", "inputSchema": map[string]any{"type": "object"}, "annotations": map[string]any{"readOnlyHint": true}}))
		return true
	})
	env := func(mode string) string {
		return fmt.Sprintf(`"command": %q, "env": {"BAD_SERVER": %q, "FORGE_TEST": %q}`, self, mode, t.Name())
	}
	dir := t.TempDir()
	f := Files{User: filepath.Join(dir, "mcp.json"), Settings: filepath.Join(dir, "forge.json"), Project: filepath.Join(dir, ".mcp.json")}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(f.Settings, fmt.Sprintf(`{
  "model": "m", // what else is there is none of this room's business
  "mcpServers": {
    "globs": {%s, "allow": ["a", "t*"], "deny": ["t"]},
    "alias": {%s, "aliases": {"t": "do_it"}},
    "later": {%s, "defer": true},
    "idle": {%s, "timeout": 150},
    "most": {%s, "timeout": "1m", "maxTime": "150ms"},
    "never": {%s, "startupTimeout": 300},
    "off": {%s, "disabled": true},
    "twice": {"command": "not-this-one"},
    "trusted": {"type": "http", "url": %q, "headers": {"X-Key": "${NO_SUCH_KEY:-k}"}, "trust": true},
    "plain": {"url": %q},
    "where": {%s, "cwd": "sub"},
  },
}`, env("nullschema"), env("good"), env("good"), env("hang"), env("hang"), env("deaf"), env("good"), hinted.URL, hinted.URL, env("cwd")))
	write(f.User, `{"mcpServers": {"twice": {`+env("good")+`}}}`)
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	servers, problems := f.Load(nil, self)
	if len(problems) != 1 || !strings.Contains(problems[0], `forge.json:11: the MCP server "twice" is not used, since `+f.User+` has one`) {
		t.Errorf("problems %q", problems)
	}
	if c := servers["globs"]; c.Source.Scope != "user" || c.Source.File != f.Settings || c.Source.Line != 4 {
		t.Errorf("source %+v", c.Source)
	}
	h := mount(t, Options{Servers: servers, Workspace: dir})
	for name := range servers {
		want := Ready
		switch name {
		case "never":
			want = Failed
		case "off":
			want = Disabled
		}
		h.until(name, want)
	}
	got := strings.Join(h.reg.Names(), " ")
	if got != "call_tool do_it find_tools mcp__globs__a mcp__idle__t mcp__most__t mcp__plain__look mcp__trusted__look mcp__twice__t mcp__where__t" {
		t.Errorf("tools %s", got)
	}
	if r := h.call("do_it", ""); r.Text != "ok" {
		t.Errorf("alias: %+v", r)
	}
	if r := h.call("mcp__where__t", ""); filepath.Base(r.Text) != "sub" {
		t.Errorf("cwd: %+v", r)
	}
	for name, want := range map[string]string{"mcp__idle__t": "no sign of life for 150ms", "mcp__most__t": "longer than 150ms"} {
		if r := h.call(name, ""); !r.IsError || !strings.Contains(r.Text, want) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for name, want := range map[string]string{"mcp__trusted__look": "read trusted: Look around", "mcp__plain__look": "unknown plain: look"} {
		tool, _ := h.reg.Get(name)
		inv, err := tool.Prepare(t.Context(), tools.Call{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		kind := map[tools.Kind]string{tools.Read: "read", tools.Unknown: "unknown"}[inv.Effect.Kind]
		if got := kind + " " + inv.Effect.Title; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if n := len(hinted.lines("X-Key=k")); n == 0 || n == len(hinted.lines("")) {
		t.Errorf("headers were sent with %d of %d requests: to both servers or to none", n, len(hinted.lines("")))
	}
	// It is tried again and again, and says why it failed in between.
	if st := h.until("never", Failed); !strings.Contains(st.Reason, "not ready within 300ms; startupTimeout") {
		t.Errorf("startupTimeout: %s", st.Reason)
	}
	for _, st := range h.m.Status() {
		switch st.Name {
		case "globs":
			for _, x := range st.Tools {
				if x.On != (x.Remote == "a") || !x.On && !strings.Contains(x.Why, "allow and deny") && x.Remote != "tool 5 of the list" && x.Remote != "tool 6 of the list" {
					t.Errorf("globs: %+v", x)
				}
			}
		case "later":
			if !st.Defer {
				t.Errorf("defer: %+v", st)
			}
		}
	}
}

// A length of time is milliseconds or a text, and nothing that is none.
func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{`1500`: 1500 * time.Millisecond, `"2m"`: 2 * time.Minute, `0`: -1, `-1`: -1, `"x"`: -1, `true`: -1, `"30h"`: -1} {
		var d Duration
		err := json.Unmarshal([]byte(text), &d)
		if (err != nil) != (want < 0) || err == nil && time.Duration(d) != want {
			t.Errorf("%s is %s, %v", text, time.Duration(d), err)
		}
	}
}
