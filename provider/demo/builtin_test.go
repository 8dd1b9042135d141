package demo

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"forge/provider"
)

// do is the simplest hands there are, for the calls the script makes.
func do(t *testing.T, dir string, u provider.ToolUse) provider.ToolResult {
	t.Helper()
	var in struct {
		Path, Pattern, Command string
		Edits                  []struct {
			Old string `json:"old_string"`
			New string `json:"new_string"`
		}
	}
	if err := json.Unmarshal([]byte(u.Input), &in); err != nil {
		t.Fatalf("%s: %v", u.Name, err)
	}
	r := provider.ToolResult{ID: u.ID}
	say := func(s string, failed bool) provider.ToolResult {
		r.Content, r.IsError = []provider.Block{provider.Text{Text: s}}, failed
		return r
	}
	switch u.Name {
	case "read_file":
		b, err := os.ReadFile(filepath.Join(dir, in.Path))
		if err != nil {
			t.Fatal(err)
		}
		return say(string(b), false)
	case "grep":
		return say(in.Pattern, false)
	case "run_bash":
		cmd := exec.Command("sh", "-c", in.Command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return say(string(out), err != nil)
	case "edit_file":
		path := filepath.Join(dir, in.Path)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		for _, e := range in.Edits {
			if strings.Count(text, e.Old) != 1 {
				return say("old text found "+e.Old, true)
			}
			text = strings.Replace(text, e.Old, e.New, 1)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return say("edited", false)
	}
	t.Fatalf("unknown tool %s", u.Name)
	return r
}

// run plays the built-in script to its rest; refuse names the tools not allowed.
func run(t *testing.T, dir string, refuse ...string) (last provider.Message, calls []string) {
	t.Helper()
	p := New(Builtin(), Options{})
	ms := []provider.Message{provider.UserText("find the bug")}
	for range 10 {
		m, err := ask(t, p, ms...)
		if err != nil {
			t.Fatal(err)
		}
		ms = append(ms, m)
		uses := m.ToolUses()
		if len(uses) == 0 {
			return m, calls
		}
		answer := provider.Message{Role: provider.User}
		var names []string
		for _, u := range uses {
			names = append(names, u.Name)
			r := provider.ToolResult{ID: u.ID, IsError: true, Content: []provider.Block{provider.Text{Text: "not run: the user declined"}}}
			if !strings.Contains(strings.Join(refuse, " "), u.Name) {
				r = do(t, dir, u)
			}
			answer.Blocks = append(answer.Blocks, r)
		}
		calls = append(calls, strings.Join(names, "+"))
		ms = append(ms, answer)
	}
	t.Fatal("the script does not rest")
	return
}

// TestBuiltinFixesARealBug plays the demo with a real Go module and the real go
// command: its test must fail, then pass, and the script must notice both.
func TestBuiltinFixesARealBug(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
	dir := filepath.Join(t.TempDir(), "laps")
	if err := WriteSample(dir); err != nil {
		t.Fatal(err)
	}
	m, calls := run(t, dir)
	if got := strings.Join(calls, " "); got != "grep+read_file run_bash edit_file run_bash" {
		t.Errorf("calls: %s", got)
	}
	for _, want := range []string{"## ", "| ", "```go", "- "} {
		if !strings.Contains(m.PlainText(), want) {
			t.Errorf("the answer has no %q:\n%s", want, m.PlainText())
		}
	}
	if !strings.HasPrefix(m.PlainText(), "## The median is fixed") {
		t.Errorf("%s", m.PlainText())
	}
	if err := WriteSample(dir); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("overwrote a file: %v", err)
	}
}

// TestBuiltinTakesNo: whatever is refused, the words stay true.
func TestBuiltinTakesNo(t *testing.T) {
	dir := t.TempDir()
	if err := WriteSample(dir); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(filepath.Join(dir, "stats.go"))
	m, _ := run(t, dir, "edit_file", "run_bash")
	after, _ := os.ReadFile(filepath.Join(dir, "stats.go"))
	if string(before) != string(after) || !strings.Contains(m.PlainText(), "stays as it is") {
		t.Errorf("%s", m.PlainText())
	}
	m, calls := run(t, dir, "run_bash")
	if !strings.Contains(m.PlainText(), "not checked") || calls[len(calls)-1] != "run_bash" {
		t.Errorf("%v %s", calls, m.PlainText())
	}
}

func TestSampleIsNoPartOfThisModule(t *testing.T) {
	files, _ := filepath.Glob("sample/*")
	for _, f := range files {
		if !strings.HasSuffix(f, ".txt") {
			t.Errorf("%s would be compiled, or would split the module", f)
		}
	}
	if len(files) != 5 {
		t.Errorf("%d files", len(files))
	}
}
