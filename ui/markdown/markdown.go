// Package markdown renders markdown that still grows.
//
// A Stream takes the text of one message as it arrives and answers with rows.
// It cuts the text into top-level blocks. The open block is drawn by a cheap row
// renderer that freezes what no further text can change (list items, rows of a long
// table, code lines, the front of a long paragraph), so that a delta costs the
// same in a message of any length and at any place in it. A finished block is
// read once more as CommonMark says, away from the caller's goroutine: the work that
// Pending returns is pure, and Apply takes its result. Until then, and where
// there is nothing more to be read, the cheap rows stand; both come out of the
// same machine and the same table of looks, so nothing jumps. What comes later changes
// no finished block: a definition of a link counts for the text behind it alone, and is
// shown for the text before it.
//
// It owns the shape of markdown on screen: bullets, indentation, quotes, tables,
// code and its colours. Package ui calls it from the UI goroutine; a Stream is
// for one goroutine. Text must have gone through ui/safe before: this package
// adds sequences, it takes none away.
package markdown

import (
	"strings"

	"forge/ui/theme"
)

const (
	// maxPartial is how long an unfinished line may be before its front is
	// drawn for good.
	maxPartial = 2 << 10
	// maxShown is how much of an unfinished line is drawn where its front
	// cannot be frozen (in a table, in code inside a list).
	maxShown = 4 << 10
	// jobSize bounds the text of one piece of pending work.
	jobSize = 32 << 10
)

// status of a block's rows.
type status uint8

const (
	settled status = iota // nothing will change them
	cheap                 // the engine has not read the block
	asked                 // it is being read
)

// block is a finished top-level block.
type block struct {
	from, to int // its source in the text
	rows     []string
	at       int // where its rows begin in Stream.rows
	status   status
	refs     int // definitions before it
}

// Stream is one growing message. Use New.
type Stream struct {
	th     *theme.Theme
	w      int
	text   strings.Builder
	closed bool

	blocks []block
	rows   []string // of all blocks, then the open one's; a blank row between blocks
	fixed  int      // rows that are drawn for good
	copied int      // rows of m that are among them
	begun  bool     // the open block has rows in rows
	m      machine
	start  int  // where the open block begins
	pos    int  // what the machine has read
	part   bool // it has read the front of an unfinished line
	fresh  bool // rows is up to date
	refs   refs
	known  int  // definitions before the open block
	gen    int  // changes when rows are made anew
	busy   bool // pending work was handed out
}

// New returns an empty Stream drawn with th.
func New(th *theme.Theme) *Stream { return &Stream{th: th, refs: newRefs()} }

// Append adds text at the end. It must be what safe.Output or a safe.Stream
// returned.
func (s *Stream) Append(delta string) {
	if delta == "" {
		return
	}
	s.text.WriteString(delta)
	s.fresh, s.closed = false, false
}

// Close says that the message is complete: what was open is drawn as it is.
func (s *Stream) Close() {
	s.closed = true
	s.fresh = false
}

// Text is the source, as it was appended.
func (s *Stream) Text() string { return s.text.String() }

// Len is the length of the source in bytes.
func (s *Stream) Len() int { return s.text.Len() }

// SetTheme changes the looks; rows are made anew.
func (s *Stream) SetTheme(th *theme.Theme) {
	if th != s.th {
		s.th = th
		s.Drop()
	}
}

// Drop frees the rendered rows. The source stays, and the next Rows makes them
// again.
func (s *Stream) Drop() {
	s.blocks, s.rows = nil, nil
	s.fixed, s.copied, s.start, s.pos = 0, 0, 0, 0
	s.begun, s.part, s.fresh = false, false, false
	s.refs, s.known = newRefs(), 0
	s.m = machine{}
	s.w = 0
	s.gen++
	s.busy = false
}

// Rows returns the message as styled rows of at most width cells. The slice and
// its strings are to be read only, and until the next call of a method. Rows of
// finished blocks stay what and where they are, but for a call of Apply.
func (s *Stream) Rows(width int) []string {
	width = max(width, 1)
	if width != s.w {
		closed := s.closed
		s.Drop()
		s.w, s.closed = width, closed
		s.m = s.machine()
	}
	if !s.fresh {
		s.advance()
		s.fresh = true
	}
	return s.rows
}

func (s *Stream) machine() machine {
	return machine{th: s.th, w: s.w, read: inline, refs: s.refs}
}

// advance reads what is new and draws the rest provisionally.
func (s *Stream) advance() {
	text := s.text.String()
	for {
		n := strings.IndexByte(text[s.pos:], '\n')
		if n < 0 {
			break
		}
		s.take(text[s.pos:s.pos+n], s.pos+n+1)
	}
	if s.closed {
		if s.pos < len(text) {
			s.take(text[s.pos:], len(text))
		}
		s.finish(len(text))
		s.sync()
		return
	}
	s.takeParts(text)
	s.sync()
	s.provisional(text[s.pos:])
}

