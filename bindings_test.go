package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The keys docs/keys.md shows as an example can be taken.
func TestKeysOfTheDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("docs", "keys.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```jsonc\n")
	example, _, ok := strings.Cut(rest, "```")
	file := filepath.Join(t.TempDir(), "forge.json")
	if err := os.WriteFile(file, []byte(example), 0o600); err != nil || !ok {
		t.Fatal(err, ok)
	}
	if got := problemsOf(file); len(got) > 0 {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	changed := 0
	for _, a := range keyList(file) {
		if strings.Join(a.Keys, " ") != strings.Join(a.Default, " ") {
			changed++
		}
	}
	if changed != 4 {
		t.Errorf("%d actions have other keys", changed)
	}
}

// Keys that cannot be taken are told of with their place, each in one line, and what
// is stored by command is looked at before.
func TestKeysOfSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "forge.json")
	text := "{\"keys\": {\n\"screen.todos\": \"f4\",\n\"screen.fly\": \"f3\",\n\"screen.redraw\": \"ctrl+o\",\n\"screen.model\": \"ctrl+wat\",\n\"screen.leave\": []}}"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got := problemsOf(file)
	for i, want := range []string{file + ":3: keys.screen.fly: there is no action", file + ":4: keys.screen.redraw: ctrl+o is a key of screen.unfold", file + ":5: keys.screen.model: \"ctrl+wat\" is no key"} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) || !strings.HasSuffix(got[i], "; left out") {
			t.Fatalf("said\n%s", strings.Join(got, "\n"))
		}
	}
	if len(got) != 3 {
		t.Errorf("said\n%s", strings.Join(got, "\n"))
	}
	for _, a := range keyList(file) {
		want, known := map[string]string{"screen.todos": "f4", "screen.redraw": "ctrl+l", "screen.model": "alt+p", "screen.leave": "ctrl+c"}[a.Name]
		if known && strings.Join(a.Keys, " ") != want {
			t.Errorf("%s has %q", a.Name, a.Keys)
		}
	}
	if err := setSetting(file, "keys", `{"screen.todos": "enterr"}`); err == nil || !strings.Contains(err.Error(), "is no key") {
		t.Errorf("stored a key there is not: %v", err)
	}
	if err := setSetting(file, "keys", `{"screen.todos": ["f4"]}`); err != nil {
		t.Error(err)
	}
	if got := problemsOf(file); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// A language or a theme there is not is refused before it is stored, as other settings are.
func TestSettingsThatNameNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "forge.json")
	for name, values := range map[string][2]string{"lang": {"zh", "xx"}, "theme": {"light", "nope"}, "max_turns": {"40", "abc"}} {
		if err := setSetting(file, name, values[1]); err == nil {
			t.Errorf("%s %s was stored", name, values[1])
		}
		if err := setSetting(file, name, values[0]); err != nil {
			t.Errorf("%s %s: %v", name, values[0], err)
		}
	}
	if b, _ := os.ReadFile(file); strings.Contains(string(b), "xx") || strings.Contains(string(b), "nope") || !strings.Contains(string(b), `"zh"`) {
		t.Errorf("the file holds %s", b)
	}
}
