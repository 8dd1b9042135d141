package search

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
)

// Mode is what Grep tells of each file.
type Mode uint8

// The modes.
const (
	Lines Mode = iota // the matching lines, with context
	Files             // only that there is a match
	Count             // how many lines match, without a limit on the count
)

// Query is what to look for.
type Query struct {
	Pattern    string // RE2, matched within one line; ^ and $ are the line's ends
	Literal    bool   // Pattern is the text itself
	IgnoreCase bool
	Mode       Mode
	Context    int // lines shown before and after each match
	Limit      int // most matches told (Files and Count: most files); <= 0: 100
	Columns    int // most characters told of a line; <= 0: 300
}

// The limits of a Query that sets none, those of other agents.
const (
	DefaultLimit   = 100
	DefaultColumns = 300
)

// Hits is what Grep found, in the order of paths: folder by folder, names sorted
// by their bytes. That order depends on the tree alone, so the same search gives
// the same answer, and a search may stop as soon as the first Limit are known.
type Hits struct {
	Files   []FileHits
	Matches int  // lines that match; where More is set and Mode is not Count, only those told
	Matched int  // files that match, with the same restriction
	More    bool // the limit left matches out
	Single  bool // Scope.Root is a file, and so the only one searched
	Stats   Stats
}

// FileHits is what one file holds.
type FileHits struct {
	Path  string // relative to Scope.Root with slashes; the base name if Root is the file
	Count int    // lines that match
	Lines []Line
}

// Line is one line told. Between lines that do not follow each other something
// was left out.
type Line struct {
	N     int // from 1
	Text  string
	Match bool // false: context
}

// Check says what is wrong with the pattern, before anything is searched: a
// *PatternError, or nil.
func (q Query) Check() error {
	_, err := newPattern(q)
	return err
}

// Grep looks for q in the files of s. Files that hold bytes instead of text (a
// NUL in the first 8 KiB) and links are passed over; UTF-16 with a byte order
// mark is decoded. The error is a *PatternError, one of s, or ctx's.
func Grep(ctx context.Context, s Scope, q Query) (Hits, error) {
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	if q.Columns <= 0 {
		q.Columns = DefaultColumns
	}
	p, err := newPattern(q)
	if err != nil {
		return Hits{}, err
	}
	m, err := newMatcher(s.Include, s.Exclude)
	if err != nil {
		return Hits{}, err
	}
	s, file, err := s.resolve()
	if err != nil {
		return Hits{}, err
	}
	if file != "" {
		return grepFile(ctx, s, file, q, p)
	}
	w, err := newWalker(s)
	if err != nil {
		return Hits{}, err
	}
	g := &grep{walker: w, query: q}
	scanners := make([]*scanner, s.Workers)
	for k := range scanners {
		scanners[k] = newScanner(&w.halt, p, q)
	}
	w.run = func(k int, d *dir, n *node) {
		g.run(scanners[k], d, n, &m)
	}
	if err := w.walk(ctx); err != nil {
		return Hits{}, err
	}
	hits := Hits{Stats: w.stats, Matches: g.matches, Matched: g.matched}
	for _, sc := range scanners {
		hits.Stats.add(&sc.stats)
	}
	hits.take(w.root, q)
	return hits, nil
}

func grepFile(ctx context.Context, s Scope, name string, q Query, p *pattern) (Hits, error) {
	path := s.Root
	t, err := s.openRoot(filepath.Dir(path))
	if err != nil {
		return Hits{}, fmt.Errorf("search %s: %w", path, cause(err))
	}
	defer t.close()
	d, err := t.open("")
	if err != nil {
		return Hits{}, fmt.Errorf("search %s: %w", path, cause(err))
	}
	defer d.close()
	var halt atomic.Bool
	defer context.AfterFunc(ctx, func() { halt.Store(true) })()
	sc := newScanner(&halt, p, q)
	n := &node{}
	if fh, ok := sc.file(d, name); ok {
		fh.Path = name
		n.hits = []FileHits{fh}
	}
	if err := ctx.Err(); err != nil {
		return Hits{}, err
	}
	if sc.stats.Unreadable > 0 {
		return Hits{}, fmt.Errorf("search %s: the file cannot be read", path)
	}
	hits := Hits{Stats: sc.stats, Single: true}
	for _, fh := range n.hits {
		hits.Matches, hits.Matched = fh.Count, 1
	}
	hits.take(n, q)
	return hits, nil
}

