package agent

import (
	"context"
	"io/fs"
	"time"

	"forge/agent/session"
	"forge/provider"
	"forge/tools"
)

// Replay tells the whole stored conversation as the events its screen saw, what
// was since cut off included, so that a face needs no second way to show it. A
// conversation that is empty tells nothing.
func (a *Agent) Replay(sink Sink) {
	a.ReplayTo(-1, a.o.Model.Window, sink)
}

// Told is how many records the conversation has so far. It may be asked at any time.
func (a *Agent) Told() int { return a.history.length() }

// ReplayTo is Replay of the first n records, for a face that was told the rest while it
// happened; below 0: of all. Unlike Replay it may be called while a run is on, so the
// model's window, in tokens, is the caller's to say.
func (a *Agent) ReplayTo(n, window int, sink Sink) {
	log, err := a.history.first(n)
	Retell(log, window, sink)
	if err != nil {
		sink(Notice{"the beginning of the conversation cannot be shown: " + err.Error()})
	}
	if left := a.Left(); left.Anything() || left.Stopped {
		sink(Unfinished{left})
	}
}

// Retell is Replay for records nobody has resumed: the end of a long session, say,
// which a face shows while the rest is read. window is the model's, in tokens.
func Retell(rs []session.Record, window int, sink Sink) {
	p := replay{sink: sink, window: window, names: map[string]provider.ToolUse{}}
	for _, r := range rs {
		p.record(r)
	}
	p.endRun()
}

type replay struct {
	sink    Sink
	window  int
	running bool
	last    time.Time // of the run: when the last of it was recorded
	err     error     // how the run ended, as far as the record says
	limit   bool      // a limit ended it
	turns   int
	blocks  int
	part    int                         // results shortened by a compaction whose cut is still to come
	names   map[string]provider.ToolUse // the calls of the last message
	totals  Totals
}

func (p *replay) record(r session.Record) {
	if r.Message != nil && r.Shell == nil && r.Note == nil {
		defer func() { p.last = r.Time }() // a prompt ends the run before it first
	}
	switch {
	case r.Cut != nil:
		if r.Cut.Usage != nil {
			p.totals.add(*r.Cut.Usage, r.Cut.Cost, false)
		}
		p.sink(Compacted{Before: r.Cut.Before, After: r.Cut.After, Summary: r.Cut.Summary, Trimmed: p.part, Own: r.Cut.Own, Totals: p.totals})
		p.part = 0
	case r.Trim != nil:
		if p.part = len(r.Trim.Results); !r.Trim.Part {
			p.part = 0
			p.sink(Compacted{Before: r.Trim.Before, After: r.Trim.After, Trimmed: len(r.Trim.Results), Totals: p.totals})
		}
	case r.Undo != nil:
		p.sink(Uncompacted{Before: r.Undo.Before, After: r.Undo.After})
	case r.End != nil:
		p.ended(*r.End)
	case r.Message == nil:
	case r.Shell != nil:
		p.shell(*r.Shell, *r.Message)
	case r.Note != nil:
		p.endRun()
		p.sink(Notice{r.Note.Text})
	case r.Message.Role == provider.Assistant:
		p.answer(*r.Message, r.Cost, r.Time)
		if r.Torn {
			p.err = ErrTorn
		}
	default:
		p.user(r)
	}
}

func (p *replay) user(r session.Record) {
	shown := map[string]session.Call{}
	for _, c := range r.Calls {
		shown[c.ID] = c
	}
	var images []provider.Image
	said := false
	for _, b := range r.Message.Blocks {
		switch b := b.(type) {
		case provider.ToolResult:
			p.result(b, shown[b.ID])
		case provider.Image:
			images, said = append(images, b), true
		case provider.Text:
			said = true
		}
	}
	if !said || isNews(r) {
		return
	}
	if as := r.Message.Attached(); len(as) > 0 {
		for i, a := range as {
			if i > 0 {
				images = nil
			}
			p.sink(Attached{Label: a.Label, Text: a.Text, Images: images})
		}
		return
	}
	if !r.Steer {
		p.endRun()
		p.running = true
	}
	p.sink(UserMessage{Text: r.Message.PlainText(), Line: r.Line, Images: images, Steer: r.Steer, At: r.Time})
}

