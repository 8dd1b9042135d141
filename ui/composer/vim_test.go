package composer

import (
	"strings"
	"testing"

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
