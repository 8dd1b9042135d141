package composer

import (
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// editor is a text with a cursor, a selection, an undo list and a ring of what was
// cut. All moves go by grapheme cluster, so that a flag, a family or a Hangul
// syllable is one step. A placeholder of a paste is one step too.
type editor struct {
	text      string
	cur       int  // byte offset, always between clusters
	selecting bool // what is between anchor and cur is selected
	anchor    int
	goal      int // the column that moves from row to row go for, in cells
	ring      ring
	undone    []state // to redo
	done      []state // to undo
	last      string  // the kind of the last change: equal kinds are one undo step
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
	e.selecting = false
	if n := len(e.done); n > 0 {
		e.undone = append(e.undone, state{e.text, e.cur})
		e.text, e.cur = e.done[n-1].text, e.done[n-1].cur
		e.done = e.done[:n-1]
		e.last = ""
	}
}

func (e *editor) redo() {
	e.selecting = false
	if n := len(e.undone); n > 0 {
		e.done = append(e.done, state{e.text, e.cur})
		e.text, e.cur = e.undone[n-1].text, e.undone[n-1].cur
		e.undone = e.undone[:n-1]
		e.last = ""
	}
}

// insert puts text in at the cursor, in place of what is selected.
func (e *editor) insert(s string) {
	if from, to, ok := e.selected(); ok {
		e.text, e.cur, e.selecting = e.text[:from]+e.text[to:], from, false
	}
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

// left and right move by a cluster, or to the edge of what is selected.
func (e *editor) left() {
	from, _, ok := e.selected()
	if !ok {
		from = e.prev(e.cur)
	}
	e.move(from)
}

func (e *editor) right() {
	_, to, ok := e.selected()
	if !ok {
		to = e.next(e.cur)
	}
	e.move(to)
}

func (e *editor) move(to int) {
	e.cur, e.selecting, e.last = to, false, ""
}

func (e *editor) lineStart() int { return strings.LastIndexByte(e.text[:e.cur], '\n') + 1 }

func (e *editor) lineEnd() int {
	if i := strings.IndexByte(e.text[e.cur:], '\n'); i >= 0 {
		return e.cur + i
	}
	return len(e.text)
}

// restOfLine is where a cut to the end of the line ends: at that end it joins the next.
func (e *editor) restOfLine() int {
	to := e.lineEnd()
	if to == e.cur && to < len(e.text) {
		to++
	}
	return to
}

// erase removes text between two offsets for good.
func (e *editor) erase(from, to int, kind string) {
	if from == to {
		return
	}
	e.snapshot(kind)
	e.text = e.text[:from] + e.text[to:]
	e.cur, e.selecting = from, false
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
