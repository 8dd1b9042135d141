package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every setting has words for people, and there are none of settings that are gone.
func TestAbouts(t *testing.T) {
	notes := abouts()
	for _, k := range Keys() {
		a, ok := notes[k.Name]
		if !ok || a.text == "" || a.kind == "" {
			t.Errorf("%s has no words in about.go", k.Name)
		}
		if (a.kind == Words) != (a.words != nil) {
			t.Errorf("%s: %s with the words %q", k.Name, a.kind, a.words)
		}
		delete(notes, k.Name)
	}
	for name := range notes {
		t.Errorf("about.go tells of %s, which is no setting", name)
	}
}

const commented = `// mine
{
  // which one
  "model": "m1", // the good one
  "compact": {
    "at": 80, // percent
  },
  "theme": "dark",
}
`

func TestSet(t *testing.T) {
	for _, c := range []struct {
		was, name, typed string
		has              []string // of the new text
		wrong            string
	}{
		{commented, "model", "m2", []string{`"model": "m2", // the good one`, "// mine", "// which one", `"theme": "dark",`}, ""},
		{commented, "compact.at", "60", []string{"\"at\": 60, // percent"}, ""},
		{commented, "compact.rest", "5", []string{`"rest": 5`, "// percent"}, ""},
		{commented, "compact.auto", "off", []string{`"auto": false`}, ""},
		{commented, "secrets.allow", "ab+", []string{`"allow": ["ab+"]`}, ""},
		{"", "lang", "zh", []string{"{\n  \"lang\": \"zh\"\n}\n"}, ""},
		{"{}", "prices.input", "0.5", []string{`"input": 0.5`}, ""},
		{"{}", "headers", `{"X-A": "b"}`, []string{`{"X-A": "b"}`}, ""},
		{commented, "max_turns", "0", nil, "at least 1"},
		{commented, "max_turns", "many", nil, "no number"},
		{commented, "compact.at", "99", nil, "10 to 95"},
		{commented, "effort", "huge", nil, "none of"},
		{commented, "modle", "x", nil, `did you mean "model"`},
		{`{"compact": 3}`, "compact.at", "60", nil, "compact must be an object"},
		{`{`, "model", "x", nil, "mend that first"},
	} {
		file := filepath.Join(t.TempDir(), "sub", "forge.json")
		if c.was != "" {
			os.MkdirAll(filepath.Dir(file), 0o700)
			if err := os.WriteFile(file, []byte(c.was), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := Set(file, c.name, c.typed)
		text, _ := os.ReadFile(file)
		if c.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s %s: %v, not %q", c.name, c.typed, err, c.wrong)
			}
			if string(text) != c.was {
				t.Errorf("%s %s was refused and wrote %s", c.name, c.typed, text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", c.name, c.typed, err)
		}
		for _, has := range c.has {
			if !strings.Contains(string(text), has) {
				t.Errorf("%s %s: %q is not in\n%s", c.name, c.typed, has, text)
			}
		}
		if l := Load(file, ""); len(l.Problems) > 0 {
			t.Errorf("%s %s: %q of\n%s", c.name, c.typed, l.Problems, text)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", c.name, info.Mode(), err)
		}
	}
}

func TestUnset(t *testing.T) {
	for _, name := range []string{"model", "compact.at", "theme", "compact"} {
		file := filepath.Join(t.TempDir(), "forge.json")
		if err := os.WriteFile(file, []byte(commented), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Unset(file, name); err != nil {
			t.Fatal(name, err)
		}
		text, _ := os.ReadFile(file)
		for _, s := range Settings(file, "") {
			if (s.Name == name || strings.HasPrefix(s.Name, name+".")) && s.Value != "" {
				t.Errorf("%s is still %s:\n%s", name, s.Value, text)
			}
		}
		if l := Load(file, ""); len(l.Problems) > 0 || !strings.Contains(string(text), "// which one") || !strings.Contains(string(text), "// mine") {
			t.Errorf("%s: %q\n%s", name, l.Problems, text)
		}
		if err := Unset(file, name); err == nil {
			t.Errorf("%s was taken out twice", name)
		}
	}
	if err := Unset(filepath.Join(t.TempDir(), "none"), "nonsense"); err == nil || !strings.Contains(err.Error(), "unknown") {
		t.Error(err)
	}
}

// What a project may not set is not shown as set by it.
func TestSettings(t *testing.T) {
	dir := t.TempDir()
	user, project := filepath.Join(dir, "user.json"), filepath.Join(dir, "project.json")
	os.WriteFile(user, []byte(commented), 0o600)
	os.WriteFile(project, []byte(`{"model": "theirs", "theme": "light", "permissions": {"mode": "plan"}}`), 0o600)
	got := map[string]Setting{}
	for _, s := range Settings(user, project) {
		got[s.Name] = s
	}
	for name, want := range map[string][2]string{
		"model": {`"m1"`, user}, "theme": {`"light"`, project}, "permissions.mode": {`"plan"`, project}, "compact.at": {"80", user}, "lang": {"", ""},
	} {
		if s := got[name]; s.Value != want[0] || s.Source != want[1] {
			t.Errorf("%s is %s of %s", name, s.Value, s.Source)
		}
	}
}

// The schema that ships is that of the settings there are.
func TestSchema(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "forge.schema.json")
	b, err := os.ReadFile(file)
	if err != nil || string(b) != string(Schema()) {
		t.Errorf("docs/forge.schema.json is not what forge config schema prints: %v; forge config schema > docs/forge.schema.json", err)
	}
	var s struct {
		Properties map[string]struct {
			Properties map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(b, &s); err != nil || s.Properties["compact"].Properties["at"] == nil {
		t.Errorf("%v: compact.at is not in it", err)
	}
}
