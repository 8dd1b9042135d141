package anthropic

import (
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// quote is s as a JSON string, the shortest way: no escaping for HTML, so that
// text costs no more bytes than it has and stays readable in a recording. Bytes
// that are no UTF-8 become U+FFFD, since servers refuse the whole request for one.
func quote(s string) string { return string(appendQuote(nil, s)) }

func appendQuote(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}

// invalidKey holds, in an object, the argument text of a call that was no object.
const invalidKey = "_invalid_json"

// inputJSON is a call's argument text as this wire can carry it: the very bytes
// where they are an object (but for half a character), {} where there are none. The wire refuses the whole
// request for anything else, so text that was cut or malformed goes back inside an
// object, whole, and the model sees what it wrote.
func inputJSON(s string) string {
	t := strings.TrimSpace(s)
	switch {
	case t == "":
		return "{}"
	case t[0] == '{' && gjson.Valid(t) && utf8.ValidString(t):
		return provider.PairedEscapes(s)
	}
	return `{"` + invalidKey + `":` + quote(s) + `}`
}
