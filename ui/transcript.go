package ui

import (
	"slices"
	"time"

	"forge/ui/keymap"
	"forge/ui/reader"
	"forge/ui/theme"
)

// rowBudget bounds the rendered rows that are kept, in bytes of text. Raw text
// always stays; rows are made again when somebody scrolls back to them.
const rowBudget = 8 << 20

// pane is one thing in the transcript: a prompt, an answer, a call. The window
// asks for heights near what is visible only, so a pane may render lazily.
type pane interface {
	height(d *drawing) int
	// rows returns rows from (included) to (excluded) to.
	rows(d *drawing, from, to int) []string
	// tight panes stand under each other without a blank row.
	tight() bool
	// forget drops rendered rows; the next rows makes them again.
	forget() (bytes int)
	// used is the last frame that drew the pane.
	used() int
}

// drawing is what a pane is drawn with in one frame.
type drawing struct {
	w        int
	th       *theme.Theme
	keys     *keymap.Map // what hints name
	sends    bool        // a command that runs can be sent to the background
	terminal bool        // a command can be run on the person's terminal
	tmux     bool        // keys come through it
	still    bool        // nothing moves by itself
	expanded bool        // ctrl+o: nothing is folded
	// reasoning is how much of it is shown: one of reasonings; empty: a line.
	reasoning string
	brief     bool // the work of a turn is one row
	times     bool // when things were said is shown
	now       time.Time
	frame     int
	bytes     int // of rendered rows kept by all panes
}

// unfolds names the key that shows what is folded; nothing, where there is none.
func (d *drawing) unfolds() string {
	key := d.keys.First(keymap.Unfold)
	if key == "" {
		return ""
	}
	return " " + d.th.Glyphs.Sep + " " + key
}

// transcript is the conversation as it is shown: panes, and the window over
// them. The window is kept as the pane and row at its top; while it follows, it
// is measured from the end. Neither costs more when the conversation is long.
type transcript struct {
	d     drawing
	panes []pane
	h     int // of the last view

	follow  bool
	top     spot
	was     place     // of the top before the width or folding changed
	moved   bool      // they changed since the last view
	shown   []part    // by the last view
	rowless []rowless // of panes without rows, in their order
	fresh   bool      // something came below while the window stood still

	brief   bool          // as the person wants it: d.brief is that, where it can be
	flipped map[pane]bool // folded where the rest is not, or the other way
	focus   pane          // what the keys act on; nil: the prompt has them
	query   reader.Query  // painted wherever it stands
	at      hit           // the place of it that is looked at
	chosen  *choice       // by the mouse; nil: nothing is
}

// spot is a row of a pane; row 0 is the blank row before it, where it has one.
type spot struct{ pane, row int }

// place is a row of a pane that had a height. It is kept over several changes of
// the width, so that a window dragged smaller and larger ends where it began.
type place struct{ row, height int }

// part is the rows of a pane that a view showed.
type part struct {
	pane     pane
	at       int // where the pane stands
	from, to int
	y        int // the row of the view where from stands
}

func newTranscript(th *theme.Theme) *transcript {
	return &transcript{follow: true, h: 1, d: drawing{w: 80, th: th}}
}

// add appends panes.
func (t *transcript) add(ps ...pane) {
	t.panes = append(t.panes, ps...)
	t.changed()
}

// after puts panes behind another, which others may follow already.
func (t *transcript) after(p pane, ps []pane) {
	if len(ps) == 0 {
		return
	}
	at := len(t.panes)
	for i := len(t.panes) - 1; i >= 0; i-- {
		if t.panes[i] == p {
			at = i + 1
			break
		}
	}
	t.refold()
	t.panes = slices.Insert(t.panes, at, ps...)
	if t.top.pane >= at {
		t.top.pane += len(ps)
	}
	t.changed()
}

// changed notes that there is something new at the end.
func (t *transcript) changed() {
	if !t.follow {
		t.fresh = true
	}
}

