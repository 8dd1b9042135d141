//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// saysHook is a settings file with one hook.
func saysHook(event, matcher, command string) string {
	b, err := json.Marshal(map[string]any{"hooks": map[string]any{event: []any{map[string]any{"matcher": matcher, "hooks": []any{map[string]any{"type": "command", "command": command}}}}}})
	if err != nil {
		panic(err)
	}
	return string(b)
}

const allows = `echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`

// Without a screen: the person's hooks are in force, a project's only where it is trusted,
// and then it forbids but lets nothing through.
func TestHooksHeadless(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "run.script", "call run_bash {\"command\":\"touch made\"}\nend\ntext Done.\nend\n")
	play := func(args ...string) (out, errOut string, made bool) {
		t.Helper()
		out, errOut, _ = p.run(t, append([]string{"--demo=run.script", "-C", ".", "-p", "go"}, args...)...)
		_, err := os.Stat(filepath.Join(p.dir, "made"))
		_ = os.Remove(filepath.Join(p.dir, "made"))
		return out, errOut, err == nil
	}
	if _, errOut, made := play(); made {
		t.Fatalf("nobody was asked, and it ran: %s", errOut)
	}
	p.write(t, p.settings(), saysHook("PreToolUse", "Bash", allows))
	if _, errOut, made := play(); !made {
		t.Errorf("the person's hook does not answer for them: %s", errOut)
	}
	if _, _, made := play("--no-hooks"); made {
		t.Error("it ran though hooks are off")
	}
	if _, _, made := play("--mode", "plan"); made {
		t.Error("it ran in plan mode")
	}
	// A project's stands beside it, and is not trusted.
	p.write(t, ".claude/settings.json", saysHook("PreToolUse", "Bash", "touch theirs; echo never >&2; exit 2"))
	out, errOut, made := play("--json")
	if !made || !strings.Contains(errOut, "it is not trusted") {
		t.Errorf("an untrusted one: %s %s", out, errOut)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "theirs")); err == nil {
		t.Error("an untrusted hook ran")
	}
	if out, errOut, made = play("--json", "--trust-workspace"); made || !strings.Contains(out, "forbids this: never") {
		t.Errorf("a trusted one does not forbid: %s %s", out, errOut)
	}
	// It says yes, also in the settings of forge's own name, and counts for nothing.
	p.write(t, ".claude/settings.json", "{}")
	p.write(t, p.settings(), "{}")
	p.write(t, ".forge/forge.json", saysHook("PreToolUse", "Bash", allows))
	if out, errOut, made = play("--trust-workspace"); made {
		t.Errorf("a project let its own call run: %s %s", out, errOut)
	}
	if out, errOut, made = play("--trust-workspace", "--lang", "zh", "--json"); made || strings.Contains(errOut, "hooks of") {
		t.Errorf("%s %s", out, errOut)
	}
}

// What is no object of events is said once, in plain words.
func TestHooksThatAreNone(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "say.script", "loop\ntext Done.\nend\n")
	p.write(t, p.settings(), `{"hooks": [1]}`)
	if out, errOut, code := p.run(t, "--demo=say.script", "-C", ".", "-p", "go"); code != 0 || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, "hooks: must be an object") {
		t.Errorf("exit %d, %s %s", code, out, errOut)
	}
	p.write(t, p.settings(), `{}`)
	p.write(t, ".claude/settings.json", `{"hooks": [1]}`)
	if out, errOut, code := p.run(t, "--demo=say.script", "-C", ".", "-p", "go"); code != 0 || strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, ".claude/settings.json: hooks must be an object {…} of events") {
		t.Errorf("exit %d, %s %s", code, out, errOut)
	}
}

