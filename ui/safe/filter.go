package safe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxString is how far the end of an OSC, DCS, APC, PM or SOS is looked
	// for, in bytes. A longer one counts as unterminated and is shown.
	maxString = 64 << 10
	// maxControl is the same for a control sequence.
	maxControl = 1 << 10
	// maxMarks is how many combining marks may stand on one character before
	// they paint over neighbouring rows. Real scripts need at most four.
	maxMarks = 4
)

// class says what a character is to this package.
type class uint8

const (
	plain    class = iota
	mark           // combines with what stands before it
	selector       // variation selector; only FE0F has a use in output
	joiner         // U+200D
	blank          // looks like a space and is none
	newline        // looks like a line end and is none
	hidden         // invisible or of no fixed look: dropped from output
	control        // C1
)

func classify(r rune) class {
	switch {
	case r < 0x80:
		return plain
	case r < 0xa0:
		return control
	case r < 0x300:
		switch r {
		case 0xa0:
			return blank
		case 0xad:
			return hidden
		}
		return plain
	case r >= 0x3400 && r <= 0x9fff || r >= 0xac00 && r <= 0xd7a3:
		return plain
	}
	switch {
	case r == 0x200d:
		return joiner
	case r >= 0xfe00 && r <= 0xfe0f:
		return selector
	case r == 0x2028 || r == 0x2029:
		return newline
	case r == 0x1680 || r >= 0x2000 && r <= 0x200a || r == 0x202f || r == 0x205f || r == 0x3000,
		r == 0x2800, r == 0x115f || r == 0x1160, r == 0x3164, r == 0xffa0:
		return blank
	case r == 0x34f || r == 0x17b4 || r == 0x17b5 || r >= 0x180b && r <= 0x180f || r == 0x2065,
		r >= 0xfff0 && r <= 0xfff8, r >= 0xe0000 && r <= 0xe0fff:
		return hidden
	case unicode.Is(unicode.Co, r):
		return hidden
	case unicode.Is(unicode.Cf, r):
		// Signs of numbers in Arabic and others too, which have a shape: they draw what
		// follows into their own cell, a frame as well.
		return hidden
	case unicode.Is(unicode.M, r), r&0xfffe == 0xfffe: // no characters, and drawn without a width
		return mark
	}
	return plain
}

// filter turns raw text into the OUTPUT view, piece by piece.
type filter struct {
	prev   rune // the last character written
	marks  int  // marks written since the last character that is none
	cr     bool // a carriage return was read and what follows it is not known
	keepCR bool // write a lone carriage return as one, for Tail
	looks  bool // keep what sets colours and attributes

	// Where the next terminators are, found once and kept until passed: without
	// them a line of unterminated introducers would cost its square.
	bel, st, stop int
}

// run appends the filtered s to dst and returns how many bytes of s it used.
// Unless final, it leaves an incomplete end of s for the next call.
func (f *filter) run(dst []byte, s string, final bool) ([]byte, int) {
	f.bel, f.st, f.stop = -1, -1, -1
	i := 0
	for i < len(s) {
		c := s[i]
		if c >= 0x20 && c < 0x7f {
			dst = f.endCR(dst)
			j := i + 1
			for j < len(s) && s[j] >= 0x20 && s[j] < 0x7f {
				j++
			}
			dst = append(dst, s[i:j]...)
			f.prev, f.marks = rune(s[j-1]), 0
			i = j
			continue
		}
		if c < 0x20 || c == 0x7f {
			if c == 0x1b {
				n, ok := f.escape(s, i, final)
				if !ok {
					return dst, i
				}
				dst = f.endCR(dst)
				if f.looks && isLook(s[i:i+n]) {
					dst = append(dst, s[i:i+n]...)
				}
				i += n
				continue
			}
			dst = f.c0(dst, c)
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			if !final && !utf8.FullRuneInString(s[i:]) {
				return dst, i
			}
			dst = f.endCR(dst)
			dst = f.write(dst, utf8.RuneError)
			i++
			continue
		}
		if r < 0xa0 {
			m, ok := f.c1(s, i, r, final)
			if !ok {
				return dst, i
			}
			dst = f.endCR(dst)
			i += m
			continue
		}
		dst = f.endCR(dst)
		dst = f.rune(dst, r)
		i += n
	}
	if final {
		dst = f.endCR(dst)
	}
	return dst, i
}

// endCR writes the line break a lone carriage return stands for.
func (f *filter) endCR(dst []byte) []byte {
	if !f.cr {
		return dst
	}
	f.cr = false
	f.prev, f.marks = '\n', 0
	if f.keepCR {
		return append(dst, '\r')
	}
	return append(dst, '\n')
}

