package vim

import (
	"math/rand"
	"strings"
	"testing"
	"unicode/utf8"
)

// The modes, and what of a command is not whole yet.
func TestModes(t *testing.T) {
	w := &written{text: "one two"}
	for _, c := range []struct {
		keys    string
		mode    Mode
		pending string
	}{
		{"", Insert, ""}, {"x", Insert, ""}, {"<Esc>", Normal, ""}, {"2", Normal, "2"}, {"d", Normal, "2d"}, {"3", Normal, "2d3"}, {"<Esc>", Normal, ""},
		{"f", Normal, "f"}, {"<Esc>", Normal, ""}, {"v", Visual, ""}, {"i", Visual, "i"}, {"w", Visual, ""}, {"V", Lines, ""}, {"v", Visual, ""}, {"v", Normal, ""},
		{"V", Lines, ""}, {"<Esc>", Normal, ""}, {"A", Insert, ""}, {"<Esc>", Normal, ""}, {"cc", Insert, ""}, {"<Esc>", Normal, ""}, {"Q", Normal, ""}, {"dQ", Normal, ""},
	} {
		w.press(c.keys)
		if w.v.Mode() != c.mode || w.v.Pending() != c.pending {
			t.Errorf("after %q the mode is %d with %q, want %d with %q", c.keys, w.v.Mode(), w.v.Pending(), c.mode, c.pending)
		}
	}
}

// Esc is the machine's while there is something to leave, and else whoever's.
func TestClaims(t *testing.T) {
	w := at("|one")
	claims := func(key string, want bool) {
		t.Helper()
		if got := w.v.Claims(key); got != want {
			t.Errorf("%s is claimed: %v", key, got)
		}
	}
	claims("esc", false)
	claims("ctrl+r", true)
	claims("?", false)
	w.press("d")
	claims("esc", true)
	claims("?", true)
	claims("ctrl+c", false)
	w.press("<Esc>v")
	claims("esc", true)
	w.press("<Esc>i")
	claims("esc", true)
	claims("ctrl+r", false)
	if d := w.v.Key("enter", w.as()); d.Handled {
		t.Error("insert mode takes enter")
	}
	w.press("<Esc>")
	for _, key := range []string{"enter", "ctrl+s", "tab", "f5", "esc"} {
		if d := w.v.Key(key, w.as()); d.Handled || d.Text != "one" {
			t.Errorf("normal mode takes %s: %+v", key, d)
		}
	}
}

// Undo and moves between rows are the writer's.
func TestWishes(t *testing.T) {
	for keys, want := range map[string]Done{"u": {Undo: 1}, "3u": {Undo: 3}, "j": {Rows: 1}, "2k": {Rows: -2}} {
		w := at("|one")
		var got Done
		for _, k := range keys {
			got = w.v.Key(string(k), w.as())
		}
		if got.Undo != want.Undo || got.Rows != want.Rows || got.Changed {
			t.Errorf("%s: %+v", keys, got)
		}
	}
	w := at("|one")
	if d := w.v.Key("ctrl+r", w.as()); d.Undo != -1 {
		t.Errorf("ctrl+r: %+v", d)
	}
}

// What somebody else cut is what a put puts.
func TestKept(t *testing.T) {
	w := at("|one")
	w.press("yy")
	w.kept = "else"
	if w.press("p"); w.text != "oelsene" {
		t.Errorf("put %q", w.text)
	}
}

// In an empty text the signs a prompt begins with begin to write; elsewhere they are
// no commands.
func TestSigns(t *testing.T) {
	for _, sign := range []string{"/", "!", "@"} {
		w := at("|")
		if w.press(sign); w.text != sign || w.v.Mode() != Insert {
			t.Errorf("%s gives %q in mode %d", sign, w.text, w.v.Mode())
		}
		w = at("|a")
		if w.press(sign); w.text != "a" || w.v.Mode() != Normal {
			t.Errorf("%s in a text gives %q in mode %d", sign, w.text, w.v.Mode())
		}
	}
}

// Whatever is pressed, the cursor stays on a character and the text whole.
func TestAnyKeys(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	keys := strings.Split(`h l j k w b e W B E 0 ^ $ g G f t F T ; , x X d c y p P D C S Y s r ~ J i a I A o O v V u . { } % ( ) [ " ' < 2 3 0 你 esc esc esc ctrl+r left up enter space backspace delete _ / ! q Z`, " ")
	texts := []string{"", "a", "one two\n  three\n\n", "你好，世界 (a [b] \"c\")\n\tx", "\n\n\n", "{\n}\n"}
	for i := range 3000 {
		w := at("|" + texts[i%len(texts)])
		w.cur = 0
		var pressed []string
		for range 30 {
			k := keys[r.Intn(len(keys))]
			pressed = append(pressed, k)
			d := w.v.Key(k, w.as())
			if !d.Handled {
				if w.v.Mode() == Insert && utf8.RuneCountInString(k) == 1 {
					w.text, w.cur = w.text[:w.cur]+k+w.text[w.cur:], w.cur+len(k)
				}
				continue
			}
			if d.Changed != (d.Text != w.text) {
				t.Fatalf("%v: changed %v, %q to %q", pressed, d.Changed, w.text, d.Text)
			}
			if w.text, w.cur = d.Text, d.Cur; d.Cut != "" {
				w.kept = d.Cut
			}
			if len(w.text) > 1<<16 { // put again and again
				break
			}
			if w.cur < 0 || w.cur > len(w.text) || !utf8.ValidString(w.text) || !utf8.ValidString(w.text[:w.cur]) {
				t.Fatalf("%v: %q, cursor %d", pressed, w.text, w.cur)
			}
			end := w.cur == len(w.text) || w.text[w.cur] == '\n'
			if w.v.Mode() == Normal && end && w.cur > 0 && w.text[w.cur-1] != '\n' {
				t.Fatalf("%v: the cursor stands behind the line: %q at %d", pressed, w.text, w.cur)
			}
			if from, to, ok := w.v.Selected(w.as()); ok && (from < 0 || to < from || to > len(w.text)) {
				t.Fatalf("%v: selected %d to %d of %q", pressed, from, to, w.text)
			}
		}
	}
}