// remove drops the panes for which void is true, from index on.
func (t *transcript) remove(from int, void func(pane) bool) {
	t.refold()
	kept := t.panes[:min(from, len(t.panes))]
	for i := from; i < len(t.panes); i++ {
		p := t.panes[i]
		if !void(p) {
			kept = append(kept, p)
			continue
		}
		t.d.bytes -= p.forget()
		delete(t.flipped, p)
		if t.focus == p {
			t.focus = nil
		}
		if i < t.top.pane {
			t.top.pane--
		} else if i == t.top.pane {
			t.top.row = 0
		}
		t.was = place{}
	}
	clear(t.panes[len(kept):])
	t.panes = kept
	if t.top.pane >= len(t.panes) {
		t.toEnd()
	}
}

// reshape is called before the width, theme or folding changes: the window then
// keeps to the same place of its top pane.
func (t *transcript) reshape(change func(d *drawing)) {
	if !t.follow && t.was.height == 0 && t.top.pane < len(t.panes) {
		t.was = place{t.top.row, t.height(t.top.pane)}
	}
	t.moved = true
	t.refold()
	change(&t.d)
}

// gap is the number of blank rows before a pane.
func (t *transcript) gap(i int) int {
	if i == 0 {
		return t.timeAbove()
	}
	if t.briefly() {
		return t.briefGap(i)
	}
	if t.panes[i].tight() && t.panes[i-1].tight() {
		return 0
	}
	if t.d.reasoning != reasonHidden {
		return 1
	}
	// What is not shown takes no blank row, and parts nothing.
	if t.tall(t.panes[i]) == 0 {
		return 0
	}
	for i--; i >= 0; i-- {
		if _, thinks := t.panes[i].(*thought); !thinks || t.tall(t.panes[i]) > 0 {
			return 1
		}
	}
	return 0
}

func (t *transcript) height(i int) int {
	if t.folded(t.panes[i]) {
		return 0
	}
	return t.gap(i) + t.tall(t.panes[i])
}

// tall is how many rows a pane has, folded as it is.
func (t *transcript) tall(p pane) int {
	if t.briefly() {
		if w, away := workOf(p); w != nil {
			return t.briefTall(p, w, away)
		}
	}
	return t.ownTall(p)
}

// cut returns some rows of a pane, folded as it is.
func (t *transcript) cut(p pane, from, to int) []string {
	if t.briefly() {
		if w, away := workOf(p); w != nil {
			return t.briefRows(p, w, away, from, to)
		}
	}
	return t.ownRows(p, from, to)
}

// ownTall and ownRows are the same where no work is folded into a row.
func (t *transcript) ownTall(p pane) int {
	defer t.folding(p)()
	return p.height(&t.d)
}

func (t *transcript) ownRows(p pane, from, to int) []string {
	defer t.folding(p)()
	return p.rows(&t.d, from, to)
}

// folding lets one pane be drawn with the folding it has of its own, until what is
// returned is called.
func (t *transcript) folding(p pane) func() {
	if !t.flipped[p] {
		return func() {}
	}
	t.d.expanded = !t.d.expanded
	return func() { t.d.expanded = !t.d.expanded }
}

// back returns the spot n rows above s, and how many rows there were.
func (t *transcript) back(s spot, n int) (spot, int) {
	moved := 0
	for moved < n {
		if s.row > 0 {
			by := min(s.row, n-moved)
			s.row -= by
			moved += by
			continue
		}
		if s.pane == 0 {
			break
		}
		if s.pane = t.shownBefore(s.pane); s.pane < 0 {
			return spot{}, moved
		}
		s.row = t.height(s.pane)
	}
	return s, moved
}

// forth returns the spot n rows below s, and how many rows there were.
func (t *transcript) forth(s spot, n int) (spot, int) {
	moved := 0
	for moved < n && s.pane < len(t.panes) {
		if at := t.shownFrom(s.pane); at > s.pane {
			s = spot{pane: at}
			continue
		}
		left := t.height(s.pane) - s.row
		if by := n - moved; by < left {
			s.row += by
			return s, n
		}
		moved += left
		s.pane++
		s.row = 0
	}
	return s, moved
}

// end is the spot behind the last row.
func (t *transcript) end() spot { return spot{pane: len(t.panes)} }

