package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	put(t, dir+"/b.txtar", "a comment\n-- task.json --\n{\"prompt\":\"p\",\"checks\":[{\"answer\":\"x\"}]}\n-- demo.script --\ntext x\nend\n-- workspace/sub/f.txt --\none\n-- no name\n-- workspace/g --\n")
	put(t, dir+"/a/task.json", `{"prompt":"p","turns":3,"checks":[{"run":"true"}]}`)
	put(t, dir+"/a/workspace/h.bin", "\x00\x01")
	put(t, dir+"/README.md", "no task")
	put(t, dir+"/other/x.txt", "no task either")
	tasks, err := Load(dir)
	if err != nil || len(tasks) != 2 {
		t.Fatalf("%+v, %v", tasks, err)
	}
	if a, b := tasks[0], tasks[1]; a.Name != "a" || a.Turns != 3 || string(a.Files["h.bin"]) != "\x00\x01" || len(a.Script) != 0 ||
		b.Name != "b" || string(b.Script) != "text x\nend\n" || string(b.Files["sub/f.txt"]) != "one\n-- no name\n" || len(b.Files["g"]) != 0 || len(b.Files) != 2 {
		t.Errorf("%+v", tasks)
	}
	for text, want := range map[string]string{
		"":                               "it has no task.json",
		"-- task.json --\n{\n\"prompt\"": "task.json, line",
		"-- task.json --\n{\"promt\":1}": "unknown field \"promt\"",
		"-- task.json --\n{\"prompt\":\" \",\"checks\":[{\"run\":\"x\"}]}":                            "its prompt is empty",
		"-- task.json --\n{\"prompt\":\"p\"}":                                                         "it has no checks",
		"-- task.json --\n{\"prompt\":\"p\",\"checks\":[{}]}":                                         "check 1: a check has one of",
		"-- task.json --\n{\"prompt\":\"p\",\"checks\":[{\"answer\":\"(\"}]}":                         "check 1: error parsing",
		"-- task.json --\n{\"prompt\":\"p\",\"checks\":[{\"file\":\"../x\"}]}":                        "leads out of the workspace",
		"-- task.json --\n{\"prompt\":\"p\",\"checks\":[{\"run\":\"x\",\"absent\":true}]}":            "are of a file",
		"-- task.json --\n{\"prompt\":\"p\",\"checks\":[{\"run\":\"x\"}]}\n-- workspace/../../x --\n": "leads out of the workspace",
		"-- a --\n-- a --\n": "stands in it twice",
	} {
		bad := t.TempDir()
		put(t, bad+"/t.txtar", text)
		if _, err := Load(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "there are no tasks") {
		t.Error(err)
	}
	put(t, dir+"/a.txtar", "-- task.json --\n{\"prompt\":\"p\",\"checks\":[{\"run\":\"x\"}]}")
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "two of this name") {
		t.Error(err)
	}
}

// program is a shell script in forge's place; it runs in the task's workspace.
func program(t *testing.T, body string) []string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("it is a shell script")
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "forge")
	put(t, path, "while [ $# -gt 0 ]; do case $1 in -C) cd \"$2\"; shift;; esac; shift; done\n"+body)
	return []string{sh, path}
}

func shell(ctx context.Context, dir, command string) (string, bool, error) {
	c := exec.CommandContext(ctx, "sh", "-c", command)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err == nil, nil
}

const said = `echo '{"type":"result","exit_code":0,"text":"it is 42","turns":2,"cost_usd":0.25,"provider":"p","model":"m","usage":{"prompt_tokens":100,"completion_tokens":7}}'`

func TestChecks(t *testing.T) {
	forge := program(t, "echo changed > a.txt; rm b.txt; ln -s /etc/passwd link\n"+said)
	text := "changed"
	files := map[string][]byte{"a.txt": []byte("as it was\n"), "b.txt": nil, "c.txt": []byte("left\n")}
	for _, c := range []struct {
		check Check
		ok    bool
	}{
		{Check{Answer: "\\b42\\b"}, true},
		{Check{Answer: "43"}, false},
		{Check{Run: "grep -q changed a.txt"}, true},
		{Check{Run: "grep -q nothing a.txt"}, false},
		{Check{Run: "cat a.txt", Matches: "changed", Lacks: "was"}, true},
		{Check{Run: "cat a.txt", Lacks: "changed"}, false},
		{Check{File: "a.txt", Equals: &text}, true},
		{Check{File: "c.txt", Equals: &text}, false},
		{Check{File: "a.txt", Unchanged: true}, false},
		{Check{File: "c.txt", Unchanged: true}, true},
		{Check{File: "b.txt", Absent: true}, true},
		{Check{File: "c.txt", Absent: true}, false},
		{Check{File: "a.txt", Matches: "^changed"}, true},
		{Check{File: "b.txt"}, false},
		{Check{File: "c.txt"}, true},
		{Check{File: "link", Matches: "."}, false}, // a way out is none
	} {
		r, err := Run(t.Context(), []Task{{Name: "t", Prompt: "p", Checks: []Check{c.check}, Files: files}}, Options{Forge: forge, Check: shell, Scratch: t.TempDir()})
		if err != nil || r.Results[0].Passed != c.ok || r.Results[0].Checks[0].OK != c.ok {
			t.Errorf("%s: %+v, %v", c.check, r.Results[0], err)
		}
	}
}

