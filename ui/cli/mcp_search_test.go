package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestMCPSearch(t *testing.T) {
	o := MCPOptions{Search: func(_ context.Context, base, word string) ([]MCPFound, bool, error) {
		if word == "none" {
			return nil, false, nil
		}
		return []MCPFound{{Name: "io.x/" + word, Version: "1", Description: "two\nlines \x1b[31m", Status: "deprecated", Repository: base, Ways: []string{"npm", "http"}}}, true, nil
	}}
	for args, want := range map[string]string{
		"search --registry http://r sun": "io.x/sun 1 (deprecated)  npm, http\n    two lines\n    http://r\nthere are more; a longer word finds fewer\nforge mcp add --from-registry NAME adds one\n",
		"search none":                    "no server has \"none\" in its name\n",
		"search --json none":             "{\n  \"more\": false,\n  \"servers\": []\n}\n",
	} {
		if out, err := mcpRun(o, strings.Fields(args)...); err != nil || out != want {
			t.Errorf("%s: %q, %v", args, out, err)
		}
	}
	if out, err := mcpRun(o, "search", "--json", "sun"); err != nil || !strings.Contains(out, `"name": "io.x/sun"`) || strings.Contains(out, "\x1b") {
		t.Errorf("as JSON: %q, %v", out, err)
	}
	for _, args := range [][]string{{"search"}, {"search", "a", "b"}, {"search", " "}} {
		var usage Usage
		if _, err := mcpRun(o, args...); !errors.As(err, &usage) {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestMCPAddFromRegistry(t *testing.T) {
	var asked, added string
	o := MCPOptions{
		Find: func(_ context.Context, base, whole string, s MCPNew) (MCPNew, []string, error) {
			asked = fmt.Sprint(base, " ", whole, " ", s.Name, " ", s.Type, " ", s.Words, " ", s.Env)
			s.Name, s.Words = "sun", append([]string{"npx", "sun"}, s.Words...)
			return s, []string{"KEY: your\nkey"}, nil
		},
		Add: func(_ Flags, scope string, s MCPNew) (string, error) {
			added = fmt.Sprint(scope, " ", s.Name, " ", s.Words)
			return "the file", nil
		},
	}
	out, err := mcpRun(o, "add", "--registry", "http://r", "--from-registry", "io.x/sun", "-e", "A=1", "mine", "--flag", ".")
	if err != nil || asked != "http://r io.x/sun mine  [--flag .] map[A:1]" || added != "user sun [npx sun --flag .]" {
		t.Errorf("asked %q, added %q, %v", asked, added, err)
	}
	if want := "sun is npx sun --flag .\nset before forge starts: KEY: your key\nadded sun to the file; forge mcp test sun tries it\n"; out != want {
		t.Errorf("said %q", out)
	}
	if _, err := mcpRun(o, "add", "--from-registry", "io.x/sun"); err != nil || asked != " io.x/sun   [] map[]" {
		t.Errorf("asked %q, %v", asked, err)
	}
}