// settle puts the window where it belongs and returns its top.
func (t *transcript) settle() spot {
	if t.follow {
		top, _ := t.back(t.end(), t.h)
		return top
	}
	if t.top.pane >= len(t.panes) {
		t.toEnd()
		return t.settle()
	}
	now := t.height(t.top.pane)
	if t.moved && t.was.height > 0 {
		t.top.row = t.was.row * now / t.was.height
	}
	t.moved = false
	t.top.row = min(t.top.row, max(0, now-1))
	if _, n := t.forth(t.top, t.h+1); n <= t.h {
		t.toEnd() // the rest fits: there is nothing below to wait for
		return t.settle()
	}
	return t.top
}

// scroll moves the window by rows, down if positive.
func (t *transcript) scroll(by int) {
	top := t.settle()
	t.was = place{}
	if by < 0 {
		to, moved := t.back(top, -by)
		if moved == 0 {
			return
		}
		t.follow, t.top = false, to
		return
	}
	if !t.follow {
		t.top, _ = t.forth(top, by)
		t.settle()
	}
}

// toTop shows the beginning, toEnd the end, which is then followed.
func (t *transcript) toTop() {
	t.follow, t.top, t.was = false, spot{}, place{}
	t.settle()
}

func (t *transcript) toEnd() { t.follow, t.fresh, t.was = true, false, place{} }

// view returns exactly h rows; a short transcript stands at the top.
func (t *transcript) view(h int) []string {
	t.h = max(h, 1)
	t.d.frame++
	s := t.settle()
	out := make([]string, 0, t.h)
	clear(t.shown)
	t.shown = t.shown[:0]
	for ; s.pane < len(t.panes) && len(out) < t.h; s = (spot{s.pane + 1, 0}) {
		if at := t.shownFrom(s.pane); at > s.pane {
			if s = (spot{pane: at}); at == len(t.panes) {
				break
			}
		}
		gap, shown := t.gap(s.pane), 0
		if s.row < gap {
			out = append(out, "")
			s.row, shown = gap, 1
		}
		p := t.panes[s.pane]
		from := s.row - gap
		to := min(t.tall(p), from+t.h-len(out))
		t.shown = append(t.shown, part{p, s.pane, from, to, len(out)})
		if from < to {
			out = append(out, t.cut(p, from, to)...)
			t.decorate(p, from, out[len(out)-(to-from):])
			if from == 0 {
				t.stamp(p, out[len(out)-to-shown:], shown)
			}
		}
	}
	if len(out) > t.h {
		out = out[:t.h]
	}
	for len(out) < t.h {
		out = append(out, "")
	}
	t.trim()
	return out
}

// trim forgets the rows of panes that were not drawn lately, once all kept rows
// are over the budget.
func (t *transcript) trim() {
	if t.d.bytes <= rowBudget {
		return
	}
	for keep := 64; keep >= 0 && t.d.bytes > rowBudget; keep -= 32 {
		for _, p := range t.panes {
			if p.used() < t.d.frame-keep {
				t.d.bytes -= p.forget()
			}
		}
	}
}

// rowCache keeps the rows of a pane that is rendered as a whole.
type rowCache struct {
	list  []string
	bytes int
	key   rowKey
	frame int
}

// rowKey is everything rendered rows depend on.
type rowKey struct {
	w, version int
	th         *theme.Theme
	expanded   bool
	phase      int64 // of the clock, for a pane that shows time
}

// get returns the rows, made anew if anything they depend on changed.
func (c *rowCache) get(d *drawing, version int, phase int64, draw func() []string) []string {
	c.frame = d.frame
	key := rowKey{d.w, version, d.th, d.expanded, phase}
	if c.list != nil && c.key == key {
		return c.list
	}
	d.bytes -= c.bytes
	c.list, c.key, c.bytes = draw(), key, 0
	if c.list == nil {
		c.list = []string{}
	}
	for _, r := range c.list {
		c.bytes += len(r) + 16
	}
	d.bytes += c.bytes
	return c.list
}

func (c *rowCache) forget() int {
	n := c.bytes
	c.list, c.bytes = nil, 0
	return n
}

func (c *rowCache) used() int { return c.frame }

func clamp(rows []string, from, to int) []string {
	from, to = min(max(from, 0), len(rows)), min(max(to, 0), len(rows))
	return rows[from:max(from, to)]
}
