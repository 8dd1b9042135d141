package diff

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// A hunk rewritten to any text applies alone and among the others, and is numbered
// right after Renumber.
func TestRewrite(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 2000 {
		before := randomText(r, 1+r.IntN(80))
		hunks := Hunks([]byte(before), []byte(mutate(r, before)))
		if len(hunks) == 0 {
			continue
		}
		n := r.IntN(len(hunks))
		h := hunks[n]
		text := mutate(r, string(h.After()))
		if end := string(h.After()); strings.HasSuffix(end, "\n") && !strings.HasSuffix(text, "\n") && text != "" {
			text += "\n" // a hunk in the middle of a file has whole lines
		}
		new, ok := h.Rewrite([]byte(before), []byte(text))
		if ok == (text == string(h.Before())) {
			t.Fatalf("%q: %q for %q: ok %v", before, text, h.After(), ok)
		}
		if !ok {
			continue
		}
		if string(new.After()) != text || !bytes.Equal(new.Before(), h.Before()) {
			t.Fatalf("%q became %q", text, new.After())
		}
		all := append([]Hunk{}, hunks...)
		all[n] = new
		all = Renumber(all)
		after := Apply([]byte(before), all)
		checkNumbers(t, before, string(after), all)
		// Only the hunk's own lines are touched.
		rest := append(append([]Hunk{}, hunks[:n]...), hunks[n+1:]...)
		without := string(Apply([]byte(before), rest))
		with := string(Apply([]byte(before), append(rest, new)))
		if i := strings.Index(without, string(h.Before())); i < 0 || len(with)-len(without) != len(text)-len(h.Before()) {
			t.Fatalf("%q: %q and %q", before, without, with)
		}
	}
}

func TestLikeBefore(t *testing.T) {
	for _, c := range []struct{ name, was, now, want string }{
		{"nothing to do", "a\nb\n", "a\nc\n", "a\nc\n"},
		{"CRLF taken by an editor", "a\r\nb\r\n", "a\nB\nnew\n", "a\r\nB\r\nnew\r\n"},
		{"CRLF kept by it", "a\r\nb\r\n", "a\r\nB\r\n", "a\r\nB\r\n"},
		{"mixed stays mixed", "a\r\nb\nc\r\nd\n", "a\nb\nnew\nc\nd\n", "a\r\nb\nnew\nc\r\nd\n"},
		{"no last line end", "a\nb", "a\nB\n", "a\nB"},
		{"no last line end, nothing changed", "a\nb", "a\nb\n", "a\nb"},
		{"last line end lost", "a\nb\n", "a\nb", "a\nb\n"},
		{"last line end lost, CRLF", "a\r\nb\r\n", "a\nb\nc", "a\r\nb\r\nc\r\n"},
		{"a line added at an end without one", "a\r\nb", "a\nb\nc\n", "a\r\nb\r\nc"},
		{"BOM lost", "\ufeffa\n", "A\n", "\ufeffA\n"},
		{"BOM kept", "\ufeffa\n", "\ufeffA\n", "\ufeffA\n"},
		{"BOM put there", "a\n", "\ufeffA\n", "A\n"},
		{"all gone", "a\n", "", ""},
		{"from nothing", "", "a\nb", "a\nb\n"},
		{"first line new", "a\r\nb\n", "new\na\nb\n", "new\r\na\r\nb\n"},
		{"Latin-1", "caf\xe9\r\nx\r\n", "caf\xe9\ny\n", "caf\xe9\r\ny\r\n"},
		{"CR inside a line", "a\rb\nc\n", "a\rb\nC\n", "a\rb\nC\n"},
	} {
		if got := string(LikeBefore([]byte(c.was), []byte(c.now))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCoding(t *testing.T) {
	for _, c := range []struct {
		data, text string
		coding     Coding
	}{
		{"plain\n", "plain\n", Bytes},
		{"\xef\xbb\xbfbom\n", "\xef\xbb\xbfbom\n", Bytes},
		{"\xff\xfea\x00\n\x00\x0a\x0a", "a\n\u0a0a", UTF16LE},
		{"\xfe\xff\x00a\x00\n\xd8\x3d\xde\x00", "a\n😀", UTF16BE},
		{"\xff\xfea", "\xff\xfea", Bytes},                         // odd
		{"\xff\xfe\x3d\xd8a\x00", "\xff\xfe\x3d\xd8a\x00", Bytes}, // half a pair
		{"caf\xe9\r\n", "caf\xe9\r\n", Bytes},
	} {
		text, coding := Decode([]byte(c.data))
		if string(text) != c.text || coding != c.coding {
			t.Errorf("%q: %q, %v", c.data, text, coding)
		}
		if back, err := coding.Encode(text); err != nil || string(back) != c.data {
			t.Errorf("%q: back %q, %v", c.data, back, err)
		}
	}
	if _, err := UTF16LE.Encode([]byte("\xff")); err == nil {
		t.Error("bytes that are no text became UTF-16")
	}
}

func TestTexts(t *testing.T) {
	le := func(s string) []byte {
		b, err := UTF16LE.Encode([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, c := range []struct {
		name               string
		before, after      []byte
		wantOld, wantAfter string
		coding             Coding
	}{
		{"plain", []byte("a\n"), []byte("b\n"), "a\n", "b\n", Bytes},
		{"both", le("a\n"), le("b\n"), "a\n", "b\n", UTF16LE},
		{"new", nil, le("b\n"), "", "b\n", UTF16LE},
		{"deleted", le("a\n"), nil, "a\n", "", UTF16LE},
		{"another coding", le("a\n"), []byte("a\n"), string(le("a\n")), "a\n", Bytes},
	} {
		old, now, coding := Texts(c.before, c.after)
		if string(old) != c.wantOld || string(now) != c.wantAfter || coding != c.coding {
			t.Errorf("%s: %q, %q, %v", c.name, old, now, coding)
		}
	}
}
