package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/crew"
	"forge/ui/lang"
	"forge/ui/ledger"
)

// conversation turns the events of runs into panes. It owns the panes that still
// change; the transcript owns what is visible of them.
type conversation struct {
	t     *transcript
	now   time.Time
	quiet bool // a replay: nobody knows how long things took, and no run is on
	deep  bool // a sub-agent's: crew hears of its events from above
	crew  *crew.Roster
	kept  *tracks // what sub-agents did that have ended

	answers  map[int]*answer
	thoughts map[int]*thought
	calls    map[string]*call
	writing  map[int]*call // by block, while arguments stream in
	turn     int           // panes before this turn
	retry    *retry
	stuck    bool // shortening the conversation has failed in this run
	asked    bool // the person asked for the shortening that is on
	sum      sum
	work     *deeds    // of the prompt that is answered
	at       time.Time // in a replay: when the answers of this turn were said
}

func newConversation(t *transcript) *conversation {
	c := &conversation{t: t, crew: &crew.Roster{}, kept: &tracks{}}
	c.begin(time.Time{})
	return c
}

// begin forgets the panes of the run before: block numbers start anew.
func (c *conversation) begin(now time.Time) {
	c.now = now
	c.answers, c.thoughts = map[int]*answer{}, map[int]*thought{}
	c.calls, c.writing = map[string]*call{}, map[int]*call{}
	c.turn, c.retry, c.stuck = len(c.t.panes), nil, false
	c.sum, c.work = sum{began: now}, &deeds{}
	if !c.deep {
		c.crew = &crew.Roster{Of: c.crew.Of}
	}
}

// take shows one event. The command it returns, if any, is work for off the loop.
func (c *conversation) take(e agent.Event, now time.Time) tea.Cmd {
	c.now = now
	c.t.changed()
	if !c.deep {
		c.crew.Take(e, now)
	}
	switch e := e.(type) {
	case agent.UserMessage:
		if c.quiet && !e.Steer { // a replay has several prompts, each with blocks of its own
			c.begin(time.Time{})
			c.sum.began, c.sum.whole = e.At, true
		}
		c.at = e.At
		if c.work = (&deeds{began: c.when()}); e.Line != "" {
			c.t.add(saidAt(newSent(e.Line, e.Text, len(e.Images)), c.when()))
		} else {
			c.t.add(saidAt(newPrompt(e.Text, len(e.Images)), c.when()))
		}
		c.t.add(c.picturesOf(e)...)
	case agent.Attached:
		c.t.add(newAttached(e))
		c.t.add(c.picturesOf(e)...)
	case agent.TurnStart:
		c.endThoughts()
		c.turn = len(c.t.panes)
		c.sum.turns++
		c.at = e.At
	case agent.TextDelta:
		c.flowing()
		c.text(e.Block, e.Text)
	case agent.ThinkingDelta:
		c.flowing()
		c.thought(e.Block).add(e.Text)
	case agent.ToolInput:
		c.flowing()
		c.arguments(e)
	case agent.ToolStart:
		p := c.call(e.ID, e.Name)
		c.again(p)
		if p.start(e); delegates(e) {
			c.hire(p)
		}
	case agent.ToolRunning:
		c.call(e.ID, "").running(now)
	case agent.ToolOutput:
		c.call(e.ID, "").output(e.Text)
	case agent.ToolEnd:
		p := c.call(e.ID, e.Name)
		c.again(p)
		p.end(e, now)
		if p.track != nil {
			p.track.end(e, now)
		}
		c.worked(p, e)
		c.t.after(p, c.picturesOf(e))
		if c.quiet || c.deep { // compared when somebody looks at it
			p.effect.Changes = nil
			return nil
		}
		return p.diffCmd()
	case agent.Nested:
		c.nested(e)
	case agent.Delegated:
		c.hire(c.call(e.ID, ""))
	case agent.TurnEnd:
		c.turnEnd(e)
	case agent.Retrying:
		c.void()
		c.retry = newRetry(oneLine(e.Err), now.Add(e.After), e.Attempt, e.Attempts)
		c.t.add(c.retry)
	case agent.Notice:
		c.t.add(newNotice(e.Text))
	case agent.Compacting:
		c.asked = e.Reason == agent.AskedFor
	case agent.Compacted:
		c.compacted(e)
	case agent.Uncompacted:
		c.t.add(newMarker(lang.T("compaction taken back: %s tokens again", ledger.Count(e.After)), ""))
	case agent.CacheMissed:
		c.missed(e)
	case agent.BudgetWarned:
		c.t.add(newNotice(lang.T("%d%% of the budget of %s are spent: %s of %s", int(100*e.Share()), limitName(e.Scope), Amount(e.Kind, e.Spent), Amount(e.Kind, e.Limit))))
	case agent.RunEnd:
		c.runEnd(e)
	}
	return nil
}

