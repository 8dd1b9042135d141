package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestBindings(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "forge.json")
	write := func(text string) *Config {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Load(file, "")
	}
	c := write("{\n// mine\n\"keys\": {\n  \"screen.todos\": \"f2\",\n  \"prompt.undo\": [\"ctrl+_\", \"ctrl+z\"], // both\n  \"screen.suspend\": [],\n},\n}\n")
	want := []Binding{{"screen.todos", []string{"f2"}, file, 4}, {"prompt.undo", []string{"ctrl+_", "ctrl+z"}, file, 5}, {"screen.suspend", []string{}, file, 6}}
	if !reflect.DeepEqual(c.Bindings, want) || len(c.Problems) > 0 {
		t.Errorf("read as %+v, %v", c.Bindings, c.Problems)
	}
	if got := c.Bindings[1].Misread("why"); got != file+":5: keys.prompt.undo: why; left out" {
		t.Error(got)
	}
	if got := (Binding{Action: "x"}).Misread("why"); got != "keys.x: why; left out" {
		t.Error(got)
	}
	for text, said := range map[string]string{
		`{"keys": ["f2"]}`:             "forge.json:1: keys: must be an object of actions",
		`{"keys": {"a": 3}}`:           "forge.json:1: keys: a must be a key or a list of keys",
		`{"keys": {"a": null}}`:        "a must be a key or a list of keys",
		`{"keys": {"a": {"b": "f2"}}}`: "a must be a key or a list of keys",
		`{"keys": "f2"}`:               "must be an object of actions",
	} {
		if c := write(text); len(c.Bindings) > 0 || !strings.Contains(strings.Join(c.Problems, "\n"), said) {
			t.Errorf("%s: %+v, %q", text, c.Bindings, c.Problems)
		}
	}
	// A stranger's repository chooses no keys.
	project := filepath.Join(dir, "project.json")
	if err := os.WriteFile(project, []byte(`{"keys": {"screen.todos": "f2"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if c := Load("", project); len(c.Bindings) > 0 || len(c.Problems) != 1 || !strings.Contains(c.Problems[0], "a project may not set keys") {
		t.Errorf("%+v, %q", c.Bindings, c.Problems)
	}
}
