package composer

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"forge/ui/vim"
)

// vi is a composer with the keys of vi on, in normal mode, | where the cursor stands.
func vi(text string) *Composer {
	c := at(text)
	c.opts.History = nil
	cur := c.ed.cur
	c.SetVim(true)
	send(c, "esc")
	c.ed.cur = cur
	c.settle()
	return c
}

func TestVimEdits(t *testing.T) {
	for _, c := range []struct{ name, start, keys, want string }{
		{"insert, then normal", "one| two", "i x y esc", "onex|y two"},
		{"a change is one step to undo", "|one two", "c w a space b esc u", "|one two"},
		{"what was typed is one step to undo", "|one", "i a space b space c esc u", "|one"},
		{"redo", "|one two", "d w u ctrl+r", "|two"},
		{"undo twice", "|a b c", "d w d w 2 u", "|a b c"},
		{"j over rows", "o|ne\ntwo", "j x", "one\nt|o"},
		{"put what ctrl+w cut", "one |two", "A ctrl+w esc 0 P", "tw|oone "},
		{"put what was taken with ctrl+y", "|one two", "d w A ctrl+y esc", "twoone| "},
		{"a family is one character", "a|👨‍👩‍👧b", "x", "a|b"},
		{"a word of Chinese", "|修复bug吧", "d w", "|bug吧"},
		{"emacs' keys still work", "on|e two", "ctrl+a x", "|ne two"},
		{"arrows move", "on|e", "left x", "o|e"},
		{"a newline in insert mode", "|one", "i a ctrl+j b esc", "a\n|bone"},
		{"esc and a key read as one", "|one two", "c w x alt+u", "|one two"},
		{"alt keeps what it means", "one| two", "A alt+b x", "one x|two"},
		{"letters are no text", "|", "z Q z", "|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			comp := vi(c.start)
			for _, k := range strings.Fields(c.keys) {
				if k == "space" {
					k = " "
				}
				send(comp, k)
			}
			if got := pictured(comp); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// Enter sends in normal mode too, and the next prompt is begun in insert mode.
func TestVimSends(t *testing.T) {
	c := vi("|one")
	if sent := send(c, "enter"); strings.Join(sent, "|") != "one" {
		t.Errorf("sent %q", sent)
	}
	if mode, _ := c.Mode(); mode != vim.Insert || !c.Vim() {
		t.Errorf("mode %d", mode)
	}
	send(c, "t", "w", "o", "esc", "k") // the history is above the first row
	if c.Value() != "one" {
		t.Errorf("k on the first row gives %q", c.Value())
	}
	send(c, "j")
	if c.Value() != "two" {
		t.Errorf("j on the last row gives %q", c.Value())
	}
}

// Esc closes a menu first, then ends insert mode, and then is the screen's.
func TestVimEsc(t *testing.T) {
	c := New(Options{Vim: true, Commands: []Command{{Name: "model"}, {Name: "mode"}}})
	send(c, "/", "m")
	if !c.MenuOpen() || c.Claims("esc") {
		t.Fatal("no menu, or it is passed over")
	}
	send(c, "esc")
	if mode, _ := c.Mode(); c.MenuOpen() || mode != vim.Insert || !c.Claims("esc") {
		t.Fatal("the menu is open still, or insert mode was left with it")
	}
	send(c, "esc")
	if mode, _ := c.Mode(); mode != vim.Normal || c.Claims("esc") {
		t.Fatal("normal mode keeps esc")
	}
	send(c, "h", "x")
	if c.MenuOpen() {
		t.Error("a menu in normal mode")
	}
}

// A visual mode shows what it would take, and what is copied is that.
func TestVimSelection(t *testing.T) {
	c := vi("one| two\nthree")
	c.opts.Styles.Selected = func(s string) string { return "<" + s + ">" }
	send(c, "v", "l", "l")
	rows, _, _ := c.View(40, 5)
	if got := ansi.Strip(strings.Join(rows, "\n")); !strings.Contains(got, "one< tw>o") || c.Selection() != " tw" {
		t.Errorf("%s\nselected %q", got, c.Selection())
	}
	send(c, "V")
	if c.Selection() != "one two\n" {
		t.Errorf("selected %q", c.Selection())
	}
}

// A placeholder of a long paste is one character, and is put back whole.
func TestVimPlaceholder(t *testing.T) {
	text := strings.Repeat("line\n", 40)
	c := New(Options{Vim: true})
	c.Paste(text)
	send(c, "esc", "x")
	if !c.Empty() {
		t.Fatalf("left %q", c.ed.text)
	}
	send(c, "p")
	if c.Value() != text {
		t.Errorf("put back %q", c.Value())
	}
}

// Off is off, also in the middle of a command.
func TestVimOff(t *testing.T) {
	c := vi("|one")
	send(c, "d")
	c.SetVim(false)
	send(c, "d", "w")
	if c.Value() != "dwone" || c.Claims("esc") {
		t.Errorf("%q", c.Value())
	}
}

// Two letters, typed quickly, are Esc: nothing of them stays. Slowly, in another place or
// behind each other's turn they are text.
func TestVimEscape(t *testing.T) {
	for _, c := range []struct{ name, escape, keys, want string }{
		{"jj", "jj", "a j j", "|a"},
		{"in the middle", "jj", "a b left j j", "|ab"},
		{"slow", "jj", "a j . j", "ajj|"},
		{"the first of two quick ones may be late", "jj", "a j . j j", "a|j"},
		{"jk", "jk", "a j k", "|a"},
		{"jk backwards", "jk", "a k j", "akj|"},
		{"jjk", "jk", "a j j k", "a|j"},
		{"something between", "jj", "a j b j", "ajbj|"},
		{"the cursor moved away", "jj", "a j left j", "aj|j"},
		{"a deleted one", "jj", "a j backspace j", "aj|"},
		{"none is set", "", "a j j", "ajj|"},
		{"normal mode has its own", "jj", "a ctrl+j b esc k j j", "a\n|b"},
		{"a dot repeats what was written without them", "jj", "a esc A x j j .", "ax|x"},
		{"the completion is over", "jj", "/ m j j", "/|m"},
		{"Chinese", "中文", "a 中 文", "|a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			comp := New(Options{Vim: true, VimEscape: c.escape, Now: func() time.Time { return now }})
			for _, k := range strings.Fields(c.keys) {
				if k == "." && strings.Contains(c.keys, ". j") {
					now = now.Add(escapeTime)
					continue
				}
				now = now.Add(escapeTime / 3)
				send(comp, k)
			}
			if got := pictured(comp); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	off := New(Options{VimEscape: "jj"}) // the keys of vi are off
	send(off, "j", "j")
	if off.Value() != "jj" {
		t.Errorf("%q", off.Value())
	}
}
