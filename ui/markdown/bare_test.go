package markdown

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// An address without any marks around it is a link, and every sign of it is shown, while
// it is written and when it is there.
func TestBareAddresses(t *testing.T) {
	link := dark().Link
	for src, want := range map[string]string{ // what is the link, and what is shown where that is not the source
		"https://x.example/_next/a_b_c/*d*/~e~f":   "https://x.example/_next/a_b_c/*d*/~e~f",
		"see http://a.example, and":                "http://a.example",
		"(https://a.example/c_(d))":                "https://a.example/c_(d)",
		"见https://a.example/路_径_x，然后":              "https://a.example/路_径_x",
		"**https://a.example/b**":                  "https://a.example/b|https://a.example/b",
		"https://a.example/x*y* z":                 "https://a.example/x*y",
		"https://a.example/?a=1&b_c_=2#d":          "https://a.example/?a=1&b_c_=2#d",
		"https://a.example/?a=1&amp;b":             "https://a.example/?a=1&b|https://a.example/?a=1&b",
		"https://a.example&quot; x":                "https://a.example|https://a.example\" x",
		`https://a.example/a\_b\_c`:                "https://a.example/a_b_c|https://a.example/a_b_c",
		"http://[::1]:8080/_a_b]":                  "http://[::1]:8080/_a_b",
		"a `https://b.example/_c_` d":              "|a https://b.example/_c_ d",
		"[https://a.example](https://b.example)":   "https://a.example|https://a.example https://b.example",
		"xhttps://a.example":                       "",
		"https:// and a://b and c://_d_ https://.": "|https:// and a://b and c://d https://.",
		"note: _this_":                             "|note: this",
	} {
		want, shown, other := strings.Cut(want, "|")
		if !other {
			shown = src
		}
		s := New(dark())
		s.Append(src)
		open := s.Rows(100)
		grown := grow(dark(), 100, 1, src)
		for how, rows := range map[string][]string{"open": open, "cheap": grown.Rows(100), "final": Render(dark(), 100, src)} {
			row := strings.Join(rows, "\n")
			if got := ansi.Strip(row); got != shown {
				t.Errorf("%s, %q: shown %q", how, src, got)
			}
			var found string
			if _, after, ok := strings.Cut(row, link.Open); ok {
				found, _, _ = strings.Cut(after, link.Close)
				found = ansi.Strip(found)
			}
			if found != want {
				t.Errorf("%s, %q: the link is %q, want %q", how, src, found, want)
			}
		}
	}
}
