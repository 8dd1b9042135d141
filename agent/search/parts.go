package search

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"hash/fnv"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"forge/agent/session"
	"forge/lazy"
	"forge/swap"
)

// parts is the index of one session: for each part of it, some lines that follow
// each other, which grams stand in it. A gram has three rows, and each of them a bit
// for each part that holds the gram, or another one of that row.
type parts struct {
	size, mtime int64 // of the session when it was indexed
	upTo        int64 // bytes of it that are covered
	head        uint64
	bits        uint32 // log2 of the rows
	spans       [][2]int64
	rows        []byte
	words       lexicon
	buf         *[]byte // what rows and words lie in, to be used again; may be nil
}

const (
	indexExt   = ".idx"
	sessionExt = ".jsonl"
	magic      = "FORGEIX3"
	partBytes  = 32 << 10 // text of a part
	mostBits   = 16
	headBytes  = 256
)

var castagnoli = lazy.Value[*crc32.Table]{Of: func() *crc32.Table {
	return crc32.MakeTable(crc32.Castagnoli)
}}

func (p *parts) stride() int { return (len(p.spans) + 7) / 8 }

// may returns the parts that hold every gram of word; all of them for none.
func (p *parts) may(word string) []byte {
	out := make([]byte, p.stride())
	for i := range out {
		out[i] = 0xff
	}
	for _, g := range gramsOf(word) {
		p.and(g, out)
	}
	return out
}

// and keeps in some the parts that may hold a gram.
func (p *parts) and(g gram, some []byte) {
	n := p.stride()
	for _, h := range g.rows(p.bits) {
		row := p.rows[h*n:][:n]
		for j := range some {
			some[j] &= row[j]
		}
	}
}

// share drops from some the parts that hold too few of a word's trigrams: each
// letter that is another spoils three of them, and a swap of two spoils four.
func (p *parts) share(w word, some []byte) {
	each := 4
	if len([]rune(w.text)) < len(w.text) {
		each = 7 // a letter has up to four bytes
	}
	need := len(w.text) - 2 - each*w.edits
	if need <= 1 {
		return
	}
	have, one := make([]int, len(p.spans)), make([]byte, p.stride())
	for _, g := range gramsOf(w.text) {
		for j := range one {
			one[j] = 0xff
		}
		p.and(g, one)
		for j := range have {
			have[j] += int(one[j>>3] >> (j & 7) & 1)
		}
	}
	for j, h := range have {
		if h < need {
			some[j>>3] &^= 1 << (j & 7)
		}
	}
}

