package builtin

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
)

func utf16Bytes(bom string, big bool, s string) string {
	out := []byte(bom)
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return string(out)
}

func TestDecodeEncode(t *testing.T) {
	for _, c := range []struct {
		name, data string
		enc        encoding
		body       string
	}{
		{"empty", "", utf8Plain, ""},
		{"plain", "a\r\nü\n", utf8Plain, "a\r\nü\n"},
		{"mark", "\xef\xbb\xbfa\n", utf8BOM, "a\n"},
		{"little", utf16Bytes("\xff\xfe", false, "aü😀\r\n"), utf16LE, "aü😀\r\n"},
		{"big", utf16Bytes("\xfe\xff", true, "aü😀\r\n"), utf16BE, "aü😀\r\n"},
		{"latin", "caf\xe9\n", eightBit, "caf\xe9\n"},
		{"escapes", "\x1b[31mred\x1b[0m\n", utf8Plain, "\x1b[31mred\x1b[0m\n"},
	} {
		got, err := decode([]byte(c.data))
		if err != nil || got.enc != c.enc || got.body != c.body {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
		if back, err := got.encode(); err != nil || string(back) != c.data {
			t.Errorf("%s comes back as %q, %v", c.name, back, err)
		}
	}
	for name, data := range map[string]string{
		"NUL": "a\x00b", "odd UTF-16": "\xff\xfea", "half a pair": "\xff\xfe\x3d\xd8a\x00", "NUL in UTF-16": "\xff\xfe\x00\x00",
		"control characters": strings.Repeat("\x01\x02\x03a", 20),
	} {
		if got, err := decode([]byte(data)); !errors.Is(err, errBinary) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestReplaceKeepsLineEnds(t *testing.T) {
	for _, c := range []struct{ name, orig, old, new, want string }{
		{"LF", "a\nb\nc\n", "b\n", "B\nB2\n", "a\nB\nB2\nc\n"},
		{"CRLF", "a\r\nb\r\nc\r\n", "b\n", "B\nB2\n", "a\r\nB\r\nB2\r\nc\r\n"},
		{"CRLF, no line end in old", "a\r\nb\r\nc", "b", "B\nB2", "a\r\nB\r\nB2\r\nc"},
		{"last line without an end", "a\r\nb", "b", "B\nB2", "a\r\nB\r\nB2"},
		{"lone CR", "a\rb\rc\r", "b\n", "B\nB2\n", "a\rB\rB2\rc\r"},
		{"mixed: each line keeps its own", "a\r\nb\nc\r\nd\n", "a\nb\nc\nd\n", "a\nX\nc\nd\n", "a\r\nX\nc\r\nd\n"},
		{"mixed: replaced lines end as before, more of them as the last", "a\r\nb\nc\r\n", "a\nb\nc\n", "1\n2\n3\n4\n", "1\r\n2\n3\n4\r\n"},
		{"mixed: lines put in end as their line", "a\nb\r\nc\n", "b", "b\nb2", "a\nb\r\nb2\r\nc\n"},
		{"line taken out", "a\r\nb\r\nc\r\n", "b\n", "", "a\r\nc\r\n"},
		{"CR inside a line", "a\rb\nc\n", "c", "d", "a\rb\nd\n"},
		{"only the end of a line", "a\r\nb\r\n", "a\nb", "ab", "ab\r\n"},
		{"half a letter in common", "é", "é", "è", "è"},
		{"one line", "a", "a", "a\nb", "a\nb"},
	} {
		f := flatten(c.orig)
		i := strings.Index(f.s, c.old)
		if i < 0 {
			t.Errorf("%s: %q is not in %q", c.name, c.old, f.s)
			continue
		}
		start, end, with := f.replace(i, i+len(c.old), c.new)
		if got := c.orig[:start] + with + c.orig[end:]; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Whatever is replaced, the model sees the new text, and nothing outside the old
// one changed.
func TestReplaceProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "b", "\n", "\r\n", "\n", "é", "語", "x"}
	random := func(n int, from []string) string {
		var b strings.Builder
		for range n {
			b.WriteString(from[r.IntN(len(from))])
		}
		return b.String()
	}
	for range 20_000 {
		orig := random(r.IntN(20), pieces)
		f := flatten(orig)
		runes := []rune(f.s)
		i := r.IntN(len(runes) + 1)
		j := i + r.IntN(len(runes)-i+1)
		from, to := len(string(runes[:i])), len(string(runes[:j]))
		text := random(r.IntN(6), []string{"a", "b", "\n", "é", "x"})
		start, end, with := f.replace(from, to, text)
		got := flatten(orig[:start] + with + orig[end:]).s
		if want := f.s[:from] + text + f.s[to:]; got != want {
			t.Fatalf("%q with %q for %d:%d reads %q, want %q", orig, text, from, to, got, want)
		}
		if start < f.at(from) || end > f.at(to) {
			t.Fatalf("%q: bytes %d to %d change for %d:%d", orig, start, end, f.at(from), f.at(to))
		}
	}
}
