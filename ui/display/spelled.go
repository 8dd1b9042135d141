package display

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// sheet is what a program wrote that writes line by line, as it stands at the end: a line
// that was edited, or written over, is there once. Places on the screen mean nothing here.
type sheet struct {
	rows     [][]string // cells; the second one of a wide character is empty
	row, col int
	blanks   int // cells that are there since sequences moved past them
}

const (
	farthest  = 4096    // bounds how far a sequence moves, in cells,
	maxBlanks = 1 << 18 // and what all of them together may add
)

// spelled is the text of what a program wrote, without its control sequences.
func spelled(b []byte) string {
	s := sheet{rows: make([][]string, 1)}
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == escape:
			n = s.sequence(b)
		case r == '\n':
			s.down()
		case r == '\r':
			s.col = 0
		case r == '\b':
			s.col = max(0, s.col-1)
		case r == '\t':
			s.put(" ", 1)
			for s.col%8 != 0 {
				s.put(" ", 1)
			}
		case r == utf8.RuneError && n == 1, r < ' ', r == 0x7f:
		default:
			s.put(string(b[:n]), displaywidth.Rune(r))
		}
		b = b[n:]
	}
	var out strings.Builder
	for _, row := range s.rows {
		out.WriteString(strings.TrimRight(strings.Join(row, ""), " "))
		out.WriteByte('\n')
	}
	return strings.TrimRight(out.String(), "\n")
}

func (s *sheet) down() {
	if s.row, s.col = s.row+1, 0; s.row == len(s.rows) {
		s.rows = append(s.rows, nil)
	}
}

// put writes a character of so many cells; one of none belongs to the one before.
func (s *sheet) put(text string, cells int) {
	row := s.rows[s.row]
	if gap := s.col - len(row); gap > 0 {
		row = append(row, s.blank(gap)...)
		s.col = len(row)
	}
	s.rows[s.row] = row
	switch {
	case cells == 0 && s.col > 0:
		at := s.col - 1
		if row[at] == "" && at > 0 {
			at--
		}
		row[at] += text
		return
	case s.col < len(row):
		row[s.col] = text
	default:
		row = append(row, text)
	}
	s.col++
	for range cells - 1 {
		if s.col < len(row) {
			row[s.col] = ""
		} else {
			row = append(row, "")
		}
		s.col++
	}
	s.rows[s.row] = row
}

// blank is so many empty cells, as long as there are not too many.
func (s *sheet) blank(n int) []string {
	n = min(n, maxBlanks-s.blanks)
	s.blanks += n
	out := make([]string, n)
	for i := range out {
		out[i] = " "
	}
	return out
}

// sequence does what an escape sequence does to lines, and returns its length.
func (s *sheet) sequence(b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] < 0x7f {
				s.control(string(b[2:i]), b[i])
				return i + 1
			}
		}
		return len(b)
	case ']', 'P', '_', '^', 'X':
		for i := 2; i < len(b); i++ {
			switch {
			case b[i] == 0x07:
				return i + 1
			case b[i] == escape:
				return min(len(b), i+2)
			}
		}
		return len(b)
	}
	n := 1
	for n < len(b) && b[n] >= 0x20 && b[n] < 0x30 {
		n++
	}
	return min(len(b), n+1)
}

func (s *sheet) control(params string, final byte) {
	first, _, _ := strings.Cut(params, ";")
	n, err := strconv.Atoi(first)
	times := min(max(n, 1), farthest)
	row := s.rows[s.row]
	at := min(s.col, len(row))
	switch final {
	case 'A':
		s.row = max(0, s.row-times)
	case 'B':
		s.row = min(len(s.rows)-1, s.row+times)
	case 'C':
		s.col = min(s.col+times, farthest)
	case 'D':
		s.col = max(0, s.col-times)
	case 'G':
		s.col = times - 1
	case 'P':
		s.rows[s.row] = append(row[:at], row[min(len(row), at+times):]...)
	case 'X':
		for i := at; i < min(len(row), at+times); i++ {
			row[i] = " "
		}
	case '@':
		s.rows[s.row] = append(row[:at:at], append(s.blank(times), row[at:]...)...)
	case 'K', 'J':
		switch {
		case err != nil && params != "":
		case n == 1:
			for i := range at {
				row[i] = " "
			}
		case n == 0:
			if s.rows[s.row] = row[:at]; final == 'J' {
				s.rows = s.rows[:s.row+1]
			}
		case final == 'K':
			s.rows[s.row] = nil
		default: // the whole screen: what stands there is told all the same
			s.row = len(s.rows) - 1
			s.down()
		}
	}
}
