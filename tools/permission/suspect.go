package permission

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The budget of one command line. Over it nothing runs without a question: a
// limit that fell through would be a way around every rule.
const (
	maxLine     = 10_000 // bytes
	maxCommands = 50
)

// suspect says what a line must not hold before it is even parsed: bytes that a
// shell, a parser and a person's eye read in different ways. It returns the
// reason, or "".
func suspect(line string) string {
	switch {
	case len(line) > maxLine:
		return "is longer than 10,000 bytes"
	case !utf8.ValidString(line):
		return "holds bytes that are not text"
	}
	marks := 0
	for _, r := range line {
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
			if marks++; marks > 4 {
				return "holds stacked combining marks, which cover what stands around them"
			}
		} else {
			marks = 0
		}
		switch {
		case r == '\n' || r == '\t':
		case r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0:
			return "holds control characters"
		case invisible(r):
			return "holds characters that are invisible or turn the text around"
		case r > 0x7f && (unicode.IsSpace(r) || unicode.Is(unicode.Z, r)):
			return "holds a blank that is no blank for the shell"
		}
	}
	return ""
}

// invisible: format characters (bidi, zero width, tags, soft hyphen, BOM),
// variation selectors and the fillers of Hangul and Braille.
func invisible(r rune) bool {
	switch {
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	case r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0 || r == 0x2800 || r == 0x034f || r == 0x17b4 || r == 0x17b5:
		return true
	}
	return false
}

// readings are the ways a suspect line may be taken: with the odd characters as
// nothing, as a line end, as a letter. The worst of them counts.
func readings(line string) []string {
	odd := func(r rune) bool {
		return r != '\n' && r != '\t' && (r == utf8.RuneError || r < 0x20 || r >= 0x7f && r < 0xa0 || invisible(r) ||
			r > 0x7f && unicode.Is(unicode.Z, r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r))
	}
	var out []string
	for _, put := range []rune{-1, '\n', ' ', '_'} {
		out = append(out, strings.Map(func(r rune) rune {
			if odd(r) {
				return put
			}
			return r
		}, line))
	}
	return out
}

// padding reports whether something is pushed out of sight: a long run of blanks
// with more behind it, or a single word longer than a screen.
func padding(line string) bool {
	blanks, letters := 0, 0
	for _, r := range strings.TrimRight(line, " \t\n") {
		if r == ' ' || r == '\t' {
			blanks, letters = blanks+1, 0
		} else {
			if blanks >= 40 {
				return true
			}
			blanks, letters = 0, letters+1
			if letters > 1500 {
				return true
			}
		}
	}
	return strings.Count(line, "\n\n\n\n\n\n\n\n") > 0
}

// alike: a letter that is taken for a sign of the shell's, a dash, a slash or a
// separator, and is none.
func alike(r rune) bool {
	switch {
	case r >= 0x2010 && r <= 0x2015, r == 0x2212, r == 0xfe58, r == 0xfe63, r == 0xff0d: // -
		return true
	case r == 0x2044, r == 0x2215, r == 0x29f8, r == 0xff0f: // /
		return true
	case r == 0x037e, r == 0xff1b, r == 0xff5c, r == 0x2223, r == 0x01c0, r == 0x2758, r == 0xff06: // ; | &
		return true
	}
	return r == 0xff1c || r == 0xff1e || r == 0xff04 || r == 0xff40 || r == 0xff0e || r == 0x2024 // < > $ ` .
}
