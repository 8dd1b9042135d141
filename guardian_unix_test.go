//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// Whatever forge's commands and servers started ends with it, also when it is
// killed and can do nothing about that: children of theirs, what left their group,
// jobs in the background.
func TestKilledForgeLeavesNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what left its group is found on Linux alone")
	}
	t.Parallel()
	for _, box := range []string{"off", "auto"} {
		t.Run(box, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t)
			spans := map[string]string{}
			for _, what := range []string{"grandchild", "away", "job", "server", "helper", "language", "linter"} {
				spans[what] = spanOf("1000")
			}
			p.write(t, "wait.script", strings.Join([]string{
				`call write_file {"path":"a.txt","content":"a"}`,
				`call run_bash {"command":"sleep ` + spans["job"] + `; echo over","background":true}`,
				`call run_bash {"command":"setsid sleep ` + spans["away"] + ` & bash -c 'echo begun; sleep ` + spans["grandchild"] + `; echo over'; echo over"}`,
				"end\n"}, "\n"))
			settings := filepath.Join(p.home, "config", "forge")
			if err := os.MkdirAll(settings, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(settings, "forge.json"), []byte(`{"lsp": {"slow": {"command": "sh", "files": ["*.txt"], "wait_ms": 1,
				"args": ["-c", "setsid sleep `+spans["linter"]+` & sleep `+spans["language"]+`; echo over"]}}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			server := `slow=sh -c "setsid sleep ` + spans["helper"] + ` & sleep ` + spans["server"] + `; echo over"`
			cmd := p.command("-p", "begin", "-C", ".", "--demo=wait.script", "--yolo", "--trust-workspace", "--sandbox", box, "--output-format", "stream-json", "--mcp", server)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			until(t, bufio.NewScanner(out), func(l gjson.Result) bool {
				return l.Get("type").String() == "tool_output" && strings.Contains(l.Raw, "begun")
			})
			for what, span := range spans {
				deadline(t, what+" runs", func() bool { return alive(t, span) })
			}
			guardian := childNamed(t, cmd.Process.Pid, "guard-commands")
			if guardian == 0 {
				t.Fatal("there is no guardian")
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			for what, span := range spans {
				deadline(t, what+" is gone", func() bool { return !alive(t, span) })
			}
			deadline(t, "the guardian is gone", func() bool { return !running(guardian) })
		})
	}
}

// A forge that ends by itself takes its guardian along.
func TestGuardianEndsWithForge(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are looked at as Linux shows them")
	}
	t.Parallel()
	p := newProgram(t)
	p.write(t, "wait.script", `call run_bash {"command":"echo begun; until [ -e go ]; do sleep 0.02; done"}`+"\nend\ntext done\nend\n")
	cmd := p.command("-p", "begin", "-C", ".", "--demo=wait.script", "--yolo", "--output-format", "stream-json")
	lines := startLines(t, cmd)
	until(t, lines, func(l gjson.Result) bool {
		return strings.Contains(l.Raw, "begun") && l.Get("type").String() == "tool_output"
	})
	guardian := 0
	deadline(t, "a guardian", func() bool { guardian = childNamed(t, cmd.Process.Pid, "guard-commands"); return guardian != 0 })
	// It has a session of its own, no part in forge's terminal, and nothing of it open.
	for fd, want := range map[string]string{"1": os.DevNull, "2": os.DevNull} {
		if at, err := os.Readlink("/proc/" + strconv.Itoa(guardian) + "/fd/" + fd); err == nil && at != want {
			t.Errorf("its %s is %s", fd, at)
		}
	}
	p.write(t, "go", "")
	until(t, lines, func(l gjson.Result) bool { return l.Get("type").String() == "result" })
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	deadline(t, "the guardian is gone", func() bool { return !running(guardian) })
}

// childNamed finds the process below pid that has word among its arguments; 0: none.
func childNamed(t *testing.T, pid int, word string) int {
	t.Helper()
	out, err := exec.Command("ps", "-axww", "-o", "pid=,ppid=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) > 3 && f[1] == strconv.Itoa(pid) && strings.Contains(line, word) {
			n, _ := strconv.Atoi(f[0])
			return n
		}
	}
	return 0
}

// running says whether a process is there and not only waits to be counted.
func running(pid int) bool {
	state, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && !strings.Contains(string(state), ") Z ")
}

// The network of confined commands is what the settings and the flag say, under a
// policy; explain tells of it.
func TestSandboxNetwork(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, settings, policy, flag, want string }{
		{name: "unset", want: "auto, no network"},
		{name: "setting", settings: `{"sandbox_network": "open"}`, want: "auto, network open"},
		{name: "flag", settings: `{"sandbox_network": "open"}`, flag: "--sandbox-network=closed", want: "auto, no network"},
		{name: "policy", settings: `{"sandbox_network": "open"}`, policy: `{"sandbox_network": "closed"}`, flag: "--sandbox-network=open", want: "auto, no network"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t)
			for _, kv := range home(p.home) {
				if dir, ok := strings.CutPrefix(kv, "XDG_CONFIG_HOME="); ok && c.settings != "" {
					if err := os.MkdirAll(filepath.Join(dir, "forge"), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(filepath.Join(dir, "forge", "forge.json"), []byte(c.settings), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			}
			if c.policy != "" {
				p.write(t, "policy.json", c.policy)
				p.env = append(p.env, "FORGE_POLICY="+filepath.Join(p.dir, "policy.json"))
			}
			args := []string{"permissions", "explain"}
			if c.flag != "" {
				args = append(args, c.flag)
			}
			out, errOut, code := p.run(t, append(args, "--", "curl https://example.com")...)
			if code != 0 || !strings.Contains(out, c.want+"\n") {
				t.Errorf("%d %s %s", code, out, errOut)
			}
		})
	}
	p := newProgram(t)
	if _, errOut, code := p.run(t, "-p", "x", "--demo", "--sandbox-network", "wide"); code != 2 || !strings.Contains(errOut, "closed or open") {
		t.Errorf("%d %s", code, errOut)
	}
}
