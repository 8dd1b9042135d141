package agent

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"forge/agent/session"
	"forge/provider"
)

// turn makes one model call and adds what came of it to the history. A request
// that is too large, or that a server refuses for a block it once sent itself, is
// mended and sent again, once for each cause.
func (r *run) turn(ctx context.Context) (provider.Message, error) {
	mended := map[string]bool{}
	for {
		m, cost, err := r.call(ctx)
		if err != nil && len(m.Blocks) == 0 && r.mend(ctx, err, mended) {
			continue
		}
		return r.history.answer(m, cost), err
	}
}

// call sends the history once and shows the reply as it arrives.
func (r *run) call(ctx context.Context) (provider.Message, *float64, error) {
	req := r.request()
	r.look(req.Tools)
	counted := r.counted(req)
	expected := r.compactor().Estimate(req.Messages)
	release, err := r.afford(ctx, r.expected(expected))
	if err != nil {
		return provider.Message{}, nil, err
	}
	defer release()
	r.turns++
	r.pace.turns++
	r.emit(TurnStart{Turn: r.turns})
	s := shown{run: r, first: r.blocks}
	r.aside.begin()
	defer r.aside.heard()
	m, err := provider.Collect(r.claimed(ctx, r.o.Provider.Stream(r.watched(ctx), req)), s.show)
	if s.waiting {
		r.emit(Waiting{})
	}
	if err == nil && ctx.Err() != nil && m.Stop == provider.StopNone {
		m.Stop, err = provider.StopAborted, ctx.Err()
	}
	cost := r.count(m.Usage, true)
	r.took(m.Usage, cost, "", expected, m, release)
	end := TurnEnd{Stop: m.Stop, Detail: s.detail, Usage: m.Usage, Window: r.o.Model.Window, Used: r.used(m)}
	if cost != nil {
		end.Cost, end.CostKnown = *cost, true
	}
	r.emit(end)
	if err == nil {
		r.tellMiss(r.cache.answered(req, m.Usage, r.o.Model, time.Now()))
		r.lookAgain()
		r.truncated(m.Usage, counted, s.cut)
		r.unknown(end)
	}
	return m, cost, err
}

// watched lets the run tell of a server that says nothing.
func (r *run) watched(ctx context.Context) context.Context {
	return provider.Watch(ctx, func(s provider.Silence) {
		r.emit(Waiting{For: string(s.For), Since: s.Since, Limit: s.Limit})
	})
}

// request holds the same system prompt and tools at each turn, and the messages
// of the last turn before any new one: that is what a server's cache can use.
func (r *run) request() provider.Request {
	messages := r.history.view()
	if r.o.Model.Blind { // kept in the history: another model may see them
		messages = session.Unseen(messages, "this model cannot see")
	}
	return provider.Request{
		Model:     r.o.Model.ID,
		System:    r.o.System,
		Messages:  messages,
		Tools:     r.specs(),
		MaxTokens: r.o.MaxTokens,
		Effort:    r.o.Effort,
	}
}

func (a *Agent) specs() []provider.ToolSpec { return a.offered(a.o.Model) }

// offered is the tools a model is told of now.
func (a *Agent) offered(m provider.Model) []provider.ToolSpec {
	if a.o.Exec == nil || m.NoTools {
		return nil
	}
	var specs []provider.ToolSpec
	for _, t := range a.o.Exec.Tools.Active() {
		specs = append(specs, provider.ToolSpec(t.Spec()))
	}
	return specs
}

// claimed gives each call an ID unique in the session before anybody sees it, and
// ends with ctx even where a provider does not look.
func (r *run) claimed(ctx context.Context, s iter.Seq2[provider.Event, error]) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		ids := map[int]string{} // by index: a call may be opened again with more of its name
		for ev, err := range s {
			if err == nil && ctx.Err() != nil {
				ev, err = nil, ctx.Err()
			}
			switch e := ev.(type) {
			case provider.Retry:
				clear(ids)
			case provider.ToolUseStart:
				if _, again := ids[e.Index]; !again {
					ids[e.Index] = r.history.claim(e.ID)
				}
				e.ID = ids[e.Index]
				ev = e
			}
			if !yield(ev, err) || err != nil {
				return
			}
		}
	}
}

// shown turns the events of one reply into events of the run.
type shown struct {
	*run
	first   int // the number of the reply's block 0
	waiting bool
	cut     bool // the wire saw that the server cut its input
	detail  string
}

