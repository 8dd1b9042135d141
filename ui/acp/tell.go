package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/ui/lang"
	"forge/ui/safe"
)

// teller tells a conversation in updates. The goroutines of runs, questions and servers
// use it.
type teller struct {
	t  *talk
	to *server // the only one it is told to, again; nil: whoever looks at it

	mu       sync.Mutex
	messages int              // told so far, so that each has a name of its own
	calls    map[string]*call // by the IDs from the person's conversation down
	times    map[string]int   // how often such an ID was used
	compacts int
	planned  bool   // a plan was told
	title    string // that was told last
}

func newTeller(t *talk) *teller {
	return &teller{t: t, calls: map[string]*call{}, times: map[string]int{}}
}

// past stands before the names of what is told again: what is told live may have the same.
const past = "past-"

func (l *teller) update(u any) {
	if l.to != nil {
		l.to.await()
		l.to.tells(l.t.o.ID, u)
		return
	}
	l.t.update(u)
}

// oneRun is what is told of one run.
type oneRun struct {
	*teller
	again bool    // it is a replay: what the person said is told as well
	from  *server // who sent the prompt, and shows it by itself
	shown bool    // the line of the prompt was told to the others
	stop  provider.StopReason

	block   int // of the text that is being told; -1: none
	message string
	think   provider.ThinkSplitter
	text    safe.Stream
	reason  safe.Stream
	since   map[string]bool // calls that came with the answer that still arrives
}

func (l *teller) run() *oneRun { return &oneRun{teller: l, block: -1, since: map[string]bool{}} }

// event takes the next event of the run.
func (r *oneRun) event(e agent.Event) {
	switch e := e.(type) {
	case agent.TextDelta:
		r.delta(e.Block)
		reason, text := r.think.Feed(e.Text)
		r.chunk("agent_thought_chunk", r.reason.Write(reason))
		r.chunk("agent_message_chunk", r.text.Write(text))
		return
	case agent.ThinkingDelta:
		r.delta(e.Block)
		r.chunk("agent_thought_chunk", r.reason.Write(e.Text))
		return
	case agent.ToolInput:
		if e.ID == "" { // more of the arguments: nothing to be seen yet
			return
		}
	case agent.ToolOutput:
		r.output("", e)
		return
	}
	r.flush()
	switch e := e.(type) {
	case agent.UserMessage:
		if !r.shown {
			r.user(e)
		}
		r.shown = false
	case agent.Attached:
		if e.Err != nil {
			r.notice("warning", lang.T("not attached: %s: %s", safe.Line(e.Label), safe.Line(lang.Said(e.Err.Error()))))
		}
	case agent.TurnStart:
		clear(r.since)
	case agent.ToolInput:
		r.since[e.ID] = true
		r.announce("", e)
	case agent.ToolStart, agent.ToolRunning, agent.ToolEnd:
		r.ofCall("", e)
	case agent.Nested:
		r.nested("", e)
	case agent.TurnEnd:
		r.stop = e.Stop
		r.usage(e)
		if e.Stop == provider.StopRefusal && e.Detail != "" {
			r.notice("warning", lang.T("the model declined to answer: %s", safe.Line(e.Detail)))
		}
	case agent.Retrying:
		r.void()
		r.notice("info", lang.T("error: %s; trying again in %s, %d of %d, and this answer begins anew",
			safe.Line(lang.Said(e.Err.Error())), e.After.Round(time.Second), e.Attempt, e.Attempts))
	case agent.Notice:
		r.notice("info", safe.Output(lang.Said(e.Text)))
	case agent.BudgetWarned:
		r.notice("warning", lang.T("warning: a limit of what may be spent is nearly reached"))
	case agent.Compacting, agent.Compacted, agent.Uncompacted:
		r.compaction(e)
	case agent.Unfinished:
		if e.Run {
			r.notice("info", lang.T("forge ended in the middle of this; write: go on"))
		}
	case agent.RunEnd:
		r.void()
		if r.again && e.Err != nil && !errors.Is(e.Err, context.Canceled) {
			r.notice("warning", lang.Said(e.Err.Error()))
		}
	}
}

// delta makes room for a piece of a block: another block is another message.
func (r *oneRun) delta(block int) {
	if block == r.block {
		return
	}
	r.flush()
	r.block, r.think = block, provider.ThinkSplitter{}
	r.message = r.name()
}

// flush tells what was held of a block that is over.
func (r *oneRun) flush() {
	if r.block < 0 {
		return
	}
	reason, text := r.think.Flush()
	r.chunk("agent_thought_chunk", r.reason.Write(reason)+r.reason.Flush())
	r.chunk("agent_message_chunk", r.text.Write(text)+r.text.Flush())
	r.block = -1
}

