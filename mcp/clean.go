package mcp

import (
	"strings"
	"unicode"

	"forge/lazy"
)

// escapes are terminal control sequences, with their texts where they have one.
var escapes = lazy.Regexp{Expr: "\x1b\\[[0-9;:?<=>]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]|\u009b[0-9;:?]*[ -/]*[@-~]"}

// clean takes out of a server's text what neither a model nor a person would see:
// terminal control, invisible letters, and marks that turn the direction of text.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexByte(s, 0x1b) >= 0 || strings.Contains(s, "\u009b") {
		s = escapes.Get().ReplaceAllString(s, "")
	}
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	if strings.IndexFunc(s, unseen) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unseen(r) {
			return -1
		}
		return r
	}, s)
}

// unseen says whether a letter is one that hides: control, format and tag letters.
// The joiners that emoji and some scripts need stay.
func unseen(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < 0x80:
		return r < ' ' || r == 0x7f
	case r == 0x200c, r == 0x200d, r == 0xfe0f: // joiners, emoji style
		return false
	case r >= 0xfe00 && r <= 0xfe0e, r >= 0xe0100 && r <= 0xe01ef: // variation selectors: text can hide in a run of them
		return true
	}
	return unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r)
}
