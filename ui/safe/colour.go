package safe

import "strings"

// A Colour is one that a program asked for: none, one of the terminal's 16, one of its
// 256, or a mix of red, green and blue.
type Colour uint32

// NoColour is the terminal's own.
const NoColour Colour = 0

const (
	kindBasic   = 1 << 24
	kindIndexed = 2 << 24
	kindRGB     = 3 << 24
)

// Basic is which of the terminal's 16 it is.
func (c Colour) Basic() (n int, ok bool) { return int(c & 0xff), c>>24 == kindBasic>>24 }

// Indexed is which of the terminal's 256 it is, the first 16 not among them.
func (c Colour) Indexed() (n int, ok bool) { return int(c & 0xff), c>>24 == kindIndexed>>24 }

// RGB is what it is mixed of.
func (c Colour) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c>>24 == kindRGB>>24
}

// Look is how a program wanted a piece of its output to look, as far as that is safe to
// show: what blinks or is hidden is not.
type Look struct {
	Fore, Back                                    Colour
	Bold, Dim, Italic, Underline, Reverse, Struck bool
}

// Dyed is a piece of a line in one look.
type Dyed struct {
	Text string
	Look Look
}

// Coloured is Output that keeps the sequences which set colours and attributes, and no
// other: each is "\x1b[", digits, semicolons and colons, "m". It is not for a terminal,
// but for Dye and Plain.
func Coloured(s string) string {
	if clean(s) {
		return s
	}
	f := filter{looks: true}
	dst, _ := f.run(make([]byte, 0, len(s)), s, true)
	return string(dst)
}

// Plain is the Output of what Coloured returned.
func Plain(s string) string {
	if strings.IndexByte(s, 0x1b) < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		text, rest, _ := strings.Cut(s, "\x1b")
		b.WriteString(text)
		_, s = sgr(rest)
	}
	return b.String()
}

// Dye is a line of Coloured as pieces without sequences. It begins in no look: one that
// a line before began is forgotten.
func Dye(line string) []Dyed {
	var out []Dyed
	var l Look
	for line != "" {
		text, rest, _ := strings.Cut(line, "\x1b")
		if n := len(out); text != "" && n > 0 && out[n-1].Look == l {
			out[n-1].Text += text
		} else if text != "" {
			out = append(out, Dyed{text, l})
		}
		var params string
		params, line = sgr(rest)
		l.set(params)
	}
	return out
}

// sgr reads what stands behind an ESC: the parameters, and what follows. Of a sequence
// that was cut nothing follows.
func sgr(s string) (params, rest string) {
	if s == "" || s[0] != '[' {
		return "", s
	}
	params, rest, whole := strings.Cut(s[1:], "m")
	if !whole || strings.Trim(params, "0123456789;:") != "" {
		return "", strings.TrimLeft(s[1:], "0123456789;:")
	}
	if params == "" {
		params = "0"
	}
	return params, rest
}

// isLook reports whether a sequence sets colours or attributes, and nothing else.
func isLook(s string) bool {
	return len(s) > 2 && s[0] == 0x1b && s[1] == '[' && s[len(s)-1] == 'm' && strings.Trim(s[2:len(s)-1], "0123456789;:") == ""
}

// maxParams is how many parameters of one sequence are read.
const maxParams = 32

// set changes the look as parameters say.
func (l *Look) set(params string) {
	if params == "" {
		return
	}
	var ps [maxParams]int
	n := 0
	// A colon parts the pieces of one parameter: it is read as a semicolon, but for the
	// kind of underline, and the empty name of a colour space.
	for p := range strings.SplitSeq(params, ";") {
		if n == maxParams {
			break
		}
		head, sub, colon := strings.Cut(p, ":")
		switch {
		case !colon:
			ps[n] = number(p)
			n++
		case head == "4": // 4:0 is none, 4:3 a wavy one
			if ps[n] = 4; sub == "0" {
				ps[n] = 24
			}
			n++
		case head == "38" || head == "48":
			parts := strings.Split(p, ":")
			if len(parts) == 6 { // 38:2::r:g:b
				parts = append(parts[:2:2], parts[3:]...)
			}
			for _, q := range parts {
				if n < maxParams {
					ps[n] = number(q)
					n++
				}
			}
		}
	}
	for i := 0; i < n; i++ {
		switch p := ps[i]; {
		case p == 0:
			*l = Look{}
		case p == 1:
			l.Bold = true
		case p == 2:
			l.Dim = true
		case p == 3:
			l.Italic = true
		case p == 4 || p == 21:
			l.Underline = true
		case p == 7:
			l.Reverse = true
		case p == 9:
			l.Struck = true
		case p == 22:
			l.Bold, l.Dim = false, false
		case p == 23:
			l.Italic = false
		case p == 24:
			l.Underline = false
		case p == 27:
			l.Reverse = false
		case p == 29:
			l.Struck = false
		case p >= 30 && p <= 37:
			l.Fore = Colour(kindBasic | p - 30)
		case p >= 90 && p <= 97:
			l.Fore = Colour(kindBasic | p - 90 + 8)
		case p >= 40 && p <= 47:
			l.Back = Colour(kindBasic | p - 40)
		case p >= 100 && p <= 107:
			l.Back = Colour(kindBasic | p - 100 + 8)
		case p == 39:
			l.Fore = NoColour
		case p == 49:
			l.Back = NoColour
		case p == 38 || p == 48:
			c, used := longColour(ps[i+1 : n])
			if i += used; p == 38 {
				l.Fore = c
			} else {
				l.Back = c
			}
		}
	}
}

// longColour reads what follows a 38 or 48, and how many parameters that were.
func longColour(ps []int) (c Colour, used int) {
	switch {
	case len(ps) >= 2 && ps[0] == 5 && ps[1] < 16:
		return Colour(kindBasic | ps[1]), 2
	case len(ps) >= 2 && ps[0] == 5:
		return Colour(kindIndexed | min(ps[1], 255)), 2
	case len(ps) >= 4 && ps[0] == 2:
		return Colour(kindRGB | min(ps[1], 255)<<16 | min(ps[2], 255)<<8 | min(ps[3], 255)), 4
	}
	return NoColour, len(ps)
}

func number(s string) int {
	n := 0
	for i := range len(s) {
		if n = 10*n + int(s[i]-'0'); n > 9999 {
			return 9999
		}
	}
	return n
}
