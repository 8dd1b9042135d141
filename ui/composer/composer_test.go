package composer

import (
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/rivo/uniseg"

	"forge/ui/safe"
)

var special = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
	"backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete}, "tab": {Code: tea.KeyTab}, "esc": {Code: tea.KeyEscape},
}

func press(s string) tea.KeyPressMsg {
	if k, ok := special[s]; ok {
		return tea.KeyPressMsg(k)
	}
	mods := tea.KeyMod(0)
	for {
		switch {
		case strings.HasPrefix(s, "ctrl+") && len(s) > 5:
			mods, s = mods|tea.ModCtrl, s[5:]
		case strings.HasPrefix(s, "alt+") && len(s) > 4:
			mods, s = mods|tea.ModAlt, s[4:]
		case strings.HasPrefix(s, "shift+") && len(s) > 6:
			mods, s = mods|tea.ModShift, s[6:]
		default:
			if k, ok := special[s]; ok {
				k.Mod = mods
				return tea.KeyPressMsg(k)
			}
			r := []rune(s)[0]
			if mods != 0 {
				return tea.KeyPressMsg{Code: r, Mod: mods}
			}
			return tea.KeyPressMsg{Code: r, Text: s}
		}
	}
}

// send presses keys, runs what they ask for, and returns the prompts submitted.
func send(c *Composer, keys ...string) (sent []string) {
	for _, k := range keys {
		for cmd := c.Update(press(k)); cmd != nil; {
			cmd = c.Update(cmd())
		}
		if s, ok := c.Sent(); ok {
			sent = append(sent, s.Text)
		}
	}
	return sent
}

func typed(s string) (keys []string) {
	g := uniseg.NewGraphemes(s)
	for g.Next() {
		keys = append(keys, g.Str())
	}
	return keys
}

