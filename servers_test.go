//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"forge/agent"
	"forge/mcp"
	"forge/provider"
	"forge/provider/demo"
	"forge/tools"
	"forge/tools/permission"
)

// allower is a person who allows everything, and remembers what was asked.
type allower struct{ asked []permission.Request }

func (a *allower) Ask(_ context.Context, r permission.Request) (permission.Answer, error) {
	a.asked = append(a.asked, r)
	return permission.Answer{Allow: true}, nil
}

// A model reads a file through a real server, once a person allowed it.
// FORGE_MCP_NPM names the folder with the server; see .ci/mcp.
func TestTurnThroughARealServer(t *testing.T) {
	npm := os.Getenv("FORGE_MCP_NPM")
	if npm == "" {
		t.Skip("FORGE_MCP_NPM names no folder with the servers; run .ci/mcp")
	}
	work, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(work, "hello.txt")
	if err := os.WriteFile(file, []byte("hello from disk"), 0o600); err != nil {
		t.Fatal(err)
	}
	reg, err := tools.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	m := mcp.Mount(t.Context(), mcp.Options{Registry: reg, Workspace: work, Servers: map[string]mcp.ServerConfig{
		"files": {Command: "node", Args: []string{filepath.Join(npm, "node_modules", "@modelcontextprotocol", "server-filesystem", "dist", "index.js"), work}}}})
	defer m.Close()
	if late := m.Wait(t.Context(), 30*time.Second); late != nil {
		t.Fatalf("not ready: %+v", m.Status())
	}
	script, err := demo.Parse(strings.NewReader("expect user read\ncall mcp__files__read_text_file {\"path\":\"" + file + "\"}\nend\n\nexpect result[mcp__files__read_text_file] hello from disk\ntext It says hello.\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	who := &allower{}
	guard := permission.New(permission.Options{Roots: []string{work}, Asker: who})
	a := agent.New(agent.Options{Provider: provider.WithRetry(demo.New(script, demo.Options{}), 1), Model: demo.Model(),
		Exec: &tools.Executor{Tools: reg, Guard: guard}, MaxTurns: 5})
	var said strings.Builder
	err = a.Run(t.Context(), agent.Prompt{Text: "read it"}, func(e agent.Event) {
		if d, ok := e.(agent.TextDelta); ok {
			said.WriteString(d.Text)
		}
	})
	if err != nil || said.String() != "It says hello." {
		t.Errorf("said %q, %v", said.String(), err)
	}
	if len(who.asked) != 1 || who.asked[0].Effect.Server != "files" || !strings.Contains(who.asked[0].Effect.Detail, file) {
		t.Errorf("asked %+v", who.asked)
	}
}
