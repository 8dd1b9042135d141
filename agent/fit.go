package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"

	"forge/agent/budget"
	"forge/agent/session"
	"forge/compact"
	"forge/lazy"
	"forge/provider"
	"forge/tools"
)

// mostRest bounds how many turns pass between two automatic compactions that
// failed. After each that failed in a row it is twice as many: a model that cannot
// be asked, or a server that stays broken, is asked seldom.
const mostRest = 48

// circles is how many compactions nobody asked for and that a model was paid for,
// so close to each other that hardly anything was done between them, show that
// shortening does not help. Where nobody can be asked it is twice as many.
const circles = 3

// Errors of shortening.
var (
	ErrNotCompacted = errors.New("there is no compaction to take back")
	ErrNothing      = compact.ErrNothing // there is nothing to shorten
	ErrNoGain       = compact.ErrNoGain  // or too little
	ErrNoRoom       = errors.New("the conversation was shortened again and again and is full again at once; begin a new one, or take a model with a larger window")
)

// pace holds automatic compactions apart, over all runs of a conversation: one that
// cannot be made small enough must not burn money.
type pace struct {
	turns int   // model calls so far
	next  int   // none before this many
	rest  int   // turns from the last one to the next
	made  []int // when the last ones were made
	above int   // none below this many tokens: the person took one back, or wants none
}

// note counts one in. paid says that a model was asked.
func (p *pace) note(least int, paid bool, err error) {
	if p.rest = max(p.rest, least); err != nil {
		p.rest = min(2*p.rest, mostRest)
	} else {
		p.rest = least
	}
	p.next = p.turns + p.rest
	if paid {
		p.made = append(p.made, p.turns)
		p.made = p.made[max(0, len(p.made)-2*circles):]
	}
}

// goesInCircles reports whether the last n were made in hardly more turns than
// they need, so that another one would be one too many.
func (p *pace) goesInCircles(least, n int) bool {
	return len(p.made) >= n && p.turns-p.made[len(p.made)-n] <= (n+1)*least
}

// fit shortens the history if it is over its limit. An error ends the run: it was
// shortened too often for nothing, and nobody wants to go on.
func (r *run) fit(ctx context.Context) error {
	c := r.o.Compact
	if c == nil || r.pace.turns < r.pace.next {
		return nil
	}
	c.Overhead = r.overhead()
	if !c.Due(r.history.view(), r.pace.above) {
		return nil
	}
	if may, err := r.mayShorten(ctx); !may {
		return err
	}
	if err := r.mayBeShortened(ctx, true); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.emit(Notice{r.masked(err.Error())})
		r.pace.note(c.Rest(), false, err)
		return nil
	}
	err := r.automatic(ctx, c, "the context is nearly full", compact.Request{Auto: true})
	if exceeded(err) != nil {
		return err
	}
	return nil // told as Compacted; the server has the last word
}

// automatic is shorten where nobody asked for it.
func (r *run) automatic(ctx context.Context, c *compact.Compactor, reason string, req compact.Request) error {
	before := r.Totals().Usage
	err := r.shorten(ctx, c, reason, req)
	r.pace.note(c.Rest(), r.Totals().Usage != before, err)
	return err
}

// mayShorten asks the person once compactions go round in circles.
func (r *run) mayShorten(ctx context.Context) (bool, error) {
	if least := r.o.Compact.Rest(); r.o.Asker == nil {
		if r.pace.goesInCircles(least, 2*circles) {
			return false, ErrNoRoom
		}
		return true, nil
	} else if !r.pace.goesInCircles(least, circles) {
		return true, nil
	}
	reply, err := r.o.Asker.Ask(ctx, tools.Question{
		ID:     fmt.Sprintf("no-room-%d", r.pace.turns),
		Source: "forge",
		Title:  "Shortening the conversation does not help",
		Body: fmt.Sprintf("It was shortened %d times in the last %d turns and is nearly full again. What each turn reads may be too much for this model's window.",
			circles, r.pace.turns-r.pace.made[len(r.pace.made)-circles]),
		Choices: []tools.Choice{
			{ID: "again", Label: "shorten it again", Key: "a"},
			{ID: "off", Label: "go on without shortening", Key: "g"},
			{ID: "stop", Label: "stop", Key: "s"},
		},
	})
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		return false, fmt.Errorf("%w (%w)", ErrNoRoom, err)
	}
	switch reply.Choice {
	case "again":
		r.pace.made = nil
		return true, nil
	case "off":
		r.pace.made, r.pace.above = nil, math.MaxInt
		return false, nil
	}
	return false, ErrNoRoom
}

func (a *Agent) overhead() int { return beside(a.o.System, a.specs()) }

// beside is the tokens of a request beside its messages.
func beside(system string, specs []provider.ToolSpec) int {
	n := compact.Count(system)
	for _, s := range specs {
		n += compact.Count(s.Name) + compact.Count(s.Description) + compact.Count(string(s.Schema))
	}
	return n
}

