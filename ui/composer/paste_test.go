package composer

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"forge/agent/mark"
	"forge/ui/lang"
)

var shot = mark.Mark{N: 1, Width: 640, Height: 480, Name: "3f2a9c1b7d20e4a1.png"}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

func shown(c *Composer) string {
	rows, _, _ := c.View(80, 10)
	return strings.Join(rows, "\n")
}

// A draft brings back what was folded as it was, and what was written by hand as that.
func TestDraftKeepsItsPieces(t *testing.T) {
	c := New(Options{})
	send(c, typed("before ")...)
	c.Attach(shot.String())
	c.Update(tea.PasteMsg{Content: lines(200)})
	send(c, typed(" and ")...)
	c.Update(tea.PasteMsg{Content: strings.Repeat("字", 4000)})
	want, value := shown(c), c.Value()
	if !strings.Contains(want, "before [image 1: 640x480][paste 1: 200 lines] and") || !strings.Contains(want, "[paste 2: 4000 characters]") {
		t.Fatalf("shown %q", want)
	}
	d := New(Options{})
	d.SetValue(c.Draft())
	if shown(d) != want || d.Value() != value {
		t.Errorf("restored as %q", shown(d))
	}
	if strings.ContainsAny(value, foldBegin+foldEnd) {
		t.Error("the marks of a draft are sent")
	}
	d.Prepend("first")
	if got := shown(d); !strings.Contains(got, "first") || !strings.Contains(got, "[paste 1: 200 lines]") {
		t.Errorf("with words before it: %q", got)
	}
	// A draft that was cut, or that somebody wrote by hand, is a text.
	for _, s := range []string{foldBegin, foldBegin + "x", "x" + foldEnd, foldEnd + foldBegin, "\x02\x02\x03\x03"} {
		d.SetValue(s)
		if strings.ContainsAny(d.Value(), foldBegin+foldEnd) {
			t.Errorf("%q became %q", s, d.Value())
		}
	}
}

// Undo brings a paste back even after another text was there.
func TestUndoBringsPastesBack(t *testing.T) {
	c := New(Options{History: []string{lines(50)}})
	c.Update(tea.PasteMsg{Content: lines(200)})
	want := c.Value()
	send(c, "up")
	if c.Value() == want {
		t.Fatal("the history was not reached")
	}
	send(c, "down")
	if c.Value() != want || !strings.Contains(shown(c), "[paste 1: 200 lines]") {
		t.Errorf("the draft came back as %q", shown(c))
	}
	c.SetValue("other")
	send(c, "ctrl+_")
	if c.Value() != want {
		t.Errorf("undo brought %q", shown(c))
	}
}

// What comes back from an editor or the history was perhaps written by hand: it is shown,
// unless it is very long.
func TestWhatComesBackIsShown(t *testing.T) {
	c := New(Options{})
	c.SetValue(lines(60) + shot.String())
	if strings.Contains(shown(c), "[paste") || c.Value() != lines(60)+shot.String() {
		t.Errorf("shown %q", shown(c))
	}
	c.SetValue(lines(500))
	if !strings.Contains(shown(c), "[paste 1: 500 lines]") {
		t.Errorf("shown %q", shown(c))
	}
	p := New(Options{Plain: true})
	p.SetValue("\x02a\x03 " + shot.String() + "\n" + lines(500))
	if strings.Contains(p.ed.text, "[paste") || !strings.Contains(p.ed.text, shot.String()) {
		t.Errorf("a file's text became %.200q", p.ed.text)
	}
}

func TestPastedAgainUnfolds(t *testing.T) {
	c := New(Options{})
	c.Update(tea.PasteMsg{Content: lines(30)})
	c.Update(tea.PasteMsg{Content: lines(30)})
	if strings.Contains(shown(c), "[paste") || c.Value() != lines(30) {
		t.Errorf("shown %q", shown(c))
	}
	c.Reset()
	long := strings.Repeat("x", unfoldBytes+1)
	c.Update(tea.PasteMsg{Content: long})
	send(c, "alt+e")
	if got := shown(c); !strings.Contains(got, fmt.Sprintf("[paste 1: %d characters]", len(long))) {
		t.Errorf("what is too long to be edited here was unfolded: %.100q", got)
	}
	c.Update(tea.PasteMsg{Content: long}) // twice it is, then
	if len(c.Value()) != 2*len(long) {
		t.Errorf("%d bytes", len(c.Value()))
	}
}

