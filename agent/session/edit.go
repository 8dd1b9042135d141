package session

import (
	"reflect"
	"slices"

	"forge/provider"
)

// Edit says that the person wants a block of the history told otherwise: block number
// Block of message At, counted in the history as it was then. Text stands in its place
// from here on; with Restore, what was there stands there again. ID names what is
// edited over all of its edits.
type Edit struct {
	ID      string `json:"id"`
	At      int    `json:"at"`
	Block   int    `json:"block"`
	Text    string `json:"text,omitempty"`
	Restore bool   `json:"restore,omitempty"`
}

// Pin says that an item of the history survives every compaction word for word, or
// with Off that it need not any more.
type Pin struct {
	ID  string `json:"id"`
	Off bool   `json:"off,omitempty"`
}

// Pins are the items that are pinned after these records.
func Pins(rs []Record) map[string]bool {
	pins := map[string]bool{}
	for _, r := range rs {
		switch {
		case r.Pin == nil:
		case r.Pin.Off:
			delete(pins, r.Pin.ID)
		default:
			pins[r.Pin.ID] = true
		}
	}
	return pins
}

// Edited lists the items whose blocks are told otherwise after these records.
func Edited(rs []Record) map[string]bool {
	out := map[string]bool{}
	for _, r := range rs {
		switch {
		case r.Edit == nil:
		case r.Edit.Restore:
			delete(out, r.Edit.ID)
		default:
			out[r.Edit.ID] = true
		}
	}
	return out
}

// edited is a block before its first edit, and what it was replaced by.
type edited struct {
	was, is provider.Block
	off     bool // it was restored
}

// edit applies an edit. Like a cut it changes what was said before, so reasoning
// bound to it goes, and usage that counted it. A block keeps its kind and its ID: each
// call stays answered.
func (v *view) edit(e Edit) {
	if e.At < 0 || e.At >= len(v.ms) || e.Block < 0 || e.Block >= len(v.ms[e.At].Blocks) {
		return
	}
	if v.edits == nil {
		v.edits = map[string]*edited{}
	}
	b := v.ms[e.At].Blocks[e.Block]
	known := v.edits[e.ID]
	switch {
	case known == nil && e.Restore:
		return
	case known == nil || known.off:
		known = &edited{was: b}
		v.edits[e.ID] = known
	}
	if known.off = e.Restore; e.Restore {
		v.swap(known.is, known.was)
		known.is = nil
	} else {
		is := replaced(known.was, e.Text)
		v.put(e.At, e.Block, is)
		known.is = is
	}
	v.loosen()
}

// loosen takes away what was bound to the history as it was before an edit.
func (v *view) loosen() {
	if last := len(v.undo) - 1; last >= 0 && v.undo[last].left <= len(v.ms) {
		v.undo[last].left = len(unbound(v.ms[:v.undo[last].left]))
	}
	v.ms = unbound(v.ms)
}

// again makes the edits hold in a history that an undo brought back.
func (v *view) again() {
	for _, e := range v.edits {
		if e.is != nil {
			v.swap(e.was, e.is)
		}
	}
}

// swap puts one block in the place of another, wherever that is.
func (v *view) swap(old, with provider.Block) {
	for i, m := range v.ms {
		for j, b := range m.Blocks {
			if reflect.DeepEqual(b, old) {
				v.put(i, j, with)
				return
			}
		}
	}
}

func (v *view) put(at, block int, b provider.Block) {
	v.ms = slices.Clone(v.ms)
	bs := slices.Clone(v.ms[at].Blocks)
	bs[block] = b
	v.ms[at].Blocks = bs
}

// replaced is a block of the same kind that says only text.
func replaced(b provider.Block, text string) provider.Block {
	switch b := b.(type) {
	case provider.ToolResult:
		b.Content = []provider.Block{provider.Text{Text: text}}
		return b
	case provider.ToolUse:
		b.Input = text
		return b
	}
	return provider.Text{Text: text}
}
