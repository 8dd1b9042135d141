package ledger

import (
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// numbers is the columns at the end of a row, cost left out where it is not known or
// there is no room.
func (c *Context) numbers(tokens, age, cost string, w int) string {
	out := safe.Blanks(max(0, 8-safe.Width(tokens))) + tokens
	if w >= 44 {
		out += safe.Blanks(max(1, 7-safe.Width(age))) + age
	}
	if w >= 60 && c.win.CostKnown {
		out += safe.Blanks(max(1, 11-safe.Width(cost))) + cost
	}
	return out
}

func (c *Context) columns(w int) string {
	end := c.numbers(lang.T("tokens"), lang.T("age"), lang.T("a turn"), w)
	return safe.Blanks(max(0, w-safe.Width(end))) + end
}

func (c *Context) line(th *theme.Theme, r row, here bool, w int) string {
	lead := "  "
	if here {
		lead = th.Glyphs.Pointer + " "
	}
	if r.item == nil {
		fold := th.Glyphs.Open
		if c.closed[r.group] {
			fold = th.Glyphs.Closed
		}
		end := c.numbers(Count(r.tokens), "", "", w)
		text := safe.Fit(lead+fold+" "+groupName(r), max(1, w-safe.Width(end)), th.Glyphs.Ellipsis) + end
		if here {
			return th.Selection.Apply(text)
		}
		return th.Strong.Apply(text)
	}
	it := r.item
	age := ""
	if it.Group == "talk" {
		age = lang.T("%d t", it.Age)
	}
	end := c.numbers(Count(it.Tokens), age, Money(it.Cost), w)
	text := safe.Fit(lead+"  "+mark(th, *it, c.waiting(it.ID))+" "+describe(*it, c.waiting(it.ID)), max(1, w-safe.Width(end)), th.Glyphs.Ellipsis) + end
	switch {
	case here:
		return th.Selection.Apply(text)
	case c.waiting(it.ID) != Nothing:
		return th.Warn.Apply(text)
	case it.Dropped:
		return th.Faint.Apply(text)
	case it.Pinned:
		return th.Accent.Apply(text)
	case it.Fixed:
		return th.Muted.Apply(text)
	}
	return th.Text.Apply(text)
}

// mark says by a symbol how an item stands.
func mark(th *theme.Theme, it Item, next Want) string {
	switch {
	case next != Nothing:
		return th.Glyphs.Queue
	case it.Dropped:
		return th.Glyphs.Fail
	case it.Pinned:
		return th.Glyphs.Dot
	case it.Collapsed:
		return th.Glyphs.Half
	}
	return " "
}

func groupName(r row) string {
	switch r.group {
	case "system":
		return lang.T("system prompt")
	case "memory":
		return lang.T("instructions (%d)", r.n)
	case "talk":
		return lang.T("conversation (%d)", r.n)
	case "tools forge":
		return lang.T("forge's tools (%d)", r.n)
	}
	return lang.T("tools of %s (%d)", safe.Line(r.group[len("tools "):]), r.n)
}

// describe says what an item is, and how it stands in words too.
func describe(it Item, next Want) string {
	name, about := safe.Line(it.Name), safe.Line(it.About)
	text := name
	if it.Group == "system" {
		text = lang.Said(name)
	}
	switch it.Kind {
	case "prompt":
		text = lang.T("you: %s", name)
	case "answer":
		text = lang.T("answer: %s", name)
	case "thinking":
		text = lang.T("reasoning: %s", name)
	case "call":
		text = lang.T("call %s %s", name, about)
	case "result":
		switch {
		case it.Of == "":
		case it.Dropped:
			about = safe.Line(it.Of)
		default:
			about = safe.Line(it.Of) + lang.T(" · ") + about
		}
		text = lang.T("result of %s: %s", name, about)
	case "image":
		text = lang.T("picture %s", name)
	case "summary":
		text = lang.T("summary of what came before")
	case "command":
		text = lang.T("your command: %s", name)
	case "attached":
		text = lang.T("attached: %s", name)
	case "note":
		text = lang.T("note: %s", name)
	case "opaque":
		text = lang.T("a block of the server's own")
	default:
		if about != "" {
			text += "  " + about
		}
	}
	if state := standing(it, next); state != "" {
		return state + "  " + text
	}
	return text
}

// standing says in words how an item stands, or how it will at the next step; empty: as
// it came.
func standing(it Item, next Want) string {
	switch next {
	case Drop:
		return lang.T("dropped at the next step")
	case Collapse:
		return lang.T("collapsed at the next step")
	case Restore:
		return lang.T("restored at the next step")
	case Pin:
		return lang.T("pinned at the next step")
	case Unpin:
		return lang.T("unpinned at the next step")
	}
	switch {
	case it.Dropped:
		return lang.T("dropped")
	case it.Pinned:
		return lang.T("pinned")
	case it.Collapsed:
		return lang.T("collapsed")
	}
	return ""
}