// What was pasted is replaced where it stands by now, and words typed meanwhile stay.
func TestSwap(t *testing.T) {
	c := New(Options{})
	send(c, typed("see ")...)
	c.Update(tea.PasteMsg{Content: "/a.png"})
	send(c, typed(" now")...)
	send(c, "left", "left")
	c.Swap("/a.png", shot.String())
	send(c, "X")
	if want := "see " + shot.String() + " nXow"; c.Value() != want {
		t.Errorf("%q, want %q", c.Value(), want)
	}
	c.SetValue("gone")
	c.Swap("/a.png", shot.String())
	if want := "gone" + shot.String(); c.Value() != want {
		t.Errorf("%q, want %q", c.Value(), want)
	}
}

// A picture is one step for every key, and the same picture twice has one number.
func TestPictureIsOnePiece(t *testing.T) {
	other := shot
	other.Name = "0000000000000000.png"
	c := New(Options{})
	c.Attach(shot.String() + other.String() + shot.String())
	if got := c.ed.text; got != "[image 1: 640x480][image 2: 640x480][image 1: 640x480]" {
		t.Errorf("%q", got)
	}
	send(c, "left", "left", "delete")
	if got := c.ed.text; got != "[image 1: 640x480][image 1: 640x480]" {
		t.Errorf("%q", got)
	}
	send(c, "ctrl+e", "backspace")
	if got := c.Value(); got != shot.String() {
		t.Errorf("%q", got)
	}
	c.SetValue("[image 1: 1x1] is a word")
	if c.Value() != "[image 1: 1x1] is a word" {
		t.Errorf("%q", c.Value())
	}
}

