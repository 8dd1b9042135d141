//go:build unix

package hook

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"forge/tools"
	"forge/tools/sandbox"
)

// place is a workspace, with a Set of the hooks that settings name.
func place(t *testing.T, settings string, scope Scope) (*Set, string) {
	t.Helper()
	dir := t.TempDir()
	hooks, problems := Parse([]byte(settings), Source{scope, "settings"})
	if len(problems) > 0 {
		t.Fatalf("problems: %q", problems)
	}
	s := New(Options{Dir: dir, Session: func() Session { return Session{"s1", "/t/s1.jsonl"} }, Mode: func() string { return "edits" }})
	s.Add(hooks, false)
	t.Cleanup(s.Close)
	return s, dir
}

// script writes a program and gives its path.
func script(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	// A process that is just being started would have the file open for writing, too, and
	// nobody could run it then.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func pre(command string) string { return event("PreToolUse", command) }

func event(name, command string) string {
	b, _ := json.Marshal(command)
	return fmt.Sprintf(`{%q:[{"hooks":[{"type":"command","command":%s}]}]}`, name, b)
}

func bash(command string) tools.Call {
	b, _ := json.Marshal(map[string]string{"command": command})
	return tools.Call{ID: "c1", Name: "run_bash", Input: string(b)}
}

func TestWhatAHookIsTold(t *testing.T) {
	s, dir := place(t, pre(`cat > told; echo "$FORGE_PROJECT_DIR|$CLAUDE_PROJECT_DIR|$FORGE_HOOK_EVENT|$PWD|$TEST_API_KEY|$CRUSH" > env`), User)
	t.Setenv("TEST_API_KEY", "sk-test")
	r := s.Before(t.Context(), bash("ls -l"), tools.Effect{})
	if r.Deny != "" || r.Notes != nil {
		t.Fatalf("%+v", r)
	}
	var told map[string]any
	b, err := os.ReadFile(filepath.Join(dir, "told"))
	if err == nil {
		err = json.Unmarshal(b, &told)
	}
	if err != nil || strings.Count(string(b), "\n") != 1 {
		t.Fatalf("not one line of JSON: %q %v", b, err)
	}
	for key, want := range map[string]any{"session_id": "s1", "transcript_path": "/t/s1.jsonl", "cwd": dir, "hook_event_name": "PreToolUse", "event": "PreToolUse",
		"tool_name": "Bash", "tool_use_id": "c1", "permission_mode": "acceptEdits", "forge_tool_name": "run_bash"} {
		if told[key] != want {
			t.Errorf("%s is %v, want %v", key, told[key], want)
		}
	}
	if in, _ := told["tool_input"].(map[string]any); in["command"] != "ls -l" {
		t.Errorf("tool_input: %v", told["tool_input"])
	}
	real, _ := filepath.EvalSymlinks(dir)
	if b, _ := os.ReadFile(filepath.Join(dir, "env")); strings.TrimSpace(string(b)) != strings.Join([]string{dir, dir, "PreToolUse", real, "", ""}, "|") &&
		strings.TrimSpace(string(b)) != strings.Join([]string{dir, dir, "PreToolUse", dir, "", ""}, "|") {
		t.Errorf("environment: %s", b)
	}
}

// Both shapes of an answer, and every exit code.
func TestAnswers(t *testing.T) {
	const specific = `{"hookSpecificOutput":{"hookEventName":"PreToolUse",`
	for _, c := range []struct {
		name, script string
		want         func(tools.Ruling) bool
	}{
		{"silence", `exit 0`, func(r tools.Ruling) bool { return r.Deny == "" && !r.Said.Ask && !r.Said.Vouch && r.Notes == nil }},
		{"exit 2", `echo no >&2; echo '{"decision":"approve"}'; exit 2`, func(r tools.Ruling) bool { return strings.HasSuffix(r.Deny, "forbids this: no") }},
		{"exit 2, silent", `exit 2`, func(r tools.Ruling) bool { return strings.Contains(r.Deny, "no reason") }},
		{"exit 1", `echo broken >&2; exit 1`, func(r tools.Ruling) bool {
			return r.Deny == "" && len(r.Notes) == 1 && strings.Contains(r.Notes[0], "exit code 1: broken")
		}},
		{"exit 49 means nothing here", `exit 49`, func(r tools.Ruling) bool { return r.Halt == "" && len(r.Notes) == 1 }},
		{"deny", `echo '` + specific + `"permissionDecision":"deny","permissionDecisionReason":"bad"}}'`, func(r tools.Ruling) bool { return strings.HasSuffix(r.Deny, ": bad") }},
		{"ask", `echo '` + specific + `"permissionDecision":"ask","permissionDecisionReason":"sure?"}}'`, func(r tools.Ruling) bool { return r.Said.Ask && r.Said.Reason == "sure?" && r.Deny == "" }},
		{"defer is ask", `echo '` + specific + `"permissionDecision":"defer"}}'`, func(r tools.Ruling) bool { return r.Said.Ask }},
		{"allow", `echo '` + specific + `"permissionDecision":"allow"}}'`, func(r tools.Ruling) bool { return r.Said.Vouch && !r.Said.Ask }},
		{"old block", `echo '{"decision":"block","reason":"old"}'`, func(r tools.Ruling) bool { return strings.HasSuffix(r.Deny, ": old") }},
		{"old approve", `echo '{"decision":"approve"}'`, func(r tools.Ruling) bool { return r.Said.Vouch }},
		{"both", `echo '{"decision":"approve",` + specific[1:] + `"permissionDecision":"deny"}}'`, func(r tools.Ruling) bool { return r.Deny != "" }},
		{"a key twice, the no first", `echo '{"decision":"block","reason":"x","decision":"allow"}'`, func(r tools.Ruling) bool { return r.Deny != "" && !r.Said.Vouch }},
		{"a key twice, the yes first", `echo '` + specific + `"permissionDecision":"allow","permissionDecision":"ask"}}'`, func(r tools.Ruling) bool { return r.Said.Ask && !r.Said.Vouch }},
		{"an object twice", `echo '` + specific + `"permissionDecision":"deny"},"hookSpecificOutput":{"permissionDecision":"allow"}}'`, func(r tools.Ruling) bool { return r.Deny != "" && !r.Said.Vouch }},
		{"stopped and not", `echo '{"continue":false,"continue":true,"stopReason":"enough"}'`, func(r tools.Ruling) bool { return r.Halt == "enough" }},
		{"nothing decided", `echo '{"decision":null,"continue":null}'`, func(r tools.Ruling) bool { return r.Deny == "" && r.Halt == "" && r.Notes == nil }},
		{"words before the decision", `echo looking; echo '{"decision":"block","reason":"x"}'`, func(r tools.Ruling) bool { return len(r.Notes) == 1 && strings.Contains(r.Notes[0], "stand alone") }},
		{"a list", `echo '[{"decision":"block","reason":"x"}]'`, func(r tools.Ruling) bool { return len(r.Notes) == 1 && strings.Contains(r.Notes[0], "stand alone") }},
		{"words with braces", `echo 'ok {"a":1}'; echo '{"a":1}'; echo '{'`, func(r tools.Ruling) bool { return r.Notes == nil }},
		{"arguments in a text", `echo '{"updated_input":"{\"command\":\"ls -l\"}"}'`, func(r tools.Ruling) bool { return r.Input == `{"command":"ls -l"}` }},
		{"arguments that are none", `echo '{"updated_input":"ls -l"}'`, func(r tools.Ruling) bool { return r.Input == "" && len(r.Notes) == 1 }},
		{"stop", `echo '{"continue":false,"stopReason":"enough"}'`, func(r tools.Ruling) bool { return r.Halt == "enough" }},
		{"words", `echo '{"systemMessage":"hello",` + specific[1:] + `"additionalContext":"more"}}'`, func(r tools.Ruling) bool {
			return r.Context == "more" && len(r.Notes) == 1 && strings.HasSuffix(r.Notes[0], ": hello")
		}},
		{"plain text", `echo checked`, func(r tools.Ruling) bool { return r.Context == "" && r.Notes == nil }},
		{"half JSON", `echo '{"decision":"blo'`, func(r tools.Ruling) bool {
			return r.Deny == "" && len(r.Notes) == 1 && strings.Contains(r.Notes[0], "is not understood")
		}},
		{"two objects", `echo '{"decision":"approve"}{"decision":"block"}'`, func(r tools.Ruling) bool { return !r.Said.Vouch && len(r.Notes) == 1 }},
		{"no such decision", `echo '{"decision":"yes please"}'`, func(r tools.Ruling) bool { return !r.Said.Vouch && len(r.Notes) == 1 }},
		{"a type that is none", `echo '{"continue":"no"}'`, func(r tools.Ruling) bool { return r.Halt == "" && len(r.Notes) == 1 }},
		{"too much", `head -c 2000000 /dev/zero | tr '\0' '{'`, func(r tools.Ruling) bool {
			return len(r.Notes) == 1 && strings.Contains(r.Notes[0], "more than 1048576 are not read")
		}},
		{"much too much", `yes '{"decision":"approve"}'`, func(r tools.Ruling) bool {
			return !r.Said.Vouch && len(r.Notes) == 1 && strings.Contains(r.Notes[0], "ended after 8 MB")
		}},
		{"much too many errors", `yes no >&2`, func(r tools.Ruling) bool { return r.Deny == "" && len(r.Notes) == 1 }},
		{"a long context is cut", `printf '{"hookSpecificOutput":{"additionalContext":"'; head -c 50000 /dev/zero | tr '\0' x; printf '"}}'`, func(r tools.Ruling) bool {
			return len(r.Context) < maxContext+100 && strings.Contains(r.Context, "bytes left out")
		}},
		{"what nobody sees is left out", `printf '{"systemMessage":"a\\u001b[31mb\\u202ec"}'`, func(r tools.Ruling) bool { return len(r.Notes) == 1 && strings.HasSuffix(r.Notes[0], ": a[31mbc") }},
		{"killed by itself", `kill -9 $$`, func(r tools.Ruling) bool {
			return len(r.Notes) == 1 && strings.Contains(r.Notes[0], "ended by a signal")
		}},
		{"not there", `./nothing/here.sh`, func(r tools.Ruling) bool { return len(r.Notes) == 1 && strings.Contains(r.Notes[0], "exit code 127") }},
		{"it reads nothing", `exec <&-; exit 0`, func(r tools.Ruling) bool { return r.Notes == nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, _ := place(t, pre(c.script), User)
			if r := s.Before(context.Background(), bash("ls"), tools.Effect{}); !c.want(r) {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestNotExecutable(t *testing.T) {
	s, dir := place(t, pre(`./check.sh`), User)
	script(t, dir, "check.sh", "#!/bin/sh\nexit 2\n")
	if err := os.Chmod(filepath.Join(dir, "check.sh"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := s.Before(t.Context(), bash("ls"), tools.Effect{}); len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "exit code 126") {
		t.Errorf("%+v", r)
	}
}

func TestStrictHooksForbidWhatTheyFailAt(t *testing.T) {
	for _, command := range []string{"exit 3", "sleep 60", `echo '{"x'`} {
		b, _ := json.Marshal(command)
		s, _ := place(t, fmt.Sprintf(`{"PreToolUse":[{"hooks":[{"command":%s,"timeout":0.2,"onFailure":"block"}]}]}`, b), User)
		if r := s.Before(t.Context(), bash("ls"), tools.Effect{}); !strings.Contains(r.Deny, "onFailure is block") {
			t.Errorf("%s: %+v", command, r)
		}
	}
}

// A script written for another agent, in what it reads and what it answers.
func TestScriptsOfOthersRunUnchanged(t *testing.T) {
	t.Run("claude", func(t *testing.T) {
		if _, err := exec.LookPath("python3"); err != nil {
			t.Skip("no python3")
		}
		s, dir := place(t, pre(`"$CLAUDE_PROJECT_DIR"/check.py`), User)
		script(t, dir, "check.py", `#!/usr/bin/env python3
import json, sys
d = json.load(sys.stdin)
if d["tool_name"] in ("Edit", "Write") and d["tool_input"]["file_path"].endswith(".env"):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "secrets"}}))
if d["tool_name"] == "Bash" and "npm " in d["tool_input"]["command"]:
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"command": d["tool_input"]["command"].replace("npm ", "pnpm ")}}}))
`)
		if r := s.Before(t.Context(), tools.Call{Name: "write_file", Input: `{"path":"x/.env","content":""}`}, tools.Effect{}); !strings.HasSuffix(r.Deny, "secrets") {
			t.Errorf("%+v", r)
		}
		if r := s.Before(t.Context(), bash("npm test"), tools.Effect{}); r.Input != `{"command":"pnpm test"}` || r.Said.Vouch {
			t.Errorf("%+v", r)
		}
	})
	t.Run("crush", func(t *testing.T) {
		s, dir := place(t, `{"PreToolUse":[{"matcher":"^bash$","command":"./no.sh"}]}`, User)
		script(t, dir, "no.sh", `#!/bin/sh
case "$CRUSH_TOOL_INPUT_COMMAND" in
*haskell*) echo "No Haskell." >&2; exit 2;;
*stop*) echo "over" >&2; exit 49;;
*npm*) echo '{"context":["a","b"],"updated_input":{"command":"bun test"}}';;
esac
`)
		if r := s.Before(t.Context(), bash("haskell x"), tools.Effect{}); !strings.HasSuffix(r.Deny, "No Haskell.") {
			t.Errorf("%+v", r)
		}
		if r := s.Before(t.Context(), bash("stop"), tools.Effect{}); r.Halt != "over" {
			t.Errorf("%+v", r)
		}
		r := s.Before(t.Context(), tools.Call{Name: "run_bash", Input: `{"command":"npm test","timeout":60}`}, tools.Effect{})
		if r.Input != `{"command":"bun test","timeout":60}` || r.Context != "a\nb" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("gemini", func(t *testing.T) {
		s, dir := place(t, `{"BeforeTool":[{"matcher":"run_shell_command","hooks":[{"name":"n","type":"command","command":"$GEMINI_PROJECT_DIR/b.sh","timeout":5000}]}],
			"AfterTool":[{"matcher":"read_file","hooks":[{"type":"command","command":"echo hidden >&2; exit 2"}]}]}`, User)
		script(t, dir, "b.sh", `#!/bin/sh
read -r in
case "$in" in *'"hook_event_name":"BeforeTool"'*) ;; *) echo "wrong event" >&2; exit 1;; esac
case "$in" in *'"tool_name":"run_shell_command"'*) echo '{"decision":"deny","reason":"not here"}';; esac
`)
		if r := s.Before(t.Context(), bash("ls"), tools.Effect{}); !strings.HasSuffix(r.Deny, "not here") {
			t.Errorf("%+v", r)
		}
		e := s.After(t.Context(), tools.Call{Name: "read_file", Input: `{"path":"x"}`}, tools.Effect{}, tools.Result{Text: "secret"}, 0)
		if !strings.HasSuffix(e.Instead, "hidden") {
			t.Errorf("%+v", e)
		}
	})
}

func TestAfterACall(t *testing.T) {
	s, dir := place(t, `{"PostToolUse":[{"matcher":"Write","hooks":[{"command":"cat > told; echo 'not formatted' >&2; exit 2"}]}],"PostToolUseFailure":[{"matcher":"Bash","hooks":[{"command":"cat > failed"}]}]}`, User)
	e := s.After(t.Context(), tools.Call{ID: "c", Name: "write_file", Input: `{"path":"x","content":"c"}`}, tools.Effect{}, tools.Result{Text: "wrote x"}, time.Second)
	if !strings.HasSuffix(e.Context, "objects: not formatted") || e.Instead != "" || len(e.Notes) != 1 {
		t.Errorf("%+v", e)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "told")); !strings.Contains(string(b), `"filePath":"`+dir+`/x"`) || !strings.Contains(string(b), `"success":true`) {
		t.Errorf("told: %s", b)
	}
	s.After(t.Context(), bash("false"), tools.Effect{}, tools.Result{Text: "exit code 1", IsError: true}, time.Second)
	if b, _ := os.ReadFile(filepath.Join(dir, "failed")); !strings.Contains(string(b), `"error":"exit code 1"`) {
		t.Errorf("failed: %s", b)
	}
}

// They run side by side: each waits for the other. The answers come in the order of the
// settings, and the same command runs once.
func TestSideBySideInOrderAndOnce(t *testing.T) {
	wait := func(mine, other, say string) string {
		return fmt.Sprintf(`touch %s; while [ ! -e %s ]; do sleep 0.01; done; echo "%s" >&2; exit 2`, mine, other, say)
	}
	a, _ := json.Marshal(wait("a", "b", "first"))
	b, _ := json.Marshal(wait("b", "a", "second"))
	s, dir := place(t, fmt.Sprintf(`{"PreToolUse":[{"matcher":"Bash","hooks":[{"command":%s},{"command":"echo x >> once"}]},{"hooks":[{"command":%s},{"command":"echo x >> once"}]}]}`, a, b), User)
	r := s.Before(t.Context(), bash("ls"), tools.Effect{})
	if first, second := strings.Index(r.Deny, "first"), strings.Index(r.Deny, "second"); first < 0 || second < first {
		t.Errorf("%+v", r)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "once")); string(b) != "x\n" {
		t.Errorf("it ran %d times", strings.Count(string(b), "x"))
	}
}

// pidIn waits for a file to hold the number of a process.
func pidIn(t *testing.T, path string) int {
	t.Helper()
	for range 2000 {
		if b, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(b), "\n") {
			pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("nothing came to %s", path)
	return 0
}

// over waits until a process is gone, or only a name in the table.
func over(pid int) bool {
	for range 2000 {
		if syscall.Kill(pid, 0) != nil {
			return true
		}
		if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(b), ") Z ") {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// grandchild starts one that leaves its group where that can be done, and hangs.
const grandchild = `{ setsid sh -c 'echo $$ > child; exec sleep 600' || sh -c 'echo $$ > child; exec sleep 600'; } & trap '' INT TERM; while :; do sleep 1; done`

func TestTimeoutEndsTheWholeTree(t *testing.T) {
	b, _ := json.Marshal(grandchild)
	s, dir := place(t, fmt.Sprintf(`{"PreToolUse":[{"hooks":[{"command":%s,"timeout":1}]}]}`, b), User)
	r := s.Before(t.Context(), bash("ls"), tools.Effect{})
	if r.Deny != "" || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "ended after 1s") {
		t.Errorf("%+v", r)
	}
	if pid := pidIn(t, filepath.Join(dir, "child")); !over(pid) {
		t.Errorf("process %d is still there", pid)
	}
}

func TestEscAndTheWayOutEndIt(t *testing.T) {
	for name, end := range map[string]func(*Set, context.CancelFunc){
		"esc":         func(_ *Set, cancel context.CancelFunc) { cancel() },
		"the way out": func(s *Set, _ context.CancelFunc) { s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := place(t, pre(grandchild), User)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan tools.Ruling)
			go func() { done <- s.Before(ctx, bash("ls"), tools.Effect{}) }()
			pid := pidIn(t, filepath.Join(dir, "child"))
			end(s, cancel)
			<-done
			if !over(pid) {
				t.Errorf("process %d is still there", pid)
			}
		})
	}
}

// A process of the hook's that holds its streams does not hold up the answer.
func TestWhatIsLeftInTheBackground(t *testing.T) {
	s, dir := place(t, pre(`sleep 600 & echo $! > child; echo no >&2; exit 2`), User)
	if r := s.Before(t.Context(), bash("ls"), tools.Effect{}); !strings.HasSuffix(r.Deny, "no") {
		t.Errorf("%+v", r)
	}
	if err := syscall.Kill(pidIn(t, filepath.Join(dir, "child")), syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

func TestAsyncIsNotWaitedFor(t *testing.T) {
	s, dir := place(t, `{"PreToolUse":[{"hooks":[{"command":"while [ ! -e go ]; do sleep 0.01; done; echo 5 > out; exit 2","async":true}]}]}`, User)
	if r := s.Before(t.Context(), bash("ls"), tools.Effect{}); r.Deny != "" {
		t.Errorf("%+v", r)
	}
	script(t, dir, "go", "")
	for range 2000 {
		if !s.List()[0].Last.At.IsZero() {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if last := s.List()[0].Last; !strings.HasPrefix(last.What, "denied") {
		t.Errorf("%+v", last)
	}
}

// A guard of the person's own that waits for trust is not switched off by that: what it
// was to look at is asked about.
func TestOwnGuardThatWaits(t *testing.T) {
	s, dir := place(t, `{}`, User)
	hooks, _ := Parse([]byte(pre(`touch ran; echo '{"decision":"approve"}'`)), Source{User, "forge.json"})
	s.Add(hooks, true)
	if s.Concern(bash("ls")) == "" {
		t.Fatal("nobody is concerned")
	}
	r := s.Before(t.Context(), bash("ls"), tools.Effect{})
	if !r.Said.Ask || r.Said.Vouch || !strings.Contains(r.Said.Reason, "not trusted") {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("it ran")
	}
	if err := s.Switch(0, false); err != nil {
		t.Fatal(err)
	}
	if r := s.Before(t.Context(), bash("ls"), tools.Effect{}); r.Said.Ask {
		t.Error("it asks though it is off")
	}
}

func TestPathHasNoFolderOfTheWorkspace(t *testing.T) {
	t.Setenv("PATH", "."+string(os.PathListSeparator)+"bin"+string(os.PathListSeparator)+os.Getenv("PATH")+string(os.PathListSeparator))
	s, dir := place(t, pre("grep -q x; exit 0"), User)
	script(t, dir, "grep", "#!/bin/sh\ntouch pwned\n")
	if r := s.Before(t.Context(), bash("ls"), tools.Effect{}); r.Notes != nil {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("the folder's own grep ran")
	}
}

// A folder of the workspace in PATH, as an activated environment has it, and the line of
// Python that looks for its modules where it runs.
func TestAFolderDoesNotSayWhatAProgramIs(t *testing.T) {
	s, dir := place(t, `{"PreToolUse":[{"hooks":[{"command":"grep -q x; exit 0"},{"command":"grep","args":["-q",""]},{"command":"python3 -c 'import json' || exit 0"},{"command":"printenv PYTHONSAFEPATH > safe; exit 0"},
		{"command":"printenv PYTHONSAFEPATH > own; exit 0","pass":["PYTHONSAFEPATH"]},{"command":"sh -c 'printenv PYTHONSAFEPATH > beside; exit 0' -- python3 /nowhere/x.py"}]}]}`, User)
	old := exec.Command("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 11))").Run() // knows nothing of it
	bin := filepath.Join(dir, ".venv", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"grep", "bash", "sh"} {
		script(t, bin, name, "#!/bin/sh\ntouch pwned\n")
	}
	script(t, bin, "python3", "#!/bin/sh\ntouch pwned\n")
	script(t, dir, "json.py", "open('pwned', 'w')\n")
	if r := s.Before(t.Context(), bash("ls"), tools.Effect{}); r.Notes != nil {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil && old == nil {
		t.Error("a program or a module of the folder ran")
	}
	for name, want := range map[string]string{"safe": "1\n", "own": "", "beside": ""} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

// Numbers that no float holds come back as they were.
func TestLargeNumbersAreKept(t *testing.T) {
	s, _ := place(t, `{"PreToolUse":[{"hooks":[{"command":"printf '{\"hookSpecificOutput\":{\"updatedInput\":'; sed 's/.*\"tool_input\":\\({[^}]*}\\).*/\\1/' | tr -d '\\n'; printf '}}'"}]}]}`, User)
	call := tools.Call{Name: "mcp__db__get", Input: `{"id":9007199254740993,"n":1e400,"x":1.0}`}
	if r := s.Before(t.Context(), call, tools.Effect{}); r.Input != "" || r.Notes != nil {
		t.Errorf("%+v", r)
	}
	s, _ = place(t, pre(`echo '{"updated_input":{"id":9007199254740993}}'`), User)
	if r := s.Before(t.Context(), call, tools.Effect{}); r.Input != `{"id":9007199254740993}` {
		t.Errorf("%+v", r)
	}
}

func TestWaitingAndSwitchedOffDoNotRun(t *testing.T) {
	s, _ := place(t, `{}`, Project)
	hooks, _ := Parse([]byte(pre(`exit 2`)), Source{Project, ".claude/settings.json"})
	s.Add(hooks, true)
	if r := s.Before(t.Context(), bash("ls"), tools.Effect{}); r.Deny != "" || s.Has(PreToolUse) {
		t.Errorf("it ran untrusted: %+v", r)
	}
	if n := s.Trust(func(*Hook) bool { return true }); n != 1 || s.Waiting() {
		t.Fatal("it still waits")
	}
	if r := s.Before(t.Context(), bash("ls"), tools.Effect{}); r.Deny == "" {
		t.Error("it does not run though it is trusted")
	}
	if err := s.Switch(0, false); err != nil {
		t.Fatal(err)
	}
	if r := s.Before(t.Context(), bash("ls"), tools.Effect{}); r.Deny != "" {
		t.Errorf("it ran though it is off: %+v", r)
	}
	if s.Switch(1, true) == nil || s.Switch(-1, true) == nil {
		t.Error("a hook that is not there was switched")
	}
}

// A script of the workspace that is another one now does not run, and what it guarded
// is asked about.
// A script that was not there when it was looked for runs for nobody once it is.
func TestAScriptThatComesLater(t *testing.T) {
	hash := func(path string) (string, error) { return "", fs.ErrNotExist }
	dir := t.TempDir()
	s := New(Options{Dir: dir, Hash: func(path string) (string, error) { return hash(path) }})
	t.Cleanup(s.Close)
	hooks, _ := Parse([]byte(pre(`if test -x ./later.sh; then ./later.sh; fi`)), Source{User, "settings"})
	hooks[0].Needs = map[string]string{"later.sh": ""}
	s.Add(hooks, false)
	if r := s.Before(t.Context(), bash("ls"), tools.Effect{}); r.Notes != nil || r.Said.Ask {
		t.Errorf("without it: %+v", r)
	}
	if !s.Obeys("later.sh") || s.Obeys("other.sh") {
		t.Error("who writes it is not known to change a hook")
	}
	script(t, dir, "later.sh", "#!/bin/sh\ntouch pwned\n")
	hash = func(string) (string, error) { return "x", nil }
	if r := s.Before(t.Context(), bash("ls"), tools.Effect{}); !r.Said.Ask || len(r.Notes) != 1 {
		t.Errorf("with it: %+v", r)
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("it ran")
	}
}

func TestChangedScript(t *testing.T) {
	s, dir := place(t, `{}`, Project)
	script(t, dir, "check.sh", "#!/bin/sh\nexit 0\n")
	hash := func(path string) (string, error) {
		b, err := os.ReadFile(filepath.Join(dir, path))
		return string(b), err
	}
	s.o.Hash = hash
	hooks, _ := Parse([]byte(pre(`./check.sh`)), Source{Project, "x"})
	hooks[0].Needs = map[string]string{"check.sh": "#!/bin/sh\nexit 0\n"}
	s.Add(hooks, false)
	if r := s.Before(t.Context(), bash("ls"), tools.Effect{}); r.Said.Ask || r.Notes != nil {
		t.Fatalf("%+v", r)
	}
	script(t, dir, "check.sh", "#!/bin/sh\ntouch pwned\necho '{\"decision\":\"approve\"}'\n")
	r := s.Before(t.Context(), bash("ls"), tools.Effect{})
	if !r.Said.Ask || r.Said.Vouch || len(r.Notes) != 1 || !strings.Contains(r.Said.Reason, "check.sh is not what was trusted any more") {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
		t.Error("the other script ran")
	}
}

func TestMoments(t *testing.T) {
	s, dir := place(t, `{"UserPromptSubmit":[{"matcher":"Bash","hooks":[{"command":"cat > p; echo plain context"}]}],
		"SessionStart":[{"matcher":"startup","hooks":[{"command":"echo started"}]},{"matcher":"resume","hooks":[{"command":"echo resumed; exit 2"}]}],
		"Stop":[{"hooks":[{"command":"cat > s; echo 'tests are red' >&2; exit 2"}]}],
		"SubagentStop":[{"matcher":"explore","hooks":[{"command":"cat > sub; echo '{\"decision\":\"block\",\"reason\":\"more\"}'"}]}],
		"PreCompact":[{"matcher":"manual","hooks":[{"command":"exit 2"}]}],
		"SessionEnd":[{"hooks":[{"command":"cat > end"}]}],
		"Notification":[{"matcher":"permission_prompt","hooks":[{"command":"cat > note; echo '{\"systemMessage\":\"rang\"}'"}]}]}`, User)
	s.o.Mask = func(t string) string { return strings.ReplaceAll(t, "hunter2", "[secret]") }
	ctx := t.Context()
	holds := func(file, want string) {
		t.Helper()
		if b, _ := os.ReadFile(filepath.Join(dir, file)); !strings.Contains(string(b), want) {
			t.Errorf("%s holds %s, want %s", file, b, want)
		}
	}
	if w := s.Prompt(ctx, "my password is hunter2"); w.Context != "plain context" || w.Block != "" {
		t.Errorf("prompt: %+v", w)
	}
	holds("p", `"prompt":"my password is [secret]"`)
	if w := s.Started(ctx, "startup", "m"); w.Context != "started" {
		t.Errorf("started: %+v", w)
	}
	if w := s.Started(ctx, "resume", "m"); w.Block != "" || len(w.Notes) != 1 {
		t.Errorf("a start is never blocked: %+v", w)
	}
	if w := s.Rest(ctx, true, "done", "", Session{}); !strings.HasSuffix(w.Block, ": tests are red") {
		t.Errorf("rest: %+v", w)
	}
	holds("s", `"stop_hook_active":true`)
	if w := s.Rest(ctx, false, "done", "explore", Session{"k", "/t/k"}); !strings.HasSuffix(w.Block, ": more") {
		t.Errorf("sub-agent: %+v", w)
	}
	holds("sub", `"agent_transcript_path":"/t/k"`)
	if w := s.Compact(ctx, true, 5); w.Block != "" {
		t.Errorf("auto: %+v", w)
	}
	if w := s.Compact(ctx, false, 5); w.Block == "" {
		t.Errorf("manual: %+v", w)
	}
	s.Ended(ctx, "prompt_input_exit", Session{ID: "old"})
	holds("end", `"reason":"prompt_input_exit","session_id":"old"`)
	told := make(chan Word, 1)
	s.Notified("permission_prompt", "t", "hunter2?", func(w Word) { told <- w })
	if w := <-told; len(w.Notes) != 1 || !strings.HasSuffix(w.Notes[0], "rang") {
		t.Errorf("notified: %+v", w)
	}
	holds("note", `"message":"[secret]?"`)
}

// A forge that is killed leaves no hook: the guardian ends it.
func TestKilledForgeLeavesNothing(t *testing.T) {
	if _, err := os.Stat("/proc/self/exe"); err != nil {
		t.Skip("no guardian on this system")
	}
	dir := t.TempDir()
	cmd := exec.Command("/proc/self/exe", "-test.run", "none")
	cmd.Env = append(os.Environ(), hangingEnv+"="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	child := pidIn(t, filepath.Join(dir, "child"))
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if !over(child) {
		t.Errorf("process %d is still there", child)
	}
}

// hangingEnv makes this test program a forge whose hook hangs, in the folder it names.
const hangingEnv = "TEST_HANGING_HOOK"

func TestMain(m *testing.M) {
	if sandbox.Guard(os.Args[1:], os.Stdin) {
		return
	}
	if dir := os.Getenv(hangingEnv); dir != "" {
		s := New(Options{Dir: dir, Guardian: sandbox.NewGuardian("/proc/self/exe")})
		hooks, _ := Parse([]byte(pre(grandchild)), Source{User, "x"})
		s.Add(hooks, false)
		s.Before(context.Background(), bash("ls"), tools.Effect{})
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A session may end while somebody is told something: what begins is waited for, or does
// not begin.
func TestClosedWhileHooksBegin(t *testing.T) {
	_, dir := place(t, `{}`, User)
	for range 200 { // the race detector sees it only where they meet
		s := New(Options{Dir: dir})
		s.Add([]Hook{{Event: Notification, Command: "true"}}, false)
		var told atomic.Int32
		var closed atomic.Bool
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				s.Notified("kind", "title", "message", func(Word) {
					told.Add(1)
					if closed.Load() {
						t.Error("it is told of after the end")
					}
				})
			})
		}
		wg.Go(func() {
			s.Close()
			closed.Store(true)
		})
		wg.Wait()
		n := told.Load()
		s.Notified("kind", "title", "message", func(Word) { told.Add(1) })
		if s.Close(); told.Load() != n { // which would have waited for it
			t.Error("it begins after the end")
		}
	}
}