// flowing notes that the model answers: a countdown is over.
func (c *conversation) flowing() {
	if c.retry != nil {
		c.retry.end()
		c.retry = nil
	}
}

// text grows an answer; a <think> section in it goes where reasoning goes.
func (c *conversation) text(block int, text string) {
	p := c.answers[block]
	if p == nil {
		c.endThoughts()
		p = newAnswer()
		c.answers[block] = p
	}
	if r := p.add(text); r != "" {
		c.thought(inside(block)).add(r)
	}
	c.place(p)
}

// place shows an answer once there is something of it.
func (c *conversation) place(p *answer) {
	if p.md != nil && !p.placed {
		c.endThoughts()
		p.placed, p.at = true, c.when()
		c.work.says(p)
		c.t.add(p)
	}
}

// inside is the number of the reasoning inside a block of text: none of a wire's.
func inside(block int) int { return -1 - block }

func (c *conversation) thought(block int) *thought {
	p := c.thoughts[block]
	if p == nil {
		c.endThoughts()
		p = &thought{work: c.work}
		c.work.join(p)
		if !c.quiet {
			p.began = c.now
		}
		c.thoughts[block] = p
		c.t.add(p)
	}
	return p
}

// endThoughts closes the reasoning before whatever comes next.
func (c *conversation) endThoughts() {
	for _, p := range c.thoughts {
		now := c.now
		if c.quiet {
			now = time.Time{}
		}
		p.end(now)
	}
}

// arguments grows the card of a call that is being written.
func (c *conversation) arguments(e agent.ToolInput) {
	p := c.writing[e.Block]
	if p == nil || e.ID != "" && p.id != e.ID {
		c.endThoughts()
		p = c.call(e.ID, e.Name)
		c.writing[e.Block] = p
	}
	p.feed(e.JSON)
}

// call returns the card of a call, made where there is none.
func (c *conversation) call(id, name string) *call {
	p := c.calls[id]
	if p == nil {
		c.endThoughts()
		p = newCall(id, name)
		if name != agent.OwnCommand {
			p.work = c.work
			c.work.calls(p)
		}
		c.calls[id] = p
		c.t.add(p)
	}
	return p
}

// void removes what the failed attempt had shown: it is no part of the answer.
func (c *conversation) void() {
	c.t.remove(c.turn, func(p pane) bool {
		switch p := p.(type) {
		case *thought:
			c.work.drop(p)
			return true
		case *answer:
			return true
		case *call:
			return p.state == callWriting
		case *retry:
			return true
		}
		return false
	})
	for id, p := range c.calls {
		if p.state == callWriting {
			c.work.drop(p)
			delete(c.calls, id)
		}
	}
	clear(c.answers)
	clear(c.thoughts)
	clear(c.writing)
	c.retry = nil
}

// finishAnswers closes the texts of the turn.
func (c *conversation) finishAnswers() {
	for block, p := range c.answers {
		if p.done {
			continue
		}
		p.done, p.at = true, c.when()
		if r := p.finish(); r != "" {
			if t := c.thoughts[inside(block)]; t != nil {
				t.add(r)
			} else if p.placed {
				// Only the whole text showed that it began with reasoning.
				t := &thought{done: true, work: c.work}
				c.work.join(t)
				t.add(r)
				c.t.before(t, p)
			} else {
				c.thought(inside(block)).add(r)
			}
		}
		c.place(p)
	}
	c.endThoughts()
}

// spinning reports whether anything on show moves with the clock.
func (c *conversation) spinning() bool {
	for _, p := range c.calls {
		if p.state == callRunning || p.state == callWriting {
			return true
		}
	}
	return false
}
