package composer

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// wrongs marks every "bad" of a text that the caret is not in.
func wrongs(text string, caret int) (out [][2]int) {
	for at := 0; ; {
		i := strings.Index(text[at:], "bad")
		if i < 0 {
			return out
		}
		from := at + i
		at = from + 3
		if caret < from || caret > at {
			out = append(out, [2]int{from, at})
		}
	}
}

func TestWrongIsMarked(t *testing.T) {
	c := New(Options{Wrong: wrongs, Styles: Styles{
		Wrong:    func(s string) string { return "\x1b[4m" + s + "\x1b[24m" },
		Selected: func(s string) string { return "\x1b[7m" + s + "\x1b[27m" },
	}})
	rows := func(width int) string {
		rows, _, _ := c.View(width, 9)
		return strings.Join(rows, "|")
	}
	send(c, typed("a bad")...)
	if got := rows(40); strings.Contains(got, "\x1b[4m") {
		t.Errorf("marked while it is written: %q", got)
	}
	send(c, typed(" day, bad 坏bad!")...)
	if got := rows(40); strings.Count(got, "\x1b[4mbad\x1b[24m") != 3 || ansi.Strip(got) != "› a bad day, bad 坏bad!" {
		t.Errorf("%q", got)
	}
	if got := rows(8); strings.Count(got, "\x1b[4m") != strings.Count(got, "\x1b[24m") || strings.Count(got, "\x1b[4m") < 3 {
		t.Errorf("in narrow rows: %q", got)
	}
	if send(c, "alt+a"); strings.Contains(rows(40), "\x1b[4m") {
		t.Errorf("what is selected: %q", rows(40))
	}
	c.SetWrong(nil)
	if send(c, "right"); strings.Contains(rows(40), "\x1b[4m") {
		t.Errorf("marked when it is off: %q", rows(40))
	}
}

func TestReplace(t *testing.T) {
	for _, test := range []struct {
		from, to int
		with     string
		caret    int
		want     string
		after    int
	}{
		{0, 4, "hello", 9, "hello wrld", 10}, {5, 9, "world", 2, "helo world", 2}, {0, 4, "hello", 2, "hello wrld", 5},
		{0, 4, "h\x1b[mi", 9, "h[mi wrld", 9}, {3, 99, "x", 9, "helo wrld", 9}, {4, 2, "x", 9, "helo wrld", 9},
	} {
		c := New(Options{})
		c.SetValue("helo wrld")
		c.Seek(test.caret)
		c.Replace(test.from, test.to, test.with)
		if text, caret := c.Written(); text != test.want || caret != test.after {
			t.Errorf("%+v: %q %d", test, text, caret)
		}
		if test.want != "helo wrld" {
			if send(c, "ctrl+_"); c.Value() != "helo wrld" {
				t.Errorf("undo: %q", c.Value())
			}
		}
	}
}
