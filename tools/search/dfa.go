package search

import (
	"encoding/binary"
	"regexp/syntax"
)

// A dfa answers one question about lines of ASCII, much faster than regexp does:
// does the pattern match anywhere in the line? Its states are made as texts ask
// for them. A line with other bytes is left to regexp. It belongs to one worker.
type dfa struct {
	prog   *syntax.Prog
	table  []int32 // for each state, where each of 128 bytes leads: a state's offset, or one of below
	states []dstate
	index  map[string]int32
	resets int
	key    []byte
	seen   []uint32 // per instruction: the round it was last added in
	round  uint32
	stack  []uint32
}

// A dstate is a set of places in the program, before any condition on what
// stands around them was looked at, and what stood before.
type dstate struct {
	insts []uint32
	begin bool // at the begin of a line
	word  bool // behind a word character
}

const (
	toUnknown int32 = -1
	toMatch   int32 = -2

	width       = 128
	maxProgram  = 3000 // instructions; a longer program has too many states to be worth it
	maxStates   = 4000 // then all are thrown away
	maxDFAReset = 8    // then the pattern is left to regexp
)

// newDFA gives nil where the program is too large.
func newDFA(prog *syntax.Prog) *dfa {
	if len(prog.Inst) > maxProgram {
		return nil
	}
	d := &dfa{prog: prog, seen: make([]uint32, len(prog.Inst))}
	d.reset()
	return d
}

func (d *dfa) reset() {
	d.table, d.states = d.table[:0], d.states[:0]
	d.index = map[string]int32{}
	d.state(dstate{insts: []uint32{uint32(d.prog.Start)}, begin: true})
}

// usable says whether the states still fit.
func (d *dfa) usable() bool { return d != nil && d.resets < maxDFAReset }

// line says whether the pattern matches in the line b (which ends where b ends);
// ok is false if b is not ASCII or the states did not fit.
func (d *dfa) line(b []byte) (match, ok bool) {
	s := int32(0)
	for _, c := range b {
		if c >= width {
			return false, false
		}
		next := d.table[s+int32(c)]
		if next < 0 {
			if next == toUnknown {
				if next = d.step(s, c); next == toUnknown {
					return false, false
				}
			}
			if next == toMatch {
				return true, true
			}
		}
		s = next
	}
	return d.atEnd(s)
}

// find finds a place in the first line of b, from the begin of a line at i on,
// where the pattern matches or where regexp must decide; -1: in none. sure is
// false for the latter.
func (d *dfa) find(b []byte, i int) (at int, sure bool) {
	s := int32(0)
	for ; i < len(b); i++ {
		c := b[i]
		if c >= width {
			return i, false
		}
		next := d.table[s+int32(c)]
		if next < 0 {
			if next == toUnknown {
				if next = d.step(s, c); next == toUnknown {
					return i, false
				}
			}
			if next == toMatch {
				return i, true
			}
		}
		s = next
	}
	if len(b) > 0 && b[len(b)-1] != '\n' {
		if match, ok := d.atEnd(s); match || !ok {
			return len(b) - 1, ok
		}
	}
	return -1, true
}

// atEnd says whether the end of the text, which ends a line, makes a match.
func (d *dfa) atEnd(s int32) (match, ok bool) {
	next := d.table[s+'\n']
	if next == toUnknown {
		next = d.step(s, '\n')
	}
	return next == toMatch, next != toUnknown
}

// step works out where state s goes on c and writes it into the table. A line
// break leads back to the start. toUnknown: the states were thrown away.
func (d *dfa) step(s int32, c byte) int32 {
	from := d.states[s/width]
	var flags syntax.EmptyOp
	if from.begin {
		flags |= syntax.EmptyBeginLine
	}
	if c == '\n' {
		flags |= syntax.EmptyEndLine
	}
	word := c != '\n' && syntax.IsWordChar(rune(c))
	if word != from.word {
		flags |= syntax.EmptyWordBoundary
	} else {
		flags |= syntax.EmptyNoWordBoundary
	}
	next := dstate{word: word}
	match := false
	d.round++
	d.stack = d.stack[:0]
	for i := len(from.insts) - 1; i >= 0; i-- {
		d.stack = append(d.stack, from.insts[i])
	}
	var out []uint32
	for len(d.stack) > 0 && !match {
		pc := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if d.seen[pc] == d.round {
			continue
		}
		d.seen[pc] = d.round
		switch in := &d.prog.Inst[pc]; in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			d.stack = append(d.stack, in.Arg, in.Out)
		case syntax.InstCapture, syntax.InstNop:
			d.stack = append(d.stack, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^flags == 0 {
				d.stack = append(d.stack, in.Out)
			}
		case syntax.InstMatch:
			match = true
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if c != '\n' && in.MatchRune(rune(c)) {
				out = append(out, in.Out)
			}
		}
	}
	to := toMatch
	switch {
	case match:
	case c == '\n':
		to = 0
	default:
		// A match may begin anywhere: the start is always among the places.
		next.insts = append(out, uint32(d.prog.Start))
		if to = d.state(next); to == toUnknown {
			return to
		}
	}
	d.table[s+int32(c)] = to
	return to
}

// state finds or makes the state with these places; toUnknown: there were too
// many, and all are gone.
func (d *dfa) state(st dstate) int32 {
	st.insts = d.unique(st.insts)
	d.key = d.key[:0]
	d.key = append(d.key, bit(st.begin)|bit(st.word)<<1)
	for _, pc := range st.insts {
		d.key = binary.LittleEndian.AppendUint32(d.key, pc)
	}
	if at, ok := d.index[string(d.key)]; ok {
		return at
	}
	if len(d.states) >= maxStates {
		d.resets++
		d.reset()
		return toUnknown
	}
	at := int32(len(d.states)) * width
	d.states = append(d.states, st)
	d.index[string(d.key)] = at
	for range width {
		d.table = append(d.table, toUnknown)
	}
	return at
}

// unique drops what is in insts twice, in place.
func (d *dfa) unique(insts []uint32) []uint32 {
	d.round++
	n := 0
	for _, pc := range insts {
		if d.seen[pc] != d.round {
			d.seen[pc] = d.round
			insts[n] = pc
			n++
		}
	}
	return insts[:n]
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
