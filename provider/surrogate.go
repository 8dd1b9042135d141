package provider

import "strings"

// PairedEscapes replaces the halves of surrogate pairs that stand alone in JSON
// text (\ud83d and no \ude00 behind it) by \ufffd. A model cut off within a
// character writes one, many parsers take it for JSON, and the strict ones of
// some servers refuse the whole request for it. raw must be valid JSON; where
// nothing stands alone, it is returned as it is.
func PairedEscapes(raw string) string {
	if !strings.Contains(raw, `\ud`) && !strings.Contains(raw, `\uD`) {
		return raw
	}
	var b strings.Builder
	from := 0
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		half := surrogate(raw[i:])
		switch {
		case half == 0:
			i++ // the next byte is escaped, whatever it is
		case half == high && surrogate(raw[i+6:]) == low:
			i += 11
		default:
			b.WriteString(raw[from:i])
			b.WriteString(`\ufffd`)
			i += 5
			from = i + 1
		}
	}
	if from == 0 {
		return raw
	}
	b.WriteString(raw[from:])
	return b.String()
}

const (
	high = 1
	low  = 2
)

// surrogate says which half of a pair s begins with, 0 for none.
func surrogate(s string) int {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' || s[2]|0x20 != 'd' {
		return 0
	}
	switch s[3] | 0x20 {
	case '8' | 0x20, '9' | 0x20, 'a', 'b':
		return high
	case 'c', 'd', 'e', 'f':
		return low
	}
	return 0
}
