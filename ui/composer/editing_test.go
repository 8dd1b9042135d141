package composer

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"forge/ui/keymap"
)

// at makes a composer of a text with | where the cursor stands.
func at(text string) *Composer {
	c := New(Options{})
	before, after, _ := strings.Cut(text, "|")
	c.SetValue(before + after)
	c.Seek(len(before))
	return c
}

// pictured is the text with | for the cursor, and what is selected in brackets.
func pictured(c *Composer) string {
	e := &c.ed
	from, to, ok := e.selected()
	if !ok {
		return e.text[:e.cur] + "|" + e.text[e.cur:]
	}
	if e.cur == from {
		return e.text[:from] + "[|" + e.text[from:to] + "]" + e.text[to:]
	}
	return e.text[:from] + "[" + e.text[from:to] + "|]" + e.text[to:]
}

func TestEditing(t *testing.T) {
	for _, c := range []struct{ name, start, keys, want string }{
		{"select and type over", "one two|", "alt+shift+left x", "one x|"},
		{"select and erase", "one two|", "ctrl+shift+left backspace", "one |"},
		{"select ahead and erase", "|one two", "shift+right shift+right delete", "|e two"},
		{"select a line", "one\ntwo| three", "shift+home", "one\n[|two] three"},
		{"select to its end", "one\ntwo| three", "shift+end", "one\ntwo[ three|]"},
		{"select rows", "abc\nde|f", "shift+up", "ab[|c\nde]f"},
		{"select beyond the first row", "ab|c", "shift+up", "[|ab]c"},
		{"select beyond the last row", "ab|c", "shift+down", "ab[c|]"},
		{"select to the start", "a\nb|", "ctrl+shift+home", "[|a\nb]"},
		{"select all", "a\nb|c", "alt+a", "[a\nbc|]"},
		{"select back to nothing", "ab|c", "shift+left shift+right", "ab|c"},
		{"a move left goes to its start", "abc|d", "shift+left shift+left left", "a|bcd"},
		{"a move right goes to its end", "a|bcd", "shift+right shift+right right", "abc|d"},
		{"a wide character and a family are one", "好👨‍👩‍👧|", "shift+left shift+left", "[|好👨‍👩‍👧]"},
		{"newline takes its place", "one two|", "alt+shift+left ctrl+j", "one \n|"},
		{"ctrl+k cuts it, ctrl+y brings it", "one two|", "shift+home ctrl+k x ctrl+y", "xone two|"},
		{"undo brings it back", "one two|", "alt+shift+left x ctrl+_", "one |two"},

		{"cuts in a row are one", "one two three|", "ctrl+w ctrl+w home ctrl+y", "two three|one "},
		{"ahead, too", "|one two three", "alt+d alt+d end ctrl+y", " threeone two|"},
		{"a move ends the row", "one two|", "ctrl+w left ctrl+w ctrl+y", "one| "},
		{"the one before", "one two|", "ctrl+w left ctrl+w ctrl+y alt+y", "two| "},
		{"and around", "one two|", "ctrl+w left ctrl+w ctrl+y alt+y alt+y", "one| "},
		{"not without a yank", "one two|", "ctrl+w left ctrl+w alt+y", "| "},
		{"nor after something else", "one two|", "ctrl+w left ctrl+w ctrl+y x alt+y", "onex| "},
		{"undo and redo", "a|", "b ctrl+_ alt+_", "ab|"},
		{"a change ends redo", "a|", "b ctrl+_ c alt+_", "ac|"},
		{"undo of a cut", "one two|", "ctrl+w ctrl+_", "one two|"},

		{"rows keep the column", "abcdef\nx\nabcdef|", "up up", "abcdef|\nx\nabcdef"},
		{"start and end of the text", "ab\nc|d", "alt+< x alt+> y", "xab\ncdy|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			comp := at(c.start)
			send(comp, strings.Fields(c.keys)...)
			if got := pictured(comp); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Words end where a reader would stop: at a blank, a sign, and where another script
// begins.
func TestWordsOfScripts(t *testing.T) {
	for text, stops := range map[string]string{
		"one two":       "one| two|",
		"修复bug吧":        "修复|bug|吧|",
		"コーヒーを飲む":       "コーヒー|を|飲|む|",
		"ｺｰﾋｰ":          "ｺｰﾋｰ|",
		"你好，世界。":        "你好|，|世界|。|",
		"한국어 text":      "한국어| text|",
		"foo_bar(baz)":  "foo_bar|(|baz|)|",
		"cafe\u0301 au": "cafe\u0301| au|",
		"人々の":           "人々|の|",
		"ok👍🏽好":         "ok|👍🏽|好|",
	} {
		e := editor{text: text}
		got := ""
		for e.cur < len(text) {
			from := e.cur
			e.move(e.wordRight())
			got += text[from:e.cur] + "|"
		}
		if got != stops {
			t.Errorf("%q stops at %q, want %q", text, got, stops)
		}
		n := strings.Count(stops, "|")
		for range n {
			e.move(e.wordLeft())
		}
		if e.cur != 0 {
			t.Errorf("%q: %d words right are not %d words left, but stop at %d", text, n, n, e.cur)
		}
	}
}

// What is copied is what is selected, long pastes in full; cut takes it out.
func TestCopyAndCut(t *testing.T) {
	c := New(Options{})
	c.SetValue("look: ")
	c.Paste(strings.Repeat("line\n", 30))
	send(c, "alt+a")
	copied := func(key string) string {
		cmd := c.Do(map[string]keymap.Action{"copy": keymap.Copy, "cut": keymap.Cut}[key])
		if cmd == nil {
			return ""
		}
		for _, m := range messages(cmd) {
			if m, ok := m.(Copied); ok {
				return m.Text
			}
		}
		return ""
	}
	want := "look: " + strings.Repeat("line\n", 30)
	if got := copied("copy"); got != want || c.Empty() {
		t.Errorf("copied %q, left %q", got, c.Value())
	}
	if got := copied("cut"); got != want || !c.Empty() {
		t.Errorf("cut %q, left %q", got, c.Value())
	}
	if got := copied("copy"); got != "" {
		t.Errorf("nothing is selected, and %q is copied", got)
	}
	send(c, "ctrl+y")
	if c.Value() != want {
		t.Errorf("brought back %q", c.Value())
	}
}

func messages(cmd tea.Cmd) (out []tea.Msg) {
	switch m := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range m {
			if c != nil {
				out = append(out, messages(c)...)
			}
		}
	default:
		out = append(out, m)
	}
	return out
}

// What is selected is marked, an empty row of it too, and the rows stay as wide.
func TestSelectionIsShown(t *testing.T) {
	mark := func(s string) string { return "<" + s + ">" }
	c := New(Options{Styles: Styles{Selected: mark}})
	c.SetValue("one\n\n好的 two")
	c.Seek(len("one\n\n好的"))
	send(c, "shift+up", "shift+up")
	rows, _, _ := c.View(40, 9)
	if got := strings.Join(rows, "\n"); got != "› one< >\n  < >\n  <好的> two" {
		t.Errorf("shown as\n%s", got)
	}
	for _, r := range rows {
		if ansi.StringWidth(r) > 40 {
			t.Errorf("%q is too wide", r)
		}
	}
}

// What was cut outlives the prompt that is sent.
func TestRingOutlivesThePrompt(t *testing.T) {
	c := at("keep this|")
	send(c, "ctrl+w", "enter", "ctrl+y")
	if c.Value() != "this" {
		t.Errorf("%q", c.Value())
	}
	c.Reset()
	text := strings.Repeat("long\n", 40)
	c.Paste(text)
	send(c, "alt+a", "ctrl+k", "x", "enter", "ctrl+y") // a placeholder of a prompt that is gone
	if c.Value() != text || c.ed.text == text {
		t.Errorf("%q, shown as %q", c.Value(), c.ed.text)
	}
}

// Every action of the prompt and of its menu is done by somebody here, and nothing
// else is.
func TestEveryActionIsDone(t *testing.T) {
	known := map[keymap.Action]bool{}
	for _, b := range keymap.Actions() {
		known[b.Action] = true
		switch b.Action.Context() {
		case keymap.Prompt:
			if acts.Get()[b.Action] == nil {
				t.Errorf("nobody does %s", b.Action)
			}
		case keymap.Menu:
			if menuActs.Get()[b.Action] == nil {
				t.Errorf("nobody does %s", b.Action)
			}
		}
	}
	for a := range acts.Get() {
		if !known[a] {
			t.Errorf("%s is in no table", a)
		}
	}
}
