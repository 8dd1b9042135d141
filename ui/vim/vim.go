// Package vim edits a text by the keys of vi.
//
// It owns the modes, the grammar of counts, operators, motions and text objects, the
// register, and what a dot repeats. It is a machine without a screen: whoever writes
// hands it a key and the text as it stands, and takes back what became of it; undo,
// moves between wrapped rows and the history are the writer's own and come back as
// wishes. It imports nothing of forge.
package vim

import "strings"

// Mode is what keys mean.
type Mode int

// The modes.
const (
	Insert Mode = iota
	Normal
	Visual // from a character to another
	Lines  // whole lines
)

// Text is what is edited. Cur is a byte offset between clusters.
type Text struct {
	Text string
	Cur  int
	// Next returns the border after the cluster at an offset; clusters are what a
	// person takes for one character, and what must not be cut apart.
	Next func(text string, at int) int
	// Kind sorts the cluster a text begins with: 0 is a blank, a run of one kind is a
	// word.
	Kind func(text string) int
	// Kept is what was cut last by whoever; if that was not this machine, a put puts it.
	Kept string
}

// Done is what became of a key.
type Done struct {
	Handled bool // false: the key means nothing here, and the text is as it was
	Text    string
	Cur     int
	Changed bool   // the text is another: undo goes back to what was before
	Cut     string // what was taken; empty: nothing
	Undo    int    // how often to undo, or, below zero, to redo; the text is as it was
	Rows    int    // how many rows to move down, or, below zero, up; the text is as it was
}

// Vim is the state between keys. The zero value is in insert mode.
type Vim struct {
	mode    Mode
	anchor  int // where a selection began
	typed   []string
	keys    []string // of them those that are no count
	count   int      // before the operator, and after it; 0: none
	more    int
	op      string // d, c, y, >, <; empty: none
	wait    string // a key that needs another: f F t T r g i a
	find    [2]string
	reg     string
	lines   bool // the register holds whole lines
	last    change
	entry   entry
	dotting bool
}

// change is what a dot repeats.
type change struct {
	keys  []string
	count int
	words string // what was typed in it
}

// entry is where writing began.
type entry struct {
	on            bool
	before, after string
	times         int  // how often what was typed is wanted
	line          bool // each on a line of its own
}

// Mode is the mode in force.
func (v *Vim) Mode() Mode { return v.mode }

// Pending is what was pressed of a command that is not whole yet.
func (v *Vim) Pending() string { return strings.Join(v.typed, "") }

// Reset goes back to insert mode, for another text; the register and what a dot
// repeats stay.
func (v *Vim) Reset() {
	v.mode, v.entry = Insert, entry{}
	v.clear()
}

func (v *Vim) clear() {
	v.typed, v.keys, v.count, v.more, v.op, v.wait = nil, nil, 0, 0, "", ""
}

// Selected is what is selected in a visual mode.
func (v *Vim) Selected(t Text) (from, to int, ok bool) {
	if v.mode != Visual && v.mode != Lines {
		return 0, 0, false
	}
	b := &buffer{Text: t}
	from, to = b.span(v.anchor, v.mode)
	return from, to, true
}

// Claims reports whether a key is the machine's even where it has another meaning
// outside of the text: Esc while something can be left, ctrl+r while it is redo.
func (v *Vim) Claims(key string) bool {
	switch key {
	case "esc":
		return v.mode != Normal || len(v.typed) > 0
	case "ctrl+r":
		return v.mode == Normal
	}
	return len(v.typed) > 0 && len(key) == 1
}

// Key takes a key, by its name. In insert mode only Esc is taken: what is typed is
// written by the writer.
func (v *Vim) Key(key string, t Text) Done {
	b := &buffer{Text: t, was: t.Text}
	handled := true
	if v.mode == Insert {
		if handled = key == "esc"; handled {
			v.leave(b)
		}
	} else {
		handled = v.press(b, key)
	}
	if !handled {
		return Done{Text: t.Text, Cur: t.Cur}
	}
	if v.mode == Normal {
		b.clamp()
	}
	return Done{Handled: true, Text: b.Text.Text, Cur: b.Cur, Changed: b.Text.Text != b.was, Cut: b.cut, Undo: b.undo, Rows: b.rows}
}

// Settle moves the cursor of normal mode onto a character, after somebody else moved
// it.
func (v *Vim) Settle(t Text) int {
	b := &buffer{Text: t}
	if v.mode == Normal {
		b.clamp()
	}
	return b.Cur
}

// enter begins to write.
func (v *Vim) enter(b *buffer, times int) {
	v.mode = Insert
	v.entry = entry{on: true, before: b.Text.Text[:b.Cur], after: b.Text.Text[b.Cur:], times: times}
}

// leave ends it: what was typed is repeated as often as was wanted, and remembered
// for a dot.
func (v *Vim) leave(b *buffer) {
	e, text := v.entry, b.Text.Text
	v.mode, v.entry = Normal, entry{}
	if e.on && len(text) >= len(e.before)+len(e.after) && strings.HasPrefix(text, e.before) && strings.HasSuffix(text, e.after) {
		words := text[len(e.before) : len(text)-len(e.after)]
		if !v.dotting {
			v.last.words = words
		}
		for i := 1; i < e.times && words != ""; i++ {
			if e.line {
				b.put("\n" + words)
			} else {
				b.put(words)
			}
		}
	}
	if b.Cur > b.lineStart(b.Cur) {
		b.Cur = b.prev(b.Cur)
	}
	v.clear()
}