func TestKeysEdit(t *testing.T) {
	for _, c := range []struct {
		name, start string
		keys        []string
		want        string
	}{
		{"backspace over a family is one step", "a👨‍👩‍👧b", []string{"left", "backspace"}, "ab"},
		{"backspace over Hangul", "한국", []string{"backspace"}, "한"},
		{"delete joins lines", "a\nb", []string{"up", "end", "delete"}, "ab"},
		{"ctrl+w takes a run without blanks", "go test ./ui/...", []string{"ctrl+w"}, "go test "},
		{"alt+backspace takes a word", "go test ./ui", []string{"alt+backspace"}, "go test ./"},
		{"word left over scripts", "修复bug吧", []string{"alt+b", "alt+b", "x"}, "修复xbug吧"},
		{"ctrl+u, ctrl+y", "hello", []string{"ctrl+u", "a", "ctrl+y"}, "ahello"},
		{"ctrl+k at a line's end joins", "a\nb", []string{"up", "ctrl+e", "ctrl+k"}, "ab"},
		{"home is the line's", "a\nbc", []string{"home", "x"}, "a\nxbc"},
		{"undo takes a word at a time", "", append(typed("one two"), "ctrl+_"), "one "},
		{"redo", "", append(typed("one two"), "ctrl+_", "alt+_"), "one two"},
		{"backslash enter", `a\`, []string{"enter", "b"}, "a\nb"},
		{"ctrl+j", "a", []string{"ctrl+j", "b"}, "a\nb"},
		{"shift+enter", "a", []string{"shift+enter", "b"}, "a\nb"},
		{"alt+enter", "a", []string{"alt+enter", "b"}, "a\nb"},
		{"alt+d", "one two", []string{"ctrl+a", "alt+d"}, " two"},
		{"unknown control keys write nothing", "a", []string{"ctrl+q", "alt+z"}, "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cm := New(Options{})
			cm.SetValue(c.start)
			if sent := send(cm, c.keys...); sent != nil {
				t.Fatalf("sent %q", sent)
			}
			if cm.Value() != c.want {
				t.Errorf("got %q, want %q", cm.Value(), c.want)
			}
		})
	}
}

func TestEnterSendsAndEmptyDoesNot(t *testing.T) {
	c := New(Options{})
	if sent := send(c, "enter", " ", "enter"); sent != nil {
		t.Fatalf("an empty prompt was sent: %q", sent)
	}
	c.SetValue("fix it \n")
	if sent := send(c, "enter"); !reflect.DeepEqual(sent, []string{"fix it"}) {
		t.Fatalf("sent %q", sent)
	}
	if !c.Empty() {
		t.Fatal("the composer keeps what was sent")
	}
}

func TestPasteIsOneEventAndIsSentInFull(t *testing.T) {
	c := New(Options{})
	var b strings.Builder
	for i := 1; i <= 200; i++ {
		fmt.Fprintf(&b, "line %d\r\n", i)
	}
	c.Update(tea.PasteMsg{Content: b.String()})
	send(c, "!")
	if rows, _, _ := c.View(80, 10); len(rows) != 1 || !strings.Contains(rows[0], "[paste 1: 200 lines]!") {
		t.Fatalf("shown: %q", rows)
	}
	want := strings.ReplaceAll(b.String(), "\r\n", "\n") + "!"
	if c.Value() != want {
		t.Fatalf("value has %d bytes, want %d", len(c.Value()), len(want))
	}
	send(c, "backspace", "backspace") // the mark, then the whole paste
	if c.Value() != "" {
		t.Fatalf("left: %q", c.Value())
	}
	send(c, "ctrl+_")
	if c.Value() != strings.TrimSuffix(want, "!") {
		t.Fatal("undo did not bring the paste back")
	}
	send(c, "alt+e")
	if rows, _, _ := c.View(80, 300); len(rows) != 201 {
		t.Fatalf("unfolded to %d rows", len(rows))
	}
}

// Twenty lines are shown as they are, and one more is not; so are the bytes of few lines.
func TestLongPastes(t *testing.T) {
	for paste, folded := range map[string]bool{
		strings.Repeat("x\n", pasteLines-1) + "x": false, strings.Repeat("x\n", pasteLines): false, strings.Repeat("x\n", pasteLines) + "x": true,
		strings.Repeat("x", pasteBytes): false, strings.Repeat("x", pasteBytes+1): true,
	} {
		c := New(Options{})
		c.Update(tea.PasteMsg{Content: paste})
		rows, _, _ := c.View(80, 500)
		if got := strings.Contains(rows[0], "[paste 1: "); got != folded || c.Value() != paste {
			t.Errorf("%d bytes in %d lines: %q …", len(paste), strings.Count(paste, "\n"), rows[0])
		}
	}
	if pasteLines != 20 {
		t.Errorf("a placeholder stands for more than %d lines", pasteLines)
	}
}

func TestPasteIsCleaned(t *testing.T) {
	c := New(Options{})
	c.Update(tea.PasteMsg{Content: "a\x1b[31mb\x00\r\nc\rd\xff\te\u009b"})
	if want := "a[31mb\nc\nd\uFFFD\te"; c.Value() != want {
		t.Errorf("got %q, want %q", c.Value(), want)
	}
}

func TestTextThatLooksLikeAPlaceholderIsNotReplaced(t *testing.T) {
	c := New(Options{})
	c.Update(tea.PasteMsg{Content: strings.Repeat("x\n", 30)})
	send(c, typed(" [paste 7: 3 lines]")...)
	if !strings.HasSuffix(c.Value(), " [paste 7: 3 lines]") {
		t.Errorf("got %q", c.Value())
	}
}

func TestHistoryKeepsTheDraft(t *testing.T) {
	c := New(Options{History: []string{"first", "second\nline"}})
	send(c, typed("draft")...)
	send(c, "up")
	if c.Value() != "second\nline" {
		t.Fatalf("up: %q", c.Value())
	}
	send(c, "up", "up")
	if c.Value() != "first" {
		t.Fatalf("up through the rows: %q", c.Value())
	}
	send(c, "up")
	if c.Value() != "first" {
		t.Fatalf("past the oldest: %q", c.Value())
	}
	send(c, "down", "down", "down")
	if c.Value() != "draft" {
		t.Fatalf("back: %q", c.Value())
	}
}

// A command in the history opens no menu, which would take the keys that go on.
func TestHistoryGoesPastCommands(t *testing.T) {
	c := New(Options{History: []string{"first", "/export html", "/mode"}, Commands: []Command{
		{Name: "export", Complete: func(string) []string { return []string{"html", "markdown"} }}, {Name: "mode"}, {Name: "model"}}})
	send(c, typed("draft")...)
	for _, want := range []string{"/mode", "/export html", "first"} {
		if send(c, "up"); c.Value() != want || c.MenuOpen() {
			t.Errorf("up: %q, menu %v, want %q", c.Value(), c.MenuOpen(), want)
		}
	}
	if send(c, "down", "down", "down"); c.Value() != "draft" {
		t.Errorf("back: %q", c.Value())
	}
	if send(c, "up", "backspace"); !c.MenuOpen() { // changed, it is completed as ever
		t.Errorf("no menu for %q", c.Value())
	}
}

func TestCommandsComplete(t *testing.T) {
	c := New(Options{Commands: []Command{
		{Name: "model", Args: "[id]", About: "choose a model", Complete: func(p string) []string {
			var out []string
			for _, m := range []string{"gpt-5.6", "claude-opus-5"} {
				if strings.HasPrefix(m, p) {
					out = append(out, m)
				}
			}
			return out
		}},
		{Name: "mode", About: "ask, edits, plan, auto"}, {Name: "help"},
	}})
	send(c, "/", "m", "o")
	if !c.MenuOpen() || len(c.MenuView(60)) != 2 {
		t.Fatalf("menu: %q", c.MenuView(60))
	}
	if sent := send(c, "down", "enter"); !reflect.DeepEqual(sent, []string{"/mode"}) {
		t.Fatalf("enter on the second row sent %q", sent)
	}
	send(c, typed("/model")...)
	send(c, "tab")
	if c.Value() != "/model " || !c.MenuOpen() {
		t.Fatalf("tab: %q, menu %v", c.Value(), c.MenuOpen())
	}
	send(c, "c")
	if sent := send(c, "enter"); !reflect.DeepEqual(sent, []string{"/model claude-opus-5"}) {
		t.Fatalf("sent %q", sent)
	}
	send(c, typed("/modle")...)
	if c.MenuOpen() {
		t.Fatal("a typo opens a menu of neighbours")
	}
	if sent := send(c, "enter"); !reflect.DeepEqual(sent, []string{"/modle"}) {
		t.Fatalf("a typo sent %q", sent)
	}
	send(c, "/")
	send(c, "esc")
	send(c, "h")
	if c.MenuOpen() {
		t.Fatal("esc did not keep the menu shut")
	}
}

// Behind a command that was completed its values are offered, and none is chosen: Enter
// runs the command alone until somebody goes to one.
func TestEnterChoosesNoValueByItself(t *testing.T) {
	values := []string{"hidden", "line", "full"}
	c := New(Options{Commands: []Command{
		{Name: "reasoning", Complete: func(p string) (out []string) {
			for _, v := range values {
				if strings.HasPrefix(v, p) {
					out = append(out, v)
				}
			}
			return out
		}},
		{Name: "add-dir", Search: func(string) []Found { return []Found{{Text: "docs/", Open: true}, {Text: "ui/", Open: true}} }},
	}})
	c.opts.Styles.Selected = func(s string) string { return "<" + s }
	chosen := func() string {
		for _, row := range c.MenuView(20) {
			if s, ok := strings.CutPrefix(row, "<"); ok {
				return strings.TrimSpace(strings.Trim(s, "› "))
			}
		}
		return ""
	}
	send(c, typed("/rea")...)
	if send(c, "tab"); len(c.MenuView(20)) != len(values) || chosen() != "" {
		t.Fatalf("offered %q, chosen %q", c.MenuView(20), chosen())
	}
	if sent := send(c, "enter"); !slices.Equal(sent, []string{"/reasoning"}) {
		t.Errorf("enter sent %q", sent)
	}
	for keys, want := range map[string]string{"down": "hidden", "down down": "line", "up": "full"} {
		send(c, typed("/reasoning ")...)
		if send(c, strings.Fields(keys)...); chosen() != want {
			t.Errorf("%s: chosen %q, want %q", keys, chosen(), want)
		}
		if sent := send(c, "enter"); !slices.Equal(sent, []string{"/reasoning " + want}) {
			t.Errorf("%s: enter sent %q", keys, sent)
		}
	}
	send(c, typed("/reasoning ")...)
	send(c, "down", "down", "f", "backspace") // another word, chosen by nobody
	if sent := send(c, "enter"); !slices.Equal(sent, []string{"/reasoning"}) {
		t.Errorf("written anew: enter sent %q", sent)
	}
	send(c, typed("/add-dir ")...)
	if sent := send(c, "enter"); !slices.Equal(sent, []string{"/add-dir"}) {
		t.Errorf("a folder nobody chose: enter sent %q", sent)
	}
}

// Tab on what is written already goes to the next row, so that a folder's files can be
// reached by Tab alone.
func TestTabGoesOnWhereItWouldChangeNothing(t *testing.T) {
	c := New(Options{Files: func(q string) (out []string) {
		for _, f := range []string{"shots/", "shots/a.png", "shots/b.png"} {
			if strings.HasPrefix(f, q) {
				out = append(out, f)
			}
		}
		return out
	}})
	send(c, typed("see @sh")...)
	for i, want := range []string{"see @shots/", "see @shots/", "see @shots/a.png "} {
		if send(c, "tab"); c.Value() != want {
			t.Fatalf("tab %d: %q, want %q", i+1, c.Value(), want)
		}
	}
	if send(c, "ctrl+_"); c.Value() != "see @shots/" {
		t.Errorf("undo: %q", c.Value())
	}
}

// The other names of a command are known to fingers too: they are listed behind the
// commands, and what follows one is completed.
func TestOtherNamesComplete(t *testing.T) {
	c := New(Options{Commands: []Command{
		{Name: "resume", Aliases: []string{"sessions", "again"}, Complete: func(string) []string { return []string{"that one"} }},
		{Name: "search"}, {Name: "settings"},
	}})
	names := func() (out []string) {
		for _, it := range c.menu.items {
			out = append(out, it.name)
		}
		return out
	}
	send(c, "/")
	if got := names(); !reflect.DeepEqual(got, []string{"/resume", "/search", "/settings"}) {
		t.Errorf("all: %q", got)
	}
	send(c, "s", "e")
	if got := names(); !reflect.DeepEqual(got, []string{"/search", "/settings", "/sessions"}) {
		t.Errorf("/se: %q", got)
	}
	send(c, "s")
	if send(c, "tab"); c.Value() != "/sessions " || !reflect.DeepEqual(names(), []string{"that one"}) {
		t.Errorf("%q, %q", c.Value(), names())
	}
}

// Names a command has elsewhere are listed last, not for a letter or two, and not where
// another command has that name.
func TestNamesFromElsewhere(t *testing.T) {
	c := New(Options{Commands: []Command{
		{Name: "settings", Known: []string{"config", "conrad"}, Complete: func(string) []string { return []string{"theme"} }},
		{Name: "context"}, {Name: "jobs", Known: []string{"ps", "context"}},
	}})
	names := func() (out []string) {
		for _, it := range c.menu.items {
			out = append(out, it.name)
		}
		return out
	}
	for text, want := range map[string][]string{
		"/co": {"/context"}, "/con": {"/context", "/config"}, "/p": nil, "/ps": {"/ps"}, "/context": {"/context"},
	} {
		c.SetValue("")
		send(c, typed(text)...)
		if got := names(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	c.SetValue("")
	send(c, typed("/config")...)
	if send(c, "tab"); c.Value() != "/config " || !slices.Equal(names(), []string{"theme"}) {
		t.Errorf("%q, %q", c.Value(), names())
	}
}

func TestFilesComplete(t *testing.T) {
	asked := []string{}
	c := New(Options{Files: func(q string) []string {
		asked = append(asked, q)
		return []string{"ui/feed.go", "ui/"}
	}})
	send(c, typed("look at @fee")...)
	if !c.MenuOpen() || asked[len(asked)-1] != "fee" {
		t.Fatalf("asked %q", asked)
	}
	send(c, "enter")
	if c.Value() != "look at @ui/feed.go " {
		t.Fatalf("got %q", c.Value())
	}
	send(c, typed("a@b")...)
	if c.MenuOpen() {
		t.Fatal("an address opened the menu")
	}
	stale := found{kind: files, seq: 1, items: []item{{name: "old"}}}
	send(c, " ", "@")
	c.Update(stale)
	if c.menu.items[0].name != "ui/feed.go" {
		t.Fatal("an old answer replaced a new one")
	}
}

// TestRowsHoldTheText types, pastes and edits at random and looks at what must
// always hold: rows in order hold all the text, none is wider than its frame,
// the cursor stands on a cluster border and inside the frame.
func TestRowsHoldTheText(t *testing.T) {
	rnd := rand.New(rand.NewSource(7))
	keys := []string{"a", "字", "👍🏽", " ", "é", "ctrl+j", "left", "right", "up", "down", "home", "end", "backspace", "delete",
		"ctrl+w", "alt+b", "alt+f", "ctrl+k", "ctrl+u", "ctrl+y", "ctrl+_", "alt+_", "paste", "long", "tab"}
	c := New(Options{History: []string{"earlier"}})
	for i := 0; i < 6000; i++ {
		switch k := keys[rnd.Intn(len(keys))]; k {
		case "paste":
			c.Update(tea.PasteMsg{Content: strings.Repeat("p\n", rnd.Intn(30))})
		case "long":
			c.Update(tea.PasteMsg{Content: strings.Repeat("w", rnd.Intn(90)) + "\t"})
		default:
			send(c, k)
		}
		if len(c.ed.text) > 600 {
			c.SetValue("")
		}
		width := 10 + rnd.Intn(60)
		rows, x, y := c.View(width, 5)
		if x < 0 || x >= width || y < 0 || y >= len(rows) || len(rows) > 5 {
			t.Fatalf("step %d: cursor %d,%d in %d rows of %d", i, x, y, len(rows), width)
		}
		l := c.layout()
		at := 0
		for _, r := range l.rows {
			if r.from < at || strings.Trim(l.text[at:r.from], "\n") != "" {
				t.Fatalf("step %d: rows lose %q", i, l.text[at:r.from])
			}
			if w := cells(l.text[r.from:r.to]); w > max(width-gutter, 2) && !strings.Contains(l.text[r.from:r.to], "[paste") && w > 3 {
				// a blank that ends a row may stand over its edge
				if cells(strings.TrimRight(l.text[r.from:r.to], " \t")) > width-gutter {
					t.Fatalf("step %d: row %q is %d wide in %d", i, l.text[r.from:r.to], w, width-gutter)
				}
			}
			at = r.to
		}
		if at != len(l.text) {
			t.Fatalf("step %d: rows end at %d of %d", i, at, len(l.text))
		}
		if c.ed.next(c.ed.prev(c.ed.cur)) != c.ed.cur && c.ed.cur != 0 {
			t.Fatalf("step %d: cursor %d is inside a cluster of %q", i, c.ed.cur, c.ed.text)
		}
	}
}

func TestUndoReachesTheStart(t *testing.T) {
	c := New(Options{})
	send(c, typed("one two 三四")...)
	send(c, "ctrl+w", "ctrl+k", "home", "delete")
	for range 40 {
		send(c, "ctrl+_")
	}
	if c.Value() != "" {
		t.Errorf("left %q", c.Value())
	}
}

func TestCursorOverWideRunes(t *testing.T) {
	c := New(Options{})
	c.SetValue("你好")
	if _, x, y := c.View(40, 3); x != gutter+4 || y != 0 {
		t.Errorf("cursor at %d,%d", x, y)
	}
	c.SetValue(strings.Repeat("字", 30))
	rows, _, y := c.View(20, 9)
	if len(rows) != 4 || y != 3 || ansi.StringWidth(rows[0]) != 18 {
		t.Errorf("%d rows, cursor in %d, first is %d wide", len(rows), y, ansi.StringWidth(rows[0]))
	}
	// At whatever width a row is full, the cursor stands behind its last cell, in the
	// frame.
	for width := 6; width < 24; width++ {
		for n := 1; n < 20; n++ {
			c.SetValue("a" + strings.Repeat("字", n))
			rows, x, y := c.View(width, 40)
			if end := ansi.StringWidth(rows[y]); x != end || x >= width {
				t.Fatalf("%d wide, %d characters: cursor at %d, the row ends at %d", width, n, x, end)
			}
		}
	}
}

func BenchmarkKey(b *testing.B) {
	c := New(Options{})
	c.SetValue(strings.Repeat("some words to edit\n", 18))
	k := press("x")
	for b.Loop() {
		c.Update(k)
		c.View(120, 10)
		c.Update(press("backspace"))
	}
}

// TestAPathWithBlanksIsQuoted: whoever reads the prompt can tell where it ends.
func TestAPathWithBlanksIsQuoted(t *testing.T) {
	c := New(Options{Files: func(string) []string { return []string{"with space.txt", "dir one/", "plain.txt"} }})
	for i, want := range []string{`@"with space.txt" `, `@"dir one/`, "@plain.txt "} {
		c.Reset()
		send(c, "@")
		for range i {
			send(c, "down")
		}
		send(c, "tab")
		if c.Value() != want {
			t.Errorf("%q, want %q", c.Value(), want)
		}
	}
}

// TestNothingTurnsARowAround: marks of direction are sent and not shown.
func TestNothingTurnsARowAround(t *testing.T) {
	c := New(Options{})
	c.Paste("a \u202eb\u2066c d")
	rows, x, _ := c.View(40, 3)
	if rows[0] != "› a bc d" || x != 8 {
		t.Errorf("%q, cursor at %d", rows[0], x)
	}
	if c.Value() != "a \u202eb\u2066c d" {
		t.Errorf("value %q", c.Value())
	}
}

// A text that begins with ! is a command for the shell: the sign stands where the
// glyph does, and what is sent says so.
func TestACommandForTheShell(t *testing.T) {
	var got []string
	c := New(Options{Placeholder: "write", ShellHint: "a command", Styles: Styles{Shell: func(s string) string { return "<" + s + ">" }},
		Commands: []Command{{Name: "help"}},
		Files:    func(q string) []string { got = append(got, q); return []string{"a"} }})
	view := func() string {
		rows, x, y := c.View(20, 5)
		return fmt.Sprintf("%s %d,%d", strings.Join(rows, "|"), x, y)
	}
	for _, s := range []struct{ keys, want string }{
		{"!", "<!> a command 2,0"},
		{"ls /tmp", "<!> ls /tmp 9,0"},
		{"ctrl+a", "<!> ls /tmp 0,0"},
		{"right", "<!> ls /tmp 2,0"},
		{"ctrl+k", "<!> a command 2,0"},
		{"cat @a", "<!> cat @a 8,0"},
		{"ctrl+j", "<!> cat @a|   2,1"},
		{"ctrl+u", "<!> cat @a|   2,1"},
	} {
		if strings.Contains(s.keys, "+") || s.keys == "right" {
			c.Update(press(s.keys))
		} else {
			for _, r := range s.keys {
				c.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
			}
		}
		if got := view(); got != s.want {
			t.Errorf("after %q: %q, want %q", s.keys, got, s.want)
		}
	}
	if c.MenuOpen() || got != nil {
		t.Errorf("a menu is open, or files were searched: %q", got)
	}
	c.Update(press("enter"))
	msg, ok := c.Sent()
	if !ok || msg != (Submitted{Text: "!cat @a", Shell: true}) {
		t.Errorf("sent %+v", msg)
	}
	if msg, again := c.Sent(); again {
		t.Errorf("sent %+v once more", msg)
	}
	long := "!cat <<x" + strings.Repeat("\nline", 40)
	c.SetValue(long)
	if !c.Shell() || c.Value() != long {
		t.Errorf("a long one is shown as %q", view())
	}
	c.Reset()
	c.Paste(long)
	if c.Shell() {
		t.Errorf("a paste nobody sees is a command: %q", view())
	}
	c.Update(press("enter"))
	if msg, _ := c.Sent(); msg != (Submitted{Text: long}) {
		t.Errorf("sent %+v", msg)
	}
}

// Enter on a folder that was named to its end takes it; one of those in it is taken where
// somebody chose it, and Tab goes on completing.
func TestEnterTakesTheFolderThatWasNamed(t *testing.T) {
	c := New(Options{Commands: []Command{{Name: "open", Search: func(typed string) []Found {
		return []Found{{Text: typed + "a/", Open: true}, {Text: typed + "b/", Open: true}}
	}}}})
	for _, s := range []struct {
		keys        []string
		sent, value string
	}{
		{append(typed("/open x/"), "enter"), "/open x/", ""},
		{append(typed("/open x/"), "tab"), "", "/open x/a/"},
		{append(typed("/open x/"), "down", "enter"), "", "/open x/b/"},
		{append(typed("/open x"), "enter"), "", "/open xa/"},
		{append(typed("/open x"), "enter", "enter"), "/open xa/", ""},
		{append(typed("/open x/"), "down", "enter", "enter"), "/open x/b/", ""},
	} {
		c.Reset()
		sent := strings.Join(send(c, s.keys...), "")
		if sent != s.sent || c.Value() != s.value {
			t.Errorf("%q sent %q, left %q", s.keys, sent, c.Value())
		}
	}
}

// Enter ahead of a list that is still that of something shorter never puts another name in
// the place of what was written; where the list has it already, it is completed at once.
func TestEnterAheadOfTheList(t *testing.T) {
	folders := func(string) []Found { return []Found{{Text: "/tmp/one/", Open: true}, {Text: "/tmp/two/", Open: true}} }
	files := func(string) []string { return []string{"main.go", "maintain.md"} }
	for _, s := range []struct {
		known, late string
		key         string
		sent, value string
	}{
		{"/open /tmp/", "two/x", "enter", "/open /tmp/two/x", ""},
		{"/open /tmp/", "two/x", "tab", "", "/open /tmp/two/x"},
		{"/open /tmp/", "two", "enter", "/open /tmp/two", ""}, // it is one of those that are listed
		{"/open /tmp/", "o", "enter", "", "/open /tmp/one/"},
		{"see @ma", "kefile", "enter", "see @makefile", ""},
		{"see @ma", "in", "enter", "", "see @main.go "},
		{"see @ma", "İ\xff", "enter", "see @maİ\ufffd", ""},
	} {
		c := New(Options{Files: files, Commands: []Command{{Name: "open", Search: folders}}})
		send(c, typed(s.known)...)
		for _, k := range typed(s.late) {
			c.Update(press(k)) // what it asks for is not answered
		}
		c.Update(press(s.key))
		sent, _ := c.Sent()
		if sent.Text != s.sent || c.Value() != s.value {
			t.Errorf("%s%s %s: sent %q, left %q", s.known, s.late, s.key, sent.Text, c.Value())
		}
	}
}

// A file is named as whoever made the folder liked: its row shows it as other rooms do, and
// what is written is the name.
func TestMenuShowsNamesSafely(t *testing.T) {
	name := "na\u202etxt.\x1b[31mexe"
	c := New(Options{Files: func(string) []string { return []string{name} }})
	send(c, "@", "n")
	if rows := c.MenuView(40); len(rows) != 1 || strings.ContainsAny(rows[0], "\u202e\x1b") || !strings.Contains(rows[0], safe.Line(name)) {
		t.Errorf("%q", rows)
	}
}
