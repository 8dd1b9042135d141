package agent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"forge/compact"
	"forge/provider"
)

// Group is a part of the window.
type Group string

// The groups, in the order of a request.
const (
	GroupSystem Group = "system"
	GroupMemory Group = "memory"
	GroupTools  Group = "tools"
	GroupTalk   Group = "talk"
)

// Entry is one item of the window.
type Entry struct {
	ID     string // empty: it is part of every request
	Group  Group
	Kind   string  // of the conversation: a compact.ItemKind
	Owner  string  // of a tool: forge, or a server
	Name   string  // a tool, a file, else the first words
	About  string  // of a call its arguments, of a result its first words
	Of     string  // of a result what its call was given
	Tokens int     // as its server counts, estimated
	Age    int     // turns since
	Cost   float64 // US dollars a turn; what the server has cached is cheaper

	Pinned    bool
	Dropped   bool // by the person
	Collapsed bool // only its ends are told, by the person or a compaction
	Edited    bool // by the person: it can be restored
	Fixed     bool // it can only be looked at
	Short     bool // to drop it would save nothing
	Whole     bool // a result that is too short to be collapsed
}

// Window is what the next request holds.
type Window struct {
	Entries   []Entry
	Tokens    int // of all of it, as the server counts
	Limit     int // where it is shortened; 0: never
	Size      int // of the model's window; 0: unknown
	CostKnown bool
}

// Window lists all that the next request holds, as far as it is known: calls that run
// have no result yet. It may be called from any goroutine at any time.
func (a *Agent) Window() Window {
	o, c, specs, ms, tokens := a.measured()
	w := Window{Tokens: tokens, Limit: c.Limit(), Size: o.model.Window, CostKnown: o.model.Price.Known}
	fixed := func(e Entry, text string) {
		e.Tokens, e.Fixed, e.Age = c.Scaled(compact.Count(text)), true, turnsSince(ms, 0)
		w.Entries = append(w.Entries, e)
	}
	system := o.system
	for _, f := range o.memory {
		system = strings.Replace(system, strings.TrimSpace(f.Text), "", 1)
	}
	fixed(Entry{Group: GroupSystem, Name: "system prompt"}, system)
	for _, f := range o.memory {
		fixed(Entry{Group: GroupMemory, Name: f.Name}, f.Text)
	}
	for _, s := range specs {
		fixed(Entry{Group: GroupTools, Name: s.Name, Owner: a.o.Exec.Tools.Owner(s.Name), About: opening(s.Description)}, ToolText(s.Name, s.Description, s.Schema))
	}
	asked := map[string]string{} // what each call was given, for its result to be known by
	for _, it := range c.Items(ms) {
		e := o.entry(it, ms)
		switch b := ms[it.Message].Blocks[it.Block].(type) {
		case provider.ToolUse:
			if !e.Dropped {
				e.About = given(b.Input)
				asked[b.ID] = e.About
			}
		case provider.ToolResult:
			e.Of = asked[b.ID]
		}
		w.Entries = append(w.Entries, e)
	}
	price := o.model.Price.Input
	if o.cache.holds(o.model.ID, 1, time.Now()) > 0 && o.model.Price.CacheRead > 0 {
		price = o.model.Price.CacheRead
	}
	for i := range w.Entries {
		w.Entries[i].Cost = float64(w.Entries[i].Tokens) * price / 1e6
	}
	return w
}

// measured is what the next request is made of, and a compactor of its own that has
// learned from the conversation how the server counts.
func (a *Agent) measured() (o outlook, c *compact.Compactor, specs []provider.ToolSpec, ms []provider.Message, tokens int) {
	a.mu.Lock()
	o = a.seen
	a.mu.Unlock()
	c, specs = o.compact.Apart(), a.offered(o.model)
	c.Overhead = beside(o.system, specs)
	ms = a.history.sofar()
	return o, c, specs, ms, c.Estimate(ms)
}

// Counter counts the tokens of a text as Window does now. It may be called from any
// goroutine at any time, and what it returns from one.
func (a *Agent) Counter() func(text string) int {
	_, c, _, _, _ := a.measured()
	return func(text string) int { return c.Scaled(compact.Count(text)) }
}

// ToolText is what a model reads of a tool.
func ToolText(name, description string, schema []byte) string {
	return name + description + string(schema)
}

func (o outlook) entry(it compact.Item, ms []provider.Message) Entry {
	e := Entry{ID: it.ID, Group: GroupTalk, Kind: string(it.Kind), Name: it.Name, Tokens: it.Tokens,
		Age: turnsSince(ms, it.Message), Collapsed: it.Trimmed}
	b := ms[it.Message].Blocks[it.Block]
	text := blockText(b)
	switch it.Kind {
	case compact.ItemCall, compact.ItemResult:
		e.About = opening(text)
	case compact.ItemThinking, compact.ItemOpaque:
		e.Fixed = true
	}
	if id, ok := droppedID(b); ok {
		e.ID, e.Dropped, e.Collapsed = id, true, false
	}
	if !e.Dropped && !e.Fixed {
		_, saves := leftOut(it, e.ID, b)
		e.Short = !saves
	}
	if it.Kind == compact.ItemResult && !e.Dropped && !e.Collapsed {
		_, ok := compact.Collapsed(text, "")
		e.Whole = !ok
	}
	e.Pinned, e.Edited = o.pins[e.ID], o.edited[e.ID]
	return e
}

// given is the arguments of a call in a line: the words of an object without its names.
func given(input string) string {
	var out []string
	d := json.NewDecoder(strings.NewReader(input))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return opening(input)
	}
	for d.More() {
		var v any
		if _, err := d.Token(); err != nil || d.Decode(&v) != nil {
			return opening(input)
		}
		switch v := v.(type) {
		case string:
			out = append(out, opening(v))
		case json.Number, bool:
			out = append(out, fmt.Sprint(v))
		}
	}
	if out == nil {
		return opening(input)
	}
	return strings.Join(out, " ")
}

// turnsSince counts the answers after message n.
func turnsSince(ms []provider.Message, n int) int {
	turns := 0
	for _, m := range ms[min(n+1, len(ms)):] {
		if m.Role == provider.Assistant {
			turns++
		}
	}
	return turns
}

func opening(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

func blockText(b provider.Block) string {
	switch b := b.(type) {
	case provider.Text:
		return b.Text
	case provider.Thinking:
		return b.Text
	case provider.ToolUse:
		return b.Input
	case provider.ToolResult:
		return provider.Message{Blocks: b.Content}.PlainText()
	}
	return ""
}
