package markdown

import (
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"forge/ui/theme"
)

// Rendered is finished work of Pending, for Apply.
type Rendered struct {
	gen   int
	first []int // indexes of blocks
	rows  [][]string
}

type job struct {
	index int
	src   string
	refs  int // definitions before it
}

// Pending returns work that makes finished blocks' rows final, or nil if there
// is none or some is under way. The work may run on any goroutine and touches
// nothing of the Stream; give what it returns to Apply. Ask again after that.
func (s *Stream) Pending() func() Rendered { return s.PendingIn(0, math.MaxInt) }

// PendingIn is Pending for the blocks that have rows between from (included) and
// to (excluded): of a long message only what is looked at needs to be final.
func (s *Stream) PendingIn(from, to int) func() Rendered {
	if s.busy || s.w == 0 {
		return nil
	}
	text := s.text.String()
	var jobs []job
	size := 0
	first := sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].at+len(s.blocks[i].rows) > from })
	for i := first; i < len(s.blocks) && s.blocks[i].at < to; i++ {
		b := &s.blocks[i]
		if b.status != cheap {
			continue
		}
		if size += b.to - b.from; size > jobSize && len(jobs) > 0 {
			break
		}
		b.status = asked
		jobs = append(jobs, job{i, text[b.from:b.to], b.refs})
	}
	if len(jobs) == 0 {
		return nil
	}
	s.busy = true
	rs := refs{table: maps.Clone(s.refs.table)}
	th, w, gen := s.th, s.w, s.gen
	return func() Rendered {
		r := Rendered{gen: gen}
		e := newEngine()
		for _, j := range jobs {
			r.first = append(r.first, j.index)
			rs.most = j.refs
			r.rows = append(r.rows, tryBlock(th, w, j.src, rs, e))
		}
		return r
	}
}

// tryBlock is renderBlock, or nil if the parser below panics on the block: its
// cheap rows are then good enough.
func tryBlock(th *theme.Theme, w int, src string, rs refs, e *engine) (rows []string) {
	defer func() {
		if recover() != nil {
			rows = nil
		}
	}()
	return renderBlock(th, w, src, rs, e.read)
}

// renderBlock draws one whole block.
func renderBlock(th *theme.Theme, w int, src string, rs refs, read prose) []string {
	var rows []string
	fresh := func() machine { return machine{th: th, w: w, read: read, refs: rs, dry: true, final: true} }
	m := fresh()
	take := func() {
		m.end()
		if len(rows) > 0 && len(m.rows) > 0 {
			rows = append(rows, "")
		}
		rows, rs = append(rows, m.rows...), m.refs
		m = fresh()
	}
	for src != "" {
		line, rest, _ := strings.Cut(src, "\n")
		if !m.line(line) {
			take()
			m.line(line)
		}
		if m.done {
			take()
		}
		src = rest
	}
	take()
	return rows
}

// Apply takes finished work and reports whether rows changed. Work that was
// begun before the width or the theme changed is of no use and ignored.
func (s *Stream) Apply(r Rendered) bool {
	if r.gen != s.gen || !s.busy {
		return false
	}
	s.busy = false
	changed := -1
	for k, i := range r.first {
		if i >= len(s.blocks) {
			continue
		}
		b := &s.blocks[i]
		if b.status == asked {
			b.status = settled
		}
		if r.rows[k] == nil || slices.Equal(b.rows, r.rows[k]) {
			continue
		}
		b.rows = r.rows[k]
		if changed < 0 {
			changed = i
		}
	}
	if changed < 0 {
		return false
	}
	// Rows from the first changed block on are placed anew; the open block's
	// come back with the next Rows.
	open := append([]string(nil), s.m.rows[:s.copied]...)
	s.rows = append([]string(nil), s.rows[:s.blocks[changed].at]...)
	for i := changed; i < len(s.blocks); i++ {
		b := &s.blocks[i]
		if i > changed && len(s.rows) > 0 {
			s.rows = append(s.rows, "")
		}
		b.at = len(s.rows)
		s.rows = append(s.rows, b.rows...)
	}
	if s.begun {
		s.rows = append(s.rows, "")
		s.rows = append(s.rows, open...)
	}
	s.fixed = len(s.rows)
	s.fresh = false
	return true
}

// Settled reports whether every finished block has its final rows.
func (s *Stream) Settled() bool {
	if s.busy {
		return false
	}
	for i := range s.blocks {
		if s.blocks[i].status != settled {
			return false
		}
	}
	return true
}

// Render draws a whole message in its final form. It is for places without a
// loop, and reads all of it: do not call it on the UI goroutine.
func Render(th *theme.Theme, width int, text string) []string {
	s := New(th)
	s.Append(text)
	s.Close()
	s.Rows(width)
	for work := s.Pending(); work != nil; work = s.Pending() {
		s.Apply(work())
	}
	return s.Rows(width)
}
