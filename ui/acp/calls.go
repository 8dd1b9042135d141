package acp

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"forge/agent"
	"forge/tools"
	"forge/ui/found"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Bounds of what is told of a call, in bytes.
const (
	mostText  = 256 << 10 // of a result
	mostLive  = 16 << 10  // the end of the output of a command that runs
	mostInput = 64 << 10  // of arguments, as they are
	mostDiff  = 2 << 20   // of a file before and after
)

// between is how long live output waits for more of it.
const between = 150 * time.Millisecond

// call is one that was told of.
type call struct {
	id    string // as the editor knows it
	over  bool
	out   []byte      // the end of its output
	shown time.Time   // when that was told last
	due   *time.Timer // tells what came too soon behind it; nil: nothing did
}

// key names a call among those of sub-agents: servers number calls anew in every
// conversation.
func key(above, id string) string {
	if above == "" {
		return id
	}
	return above + "/" + id
}

// open finds a call, or begins one under a name no other has; fresh says which.
func (l *teller) open(key string) (c *call, fresh bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.calls[key]; c != nil && !c.over {
		return c, false
	}
	l.times[key]++
	id := key
	if n := l.times[key]; n > 1 {
		id = fmt.Sprintf("%s#%d", key, n)
	}
	if l.to != nil {
		id = past + id
	}
	c = &call{id: id}
	l.calls[key] = c
	return c, true
}

// running finds a call that was told of and is not over; nil: there is none.
func (l *teller) running(key string) *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.calls[key]; c != nil && !c.over {
		return c
	}
	return nil
}

// void ends calls that will never run: their answer is void, or the run is over.
func (l *teller) void() {
	l.mu.Lock()
	var left []string
	for _, c := range l.calls {
		if !c.over {
			c.over = true
			left = append(left, c.id)
		}
	}
	l.mu.Unlock()
	for _, id := range left {
		l.update(update{Kind: "tool_call_update", Call: id, Status: "failed"})
	}
}

// announce tells of a call whose arguments still arrive.
func (l *teller) announce(above string, e agent.ToolInput) {
	c, fresh := l.open(key(above, e.ID))
	if fresh {
		l.update(update{Kind: "tool_call", Call: c.id, Title: titled(above, safe.Line(e.Name)), CallKind: kindOf(e.Name, tools.Effect{}), Status: "pending"})
	}
}

// nested tells what a sub-agent does: its calls, among those of the conversation.
func (r *oneRun) nested(above string, e agent.Nested) {
	at := key(above, e.ID)
	switch inner := e.Event.(type) {
	case agent.Nested:
		r.nested(at, inner)
	case agent.ToolInput:
		if inner.ID != "" {
			r.announce(at, inner)
		}
	case agent.ToolOutput:
		r.output(at, inner)
	case agent.ToolStart, agent.ToolRunning, agent.ToolEnd:
		r.ofCall(at, inner)
	}
}

// titled is the title of a call, marked where a sub-agent makes it.
func titled(above, title string) string {
	if above == "" {
		return title
	}
	return "↳ " + title
}

func (r *oneRun) ofCall(above string, e agent.Event) {
	switch e := e.(type) {
	case agent.ToolStart:
		c, fresh := r.open(key(above, e.ID))
		u := r.started(e.Name, e.Input, e.Effect)
		u.Title = titled(above, u.Title)
		u.Kind, u.Call, u.Status = "tool_call_update", c.id, "pending"
		if fresh {
			u.Kind = "tool_call"
		}
		r.update(u)
	case agent.ToolRunning:
		if c := r.running(key(above, e.ID)); c != nil {
			r.update(update{Kind: "tool_call_update", Call: c.id, Status: "in_progress"})
		}
	case agent.ToolEnd:
		c, fresh := r.open(key(above, e.ID))
		u := update{Kind: "tool_call_update", Call: c.id, Status: "completed"}
		if content := r.ended(e); len(content) > 0 {
			u.Content = content
		}
		if fresh { // it could not be prepared, and its arguments were not told of
			u.Kind, u.Title, u.CallKind = "tool_call", titled(above, safe.Line(e.Name)), kindOf(e.Name, tools.Effect{})
		}
		if e.Result.IsError || e.Result.Refused {
			u.Status = "failed"
		}
		r.mu.Lock()
		c.over, c.out = true, nil
		r.mu.Unlock()
		r.update(u)
		if e.Name == "todo" && above == "" && !r.again && u.Status == "completed" {
			r.plan()
		}
	}
}