func (p *replay) answer(m provider.Message, cost *float64, at time.Time) {
	p.turns++
	p.running = true
	p.sink(TurnStart{Turn: p.turns, At: at})
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case provider.Text:
			p.sink(TextDelta{p.blocks, b.Text})
		case provider.Thinking:
			if b.Text != "" {
				p.sink(ThinkingDelta{p.blocks, b.Text})
			}
		case provider.ToolUse:
			p.names[b.ID] = b
			p.sink(ToolInput{Block: p.blocks, ID: b.ID, Name: b.Name})
			if b.Input != "" {
				p.sink(ToolInput{Block: p.blocks, JSON: b.Input})
			}
		}
		p.blocks++
	}
	p.totals.add(m.Usage, cost, true)
	end := TurnEnd{Stop: m.Stop, Usage: m.Usage, Window: p.window}
	if u := m.Usage; u.Context > 0 {
		end.Used = u.Context + u.Output
	} else {
		end.Used = u.Input + u.Output
	}
	if cost != nil {
		end.Cost, end.CostKnown = *cost, true
	}
	p.sink(end)
	p.err = nil
	if m.Stop == provider.StopAborted {
		p.err = context.Canceled
	}
}

func (p *replay) result(b provider.ToolResult, c session.Call) {
	use := p.names[b.ID]
	if c.Child != nil && c.Child.Usage != nil {
		p.totals.add(*c.Child.Usage, childCost(*c.Child), false)
	}
	res := tools.Result{IsError: b.IsError, Display: c.Display, Own: c.Own, Refused: c.Refused, Hidden: hiddenOf(c), Review: c.Review, Looks: c.Looks}
	for _, f := range c.Found {
		res.Found = append(res.Found, tools.Found(f))
	}
	for _, part := range b.Content {
		switch part := part.(type) {
		case provider.Text:
			res.Text += part.Text
		case provider.Image:
			res.Images = append(res.Images, tools.Image(part))
		}
	}
	// A call whose preparation failed had no start: its effect was never known.
	if c.Title != "" || c.Kind != "" {
		p.sink(ToolStart{ID: b.ID, Name: use.Name, Input: noArguments(use.Input), Effect: effect(c)})
	}
	if c.Child != nil {
		p.sink(delegated(b.ID, *c.Child))
	}
	p.sink(ToolEnd{ID: b.ID, Name: use.Name, Result: res, Changes: changes(c.Changes), Took: time.Duration(c.Took) * time.Millisecond})
}

// delegated tells of the agent that ran as a call.
func delegated(id string, c session.Child) Delegated {
	d := Delegated{ID: id, Agent: c.Agent, Session: c.Session, Turns: c.Turns, Cost: c.Cost, CostKnown: c.Priced}
	if c.Usage != nil {
		d.Usage = *c.Usage
	}
	return d
}

// ended is an error of a run that is over: the words of it that were kept.
type ended struct {
	said string
	was  *provider.Error // its hint alone
}

func (e ended) Error() string { return e.said }

// Unwrap lets a face find what could be done about it.
func (e ended) Unwrap() error { return e.was }

// ended tells the end of a run as it was kept; older forges kept no words.
func (p *replay) ended(e session.End) {
	switch {
	case e.Why == session.EndCancelled:
		p.err = context.Canceled
	case e.Error != "":
		p.err, p.limit = ended{e.Error, &provider.Error{Hint: e.Hint}}, e.Why == session.EndLimit
	}
	p.endRun()
}

func (p *replay) endRun() {
	if p.running {
		p.sink(RunEnd{Err: p.err, Limit: p.limit, Totals: p.totals, At: p.last})
	}
	p.limit = false
	p.running, p.err, p.turns, p.blocks = false, nil, 0, 0
}

// mostBytes bounds what a session keeps of the files a call changed.
const mostBytes = 256 << 10

func storedChanges(cs []tools.Change) []session.Change {
	var out []session.Change
	room := mostBytes
	for _, c := range cs {
		s := session.Change{Path: c.Path, From: c.From, Op: string(c.Op), Thing: string(c.Thing), Files: c.Files, Size: c.Size, Mode: uint32(c.Mode)}
		if room -= len(c.Before) + len(c.After); room >= 0 {
			s.Before, s.After = session.Exact(c.Before), session.Exact(c.After)
		} else {
			s.Large = true
		}
		out = append(out, s)
	}
	return out
}

func effect(c session.Call) tools.Effect {
	return tools.Effect{Kind: tools.Kind(c.Kind), Title: c.Title, Paths: c.Paths, Command: c.Command, Dir: c.Dir, Server: c.Server,
		Detail: c.Detail, Changes: changes(c.Changes)}
}

func changes(cs []session.Change) []tools.Change {
	var out []tools.Change
	for _, c := range cs {
		out = append(out, tools.Change{Path: c.Path, From: c.From, Op: tools.Op(c.Op), Thing: tools.Thing(c.Thing), Files: c.Files, Size: c.Size,
			Mode: fs.FileMode(c.Mode), Before: []byte(c.Before), After: []byte(c.After)})
	}
	return out
}
