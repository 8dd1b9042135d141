package session

import (
	"slices"

	"forge/provider"
)

// Cut says that the messages before index From, counted in the history as it was
// then, are told by Summary from here on. Before and After are estimated tokens.
type Cut struct {
	Summary string          `json:"summary"`
	From    int             `json:"from"`
	Before  int             `json:"before,omitempty"`
	After   int             `json:"after,omitempty"`
	Own     string          `json:"own,omitempty"`   // why forge wrote the summary itself; empty: a model did
	Usage   *provider.Usage `json:"usage,omitempty"` // what making the summary cost
	Cost    *float64        `json:"cost,omitempty"`
}

// Strip says that the messages before index Before lost a kind of block that
// their server refused to take back.
type Strip struct {
	Before int    `json:"before"`
	What   string `json:"what"` // StripThinking or StripImages
}

// What a Strip takes away.
const (
	StripThinking = "thinking"
	StripImages   = "images"
)

// Trim says that results of calls are told by shorter texts from here on; the
// whole ones stay in their messages' records. Part says that the cut that follows
// belongs to it. Before and After are estimated tokens.
type Trim struct {
	Results []Trimmed `json:"results"`
	Part    bool      `json:"part,omitempty"`
	Before  int       `json:"before,omitempty"`
	After   int       `json:"after,omitempty"`
}

// Trimmed is the shorter text of the result of the call ID.
type Trimmed struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// Undo says that the last cut or trim that was not undone yet holds no longer: the
// history is again what it was, with what was said since.
// Before and After are estimated tokens.
type Undo struct {
	Before int `json:"before,omitempty"`
	After  int `json:"after,omitempty"`
}

// Apply returns a history with the results shortened. Like a cut it changes what
// was said before, so reasoning that is bound to it goes, and usage that counted
// it.
func (t Trim) Apply(ms []provider.Message) []provider.Message {
	short := make(map[string]string, len(t.Results))
	for _, r := range t.Results {
		short[r.ID] = r.Text
	}
	out := unbound(ms)
	for i := range out {
		out[i].Blocks = slices.Clone(out[i].Blocks)
		for j, b := range out[i].Blocks {
			if r, ok := b.(provider.ToolResult); ok {
				if text, ok := short[r.ID]; ok {
					r.Content = []provider.Block{provider.Text{Text: text}}
					out[i].Blocks[j] = r
				}
			}
		}
	}
	return out
}

// unbound returns messages whose beginning has changed: without the reasoning a
// server may have bound to it, and without the usage that counted it.
func unbound(ms []provider.Message) []provider.Message {
	out := strip(ms, boundThinking)
	for i := range out {
		out[i].Usage = provider.Usage{}
	}
	return out
}

// shortens reports whether a record changes what the model sees of the ones
// before.
func (r Record) shortens() bool {
	return r.Cut != nil || r.Strip != nil || r.Trim != nil || r.Undo != nil || r.Edit != nil
}

// view is a history on its way through the records, with what an undo needs.
type view struct {
	ms     []provider.Message
	undo   []shortened
	edits  map[string]*edited
	settle func([]provider.Message) []provider.Message // answers every call
}

// shortened is the history before a cut or trim, and how many messages it had
// left right after it.
type shortened struct {
	before []provider.Message
	left   int
	part   bool // a trim that belongs to the cut after it
}

func (v *view) shorten(r Record) {
	before := v.settle(v.ms) // an index counts what a model saw
	switch {
	case r.Cut != nil:
		v.ms = v.settle(r.Cut.Apply(before))
		v.undo = append(v.undo, shortened{before: before, left: len(v.ms)})
	case r.Trim != nil:
		v.ms = v.settle(r.Trim.Apply(before))
		v.undo = append(v.undo, shortened{before: before, left: len(v.ms), part: r.Trim.Part})
	case r.Undo != nil:
		v.ms = before
		v.back()
		v.again()
	case r.Edit != nil:
		v.ms = before
		v.edit(*r.Edit)
	default:
		v.ms = before
		v.strip(*r.Strip)
	}
}

func (v *view) back() {
	n := len(v.undo) - 1
	if n < 0 {
		return
	}
	last := v.undo[n]
	since := v.ms[min(last.left, len(v.ms)):]
	if n > 0 && v.undo[n-1].part {
		n--
	}
	v.ms = append(slices.Clip(v.undo[n].before), unbound(since)...)
	v.undo = v.undo[:n]
}

// strip takes blocks away from what an undo would bring back, too: the server will
// not like them better then.
func (v *view) strip(s Strip) {
	n := min(max(s.Before, 0), len(v.ms))
	if last := len(v.undo) - 1; last >= 0 && v.undo[last].left <= len(v.ms) {
		left := v.undo[last].left
		v.undo[last].left = len(Strip{Before: min(n, left), What: s.What}.Apply(v.ms[:left]))
	}
	for i, u := range v.undo {
		v.undo[i].before = Strip{Before: len(u.before), What: s.What}.Apply(u.before)
	}
	v.ms = s.Apply(v.ms)
}

// CanUndo reports whether there is a cut or trim an Undo would take back.
func CanUndo(rs []Record) bool {
	open := 0
	part := false // the record before was a trim that belongs to the next one
	for _, r := range rs {
		switch {
		case r.Cut != nil || r.Trim != nil:
			if !part {
				open++
			}
			part = r.Trim != nil && r.Trim.Part
		case r.Undo != nil && open > 0:
			open--
		}
	}
	return open > 0
}
