package emoji

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFind(t *testing.T) {
	for _, test := range []struct{ query, first string }{
		{"tada", "🎉"}, {"TADA", "🎉"}, {"smile", "😄"}, {"rocket", "🚀"}, {"roc", "🪨"},
		{"party", "🥳"}, {"+1", "👍"}, {"thumbsup", "👍"}, {"火箭", "🚀"}, {"rckt", "🚀"}, {"hexagon", ""},
		{"qqqqq", ""}, {"name", "📛"}, {"param", ""}, {"", ""},
	} {
		got := ""
		if found := Find(test.query, 8); len(found) > 0 {
			got = found[0].Sign
			if len(found) > 8 {
				t.Errorf("%q: %d of at most 8", test.query, len(found))
			}
		}
		if got != test.first {
			t.Errorf("%q: %q, want %q: %v", test.query, got, test.first, Find(test.query, 8))
		}
	}
}

func TestNamed(t *testing.T) {
	for name, want := range map[string]string{"tada": "🎉", "thumbsup": "👍", "+1": "👍", "white_check_mark": "✅", "happy": "", "smil": "", "": ""} {
		if got, ok := Named(name); got != want || ok != (want != "") {
			t.Errorf("%q: %q %v", name, got, ok)
		}
	}
}

// Every line is whole, and every name can be typed.
func TestTable(t *testing.T) {
	n := 0
	for e := range all {
		n++
		if e.Sign == "" || e.Name == "" || e.Chinese == "" || !utf8.ValidString(e.Sign) {
			t.Errorf("%+v", e)
		}
		names, _, _ := strings.Cut(e.others, "\t")
		for _, name := range append(strings.Fields(names), e.Name) {
			if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_+-") != "" {
				t.Errorf("%s of %s cannot be typed", name, e.Sign)
			}
			if sign, ok := Named(name); !ok || sign != e.Sign {
				t.Errorf("%s leads to %s, not %s", name, sign, e.Sign)
			}
		}
	}
	if n < 1800 {
		t.Errorf("%d emoji", n)
	}
}
