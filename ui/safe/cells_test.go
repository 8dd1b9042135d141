package safe

import "testing"

// Where characters of ambiguous width take two cells, all that counts cells counts so.
func TestUseWide(t *testing.T) {
	defer UseWide(false)
	const red, off = "\x1b[31m", "\x1b[m"
	for _, wide := range []bool{false, true} {
		UseWide(wide)
		pick := func(narrow, broad string) string {
			if wide {
				return broad
			}
			return narrow
		}
		if got, want := Width("“a”…"), map[bool]int{false: 4, true: 7}[wide]; got != want {
			t.Errorf("wide %v: %d cells, want %d", wide, got, want)
		}
		if got, want := Width(red+"→ 你"+off), map[bool]int{false: 4, true: 5}[wide]; got != want {
			t.Errorf("wide %v: %d cells, want %d", wide, got, want)
		}
		for _, c := range []struct{ got, want string }{
			{Truncate("→→→→", 4, "~"), pick("→→→→", "→~")},
			{Truncate(red+"→→→→"+off, 4, ""), pick(red+"→→→→"+off, red+"→→"+off)},
			{Cut(red+"a→b→c"+off, 1, 4), pick(red+"→b→"+off, red+"→b"+off)},
			{Cut("a→b", 2, 4), pick("b", " b")},
			{Cut("a→b", 0, 2), pick("a→", "a ")},
			{Skip(red+"→abc"+off, 2), pick(red+"bc"+off, red+"abc"+off)},
			{Fit("→", 3, "~"), pick("→  ", "→ ")},
			{TruncateLeft("→→→", 4, "~"), pick("→→→", "~→")},
			{Cut("e\u0301→x", 0, 1), "e\u0301"},
		} {
			if c.got != c.want {
				t.Errorf("wide %v: %q, want %q", wide, c.got, c.want)
			}
		}
		rows := Wrap("ab → cd → ef", 7)
		if got, want := len(rows), map[bool]int{false: 2, true: 3}[wide]; got != want {
			t.Errorf("wide %v: wrapped to %q", wide, rows)
		}
		for _, r := range rows {
			if Width(r) > 7 {
				t.Errorf("wide %v: %q has %d cells", wide, r, Width(r))
			}
		}
	}
}