// A grep is one search of a tree.
type grep struct {
	*walker
	query Query

	// guarded by walker.mu
	rows             int // rows found, some of which may be dropped again
	matches, matched int
}

// run searches the files of one run and hangs what they hold on the node.
func (g *grep) run(sc *scanner, d *dir, n *node, m *matcher) {
	prefix := n.path
	if prefix != "" {
		prefix += "/"
	}
	var hits []FileHits
	rows, matches := 0, 0
	for _, e := range n.files {
		if n.dead.Load() || g.halt.Load() {
			return
		}
		if e.kind != kindFile || !m.match(prefix, e.name) || g.hides(prefix, e.name) {
			continue
		}
		fh, ok := sc.file(d, e.name)
		if !ok {
			continue
		}
		fh.Path = prefix + e.name
		hits = append(hits, fh)
		matches += fh.Count
		rows += rowsOf(&fh, g.query.Mode)
		if rows > g.query.Limit && g.query.Mode != Count {
			break // nothing after these can be told
		}
	}
	n.files = nil
	if hits == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	n.hits = hits
	g.matches += matches
	g.matched += len(hits)
	g.rows += rows
	if g.rows > g.query.Limit {
		g.prune()
	}
}

func rowsOf(fh *FileHits, m Mode) int {
	if m == Lines {
		return fh.Count
	}
	return 1
}

// prune drops what lies behind the first Limit+1 rows known so far: rows still
// to come can only push it further back. What was not searched yet and lies
// there is not searched at all, except to be counted. The caller holds mu.
func (g *grep) prune() {
	left := g.query.Limit + 1
	g.rows = 0
	var visit func(n *node)
	visit = func(n *node) {
		if left <= 0 {
			if g.query.Mode != Count {
				n.dead.Store(true)
			}
			n.hits = nil
			for _, kid := range n.kids {
				visit(kid)
			}
			return
		}
		for i := range n.hits {
			if left <= 0 {
				n.hits = n.hits[:i:i]
				break
			}
			rows := rowsOf(&n.hits[i], g.query.Mode)
			g.rows += rows
			left -= rows
		}
		for i, kid := range n.kids {
			visit(kid)
			if left <= 0 && g.query.Mode != Count {
				for _, later := range n.kids[i+1:] {
					bury(later)
				}
				n.kids = n.kids[: i+1 : i+1]
				break
			}
		}
	}
	visit(g.root)
}

// bury marks all under n as not needed.
func bury(n *node) {
	n.dead.Store(true)
	n.hits = nil
	for _, kid := range n.kids {
		bury(kid)
	}
}

// take copies the results under n in order, as many as the limit allows.
func (h *Hits) take(n *node, q Query) {
	left := q.Limit
	told, files := 0, 0
	var visit func(n *node)
	visit = func(n *node) {
		for i := range n.hits {
			fh := n.hits[i]
			rows := rowsOf(&fh, q.Mode)
			if left == 0 {
				h.More = true
				return
			}
			if rows > left {
				fh.keep(left)
				rows = left
				h.More = true
			}
			left -= rows
			told += fh.Count
			files++
			h.Files = append(h.Files, fh)
		}
		for _, kid := range n.kids {
			visit(kid)
		}
	}
	visit(n)
	if h.More && q.Mode != Count {
		h.Matches, h.Matched = told, files
	}
}

// keep cuts the file's lines behind its n-th match.
func (f *FileHits) keep(n int) {
	f.Count = n
	for i := range f.Lines {
		if !f.Lines[i].Match {
			continue
		}
		if n--; n == 0 {
			f.Lines = f.Lines[:i+1]
			return
		}
	}
}