func (r *run) shorten(ctx context.Context, c *compact.Compactor, reason string, req compact.Request) error {
	c.Overhead = r.overhead()
	r.emit(Compacting{Reason: reason})
	req.Facts, req.Pins, req.Whole = r.facts(), r.pins, r.whole
	req.Afford = r.affordNote
	cut, err := c.Compact(r.watched(ctx), r.history.view(), req)
	cost := r.price(cut.Usage)
	if err != nil {
		r.emit(Compacted{Before: cut.Before, Totals: r.Totals(), Err: err})
		return err
	}
	own := ""
	if cut.Own != nil {
		own = cut.Own.Error()
	}
	if len(cut.Trim) > 0 {
		rec := session.Trim{Part: cut.From > 0, Before: cut.Before, After: cut.After}
		for _, t := range cut.Trim {
			rec.Results = append(rec.Results, session.Trimmed(t))
		}
		r.history.apply(session.Record{Trim: &rec})
		r.cache.changed("old tool output was shortened")
	}
	if cut.From > 0 {
		rec := session.Cut{Summary: cut.Summary, From: cut.From, Before: cut.Before, After: cut.After, Own: own, Cost: cost}
		if cut.Usage.Reported {
			rec.Usage = &cut.Usage
		}
		r.history.apply(session.Record{Cut: &rec})
		r.cache.changed("the conversation was shortened")
	}
	r.emit(Compacted{Before: cut.Before, After: cut.After, Summary: cut.Summary, Trimmed: len(cut.Trim), Own: own, Totals: r.Totals()})
	return nil
}

// affordNote asks for one of the requests a note takes: a long conversation is read in
// parts, and a note that lost something is written again.
func (r *run) affordNote(ctx context.Context, tokens int) (took func(provider.Message), err error) {
	next := r.expected(tokens)
	next.Turns = 0
	release, err := r.afford(ctx, next)
	if err != nil {
		return nil, err
	}
	return func(m provider.Message) {
		r.took(m.Usage, r.count(m.Usage, false), budget.ForCompaction, tokens, m, release)
		release()
	}, nil
}

// facts is what forge knows and a summary must not lose.
func (r *run) facts() compact.Facts {
	var f compact.Facts
	if r.o.Facts != nil {
		f = r.o.Facts()
	}
	for _, c := range r.history.files() {
		f.Files = append(f.Files, compact.File{Path: c.Path, Op: c.Op})
	}
	return f
}

// isSpilled finds where a result that was too long already lies as a whole.
var isSpilled = lazy.Regexp{Expr: `the whole (?:is|output is) in (\S+?)[\])]? ?(?:…|\n|$)`}

// whole keeps a result that is about to be shortened where the model can read it
// again.
func (a *Agent) whole(id, text string) string {
	if a.o.Exec == nil {
		return ""
	}
	if m := isSpilled.Get().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	where, err := a.o.Exec.Bound.Keep(id, text)
	if err != nil {
		slog.Warn("result not kept", "call", id, "err", err)
		return ""
	}
	return where
}

// What servers say when a block of the history is in their way. Sending the same
// again never helps; sending it without those blocks does.
var (
	refusesThinking = lazy.Regexp{Expr: "(signature.*thinking|thinking.*(signature|cannot be modified|different conversation|binding)|thought_signature|encrypted_content)"}
	refusesImages   = lazy.Regexp{Expr: "(image_url|unsupported image|could not process image|images? (is|are) not supported|does not support image|media_type|image.*(exceeds|too large|dimensions)|vision)"}
)

// mend changes the history so that a refused request may be accepted, and says
// whether it did.
func (r *run) mend(ctx context.Context, err error, mended map[string]bool) bool {
	var e *provider.Error
	if ctx.Err() != nil || !errors.As(err, &e) {
		return false
	}
	if e.Kind == provider.KindOverflow {
		return r.mendOverflow(ctx, e, mended)
	}
	if e.Status != 400 && e.Status != 413 && e.Status != 422 {
		return false
	}
	said := strings.ToLower(e.Message)
	what, notice := "", ""
	switch {
	case refusesThinking.Get().MatchString(said):
		what, notice = session.StripThinking, "the server did not take its earlier reasoning back; sent again without it"
	case refusesImages.Get().MatchString(said) || e.Status == 413:
		what, notice = session.StripImages, "the server did not take the pictures; sent again without them"
	}
	if what == "" || mended[what] {
		return false
	}
	mended[what] = true
	before := r.history.view()
	strip := session.Strip{Before: len(before), What: what}
	if weight(strip.Apply(before)) == weight(before) {
		return false // nothing of the kind was there
	}
	r.history.apply(session.Record{Strip: &strip})
	r.cache.changed("blocks the server refused were left out")
	r.emit(Notice{notice})
	return true
}

// weight tells two views of one history apart: the blocks that can be stripped.
func weight(ms []provider.Message) int {
	n := 0
	var count func([]provider.Block)
	count = func(bs []provider.Block) {
		for _, b := range bs {
			switch b := b.(type) {
			case provider.Image, provider.Thinking, provider.Opaque:
				n++
			case provider.ToolResult:
				count(b.Content)
			}
		}
	}
	for _, m := range ms {
		count(m.Blocks)
	}
	return n
}

func (r *run) mendOverflow(ctx context.Context, e *provider.Error, mended map[string]bool) bool {
	if e.Window > 0 {
		r.learnWindow(e.Window) // the server knows better than any catalogue
	}
	if r.o.Compact == nil || mended["overflow"] {
		return false
	}
	mended["overflow"] = true
	if may, _ := r.mayShorten(ctx); !may {
		return false
	}
	if err := r.mayBeShortened(ctx, true); err != nil { // told, and no more: else nothing could go on
		r.emit(Notice{r.masked(fmt.Sprintf("%s; it is shortened all the same, since the server refused it", err))})
	}
	return r.automatic(ctx, r.o.Compact, "the request was larger than the model's window", compact.Request{}) == nil
}

// learnWindow takes a window a server showed to be smaller than was known.
func (r *run) learnWindow(tokens int) {
	if w := r.o.Model.Window; w > 0 && w <= tokens {
		return
	}
	r.o.Model.Window = tokens
	if r.o.Compact != nil {
		r.o.Compact.SetModel(r.o.Provider, r.o.Model)
	}
	r.lookAgain()
}
