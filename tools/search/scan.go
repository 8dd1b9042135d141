package search

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync/atomic"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	firstBuffer = 256 << 10
	// maxBuffer is how much of a file is held at once; a longer file is searched
	// piece by piece, so memory does not grow with files.
	maxBuffer = 16 << 20
	// binaryProbe is how many bytes decide whether a file is text.
	binaryProbe = 8 << 10
)

// A scanner searches files one after another for one worker.
type scanner struct {
	halt  *atomic.Bool // give up
	p     *pattern
	q     Query
	buf   []byte
	max   int // maxBuffer; tests make it small
	cur   cursor
	dfa   *dfa // nil: only regexp
	stats Stats
	grown bool // buf was made for a long file and is given back after it
}

func newScanner(halt *atomic.Bool, p *pattern, q Query) *scanner {
	sc := &scanner{halt: halt, p: p, q: q, buf: make([]byte, firstBuffer), max: maxBuffer}
	if !p.pure {
		sc.dfa = newDFA(p.prog)
	}
	return sc
}

// file searches one file of d; false: nothing found.
func (sc *scanner) file(d *dir, name string) (FileHits, bool) {
	f, err := d.openFile(name)
	if err != nil {
		sc.stats.Unreadable++
		return FileHits{}, false
	}
	defer f.close()
	t := &text{scanner: sc, line: 1, emittedLine: 1}
	text, err := t.search(f)
	switch {
	case err != nil:
		sc.stats.Unreadable++
		return FileHits{}, false
	case !text:
		sc.stats.Binary++
		return FileHits{}, false
	}
	sc.stats.Files++
	return FileHits{Count: t.count, Lines: t.lines}, t.count > 0
}

// A text is one file being searched. Offsets are into the buffer's current piece.
type text struct {
	*scanner
	count int
	lines []Line

	counted int // line is the number of the line at this offset
	line    int

	emitted     int // lines before this offset were told or will not be
	emittedLine int
	after       int // lines of context still owed behind the last match
}

// search goes through f piece by piece; false: it is not text.
func (t *text) search(f file) (isText bool, err error) {
	b := t.buf
	n := 0    // bytes in b
	from := 0 // where the part not searched yet begins
	first := true
	if t.grown {
		t.scanner.buf, t.scanner.grown = make([]byte, firstBuffer), false
		b = t.buf
	}
	for {
		eof := false
		for n < len(b) {
			k, err := f.Read(b[n:])
			n += k
			if err == io.EOF {
				eof = true
				break
			}
			if err != nil {
				return true, err
			}
			if first && n >= 4 {
				break
			}
		}
		if first {
			first = false
			switch {
			case n >= 2 && (b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff):
				return t.utf16(f, b[:n])
			case bytes.IndexByte(b[:min(n, binaryProbe)], 0) >= 0:
				return false, nil
			case bytes.HasPrefix(b[:n], []byte("\xef\xbb\xbf")):
				from, t.counted, t.emitted = 3, 3, 3
			}
			if !eof {
				continue
			}
		}
		if !eof && len(b) < t.max {
			grown := make([]byte, min(t.max, 4*len(b)))
			copy(grown, b[:n])
			b = grown
			t.scanner.buf, t.scanner.grown = b, true
			continue
		}
		// The end of the lines that are whole. A line longer than the buffer is cut:
		// what is found in its later parts is told under its number too.
		end := n
		if !eof {
			if i := bytes.LastIndexByte(b[from:n], '\n'); i >= 0 {
				end = from + i + 1
			}
		}
		if t.scan(b[:end], from) || eof || t.halt.Load() {
			return true, nil
		}
		// keep the lines that a match in the next piece may want as context
		kept := t.keepFrom(b[:end])
		n = copy(b, b[kept:n])
		from = end - kept
		t.counted -= kept
		t.emitted = max(0, t.emitted-kept)
	}
}

// keepFrom is where the last Context lines of b begin, at most half a buffer
// back; all of b before it is numbered.
func (t *text) keepFrom(b []byte) int {
	at := len(b)
	for range t.q.Context {
		if at == 0 {
			break
		}
		at = bytes.LastIndexByte(b[:at-1], '\n') + 1
	}
	at = max(at, len(b)-t.max/2)
	t.number(b, len(b))
	if t.emitted < at {
		t.emittedLine += bytes.Count(b[t.emitted:at], newline)
		t.emitted = at
	}
	return at
}

