package display

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// watch reads what a program tells the terminal, in pieces as they come, and knows what of
// it would outlive a program that is killed.
type watch struct {
	state   byte   // 0: text, else what has begun: escape, '[', ']', or one of its intermediates
	seq     []byte // what there is of it
	alt     bool
	screens bool
	on      []int  // modes that are set
	off     []int  // and those a terminal has on by itself, that are not
	pushed  [2]int // keyboard flags, on the main screen and on the other
	flags   [2]bool
	others  bool // modifyOtherKeys
	styled  bool // colours
	drawn   bool // other characters
	shifted bool // those behind SO
	region  bool // scrolling in a part of the screen
	keypad  bool
	shape   bool // of the cursor

	speaks bool // it asked the terminal something, or wants more of it than keys
}

const escape = 0x1b

// maxSeq bounds a sequence, in bytes: of a longer one nothing is known.
const maxSeq = 128

// see takes a piece and returns those parts of it that are written on the main screen,
// sequences included.
func (w *watch) see(b []byte) (parts [][]byte) {
	from := 0
	for i := 0; i < len(b); i++ {
		if w.state == 0 {
			n := bytes.IndexAny(b[i:], "\x1b\x0e\x0f")
			if n < 0 {
				break
			}
			switch i += n; b[i] {
			case 0x0e, 0x0f:
				w.shifted = b[i] == 0x0e
			case escape:
				w.state, w.seq = escape, w.seq[:0]
			}
			continue
		}
		was := w.alt
		w.next(b[i])
		if w.alt == was {
			continue
		}
		if w.alt {
			parts = append(parts, b[from:i+1])
		}
		from = i + 1
	}
	if !w.alt {
		parts = append(parts, b[from:])
	}
	return parts
}

// next takes a byte of a sequence.
func (w *watch) next(c byte) {
	if c == 0x18 || c == 0x1a { // what has begun is cancelled
		w.state = 0
		return
	}
	switch w.state {
	case escape:
		switch {
		case c == '[' || c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X':
			w.state, w.speaks = c, w.speaks || c != '['
		case c >= 0x20 && c < 0x30:
			w.state, w.seq = c, append(w.seq, c)
		case c == '=' || c == '>':
			w.keypad, w.state = c == '=', 0
		case c == 'c': // all is as at the beginning
			*w = watch{screens: w.screens, speaks: w.speaks}
		case c == escape:
		default:
			w.state = 0
		}
	case '[':
		switch {
		case c >= 0x40 && c < 0x7f:
			w.state = 0
			w.control(string(w.seq), c)
		case c == escape:
			w.state, w.seq = escape, w.seq[:0]
		case len(w.seq) < maxSeq && c >= 0x20:
			w.seq = append(w.seq, c)
		}
	case ']', 'P', '_', '^', 'X': // a text, to its end
		switch c {
		case 0x07:
			w.state = 0
		case escape:
			w.state, w.seq = escape, w.seq[:0] // its end is an escape, too
		}
	default: // a character set
		if c >= 0x30 {
			if (w.state == '(' || w.state == ')') && len(w.seq) == 1 {
				w.drawn = w.drawn && w.state != '(' || c != 'B'
			}
			w.state = 0
		}
	}
}

// control takes a whole control sequence.
func (w *watch) control(params string, final byte) {
	screen := 0
	if w.alt {
		screen = 1
	}
	private, rest := "", params
	if params != "" && strings.IndexByte("?<=>", params[0]) >= 0 {
		private, rest = params[:1], params[1:]
	}
	w.speaks = w.speaks || private != "" || strings.IndexByte("cnptx", final) >= 0
	switch string(final) + private {
	case "h?", "l?":
		for p := range strings.SplitSeq(rest, ";") {
			if n, err := strconv.Atoi(p); err == nil {
				w.mode(n, final == 'h')
			}
		}
	case "h", "l":
		if rest == "4" {
			w.mode(-4, final == 'h')
		}
	case "u>":
		w.pushed[screen]++
	case "u<":
		n, err := strconv.Atoi(rest)
		if err != nil || n < 1 {
			n = 1
		}
		w.pushed[screen] = max(0, w.pushed[screen]-n)
	case "u=":
		flags, _, _ := strings.Cut(rest, ";")
		w.flags[screen] = flags != "0" && flags != ""
	case "m>":
		w.others = strings.HasPrefix(rest, "4;") && rest != "4;0"
	case "m":
		w.styled = strings.Trim(rest, "0;") != ""
	case "r":
		w.region = rest != "" && rest != ";"
	case "p":
		if rest == "!" { // a soft reset
			*w = watch{alt: w.alt, screens: w.screens, pushed: w.pushed, flags: w.flags, speaks: w.speaks}
		}
	case "q":
		if shape, is := strings.CutSuffix(rest, " "); is {
			w.shape = shape != "" && shape != "0"
		}
	}
}

// usual are the modes a terminal has on by itself.
var usual = [...]int{7, 25}

// mode takes a mode that is set or reset.
func (w *watch) mode(n int, on bool) {
	switch n {
	case 47, 1047, 1049:
		if w.alt = on; on {
			w.screens = true
		}
	}
	for _, u := range usual {
		if n == u {
			w.off = put(w.off, n, !on)
			return
		}
	}
	switch n {
	case 1, 5, 6, 9, 12, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 2004, 2026, 2027, 2031, 2048, -4, 47, 1047, 1049:
		w.on = put(w.on, n, on)
	}
}

// put adds a number to a list, or takes it out.
func put(list []int, n int, in bool) []int {
	for i, m := range list {
		if m != n {
			continue
		}
		if !in {
			return append(list[:i], list[i+1:]...)
		}
		return list
	}
	if in {
		list = append(list, n)
	}
	return list
}

// undo is what brings a terminal back to how it was before the program. Where that left
// nothing behind, it is empty.
func (w *watch) undo() string {
	var b strings.Builder
	switch w.state { // the begin of a sequence would swallow what comes
	case 0:
	case ']', 'P', '_', '^', 'X':
		b.WriteString("\x1b\\")
	default:
		b.WriteByte(0x18) // CAN
	}
	keys := func(screen int) {
		if n := w.pushed[screen]; n > 0 {
			b.WriteString(ansi.PopKittyKeyboard(n))
		}
		if w.flags[screen] {
			b.WriteString(ansi.KittyKeyboard(0, 1))
		}
	}
	if w.alt {
		keys(1)
	}
	for i := len(w.on) - 1; i >= 0; i-- {
		switch n := w.on[i]; n {
		case -4:
			b.WriteString("\x1b[4l")
		case 6: // which takes the cursor to the first row
			b.WriteString("\x1b[?6l\x1b[999;1H")
		default:
			b.WriteString("\x1b[?" + strconv.Itoa(n) + "l")
		}
	}
	if w.region {
		b.WriteString("\x1b7\x1b[r\x1b8") // the cursor stays where it is
	}
	keys(0)
	for _, n := range w.off {
		b.WriteString("\x1b[?" + strconv.Itoa(n) + "h")
	}
	if w.others {
		b.WriteString(ansi.ResetModifyOtherKeys)
	}
	if w.keypad {
		b.WriteString("\x1b>")
	}
	if w.shape {
		b.WriteString(ansi.SetCursorStyle(0))
	}
	if w.drawn {
		b.WriteString("\x1b(B\x1b)B")
	}
	if w.shifted {
		b.WriteString("\x0f")
	}
	if w.styled {
		b.WriteString(ansi.ResetStyle)
	}
	return b.String()
}