// A folder that nobody trusted runs nothing by way of the person's own hooks, whatever way
// they lead to its files; and what it says of hooks that cannot be had is told.
func TestAFolderRunsNothingByTheWay(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "run.script", "call run_bash {\"command\":\"ls\"}\nend\ncall run_bash {\"command\":\"printf x > later.sh; chmod +x later.sh\"}\nend\ncall run_bash {\"command\":\"pwd\"}\nend\ntext Done.\nend\n")
	for name, text := range map[string]string{"scripts/check.sh": "touch pwned", "tools/check.py": "open('pwned', 'w')", "Makefile": "all:\n\ttouch pwned\n"} {
		p.write(t, name, text)
		if err := os.Chmod(filepath.Join(p.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	lines := []string{`cd scripts && ./check.sh`, `"$PWD"/scripts/check.sh`, "`pwd`/scripts/check.sh", `bash -c 'cd scripts; sh check.sh'`, `python3 -m tools.check`, `make`, `scripts/{check,x}.sh`,
		`test -x later.sh && ./later.sh || true`}
	var hooks []map[string]any
	for _, l := range lines {
		hooks = append(hooks, map[string]any{"command": l, "matcher": "bash"})
	}
	b, err := json.Marshal(map[string]any{"hooks": map[string]any{"PreToolUse": hooks}})
	if err != nil {
		t.Fatal(err)
	}
	p.write(t, p.settings(), string(b))
	p.write(t, ".claude/settings.json", `{"hooks": {"PreToolUse": [`)
	p.write(t, ".forge/forge.json", `{"hooks": {"PermissionRequest": [], "NoSuchThing": []}}`)
	_, errOut, _ := p.run(t, "--demo=run.script", "-C", ".", "-p", "go")
	if _, err := os.Stat(filepath.Join(p.dir, "pwned")); err == nil {
		t.Errorf("a file of the folder ran: %s", errOut)
	}
	for _, want := range []string{".claude/settings.json cannot be read, so that its hooks are not in force", `no event "NoSuchThing"`, "and 1 more like it: forge hooks list"} {
		if !strings.Contains(errOut, want) {
			t.Errorf("nobody is told %q: %s", want, errOut)
		}
	}
	if out, errOut, _ := p.run(t, "hooks", "list", "-C", "."); strings.Count(out, "not trusted") != len(lines)-1 || !strings.Contains(errOut, "PermissionRequest") || !strings.Contains(errOut, "NoSuchThing") {
		t.Errorf("%s %s", out, errOut)
	}
	// What a script loads is compared like the script.
	p.write(t, "hooks/a.sh", ". \"$(dirname \"$0\")/lib.sh\"\n")
	p.write(t, "hooks/lib.sh", "true\n")
	p.write(t, "load.script", "call run_bash {\"command\":\"echo 'touch pwned' > hooks/lib.sh\"}\nend\ncall run_bash {\"command\":\"pwd\"}\nend\ntext Done.\nend\n")
	p.write(t, p.settings(), saysHook("PreToolUse", "Bash", "sh ./hooks/a.sh"))
	_, errOut, _ = p.run(t, "--demo=load.script", "-C", ".", "-p", "go", "--mode", "yolo", "--trust-workspace")
	if _, err := os.Stat(filepath.Join(p.dir, "pwned")); err == nil || !strings.Contains(errOut, "hooks/lib.sh is not what was trusted") {
		t.Errorf("%v, %s", err, errOut)
	}
	// What a trusted folder did not have at the begin is not run once a call has made it.
	p.write(t, p.settings(), saysHook("PreToolUse", "Bash", `test ! -x later.sh || ./later.sh`))
	_, errOut, _ = p.run(t, "--demo=run.script", "-C", ".", "-p", "go", "--mode", "yolo", "--trust-workspace")
	if !strings.Contains(errOut, "later.sh is not what was trusted") {
		t.Errorf("%s", errOut)
	}
}

// Whoever interrupts while the hooks of the end hang leaves at once.
func TestInterruptEndsTheWaitForTheLastHooks(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	hangs := filepath.Join(p.dir, "hangs")
	if err := syscall.Mkfifo(hangs, 0o600); err != nil {
		t.Fatal(err)
	}
	p.write(t, p.settings(), saysHook("SessionEnd", "", "echo here > hangs; exec sleep 3600"))
	p.write(t, "run.script", "text Done.\nend\n")
	cmd := p.command("--demo=run.script", "-C", ".", "-p", "go")
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(hangs); err != nil || string(b) != "here\n" {
		t.Errorf("%q, %v", b, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _ = cmd.Wait(); !strings.Contains(errs.String(), "it was ended\n") { // not: after 5s
		t.Errorf("%v, %s", cmd.ProcessState, errs.String())
	}
}

// Prompts, the begin and the end, and the moment before the agent rests.
func TestHooksOfAConversation(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, p.settings(), `{"hooks": { // comments are fine here
		"SessionStart": [{"hooks": [{"command": "echo the branch is red"}]}],
		"UserPromptSubmit": [{"hooks": [{"command": "if grep -q forbidden; then echo 'not that word' >&2; exit 2; fi; echo it is Monday"}]}],
		"Stop": [{"hooks": [{"command": "test -e stopped || { touch stopped; echo 'tests are red' >&2; exit 2; }"}]}],
		"SessionEnd": [{"hooks": [{"command": "cat > ended"}]}],
	}}`)
	p.write(t, "run.script", "expect user hello\ntext Done.\nend\nexpect user tests are red\ntext Really.\nend\n")
	out, errOut, code := p.run(t, "--demo=run.script", "-C", ".", "-p", "hello", "--output-format", "stream-json")
	if code != 0 || !strings.Contains(out, "Really.") || !strings.Contains(out, `"text":"the branch is red"`) || !strings.Contains(out, `"text":"it is Monday"`) {
		t.Errorf("exit %d, %s %s", code, out, errOut)
	}
	if b, _ := os.ReadFile(filepath.Join(p.dir, "ended")); !strings.Contains(string(b), `"reason":"other"`) || !strings.Contains(string(b), "sessions") {
		t.Errorf("the end was told %q", b)
	}
	if _, errOut, code = p.run(t, "--demo=run.script", "-C", ".", "-p", "the forbidden word"); code != 1 || !strings.Contains(errOut, "not sent: hook") || !strings.Contains(errOut, "not that word") {
		t.Errorf("exit %d, %s", code, errOut)
	}
}

// On the screen: the one question shows the hooks and the script they run; a yes holds
// until one of them is another.
func TestHooksAreTrustedOnTheScreen(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, ".claude/settings.json", saysHook("PreToolUse", "Bash", `"$CLAUDE_PROJECT_DIR"/check.sh`))
	p.write(t, "run.script", "call run_bash {\"command\":\"ls\"}\nend\ntext All done.\nend\ntext Again.\nend\n")
	check := filepath.Join(p.dir, "check.sh")
	write := func(text string) {
		t.Helper()
		p.write(t, check, "#!/bin/sh\n"+text+"\n")
		if err := os.Chmod(check, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	start := func() *terminal {
		t.Helper()
		cmd := exec.Command("forge", "--demo=run.script", "-C", ".")
		cmd.Dir = p.dir
		cmd.Env = append(append(home(p.home), "TERM=xterm-256color", "LANG=C.UTF-8", "PATH="+os.Getenv("PATH")), p.env...)
		return openCommand(t, 100, 40, cmd, true)
	}
	write("echo not ls >&2; exit 2")
	s := start()
	s.see("echo not ls")
	s.see("is run by a hook")
	s.answer("Do you trust this folder?", "y")
	s.lose("Do you trust this folder?")
	s.send("go\r")
	s.see("hook check.sh forbids this: not ls")
	s.see("All done.")
	s.send("/hooks\r")
	s.see("Hooks: 1")
	s.see("denied: not ls")
	s.send("\r")
	s.see("Bash  off") // the keys beneath have the word, too
	s.send("\x1b")
	s.lose("Hooks: 1")
	write("echo other >&2; exit 2")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Fatal(err)
	}
	s = start()
	s.see("It changed since you trusted it")
	s.see("+echo other")
	s.answer("Do you trust this folder?", "n")
	s.lose("Do you trust this folder?")
	s.send("go\r")
	s.see("All done.")
	if strings.Contains(s.text(), "forbids") {
		t.Error("the other script ran")
	}
	s.send("/hooks\r")
	s.see("not trusted")
	s.send("\x1b")
	s.lose("Hooks: 1")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// A forge that is killed takes its hooks along, and what they started.
func TestKilledForgeLeavesNoHook(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what left its group is found on Linux alone")
	}
	t.Parallel()
	p := newProgram(t)
	own, away := spanOf("1000"), spanOf("1000")
	p.write(t, p.settings(), saysHook("PreToolUse", "*", "setsid sleep "+away+" & sleep "+own+"; echo over"))
	p.write(t, "run.script", "call run_bash {\"command\":\"ls\"}\nend\ntext Done.\nend\n")
	cmd := p.command("-p", "go", "-C", ".", "--demo=run.script", "--mode", "auto")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	deadline(t, "the hook runs", func() bool { return alive(t, own) && alive(t, away) })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	deadline(t, "the hook is gone", func() bool { return !alive(t, own) && !alive(t, away) })
}

func TestHooksCommands(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	if out, _, code := p.run(t, "hooks", "list", "-C", "."); code != 0 || !strings.Contains(out, "no hooks are set up") {
		t.Errorf("exit %d, %s", code, out)
	}
	p.write(t, p.settings(), saysHook("PreToolUse", "Bash", `grep -q '"command":"rm' && { echo no >&2; exit 2; }; exit 0`))
	p.write(t, ".claude/settings.json", saysHook("Stop", "", "touch theirs"))
	out, _, code := p.run(t, "hooks", "list", "--json", "-C", ".")
	var list []map[string]any
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list) != 2 || list[0]["trusted"] != true || list[1]["trusted"] != false || list[1]["source"] != ".claude/settings.json" {
		t.Errorf("exit %d, %v, %s", code, err, out)
	}
	if out, _, code = p.run(t, "hooks", "test", "PreToolUse", "--tool", "Bash", "--input", `{"command":"rm x"}`, "-C", "."); code != 0 || !strings.Contains(out, "denied: no") {
		t.Errorf("exit %d, %s", code, out)
	}
	if out, _, code = p.run(t, "hooks", "test", "pre_tool_use", "--input", `{"command":"ls"}`, "--json", "-C", "."); code != 0 || !strings.Contains(out, `"result": "ok"`) {
		t.Errorf("exit %d, %s", code, out)
	}
	if out, _, code = p.run(t, "hooks", "test", "Stop", "-C", "."); code != 0 || !strings.Contains(out, "no hook in force matches") {
		t.Errorf("an untrusted one was tried: exit %d, %s", code, out)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "theirs")); err == nil {
		t.Error("an untrusted hook ran")
	}
	if _, errOut, code := p.run(t, "hooks", "test", "Nope", "-C", "."); code != 2 || !strings.Contains(errOut, "PreToolUse") {
		t.Errorf("exit %d, %s", code, errOut)
	}
	p.write(t, p.settings(), saysHook("PreToolUse", "^(?!x)", "true"))
	if out, _, _ := p.run(t, "doctor", "-C", "."); !strings.Contains(out, "is left out") {
		t.Errorf("the doctor does not say what is wrong:\n%s", out)
	}
}

// Nothing that a folder holds takes a guard of the person's own away: not settings that
// cannot be read, not files by the names its command has in it. A forge that a hook runs
// has none, so that they end.
func TestAFolderCannotSwitchHooksOff(t *testing.T) {
	t.Parallel()
	guard := "grep -q touch && { echo never >&2; exit 2; }; exit 0"
	for name, files := range map[string]map[string]string{
		"settings too long":     {".claude/settings.json": strings.Repeat(" ", 2<<20) + "{}"},
		"settings broken":       {".claude/settings.json": `{"hooks":`},
		"programs of that name": {"grep": "#!/bin/sh\nexit 1\n", "exit": "x", "echo": "x", "never": "x"},
		"an argument":           {"touch": "x"},
		"a guard that allows":   {".claude/settings.json": saysHook("PreToolUse", "Bash", allows)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, "PATH=.:"+os.Getenv("PATH"))
			p.write(t, p.settings(), saysHook("PreToolUse", "Bash", guard))
			for path, text := range files {
				p.write(t, path, text)
				if err := os.Chmod(filepath.Join(p.dir, path), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			p.write(t, "run.script", "call run_bash {\"command\":\"touch made\"}\nend\ntext Done.\nend\n")
			out, errOut, _ := p.run(t, "--demo=run.script", "-C", ".", "-p", "go", "--mode", "auto", "--json")
			if _, err := os.Stat(filepath.Join(p.dir, "made")); err == nil {
				t.Errorf("it ran: %s %s", out, errOut)
			}
		})
	}
	t.Run("a link that leads out", func(t *testing.T) {
		t.Parallel()
		p := newProgram(t)
		p.write(t, p.settings(), saysHook("PreToolUse", "Bash", guard))
		p.write(t, "run.script", "call run_bash {\"command\":\"touch made\"}\nend\ntext Done.\nend\n")
		if err := os.MkdirAll(filepath.Join(p.dir, ".claude"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(t.TempDir(), filepath.Join(p.dir, ".claude", "settings.json")); err != nil {
			t.Fatal(err)
		}
		out, errOut, _ := p.run(t, "--demo=run.script", "-C", ".", "-p", "go", "--mode", "auto", "--json")
		if !strings.Contains(out, "forbids this: never") {
			t.Errorf("%s %s", out, errOut)
		}
	})
	t.Run("a forge in a hook", func(t *testing.T) {
		t.Parallel()
		p := newProgram(t)
		p.write(t, "run.script", "text Done.\nend\n")
		p.write(t, p.settings(), saysHook("UserPromptSubmit", "", "echo x >> runs; forge --demo=run.script -C . --no-session -p inner"))
		if out, errOut, code := p.run(t, "--demo=run.script", "-C", ".", "-p", "go", "--trust-workspace"); code != 0 {
			t.Errorf("exit %d, %s %s", code, out, errOut)
		}
		if b, _ := os.ReadFile(filepath.Join(p.dir, "runs")); string(b) != "x\n" {
			t.Errorf("it ran %q", b)
		}
	})
}

// In lines /hooks says them, and switches one by its number.
func TestHooksInLines(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, p.settings(), saysHook("PreToolUse", "Bash", "echo never >&2; exit 2"))
	p.write(t, "run.script", "call run_bash {\"command\":\"ls\"}\nend\ntext Done.\nend\ncall run_bash {\"command\":\"ls\"}\nend\ntext Again.\nend\n")
	cmd := exec.Command("forge", "--demo=run.script", "-C", ".", "--screen-reader", "--mode", "auto")
	cmd.Dir = p.dir
	cmd.Env = append(append(home(p.home), "TERM=xterm-256color", "LANG=C.UTF-8", "PATH="+os.Getenv("PATH")), p.env...)
	s := openCommand(t, 100, 40, cmd, false)
	s.see("prompt:")
	s.send("go\r")
	s.see("forbids this: never")
	s.see("Done.")
	s.send("/hooks 1\r")
	s.see("PreToolUse Bash: off")
	s.send("go on\r")
	s.see("tool done: run ls")
	s.send("/hooks 7\r")
	s.see("no hook 7")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// Conversations that are gone on with, or changed for another, and what sub-agents do.
func TestHooksOfSeveralConversations(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	logs := `grep -Eo '"(source|reason|agent_type|tool_name)":"[a-zA-Z_]+"' >> LOG`
	p.write(t, p.settings(), `{"hooks": {
		"SessionStart": [{"hooks": [{"command": `+quoted(logs)+`}]}],
		"SessionEnd": [{"hooks": [{"command": `+quoted(logs)+`}]}],
		"PreToolUse": [{"hooks": [{"command": `+quoted(logs)+`}]}],
		"SubagentStop": [{"matcher": "general", "hooks": [{"command": `+quoted(logs+`; test -e "$XDG_STATE_HOME/once" || { touch "$XDG_STATE_HOME/once"; echo 'look again' >&2; exit 2; }`)+`}]}]
	}}`)
	logged := func(want ...string) {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(p.dir, "LOG"))
		if got := strings.Fields(strings.ReplaceAll(string(b), `"`, "")); err != nil || strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("told %q, want %q", got, want)
		}
		_ = os.Remove(filepath.Join(p.dir, "LOG"))
	}
	p.write(t, "run.script", `call task {"agent":"general","prompt":"look","description":"look"}
end
expect result[task] Looked again.
text All done.
end
agent general
call list_dir {"path":"."}
end
text Looked.
end
expect user look again
text Looked again.
end
`)
	if out, errOut, code := p.run(t, "--demo=run.script", "-C", ".", "-p", "go"); code != 0 || out != "All done.\n" {
		t.Fatalf("exit %d, %s %s", code, out, errOut)
	}
	logged("source:startup", "tool_name:Task", "tool_name:LS", "agent_type:general", "agent_type:general", "reason:other")
	p.write(t, "more.script", "text Once more.\nend\n")
	if out, errOut, code := p.run(t, "--demo=more.script", "-C", ".", "-c", "-p", "go on"); code != 0 {
		t.Fatalf("exit %d, %s %s", code, out, errOut)
	}
	logged("source:resume", "reason:other")
	cmd := exec.Command("forge", "--demo=more.script", "-C", ".")
	cmd.Dir = p.dir
	cmd.Env = append(append(home(p.home), "TERM=xterm-256color", "LANG=C.UTF-8", "PATH="+os.Getenv("PATH")), p.env...)
	s := openCommand(t, 100, 40, cmd, true)
	s.see("ask for something")
	s.send("go\r")
	s.see("Once more.")
	s.send("/new\r")
	s.lose("Once more.")
	deadline(t, "the new one began", func() bool {
		b, _ := os.ReadFile(filepath.Join(p.dir, "LOG"))
		return strings.Count(string(b), "source") == 2
	})
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	logged("source:startup", "reason:clear", "source:clear", "reason:prompt_input_exit")
}

// quoted is a text in JSON.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}
