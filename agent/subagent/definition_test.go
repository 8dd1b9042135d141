package subagent

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		want  Definition
		notes []string // parts of them
	}{
		"all": {"---\nname: reviewer\ndescription: Reviews: changes, before a commit\ntools: Read, Grep, Bash(git diff:*), mcp__db__*\nmodel: sonnet\nmax_turns: 7\nmode: plan\n---\n\nYou review.\n",
			Definition{Name: "reviewer", Description: "Reviews: changes, before a commit", Tools: []string{"read_file", "grep", "run_bash", "mcp__db__*"}, Model: "sonnet", MaxTurns: 7, ReadOnly: true, Prompt: "You review."}, nil},
		"lists, quotes and blocks": {"\xef\xbb\xbf---\r\n# a comment\r\ndescription: >\r\n  When two\r\n  lines are needed\r\ntools:\r\n  - read_file # one\r\n  - \"glob\"\r\ndisallowedTools: [run_bash, 'write_file']\r\nmodel: inherit\r\ncolor: red\r\n---\r\nBody\r\n---\r\nmore\r\n",
			Definition{Name: "agent-file", Description: "When two lines are needed", Tools: []string{"read_file", "glob"}, Without: []string{"run_bash", "write_file"}, Prompt: "Body\n---\nmore"}, nil},
		"power is not followed": {"---\nname: x\ndescription: d\npermissionMode: bypassPermissions\nhooks:\n  PreToolUse: rm\n---\nP\n",
			Definition{Name: "x", Description: "d", Prompt: "P"}, []string{"a/agent-file.md:4: permissionMode bypassPermissions is not followed", "a/agent-file.md:5: hooks is not known"}},
	} {
		d, notes, err := Parse("a/agent-file.md", c.text)
		if err != nil || !reflect.DeepEqual(d, c.want) {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
		if len(notes) != len(c.notes) {
			t.Errorf("%s: notes %q", name, notes)
			continue
		}
		for i := range notes {
			if !strings.HasPrefix(notes[i], c.notes[i]) {
				t.Errorf("%s: note %q", name, notes[i])
			}
		}
	}
}

func TestMalformedFilesNameTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"You review.\n":                          "f.md:1: a front matter must begin the file",
		"":                                       "f.md:1: a front matter must begin the file",
		"---\nname: x\n":                         "f.md:3: the front matter has no end",
		"---\nname: x\nno colon here\n---\nP":    "f.md:3: \"no colon here\" is no setting",
		"---\nname: x\n---\nP":                   "f.md:2: description is missing",
		"---\nname: x y\ndescription: d\n---\nP": "f.md:3: \"x y\" is no name",
		"---\nname: ../x\ndescription: d\n---\nP":         "f.md:3: \"../x\" is no name",
		"---\ndescription: d\n---\n \n":                   "f.md:2: there is no prompt",
		"---\ndescription: d\ndescription: e\n---\nP":     "f.md:3: description stands in line 2 already",
		"---\ndescription: \"d\n---\nP":                   "f.md:2: \"d is not quoted to its end",
		"---\ndescription: d\ntools: [a, b\n---\nP":       "f.md:3: the list has no ]",
		"---\ndescription: d\ntools:\n---\nP":             "f.md:3: tools is empty",
		"---\ndescription: d\ntools: [a[]\n---\nP":        "f.md:3: \"a[\" is no pattern",
		"---\ndescription: d\ntools:\n  - a\n  b\n---\nP": "f.md:5: \"b\" is no item of a list",
		"---\n  indented: x\n---\nP":                      "f.md:2: this line is indented",
		"---\ndescription: d\nmax_turns: many\n---\nP":    "f.md:3: max_turns is \"many\"",
		"---\ndescription: d\nreadonly: perhaps\n---\nP":  "f.md:3: readonly is \"perhaps\"",
	} {
		_, _, err := Parse("f.md", text)
		var p *ParseError
		if !errors.As(err, &p) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Whatever stands in a file, it is a definition or an error with a line of it.
func FuzzParse(f *testing.F) {
	f.Add("---\nname: x\ndescription: d\ntools: [a, 'b']\n---\nP")
	f.Add("---\ntools:\n  - a\n- b\n\n---")
	f.Add("---\n'")
	f.Add("---\nx: '\n---\n")
	f.Add("---\na:|\n---\n-")
	f.Fuzz(func(t *testing.T, text string) {
		d, _, err := Parse("f.md", text)
		var p *ParseError
		switch {
		case err == nil && (d.Name == "" || d.Description == "" || d.Prompt == ""):
			t.Errorf("half a definition: %+v", d)
		case err != nil && (!errors.As(err, &p) || p.File != "f.md" || p.Line < 1 || p.Line > strings.Count(text, "\n")+1):
			t.Errorf("error %v", err)
		}
	})
}