func BenchmarkKeyAfterAMegabyteWasPasted(b *testing.B) {
	c := New(Options{})
	c.Update(tea.PasteMsg{Content: strings.Repeat("a line of a log that somebody pasted\n", 30_000)})
	for b.Loop() {
		c.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
		c.View(80, 10)
		c.Draft()
		c.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
}

func TestMentioned(t *testing.T) {
	for before, want := range map[string]string{
		"see @ma": "ma", "@": "", "(@x": "x", `look @"my fi`: "my fi", `@"my dir/`: "my dir/", "@文件/测": "文件/测",
		"a@b": "no", "@a b": "no", `@"my file" `: "no", `@"my file"`: "no", "@main.go:1": "no", "@main.go:10-": "no", "@main.go#L3-9": "no",
		"请看@文": "文", "（@x": "x", "看@a.go，然": "no", "é@x": "x",
		"@main.go#": "no", "@fs:no": "fs:no", "plain": "no",
	} {
		at, query := mentioned(before)
		if at < 0 {
			query = "no"
		}
		if query != want {
			t.Errorf("%q: %q, want %q", before, query, want)
		}
	}
}

// A folder with blanks in its name stays open to be completed further.
func TestNamesWithBlanks(t *testing.T) {
	c := New(Options{Files: func(query string) []string {
		if strings.HasPrefix(query, "my dir/") {
			return []string{"my dir/a file.go"}
		}
		return []string{"my dir/"}
	}})
	run(c, typed("@my")...)
	run(c, "tab")
	if c.Value() != `@"my dir/` {
		t.Fatalf("%q", c.Value())
	}
	run(c, "tab")
	if c.Value() != `@"my dir/a file.go" ` {
		t.Errorf("%q", c.Value())
	}
}

// A name with a sign in it that would end it is quoted.
func TestNamesWithChineseSigns(t *testing.T) {
	c := New(Options{Files: func(string) []string { return []string{"报告，终.md"} }})
	run(c, typed("看@报")...)
	run(c, "tab")
	if c.Value() != `看@"报告，终.md" ` {
		t.Errorf("%q", c.Value())
	}
}

// The lines of a file are written behind its name, whatever was completed there.
func TestLinesBehindAName(t *testing.T) {
	c := New(Options{Files: func(string) []string { return []string{"a.go"} }})
	run(c, typed("@a")...)
	run(c, "tab")
	run(c, typed(":10")...)
	if c.Value() != "@a.go:10" {
		t.Errorf("%q", c.Value())
	}
	run(c, typed(" @a")...)
	run(c, "tab")
	run(c, typed("x :")...)
	if c.Value() != "@a.go:10 @a.go x :" {
		t.Errorf("%q", c.Value())
	}
}

// run sends keys and takes the answers to what they ask for.
func run(c *Composer, keys ...string) {
	for _, k := range keys {
		msg := tea.KeyPressMsg{Text: k, Code: []rune(k)[0]}
		if k == "tab" {
			msg = tea.KeyPressMsg{Code: tea.KeyTab}
		}
		if cmd := c.Update(msg); cmd != nil {
			c.Update(cmd())
		}
	}
}

// The key that unfolds a paste need not be pressed with the cursor on it: the nearest one
// is meant.
func TestUnfoldsTheNearestPaste(t *testing.T) {
	c := New(Options{})
	c.Update(tea.PasteMsg{Content: lines(30)})
	c.SetValue(c.Draft() + " and ")
	c.Update(tea.PasteMsg{Content: lines(40)})
	for range " why?" {
		c.Update(tea.KeyPressMsg{Code: 'w', Text: "w"})
	}
	send(c, "alt+e")
	if got := c.ed.text; !strings.HasPrefix(got, "[paste 1: 30 lines] and ") || strings.Contains(got, "[paste 2") || c.Value() != lines(30)+" and "+lines(40)+"wwwww" {
		t.Errorf("shown %.60q … %q", got, got[len(got)-20:])
	}
	send(c, "alt+e")
	if strings.Contains(c.ed.text, "[paste") {
		t.Errorf("the other one stays folded: %.60q", c.ed.text)
	}
}

// What was sent or put away comes back as it was written: a long paste is one piece again,
// and the words about it can be read.
func TestSentPastesComeBackFolded(t *testing.T) {
	for name, leave := range map[string]func(*Composer){"sent": func(c *Composer) { send(c, "enter") }, "put away": (*Composer).PutAway} {
		c := New(Options{})
		c.Update(tea.PasteMsg{Content: lines(200)})
		c.SetValue(c.Draft() + " why?")
		leave(c)
		if got := c.History(); len(got) != 1 || got[0] != lines(200)+" why?" {
			t.Errorf("%s: history %.80q", name, got)
		}
		send(c, "up")
		if got := shown(c); !strings.Contains(got, "[paste 1: 200 lines] why?") || c.Value() != lines(200)+" why?" {
			t.Errorf("%s: shown %q", name, got)
		}
	}
}

// What stands for a paste or a picture is said in each language, and stands for it still
// when another language is chosen meanwhile.
func TestPlaceholdersOfEveryLanguage(t *testing.T) {
	defer lang.Use(lang.English)
	for _, tag := range lang.Tags() {
		if err := lang.Use(tag); err != nil {
			t.Fatal(err)
		}
		c := New(Options{Styles: Styles{Paste: func(s string) string { return "<" + s + ">" }}})
		long, many := strings.Repeat("字", 4000), lines(200)
		c.Attach(shot.String())
		c.Update(tea.PasteMsg{Content: many})
		c.Update(tea.PasteMsg{Content: long})
		want := "<" + lang.T("[image %d: %dx%d]", 1, 640, 480) + "><" + lang.T("[paste %d: %d lines]", 1, 200) + "><" + lang.T("[paste %d: %d characters]", 2, 4000) + ">"
		if got := shown(c); !strings.Contains(got, want) {
			t.Errorf("%s: shown as %.200q, not %q", tag, got, want)
		}
		for range 3 {
			send(c, "left") // each is one step
		}
		if c.ed.cur != 0 {
			t.Errorf("%s: the cursor is at %d after a step for each", tag, c.ed.cur)
		}
		lang.Use(lang.English)
		if got := c.Value(); got != shot.String()+many+long {
			t.Errorf("%s: sent as %.200q", tag, got)
		}
		lang.Use(tag)
		send(c, typed("[paste 9: 200 lines]")...)
		if got := c.Value(); !strings.HasPrefix(got, "[paste 9: 200 lines]") {
			t.Errorf("%s: words that only look so were sent as %.40q", tag, got)
		}
	}
}
