//go:build unix

package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"forge/ui"

	acp "github.com/coder/acp-go-sdk"
)

// commands waits until a list of commands was told that holds name, and gives it.
func (e *anEditor) commands(name string) []acp.AvailableCommand {
	e.t.Helper()
	got := make(chan []acp.AvailableCommand, 1)
	look := func(n acp.SessionNotification) {
		if u := n.Update.AvailableCommandsUpdate; u != nil && slices.ContainsFunc(u.AvailableCommands, func(c acp.AvailableCommand) bool { return c.Name == name }) {
			select {
			case got <- u.AvailableCommands:
			default:
			}
		}
	}
	e.hears(look)
	defer e.hears(nil)
	e.mu.Lock()
	before := slices.Clone(e.updates)
	e.mu.Unlock()
	for _, n := range before {
		look(n)
	}
	select {
	case list := <-got:
		return list
	case <-e.t.Context().Done():
		return nil
	}
}

// Prompts of MCP servers are commands of the editor, from when their servers run, and so is
// what has instructions written.
func TestEditorHasPromptsOfServers(t *testing.T) {
	t.Parallel()
	self, err := exec.LookPath("forge")
	if err != nil {
		t.Fatal(err)
	}
	p := newProgram(t)
	p.write(t, ".forge/commands/demo/mine.md", "from a file")
	e := openEditor(t, p, `expect user Ask for the time in Europe/Paris and write a short briefing
text It is late.
end
expect user from a file
text So it is.
end
expect user AGENTS.md
text Written.
end
`)
	s := e.begin(acp.McpServer{Stdio: &acp.McpServerStdio{Name: "demo", Command: self, Args: []string{"mcp", "demo"}, Env: []acp.EnvVariable{}}})
	for _, c := range e.commands("demo:briefing") {
		if c.Name == "demo:briefing" && (c.Description == "" || c.Input == nil || c.Input.Unstructured.Hint != "zone [style]") {
			t.Errorf("it is told as %+v", c)
		}
	}
	e.told(s.SessionId)
	for _, x := range []struct{ line, want string }{
		{"/demo:briefing", "/demo:briefing wants values behind it, as NAME=VALUE or in this order: zone [style]"},
		{"/demo:nothing", "no prompt /demo:nothing; there are /demo:briefing"},
		{"/demo:briefing zone=Europe/Paris", "says: It is late."},
		{"/demo:mine", "says: So it is."},
		{"/init and say how to test", "says: Written."},
	} {
		if r := e.say(s.SessionId, acp.TextBlock(x.line)); r != acp.StopReasonEndTurn {
			t.Errorf("%s ended with %s", x.line, r)
		}
		lines := strings.Join(e.told(s.SessionId), "\n")
		if !strings.Contains(lines, x.want) {
			t.Errorf("%s: told was\n%s", x.line, lines)
		}
		if strings.Contains(x.line, "Paris") && !strings.Contains(lines, "thinks: Ask for the time in Europe/Paris") {
			t.Errorf("what was sent was not shown:\n%s", lines)
		}
	}
	e.leave()
}

// What could not be typed as it is shown is no command.
func TestPromptsThatCannotBeTyped(t *testing.T) {
	e := &edited{offered: []ui.ServerPrompt{{Server: "s", Name: "good one"}, {Server: "s", Name: "a/b"}, {Server: "s", Name: "x\x1b[2J"}, {Server: "s", Name: "a\u202eb"}}}
	if got := e.offers(); len(got) != 1 || got[0].Name != "s:good_one" {
		t.Errorf("%+v", got)
	}
}