func (f *filter) c0(dst []byte, c byte) []byte {
	switch c {
	case '\r':
		f.cr = true
		return dst
	case '\n':
		f.cr = false // \r\n, or a run of \r before \n, is one line end
		f.prev, f.marks = '\n', 0
		return append(dst, '\n')
	}
	dst = f.endCR(dst)
	switch c {
	case '\t':
		f.prev, f.marks = '\t', 0
		return append(dst, '\t')
	case '\v', '\f':
		f.prev, f.marks = '\n', 0
		return append(dst, '\n')
	}
	return dst
}

func (f *filter) write(dst []byte, r rune) []byte {
	f.prev, f.marks = r, 0
	return utf8.AppendRune(dst, r)
}

func (f *filter) rune(dst []byte, r rune) []byte {
	switch classify(r) {
	case plain:
		return f.write(dst, r)
	case blank:
		return f.write(dst, ' ')
	case newline:
		return f.write(dst, '\n')
	case joiner:
		// It joins pictures and letters of some scripts; after anything else,
		// or doubled, it only hides.
		if f.prev < 0x80 || f.prev == 0x200d {
			return dst
		}
	case selector:
		if r != 0xfe0f {
			return dst
		}
	case mark:
	default:
		return dst
	}
	if f.marks >= maxMarks {
		return dst
	}
	f.marks++
	f.prev = r
	return utf8.AppendRune(dst, r)
}

func isStringIntro(r rune) bool {
	return r == ']' || r == 'P' || r == 'X' || r == '^' || r == '_'
}

// escape returns the length of what starts with the ESC at s[i], or false if
// more text is needed to tell.
func (f *filter) escape(s string, i int, final bool) (int, bool) {
	if i+1 >= len(s) {
		return 1, final
	}
	switch c := s[i+1]; {
	case c == '[':
		return f.control(s, i, 2, final)
	case c == ']':
		return f.str(s, i, 2, true, final)
	case isStringIntro(rune(c)):
		return f.str(s, i, 2, false, final)
	case c >= 0x20 && c <= 0x2f:
		j := i + 2
		for j < len(s) && s[j] >= 0x20 && s[j] <= 0x2f {
			if j-i > maxControl {
				return 1, true
			}
			j++
		}
		if j >= len(s) {
			return j - i, final
		}
		if s[j] >= 0x30 && s[j] <= 0x7e {
			j++
		}
		return j - i, true
	case c >= 0x30 && c <= 0x7e:
		return 2, true
	}
	return 1, true // before a control or a non-ASCII character it means nothing
}

func (f *filter) c1(s string, i int, r rune, final bool) (int, bool) {
	switch r {
	case 0x9b:
		return f.control(s, i, 2, final)
	case 0x9d:
		return f.str(s, i, 2, true, final)
	case 0x90, 0x98, 0x9e, 0x9f:
		return f.str(s, i, 2, false, final)
	}
	return 2, true
}

// control measures a control sequence whose introducer is intro bytes long:
// parameters, intermediates, one final. Anything else aborts it where it stands.
func (f *filter) control(s string, i, intro int, final bool) (int, bool) {
	j := i + intro
	for j < len(s) && s[j] >= 0x20 && s[j] <= 0x3f {
		if j-i > maxControl {
			return intro, true
		}
		j++
	}
	if j >= len(s) {
		return j - i, final
	}
	if s[j] >= 0x40 && s[j] <= 0x7e {
		j++
	}
	return j - i, true
}

// str measures a string sequence with its payload. It ends at ST, an OSC also
// at BEL, on the same line; without an end only the introducer goes, so that
// nothing is swallowed.
func (f *filter) str(s string, i, intro int, osc, final bool) (int, bool) {
	from := i + intro
	end, after := f.nextST(s, from)
	if osc {
		if b := f.nextByte(s, from, &f.bel, "\a"); b < end {
			end, after = b, b+1
		}
	}
	stop := f.nextByte(s, from, &f.stop, "\n\x18\x1a")
	if end < stop && end-i <= maxString {
		return after - i, true
	}
	if stop == len(s) && len(s)-i <= maxString {
		return intro, final
	}
	return intro, true
}

// nextByte returns the first place at or after from of one of chars, or len(s).
func (f *filter) nextByte(s string, from int, cache *int, chars string) int {
	if *cache >= from {
		return *cache
	}
	*cache = len(s)
	if n := strings.IndexAny(s[from:], chars); n >= 0 {
		*cache = from + n
	}
	return *cache
}

// nextST returns where the next string terminator begins and ends.
func (f *filter) nextST(s string, from int) (int, int) {
	if f.st < from {
		f.st = len(s)
		if n := strings.Index(s[from:], "\x1b\\"); n >= 0 {
			f.st = from + n
		}
		if n := strings.Index(s[from:f.st], "\u009c"); n >= 0 {
			f.st = from + n
		}
	}
	return f.st, min(f.st+2, len(s))
}
