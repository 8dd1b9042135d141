package display

import (
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/clipperhouse/displaywidth"
)

// rough is a terminal that counts cells by code points, each as wide as a function says:
// what many are, and the emulator of the other tests is not. What no character stands in
// is a blank; the second half of a wide one is 0.
type rough struct {
	w, h, x, y int
	nowrap     bool
	wide       func(rune) int
	cells      [][]rune
}

func newRough(w, h int, wide func(rune) int) *rough {
	r := &rough{w: w, h: h, wide: wide, cells: make([][]rune, h)}
	for y := range r.cells {
		r.cells[y] = []rune(strings.Repeat(" ", w))
	}
	return r
}

var roughSeq = regexp.MustCompile("^\x1b(?:\\[([<=>?]?)([0-9;]*)[ $]?([@-~])|\\][^\a\x1b]*(?:\a|\x1b\\\\)|[78])")

func (r *rough) write(t *testing.T, s string) {
	for s != "" {
		if s[0] == 0x1b {
			m := roughSeq.FindStringSubmatch(s)
			if m == nil {
				t.Fatalf("not understood: %.20q", s)
			}
			s = s[len(m[0]):]
			r.control(t, m[1], m[2], m[3])
			continue
		}
		c := []rune(s)[0]
		s = s[len(string(c)):]
		switch n := r.wide(c); {
		case c == '\r':
			r.x = 0
		case c == '\n':
			r.y = min(r.y+1, r.h-1)
		case c == '\b':
			r.x = max(0, r.x-1)
		case c == '\t':
			r.x = min(r.w-1, r.x/8*8+8)
		case n == 0:
		default:
			if r.x+n > r.w {
				if r.nowrap {
					r.x = r.w - n
				} else {
					r.x, r.y = 0, min(r.y+1, r.h-1)
				}
			}
			for i := range n { // what is written over in half is gone
				if x := r.x + i; r.cells[r.y][x] == 0 && i == 0 {
					r.cells[r.y][x-1] = ' '
				} else if x+1 < r.w && r.cells[r.y][x+1] == 0 && i == n-1 {
					r.cells[r.y][x+1] = ' '
				}
				r.cells[r.y][r.x+i] = 0
			}
			r.cells[r.y][r.x] = c
			r.x += n
		}
	}
}

func (r *rough) control(t *testing.T, private, params, final string) {
	var n []int
	for p := range strings.SplitSeq(params, ";") {
		v, _ := strconv.Atoi(p)
		n = append(n, v)
	}
	n = append(n, 0)
	blank := func(y, from, to int) {
		for x := from; x < to; x++ {
			r.cells[y][x] = ' '
		}
	}
	switch final {
	case "H":
		r.y, r.x = max(n[0], 1)-1, max(n[1], 1)-1
	case "G":
		r.x = min(max(n[0], 1), r.w) - 1
	case "d":
		r.y = max(n[0], 1) - 1
	case "A":
		r.y -= max(n[0], 1)
	case "B":
		r.y += max(n[0], 1)
	case "C":
		r.x += max(n[0], 1)
	case "D":
		r.x -= max(n[0], 1)
	case "K":
		switch n[0] {
		case 0:
			blank(r.y, r.x, r.w)
		case 1:
			blank(r.y, 0, r.x+1)
		}
	case "J":
		if n[0] == 0 {
			blank(r.y, r.x, r.w)
		}
		for y := range r.h {
			if n[0] == 2 || y > r.y {
				blank(y, 0, r.w)
			}
		}
	case "X":
		blank(r.y, r.x, min(r.w, r.x+max(n[0], 1)))
	case "h", "l":
		if private == "?" && params == "7" {
			r.nowrap = final == "l"
		}
	case "m", "n", "p", "q", "u", "W", "r":
	default:
		t.Fatalf("not understood: CSI %s %s %s", private, params, final)
	}
	r.x, r.y = min(max(r.x, 0), r.w), min(max(r.y, 0), r.h-1)
}

// column is where a sign stands in a row, once; -1 where it is not.
func (r *rough) column(y int, sign rune) int {
	at := -1
	for x, c := range r.cells[y] {
		if c == sign && at >= 0 {
			return -2
		} else if c == sign {
			at = x
		}
	}
	return at
}

func (r *rough) String() string {
	var rows []string
	for _, row := range r.cells {
		rows = append(rows, strings.TrimRight(strings.ReplaceAll(string(row), "\x00", ""), " "))
	}
	return strings.Join(rows, "\n")
}

func points(r rune) int { return displaywidth.Rune(r) }

func pointsWide(r rune) int { return (displaywidth.Options{EastAsianWidth: true}).Rune(r) }

// drawn is a terminal on which frames were painted one after the other.
func drawn(t *testing.T, wide, joins bool, width func(rune) int, w, h int, frames ...string) *rough {
	t.Helper()
	term := newRough(w, h, width)
	c := newCanvas(true, nil, nil)
	c.measure(false, wide)
	c.joins = joins
	c.scr.Resize(w, h)
	for _, f := range frames {
		// Nobody made this terminal raw: a line feed is a new line.
		term.write(t, strings.ReplaceAll(string(c.paint(frame{content: f}, w, h)), "\n", "\r\n"))
	}
	return term
}

