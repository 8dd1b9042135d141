package agent

import (
	"slices"
	"strings"
	"testing"
)

// The lines of a command that have colours are kept as they were written, where the result
// holds them, and within bounds; what is hidden in the result is in none of them.
func TestLooks(t *testing.T) {
	var l looks
	for _, piece := range []string{"plain\n\x1b[3", "1mred\x1b[0m line\nkey \x1b[32msk-se", "cret\x1b[0m\n", "\x1b[01;31m\x1b[Kgrep\x1b[m\x1b[K:1\r\n\x1b[2Jcleared\n",
		"\x1b]0;title\x07named\n" + "\x1b[31m" + strings.Repeat("x", lineMax) + "\n", "\x1b[1mlast\x1b[0m"} {
		l.write([]byte(piece))
	}
	text := "plain\nred line\nkey [hidden 1]\ngrep:1\ncleared\nnamed\n" + strings.Repeat("x", lineMax) + "\nlast\n[exit code 0, 0.1 s]"
	want := []string{"\x1b[31mred\x1b[0m line", "\x1b[01;31m\x1b[Kgrep\x1b[m\x1b[K:1", "\x1b[1mlast\x1b[0m"}
	if got := l.of(text); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	var many looks
	for range 10_000 {
		many.write([]byte("\x1b[31mred\x1b[0m line of some length\n"))
	}
	if many.bytes > looksMax || len(many.of("red line of some length")) != 1 {
		t.Errorf("%d bytes are kept", many.bytes)
	}
}
