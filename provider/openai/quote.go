package openai

import (
	"strings"
	"unicode/utf8"
)

// appendQuote appends s as a JSON string, with nothing escaped that need not be:
// text stays as short as it is, and as readable in a recording. Bytes that are no
// UTF-8 become U+FFFD, because servers refuse a whole request for one of them.
func appendQuote(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	dst = append(dst, '"')
	done := 0
	for i := range len(s) {
		var esc string
		switch c := s[i]; {
		case c == '"':
			esc = `\"`
		case c == '\\':
			esc = `\\`
		case c == '\n':
			esc = `\n`
		case c == '\t':
			esc = `\t`
		case c == '\r':
			esc = `\r`
		case c < ' ':
			esc = `\u00` + string([]byte{digits[c>>4], digits[c&15]})
		default:
			continue
		}
		dst = append(append(dst, s[done:i]...), esc...)
		done = i + 1
	}
	return append(append(dst, s[done:]...), '"')
}
