package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAddRuleKeepsTheFile(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"no file": {"", `{
  "permissions": {
    "allow": [
      "run_bash(x)"
    ]
  }
}
`},
		"no permissions": {"// mine\n{\n  \"model\": \"m\", // the good one\n  \"theme\": \"dark\"\n}\n",
			"// mine\n{\n  \"model\": \"m\", // the good one\n  \"theme\": \"dark\",\n  \"permissions\": {\n    \"allow\": [\n      \"run_bash(x)\"\n    ]\n  }\n}\n"},
		"last comma": {"{\n    \"permissions\": {\n        \"allow\": [\n            \"a\", // first\n            /* second */ \"b\", // why\n        ],\n        \"mode\": \"ask\",\n    },\n}\n",
			"{\n    \"permissions\": {\n        \"allow\": [\n            \"a\", // first\n            /* second */ \"b\", // why\n            \"run_bash(x)\",\n        ],\n        \"mode\": \"ask\",\n    },\n}\n"},
		"comment behind the last": {"{\"permissions\": {\"allow\": [\n  \"a\" // why\n]}}\n",
			"{\"permissions\": {\"allow\": [\n  \"a\", // why\n  \"run_bash(x)\"\n]}}\n"},
		"one line":         {`{"permissions": {"allow": ["a", "b"], "deny": []}}`, `{"permissions": {"allow": ["a", "b", "run_bash(x)"], "deny": []}}`},
		"there already":    {`{"permissions":{"allow":["run_bash(x)"]}}`, `{"permissions":{"allow":["run_bash(x)"]}}`},
		"other list first": {"{\n\t\"permissions\": {\n\t\t\"deny\": [\"d\"] // never\n\t}\n}\n", "{\n\t\"permissions\": {\n\t\t\"deny\": [\"d\"], // never\n\t\t\"allow\": [\n\t\t  \"run_bash(x)\"\n\t\t]\n\t}\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "in", "forge.json")
			if c.before != "" {
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(c.before), 0o640); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(file, 0o640); err != nil {
					t.Fatal(err)
				}
			}
			if err := AddRule(file, "allow", "run_bash(x)"); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(file)
			if err != nil || string(got) != c.after {
				t.Errorf("%v\n%s\nwant\n%s", err, got, c.after)
			}
			if info, err := os.Stat(file); err != nil || c.before != "" && info.Mode().Perm() != 0o640 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			if l := Load(file, ""); len(l.Problems) > 0 || l.Permissions.Allow[len(l.Permissions.Allow)-1] != "run_bash(x)" {
				t.Errorf("read again: %q %q", l.Problems, l.Permissions.Allow)
			}
		})
	}
}

func TestRemoveRuleKeepsCommentsAndOrder(t *testing.T) {
	const before = "{\"permissions\": {\"deny\": [\n  // keys\n  \"a\", // first\n  \"b\", // second\n  \"c\" // third\n]}}\n"
	for _, gone := range []string{"a", "b", "c"} {
		file := put(t, "forge.json", before)
		if err := RemoveRule(file, "deny", func(s string) bool { return s == gone }); err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(file)
		for _, comment := range []string{"// keys", "// first", "// second", "// third"} {
			if !strings.Contains(string(got), comment) {
				t.Errorf("without %s: %s is lost in\n%s", gone, comment, got)
			}
		}
		want := strings.ReplaceAll("abc", gone, "")
		if c := Load(file, ""); strings.Join(c.Permissions.Deny, "") != want || len(c.Problems) > 0 {
			t.Errorf("without %s: %q, %q in\n%s", gone, c.Permissions.Deny, c.Problems, got)
		}
		if err := RemoveRule(file, "deny", func(s string) bool { return s == gone }); !errors.Is(err, ErrNoRule) {
			t.Errorf("removed twice: %v", err)
		}
	}
}

func TestEditLeavesABrokenFileAlone(t *testing.T) {
	for _, text := range []string{"{oops", `{"permissions": []}`, `{"permissions": {"allow": "x"}}`, `[]`} {
		file := put(t, "forge.json", text)
		if err := AddRule(file, "allow", "x"); err == nil {
			t.Errorf("%s: no error", text)
		}
		if got, _ := os.ReadFile(file); string(got) != text {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestEditThroughALink(t *testing.T) {
	real := put(t, "real.json", "{}")
	link := filepath.Join(t.TempDir(), "forge.json")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	if err := AddRule(link, "ask", "x"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is none any more: %v %v", info, err)
	}
	if c := Load(real, ""); len(c.Permissions.Ask) != 1 {
		t.Errorf("%+v", c.Permissions)
	}
}

// A comment may end with the file, whatever ends its lines.
func TestEditOfWhatEndsWithAComment(t *testing.T) {
	for before, want := range map[string]string{
		`{"theme": "dark"} // mine`:                 "{\"theme\": \"light\"} // mine\n",
		"{\r\n\"theme\": \"dark\"}\r\n// mine":      "{\r\n\"theme\": \"light\"}\r\n// mine\r\n",
		"\xef\xbb\xbf{\"theme\": \"dark\"} /* c */": "\xef\xbb\xbf{\"theme\": \"light\"} /* c */",
	} {
		file := put(t, "forge.json", before)
		if err := Set(file, "theme", "light"); err != nil {
			t.Errorf("%q: %v", before, err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%q became %q, %v", before, got, err)
		}
	}
}

// The last rule of a list takes the list with it, and the object around it; a comment that
// stands in them keeps them.
func TestRemovedRuleLeavesNothing(t *testing.T) {
	for before, want := range map[string]string{
		`{"permissions": {"allow": ["a"]}, "theme": "dark"}`:       "permissions allow",
		`{"permissions": {"allow": ["a"], "mode": "plan"}}`:        "allow",
		"{\"permissions\": {\"allow\": [\n  // why\n  \"a\",\n]}}": "",
	} {
		file := put(t, "forge.json", before)
		if err := RemoveRule(file, "allow", func(string) bool { return true }); err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(file)
		for _, word := range []string{"permissions", "allow"} {
			if strings.Contains(string(got), word) == strings.Contains(want, word) {
				t.Errorf("%s became %s", before, got)
			}
		}
		if c := Load(file, ""); len(c.Problems) > 0 || strings.Contains(before, "dark") != (c.Theme == "dark") || strings.Contains(before, "why") != strings.Contains(string(got), "// why") {
			t.Errorf("%s became %s", before, got)
		}
	}
}
