package keymap

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/keys.md")

// The table is one: no action twice, no key twice in one place, every key spelled as
// it is reported, every context known.
func TestTable(t *testing.T) {
	seen := map[Action]bool{}
	held := map[string]Action{}
	for _, b := range Actions() {
		if seen[b.Action] {
			t.Errorf("%s stands there twice", b.Action)
		}
		seen[b.Action] = true
		if _, name, ok := strings.Cut(string(b.Action), "."); !ok || name == "" || b.Help == "" {
			t.Errorf("%q has no context, no name or no help", b.Action)
		}
		for _, k := range b.Keys {
			if is, err := Spell(k); err != nil || is != k {
				t.Errorf("%s: %q is spelled %q, %v", b.Action, k, is, err)
			}
			at := string(b.Action.Context()) + " " + k
			if other, twice := held[at]; twice {
				t.Errorf("%s is a key of %s and of %s", k, other, b.Action)
			}
			held[at] = b.Action
			if types(first(k)) && slices.Contains(writes, b.Action.Context()) {
				t.Errorf("%s: %s writes itself", b.Action, k)
			}
			if answers(b.Action) && slices.Contains(careless, k) {
				t.Errorf("%s is answered by %s", b.Action, k)
			}
			if got := (*Map)(nil).Action(b.Action.Context(), k); got != b.Action {
				t.Errorf("%s in %s is %q", k, b.Action.Context(), got)
			}
		}
	}
}

func TestSpell(t *testing.T) {
	for written, want := range map[string]string{
		"Ctrl+S": "ctrl+s", "control-s": "ctrl+s", "C-x C-e": "ctrl+x ctrl+e", "option+left": "alt+left", "M-d": "alt+d",
		"cmd+shift+Z": "shift+super+z", "shift+ctrl+alt+home": "ctrl+alt+shift+home", "Esc": "esc", "Return": "enter", "F5": "f5",
		"G": "G", "shift+g": "G", "ctrl++": "ctrl++", "ctrl+-": "ctrl+-", "-": "-", "+": "+", "ctrl+_": "ctrl+_", " ": "space", "space": "space",
		"PageUp": "pgup", "é": "é", "ctrl+ш": "ctrl+ш", "alt+<": "alt+<", "ctrl+shift+k": "ctrl+shift+k",
		"ctrl+plus": "ctrl++",
	} {
		if got, err := Spell(written); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", written, got, err, want)
		}
	}
	for _, written := range []string{"", "  ", "ctrl", "ctrl+", "foo", "foo+a", "ctrl+ctrl+a", "f0", "f64", "ctrl+word", "a b c", "\t", "\x1b", "+a+"} {
		if got, err := Spell(written); err == nil {
			t.Errorf("%q is taken for %q", written, got)
		}
	}
}

// What terminals report under several names is one key.
func TestNames(t *testing.T) {
	for key, want := range map[string]Action{"shift+g": ReadEnd, "G": ReadEnd, " ": ReadFold, "space": ReadFold, "shift+f5": ""} {
		if got := Default().Action(Read, key); got != want {
			t.Errorf("%q is %q", key, got)
		}
	}
	for c, want := range map[Context]Action{Choice: ChoiceClear, Server: ServerBack, Prompt: EraseLeft, Line: LineErase} {
		if got := Default().Action(c, "ctrl+h"); got != want { // the backspace of some terminals
			t.Errorf("ctrl+h in %s is %q", c, got)
		}
	}
	m, _ := New([]Entry{{"prompt.erase-left", []string{"backspace"}}, {"screen.todos", []string{"ctrl+h", "f7"}}})
	if got := m.Action(Screen, "ctrl+h"); got != Todos {
		t.Errorf("ctrl+h was chosen, and is %q", got)
	}
}

