package search

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

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
		if p := parse(c.word); len(p.words[0].plain[0]) > 0 && p.mayBeIn([]byte("nothing of thzt"), lower(nil, []byte("nothing of thzt"))) {
			t.Errorf("%q may be in a text of other letters", c.word)
		}
	}
	// Whatever becomes small is a letter of ASCII, or known to have another case.
	for r := rune(0); r <= unicode.MaxRune; r++ {
		l := unicode.ToLower(r)
		if l == r || l >= utf8.RuneSelf && unicode.SimpleFold(l) != l || r < utf8.RuneSelf {
			continue
		}
		if l >= utf8.RuneSelf || string(wide[byte(l)]) != string(r) {
			t.Errorf("%U becomes %U unseen", r, l)
		}
	}
}
