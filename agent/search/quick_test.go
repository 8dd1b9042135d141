package search

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestLower: ASCII letters become small, and nothing else changes, wherever it stands.
func TestLower(t *testing.T) {
	var all, want []byte
	for i := range 256 {
		for range i%3 + 1 { // at any place of eight
			all = append(all, byte(i))
			want = append(want, byte(i))
			if 'A' <= i && i <= 'Z' {
				want[len(want)-1] += 'a' - 'A'
			}
		}
	}
	for from := range 9 {
		if got := lower([]byte("old"), all[from:]); string(got) != string(want[from:]) {
			t.Errorf("from %d:\ngot  %q\nwant %q", from, got, want[from:])
		}
	}
}

// TestQuickContains: it says what bytes.Contains says.
func TestQuickContains(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	yes := 0
	for range 20000 {
		of := []string{"ab", "a ~é", "鬱x"}[r.IntN(3)]
		text := func(n int) string {
			b := make([]byte, r.IntN(n))
			for i := range b {
				b[i] = of[r.IntN(len(of))]
			}
			return string(b)
		}
		b, w := []byte(text(200)), text(9)
		want := bytes.Contains(b, []byte(w))
		if want {
			yes++
		}
		if got := quickly(w).in(b); got != want {
			t.Fatalf("%q in %q: %v", w, b, got)
		}
	}
	if yes < 2000 || yes > 18000 {
		t.Errorf("%d of 20000: the test tests little", yes)
	}
}

// TestQuickLookMissesNothing: a text that holds a word, in whatever case, is never
// passed over, and one without it nearly always.
func TestQuickLookMissesNothing(t *testing.T) {
	for _, c := range []struct{ word, text string }{
		{"median", "the MEDIAN"}, {"index", "İNDEX"}, {"kelvin", "\u212aelvin"}, {"straße", "STRAẞE"}, {"grün", "GRÜN"},
		{"да", "ДА"}, {"中文", "用户的中文"}, {"é", "É"}, {"é", "caf\u00e9"}, {"ǆ", "ǅ"}, {"x é", "X É"}, {"~", "a~b"}, {"ſ", "ſ"},
	} {
		for _, text := range []string{c.text, "before " + c.text + " after"} {
			p := parse(`"` + c.word + `"`)
			if _, _, ok := p.words[0].at(strings.ToLower(text)); !ok {
				t.Fatalf("%q does not hold %q", text, c.word)
			}
			if !p.mayBeIn([]byte(text), lower(nil, []byte(text))) {
				t.Errorf("%q in %q was passed over", c.word, text)
			}
		}
		if p := parse(c.word); p.words[0].plain[0].text != "" && p.mayBeIn([]byte("nothing of thzt"), lower(nil, []byte("nothing of thzt"))) {
			t.Errorf("%q may be in a text of other letters", c.word)
		}
	}
	// Whatever becomes small is a letter of ASCII, or known to have another case.
	for r := rune(0); r <= unicode.MaxRune; r++ {
		l := unicode.ToLower(r)
		if l == r || l >= utf8.RuneSelf && unicode.SimpleFold(l) != l || r < utf8.RuneSelf {
			continue
		}
		if l >= utf8.RuneSelf || string(wide.Get()[byte(l)]) != string(r) {
			t.Errorf("%U becomes %U unseen", r, l)
		}
	}
}