// take feeds one whole line to the machine; next is where the one after begins.
func (s *Stream) take(line string, next int) {
	if s.part {
		s.part = false
		if s.m.leaf == fenced || s.m.leaf == indented {
			s.m.codeLine(line)
		} else if s.m.leaf == para {
			s.m.addPart(line)
		}
		s.pos = next
		return
	}
	if !s.m.line(line) {
		s.finish(s.pos)
		s.m.line(line)
	}
	s.pos = next
	if s.m.done {
		s.finish(next)
	}
}

// takeParts freezes the front of an unfinished line that has grown long, so
// that a megabyte without a line end costs no more than one with many.
func (s *Stream) takeParts(text string) {
	for len(text)-s.pos > maxPartial {
		rest := text[s.pos:]
		switch {
		case s.m.leaf == fenced && len(s.m.frames) == 0:
			n := s.m.codePart(rest)
			if n == 0 {
				return
			}
			s.part = true
			s.pos += n
		case s.part && s.m.leaf == para:
			n := cutAt(rest, maxPartial/2)
			s.m.addPart(rest[:n])
			s.pos += n
		case s.part: // the rest of a long heading
			return
		case s.m.leaf == table || s.m.leaf == fenced || s.m.leaf == indented:
			return
		default:
			n := cutAt(rest, maxPartial/2)
			if !s.m.line(rest[:n]) {
				s.finish(s.pos)
				s.m.line(rest[:n])
			}
			s.pos += n
			if s.m.leaf != para {
				s.finish(s.pos)
				continue
			}
			// What was trimmed off the end belongs to the middle of the line.
			if strings.HasSuffix(rest[:n], " ") {
				s.m.text = append(s.m.text, ' ')
			}
			s.part = true
		}
	}
}

// cutAt returns a place near n where text may be cut: before a blank, else
// between two characters.
func cutAt(text string, n int) int {
	if k := strings.LastIndexByte(text[:n], ' '); k > n/2 {
		return k
	}
	for n > 1 && text[n] >= 0x80 && text[n] < 0xc0 {
		n--
	}
	return n
}

// finish ends the open block at to.
func (s *Stream) finish(to int) {
	s.m.end()
	s.sync()
	if len(s.m.rows) > 0 {
		b := block{from: s.start, to: to, rows: s.m.rows, at: s.fixed - len(s.m.rows), refs: s.known}
		if s.m.markup {
			b.status = cheap
		}
		s.blocks = append(s.blocks, b)
	}
	s.start, s.known = to, len(s.refs.table)
	s.m = s.machine()
	s.copied, s.begun, s.part = 0, false, false
}

// sync moves what the machine drew for good to rows.
func (s *Stream) sync() {
	s.rows = s.rows[:s.fixed]
	if s.copied == len(s.m.rows) {
		return
	}
	if !s.begun && s.fixed > 0 {
		s.rows = append(s.rows, "")
	}
	s.begun = true
	s.rows = append(s.rows, s.m.rows[s.copied:]...)
	s.copied = len(s.m.rows)
	s.fixed = len(s.rows)
}

// provisional draws what is not finished, on a copy of the machine.
func (s *Stream) provisional(partial string) {
	if len(partial) > maxShown {
		partial = partial[:cutAt(partial, maxShown)]
	}
	m := s.m.fork()
	gap := !s.begun && s.fixed > 0
	add := func(rows []string) {
		if len(rows) > 0 && gap {
			s.rows = append(s.rows, "")
		}
		s.rows = append(s.rows, rows...)
	}
	switch {
	case partial == "":
	case s.part && m.leaf == para:
		m.text = append(m.text, partial...)
	case s.part && m.leaf != none:
		m.codeLine(partial)
	case m.leaf == fenced && mayCloseFence(partial, m.fence.ch):
	case !m.line(partial):
		m.end()
		add(m.taken())
		gap = gap || s.begun || len(m.rows) > 0
		m = s.machine()
		m.dry = true
		m.line(partial)
	}
	m.open = true
	m.end()
	add(m.taken())
}

// fork returns a copy that may read on and be thrown away.
func (m *machine) fork() machine {
	c := *m
	c.frames = append([]frame(nil), m.frames...)
	c.text = append([]byte(nil), m.text...)
	// The rows before are not needed, but that there are some is.
	c.rows, c.skip = nil, 0
	if len(m.rows) > 0 {
		c.rows, c.skip = []string{""}, 1
	}
	c.dry = true
	return c
}

// taken returns the rows drawn since fork.
func (m *machine) taken() []string { return m.rows[m.skip:] }
