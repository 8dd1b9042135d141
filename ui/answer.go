package ui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/provider"
	"forge/ui/markdown"
	"forge/ui/safe"
)

// answer is a model's text, as markdown that may still grow.
type answer struct {
	md    *markdown.Stream
	in    safe.Stream
	split provider.ThinkSplitter // a <think> section is no answer
	bytes int                    // counted for the rows it keeps
	frame int

	at     time.Time // when it was said: when it began, and once it is whole, then
	work   *deeds    // what it stands in
	before bool      // a call came behind it: it is no answer to the prompt
	placed bool      // it is in the transcript
	done   bool      // nothing more comes
}

func newAnswer() *answer { return &answer{} }

// add takes more text and returns the reasoning that was in it.
func (p *answer) add(text string) (reasoning string) {
	reasoning, text = p.split.Feed(text)
	p.write(text)
	return reasoning
}

func (p *answer) write(text string) {
	if p.md == nil {
		if text = strings.TrimLeft(text, " \n"); text == "" {
			return // what stands between </think> and the answer
		}
		p.md = markdown.New(nil) // the theme comes with the first frame
	}
	p.md.Append(p.in.Write(text))
}

// finish says that the text is complete; it returns the reasoning still held.
func (p *answer) finish() (reasoning string) {
	reasoning, text := p.split.Flush()
	p.write(text)
	if p.md == nil {
		return reasoning
	}
	p.md.Append(p.in.Flush())
	if whole := p.md.Text(); strings.Contains(whole, "</think>") {
		if r, rest, found := provider.SplitThink(whole); found {
			reasoning += r
			p.md = markdown.New(nil)
			p.md.Append(strings.TrimLeft(rest, " \n"))
		}
	}
	p.md.Close()
	return reasoning
}

func (p *answer) tight() bool { return false }
func (p *answer) used() int   { return p.frame }

func (p *answer) all(d *drawing) []string {
	p.frame = d.frame
	if p.md == nil {
		return nil
	}
	p.md.SetTheme(d.th)
	rows := p.md.Rows(max(1, d.w-gutter))
	const perRow = 48 // the header of a string, and sequences
	now := 2*p.md.Len() + perRow*len(rows)
	d.bytes += now - p.bytes
	p.bytes = now
	return rows
}

func (p *answer) height(d *drawing) int { return len(p.all(d)) }

func (p *answer) rows(d *drawing, from, to int) []string {
	return indent(clamp(p.all(d), from, to), gutter)
}

func (p *answer) forget() int {
	n := p.bytes
	if p.md != nil {
		p.md.Drop()
	}
	p.bytes = 0
	return n
}

// polished brings the final rows of finished blocks.
type polished struct {
	md   *markdown.Stream
	rows markdown.Rendered
}

// polish returns the work that makes what is visible final, for off the loop: the
// rows of answers, the comparisons of stored calls. The rows of the last frame are
// there; this frame is drawn from them.
func (t *transcript) polish() tea.Cmd {
	var cmds []tea.Cmd
	t.view(t.h)
	for _, p := range t.shown {
		if c, ok := p.pane.(*call); ok {
			cmds = append(cmds, c.diffCmd())
			continue
		}
		a, ok := p.pane.(*answer)
		if !ok || a.md == nil {
			continue
		}
		// A screen more on both sides, for whoever scrolls next.
		md := a.md
		if work := md.PendingIn(p.from-t.h, p.to+t.h); work != nil {
			cmds = append(cmds, func() tea.Msg {
				done := polished{md: md}
				if guard(func() error { done.rows = work(); return nil }) != nil {
					return nil // the plain rows stay
				}
				return done
			})
		}
	}
	return tea.Batch(cmds...)
}

// before puts a pane before another one.
func (t *transcript) before(p, next pane) {
	i := slices.Index(t.panes, next)
	if i < 0 {
		t.add(p)
		return
	}
	t.refold()
	t.panes = slices.Insert(t.panes, i, p)
	if i <= t.top.pane {
		t.top.pane++
	}
}
