package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"forge/agent/session"
	"forge/compact"
	"forge/lazy"
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

// What stands in the place of a dropped item says so, and names it, so that it can be
// found again.
const dropMark = compact.LeftMark + "about %d tokens, %s]"

var dropped = lazy.Regexp{Expr: `^\[left out by the user: about \d+ tokens, ([^\]\s]+)\]$`}

func droppedID(b provider.Block) (string, bool) {
	text := blockText(b)
	if u, ok := b.(provider.ToolUse); ok {
		var in map[string]string
		if json.Unmarshal([]byte(u.Input), &in) != nil {
			return "", false
		}
		text = in["left_out"]
	}
	if m := dropped.Get().FindStringSubmatch(text); m != nil {
		return m[1], true
	}
	return "", false
}

// find looks an item up, as it stands now.
func (a *Agent) find(id string) (it compact.Item, e Entry, b provider.Block, err error) {
	if id == "" {
		return it, e, nil, ErrFixed
	}
	ms, o := a.history.view(), a.inForce()
	for _, it := range a.compactor().Items(ms) {
		if e := o.entry(it, ms); e.ID == id {
			return it, e, ms[it.Message].Blocks[it.Block], nil
		}
	}
	return it, e, nil, ErrNoItem
}

// TextOf is an item as the model sees it.
func (a *Agent) TextOf(id string) (string, error) {
	_, _, b, err := a.find(id)
	if err != nil {
		return "", err
	}
	return blockText(b), nil
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
	text, saves := leftOut(it, id, b)
	if !saves {
		return ErrShort
	}
	if e.Pinned {
		a.pin(id, false)
	}
	return a.edit(session.Edit{ID: id, At: it.Message, Block: it.Block, Text: text}, "something was left out by the person")
}

// leftOut is what stands in the place of an item that is dropped, and whether that is
// shorter.
func leftOut(it compact.Item, id string, b provider.Block) (text string, saves bool) {
	text = fmt.Sprintf(dropMark, it.Tokens, id)
	if _, call := b.(provider.ToolUse); call {
		in, _ := json.Marshal(map[string]string{"left_out": text}) // of strings: it cannot fail
		text = string(in)
	}
	if _, image := b.(provider.Image); image {
		return text, true
	}
	return text, it.Tokens > longItem || compact.Count(text) < compact.Count(blockText(b))
}

// longItem is how many tokens are longer than any mark, however a server counts.
const longItem = 1000

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
	if where := a.whole(id, text); where != "" {
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
	a.lookAgain()
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
	a.lookAgain()
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