func TestNew(t *testing.T) {
	entry := func(action string, keys ...string) Entry { return Entry{action, keys} }
	for name, c := range map[string]struct {
		chosen []Entry
		keys   string // of the first action, after
		wrong  string // entries and a piece of what is said
	}{
		"another key":           {[]Entry{entry("screen.todos", "F7")}, "f7", ""},
		"two keys":              {[]Entry{entry("screen.todos", "f7", "ctrl+x t")}, "f7|ctrl+x t", ""},
		"none":                  {[]Entry{entry("screen.todos")}, "", ""},
		"the same again":        {[]Entry{entry("screen.todos", "ctrl+t", "control+t")}, "ctrl+t", ""},
		"no such action":        {[]Entry{entry("screen.undo", "f7")}, "", `0 there is no action "screen.undo"; did you mean "prompt.undo"?`},
		"no such thing":         {[]Entry{entry("fly", "f7")}, "", `0 there is no action "fly"; forge config keys lists them`},
		"no such key":           {[]Entry{entry("screen.todos", "hyperspace")}, "ctrl+t", `0 "hyperspace" is no key`},
		"a letter while typed":  {[]Entry{entry("screen.todos", "t")}, "ctrl+t", "0 t writes itself here"},
		"a letter in empty":     {[]Entry{entry("empty.help", "?", "h")}, "?|h", ""},
		"taken":                 {[]Entry{entry("screen.todos", "ctrl+o")}, "ctrl+t", "0 ctrl+o is a key of screen.unfold already"},
		"taken by the prompt":   {[]Entry{entry("screen.todos", "ctrl+k")}, "ctrl+t", "0 ctrl+k is a key of prompt.cut-end already"},
		"given up there":        {[]Entry{entry("screen.todos", "ctrl+k"), entry("prompt.cut-end")}, "ctrl+k", ""},
		"swapped":               {[]Entry{entry("screen.todos", "ctrl+o"), entry("screen.unfold", "ctrl+t")}, "ctrl+o", ""},
		"both want it":          {[]Entry{entry("screen.todos", "f7"), entry("screen.unfold", "f7")}, "f7", "1 f7 is a key of screen.todos already"},
		"swapped by halves":     {[]Entry{entry("screen.todos", "ctrl+o"), entry("screen.unfold", "nokey")}, "ctrl+t", "1 \"nokey\"| 0 ctrl+o is a key of screen.unfold"},
		"another place":         {[]Entry{entry("read.find", "ctrl+k")}, "ctrl+k", ""},
		"beginning of two":      {[]Entry{entry("screen.todos", "ctrl+x")}, "ctrl+t", "0 ctrl+x and ctrl+x"},
		"two where one is read": {[]Entry{entry("read.find", "ctrl+x f")}, "/", "0 ctrl+x f is two keys"},
		"ctrl+c stays":          {[]Entry{entry("screen.leave", "ctrl+q")}, "ctrl+q|ctrl+c", ""},
		"ctrl+c is unbound":     {[]Entry{entry("screen.leave")}, "ctrl+c", ""},
		"ctrl+c is taken":       {[]Entry{entry("screen.todos", "ctrl+c")}, "ctrl+t", "0 ctrl+c interrupts and leaves"},
		"ctrl+c in a pager":     {[]Entry{entry("pager.close", "x")}, "x|ctrl+c", ""},
		"twice":                 {[]Entry{entry("screen.todos", "f7"), entry("screen.todos", "f3")}, "f3", "0 screen.todos stands there twice"},
	} {
		t.Run(name, func(t *testing.T) {
			m, problems := New(c.chosen)
			var said []string
			for _, p := range problems {
				said = append(said, fmt.Sprint(p.Entry, " ", p.Text))
			}
			for i, want := range strings.Split(c.wrong, "|") {
				if c.wrong == "" && len(said) > 0 || c.wrong != "" && !strings.Contains(strings.Join(said, "\n"), strings.TrimSpace(want)) {
					t.Errorf("said %q, want %d %q", said, i, want)
				}
			}
			if got := strings.Join(m.Keys(Action(c.chosen[0].Action)), "|"); got != c.keys {
				t.Errorf("keys %q, want %q", got, c.keys)
			}
			if m.Action(Screen, "ctrl+c") != Leave {
				t.Error("ctrl+c does not leave any more")
			}
		})
	}
}

// No yes and no no to a question hangs on a key that is pressed without a look.
func TestAnswersAreDeliberate(t *testing.T) {
	for _, a := range []Action{AskOnce, AskSession, AskRule, AskDeny, ReviewAll} {
		for _, k := range careless {
			if _, _, err := (Entry{string(a), []string{k}}).read(map[Action][]string{a: {"y"}}); err == nil || !strings.Contains(err.Error(), "may answer no question") {
				t.Errorf("%s may be %s: %v", a, k, err)
			}
		}
	}
}

// Help leaves out what has no key, and a line about two presses goes with its key.
func TestRows(t *testing.T) {
	m, _ := New([]Entry{{"screen.interrupt", []string{"f1"}}, {"screen.todos", nil}})
	text := fmt.Sprint(m.Rows(sending()), m.Rows(looking()))
	if !strings.Contains(text, "[f1 f1]") || strings.Contains(text, "todo list") || !strings.Contains(text, "[ctrl+c ctrl+c]") {
		t.Error(text)
	}
	m, _ = New([]Entry{{"screen.interrupt", nil}})
	if text := fmt.Sprint(m.Rows(sending())); strings.Contains(text, "go back to an earlier one") {
		t.Error(text)
	}
}

// docs/keys.md shows the table as it is.
func TestPage(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "keys.md")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for _, g := range Groups() {
		begin, end := "<!-- keys: "+g.Name+" -->\n", "<!-- end of keys -->"
		before, rest, ok := strings.Cut(text, begin)
		_, after, closed := strings.Cut(rest, end)
		if !ok || !closed || strings.Count(text, begin) > 1 {
			t.Errorf("docs/keys.md has no place, or two, for the keys of %q: %s … %s", g.Name, strings.TrimSpace(begin), end)
			continue
		}
		text = before + begin + "\n" + Page(g) + "\n" + end + after
	}
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if text != string(b) {
		t.Error("docs/keys.md shows other keys than there are: go test ./ui/keymap -run Page -update")
	}
}

// Terminals that know the key of macOS report it under two names.
func TestSuper(t *testing.T) {
	for key, want := range map[string]Action{"meta+left": LineStart, "super+left": LineStart, "shift+meta+up": SelectTextStart} {
		if got := Default().Action(Prompt, key); got != want {
			t.Errorf("%s is %q", key, got)
		}
	}
}