// over ends what the run left open.
func (r *oneRun) over() {
	r.flush()
	r.void()
}

func (r *oneRun) chunk(kind, text string) {
	if text == "" {
		return
	}
	name := r.message
	if kind == "agent_thought_chunk" {
		name += "-thought"
	}
	r.update(update{Kind: kind, Message: name, Content: textBlock(text)})
}

// say tells something as a message of its own.
func (r *oneRun) say(text string) {
	r.flush()
	r.update(update{Kind: "agent_message_chunk", Message: r.name(), Content: textBlock(text)})
}

func (l *teller) name() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.messages++
	name := fmt.Sprintf("m%d", l.messages)
	if l.to != nil {
		return past + name
	}
	return name
}

// user tells what the person said, and what they see of it. Live, that is for whoever
// else looks on.
func (r *oneRun) user(e agent.UserMessage) {
	if !r.again && !r.t.home.keeps {
		return
	}
	tell := r.update
	if !r.again {
		tell = func(u any) { r.t.others(r.from, u) }
	}
	text := e.Text
	if e.Line != "" {
		text = e.Line
	}
	name := r.name()
	if text = safe.Output(text); text != "" {
		tell(update{Kind: "user_message_chunk", Message: name, Content: textBlock(text)})
	}
	for _, img := range e.Images {
		tell(update{Kind: "user_message_chunk", Message: name, Content: block{Type: "image", Data: img.Data, MIME: img.MIME}})
	}
}

// notice is a line for the person. Where the editor has no place for such a thing, what
// matters to the answer stands among it, and the rest among the thoughts.
func (l *teller) notice(severity, text string) {
	if u := l.noticed(severity, text); u != nil {
		l.update(*u)
	}
}

func (l *teller) noticed(severity, text string) *update {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	title, more, _ := strings.Cut(text, "\n")
	u := &update{Kind: "notice", Severity: severity, Title: title, Description: strings.TrimSpace(more), needs: shownNotices}
	if severity == "info" {
		u.or = &update{Kind: "agent_thought_chunk", Message: l.name(), Content: textBlock(text + "\n\n")}
	} else {
		u.or = &update{Kind: "agent_message_chunk", Message: l.name(), Content: textBlock("\n\n> " + strings.ReplaceAll(text, "\n", "\n> ") + "\n\n")}
	}
	return u
}

func (r *oneRun) usage(e agent.TurnEnd) {
	if e.Window <= 0 { // the protocol wants to know it
		return
	}
	u := update{Kind: "usage_update", Used: &e.Used, Size: &e.Window}
	if t := r.t.o.Spent(); t.CostKnown {
		u.Cost = &cost{t.Cost, "USD"}
	}
	r.update(u)
}

func (r *oneRun) compaction(e agent.Event) {
	u := update{Kind: "compaction_update", needs: shownCompactions}
	text := ""
	switch e := e.(type) {
	case agent.Compacting:
		r.mu.Lock()
		r.compacts++
		r.mu.Unlock()
		u.Status, text = "in_progress", lang.T("shortening the conversation")
	case agent.Compacted:
		u.Status, text = "completed", lang.T("the conversation is shortened from %d to %d tokens", e.Before, e.After)
		if e.Err != nil {
			text = lang.T("error: %s", safe.Line(lang.Said(e.Err.Error())))
			u.Status, u.Failed = "failed", text
		}
	case agent.Uncompacted:
		r.notice("info", lang.T("the conversation is as long as before again, %d tokens", e.After))
		return
	}
	r.mu.Lock()
	u.Compaction = fmt.Sprintf("c%d", r.compacts)
	r.mu.Unlock()
	u.or = r.noticed("info", text)
	r.update(u)
}

// named tells what the conversation is called, where that is new.
func (l *teller) named() {
	title := safe.Line(l.t.o.Title())
	l.mu.Lock()
	same := title == l.title
	l.title = title
	l.mu.Unlock()
	if !same {
		l.update(infoUpdate{Kind: "session_info_update", Title: title, Updated: time.Now().UTC().Format(time.RFC3339)})
	}
}

// plan tells the model's todo list.
func (l *teller) plan() {
	p := plan{Kind: "plan", Entries: []planEntry{}}
	for _, t := range l.t.o.Todos() {
		status := t.State
		if status == "done" {
			status = "completed"
		}
		p.Entries = append(p.Entries, planEntry{safe.Line(t.Text), "medium", status})
	}
	l.mu.Lock()
	first := !l.planned
	l.planned = l.planned || len(p.Entries) > 0
	l.mu.Unlock()
	if first && len(p.Entries) == 0 { // there never was one
		return
	}
	l.update(p)
}
