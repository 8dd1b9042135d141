package dialog

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"forge/tools"
	"forge/tools/diff"
	"forge/tools/permission"
	"forge/ui/theme"
)

// desk is a review that is open, with the answer it gave.
type desk struct {
	*testing.T
	s      *Stack
	clock  *clock
	got    *permission.Answer
	opened *Open
}

func newDesk(t *testing.T, th *theme.Theme, changes ...tools.Change) *desk {
	t.Helper()
	d := &desk{T: t}
	r := permission.Request{ID: "q", Effect: tools.Effect{Kind: tools.Write, Title: "edit files", Changes: changes}}
	d.s, d.clock = open(NewAsk(th, r, func(a permission.Answer) { d.got = &a }))
	return d
}

// run does what a command of the review asks for.
func (d *desk) run(cmd tea.Cmd) {
	for cmd != nil {
		switch msg := cmd().(type) {
		case Open:
			d.opened, cmd = &msg, nil
		case nil:
			cmd = nil
		default:
			cmd, _ = d.s.Update(msg)
		}
	}
}

// press types keys, by name; what begins with ' is typed letter by letter.
func (d *desk) press(keys ...string) {
	d.Helper()
	for _, k := range keys {
		if text, ok := strings.CutPrefix(k, "'"); ok {
			for _, r := range text {
				cmd, _ := d.s.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
				d.run(cmd)
			}
			continue
		}
		cmd, _ := d.s.Update(key(k))
		d.run(cmd)
		d.s.View(100, 40)
	}
	d.s.View(100, 40)
}

func key(s string) tea.KeyPressMsg {
	switch s {
	case "ctrl+s":
		return tea.KeyPressMsg{Code: 's', Mod: tea.ModCtrl}
	case "ctrl+g":
		return tea.KeyPressMsg{Code: 'g', Mod: tea.ModCtrl}
	case "ctrl+k":
		return tea.KeyPressMsg{Code: 'k', Mod: tea.ModCtrl}
	case "end":
		return tea.KeyPressMsg{Code: tea.KeyEnd}
	case "left":
		return tea.KeyPressMsg{Code: tea.KeyLeft}
	}
	return press(s)
}

// left brings back what an editor made of the text it was given.
func (d *desk) left(text string, err error) {
	d.Helper()
	if d.opened == nil {
		d.Fatal("no editor was asked for")
	}
	msg := d.opened.Back([]byte(text), err)
	d.opened = nil
	d.s.Update(msg)
	d.s.View(100, 40)
}

func (d *desk) wait() { d.clock.t = d.clock.t.Add(time.Second) }

func (d *desk) shows(want ...string) {
	d.Helper()
	v := shown(d.s.View(100, 40))
	for _, w := range want {
		if !strings.Contains(v, w) {
			d.Errorf("no %q in\n%s", w, v)
		}
	}
}

// after is the text that the answer writes to a file.
func (d *desk) after(path string) string {
	d.Helper()
	if d.got == nil || !d.got.Allow {
		d.Fatalf("not allowed: %+v", d.got)
	}
	for _, c := range d.got.Changes {
		if c.Path == path {
			return string(c.After)
		}
	}
	d.Fatalf("no change to %s: %+v", path, d.got.Changes)
	return ""
}

func edit(path, before, after string) tools.Change {
	return tools.Change{Path: path, Op: tools.Modify, Before: []byte(before), After: []byte(after)}
}

func threeHunks() (before, after string) {
	gap := strings.Repeat("same\n", 10)
	return "one\n" + gap + "two\n" + gap + "three\n", "ONE\n" + gap + "TWO\n" + gap + "THREE\n"
}

