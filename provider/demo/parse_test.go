package demo

import (
	"os"
	"strings"
	"testing"

	"forge/provider"
)

func TestParseErrorsNameTheLine(t *testing.T) {
	for script, want := range map[string]string{
		"":                                      "empty script",
		"# only a comment\n":                    "empty script",
		"text a\n":                              "line 1: the turn that begins here has no end",
		"text a\nend\n\nbogus x\nend":           `line 4: unknown directive "bogus"`,
		"end":                                   "line 1: end without a turn",
		"  text a":                              "line 1: an indented line",
		"text\nend":                             "line 1: text says nothing",
		"text a\ncall grep {\"a\":\nend":        "line 2: the arguments of grep are no JSON object",
		"call grep [1]\nend":                    "line 1: the arguments of grep",
		"call {\"a\":1}\nend":                   "line 1: call names no tool",
		"pause soon\nend":                       "line 1: pause",
		"pause -1s\nend":                        "line 1: pause",
		"error nice x\nend":                     `line 1: error "nice"`,
		"error rate\nend":                       "line 1: error rate says nothing",
		"error rate times=0 x\nend":             "line 1: times=0",
		"error rate after=x x\nend":             "line 1: after=x",
		"usage tokens=1\nend":                   "line 1: usage",
		"usage input=-1\nend":                   "line 1: usage",
		"expect\nend":                           "line 1: expect",
		"expect user\nend":                      "line 1: expect user says nothing",
		"expect failed x\nend":                  "line 1: expect failed takes no words",
		"expect user[x] y\nend":                 "line 1: user takes no [TOOL]",
		"expect user /(/\nend":                  "line 1: error parsing regexp",
		"when user a\ntext a\notherwise x\nend": "line 3: otherwise takes no words",
		"otherwise\ntext a\nwhen user b\nend":   "line 3: when after otherwise",
		"text a\nend whenever":                  "line 2: end",
		"pace fast":                             "line 1: pace",
		"aside x":                               "line 1: aside takes no words",
		"cut now\nend":                          "line 1: cut takes no words",
	} {
		if _, err := Parse(strings.NewReader(script)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", script, err, want)
		}
	}
}

func TestParseBlocks(t *testing.T) {
	s := mustParse(t, "title A title\npace 12.5\nclosing bye\n# a comment\nthink first\n    second\n\n      indented\n# between\ntext\n  # a heading\n\n  \tcode\n\n\ncall edit\n  {\"a\":\n   1}\nend\n")
	if s.Title != "A title" || s.Pace != 12.5 || s.Closing != "bye" || s.Turns() != 1 {
		t.Errorf("%+v", s)
	}
	want := []string{"first\nsecond\n\n  indented", "# a heading\n\n\tcode", "{\"a\":\n 1}"}
	for i, st := range s.turns[0].steps {
		if st.words != want[i] {
			t.Errorf("step %d: %q, want %q", i, st.words, want[i])
		}
	}
}

func TestParseErrorDirective(t *testing.T) {
	s := mustParse(t, "error rate 429 times=3 after=1500ms slow down, 2 times\ntext a\nend\nerror server 529 always Overloaded\nend\ncut\ntext b\nend\nerror network gone\nend")
	st := s.turns[0].steps[0]
	if st.times != 3 || st.err.Status != 429 || st.err.After.Milliseconds() != 1500 || st.err.Message != "slow down, 2 times" || st.always || st.cut {
		t.Errorf("%+v", st)
	}
	if st := s.turns[1].steps[0]; !st.always || st.err.Status != 529 || st.err.Message != "Overloaded" {
		t.Errorf("%+v", st)
	}
	if st := s.turns[2].steps[0]; !st.cut || st.err.Kind != provider.KindNetwork {
		t.Errorf("%+v", st)
	}
	if st := s.turns[3].steps[0]; !st.cut || st.err.Message != "gone" {
		t.Errorf("%+v", st)
	}
}

func mustParse(t testing.TB, script string) *Script {
	t.Helper()
	s, err := Parse(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func FuzzParse(f *testing.F) {
	f.Add(builtinText)
	f.Add("text a\nend\naside\ntext b\nend")
	f.Add("call x {}\nwhen not refused[x]\nerror rate 429 times=2 z\notherwise\nend pause")
	f.Fuzz(func(t *testing.T, script string) {
		s, err := Parse(strings.NewReader(script))
		if err != nil {
			return
		}
		p := newPlayer(s, Options{})
		for n := range s.Turns() + 1 {
			v := conversation{replies: n, tools: []string{"x"}}
			if len(p.play(v)) == 0 {
				t.Fatalf("turn %d plays nothing", n)
			}
		}
	})
}

// The format is described twice, for readers of the code and of the docs; both
// name every directive.
func TestFormatIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/demo-script.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("demo.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"title", "pace", "closing", "aside", "expect", "think", "text", "call", "rawcall", "pause", "error", "cut", "usage", "when", "otherwise", "end",
		"result[", "failed", "refused", "prompt", "tool NAME", "system TEXT", "forever", "times=", "after="} {
		for name, text := range map[string]string{"docs/demo-script.md": string(doc), "demo.go": string(code)} {
			if !strings.Contains(text, word) {
				t.Errorf("%s says nothing of %s", name, word)
			}
		}
	}
}
