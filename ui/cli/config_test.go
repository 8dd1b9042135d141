package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConfigEdit(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "forge", "forge.json")
	editor := filepath.Join(dir, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\necho '{\"model\": 3}' > \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", "")
	t.Setenv("EDITOR", "/bin/sh "+editor)
	var out, errs strings.Builder
	run := func(problems []string, args ...string) error {
		out.Reset()
		errs.Reset()
		root := Root(Options{Out: &out, Err: &errs, Config: ConfigOptions{
			File:     func() (string, error) { return file, nil },
			Problems: func(string) []string { return problems },
			Keys: func() ([]KeyAction, error) {
				return []KeyAction{{"screen.todos", "todo list", []string{"f2"}, []string{"ctrl+t"}}, {"prompt.undo", "undo", nil, []string{"ctrl+_"}},
					{"prompt.redo", "redo", []string{"alt+_"}, []string{"alt+_"}}}, nil
			},
			List: func(Flags) ([]Setting, error) {
				return []Setting{{Name: "model", Value: `"m"`, Source: "f"}, {Name: "wire", About: "what", Default: "d"}}, nil
			},
		}})
		root.SetArgs(args)
		return root.Execute()
	}
	if err := run([]string{"model must be text"}, "config", "edit"); err == nil || !strings.Contains(errs.String(), "model must be text") {
		t.Errorf("%v, %s", err, errs.String())
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "{\"model\": 3}\n" {
		t.Errorf("%s, %v", b, err)
	}
	if err := run(nil, "config", "edit"); err != nil {
		t.Error(err)
	}
	if err := run(nil, "config", "get", "model"); err != nil || out.String() != "m\n" {
		t.Errorf("%v, %q", err, out.String())
	}
	if err := run(nil, "config", "get", "wire"); err == nil {
		t.Error("an unset value was printed")
	}
	if err := run(nil, "config", "list"); err != nil || !strings.Contains(out.String(), "model  m  f\n") || !strings.Contains(out.String(), "what; unset: d") {
		t.Errorf("%v, %q", err, out.String())
	}
	if err := run(nil, "config", "list", "--json"); err != nil || !strings.Contains(out.String(), `"value": null`) {
		t.Errorf("%v, %q", err, out.String())
	}
	if err := run(nil, "config", "keys"); err != nil || out.String() != "screen.todos  f2     todo list; unset: ctrl+t\nprompt.undo   -      undo; unset: ctrl+_\nprompt.redo   alt+_  redo\n" {
		t.Errorf("%v, %q", err, out.String())
	}
	if err := run(nil, "config", "keys", "prompt", "--json"); err != nil || strings.Contains(out.String(), "todos") || !strings.Contains(out.String(), `"keys": []`) {
		t.Errorf("%v, %q", err, out.String())
	}
	if err := run(nil, "config", "keys", "nothing"); err == nil {
		t.Error("no word of an action that is not there")
	}
}
