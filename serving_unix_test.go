//go:build unix

package main

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"forge/mcp"
	"forge/tools"
)

// mounted is what another forge serves, seen by our client.
type mounted struct {
	m   *mcp.Manager
	reg *tools.Registry
	t   *testing.T
}

func mountOne(t *testing.T, c mcp.ServerConfig) *mounted {
	t.Helper()
	reg, err := tools.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	m := mcp.Mount(t.Context(), mcp.Options{Servers: map[string]mcp.ServerConfig{"f": c}, Registry: reg, Workspace: t.TempDir(), Version: "1", Window: 1_000_000})
	t.Cleanup(m.Close)
	m.Wait(t.Context(), 20*time.Second)
	if st := m.Status()[0]; st.State != mcp.Ready {
		t.Fatalf("it is %s: %s\n%s", st.State, st.Reason, st.Stderr)
	}
	reg.Active()
	return &mounted{m, reg, t}
}

func (h *mounted) names() string {
	names := h.reg.Names()
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], "mcp__f__")
	}
	return strings.Join(slices.Sorted(slices.Values(names)), " ")
}

func (h *mounted) call(name, input string) tools.Result {
	h.t.Helper()
	tool, ok := h.reg.Get("mcp__f__" + name)
	if !ok {
		h.t.Fatalf("%s is not served", name)
	}
	inv, err := tool.Prepare(h.t.Context(), tools.Call{ID: "c", Name: name, Input: input})
	if err != nil {
		h.t.Fatal(err)
	}
	r, err := inv.Run(h.t.Context(), inv.Effect, new(strings.Builder))
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func TestServeTools(t *testing.T) {
	t.Parallel()
	const reads = "glob grep list_dir read_file"
	const all = "delete_file edit_file glob grep job_kill job_output list_dir move_file read_file run_bash write_file"
	for _, c := range []struct {
		args                  []string
		names, write, command string // what a call says; empty: it is not served
	}{
		{nil, reads, "", ""},
		{[]string{"--all"}, all, "not run: this needs a permission", "not run: this needs a permission"},
		{[]string{"--mode", "edits"}, "delete_file edit_file glob grep list_dir move_file read_file write_file", "created", ""},
		{[]string{"--mode", "auto", "--sandbox", "off"}, all, "created", "[exit code 0"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			p := newProgram(t)
			p.write(t, "a.txt", "of the workspace\n")
			token := "ghp_" + strings.Repeat("a1B2c3D4e", 4)
			p.write(t, "key.txt", "token = "+token+"\n")
			cmd := p.command(append([]string{"mcp", "serve", "-C", "."}, c.args...)...)
			env := map[string]string{}
			for _, kv := range cmd.Env {
				k, v, _ := strings.Cut(kv, "=")
				env[k] = v
			}
			h := mountOne(t, mcp.ServerConfig{Command: cmd.Path, Args: cmd.Args[1:], Env: env, Cwd: p.dir})
			if r := h.call("read_file", `{"path":"key.txt"}`); strings.Contains(r.Text, token) || !strings.Contains(r.Text, "token = ") {
				t.Errorf("a secret is served: %q", r.Text)
			}
			if h.names() != c.names {
				t.Errorf("served are %s", h.names())
			}
			if r := h.call("read_file", `{"path":"a.txt"}`); r.IsError || !strings.Contains(r.Text, "of the workspace") {
				t.Errorf("read_file gives %+v", r)
			}
			if r := h.call("read_file", `{"path":"/etc/passwd"}`); !r.IsError {
				t.Errorf("read_file leaves the workspace: %+v", r)
			}
			file := filepath.Join(p.dir, "new.txt")
			if c.write != "" {
				r := h.call("write_file", `{"path":"new.txt","content":"x"}`)
				_, err := os.Stat(file)
				if written := err == nil; !strings.Contains(strings.ToLower(r.Text), c.write) || written == r.IsError {
					t.Errorf("write_file gives %+v, %v", r, err)
				}
			}
			if c.command != "" {
				r := h.call("run_bash", `{"command":"touch made.txt"}`)
				_, err := os.Stat(filepath.Join(p.dir, "made.txt"))
				if made := err == nil; !strings.Contains(r.Text, c.command) || made == r.IsError {
					t.Errorf("run_bash gives %+v, %v", r, err)
				}
			}
		})
	}
}

func TestServeToolsOverHTTP(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "a.txt", "over the net\n")
	cmd := p.command("mcp", "serve", "-C", ".", "--http", "0", "--all", "--sandbox", "off")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(said)
	find := func(re string) string {
		for lines.Scan() {
			if m := regexp.MustCompile(re).FindStringSubmatch(lines.Text()); m != nil {
				return m[1]
			}
		}
		t.Fatalf("it does not say %s", re)
		return ""
	}
	at := find(` at (http://127\.0\.0\.1:\d+/mcp)$`)
	token := find(`Authorization: Bearer (\S{16,})$`)
	go func() { // what it logs must not stop it
		for lines.Scan() {
		}
	}()
	h := mountOne(t, mcp.ServerConfig{URL: at, Headers: map[string]string{"Authorization": "Bearer " + token}})
	if r := h.call("grep", `{"pattern":"over the"}`); r.IsError || !strings.Contains(r.Text, "a.txt") {
		t.Errorf("grep gives %+v", r)
	}
	if r := h.call("run_bash", `{"command":"ls"}`); r.IsError || !strings.Contains(r.Text, "a.txt") {
		t.Errorf("a command that only reads gives %+v", r)
	}
	if r := h.call("run_bash", `{"command":"rm a.txt"}`); !r.IsError || !strings.Contains(r.Text, "not run: ") {
		t.Errorf("rm gives %+v", r)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}

	_, errText, code := p.run(t, "mcp", "serve", "-C", ".", "--http", "0.0.0.0:0")
	if code != 2 || !strings.Contains(errText, "set FORGE_MCP_TOKEN") {
		t.Errorf("exit %d, %s", code, errText)
	}
}
