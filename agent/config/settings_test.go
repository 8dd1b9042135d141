package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
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
		if a.kind != List && (a.kind == Words) != (a.words != nil) {
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

// Every comment of a file outlives every change, wherever it stands, and so do the ends
// of its lines: each setting is set and taken out again, one after another.
func TestEveryCommentStays(t *testing.T) {
	const odd = `// c1
{ // c2
  /* c3 */ "model": "m1", // c4
	// c5
  "compact": { /* c6 */ "at": 70, // c7 /* c20 */
  },
  "secrets": {"allow": [ // c8
    "^A", // c9
    /* c10 */ "^B", "^C" /* c11 */,
    // c12 /* c21 */
  ],}, /* c13 */
  "headers": {"X-A": "a", // c14
    "X-B": /* c15 */ "b", /* c16 */ },
  "permissions": { "deny": [] /* c17 */ }
  // c18
}
// c19
`
	for _, end := range []string{"\n", "\r\n"} {
		file := filepath.Join(t.TempDir(), "forge.json")
		if err := os.WriteFile(file, []byte("\xef\xbb\xbf"+strings.ReplaceAll(odd, "\n", end)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ name, typed string }{
			{"model", "m2"}, {"theme", "dark"}, {"compact.at", "60"}, {"compact.rest", "5"}, {"secrets.allow", `["^A", "^B", "^D"]`}, {"secrets.allow", `["^D", "^A"]`},
			{"secrets.extra", "x+"}, {"headers", `{"X-B": "c", "X-C": "d"}`}, {"permissions.deny", `["run_bash(rm *)"]`}, {"keys", `{"screen.todos": ["f2"]}`},
			{"mcpServers", `{"a": {"command": "b", "args": ["c"]}}`}, {"secrets.allow", "[]"},
		} {
			if err := Set(file, c.name, c.typed); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			b, _ := os.ReadFile(file)
			text := string(b)
			for i := 1; i <= 21; i++ {
				if n := len(regexp.MustCompile(fmt.Sprintf(`c%d\b`, i)).FindAllString(text, -1)); n != 1 {
					t.Fatalf("after %s %s comment c%d is there %d times:\n%s", c.name, c.typed, i, n, text)
				}
			}
			if end == "\r\n" && strings.Count(text, "\n") != strings.Count(text, "\r\n") || end == "\n" && strings.Contains(text, "\r") {
				t.Fatalf("after %s the ends of lines are mixed:\n%q", c.name, text)
			}
			if !strings.HasPrefix(text, "\xef\xbb\xbf") {
				t.Fatalf("after %s the mark of its encoding is gone", c.name)
			}
			if l := Load(file, ""); len(l.Problems) > 0 {
				t.Fatalf("after %s: %q\n%s", c.name, l.Problems, text)
			}
			for _, s := range Settings(file, "") {
				if want, _ := Read(c.name, c.typed); s.Name == c.name {
					var got, set any
					if json.Unmarshal([]byte(s.Value), &got) != nil || json.Unmarshal(want, &set) != nil || !reflect.DeepEqual(got, set) {
						t.Fatalf("%s is %s, not %s:\n%s", c.name, s.Value, want, text)
					}
				}
			}
		}
	}
}

// One comment of either kind, between any two words of a file: it stays, and what was
// set is what is read.
func TestACommentAnywhereStays(t *testing.T) {
	file := filepath.Join(t.TempDir(), "forge.json")
	for _, words := range [][]string{
		strings.Fields(`{ "model" : "a" , "compact" : { "at" : 70 } , "secrets" : { "allow" : [ "^A" , "^B" ] } }`),
		strings.Fields(`{ "secrets" : { "allow" : [ "^A" , ] , } , "compact" : { } , }`),
	} {
		for gap := range len(words) + 1 {
			for _, comment := range []string{" /* said */ ", " // said /* not */\n"} {
				for _, c := range []struct{ name, typed string }{
					{"theme", "dark"}, {"compact.rest", "5"}, {"secrets.allow", `["^B", "^C"]`}, {"compact.at", ""}, {"model", ""},
				} {
					was := strings.Join(words[:gap], " ") + comment + strings.Join(words[gap:], " ")
					if err := os.WriteFile(file, []byte(was), 0o600); err != nil {
						t.Fatal(err)
					}
					var err error
					if c.typed == "" {
						err = Unset(file, c.name)
					} else {
						err = Set(file, c.name, c.typed)
					}
					b, _ := os.ReadFile(file)
					got := map[string]string{}
					for _, s := range Settings(file, "") {
						got[s.Name] = s.Value
					}
					want, _ := Read(c.name, c.typed)
					switch said := strings.Count(string(b), "said"); {
					case c.typed == "" && errors.Is(err, ErrUnset):
					case err != nil || c.typed != "" && got[c.name] != strings.ReplaceAll(string(want), " ", "") || c.typed == "" && got[c.name] != "":
						t.Errorf("%s %q of %q: %v, %s:\n%s", c.name, c.typed, was, err, got[c.name], b)
					case said != 1 && c.typed != "":
						t.Errorf("%s %q of %q: the comment is there %d times:\n%s", c.name, c.typed, was, said, b)
					}
				}
			}
		}
	}
}
