package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"sync"
	"time"

	"forge/agent/session"
	"forge/compact"
	"forge/provider"
)

// Errors of what a person does with the items of the window.
var (
	ErrNoItem  = errors.New("that is not in the window any more")
	ErrFixed   = errors.New("that is part of every request and cannot be left out here")
	ErrBound   = errors.New("reasoning belongs to the answer behind it, and goes with a compaction")
	ErrShort   = errors.New("that is too short to save anything")
	ErrNotLeft = errors.New("nothing of that was left out by you; /uncompact takes a compaction back")
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
	Tokens int     // as its server counts, estimated
	Age    int     // turns since
	Cost   float64 // US dollars a turn; what the server has cached is cheaper

	Pinned    bool
	Dropped   bool // by the person
	Collapsed bool // only its ends are told, by the person or a compaction
	Edited    bool // by the person: it can be restored
	Fixed     bool // it can only be looked at
}

// Window is what the next request holds.
type Window struct {
	Entries   []Entry
	Tokens    int // of all of it, as the server counts
	Limit     int // where it is shortened; 0: never
	Size      int // of the model's window; 0: unknown
	CostKnown bool
}

// Window lists all that the next request holds.
func (a *Agent) Window() Window {
	r, c := a.newRun(nil), a.compactor()
	c.Overhead = r.overhead()
	ms := a.history.view()
	w := Window{Tokens: c.Estimate(ms), Limit: c.Limit(), Size: a.o.Model.Window, CostKnown: a.o.Model.Price.Known}
	fixed := func(e Entry, text string) {
		e.Tokens, e.Fixed, e.Age = c.Scaled(compact.Count(text)), true, turnsSince(ms, 0)
		w.Entries = append(w.Entries, e)
	}
	system := a.o.System
	for _, f := range a.o.Memory {
		system = strings.Replace(system, strings.TrimSpace(f.Text), "", 1)
	}
	fixed(Entry{Group: GroupSystem, Name: "system prompt"}, system)
	for _, f := range a.o.Memory {
		fixed(Entry{Group: GroupMemory, Name: f.Name}, f.Text)
	}
	for _, s := range r.specs() {
		fixed(Entry{Group: GroupTools, Name: s.Name, Owner: a.o.Exec.Tools.Owner(s.Name), About: opening(s.Description)}, s.Name+s.Description+string(s.Schema))
	}
	for _, it := range c.Items(ms) {
		w.Entries = append(w.Entries, a.entry(it, ms))
	}
	price := a.o.Model.Price.Input
	if a.cache.holds(a.o.Model.ID, 1, time.Now()) > 0 && a.o.Model.Price.CacheRead > 0 {
		price = a.o.Model.Price.CacheRead
	}
	for i := range w.Entries {
		w.Entries[i].Cost = float64(w.Entries[i].Tokens) * price / 1e6
	}
	return w
}

func (a *Agent) entry(it compact.Item, ms []provider.Message) Entry {
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
	e.Pinned, e.Edited = a.pins[e.ID], a.edited[e.ID]
	return e
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

// What stands in the place of a dropped item says so, and names it, so that it can be
// found again.
const dropMark = "[left out by the user: about %d tokens, %s]"

var dropped = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[left out by the user: about \d+ tokens, ([^\]\s]+)\]$`)
})

func droppedID(b provider.Block) (string, bool) {
	text := blockText(b)
	if u, ok := b.(provider.ToolUse); ok {
		var in map[string]string
		if json.Unmarshal([]byte(u.Input), &in) != nil {
			return "", false
		}
		text = in["left_out"]
	}
	if m := dropped().FindStringSubmatch(text); m != nil {
		return m[1], true
	}
	return "", false
}

// find looks an item up, as it stands now.
func (a *Agent) find(id string) (it compact.Item, e Entry, b provider.Block, err error) {
	if id == "" {
		return it, e, nil, ErrFixed
	}
	ms := a.history.view()
	for _, it := range a.compactor().Items(ms) {
		if e := a.entry(it, ms); e.ID == id {
			return it, e, ms[it.Message].Blocks[it.Block], nil
		}
	}
	return it, e, nil, ErrNoItem
}

// Drop leaves an item out of all further requests. The call or result it is keeps its
// place, so that each call stays answered.
func (a *Agent) Drop(id string) error {
	it, e, b, err := a.find(id)
	switch {
	case err != nil:
		return err
	case e.Fixed:
		return ErrBound
	case e.Dropped:
		return nil
	}
	text := fmt.Sprintf(dropMark, it.Tokens, id)
	if _, call := b.(provider.ToolUse); call {
		in, err := json.Marshal(map[string]string{"left_out": text})
		if err != nil {
			return err
		}
		text = string(in)
	}
	if _, image := b.(provider.Image); !image && compact.Count(text) >= compact.Count(blockText(b)) {
		return ErrShort
	}
	if e.Pinned {
		a.pin(id, false)
	}
	return a.edit(session.Edit{ID: id, At: it.Message, Block: it.Block, Text: text}, "something was left out by the person")
}

// Collapse tells a result by its two ends from here on; the whole of it stays on disk.
func (a *Agent) Collapse(id string) error {
	it, e, b, err := a.find(id)
	if err != nil {
		return err
	}
	if it.Kind != compact.ItemResult || e.Dropped || e.Collapsed {
		return ErrShort
	}
	text := blockText(b)
	short, ok := compact.Collapsed(text, "")
	if !ok {
		return ErrShort
	}
	if where := a.newRun(nil).whole(id, text); where != "" {
		short, _ = compact.Collapsed(text, where)
	}
	return a.edit(session.Edit{ID: id, At: it.Message, Block: it.Block, Text: short}, "a result was shortened by the person")
}

// Restore takes Drop and Collapse back.
func (a *Agent) Restore(id string) error {
	it, e, _, err := a.find(id)
	switch {
	case err != nil:
		return err
	case !e.Edited:
		return ErrNotLeft
	}
	return a.edit(session.Edit{ID: id, At: it.Message, Block: it.Block, Restore: true}, "something left out was brought back by the person")
}

// Pin makes an item survive every compaction word for word, or lets it go again. It
// holds over a resume.
func (a *Agent) Pin(id string, on bool) error {
	_, e, _, err := a.find(id)
	switch {
	case err != nil:
		return err
	case e.Fixed:
		return ErrBound
	case e.Dropped:
		return ErrNoItem
	}
	a.pin(id, on)
	return nil
}

func (a *Agent) pin(id string, on bool) {
	pins := maps.Clone(a.pins)
	if pins == nil {
		pins = map[string]bool{}
	}
	if delete(pins, id); on {
		pins[id] = true
	}
	a.pins = pins
	a.history.note(session.Record{Pin: &session.Pin{ID: id, Off: !on}})
}

func (a *Agent) edit(e session.Edit, why string) error {
	if err := a.history.edit(e); err != nil {
		return err
	}
	edited := maps.Clone(a.edited)
	if edited == nil {
		edited = map[string]bool{}
	}
	if delete(edited, e.ID); !e.Restore {
		edited[e.ID] = true
	}
	a.edited = edited
	a.cache.changed(why)
	return nil
}

// edit makes the history what the records say with this one: live and resumed it is
// the same.
func (h *history) edit(e session.Edit) error {
	rs, err := h.all()
	if err != nil {
		return err
	}
	r := session.Record{Edit: &e}
	ms := session.Messages(append(rs[:len(rs):len(rs)], r))
	h.mu.Lock()
	h.ms = ms
	h.mu.Unlock()
	h.note(r)
	return nil
}
