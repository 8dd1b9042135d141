package ui

import (
	"strings"

	"forge/agent"
	"forge/tools"
	"forge/ui/crew"
	"forge/ui/lang"
)

// hire makes a call the card of a sub-agent; one that works now is followed.
func (c *conversation) hire(p *call) {
	p.version++
	p.sub = c.crew.Find(p.id)
	if p.track == nil && p.sub != nil && !c.quiet && !p.over() {
		p.track = newTrack(p.sub, c.kept, c.now)
	}
}

// nested takes an event of the sub-agent that runs as a call.
func (c *conversation) nested(e agent.Nested) {
	p := c.call(e.ID, "")
	c.hire(p)
	if p.track != nil {
		p.track.take(e.Event, c.now)
	}
}

// children are the last steps of the sub-agent that runs as the call.
func (c *call) children(d *drawing, w int) []string {
	steps, gone := c.sub.Steps()
	from := 0
	if !d.expanded {
		from = max(0, len(steps)-nestedRows)
	}
	var rows []string
	if gone+from > 0 {
		rows = append(rows, d.th.Faint.Apply(lang.T("%s above", plural(gone+from, "step"))))
	}
	for _, l := range steps[from:] {
		glyph, style := d.th.Glyphs.Sep, d.th.Muted
		switch l.State {
		case crew.Words:
		case crew.Done:
			glyph, style = d.th.Glyphs.Ok, d.th.Ok
		case crew.Failed, crew.Refused:
			glyph, style = d.th.Glyphs.Fail, d.th.Error
		default:
			glyph, style = d.th.Glyphs.Ring, d.th.Accent
		}
		text := strings.TrimSpace(l.Text)
		if text == "" {
			continue
		}
		if l.State == crew.Words { // the last line says where it is now
			if i := strings.LastIndexByte(text, '\n'); i >= 0 && !d.expanded {
				text = text[i+1:]
			}
		}
		rows = append(rows, style.Apply(glyph)+" "+d.th.Muted.Apply(clip(text, w-gutter, d.th)))
	}
	return rows
}

// roomy is the width from which on the card of a sub-agent says what it has used.
const roomy = 72

// crewed is the state of a card whose sub-agent is at work, in words.
func (c *call) crewed(d *drawing, word string) string {
	facts := c.sub.Facts(d.now)
	if !c.sub.Began() || c.sub.Asking() {
		word = facts[0]
	}
	if d.w < roomy {
		return word
	}
	sep := " " + d.th.Glyphs.Sep + " "
	if n := c.sub.Calls; n > 0 {
		word += sep + plural(n, "call")
	}
	if n := c.sub.Tokens(); n > 0 {
		word += sep + crew.Tokens(n)
	}
	return word
}

// delegates reports whether a call starts a sub-agent.
func delegates(e agent.ToolStart) bool { return e.Effect.Kind == tools.Delegate }
