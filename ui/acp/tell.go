package acp

import (
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
	t *talk

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

// forget begins anew: the same conversation is told once more.
func (l *teller) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls, l.times = map[string]*call{}, map[string]int{}
}

// oneRun is what is told of one run.
type oneRun struct {
	*teller
	again bool // it is a replay: what the person said is told as well
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
		if r.again {
			r.user(e)
		}
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
		if r.again && e.Err != nil && e.Limit {
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
	r.t.update(update{Kind: kind, Message: name, Content: textBlock(text)})
}

// say tells something as a message of its own.
func (r *oneRun) say(text string) {
	r.flush()
	r.t.update(update{Kind: "agent_message_chunk", Message: r.name(), Content: textBlock(text)})
}

func (l *teller) name() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.messages++
	return fmt.Sprintf("m%d", l.messages)
}

// user tells what the person said, and what they see of it.
func (r *oneRun) user(e agent.UserMessage) {
	text := e.Text
	if e.Line != "" {
		text = e.Line
	}
	name := r.name()
	if text = safe.Output(text); text != "" {
		r.t.update(update{Kind: "user_message_chunk", Message: name, Content: textBlock(text)})
	}
	for _, img := range e.Images {
		r.t.update(update{Kind: "user_message_chunk", Message: name, Content: block{Type: "image", Data: img.Data, MIME: img.MIME}})
	}
}

// notice is a line for the person. Where the editor has no place for such a thing, what
// matters to the answer stands among it, and the rest among the thoughts.
func (l *teller) notice(severity, text string) {
	text = strings.TrimSpace(text)
	l.t.s.mu.Lock()
	shows := l.t.s.notices
	l.t.s.mu.Unlock()
	switch {
	case text == "":
	case shows:
		title, more, _ := strings.Cut(text, "\n")
		l.t.update(update{Kind: "notice", Severity: severity, Title: title, Description: strings.TrimSpace(more)})
	case severity == "info":
		l.t.update(update{Kind: "agent_thought_chunk", Message: l.name(), Content: textBlock(text + "\n\n")})
	default:
		l.t.update(update{Kind: "agent_message_chunk", Message: l.name(), Content: textBlock("\n\n> " + strings.ReplaceAll(text, "\n", "\n> ") + "\n\n")})
	}
}

func (r *oneRun) usage(e agent.TurnEnd) {
	if e.Window <= 0 { // the protocol wants to know it
		return
	}
	u := update{Kind: "usage_update", Used: &e.Used, Size: &e.Window}
	if t := r.t.o.Spent(); t.CostKnown {
		u.Cost = &cost{t.Cost, "USD"}
	}
	r.t.update(u)
}

func (r *oneRun) compaction(e agent.Event) {
	r.t.s.mu.Lock()
	shows := r.t.s.compacts
	r.t.s.mu.Unlock()
	u := update{Kind: "compaction_update"}
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
		shows, text = false, lang.T("the conversation is as long as before again, %d tokens", e.After)
	}
	if !shows {
		r.notice("info", text)
		return
	}
	r.mu.Lock()
	u.Compaction = fmt.Sprintf("c%d", r.compacts)
	r.mu.Unlock()
	r.t.update(u)
}

// named tells what the conversation is called, where that is new.
func (l *teller) named() {
	title := safe.Line(l.t.o.Title())
	l.mu.Lock()
	same := title == l.title
	l.title = title
	l.mu.Unlock()
	if !same {
		l.t.update(infoUpdate{"session_info_update", title, time.Now().UTC().Format(time.RFC3339)})
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
	l.t.update(p)
}
