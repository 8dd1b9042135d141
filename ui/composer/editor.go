package composer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// editor is a text with a cursor, an undo list and a kill ring of one. All moves
// go by grapheme cluster, so that a flag, a family or a Hangul syllable is one
// step. A placeholder of a paste is one step too.
type editor struct {
	text   string
	cur    int // byte offset, always between clusters
	kill   string
	undone []state // to redo
	done   []state // to undo
	last   string  // the kind of the last change: equal kinds are one undo step
}

type state struct {
	text string
	cur  int
}

const maxUndo = 200

// snapshot remembers the text before a change. A run of the same kind of change
// ("type") is one step.
func (e *editor) snapshot(kind string) {
	if kind == "type" && e.last == kind {
		return
	}
	e.last = kind
	e.undone = nil
	e.done = append(e.done, state{e.text, e.cur})
	if len(e.done) > maxUndo {
		e.done = e.done[1:]
	}
}

func (e *editor) undo() {
	if n := len(e.done); n > 0 {
		e.undone = append(e.undone, state{e.text, e.cur})
		e.text, e.cur = e.done[n-1].text, e.done[n-1].cur
		e.done = e.done[:n-1]
		e.last = ""
	}
}

func (e *editor) redo() {
	if n := len(e.undone); n > 0 {
		e.done = append(e.done, state{e.text, e.cur})
		e.text, e.cur = e.undone[n-1].text, e.undone[n-1].cur
		e.undone = e.undone[:n-1]
		e.last = ""
	}
}

func (e *editor) insert(s string) {
	e.text = e.text[:e.cur] + s + e.text[e.cur:]
	e.cur += len(s)
}

// next and prev return the cluster border after and before offset i.
func (e *editor) next(i int) int {
	if i >= len(e.text) {
		return len(e.text)
	}
	if m := placeholderAt(e.text, i); m > 0 {
		return i + m
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(e.text[i:], -1)
	return i + len(cluster)
}

func (e *editor) prev(i int) int {
	if i <= 0 {
		return 0
	}
	start := strings.LastIndexByte(e.text[:i], '\n') + 1
	if start == i {
		return i - 1
	}
	at := start
	for {
		n := e.next(at)
		if n >= i {
			return at
		}
		at = n
	}
}

func (e *editor) left()  { e.move(e.prev(e.cur)) }
func (e *editor) right() { e.move(e.next(e.cur)) }

func (e *editor) move(to int) {
	e.cur = to
	e.last = ""
}

func (e *editor) lineStart() int { return strings.LastIndexByte(e.text[:e.cur], '\n') + 1 }

func (e *editor) lineEnd() int {
	if i := strings.IndexByte(e.text[e.cur:], '\n'); i >= 0 {
		return e.cur + i
	}
	return len(e.text)
}

// cut removes text between two offsets into the kill ring.
func (e *editor) cut(from, to int) {
	if from == to {
		return
	}
	e.snapshot("cut")
	e.kill = e.text[from:to]
	e.text = e.text[:from] + e.text[to:]
	e.cur = from
}

// erase removes text between two offsets for good.
func (e *editor) erase(from, to int, kind string) {
	if from == to {
		return
	}
	e.snapshot(kind)
	e.text = e.text[:from] + e.text[to:]
	e.cur = from
}

// class sorts clusters for word moves: a run of one class is a word. Han, kana
// and Hangul change class at the script's border, so that a move over mixed
// text stops where a reader would.
func class(s string) int {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsSpace(r):
		return 0
	case unicode.Is(unicode.Han, r):
		return 2
	case unicode.Is(unicode.Hiragana, r), unicode.Is(unicode.Katakana, r):
		return 3
	case unicode.Is(unicode.Hangul, r):
		return 4
	case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
		return 1
	}
	return 5
}

// wordRight returns the end of the word at or after the cursor.
func (e *editor) wordRight() int {
	i := e.cur
	for i < len(e.text) && class(e.text[i:]) == 0 {
		i = e.next(i)
	}
	if i == len(e.text) {
		return i
	}
	for c := class(e.text[i:]); i < len(e.text) && class(e.text[i:]) == c; {
		i = e.next(i)
	}
	return i
}

// wordLeft returns the start of the word at or before the cursor.
func (e *editor) wordLeft() int {
	i := e.cur
	for i > 0 {
		p := e.prev(i)
		if class(e.text[p:]) != 0 {
			break
		}
		i = p
	}
	if i == 0 {
		return 0
	}
	for c := class(e.text[e.prev(i):]); i > 0; {
		p := e.prev(i)
		if class(e.text[p:]) != c {
			break
		}
		i = p
	}
	return i
}

// blankLeft returns the start of the run without blanks before the cursor: what
// Ctrl+W removes in a shell.
func (e *editor) blankLeft() int {
	i := e.cur
	for i > 0 && class(e.text[e.prev(i):]) == 0 {
		i = e.prev(i)
	}
	for i > 0 && class(e.text[e.prev(i):]) != 0 {
		i = e.prev(i)
	}
	return i
}

// clean makes text fit to edit: \n ends lines, other control characters and
// invalid bytes go. What stays is shown as it is sent.
func clean(s string) string {
	if plain(s) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, s)
}

func plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 0x20 && c != '\n' && c != '\t') || c >= 0x7f {
			return false
		}
	}
	return true
}
