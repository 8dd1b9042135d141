package display

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// What is taken for even is as wide by either count, alone and beside each other.
func TestEven(t *testing.T) {
	last := rune(0)
	for _, span := range even {
		if span[0] <= last || span[1] < span[0] {
			t.Fatalf("the spans are not in order at %x", span[0])
		}
		last = span[1]
		var row strings.Builder
		sum := 0
		for r := span[0]; r <= span[1]; r++ {
			points, graphemes := ansi.StringWidthWc(string(r)), ansi.StringWidth(string(r))
			if points != graphemes || points == 0 {
				t.Errorf("%x %q is %d by code points, %d by graphemes", r, r, points, graphemes)
			}
			if !isEven(string(r)) {
				t.Errorf("%x is not found", r)
			}
			row.WriteRune(r)
			sum += points
		}
		if w := ansi.StringWidth(row.String() + row.String()); w != 2*sum {
			t.Errorf("from %x: %d cells together, %d alone", span[0], w, 2*sum)
		}
	}
	for _, odd := range []string{"e\u0301", "🙂", "❤\ufe0f", "\u200d", "कि", "\u1100\u1161", "🇨🇳", "\u00ad", "\x7f", "\ufffd\u0300"} {
		if isEven("words " + odd) {
			t.Errorf("%q is taken for even", odd)
		}
	}
	if !isEven("\x1b[1m› 你好，世界 \x1b[m│ ✓ ✻ ⠋ … 한글 カナ “é”") {
		t.Error("a usual row is not even")
	}
}

// The first row of another kind has everything measured as before.
func TestOddRows(t *testing.T) {
	play(t, 30, 4, func(s *stage) {
		s.show(alt)
		for _, text := range []string{"› 你好\n──", "› 你好\n👩‍👩‍👧‍👦 family\n──", "e\u0301 你好 x\n👩‍👩‍👧‍👦 family y\n──", "plain\nagain"} {
			s.content(text)
			pause(floor)
			c := newCanvas(true, nil, nil)
			c.measure(false, false)
			c.odd = true
			c.counts()
			c.paint(frame{content: text}, 30, 4)
			want := strings.Split(ansi.Strip(c.cells.String()), "\n")
			for y, row := range want {
				want[y] = strings.TrimRight(row, " ")
			}
			if got := rowsOf(s.em); got != strings.TrimRight(strings.Join(want, "|"), "|") {
				t.Errorf("%q is shown as %q", text, got)
			}
		}
	})
}
