package composer

import (
	"strings"
	"testing"
)

// Tab in a command for the shell completes the path that ends before the cursor.
func TestTabCompletesAPathForTheShell(t *testing.T) {
	tree := []Found{{Text: "colours.py"}, {Text: "colours/", Open: true}, {Text: "a b.txt"}, {Text: "it's"}, {Text: "日本.md"}, {Text: "end\nrm x"}, {Text: "~/notes"}, {Text: "./~/other"}, {Text: "docs/", Open: true}, {Text: "docs/one.md"}}
	fresh := func(line string) *Composer {
		c := New(Options{Paths: func(typed string) (out []Found) {
			for _, f := range tree {
				if rest, in := strings.CutPrefix(f.Text, typed); in && rest != "" && !strings.Contains(strings.TrimSuffix(rest, "/"), "/") {
					out = append(out, f)
				}
			}
			return out
		}})
		c.SetValue(line)
		return c
	}
	for _, x := range []struct{ line, keys, want string }{
		{"!ls col", "tab", "!ls colours"},                // what both have in common
		{"!ls col", "tab tab", "!ls colours.py "},        // the first of the list
		{"!ls col", "tab down enter", "!ls colours.py "}, // chosen
		{"!ls col", "tab down down tab", "!ls colours/"},
		{"!ls d", "tab tab", "!ls docs/one.md "},
		{"!cat <d", "tab", "!cat <docs/"},
		{"!x --in=d", "tab", "!x --in=docs/"},
		{"!cat a", "tab", `!cat a\ b.txt `},
		{`!cat a\ `, "tab", `!cat a\ b.txt `},
		{`!cat "a b`, "tab", `!cat "a b.txt" `},
		{`!cat 'a`, "tab", `!cat 'a b.txt' `},
		{"!cat it", "tab", `!cat it\'s `},
		{"!cat 'it", "tab", `!cat 'it'\''s' `},
		{"!cat i't", "tab", `!cat it\'s `}, // quoted in part
		{`!cat "a" b"`, "tab", `!cat "a" b"`},
		{`!cat "a"\ `, "tab", `!cat a\ b.txt `},
		{`!cat 'a '"b`, "tab", `!cat a\ b.txt `},
		{`!cat "a b"`, "tab", `!cat a\ b.txt `},
		{`!cat x"y" 'a`, "tab", `!cat x"y" 'a b.txt' `},
		{"!cat ~/", "tab", "!cat ~/notes "},
		{`!cat "~/`, "tab", `!cat "./~/other" `}, // no home between marks
		{"!cat en", "tab", "!cat en"},            // its line end would end the command
		{"!cat 日", "tab", "!cat 日本.md "},
		{"!ls zzz", "tab", "!ls zzz"},
		{"!d", "tab", "!docs/"},
	} {
		c := fresh(x.line)
		if sent := send(c, strings.Fields(x.keys)...); c.Value() != x.want || len(sent) > 0 {
			t.Errorf("%s, %s: %q, sent %q; want %q", x.line, x.keys, c.Value(), sent, x.want)
		}
	}
	c := fresh("!ls col")
	if send(c, "tab"); len(c.MenuView(40)) != 2 {
		t.Errorf("listed: %q", c.MenuView(40))
	}
	if sent := send(c, "enter"); len(sent) != 1 || sent[0] != "!ls colours" {
		t.Errorf("enter while paths are listed sent %q", sent)
	}
	c = fresh("!ls col")
	if send(c, "tab", "x"); c.MenuOpen() {
		t.Errorf("what is typed behind it leaves the list open: %q", c.MenuView(40))
	}
	c = fresh("!echo d and more")
	c.ed.cur = len("!echo d")
	if send(c, "tab"); c.Value() != "!echo docs/ and more" {
		t.Errorf("in the middle: %q", c.Value())
	}
}

// Where no path fits, Tab writes the rest of the last command that began as this one does;
// never of a prompt, of several lines, or before what stands behind the caret.
func TestTabCompletesAnEarlierCommand(t *testing.T) {
	for _, x := range []struct{ line, want string }{
		{"!go te", "!go test ./ui -run Tab"}, // the later of two
		{"!go", "!go vet ./..."},
		{"!!go b", "!!go build"},
		{"!go test ./x", "!go test ./x"},
		{"!", "!"},
		{"!! ", "!! "},
		{"!for", "!for"},
		{"!make", "!makefile"}, // a path goes first
	} {
		c := New(Options{History: []string{"!go test ./...", "go to sleep", "!!go build", "!go test ./ui -run Tab", "!for x in a\ndo echo; done", "!make all", "!go vet ./..."},
			Paths: func(typed string) []Found {
				if typed == "make" {
					return []Found{{Text: "makefile"}}
				}
				return nil
			}})
		c.SetValue(x.line)
		if send(c, "tab"); strings.TrimSuffix(c.Value(), " ") != strings.TrimSuffix(x.want, " ") {
			t.Errorf("%s: %q, not %q", x.line, c.Value(), x.want)
		}
		c.SetValue(x.line)
		c.Seek(1)
		if send(c, "tab"); x.line != "!make" && c.Value() != x.line {
			t.Errorf("%s, inside of it: %q", x.line, c.Value())
		}
	}
	c := New(Options{History: []string{"!go test ./..."}, Paths: func(string) []Found { return nil }})
	c.SetValue("!go")
	send(c, "tab")
	send(c, "ctrl+_")
	if c.Value() != "!go" {
		t.Errorf("undone: %q", c.Value())
	}
}
