package composer

import (
	"strings"
	"testing"
)

// What two clicks choose: words of one script, and paths, addresses and names of files whole.
func TestAroundAWord(t *testing.T) {
	for _, c := range []struct{ text, want string }{ // ^ stands before the cell
		{"one ^two three", "two"},
		{"one tw^o, three", "two"},
		{"one^ two", ""},
		{"one two^", ""},
		{"^", ""},
		{"写一个^函数 one", "写一个函数"},
		{"用Go^lang写", "Golang"},
		{"ひら^がなカタカナ", "ひらがな"},
		{"ひらがなカ^タカナー", "カタカナー"},
		{"漢字か^な", "かな"},
		{"look at ui/dr^ag.go, please", "ui/drag.go"},
		{"in ui/drag.go:1^2: x", "ui/drag.go:12"},
		{"see https://example.com/a?b=c&d^=1#e.", "https://example.com/a?b=c&d=1#e"},
		{"看https://example.com/^a，好", "https://example.com/a"},
		{"[text](https://exam^ple.com/a)", "https://example.com/a"},
		{"打开ui/dr^ag.go文件", "ui/drag.go"},
		{"打^开ui/drag.go文件", "打开"},
		{"打开ui/drag.go文^件", "文件"},
		{"docs/说^明.md", "docs/说明.md"},
		{"文^档/说明.md", "文档/说明.md"},
		{"和^/或", "/"},
		{"是/^否", "否"},
		{"`main_^test.go`", "main_test.go"},
		{"~/.con^fig", "~/.config"},
		{"/et^c", "/etc"},
		{"**bo^ld**", "bold"},
		{"*^*bold**", "**"},
		{"first.\nse^cond\nthird", "second"},
		{"👩‍👩‍👧^👍 x", "👩‍👩‍👧👍"},
		{"e\u0301t^é x", "e\u0301té"},
	} {
		at := strings.Index(c.text, "^")
		text := c.text[:at] + c.text[at+1:]
		from, to := Around(text, at, Word)
		if got := text[from:to]; got != c.want {
			t.Errorf("%s: %q, not %q", c.text, got, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"one\n  two ^three \nfour", "  two three "},
		{"one\n^\nfour", ""},
		{"one\n  ^ \nfour", ""},
		{"on^e\r\ntwo", "one"},
		{"one\ntwo^", "two"},
	} {
		at := strings.Index(c.text, "^")
		text := c.text[:at] + c.text[at+1:]
		from, to := Around(text, at, Line)
		if got := text[from:to]; got != c.want {
			t.Errorf("%s: %q, not %q", c.text, got, c.want)
		}
	}
}

// Two cells of the prompt: what is selected is the text, not its rows, and pastes in full.
func TestChooseInThePrompt(t *testing.T) {
	c := New(Options{})
	c.SetValue("写函数 " + strings.Repeat("word ", 6) + "internal/very/long/path/of/a/file.go\nsecond")
	c.View(24, 20)
	find := func(text string) (row, col int) {
		t.Helper()
		l := c.layout()
		row, col = l.locate(strings.Index(c.ed.text, text))
		return row, col + gutter
	}
	choose := func(text string, u Unit) string {
		t.Helper()
		row, col := find(text)
		if !c.Choose(row, col, u) {
			return "nothing"
		}
		return c.Selection()
	}
	if got := choose("函", Word); got != "写函数" {
		t.Errorf("a word: %q", got)
	}
	if got := choose("of/a", Word); got != "internal/very/long/path/of/a/file.go" {
		t.Errorf("a path over two rows: %q", got)
	}
	row, col := find("econd")
	if c.ChooseTo(row, col); c.Selection() != "internal/very/long/path/of/a/file.go\nsecond" {
		t.Errorf("dragged on: %q", c.Selection())
	}
	row, col = find("函")
	if c.ChooseTo(row, col); c.Selection() != strings.TrimSuffix(c.Value(), "\nsecond") {
		t.Errorf("dragged back: %q", c.Selection())
	}
	if got := choose("long", Line); got != strings.TrimSuffix(c.Value(), "\nsecond") {
		t.Errorf("a line: %q", got)
	}
	if got := choose(" word", Word); got != "nothing" {
		t.Errorf("a blank: %q", got)
	}
	long := strings.Repeat("pasted line\n", 300)
	c.SetValue("")
	c.Paste("before ")
	c.Paste(long)
	c.View(80, 20)
	if got := choose("[paste", Word); strings.TrimSpace(got) != strings.TrimSpace(long) {
		t.Errorf("a paste: %d bytes, not %d", len(got), len(long))
	}
}

// A text that became another one while the button is down is not gone on with.
func TestChooseInATextThatIsGone(t *testing.T) {
	c := New(Options{})
	c.SetValue("first words\nof a second line")
	c.View(40, 20)
	if !c.Choose(1, gutter+12, Word) || c.Selection() != "line" {
		t.Fatalf("selected %q", c.Selection())
	}
	c.SetValue("x")
	c.View(40, 20)
	if c.ChooseTo(0, gutter); c.Selection() != "" {
		t.Errorf("selected %q", c.Selection())
	}
}
