package ui

import (
	"strings"
	"time"

	"forge/ui/lang"
	"forge/ui/theme"
)

// thought is a model's reasoning: its last rows while it lasts, then one line;
// all of it while nothing is folded.
type thought struct {
	growing
	began time.Time
	took  time.Duration
	done  bool
	work  *deeds // what it is a part of
	fold  rowCache
}

func (p *thought) add(text string) { p.write(text) }

// end closes the reasoning; a zero time means that nobody knows how long it took.
func (p *thought) end(now time.Time) {
	if !p.done {
		p.done = true
		if !now.IsZero() && !p.began.IsZero() {
			p.took = now.Sub(p.began)
		}
	}
}

func (p *thought) tight() bool { return false }

func (p *thought) head(d *drawing) string {
	th := d.th
	switch {
	case !p.done:
		text := lang.T("thinking")
		if since := d.now.Sub(p.began); !p.began.IsZero() && since >= time.Second {
			text += " " + seconds(since.Truncate(time.Second))
		}
		return th.Muted.Apply(th.Glyphs.Think + " " + text)
	case p.took >= time.Second:
		return th.Muted.Apply(th.Glyphs.Think + " " + lang.T("thought for %s", seconds(p.took.Truncate(time.Second))))
	}
	return th.Muted.Apply(th.Glyphs.Think + " " + lang.T("thought"))
}

func (p *thought) folded(d *drawing) []string {
	phase := int64(0)
	if !p.done {
		phase = d.now.Unix()
	}
	version := p.text.Len() * 2
	if p.done {
		version++
	}
	return p.fold.get(d, version, phase, func() []string {
		rows := []string{p.head(d)}
		if !p.done {
			w := d.measure()
			rows = append(rows, indent(lastRows(p.text.String(), w, thoughtRows, d.th.Thinking), gutter)...)
		}
		return rows
	})
}

// open reports whether all of it is shown, gone whether nothing is.
func (p *thought) open(d *drawing) bool { return d.expanded || d.reasoning == reasonFull }
func (p *thought) gone(d *drawing) bool { return !d.expanded && d.reasoning == reasonHidden }

func (p *thought) height(d *drawing) int {
	if p.gone(d) {
		return 0
	}
	if !p.open(d) {
		return len(p.folded(d))
	}
	return 1 + len(p.wrapped(d, d.measure(), d.th.Thinking))
}

func (p *thought) rows(d *drawing, from, to int) []string {
	if p.gone(d) {
		return nil
	}
	if !p.open(d) {
		return clamp(p.folded(d), from, to)
	}
	var rows []string
	if from == 0 && to > 0 {
		rows = append(rows, p.head(d))
	}
	return append(rows, indent(clamp(p.wrapped(d, d.measure(), d.th.Thinking), from-1, to-1), gutter)...)
}

func (p *thought) forget() int { return p.fold.forget() + p.growing.forget() }
func (p *thought) used() int   { return max(p.fold.used(), p.frame) }

// growing is plain text that only grows, wrapped line by line: what is finished
// is wrapped once.
type growing struct {
	text   strings.Builder
	list   []string // rows of the finished lines, then of the open one
	closed int      // rows of finished lines
	upto   int      // bytes of finished lines
	seen   int      // bytes wrapped so far
	w      int
	th     *theme.Theme
	bytes  int
	frame  int
}

func (g *growing) write(s string) { g.text.WriteString(s) }

func (g *growing) wrapped(d *drawing, w int, style theme.Style) []string {
	g.frame = d.frame
	w = max(1, w)
	if g.w != w || g.th != d.th || g.list == nil {
		d.bytes -= g.forget()
		g.w, g.th = w, d.th
	}
	text := g.text.String()
	if g.seen == len(text) && g.list != nil {
		return g.list
	}
	d.bytes -= g.bytes
	for _, r := range g.list[g.closed:] {
		g.bytes -= len(r) + 16
	}
	g.list = g.list[:g.closed]
	push := func(s string) {
		for _, r := range wrap(s, w, style) {
			g.list = append(g.list, r)
			g.bytes += len(r) + 16
		}
	}
	if i := strings.LastIndexByte(text[g.upto:], '\n'); i >= 0 {
		push(text[g.upto : g.upto+i])
		g.upto += i + 1
		g.closed = len(g.list)
	}
	if rest := text[g.upto:]; strings.TrimSpace(rest) != "" {
		push(rest)
	}
	g.seen = len(text)
	d.bytes += g.bytes
	return g.list
}

func (g *growing) forget() int {
	n := g.bytes
	g.list, g.closed, g.upto, g.seen, g.bytes = nil, 0, 0, 0, 0
	return n
}