func (s *shown) show(ev provider.Event) {
	switch e := ev.(type) {
	case provider.TextDelta:
		s.aside.said(e.Text, "")
		s.emit(TextDelta{s.block(e.Index), e.Text})
	case provider.ThinkingDelta:
		if e.Text != "" { // a signature is not for eyes
			s.aside.said("", e.Text)
			s.emit(ThinkingDelta{s.block(e.Index), e.Text})
		}
	case provider.ToolUseStart:
		s.emit(ToolInput{Block: s.block(e.Index), ID: e.ID, Name: e.Name})
	case provider.ToolUseDelta:
		if e.JSON != "" {
			s.emit(ToolInput{Block: s.block(e.Index), JSON: e.JSON})
		}
	case provider.Retry:
		s.first, s.detail = s.blocks, ""
		s.aside.begin()
		s.emit(Retrying{Err: e.Err, After: e.After, Attempt: e.Attempt, Attempts: e.Attempts})
	case provider.Stop:
		s.detail = e.Detail
	case provider.Notice:
		if strings.HasPrefix(e.Text, cutNote) {
			s.cut = true
			s.onceAs(cutNote, e.Text)
			break
		}
		s.once(e.Text)
	case provider.Phase:
		s.waiting = e.Waiting != provider.WaitStream
		s.emit(Waiting{For: string(e.Waiting), Until: e.Until})
	}
}

func (s *shown) block(index int) int {
	n := s.first + index
	s.blocks = max(s.blocks, n+1)
	return n
}

// used is the context the conversation fills now: what the server counted, else
// an estimate.
func (r *run) used(m provider.Message) int {
	u := m.Usage
	switch {
	case !u.Reported:
		c := r.compactor()
		c.Overhead = r.overhead()
		return c.Estimate(append(r.history.view(), m))
	case u.Context > 0:
		return u.Context + u.Output
	}
	return u.Input + u.Output
}

// counted is how many tokens a request has by forge's own count.
func (r *run) counted(req provider.Request) int {
	c := r.compactor()
	c.Overhead = r.overhead()
	return c.Counted(req.Messages)
}

// cutNote begins what a wire says of a server of this machine that cut its input.
const cutNote = "the server read fewer tokens than were sent"

// truncated notices a server that cuts its input in silence, as local ones do: it
// counts far less than was sent, and about the same again though more was sent
// since. What it counted is then its window, and the conversation is held below
// that from now on. noted says that the wire saw it already.
func (r *run) truncated(u provider.Usage, counted int, noted bool) {
	read := u.Input
	if u.Context > 0 {
		read = u.Context
	}
	was := r.read
	r.Agent.read = reading{tokens: read, of: counted}
	if !u.Reported || read < 1000 && !noted {
		return
	}
	flat := was.tokens > 0 && counted > was.of+was.of/20 && read-was.tokens < (counted-was.of)/4 && was.tokens-read < was.tokens/4
	far := func(r reading) bool { return r.of > 3000 && r.tokens < r.of*6/10 }
	if flat = flat && far(was) && far(r.read) && u.CacheRead == 0; flat {
		r.Agent.read.flat = was.flat + 1
	}
	// A server elsewhere may count in a way of its own, without what it had cached.
	if enough := r.read.flat >= 3 || r.read.flat > 0 && r.o.Model.Local; !noted && !enough {
		return
	}
	r.learnWindow(max(read, 1024))
	if !noted {
		r.onceAs(cutNote, fmt.Sprintf("the server read %d tokens of about %d that were sent: its window is smaller than was known, and it cuts in silence. "+
			"Give it a larger one (Ollama: OLLAMA_CONTEXT_LENGTH or num_ctx; llama.cpp: -c; LM Studio: context length); forge keeps below %d tokens until then", read, counted, r.o.Model.Window))
	}
}

// reading is how many tokens of a request a server says it read, of how many, and
// how often in a row it was no more than before.
type reading struct{ tokens, of, flat int }

// worthKnowing is how large a conversation is, in tokens, when it begins to matter
// that nobody knows where it ends.
const worthKnowing = 16_000

// unknown says once what is not known of a model and what can be done about it.
func (r *run) unknown(end TurnEnd) {
	m := r.o.Model
	if m.Window == 0 && end.Used > worthKnowing && r.compactor().Limit() == 0 {
		r.once("the window of " + m.ID + " is not known: the conversation is shortened only when the server refuses it; set context_window in the settings")
	}
	if !end.CostKnown && end.Usage.Reported && !m.Local && m.ID != "" {
		r.once("the price of " + m.ID + " is not known: what it costs is not shown; set prices.input and prices.output in the settings")
	}
}

// once tells a line the person has not been told in this conversation yet.
func (r *run) once(text string) { r.onceAs(text, text) }

// onceAs is once for a line that says the same thing with other numbers each time.
func (r *run) onceAs(what, text string) {
	if r.told[what] {
		return
	}
	if r.told == nil {
		r.Agent.told = map[string]bool{}
	}
	r.told[what] = true
	r.emit(Notice{text})
}