func TestEditAHunkInPlace(t *testing.T) {
	before, after := threeHunks()
	d := newDesk(t, dark, edit("a.go", before, after))
	d.press("right", "e", "end", "'! 中", "enter", "'more")
	d.shows("your version of hunk 2 of 3", "TWO! 中", "ctrl+s take it")
	d.press("'y") // typed, no answer
	if d.got != nil {
		t.Fatal("a letter typed into the editor answered")
	}
	d.press("ctrl+s")
	d.shows("keep, edited by you", "TWO! 中", "morey", "write this with your edits")
	d.press("left", "x", "y")
	want := strings.Replace(strings.Replace(after, "TWO\n", "TWO! 中\nmorey\n", 1), "ONE", "one", 1)
	if got := d.after("a.go"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEditIsLeftOnlyOnPurpose(t *testing.T) {
	before, after := threeHunks()
	d := newDesk(t, dark, edit("a.go", before, after))
	d.press("e", "'x", "esc")
	d.shows("esc again throws your edit away", "xONE")
	d.press("esc")
	d.shows("write this change")
	if d.got != nil || !d.s.Active() {
		t.Fatal("leaving the editor answered")
	}
	d.press("e", "esc", "y") // nothing was typed: nothing to lose
	if !d.got.Allow || d.got.Changes != nil {
		t.Errorf("%+v", d.got)
	}
}

func TestEditBackToWhatWasDropsIt(t *testing.T) {
	d := newDesk(t, dark, edit("a.go", "one\ntwo\n", "one\nTWO\n"))
	d.press("e", "ctrl+k", "'two", "ctrl+s")
	d.shows("drop", "turn all changes down")
	d.press("u")
	d.shows("keep", "write this change")
	d.press("e", "ctrl+k", "'2", "ctrl+s", "u", "y")
	if !d.got.Allow || d.got.Changes != nil {
		t.Errorf("after u: %+v", d.got)
	}
}

func TestWhatCannotBeEditedHere(t *testing.T) {
	for _, c := range []struct {
		name   string
		change tools.Change
		says   string
	}{
		{"control characters", edit("a", "x\n", "x\x1b[31m\n"), "o opens it in your editor"},
		{"hidden ones", edit("a", "x\n", "x\u200by\n"), "o opens it in your editor"},
		{"Latin-1", edit("a", "x\n", "caf\xe9\n"), "o opens it in your editor"},
		{"long", edit("a", "", strings.Repeat("line\n", editLines+2)), "too long to edit here"},
		{"moved", tools.Change{Path: "b", From: "a", Op: tools.Move}, "what goes or moves cannot be edited"},
		{"gone", tools.Change{Path: "a", Op: tools.Delete, Before: []byte("x\n")}, "what goes or moves cannot be edited"},
	} {
		d := newDesk(t, dark, c.change)
		d.press("e")
		d.shows(c.says)
		d.press("W")
		if d.got == nil || !d.got.Allow {
			t.Errorf("%s: %+v", c.name, d.got)
		}
	}
}

// What goes or moves is said in a line where its lines say nothing.
func TestWhatGoesAndMoves(t *testing.T) {
	for _, c := range []struct {
		change tools.Change
		says   []string
	}{
		{tools.Change{Path: "lib/b", From: "a", Op: tools.Move}, []string{"move a → lib/b ✓ keep", "move it"}},
		{tools.Change{Path: "e", From: "d", Op: tools.Move, Thing: tools.Folder, Files: 3, Size: 4200}, []string{"move d → e", "folder, files in it: 3, 4.2 kB"}},
		{tools.Change{Path: "a", Op: tools.Delete, Before: []byte("x\n")}, []string{"- x", "delete it"}},
		{tools.Change{Path: "d", Op: tools.Delete, Thing: tools.Folder, Files: 2, Before: []byte("sub/a\nb\n")}, []string{"delete d", "- sub/a", "- b", "folder, files in it: 2"}},
		{tools.Change{Path: "l", Op: tools.Delete, Thing: tools.Link, Before: []byte("→ there\n")}, []string{"delete l", "link", "- → there"}},
		{tools.Change{Path: "p.png", Op: tools.Delete, Thing: tools.Binary, Size: 1200}, []string{"delete p.png ✓ keep", "binary, 1.2 kB"}},
		{tools.Change{Path: "log", Op: tools.Delete, Thing: tools.Large, Size: 3_000_000}, []string{"too large to show, 3.0 MB"}},
	} {
		d := newDesk(t, dark, c.change)
		d.shows(c.says...)
		d.press("y")
		if d.got == nil || !d.got.Allow || d.got.Changes != nil {
			t.Errorf("%+v: %+v", c.change, d.got)
		}
		d = newDesk(t, dark, c.change)
		d.press("x")
		d.shows("drop")
		d.press("y")
		if d.got == nil || d.got.Allow {
			t.Errorf("%+v dropped: %+v", c.change, d.got)
		}
	}
}

func TestOpenInAnEditor(t *testing.T) {
	before, after := threeHunks()
	d := newDesk(t, dark, edit("dir/a.go", before, after))
	d.press("right", "o")
	if d.opened.Path != "dir/a.go" || !strings.Contains(string(d.opened.Text), "TWO\n") || strings.Contains(string(d.opened.Text), "ONE") {
		t.Fatalf("%+v", d.opened)
	}
	d.press("y") // not while the editor has it
	if d.got != nil {
		t.Fatal("answered while the editor was open")
	}
	d.left(strings.Replace(string(d.opened.Text), "TWO", "zwei", 1), nil)
	d.press("y") // typed for the editor
	if d.got != nil {
		t.Fatal("a key typed for the editor answered")
	}
	d.wait()
	d.shows("keep, edited by you", "zwei")

	d.press("left", "x", "O") // the whole file as it would be written
	text := string(d.opened.Text)
	if text != strings.Replace(strings.Replace(after, "TWO", "zwei", 1), "ONE", "one", 1) {
		t.Fatalf("%q", text)
	}
	d.left(strings.Replace(text, "THREE", "drei", 1)+"appended\n", nil)
	d.wait()
	d.press("y")
	if got := d.after("dir/a.go"); got != strings.Replace(text, "THREE", "drei", 1)+"appended\n" {
		t.Errorf("%q", got)
	}
}

func TestAnEditorThatFailsChangesNothing(t *testing.T) {
	d := newDesk(t, dark, edit("a.go", "one\n", "two\n"))
	d.press("o")
	d.left("", errors.New("exit status 1"))
	d.wait()
	d.shows("exit status 1", "two")
	d.press("O")
	d.left(string(d.opened.Text), nil) // looked at and closed
	d.wait()
	d.press("y")
	if !d.got.Allow || d.got.Changes != nil {
		t.Errorf("%+v", d.got)
	}
}

// What was typed here goes along to the editor, and stays if that changes nothing.
func TestFromHereToAnEditor(t *testing.T) {
	d := newDesk(t, dark, edit("a.go", "one\r\n", "two\r\n"))
	d.press("e", "'x", "ctrl+g")
	if string(d.opened.Text) != "xtwo\n" {
		t.Fatalf("%q", d.opened.Text)
	}
	d.left("xtwo\n", nil)
	d.wait()
	d.press("y")
	if got := d.after("a.go"); got != "xtwo\r\n" {
		t.Errorf("%q", got)
	}
}

func TestEditorThatEmptiesAFile(t *testing.T) {
	d := newDesk(t, dark, edit("a.go", "one\n", "two\n"))
	d.press("O")
	d.left("", nil)
	d.wait()
	d.press("y")
	if got := d.after("a.go"); got != "" {
		t.Errorf("%q", got)
	}
}

func TestCommentWithYesAndNo(t *testing.T) {
	for _, c := range []struct {
		keys  []string
		allow bool
		words string
	}{
		{[]string{"c", "'谢谢 y", "enter", "y"}, true, "谢谢 y"},
		{[]string{"c", "'not so", "enter", "n"}, false, "not so"},
		{[]string{"c", "'left", "esc", "y"}, true, ""},
		{[]string{"c", "'so", "enter", "tab", "'!", "enter"}, false, "so!"},
		{[]string{"c", "'all", "enter", "a", "y"}, false, "every change was turned down in the review. all"},
	} {
		d := newDesk(t, dark, edit("a", "one\n", "two\n"))
		d.press(c.keys[:len(c.keys)-1]...)
		if d.got != nil {
			t.Fatalf("%q answered too early: %+v", c.keys, d.got)
		}
		d.press(c.keys[len(c.keys)-1])
		if d.got == nil || d.got.Allow != c.allow || d.got.Reason != c.words {
			t.Errorf("%q: %+v", c.keys, d.got)
		}
	}
	d := newDesk(t, dark, edit("a", "one\n", "two\n"))
	d.press("c", "'seen", "enter")
	d.shows("with the answer: seen")
}

// Enter, space, a paste and the keys of every mode allow nothing.
func TestNoModeOfAReviewAllows(t *testing.T) {
	before, after := threeHunks()
	for _, keys := range [][]string{
		{"enter", "space", "shift+tab"}, {"e", "y", "enter"}, {"l", "enter", "enter", "space"}, {"c", "y", "enter"}, {"tab", "y"}, {"?", "enter", "space", "esc"},
		{"O"}, {"l", "down", "up", "x"}, {"v", "a", "a", "X", "X", "}", "{", "]", "["},
	} {
		d := newDesk(t, dark, edit("a.go", before, after), edit("b.go", before, after))
		d.press(keys...)
		d.s.Update(tea.PasteMsg{Content: "y"})
		d.s.Update(tea.MouseClickMsg{Button: tea.MouseLeft})
		if d.got != nil || !d.s.Active() {
			t.Errorf("%q: %+v", keys, d.got)
		}
	}
}

func TestFilesOfACall(t *testing.T) {
	before, after := threeHunks()
	d := newDesk(t, dark,
		edit("a.go", before, after),
		tools.Change{Path: "new.go", Op: tools.Create, After: []byte("package x\n")},
		tools.Change{Path: "old.go", Op: tools.Delete, Before: []byte("package old\n\nfunc F() {}\n")},
		tools.Change{Path: "moved.go", Op: tools.Create, After: []byte("package old\n\nfunc F() {}\n")},
		tools.Change{Path: "run.sh", Op: tools.Modify, Mode: 0o755, Before: []byte("x\n"), After: []byte("x\n")},
		tools.Change{Path: "pic.png", Op: tools.Modify, Before: []byte("\x89PNG\x00"), After: []byte("\x89PNG\x00\x01\x02")},
		tools.Change{Path: "empty", Op: tools.Create},
		edit("dos.txt", "a\nb\n", "a\r\nb\r\n"),
	)
	d.shows("edit a.go +3 -3", "file 1 of 8 · hunk 1 of 3")
	d.press("}", "}")
	d.shows("file 3 of 8")
	d.press("l")
	d.shows("❯ delete old.go", "moved to moved.go", "new file moved.go", "moved from old.go", "edit run.sh ✓ keep  mode 0755",
		"binary, 5 B, then 7 B", "new file empty ✓ keep  empty", "line ends LF, then CRLF")
	d.press("x", "up", "up", "x", "enter")
	d.shows("write 6 of 10 hunks")
	d.press("x", "l")
	d.shows("keep 1 of 3")
	d.press("W")
	if d.got == nil || !d.got.Allow {
		t.Fatalf("%+v", d.got)
	}
	var paths []string
	for _, c := range d.got.Changes {
		paths = append(paths, c.Path)
	}
	if got := strings.Join(paths, " "); got != "a.go new.go moved.go run.sh pic.png empty dos.txt" {
		t.Errorf("written: %s", got)
	}
	if d.got.Changes[3].Mode != 0o755 {
		t.Errorf("mode %v", d.got.Changes[3].Mode)
	}
}

// A conflict cannot be written before it is settled, by either side or by hand.
func TestConflictsAreSettled(t *testing.T) {
	base, ours, theirs := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "1\nX\n3\n4\n5\n6\n7\n8\n9\n10\nP\n12\n", "1\nY\n3\n4\n5\n6\n7\n8\n9\n10\nQ\n12\n"
	marked, n := diff.Marked([]byte(base), []byte(ours), []byte(theirs))
	change := tools.Change{Path: "f", Op: tools.Modify, Before: []byte(theirs), After: marked, Conflicts: n}
	for _, c := range []struct {
		name string
		keys []string
		want string
	}{
		{"both sides", []string{"<", "right", ">", "y"}, strings.Replace(theirs, "Y", "X", 1)},
		{"proposed", []string{"<", "right", "<", "y"}, ours},
		{"dropped is the file's", []string{"x", "right", "<", "y"}, strings.Replace(theirs, "Q", "P", 1)},
	} {
		d := newDesk(t, dark, change)
		d.shows("conflict", "settle 2 conflicts first")
		d.press("y")
		if d.got != nil {
			t.Fatal("a conflict was allowed")
		}
		d.press(c.keys...)
		if got := d.after("f"); got != c.want || d.got.Changes[0].Conflicts != 0 {
			t.Errorf("%s: %q, %d conflicts", c.name, got, d.got.Changes[0].Conflicts)
		}
	}
	d := newDesk(t, dark, change)
	d.press("o")
	d.left(strings.NewReplacer("<<<<<<< proposed\n", "", "=======\n", "", ">>>>>>> in the file now\n", "").Replace(string(d.opened.Text)), nil)
	d.wait()
	d.shows("settle 1 conflict first")
	d.press("right", ">", "y")
	if got := d.after("f"); got != strings.Replace(theirs, "Y\n", "X\nY\n", 1) {
		t.Errorf("by hand: %q", got)
	}
}

// Whatever is done in a review, the bytes nobody touched stay as they were: line
// ends, marks, the end of the last line, modes and codings.
func TestReviewKeepsBytes(t *testing.T) {
	wide := func(s string) string {
		b, err := diff.UTF16LE.Encode([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	gap := func(end string) string { return strings.Repeat("same"+end, 10) }
	for _, c := range []struct{ name, before, after, dropped, edited string }{
		{"LF", "a\n" + gap("\n") + "b\n", "A\n" + gap("\n") + "B\n", "a\n" + gap("\n") + "B\n", "mineA\n" + gap("\n") + "B\n"},
		{"CRLF", "a\r\n" + gap("\r\n") + "b\r\n", "A\r\n" + gap("\r\n") + "B\r\n", "a\r\n" + gap("\r\n") + "B\r\n", "mineA\r\n" + gap("\r\n") + "B\r\n"},
		{"mixed", "a\r\n" + gap("\n") + "b\r\n", "A\r\n" + gap("\n") + "B\r\n", "a\r\n" + gap("\n") + "B\r\n", "mineA\r\n" + gap("\n") + "B\r\n"},
		{"BOM", "\ufeffa\n" + gap("\n") + "b\n", "\ufeffA\n" + gap("\n") + "B\n", "\ufeffa\n" + gap("\n") + "B\n", "\ufeffmineA\n" + gap("\n") + "B\n"},
		{"no last line end", "a\n" + gap("\n") + "b", "A\n" + gap("\n") + "B", "a\n" + gap("\n") + "B", "mineA\n" + gap("\n") + "B"},
		{"tabs and blanks at the end", "\ta \n" + gap(" \t\n") + "b\n", "\tA \n" + gap(" \t\n") + "B\n", "\ta \n" + gap(" \t\n") + "B\n", "mine\tA \n" + gap(" \t\n") + "B\n"},
		{"CJK", "啊\n" + gap("中\n") + "b\n", "阿\n" + gap("中\n") + "B\n", "啊\n" + gap("中\n") + "B\n", "mine阿\n" + gap("中\n") + "B\n"},
		{"UTF-16", wide("a\r\n" + gap("\u0a0a\r\n") + "b\r\n"), wide("A\r\n" + gap("\u0a0a\r\n") + "B\r\n"), wide("a\r\n" + gap("\u0a0a\r\n") + "B\r\n"), wide("mineA\r\n" + gap("\u0a0a\r\n") + "B\r\n")},
		{"Latin-1 elsewhere", "a\n" + gap("\xe9\n") + "b\n", "A\n" + gap("\xe9\n") + "B\n", "a\n" + gap("\xe9\n") + "B\n", ""},
		{"blank lines around", "\n\na\n\n\n" + gap("\n") + "b\n", "\n\nA\n\n\n" + gap("\n") + "B\n", "\n\na\n\n\n" + gap("\n") + "B\n", "\n\nmineA\n\n\n" + gap("\n") + "B\n"},
		{"one line without an end", "a", "A", "", "mineA"},
	} {
		change := edit("f", c.before, c.after)
		change.Mode = 0o640
		if c.dropped != "" {
			d := newDesk(t, dark, change)
			d.press("x", "y")
			if got := d.after("f"); got != c.dropped || d.got.Changes[0].Mode != 0o640 || string(d.got.Changes[0].Before) != c.before {
				t.Errorf("%s, a hunk dropped: %q, want %q", c.name, got, c.dropped)
			}
		}
		if c.edited != "" {
			d := newDesk(t, dark, change)
			d.press("e", "'mine", "ctrl+s", "y")
			if got := d.after("f"); got != c.edited {
				t.Errorf("%s, edited here: %q, want %q", c.name, got, c.edited)
			}
		}
		// An editor that ends every line in LF, and the last one too.
		d := newDesk(t, dark, change)
		d.press("O")
		text := strings.TrimPrefix(strings.ReplaceAll(string(d.opened.Text), "\r\n", "\n"), "\ufeff")
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		d.left("mine"+text, nil)
		d.wait()
		d.press("y")
		want := c.edited
		if want == "" || strings.HasPrefix(c.after, "\n") {
			want = "mine" + c.after
		}
		if got := d.after("f"); got != want {
			t.Errorf("%s, in an editor: %q, want %q", c.name, got, want)
		}
	}
}

// A diff of many lines is worked out off the loop, and a frame draws what is seen.
func TestLongDiff(t *testing.T) {
	var a, b bytes.Buffer
	for i := range 10_000 {
		fmt.Fprintf(&a, "\tline %d of the old file\n", i)
		fmt.Fprintf(&b, "\tline %d of the new file 中文\n", i)
	}
	d := newDesk(t, dark, edit("a.go", a.String(), b.String()), edit("b.go", "x\n", "y\n"))
	for range 5 {
		d.press("pgdown")
	}
	d.press("end")
	d.shows("file 1 of 2", "edit b.go")
	if n := len(d.s.View(100, 40).Rows); n > 40 {
		t.Errorf("%d rows", n)
	}
	d.press("}")
	d.shows("file 2 of 2")
}

func BenchmarkReviewFrame10k(b *testing.B) {
	var x, y bytes.Buffer
	for i := range 10_000 {
		fmt.Fprintf(&x, "\tline %d of the old file\n", i)
		fmt.Fprintf(&y, "\tline %d of the new file\n", i)
	}
	r := permission.Request{Effect: tools.Effect{Kind: tools.Write, Changes: []tools.Change{edit("a.go", x.String(), y.String())}}}
	s, _ := open(NewAsk(dark, r, func(permission.Answer) {}))
	s.View(120, 50)
	for b.Loop() {
		s.Update(press("down"))
		if len(s.View(120, 50).Rows) > 50 {
			b.Fatal(ansi.Strip("too many rows"))
		}
	}
}

// y writes nothing of which a part was never on the screen: it reads on, page by page
// and file by file. W is for who does not want to.
func TestReadToTheEnd(t *testing.T) {
	lines := func(n int, mark string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s %d\n", mark, i)
		}
		return b.String()
	}
	long := func() *desk {
		d := newDesk(t, dark, edit("a.go", "", lines(90, "new")), edit("b.go", "x\n", "evil\n"))
		d.s.View(100, 40)
		return d
	}
	d := long()
	d.shows("read on, 2 hunks not shown · W: write these 2 files")
	seen := shown(d.s.View(100, 40))
	for i := 0; d.got == nil; i++ {
		if i > 9 {
			t.Fatal("y never writes")
		}
		d.press("y")
		seen += shown(d.s.View(100, 40))
	}
	for _, want := range []string{"new 0", "new 45", "new 89", "evil"} {
		if !strings.Contains(seen, want) {
			t.Errorf("%q was written and not shown", want)
		}
	}
	if d = long(); d.got != nil {
		t.Fatal("it answered by itself")
	}
	if d.press("W"); d.got == nil || !d.got.Allow || d.got.Changes != nil {
		t.Errorf("W: %+v", d.got)
	}
	d = long()
	d.press("}", "x", "end", "y", "y", "y", "y") // what is dropped need not be read
	if d.got == nil || len(d.got.Changes) != 1 || d.got.Changes[0].Path != "a.go" {
		t.Errorf("%+v", d.got)
	}
	d = long()
	if d.press("s", "p"); d.got != nil {
		t.Errorf("a grant for what nobody saw: %+v", d.got)
	}
	d = long()
	d.press("l", "y") // from the list too
	d.shows("new 0")
	if d.got != nil {
		t.Errorf("%+v", d.got)
	}
}

// A key that cannot do what it is for says why, and the hints name what a key does now.
func TestSideBySideNeedsRoom(t *testing.T) {
	r := newReview(theme.New(true, colorprofile.NoTTY), []tools.Change{{Path: "a.go", Op: tools.Modify, Before: []byte("a\nb\n"), After: []byte("a\nc\n")}})
	r.bound = nil
	r.take(r.start()())
	r.lay(80)
	r.key("v")
	if r.split || !strings.Contains(r.note, "120 columns") {
		t.Errorf("split %v, note %q", r.split, r.note)
	}
	if h := r.hints(200, false); !strings.Contains(h, "v side by side") || strings.Contains(h, "undo edits") {
		t.Errorf("hints %q", h)
	}
	r.lay(140)
	r.key("v")
	if h := r.hints(200, false); !r.split || r.note != "" || !strings.Contains(h, "v one column") {
		t.Errorf("split %v, note %q, hints %q", r.split, r.note, h)
	}
}

// Whether diffs are looked at side by side is remembered from one question to the next.
func TestSideBySideIsKept(t *testing.T) {
	side := false
	ask := func() *Ask {
		d := NewAsk(theme.New(true, colorprofile.NoTTY), permission.Request{Effect: tools.Effect{Changes: []tools.Change{
			{Path: "a.go", Op: tools.Modify, Before: []byte("a\nb\n"), After: []byte("a\nc\n")}}}}, nil).Liking(&side)
		d.review.take(d.review.start()())
		d.review.lay(140)
		return d
	}
	first := ask()
	first.review.key("v")
	second := ask()
	if !first.review.split || !second.review.split {
		t.Error("the next review forgot it")
	}
	second.review.key("v")
	if ask().review.split {
		t.Error("one column is not remembered")
	}
}

// A filter finds what holds the words, words that begin one first; letters here and
// there only where nothing does.
func TestFilterFindsWords(t *testing.T) {
	entries := []Entry{{Label: "search the model"}, {Label: "remodel"}, {Label: "my old theme", Detail: "else"}, {Label: "模型选择"}}
	for _, c := range []struct{ filter, want string }{
		{"model", "[0 1]"}, {"MODEL", "[0 1]"}, {"mode sea", "[0]"}, {"odel", "[0 1]"}, {"型选", "[3]"}, {"mltm", "[2]"}, {"zq", "[]"},
	} {
		p := NewPicker(theme.New(true, colorprofile.NoTTY), "", entries, nil)
		p.Filter(c.filter)
		if got := fmt.Sprint(p.shown); got != c.want {
			t.Errorf("%q finds %s, want %s", c.filter, got, c.want)
		}
	}
}

// A key that is pressed while a file is compared anew is for what it will be then.
func TestKeysWhileAFileIsReworked(t *testing.T) {
	d := newDesk(t, theme.New(true, colorprofile.NoTTY), tools.Change{Path: "f", Op: tools.Modify, Before: []byte("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"), After: []byte("A\nb\nc\nd\ne\nf\ng\nh\ni\nJ\n")})
	d.press("x")
	restored, _ := d.s.Update(key("u"))
	for _, k := range []string{"]", "x"} {
		if cmd, handled := d.s.Update(key(k)); !handled || cmd != nil {
			t.Fatalf("%s went elsewhere", k)
		}
	}
	d.run(restored)
	d.press("y", "W")
	if d.got == nil || len(d.got.Changes) != 1 || string(d.got.Changes[0].After) != "A\nb\nc\nd\ne\nf\ng\nh\ni\nj\n" {
		t.Errorf("%+v", d.got)
	}
}

// The yes to all of it, seen or not, waits for the comparing as other keys do. Before
// the first comparing nothing was shown, and it says nothing.
func TestYesToAllWhileAFileIsReworked(t *testing.T) {
	change := tools.Change{Path: "f", Op: tools.Modify, Before: []byte("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"), After: []byte("A\nb\nc\nd\ne\nf\ng\nh\ni\nJ\n")}
	d := newDesk(t, theme.New(true, colorprofile.NoTTY), change)
	d.press("x")
	restored, _ := d.s.Update(key("u"))
	for _, k := range []string{"]", "x", "W", "a"} {
		if cmd, handled := d.s.Update(key(k)); !handled || cmd != nil {
			t.Fatalf("%s went elsewhere", k)
		}
	}
	if d.got != nil {
		t.Fatalf("it answered for what was not compared yet: %+v", d.got)
	}
	d.run(restored)
	if d.got == nil || !d.got.Allow || len(d.got.Changes) != 1 || string(d.got.Changes[0].After) != "A\nb\nc\nd\ne\nf\ng\nh\ni\nj\n" {
		t.Errorf("%+v", d.got)
	}
	if d.s.Active() {
		t.Error("the question is there still")
	}

	r := newReview(theme.New(true, colorprofile.NoTTY), []tools.Change{change})
	if r.key("W"); len(r.later) > 0 {
		t.Error("it says yes to what was never shown")
	}
}

// A hunk of several changes breaks up, so that one of them can be dropped and another
// edited; what was done before stays done.
func TestBreakAHunkUp(t *testing.T) {
	d := newDesk(t, dark, edit("a.go", "one\nsame\ntwo\nsame\nthree\n", "ONE\nsame\nTWO\nsame\nTHREE\n"))
	d.shows("✓ keep @@ -1,5 +1,5 @@", "| break up")
	d.press("|")
	d.shows("✓ keep @@ -1 +1 @@", "✓ keep @@ -4,2 +4,2 @@", "write this change")
	d.press("|")
	d.shows("there is one change in this hunk")
	d.press("right", "x", "right", "e", "end", "'!", "ctrl+s")
	d.shows("write 2 of 3 hunks, 1 as you edited them")
	d.press("y")
	if got, want := d.after("a.go"), "ONE\nsame\ntwo\nsame\nTHREE!\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	d = newDesk(t, dark, edit("a.go", "one\nsame\ntwo\n", "ONE\nsame\nTWO\n"))
	d.press("x", "|") // dropped before
	d.shows("turn all changes down")
	d.press("right", "x", "y")
	if got, want := d.after("a.go"), "one\nsame\nTWO\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}

	d = newDesk(t, dark, edit("a.go", "one\nsame\ntwo\n", "ONE\nsame\nTWO\n"))
	d.press("|", "u") // as it was proposed, in one hunk
	d.shows("✓ keep @@ -1,3 +1,3 @@")
	d.press("|", "y") // and broken up, but whole
	if !d.got.Allow || d.got.Changes != nil {
		t.Errorf("%+v", d.got)
	}
}