// parts returns the index of a session, made or added to where it is not what the
// session is now.
func (x Index) parts(f file) (*parts, error) {
	size, mtime := f.info.Size(), f.info.ModTime().UnixNano()
	name := ""
	var old *parts
	if x.Dir != "" {
		name = x.name(f.path)
		old = load(name)
	}
	if old != nil && old.size == size && old.mtime == mtime {
		return old, nil
	}
	p, err := build(f.path, old)
	if old != nil {
		old.release()
	}
	if err != nil {
		return nil, err
	}
	p.size, p.mtime = size, mtime
	if name != "" {
		_ = swap.Write(name, p.encode(), 0o600, swap.Quick) // where it cannot be kept it is made again next time
	}
	return p, nil
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// room is b with n bytes, whatever is in them.
func room(b []byte, n int) []byte { return slices.Grow(b[:0], n)[:n] }

// release gives back what the index was read into.
func (p *parts) release() {
	if p.buf != nil {
		buffers.Put(p.buf)
		p.buf, p.rows, p.words = nil, nil, lexicon{}
	}
}

// load reads an index; nil where there is none that can be trusted.
func load(name string) *parts {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	buf := buffers.Get().(*[]byte)
	*buf = room(*buf, int(fi.Size()))
	if _, err := io.ReadFull(f, *buf); err == nil {
		if p, err := decode(*buf); err == nil {
			p.buf = buf
			return p
		}
	}
	buffers.Put(buf)
	return nil
}

// build indexes a session; what of old still holds is kept.
func build(path string, old *parts) (*parts, error) {
	head, size, err := headOf(path)
	if err != nil {
		return nil, err
	}
	p := &parts{head: head, bits: mostBits}
	if old != nil && old.bits == mostBits && old.head == head && old.upTo <= size && len(old.spans) > 1 {
		keep := len(old.spans) - 1 // the last may have room yet
		p.spans = append(p.spans, old.spans[:keep]...)
		p.upTo = old.spans[keep][0]
	} else {
		old = nil
	}
	words := vocabulary{}
	if old != nil {
		words.keep(old.words)
	}
	var sets []*set
	var now adder
	text := 0
	_, err = session.LinesFrom(path, p.upTo, func(line []byte, at int64) bool {
		end := at + int64(len(line))
		// No part has a line inside that is too long to be read: a part is read whole.
		if now.to == nil || text >= partBytes || at-p.upTo > partBytes {
			now, text = adder{to: new(set)}, 0
			sets = append(sets, now.to)
			p.spans = append(p.spans, [2]int64{at, end})
		}
		p.spans[len(p.spans)-1][1] = end
		if r, err := session.Parse(line); err == nil {
			for _, piece := range pieces(r) {
				s := strings.ToLower(piece.text)
				now.add(s)
				words.add(s)
				text += len(s)
			}
		}
		p.upTo = end
		return true
	})
	if err != nil {
		return nil, err
	}
	p.words = words.lexicon()
	p.fill(old, sets)
	return p, nil
}

// fill writes the rows: those of the parts that were kept, then those of sets.
func (p *parts) fill(old *parts, sets []*set) {
	if old == nil && len(sets) <= 1 { // a short session takes little room
		n := 0
		for _, s := range sets {
			for _, b := range s {
				for ; b != 0; b &= b - 1 {
					n++
				}
			}
		}
		for p.bits = 8; p.bits < mostBits && 1<<p.bits < 3*n; p.bits++ {
		}
	}
	n, mask := p.stride(), 1<<p.bits-1
	p.rows = make([]byte, n<<p.bits)
	first := len(p.spans) - len(sets)
	if old != nil {
		was := old.stride()
		for r := range 1 << p.bits {
			row := p.rows[r*n : r*n+n]
			copy(row, old.rows[r*was:r*was+was])
			row[first>>3] &= 1<<(first&7) - 1 // of the part that is read anew
		}
	}
	for i, s := range sets {
		at, bit := (first+i)>>3, byte(1)<<((first+i)&7)
		for j, b := range s {
			for k := 0; b != 0; k, b = k+1, b>>1 {
				if b&1 != 0 {
					p.rows[((j<<3|k)&mask)*n+at] |= bit
				}
			}
		}
	}
}

// headOf tells a session that grew from another one of its name.
func headOf(path string) (uint64, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	b := make([]byte, headBytes)
	n, err := f.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return 0, 0, err
	}
	b = b[:n]
	if i := strings.IndexByte(string(b), '\n'); i >= 0 {
		b = b[:i]
	}
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64(), fi.Size(), nil
}

func (p *parts) encode() []byte {
	b := make([]byte, len(magic)+4, len(magic)+64+16*len(p.spans)+p.words.size()+len(p.rows))
	copy(b, magic)
	le := binary.LittleEndian
	for _, v := range []uint64{uint64(p.size), uint64(p.mtime), uint64(p.upTo), p.head, uint64(p.bits), uint64(len(p.spans))} {
		b = le.AppendUint64(b, v)
	}
	for _, s := range p.spans {
		b = le.AppendUint64(le.AppendUint64(b, uint64(s[0])), uint64(s[1]))
	}
	b = append(p.words.append(b), p.rows...)
	le.PutUint32(b[len(magic):], crc32.Checksum(b[len(magic)+4:], castagnoli.Get()))
	return b
}

var errBroken = errors.New("search: the index is broken")

// decode reads an index, or says that it cannot be trusted.
func decode(b []byte) (*parts, error) {
	le := binary.LittleEndian
	const fixed = len(magic) + 4 + 6*8
	if len(b) < fixed || string(b[:len(magic)]) != magic || le.Uint32(b[len(magic):]) != crc32.Checksum(b[len(magic)+4:], castagnoli.Get()) {
		return nil, errBroken
	}
	field := func(i int) uint64 { return le.Uint64(b[len(magic)+4+8*i:]) }
	p := &parts{size: int64(field(0)), mtime: int64(field(1)), upTo: int64(field(2)), head: field(3), bits: uint32(field(4))}
	n := field(5)
	rest := b[fixed:]
	if p.bits > mostBits || n > uint64(len(rest)/16) {
		return nil, errBroken
	}
	p.spans = make([][2]int64, n)
	for i := range p.spans {
		p.spans[i] = [2]int64{int64(le.Uint64(rest)), int64(le.Uint64(rest[8:]))}
		rest = rest[16:]
	}
	var err error
	if p.words, rest, err = readLexicon(rest); err != nil || len(rest) != p.stride()<<p.bits {
		return nil, errBroken
	}
	p.rows = rest
	return p, nil
}
