package openai

import (
	"crypto/rand"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// call is one tool call as it grows.
type call struct {
	at       int // its block
	id       string
	wireID   string
	name     string
	extra    string
	label    int64 // the server's index: a label, never a position
	labelled bool
	started  bool   // ToolUseStart went out
	quoted   bool   // the arguments come as a JSON string that holds the object
	held     []byte // arguments that cannot go out yet
	seen     []byte // the arguments, kept only where they must tell calls apart
	size     int
}

func (d *decoder) toolCalls(list gjson.Result, whole bool) {
	list.ForEach(func(_, v gjson.Result) bool {
		if v.IsObject() {
			d.toolCall(v, whole)
		}
		return true
	})
}

// toolCall takes one entry of tool_calls: a call's beginning, a further piece of
// one, or (with whole) a finished call.
func (d *decoder) toolCall(v gjson.Result, whole bool) {
	var label int64
	var labelled bool
	var id, name, args, extra gjson.Result
	v.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "index":
			if v.Type != gjson.Null {
				label, labelled = v.Int(), true
			}
		case "id":
			id = v
		case "extra_content":
			extra = v
		case "name":
			name = v
		case "arguments", "input":
			args = v
		case "function", "custom":
			v.ForEach(func(key, v gjson.Result) bool {
				switch key.Str {
				case "name":
					name = v
				case "arguments", "input":
					args = v
				}
				return true
			})
		}
		return true
	})
	wireID := id.String()
	if id.Type == gjson.Null {
		wireID = ""
	}
	if !whole && wireID == "" && name.Str == "" && blank(args) && d.labelled(label, labelled) == nil {
		return // a place held for a call that may never come
	}
	d.payload++
	c := d.find(label, labelled, wireID, name.Str, whole)
	renamed := false
	if c.wireID == "" && wireID != "" {
		c.wireID, renamed = strings.Clone(wireID), c.started
	}
	if c.name == "" && name.Str != "" {
		c.name = strings.Clone(name.Str)
	}
	if extra.IsObject() && extra.Raw != "{}" {
		c.extra = strings.Clone(extra.Raw)
		renamed = renamed || c.started
	}
	if renamed {
		d.startCall(c)
	}
	d.arguments(c, args)
}

// blank reports whether arguments say nothing yet.
func blank(args gjson.Result) bool {
	return args.Type == gjson.Null || args.Type == gjson.String && args.Str == ""
}

// labelled returns the newest call with the server's index, or without an index
// the newest of all.
func (d *decoder) labelled(label int64, given bool) *call {
	for i := len(d.calls) - 1; i >= 0; i-- {
		if c := d.calls[i]; !given || c.labelled && c.label == label {
			return c
		}
	}
	return nil
}

// find returns the call an entry belongs to, or begins one. Servers give all
// parallel calls index 0, leave the index out, repeat or blank the id: an id that
// is new begins a call, an entry without one continues the last with its label.
func (d *decoder) find(label int64, labelled bool, id, name string, whole bool) *call {
	if whole {
		return d.newCall(label, labelled)
	}
	if labelled {
		for i := len(d.calls) - 1; i >= 0; i-- {
			c := d.calls[i]
			if !c.labelled || c.label != label {
				continue
			}
			if id == "" || c.wireID == "" || c.wireID == id {
				return c
			}
			break // the label was given to another call
		}
		// A known id under another label continues its call, unless it opens one.
		if c := d.byID(id); c != nil && (name == "" || c.labelled && c.label == label) {
			return c
		}
		return d.newCall(label, labelled)
	}
	if id != "" {
		if c := d.byID(id); c != nil {
			return c
		}
		if n := len(d.calls); n > 0 && d.calls[n-1].wireID == "" && name == "" {
			return d.calls[n-1]
		}
		return d.newCall(label, labelled)
	}
	if n := len(d.calls); n > 0 {
		last := d.calls[n-1]
		if name == "" || last.name == "" || last.name == name && !gjson.ValidBytes(last.seen) {
			return last
		}
	}
	return d.newCall(label, labelled)
}

func (d *decoder) byID(id string) *call {
	if id == "" {
		return nil
	}
	for i := len(d.calls) - 1; i >= 0; i-- {
		if d.calls[i].wireID == id {
			return d.calls[i]
		}
	}
	return nil
}

func (d *decoder) newCall(label int64, labelled bool) *call {
	c := &call{at: d.next, id: d.opts.NewID(), label: label, labelled: labelled}
	d.next++
	d.open = blockNone
	d.calls = append(d.calls, c)
	return c
}

// functionCall is the format before tool_calls: one call, without an id.
func (d *decoder) functionCall(v gjson.Result) {
	d.payload++
	var c *call
	if n := len(d.calls); n > 0 {
		c = d.calls[n-1]
	} else {
		c = d.newCall(0, false)
	}
	if name := v.Get("name"); c.name == "" && name.Str != "" {
		c.name = own(name)
	}
	d.arguments(c, v.Get("arguments"))
}

// arguments takes a further piece of c's arguments.
func (d *decoder) arguments(c *call, v gjson.Result) {
	piece := ""
	switch v.Type {
	case gjson.String:
		piece = own(v)
	case gjson.JSON:
		piece = provider.ObjectText(v.Raw)
	case gjson.Number, gjson.True, gjson.False:
		piece = strings.Clone(v.Raw)
	}
	// The start goes out with the name, so that an eye sees what is being written.
	if !c.started && c.name != "" {
		d.startCall(c)
	}
	if piece == "" {
		return
	}
	if c.size == 0 {
		c.quoted = strings.HasPrefix(strings.TrimLeft(piece, " \t\r\n"), `"`)
	}
	c.size += len(piece)
	if !c.labelled {
		c.seen = append(c.seen, piece...)
	}
	if c.quoted || !c.started {
		c.held = append(c.held, piece...)
		return
	}
	d.emit(provider.ToolUseDelta{Index: c.at, JSON: piece})
}

func (d *decoder) startCall(c *call) {
	c.started = true
	d.emit(provider.ToolUseStart{Index: c.at, ID: c.id, WireID: c.wireID, Name: c.name, Extra: c.extra})
	if len(c.held) > 0 && !c.quoted {
		d.emit(provider.ToolUseDelta{Index: c.at, JSON: string(c.held)})
		c.held = nil
	}
}

// flushCalls sends what was held back. Only a call the server finished gets {} for
// arguments it left out: after a cut they are missing, not empty.
func (d *decoder) flushCalls(finished bool) {
	for _, c := range d.calls {
		if !c.started {
			d.startCall(c)
		}
		if len(c.held) > 0 {
			d.emit(provider.ToolUseDelta{Index: c.at, JSON: unquote(c.held)})
			c.held = nil
		}
		if finished && c.size == 0 {
			d.emit(provider.ToolUseDelta{Index: c.at, JSON: "{}"})
		}
	}
}

// unquote undoes the double encoding of arguments: a string that holds an object.
func unquote(held []byte) string {
	var s string
	if json.Unmarshal(held, &s) == nil {
		if t := strings.TrimSpace(s); strings.HasPrefix(t, "{") || t == "" {
			return s
		}
	}
	return string(held)
}

// newID makes a call id that is unique in any session and fits every server that
// takes letters and digits.
func newID() string { return "call" + rand.Text()[:16] }
