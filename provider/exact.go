package provider

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"
)

// exact is a string whose bytes survive JSON.
type exact string

func (s exact) MarshalJSON() ([]byte, error) { return appendExact(nil, string(s)), nil }

func (s *exact) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var in struct{ B64 []byte }
		if err := json.Unmarshal(b, &in); err != nil {
			return err
		}
		*s = exact(in.B64)
		return nil
	}
	return json.Unmarshal(b, (*string)(s))
}

// appendExact appends s as a plain string where that is exact, else as {"b64":"…"}.
func appendExact(dst []byte, s string) []byte {
	if utf8.ValidString(s) {
		return appendJSONString(dst, s)
	}
	dst = append(dst, `{"b64":"`...)
	return append(base64.StdEncoding.AppendEncode(dst, []byte(s)), `"}`...)
}

// plainJSON encodes v without escaping <, > and &, which would triple the size of
// stored code.
func plainJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// appendJSONString appends s as encoding/json does where it leaves <, > and & as
// they are.
func appendJSONString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	done := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			switch {
			case r == utf8.RuneError && n == 1:
				dst = append(append(dst, s[done:i]...), `\ufffd`...)
				done = i + 1
			case r == '\u2028' || r == '\u2029':
				dst = append(append(dst, s[done:i]...), `\u202`...)
				dst = append(dst, hex[r&15])
				done = i + n
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[done:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		done = i
	}
	return append(append(dst, s[done:]...), '"')
}