// A terminal that takes another number of cells for a character than the view was laid
// out for still has what follows it in its place, and nothing on the next row.
func TestMoored(t *testing.T) {
	rows := []string{"👩‍👩‍👧 ok |", "❤️ heart    |", "🇨🇳 flag     |", "plain      |", "कि ok  |", "1️⃣ keycap |", "👩‍👩‍👧‍👦👩‍👩‍👧‍👦"}
	frame := strings.Join(rows, "\n")
	for i, frames := range [][]string{{frame}, {"plain\nplain\nplain", frame}, {frame, strings.Replace(frame, "plain  ", "é plain", 1)}} {
		for name, width := range map[string]func(rune) int{"by code points": points, "signs in one cell": func(r rune) int { return min(1, points(r)) }} {
			term := drawn(t, false, false, width, 14, 8, frames...)
			for y, row := range rows[:6] {
				want := displaywidth.String(row) - 1
				if y == 4 { // a vowel sign is not written over, whoever counts it for a cell
					want++
				}
				if got := term.column(y, '|'); got != want {
					t.Errorf("%d, %s: row %d has its border in column %d, want %d\n%s", i, name, y, got, want, term)
				}
			}
			if text := term.String(); !strings.Contains(text, "\u0915\u093f") || strings.Contains(text, "👧") {
				t.Errorf("%d, %s: a vowel sign is lost, or more of an emoji is shown than its first\n%s", i, name, text)
			}
			if last := strings.TrimSpace(strings.Split(term.String(), "\n")[7]); last != "" {
				t.Errorf("%d, %s: on the last row stands %q", i, name, last)
			}
		}
	}
}

// Where characters of ambiguous width take two cells, rows that were laid out for it hold
// together, and one that is too long is cut at the edge.
func TestWideRows(t *testing.T) {
	o := displaywidth.Options{EastAsianWidth: true}
	rows := []string{"“quoted” … |", "\x1b[1m①\x1b[m → next ★  |", "α β Ж Я |", "你好“引号”——|", "plain  |", strings.Repeat("…", 20), "e\u0301 … 👩‍👩‍👧 |", ""}
	frame := strings.Join(rows, "\n")
	for i, frames := range [][]string{{frame}, {strings.ReplaceAll(frame, "…", "."), frame}, {frame, strings.Replace(frame, "plain  ", "→ plain", 1)}} {
		term := drawn(t, true, false, pointsWide, 24, 8, frames...)
		for y, row := range rows {
			if !strings.Contains(row, "|") || i == 2 && y == 4 {
				continue
			}
			want := o.String(strings.NewReplacer("\x1b[1m", "", "\x1b[m", "").Replace(row)) - 1
			if got := term.column(y, '|'); got != want {
				t.Errorf("%d: row %d has its border in column %d, want %d\n%s", i, y, got, want, term)
			}
		}
		if got := strings.Split(term.String(), "\n")[5]; got != strings.Repeat("…", 12) {
			t.Errorf("%d: the long row is %q", i, got)
		}
		if got := strings.Split(term.String(), "\n")[7]; got != "" {
			t.Errorf("%d: the last row is %q", i, got)
		}
	}
	// A terminal that draws them in one cell after all has gaps, and no row out of place.
	term := drawn(t, true, false, points, 24, 8, frame)
	if got, want := term.column(0, '|'), o.String(rows[0])-1; got != want {
		t.Errorf("in a narrow terminal: column %d, want %d\n%s", got, want, term)
	}
	if isAmbiguous('\U0010EEEE') || isAmbiguous('a') || isAmbiguous('你') || !isAmbiguous('…') {
		t.Error("what is ambiguous is not known")
	}
}

// The terminal is asked with the first frame, which is whole in spite of it; its answer
// comes to the model as what it means, and only the first.
func TestMeasure(t *testing.T) {
	heard := make(chan tea.Msg, 100)
	play(t, 30, 4, func(s *stage) {
		s.do(Measure)
		s.show(alt)
		s.content("› one\nsecond\nthird\n──")
		pause(floor)
		if rowsOf(s.em) != "› one|second|third|──" {
			t.Errorf("shown: %q", rowsOf(s.em))
		}
		if sent := s.wrote(); strings.Count(sent, "●\x1b[6n") != 1 || strings.Count(sent, several+"\x1b[6n") != 1 {
			t.Errorf("asked with %q", sent)
		}
		io.WriteString(s.keys, "\x1b[2;3R")
		io.WriteString(s.keys, "\x1b[2;7R")
		io.WriteString(s.keys, "\x1b[2;9R")
		pause(floor)
		var got []tea.Msg
		for len(heard) > 0 {
			switch msg := (<-heard).(type) {
			case Ambiguous, tea.CursorPositionMsg:
				got = append(got, msg)
			}
		}
		if len(got) != 2 || got[0] != tea.Msg(Ambiguous{Cells: 2}) || got[1] != tea.Msg(tea.CursorPositionMsg{X: 8, Y: 1}) {
			t.Errorf("told %v", got)
		}
		s.do(DrawWide(true))
		s.content("“x” end\nsecond\nthird\n──")
		pause(floor)
		if sent := s.wrote(); !strings.Contains(sent, "“\x1b[3Gx”\x1b[6G end") {
			t.Errorf("drawn with %q", sent)
		}
	}, func(s *stage) { s.p.heard = heard })
}

