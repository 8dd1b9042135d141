package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"forge/agent/session"
	"forge/compact"
	"forge/provider/demo"
	"forge/tools"
	"forge/tools/builtin"
	"forge/tools/sandbox"
)

// A scripted model works with the real tools on real files: what it read, what
// two edits of one turn made, what went wrong and was told.
const fixing = `
expect user mend it
text I'll look at both files.
call read_file {"path":"a.go"}
call read_file {"path":"b.go"}
call read_file {"path":"c.go"}
end

expect result[read_file] old one
expect failed[read_file]
think Two changes of one file compose.
call edit_file {"path":"a.go","edits":[{"old_string":"old one","new_string":"new one"}]}
call edit_file {"path":"a.go","edits":[{"old_string":"old two","new_string":"new two"}]}
rawcall edit_file {"path":"b.go","edits":[
call write_file {"path":"sub/new.go","content":"package sub\n"}
end

expect failed[edit_file]
expect not result[edit_file] not run: not run
call read_file {"path":"a.go"}
end

expect result[read_file] new two
text Done.
end

aside
text ## Goal
  mend it
end
`

func TestScriptWithRealTools(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.go"), "package a\n// old one\n// old two\n")
	long := "package b\n" + strings.Repeat("// a line of many words that says little\n", 500)
	put(t, filepath.Join(dir, "b.go"), long)
	ws, err := sandbox.OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	reg, err := tools.NewRegistry(builtin.All(&builtin.Env{Workspace: ws})...)
	if err != nil {
		t.Fatal(err)
	}
	script, err := demo.Parse(strings.NewReader(fixing))
	if err != nil {
		t.Fatal(err)
	}
	p := demo.New(script, demo.Options{})
	s, err := session.Create(t.TempDir(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a := New(Options{Provider: p, Model: demo.Model(), Exec: &tools.Executor{Tools: reg, Guard: allow{}}, Session: s,
		System:  SystemPrompt(PromptOptions{Cwd: dir, Tools: reg.Names()}),
		Compact: compact.New(compact.Options{Provider: p, Model: demo.Model(), Keep: 40})})
	var told tape
	if err := a.Run(t.Context(), Prompt{Text: "mend it"}, told.sink); err != nil {
		t.Fatalf("%v\n%s", err, &told)
	}
	for name, want := range map[string]string{"a.go": "package a\n// new one\n// new two\n", "b.go": long, "sub/new.go": "package sub\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	changed := 0
	for _, e := range told.events {
		if e, ok := e.(ToolEnd); ok {
			changed += len(e.Changes)
		}
	}
	if changed != 3 {
		t.Errorf("%d changes were shown", changed)
	}
	if err := session.Check(a.History()); err != nil {
		t.Error(err)
	}
	if got := a.Totals(); got.Turns != 4 || !got.CostKnown || got.Usage.Input == 0 {
		t.Errorf("totals %+v", got)
	}
	if err := a.Compact(t.Context(), "", told.sink); err != nil {
		t.Fatal(err)
	}
	if first := a.History()[0].PlainText(); !strings.Contains(first, "## Goal\nmend it") || !strings.Contains(first, "word for word:\nmend it") {
		t.Errorf("summary %q", first)
	}
}
