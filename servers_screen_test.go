//go:build unix

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"forge/provider"
)

// A person looks at a server, switches a tool off, starts it anew, names a resource
// and runs a prompt: the real program, a real server, a terminal.
func TestAServerOnTheScreen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "say.script")
	if err := os.WriteFile(script, []byte("text I read it.\nend\n\ntext Good morning.\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	env := []string{"XDG_STATE_HOME=" + state}
	open := func() *terminal {
		s := openTerminal(t, 100, 30, dir, env, "--demo="+script, "-C", dir, "--mcp", "demo=forge mcp demo", "--mcp", "gone=no-such-program-here")
		s.see("ask for something")
		s.see("MCP: 1 failed")
		return s
	}
	s := open()
	s.send("/mcp\r")
	s.see("1 of 2 ready")
	s.see("gone  failed      no program no-such-program-here is found")
	s.see("stdio 2026-07-28")
	s.send("\r")
	s.see("[tools 2]")
	s.see("❯ [✓] current_time")
	s.send(" ")
	s.see("1 of 2 tools")
	s.see("❯ [ ] current_time")
	s.send("\x1b[Z") // the last page
	s.see("agreed on with server/discover")
	s.send("d")
	s.see("demo  ○ disabled")
	s.send("d")
	s.see("demo  ● ready")
	s.see("starts          2")
	s.send("q")
	s.see("MCP servers")
	s.send("q")
	s.lose("MCP servers")

	s.send("look at @demo:g")
	s.see("What a server offers")
	s.send("\t")
	s.send("and @demo:no://thing ")
	s.see("and @demo:no://thing")
	s.send("\r")
	s.see("I read it.")
	s.see("@ instructions of demo")
	s.see("@ demo:guide://servers")
	s.see("demo:no://thing was not attached")

	s.send("/demo:br")
	s.see("zone [style]")
	s.send("\t")
	s.send("Europe/Pa")
	s.see("Europe/Paris  zone")
	s.send("\x15/demo:briefing\r")
	s.see("an IANA zone such as Europe/Paris")
	s.send("\r")
	s.see("it must not be empty")
	s.send("Asia/Tokyo\r")
	s.send("long\r")
	s.see("Good morning.")
	s.see("Ask for the time in Asia/Tokyo and write a long briefing")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}

	// What was sent is what was shown, and the switch is remembered.
	if users := sentByPerson(t, state); len(users) != 3 || !strings.Contains(users[1], "Tools are called by the model") ||
		!strings.Contains(users[1], "current_time tells the time") || strings.Contains(users[0], "attached") || strings.Contains(users[2], "attached") {
		t.Errorf("the model was sent %q", users)
	}
	s = open()
	s.send("/mcp demo\r")
	s.see("❯ [ ] current_time")
	s.send("qq\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// sentByPerson reads the user messages of the only conversation that is kept.
func sentByPerson(t *testing.T, state string) (out []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(state, "forge", "sessions", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversation is kept: %v", err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		var r struct{ Message *provider.Message }
		if json.Unmarshal([]byte(line), &r) != nil || r.Message == nil || r.Message.Role != provider.User {
			continue
		}
		text := ""
		for _, b := range r.Message.Blocks {
			if t, ok := b.(provider.Text); ok {
				text += t.Text
			}
		}
		out = append(out, text)
	}
	return out
}

// What a server's tools cost is one figure wherever it is told, also once the model's
// server has shown that it counts otherwise than forge does.
func TestToolsCostTheSameEverywhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "say.script")
	if err := os.WriteFile(script, []byte("loop\ntext Read.\nusage input=20000 output=5\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openTerminal(t, 100, 30, dir, []string{"XDG_STATE_HOME=" + t.TempDir()}, "--demo="+script, "-C", dir, "--mcp", "demo=forge mcp demo")
	s.see("ask for something")
	figure := func(send, says, before string) string {
		s.send(send)
		found := regexp.MustCompile(says)
		var m []string
		s.Until("the figure is there: "+says+", and not "+before, func() bool {
			m = found.FindStringSubmatch(s.text())
			return m != nil && m[1] != before // the panel opens with what was last read, and reads again
		})
		s.send("\x1b[27u")
		return m[1]
	}
	counted := figure("/mcp\r", `demo  ready +2 tools (\S+) tokens`, "")
	s.lose("MCP servers")
	s.send("go\r")
	s.see("Read.")
	s.see("20.0k in, 5 out") // it is over, and what the server counted is known
	shown := figure("/mcp\r", `demo  ready +2 tools (\S+) tokens`, counted)
	s.lose("MCP servers")
	if inWindow := figure("/context\r", `tools of mcp:demo \(2\) +(\S+)`, ""); shown != inWindow {
		t.Errorf("/mcp said %s, /context says %s", shown, inWindow)
	}
}