func TestRunReportsWhatHappened(t *testing.T) {
	always := []Check{{Run: "true"}}
	scratch := t.TempDir()
	run := func(body string, task Task, o Options) Result {
		t.Helper()
		o.Forge, o.Check, o.Scratch = program(t, body), shell, scratch
		task.Name, task.Prompt, task.Checks = "t", "p", always
		r, err := Run(t.Context(), []Task{task}, o)
		if err != nil {
			t.Fatal(err)
		}
		return r.Results[0]
	}
	if r := run(said, Task{}, Options{}); !r.Passed || r.Turns != 2 || *r.USD != 0.25 || r.Input != 100 || r.Output != 7 || r.Model != "m" || r.Text != "it is 42" {
		t.Errorf("%+v", r)
	}
	if r := run("echo '{\"exit_code\":4,\"error\":{\"message\":\"turn limit\"}}'; exit 4", Task{}, Options{}); r.Passed || r.ExitCode != 4 || r.Error != "turn limit" {
		t.Errorf("at a limit: %+v", r)
	}
	if r := run("echo '{\"exit_code\":3}'; exit 3", Task{}, Options{}); !r.Passed {
		t.Errorf("a refusal that did not matter: %+v", r)
	}
	if r := run("echo no key >&2; exit 1", Task{}, Options{}); r.Passed || !strings.Contains(r.Error, "no key") {
		t.Errorf("no answer: %+v", r)
	}
	if r := run("echo nonsense", Task{}, Options{}); r.Passed || !strings.Contains(r.Error, "no JSON") {
		t.Errorf("nonsense: %+v", r)
	}
	if r := run("trap 'exit 130' INT; while :; do sleep 0.05; done", Task{Time: 1}, Options{}); r.Passed || !strings.Contains(r.Error, "stopped after 1 seconds") {
		t.Errorf("too long: %+v", r)
	}
	if r := run(said, Task{}, Options{Demo: true}); r.Passed || !r.Skipped {
		t.Errorf("no script: %+v", r)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if r := run(said, Task{Files: map[string][]byte{"f": nil}}, Options{Keep: true}); r.Folder == "" {
		t.Error("the copy was not kept")
	} else if _, err := os.Stat(filepath.Join(r.Folder, "workspace", "f")); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := Run(ctx, []Task{{Name: "t", Checks: always}}, Options{Forge: program(t, said), Check: shell})
	if err == nil || r.Passed != 0 || r.Failed != 1 {
		t.Errorf("interrupted: %+v, %v", r, err)
	}
}

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestReportsAreCompared(t *testing.T) {
	usd := 0.5
	a := newReport(t0, []Result{{Task: "x", Passed: true, Turns: 1, USD: &usd}, {Task: "y"}, {Task: "z", Passed: true}, {Task: "s", Skipped: true}, {Task: "old", Passed: true}})
	b := newReport(t0, []Result{{Task: "x"}, {Task: "y", Passed: true}, {Task: "z", Passed: true}, {Task: "s", Passed: true}, {Task: "new"}})
	if a.Passed != 3 || a.Failed != 1 || a.Skipped != 1 || a.USD == nil || *a.USD != 0.5 {
		t.Errorf("%+v", a)
	}
	want := map[string]string{"x": "broken", "y": "fixed", "z": "same", "s": "new", "old": "gone", "new": "new"}
	for _, c := range Compare(a, b) {
		if c.Verdict() != want[c.Task] {
			t.Errorf("%s: %s", c.Task, c.Verdict())
		}
		delete(want, c.Task)
	}
	if len(want) > 0 {
		t.Errorf("not compared: %v", want)
	}
	path := filepath.Join(t.TempDir(), "r.json")
	var buf bytes.Buffer
	if err := a.Write(&buf); err != nil || !json.Valid(buf.Bytes()) {
		t.Fatal(err)
	}
	put(t, path, buf.String())
	if got, err := ReadReport(path); err != nil || len(got.Results) != 5 || got.Passed != 3 {
		t.Errorf("%+v, %v", got, err)
	}
	for text, want := range map[string]string{"{}": "no report", `{"version":99}`: "newer forge", "[": "read report"} {
		put(t, path, text)
		if _, err := ReadReport(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What copies a program's output looks for faster ways in than Write; there are none.
func TestAHeadIsBounded(t *testing.T) {
	h := &head{most: 3}
	if n, err := io.Copy(h, struct{ io.Reader }{strings.NewReader("abcdef")}); n != 6 || err != nil || h.kept.String() != "abc" {
		t.Errorf("%d %v %q", n, err, h.kept.String())
	}
}
