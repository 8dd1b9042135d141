//go:build unix

package mcp

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"forge/tools"
)

// The real servers most people begin with. FORGE_MCP_NPM names a folder whose
// node_modules holds them; .ci/mcp makes one.
func npmServer(t *testing.T, pkg string) string {
	t.Helper()
	dir := os.Getenv("FORGE_MCP_NPM")
	if dir == "" {
		t.Skip("FORGE_MCP_NPM names no folder with the servers; run .ci/mcp")
	}
	file := filepath.Join(dir, "node_modules", "@modelcontextprotocol", pkg, "dist", "index.js")
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestRealServers(t *testing.T) {
	work := t.TempDir()
	work, err := filepath.EvalSymlinks(work)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "hello.txt"), []byte("hello from disk"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pkg, tool, input, want string
		args                   []string
		tools                  int
		exact                  bool
	}{
		{pkg: "server-filesystem", args: []string{work}, tools: 14, exact: true, tool: "read_text_file", input: fmt.Sprintf(`{"path":%q}`, filepath.Join(work, "hello.txt")), want: "hello from disk"},
		{pkg: "server-memory", tools: 9, exact: true, tool: "create_entities", input: `{"entities":[{"name":"Ada","entityType":"person","observations":["first"]}]}`, want: "Ada"},
		{pkg: "server-sequential-thinking", tools: 1, exact: true, tool: "sequentialthinking", input: `{"thought":"t","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`, want: "thoughtHistoryLength"},
		{pkg: "server-everything", tools: 13, tool: "echo", input: `{"message":"hi"}`, want: "Echo: hi"},
	} {
		t.Run(c.pkg, func(t *testing.T) {
			file := npmServer(t, c.pkg)
			env := map[string]string{"FORGE_TEST": t.Name(), "MEMORY_FILE_PATH": filepath.Join(work, "memory.json")}
			// Through a shell, as npx does it: what is started is not what answers.
			h := mount(t, Options{Servers: map[string]ServerConfig{"s": {Command: "sh", Args: append([]string{"-c", `node "$@"; true`, "sh", file}, c.args...), Env: env}},
				Workspace: work, Window: 1_000_000, OutDir: t.TempDir()})
			st := h.until("s", Ready)
			if len(st.Tools) < c.tools || c.exact && len(st.Tools) != c.tools {
				t.Errorf("%d tools, want %d", len(st.Tools), c.tools)
			}
			for _, ts := range st.Tools {
				if !ts.On {
					t.Errorf("%s is off: %s", ts.Remote, ts.Why)
				}
			}
			if r := h.call("mcp__s__"+c.tool, c.input); r.IsError || !strings.Contains(r.Text, c.want) {
				t.Errorf("%s gave %+v", c.tool, r)
			}
			h.m.Close()
			leftOver(t)
		})
	}
}

func TestEverythingOverHTTP(t *testing.T) {
	file := npmServer(t, "server-everything")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	cmd := exec.Command("node", file, "streamableHttp")
	cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", port))
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.Contains(lines.Text(), "listening on port") {
	}
	go func() { // what it says later must not stop it
		for lines.Scan() {
		}
	}()
	everythingServer(t, ServerConfig{URL: fmt.Sprintf("http://127.0.0.1:%d/mcp", port)}, "http")
}

func TestEverythingOverStdio(t *testing.T) {
	file := npmServer(t, "server-everything")
	everythingServer(t, ServerConfig{Command: "node", Args: []string{file}, Env: map[string]string{"FORGE_TEST": t.Name()}}, "stdio")
}

// everythingServer calls what the server has to show.
func everythingServer(t *testing.T, c ServerConfig, transport string) {
	t.Helper()
	asked := make(chan tools.Question, 4)
	h := mount(t, Options{Servers: map[string]ServerConfig{"e": c}, Window: 1_000_000, OutDir: t.TempDir(), Asker: person(func(q tools.Question) tools.Reply {
		asked <- q
		return tools.Reply{Choice: "decline"}
	})})
	st := h.until("e", Ready)
	if st.About.Transport != transport || st.About.Instructions == "" {
		t.Errorf("about %+v", st.About)
	}
	if r := h.call("mcp__e__get-tiny-image", ""); r.IsError || len(r.Images) != 1 || r.Images[0].MIME != "image/png" {
		t.Errorf("image: %s, %d images", r.Text, len(r.Images))
	}
	if r := h.call("mcp__e__get-structured-content", `{"location":"New York"}`); r.IsError || strings.Count(r.Text, "temperature") != 1 {
		t.Errorf("structured: %s", r.Text)
	}
	var out strings.Builder
	if r := h.callOut("mcp__e__trigger-long-running-operation", `{"duration":1,"steps":4}`, &out); r.IsError || !strings.Contains(out.String(), "/4 (") {
		t.Errorf("progress: %s, %q", r.Text, out.String())
	}
	if r := h.call("mcp__e__get-resource-links", `{"count":2}`); !strings.Contains(r.Text, "read_resource reads it") {
		t.Errorf("links: %s", r.Text)
	}
	list := h.m.Resources(t.Context())
	if len(list) < 7 {
		t.Errorf("%d resources", len(list))
	}
	for _, r := range list {
		if !r.Template {
			if got, err := h.m.Read(t.Context(), r.Server, r.URI); err != nil || got.Text == "" {
				t.Errorf("read %s: %+v, %v", r.URI, got, err)
			}
			break
		}
	}
	prompts := h.m.Prompts(t.Context())
	if len(prompts) < 4 {
		t.Errorf("%d prompts", len(prompts))
	}
	if i := slices.IndexFunc(prompts, func(p Prompt) bool { return p.Name == "completable-prompt" }); i >= 0 {
		values, err := h.m.Complete(t.Context(), "e", Reference{Prompt: "completable-prompt"}, "department", "En", nil)
		if err != nil || !slices.Contains(values, "Engineering") {
			t.Errorf("completed %q, %v", values, err)
		}
	}
	if got, err := h.m.Prompt(t.Context(), "e", "simple-prompt", nil); err != nil || got.Text == "" {
		t.Errorf("prompt %+v, %v", got, err)
	}
	if slices.ContainsFunc(h.m.Status()[0].Tools, func(ts ToolStatus) bool { return ts.Remote == "trigger-elicitation-request" }) {
		h.reg.Active()
		if r := h.call("mcp__e__trigger-elicitation-request", ""); !strings.Contains(r.Text, "declined") {
			t.Errorf("elicitation: %+v", r)
		}
		if len(asked) == 0 {
			t.Error("nobody was asked")
		}
	} else {
		t.Error("it does not offer to ask")
	}
	// A call that is ended leaves the server working.
	ctx, cancel := context.WithCancel(t.Context())
	s := h.m.fleet.Load().named("e")
	session, err := s.connected(ctx)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	_, err = session.Call(ctx, "trigger-long-running-operation", []byte(`{"duration":30,"steps":300}`), func(Progress) {
		if n++; n == 2 {
			cancel()
		}
	})
	if err == nil {
		t.Error("it was not cancelled")
	}
	if r := h.call("mcp__e__echo", `{"message":"still here"}`); r.Text != "Echo: still here" {
		t.Errorf("after a cancellation: %+v", r)
	}
	began := time.Now()
	h.m.Close()
	t.Logf("closed after %s", time.Since(began))
	leftOver(t)
}
