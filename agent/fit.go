package agent

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"forge/agent/session"
	"forge/compact"
	"forge/provider"
)

// restTurns is how many turns must pass between two automatic compactions of a
// run, so that a history which cannot be made small enough does not burn money.
// After each that failed in a row it is twice as many, up to mostRestTurns: a model
// that cannot write summaries, or a server that stays broken, is asked seldom.
const (
	restTurns     = 3
	mostRestTurns = 48
)

// fit shortens the history if it is over its limit.
func (r *run) fit(ctx context.Context) {
	c := r.o.Compact
	if c == nil || r.turns < r.fitAfter {
		return
	}
	c.Overhead = r.overhead()
	if !c.Needed(r.history.view()) {
		return
	}
	if err := r.shorten(ctx, c, "the context is nearly full", ""); err != nil { // told as Compacted; the server has the last word
		r.rest = min(2*max(r.rest, restTurns), mostRestTurns)
	} else {
		r.rest = restTurns
	}
	r.fitAfter = r.turns + r.rest
}

func (r *run) overhead() int {
	n := compact.Count(r.o.System)
	for _, s := range r.specs() {
		n += compact.Count(s.Name) + compact.Count(s.Description) + compact.Count(string(s.Schema))
	}
	return n
}

func (r *run) shorten(ctx context.Context, c *compact.Compactor, reason, focus string) error {
	c.Overhead = r.overhead()
	r.emit(Compacting{Reason: reason})
	cut, err := c.Compact(ctx, r.history.view(), focus)
	cost := r.count(cut.Usage, false)
	if err != nil {
		r.emit(Compacted{Before: cut.Before, Err: err})
		return err
	}
	rec := session.Cut{Summary: cut.Summary, From: cut.From, Before: cut.Before, After: cut.After, Cost: cost}
	if cut.Usage.Reported {
		rec.Usage = &cut.Usage
	}
	r.history.apply(session.Record{Cut: &rec})
	r.emit(Compacted{Before: cut.Before, After: cut.After, Summary: cut.Summary})
	return nil
}

// What servers say when a block of the history is in their way. Sending the same
// again never helps; sending it without those blocks does.
var (
	refusesThinking = regexp.MustCompile("(signature.*thinking|thinking.*(signature|cannot be modified|different conversation|binding)|thought_signature|encrypted_content)")
	refusesImages   = regexp.MustCompile("(image_url|unsupported image|could not process image|images? (is|are) not supported|does not support image|media_type|image.*(exceeds|too large|dimensions)|vision)")
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
	case refusesThinking.MatchString(said):
		what, notice = session.StripThinking, "the server did not take its earlier reasoning back; sent again without it"
	case refusesImages.MatchString(said) || e.Status == 413:
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
	if e.Window > 0 && (r.o.Model.Window == 0 || e.Window < r.o.Model.Window) {
		r.o.Model.Window = e.Window // the server knows better than any catalogue
		if r.o.Compact != nil {
			r.o.Compact.SetModel(r.o.Provider, r.o.Model)
		}
	}
	if r.o.Compact == nil || mended["overflow"] {
		return false
	}
	mended["overflow"] = true
	r.fitAfter = r.turns + restTurns
	return r.shorten(ctx, r.o.Compact, "the request was larger than the model's window", "") == nil
}
