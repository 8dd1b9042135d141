package ui

import (
	"errors"
	"strings"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/ui/lang"
	"forge/ui/ledger"
)

// How a turn and a run end in the transcript, and the figures beneath them.

// sum is what one run has used.
type sum struct {
	began     time.Time // zero: nobody knows
	whole     bool      // in a replay: its begin was told
	turns     int
	usage     provider.Usage
	cost      float64
	costKnown bool
}

func (c *conversation) turnEnd(e agent.TurnEnd) {
	c.endThoughts()
	u := &c.sum.usage
	u.Input += e.Usage.Input
	u.Output += e.Usage.Output
	u.CacheRead += e.Usage.CacheRead
	c.sum.cost += e.Cost
	c.sum.costKnown = c.sum.costKnown || e.CostKnown
	c.finishAnswers()
	for _, p := range c.writing {
		p.written()
	}
	clear(c.writing)
	switch e.Stop {
	case provider.StopMaxTokens:
		c.t.add(newNotice(lang.T("the answer ends here: the model reached its limit of output tokens")))
	case provider.StopRefusal:
		text := lang.T("the model declined to answer")
		if e.Detail != "" {
			text += ": " + e.Detail
		}
		c.t.add(newError(text, lang.T("ask in another way, or choose another model with /model")))
	}
}

func (c *conversation) compacted(e agent.Compacted) {
	if isCancel(e.Err) {
		c.t.add(newNotice(lang.T("not compacted: interrupted")))
		return
	}
	if errors.Is(e.Err, agent.ErrNothing) { // whoever asked for it is told in the status line
		return
	}
	if c.asked && errors.Is(e.Err, agent.ErrNoGain) { // nothing is wrong, and nothing is full
		c.t.add(newNotice(lang.T("not compacted: there is too little that could be left out")))
		return
	}
	if c.stuck = e.Err != nil; c.stuck {
		c.t.add(newError(lang.T("compaction failed: %s", oneLine(e.Err)), hint(e.Err)))
		return
	}
	label := lang.T("compacted %s to %s tokens", ledger.Count(e.Before), ledger.Count(e.After))
	if e.Summary == "" {
		label = lang.T("old tool output shortened: %s to %s tokens", ledger.Count(e.Before), ledger.Count(e.After))
	}
	c.t.add(newMarker(label+lang.T("; ")+lang.T("/uncompact takes it back"), e.Summary))
	if e.Own != "" {
		c.t.add(newNotice(lang.T("the model wrote no usable summary (%s): forge wrote it from its own record", oneLine(errors.New(e.Own)))))
	}
}

// missed tells of input a server read anew. What follows from something the person
// sees anyway, another model or a compaction, is in the log alone.
func (c *conversation) missed(e agent.CacheMissed) {
	if e.Expected {
		return
	}
	text := lang.T("cache missed: %s (%s tokens read anew)", lang.Said(e.Cause), ledger.Count(e.Tokens))
	if e.CostKnown {
		text = lang.T("cache missed: %s (%s tokens read anew, %s more)", lang.Said(e.Cause), ledger.Count(e.Tokens), ledger.Money(e.Cost))
	}
	if e.At >= 0 {
		text += " " + lang.T("at byte %d of the request", e.At)
	}
	c.t.add(newNotice(text))
}

func (c *conversation) runEnd(e agent.RunEnd) {
	ended := c.now
	if c.quiet { // what goes on without a prompt begins here, nobody knows when
		ended = e.At
		defer func() { c.sum = sum{whole: true} }()
	}
	c.endThoughts()
	if c.retry != nil && isCancel(e.Err) {
		c.retry.dropped = true
	}
	c.flowing()
	for _, p := range c.calls {
		p.cut()
		if p.track != nil {
			p.track.end(agent.ToolEnd{Result: tools.Result{Text: agent.Cancelled, IsError: true}}, c.now)
		}
	}
	c.finishAnswers()
	switch {
	case errors.Is(e.Err, agent.ErrNothing):
	case errors.Is(e.Err, agent.ErrTorn):
		c.t.add(newNotice(lang.T("cut off here: forge ended while the model was answering")))
		return
	case e.Limit:
		c.t.add(newMarker(oneLine(e.Err), ""))
	case isCancel(e.Err):
		text := lang.T("interrupted")
		if took := c.sum.took(ended); took != "" {
			text = lang.T("interrupted after %s", took)
		}
		c.t.add(newNotice(text))
		return
	case e.Err != nil:
		next := hint(e.Err)
		if pe := (*provider.Error)(nil); c.stuck && errors.As(e.Err, &pe) && pe.Kind == provider.KindOverflow {
			next = lang.T("it could not be shortened: /new starts a new conversation")
		}
		c.t.add(newError(oneLine(e.Err), next))
	}
	if e.Err != nil && c.sum.usage.Input == 0 {
		return // it has used nothing worth a line
	}
	if text := c.sum.text(ended); text != "" && c.sum.turns > 0 && (!c.quiet || c.sum.whole) {
		c.t.add(newSummary(text))
	}
}

// took is how long it took; empty: nobody knows.
func (s sum) took(now time.Time) string {
	if s.began.IsZero() || now.IsZero() {
		return ""
	}
	return seconds(now.Sub(s.began).Truncate(100 * time.Millisecond))
}

// text is a run in one line: time, turns, tokens, money.
func (s sum) text(now time.Time) string {
	var parts []string
	if took := s.took(now); took != "" {
		parts = append(parts, took)
	}
	if s.turns > 1 {
		parts = append(parts, plural(s.turns, "turn"))
	}
	if s.usage.Input > 0 {
		in := lang.T("%s in", ledger.Count(s.usage.Input))
		if s.usage.CacheRead > 0 {
			in += lang.T(" (%d%% cached)", 100*s.usage.CacheRead/s.usage.Input)
		}
		parts = append(parts, in, lang.T("%s out", ledger.Count(s.usage.Output)))
	}
	if s.costKnown {
		parts = append(parts, ledger.Money(s.cost))
	}
	return strings.Join(parts, lang.T(", "))
}

// oneLine is an error as one line for a person.
func oneLine(err error) string {
	if err == nil {
		return lang.T("unknown cause")
	}
	return lang.Said(strings.Join(strings.Fields(err.Error()), " "))
}

// hint is what a person can do about an error, where that is known.
func hint(err error) string {
	if e := (*provider.Error)(nil); errors.As(err, &e) {
		return e.Hint
	}
	return ""
}