// A terminal that makes one sign of an emoji's parts is found by asking, and gets all of
// them from then on; what it shows already is drawn anew, where it matters.
func TestJoined(t *testing.T) {
	for answer, whole := range map[string]bool{"\x1b[2;3R": true, "\x1b[2;7R": false, "\x1b[2;1R": false} {
		play(t, 30, 4, func(s *stage) {
			s.do(Measure)
			s.show(alt)
			s.content("👨‍👩‍👧 👍🏽 🇨🇳 ❤️ end\nplain")
			pause(floor)
			if sent := s.wrote(); strings.Contains(sent, "👨‍👩") || !strings.Contains(sent, "👨") {
				t.Errorf("before it has answered: %q", sent)
			}
			io.WriteString(s.keys, "\x1b[2;2R")
			pause(floor)
			s.wrote()
			io.WriteString(s.keys, answer)
			pause(floor)
			sent := s.wrote()
			if !whole && sent != "" || whole && !strings.Contains(sent, "👨‍👩‍👧\x1b[3G 👍🏽\x1b[6G") {
				t.Errorf("%q: drawn with %q", answer, sent)
			}
			s.content("👨‍👩‍👧 👍🏽 🇨🇳 ❤️ end\n🧑🏿‍🚀 |")
			pause(floor)
			if sent := s.wrote(); strings.Contains(sent, "🧑🏿‍🚀\x1b[3G |") != whole {
				t.Errorf("%q: later %q", answer, sent)
			}
		})
	}
	// Where nothing of the kind is shown, nothing is drawn again.
	play(t, 30, 4, func(s *stage) {
		s.do(Measure)
		s.show(alt)
		s.content("plain")
		pause(floor)
		s.wrote()
		io.WriteString(s.keys, "\x1b[2;2R\x1b[2;3R")
		pause(floor)
		if sent := s.wrote(); sent != "" {
			t.Errorf("drawn again: %q", sent)
		}
	})
	// One that joins some parts and not others still has each row in its columns.
	rows := []string{"👩‍👩‍👧 ok |", "👍🏽 thumb    |"}
	term := drawn(t, false, true, points, 14, 3, strings.Join(rows, "\n"))
	for y, row := range rows {
		if got, want := term.column(y, '|'), displaywidth.String(row)-1; got != want {
			t.Errorf("row %d has its border in column %d, want %d\n%s", y, got, want, term)
		}
	}
	for w, want := range map[int]int{3: 1, 6: 1, 7: 2, 80: 2} {
		if seq, n := probe(true, w, 24); n != want || strings.Count(seq, "\x1b[6n") != n {
			t.Errorf("%d cells: %d questions in %q", w, n, seq)
		}
	}
}

// Rows that are left above the frame are moored as those of the frame, and keep their
// looks.
func TestPrintedRows(t *testing.T) {
	s := &screen{width: 20}
	for row, want := range map[string]string{
		"plain “x”":                    "plain “x”",
		"\x1b[1m❤️\x1b[m ok":           "\x1b[1m❤️\x1b[3G\x1b[m ok",
		strings.Repeat("a", 40) + "é́": strings.Repeat("a", 40) + "é́",
	} {
		if got := s.printed(row); got != want {
			t.Errorf("%q is printed as %q, want %q", row, got, want)
		}
	}
	s.wide = true
	term := newRough(20, 1, pointsWide)
	term.write(t, s.printed("\x1b[1m“x”\x1b[m …|"))
	if term.column(0, '|') != 8 {
		t.Errorf("%q", term)
	}
}

// Through a multiplexer no emoji of several parts is sent: it and the terminal around it
// would count them in different ways. The rest of the row is where it was laid out.
func TestRelayed(t *testing.T) {
	c := newCanvas(true, []string{"TERM=tmux-256color"}, nil)
	c.measure(false, false)
	c.joins = true // tmux does; the terminal around it may not
	c.scr.Resize(30, 2)
	sent := string(c.paint(frame{content: "👩\u200d👩\u200d👧 ❤\ufe0f 👍🏽 🇨🇳 e\u0301 |"}, 30, 2))
	if strings.ContainsAny(sent, "\u200d\ufe0f\U0001f3fd") || !strings.Contains(sent, "👩\x1b[3G ❤\x1b[6G 👍\x1b[9G 🇨🇳\x1b[12G e\u0301 |") {
		t.Errorf("sent %q", sent)
	}
	for env, want := range map[string]bool{"TMUX=/tmp/x": true, "STY=1.x": true, "TERM=screen": true, "TERM=xterm-kitty": false, "TMUX=": false} {
		if got := relayed([]string{env}); got != want {
			t.Errorf("%s: %v", env, got)
		}
	}
}