var newline = []byte{'\n'}

// number brings line up to offset i.
func (t *text) number(b []byte, i int) int {
	if i > t.counted {
		t.line += bytes.Count(b[t.counted:i], newline)
		t.counted = i
	}
	return t.line
}

// scan searches the lines of b from offset from on; true: no more is wanted.
func (t *text) scan(b []byte, from int) (done bool) {
	p := t.p
	literal := len(p.needles) > 0 && !(p.exotic && hasExotic(b[from:]))
	if literal {
		t.cur.reset(p, b)
	}
	for i := from; i < len(b); {
		at, sure := 0, false // where a line that matches is, or may be
		switch {
		case literal:
			at, sure = t.cur.next(i), p.pure
		case t.dfa.usable():
			at, sure = t.dfa.find(b, i)
		default:
			at, sure = t.first(b, i), true
		}
		if at < 0 {
			break
		}
		start := i + bytes.LastIndexByte(b[i:at], '\n') + 1
		end := len(b)
		if k := bytes.IndexByte(b[at:], '\n'); k >= 0 {
			end = at + k
		}
		if sure || t.matches(b[start:end]) {
			t.hit(b, start, end)
			if t.q.Mode == Files || t.q.Mode == Lines && t.count > t.q.Limit {
				return true
			}
		}
		i = end + 1
	}
	t.owed(b, len(b))
	return false
}

// first asks the expression for the first match at or after i; -1: none.
func (t *text) first(b []byte, i int) int {
	loc := t.p.re.FindIndex(b[i:])
	if loc == nil {
		return -1
	}
	if at := i + loc[0]; at < len(b) || at == 0 || b[at-1] != '\n' {
		return at
	}
	return -1 // behind the last line break is no line
}

// matches asks about one line without its line break.
func (sc *scanner) matches(line []byte) bool {
	if sc.dfa.usable() {
		if match, ok := sc.dfa.line(line); ok {
			return match
		}
	}
	return sc.p.re.Match(line)
}

// hit tells the line b[start:end] and the context before it.
func (t *text) hit(b []byte, start, end int) {
	t.count++
	if t.q.Mode != Lines {
		return
	}
	n := t.number(b, start)
	if t.q.Context > 0 {
		t.owed(b, start)
		at, back := start, 0
		for back < t.q.Context && at > t.emitted {
			at = max(t.emitted, bytes.LastIndexByte(b[:at-1], '\n')+1)
			back++
		}
		for at < start {
			stop := at + bytes.IndexByte(b[at:], '\n')
			t.tell(n-back, b[at:stop], false)
			at = stop + 1
			back--
		}
		t.after = t.q.Context
	}
	t.tell(n, b[start:end], true)
	t.emitted, t.emittedLine = min(len(b), end+1), n+1
}

// owed tells the context behind the last match, up to offset to.
func (t *text) owed(b []byte, to int) {
	for t.after > 0 && t.emitted < to {
		stop := len(b)
		if k := bytes.IndexByte(b[t.emitted:], '\n'); k >= 0 {
			stop = t.emitted + k
		}
		t.tell(t.emittedLine, b[t.emitted:stop], false)
		t.emitted = min(len(b), stop+1)
		t.emittedLine++
		t.after--
	}
}

func (t *text) tell(n int, line []byte, match bool) {
	t.lines = append(t.lines, Line{N: n, Text: t.p.clip(line, t.q.Columns, match), Match: match})
}

// utf16 searches a file whose byte order mark says that it is UTF-16. head is
// what was read of it.
func (t *text) utf16(f file, head []byte) (isText bool, err error) {
	var order binary.ByteOrder = binary.LittleEndian
	if head[0] == 0xfe {
		order = binary.BigEndian
	}
	rest, err := io.ReadAll(io.LimitReader(f, int64(t.max)+1))
	if err != nil {
		return true, err
	}
	raw := append(bytes.Clone(head[2:]), rest...)
	if len(raw) > t.max {
		return false, nil // too long to decode; no source is
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i+1 < len(raw); i += 2 {
		r := rune(order.Uint16(raw[i:]))
		if utf16.IsSurrogate(r) && i+3 < len(raw) {
			if both := utf16.DecodeRune(r, rune(order.Uint16(raw[i+2:]))); both != utf8.RuneError {
				r = both
				i += 2
			}
		}
		out = utf8.AppendRune(out, r)
	}
	t.scan(out, 0)
	return true, nil
}
