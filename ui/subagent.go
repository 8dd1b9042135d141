package ui

import (
	"strings"
	"time"

	"forge/agent"
	"forge/ui/lang"
	"forge/ui/ledger"
)

// nestedLine is one thing a sub-agent did.
type nestedLine struct {
	id    string // of its call; empty: text
	text  string
	state callState
}

// child takes an event of the sub-agent that runs as this call.
func (c *call) child(e agent.Event) {
	c.version++
	find := func(id string) *nestedLine {
		for i := len(c.nested) - 1; i >= 0; i-- {
			if c.nested[i].id == id && id != "" {
				return &c.nested[i]
			}
		}
		if len(c.nested) >= nestedMax {
			c.nested = append(c.nested[:0], c.nested[len(c.nested)-nestedMax/2:]...)
		}
		c.nested = append(c.nested, nestedLine{id: id})
		return &c.nested[len(c.nested)-1]
	}
	switch e := e.(type) {
	case agent.Nested: // an agent of this one: its steps stand among the others
		c.child(e.Event)
	case agent.Retrying:
		find("").text = lang.T("trying again in %s: %s", seconds(e.After.Round(time.Second)), oneLine(e.Err))
	case agent.Compacted:
		if e.Err == nil {
			find("").text = lang.T("compacted %s to %s tokens", ledger.Count(e.Before), ledger.Count(e.After))
		}
	case agent.TextDelta:
		if n := len(c.nested); n > 0 && c.nested[n-1].id == "" {
			c.nested[n-1].text += e.Text
			return
		}
		find("").text = e.Text
	case agent.ToolStart:
		l := find(e.ID)
		l.text, l.state = lang.Title(e.Effect.Title), callReady
		if l.text == "" {
			l.text = e.Name
		}
	case agent.ToolRunning:
		find(e.ID).state = callRunning
	case agent.ToolEnd:
		l := find(e.ID)
		if l.text == "" {
			l.text = e.Name
		}
		l.state = callDone
		if e.Result.Refused {
			l.state = callRefused
		} else if e.Result.IsError {
			l.state = callFailed
		}
	}
}

func (c *call) children(d *drawing, w int) []string {
	from := 0
	if !d.expanded {
		from = max(0, len(c.nested)-nestedRows)
	}
	var rows []string
	if from > 0 {
		rows = append(rows, d.th.Faint.Apply(lang.T("%s above", plural(from, "step"))))
	}
	for _, l := range c.nested[from:] {
		glyph, style := d.th.Glyphs.Sep, d.th.Muted
		switch {
		case l.id == "":
		case l.state == callDone:
			glyph, style = d.th.Glyphs.Ok, d.th.Ok
		case l.state == callFailed || l.state == callRefused:
			glyph, style = d.th.Glyphs.Fail, d.th.Error
		default:
			glyph, style = d.th.Glyphs.Ring, d.th.Accent
		}
		text := strings.TrimSpace(l.text)
		if text == "" {
			continue
		}
		if l.id == "" { // the last line says where it is now
			if i := strings.LastIndexByte(text, '\n'); i >= 0 && !d.expanded {
				text = text[i+1:]
			}
		}
		rows = append(rows, style.Apply(glyph)+" "+d.th.Muted.Apply(clip(text, w-gutter, d.th)))
	}
	return rows
}
