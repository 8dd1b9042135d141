package cockpit

import (
	"fmt"
	"strings"
	"time"

	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// View draws the panel in exactly h rows.
func (c *Cockpit) View(th *theme.Theme, w, h int, now time.Time) []string {
	w, h = max(1, w), max(1, h)
	var rows []string
	switch {
	case c.login != nil:
		rows = c.loginView(th, w, h)
	case c.open != "" && c.server() != nil:
		rows = c.openView(th, w, h, now)
	default:
		rows = c.listView(th, w, h)
	}
	for len(rows) < h {
		rows = append(rows, "")
	}
	for i, r := range rows[:h] {
		rows[i] = safe.Truncate(r, w, "")
	}
	return rows[:h]
}

// titled is a row with a title and what stands at its end.
func titled(th *theme.Theme, title, end string, w int) string {
	end = safe.Truncate(end, max(0, w-8), th.Glyphs.Ellipsis)
	title = safe.Truncate(title, max(1, w-safe.Width(end)-2), th.Glyphs.Ellipsis)
	return th.Title.Apply(title) + safe.Blanks(max(1, w-safe.Width(title)-safe.Width(end))) + th.Faint.Apply(end)
}

// foot is the last row: what was said, else the keys.
func (c *Cockpit) foot(th *theme.Theme, keys string, w int) string {
	if c.note != "" {
		return th.Warn.Apply(safe.Truncate(safe.Line(c.note), w, th.Glyphs.Ellipsis))
	}
	return th.Faint.Apply(safe.Truncate(keys, w, th.Glyphs.Ellipsis))
}

func (c *Cockpit) listView(th *theme.Theme, w, h int) []string {
	if len(c.servers) == 0 {
		return []string{titled(th, lang.T("MCP servers"), c.Keys.Named(lang.T("esc closes"), keymap.ServersClose), w), "",
			th.Muted.Apply(safe.Truncate(lang.T("none is configured: forge mcp add NAME COMMAND adds one"), w, th.Glyphs.Ellipsis))}
	}
	ready, tokens, names := 0, 0, 4
	for _, s := range c.servers {
		if s.State == Ready {
			ready++
		}
		tokens += s.Tokens
		names = max(names, safe.Width(safe.Line(s.Name)))
	}
	names = min(names, max(6, w/4))
	title, end := lang.T("MCP servers"), lang.T("%d of %d ready · tools cost %s tokens a request", ready, len(c.servers), count(tokens))
	if safe.Width(title)+safe.Width(end)+2 > w {
		end = lang.T("%d of %d ready", ready, len(c.servers))
	}
	rows := []string{titled(th, title, end, w), ""}
	about := c.summary(th, w)
	if room := h - 6; len(about) > max(0, room/2) {
		about = about[:max(0, room/2)]
	}
	page := max(1, h-len(rows)-len(about)-2)
	first := min(max(0, c.at-page/2), max(0, len(c.servers)-page))
	if c.still = c.still && c.at >= c.first && c.at < c.first+page; c.still {
		first = min(c.first, max(0, len(c.servers)-page))
	}
	c.first, c.listed, c.listRows = first, len(rows), page
	for i := first; i < min(first+page, len(c.servers)); i++ {
		rows = append(rows, c.row(th, c.servers[i], i == c.at, names, w))
	}
	for len(rows) < h-len(about)-1 {
		rows = append(rows, "")
	}
	rows = append(rows, about...)
	return append(rows, c.foot(th, c.Keys.Named(lang.T("enter look · r retry · d disable · a approve · l log in · o log · esc close"), keymap.ServersOpen, keymap.ServersRetry, keymap.ServersDisable, keymap.ServersApprove, keymap.ServersLogin, keymap.ServersLog, keymap.ServersClose), w))
}

// mark is the symbol of a state and its colour.
func mark(th *theme.Theme, state string) (string, theme.Style) {
	switch state {
	case Ready:
		return th.Glyphs.Dot, th.Ok
	case Idle:
		return th.Glyphs.Half, th.Info
	case Starting:
		return th.Glyphs.Half, th.Accent
	case Failed:
		return th.Glyphs.Fail, th.Error
	case NeedsLogin, Unapproved:
		return th.Glyphs.Warn, th.Warn
	}
	return th.Glyphs.Ring, th.Muted
}

// stateName says a state in the person's language.
func stateName(state string) string {
	switch state {
	case Ready:
		return lang.T("ready")
	case Idle:
		return lang.T("idle")
	case Starting:
		return lang.T("starting")
	case Failed:
		return lang.T("failed")
	case NeedsLogin:
		return lang.T("needs login")
	case Unapproved:
		return lang.T("unapproved")
	case Disabled:
		return lang.T("disabled")
	}
	return safe.Line(state)
}

// row is one server in a line.
func (c *Cockpit) row(th *theme.Theme, s Server, here bool, names, w int) string {
	lead := "  "
	if here {
		lead = th.Glyphs.Pointer + " "
	}
	sign, style := mark(th, s.State)
	name := safe.Fit(safe.Line(s.Name), names, th.Glyphs.Ellipsis)
	state := safe.Fit(stateName(s.State), 11, th.Glyphs.Ellipsis)
	rest := strings.Join(facts(s), lang.T(" · "))
	head := lead + sign + " " + name + "  " + state + " "
	rest = safe.Truncate(rest, max(0, w-safe.Width(head)), th.Glyphs.Ellipsis)
	if here {
		return th.Selection.Apply(safe.Fit(head+rest, w, ""))
	}
	return lead + style.Apply(sign) + " " + th.Strong.Apply(name) + "  " + style.Apply(state) + " " + th.Muted.Apply(rest)
}

// facts is what a row says of a server: why it is not there, else what it has.
func facts(s Server) []string {
	var out []string
	if s.Reason != "" {
		out = append(out, safe.Line(s.Reason))
	}
	if n := len(s.Changes); n > 0 {
		out = append(out, lang.T("%d to approve", n))
	}
	if s.State != Ready && s.State != Idle {
		return out
	}
	on := 0
	for _, t := range s.Tools {
		if t.On {
			on++
		}
	}
	text := lang.Count(len(s.Tools), "1 tool", "%d tools")
	if on < len(s.Tools) {
		text = lang.T("%d of %s", on, text)
	}
	if s.Deferred {
		text += " " + lang.T("(found by search)")
	} else {
		text += " " + lang.T("%s tokens", count(s.Tokens))
	}
	out = append(out, text)
	if s.Transport != "" {
		out = append(out, safe.Line(s.Transport+" "+s.Protocol))
	}
	if s.Latency > 0 {
		out = append(out, took(s.Latency))
	}
	if s.Login != "" {
		out = append(out, s.Login)
	}
	return out
}

// summary tells of the row with the keys what does not fit into it.
func (c *Cockpit) summary(th *theme.Theme, w int) []string {
	s := c.server()
	var rows []string
	if s.Reason != "" {
		for _, r := range safe.Wrap(safe.Output(s.Reason), max(4, w)) {
			rows = append(rows, th.Text.Apply(r))
		}
	}
	rows = append(rows, th.Muted.Apply(safe.Truncate(safe.Line(s.Command), w, th.Glyphs.Ellipsis)))
	return append(rows, th.Faint.Apply(safe.Truncate(safe.Line(s.Source), w, th.Glyphs.Ellipsis)), "")
}

// count is a number for eyes: "950", "12.3k".
func count(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%.1fk", float64(n)/1000)
}

// took is a short time for eyes.
func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