// started is what is known of a call before it runs: what it would do, whole.
func (l *teller) started(name, input string, e tools.Effect) update {
	u := update{Title: safe.Line(lang.Title(e.Title)), CallKind: kindOf(name, e), Locations: l.locations(e)}
	if u.Title == "" {
		u.Title = safe.Line(name)
	}
	if in := strings.TrimSpace(input); strings.HasPrefix(in, "{") && len(in) <= mostInput && json.Valid([]byte(in)) && utf8.ValidString(in) {
		u.RawInput = json.RawMessage(in)
	}
	var part struct {
		From int `json:"offset"`
	}
	if name == "read_file" && len(u.Locations) == 1 && json.Unmarshal(u.RawInput, &part) == nil && part.From > 0 {
		u.Locations[0].Line = part.From
	}
	if content := l.changes(e.Changes); len(content) > 0 {
		u.Content = content
	}
	return u
}

// ended is what came of a call.
func (l *teller) ended(e agent.ToolEnd) []callContent {
	out := l.changes(e.Changes)
	if e.Result.Review != "" {
		out = append(out, text(fenced(e.Result.Review)))
	}
	if len(out) > 0 && len(e.Result.Found) > 0 { // else the text says it
		out = append(out, text(fenced(whatWasFound(e.Result.Found))))
	}
	if len(out) == 0 || e.Result.IsError || e.Result.Refused {
		said := strings.TrimRight(safe.Output(tools.Unrepeated(e.Result)), "\n")
		if len(said) > mostText {
			said = strings.ToValidUTF8(said[:mostText], "") + "\n…"
		}
		switch {
		case said == "":
		case e.Result.Refused:
			out = append(out, text(refused(said)))
		default:
			out = append(out, text(fenced(said)))
		}
	}
	for _, img := range e.Result.Images {
		out = append(out, callContent{Type: "content", Content: &block{Type: "image", Data: img.Data, MIME: img.MIME}})
	}
	return out
}

// whatWasFound is what somebody says of the files a call has changed.
func whatWasFound(all []tools.Found) string {
	var lines []string
	for _, f := range all {
		for _, l := range found.Lines(f) {
			lines = append(lines, safe.Line(l))
		}
	}
	return strings.Join(lines, "\n")
}

// refused is why a call was not run, for a person: the words are the model's.
func refused(said string) string {
	said = strings.TrimPrefix(said, "not run: ")
	if said == "the user declined; do something else or ask what they want" {
		return lang.T("denied")
	}
	return lang.Said(said)
}

func text(s string) callContent {
	b := textBlock(s)
	return callContent{Type: "content", Content: &b}
}

// Fenced is a text that is not to be read as Markdown; language says what it is.
func Fenced(language, s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + language + "\n" + s + "\n" + fence
}

func fenced(s string) string { return Fenced("", s) }

// output tells what a command writes, as far as it is the end of it, and not more often
// than a person can see.
func (r *oneRun) output(above string, e agent.ToolOutput) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.calls[key(above, e.ID)]
	if c == nil || c.over { // a tool that was left behind goes on writing
		return
	}
	c.out = append(c.out, e.Text...)
	if over := len(c.out) - mostLive; over > 0 {
		c.out = append(c.out[:0], c.out[over:]...)
	}
	wait := between - time.Since(c.shown)
	switch {
	case wait <= 0:
		r.live(c)
	case c.due == nil: // it may be the last for long
		c.due = time.AfterFunc(wait, func() {
			defer r.t.home.recovered()
			r.mu.Lock()
			defer r.mu.Unlock()
			if c.due = nil; !c.over {
				r.live(c)
			}
		})
	}
}

// live tells the output so far. The lock is held until it is sent: nothing of it comes
// behind the end of the call.
func (l *teller) live(c *call) {
	c.shown = time.Now()
	end := strings.ToValidUTF8(string(c.out), "")
	l.update(update{Kind: "tool_call_update", Call: c.id, Content: []callContent{text(fenced(strings.TrimRight(safe.Output(end), "\n")))}})
}
