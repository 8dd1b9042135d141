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

// openView is one server, closely.
func (c *Cockpit) openView(th *theme.Theme, w, h int, now time.Time) []string {
	s := c.server()
	sign, style := mark(th, s.State)
	head := safe.Line(s.Name) + "  " + sign + " " + stateName(s.State)
	end := strings.Join(facts(Server{State: s.State, Tools: s.Tools, Tokens: s.Tokens, Deferred: s.Deferred, Transport: s.Transport, Protocol: s.Protocol, Latency: s.Latency, Login: s.Login}), lang.T(" · "))
	if end == "" {
		end = ago(now.Sub(s.Since))
	}
	rows := []string{titled(th, head, end, w)}
	if s.Reason != "" {
		reason := safe.Wrap(safe.Output(s.Reason), max(4, w))
		for _, r := range reason[:min(len(reason), 3)] {
			rows = append(rows, style.Apply(r))
		}
	}
	rows = append(rows, c.tabRow(th, s, w), "")
	all, from, to := c.body(th, s, w)
	c.rows, c.page = len(all), max(1, h-len(rows)-1)
	if c.moved && c.items() > 0 { // the window follows the row with the keys
		c.top = min(max(c.top, to-c.page), from)
	}
	c.moved = false
	c.top = max(0, min(c.top, c.rows-c.page))
	rows = append(rows, all[c.top:min(c.top+c.page, len(all))]...)
	for len(rows) < h-1 {
		rows = append(rows, "")
	}
	rows = rows[:max(0, h-1)]
	return append(rows, c.foot(th, c.keys(s), w))
}

func (c *Cockpit) keys(s *Server) string {
	text := c.Keys.Named(lang.T("tab next · r retry · d disable · l log in · o log · esc back"), keymap.ServerNextPage, keymap.ServerRetry, keymap.ServerDisable, keymap.ServerLogin, keymap.ServerLog, keymap.ServerBack)
	switch {
	case c.tab == tabTools && len(s.Tools) > 0:
		text = c.Keys.Named(lang.T("space on, off · "), keymap.ServerSwitch) + text
	case len(s.Changes) > 0:
		text = c.Keys.Named(lang.T("a approve · "), keymap.ServerApprove) + text
	}
	if c.rows > c.page {
		text = fmt.Sprintf("%d%%"+lang.T(" · "), min(100, 100*(c.top+c.page)/c.rows)) + text
	}
	return text
}

func (c *Cockpit) tabRow(th *theme.Theme, s *Server, w int) string {
	var parts []string
	for i, name := range []string{
		lang.T("tools %d", len(s.Tools)), lang.T("to approve %d", len(s.Changes)), lang.T("stderr"), lang.T("frames %d", len(s.Frames)), lang.T("about"),
	} {
		switch {
		case i == c.tab:
			parts = append(parts, th.Selection.Apply("["+name+"]"))
		case i == tabChanges && len(s.Changes) > 0:
			parts = append(parts, " "+th.Warn.Apply(name)+" ")
		default:
			parts = append(parts, " "+th.Muted.Apply(name)+" ")
		}
	}
	return safe.Truncate(strings.Join(parts, " "), w, th.Glyphs.Ellipsis)
}

// body is the open tab, whole, and where the row with the keys is in it.
func (c *Cockpit) body(th *theme.Theme, s *Server, w int) (rows []string, from, to int) {
	switch c.tab {
	case tabTools:
		return c.toolRows(th, s, w)
	case tabChanges:
		return c.changeRows(th, s, w)
	case tabStderr:
		return textRows(th.Text, s.Stderr, lang.T("it has written nothing"), th, w), 0, 0
	case tabFrames:
		return frameRows(th, s, w), 0, 0
	}
	return aboutRows(th, s, w), 0, 0
}

func wrapped(style theme.Style, text, indent string, w int) []string {
	var out []string
	for _, r := range safe.Wrap(safe.Output(text), max(4, w-safe.Width(indent))) {
		out = append(out, indent+style.Apply(strings.TrimRight(r, " ")))
	}
	return out
}

func textRows(style theme.Style, text, none string, th *theme.Theme, w int) []string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return []string{th.Faint.Apply(safe.Truncate(none, w, th.Glyphs.Ellipsis))}
	}
	return wrapped(style, text, "", w)
}

func (c *Cockpit) toolRows(th *theme.Theme, s *Server, w int) (rows []string, from, to int) {
	for _, n := range s.Notes {
		rows = append(rows, wrapped(th.Warn, th.Glyphs.Warn+" "+n, "", w)...)
	}
	if len(s.Tools) == 0 {
		return append(rows, th.Faint.Apply(safe.Truncate(lang.T("it has no tools, or they are not known yet"), w, th.Glyphs.Ellipsis))), 0, 0
	}
	for i, t := range s.Tools {
		if i == c.item {
			from = len(rows)
		}
		box := th.Glyphs.Unticked
		if t.On {
			box = th.Glyphs.Ticked
		}
		lead := "  "
		if i == c.item {
			lead = th.Glyphs.Pointer + " "
		}
		cost := ""
		if t.Tokens > 0 {
			cost = count(t.Tokens)
		}
		name := safe.Line(t.Remote)
		about := safe.Line(t.About)
		if t.Why != "" && !t.On {
			about = t.Why
		}
		head := safe.Fit(lead+box+" "+name, max(10, min(36, w/2)), th.Glyphs.Ellipsis) + " " + pad(cost, 6) + "  "
		about = safe.Truncate(safe.Line(about), max(0, w-safe.Width(head)), th.Glyphs.Ellipsis)
		if i == c.item {
			rows = append(rows, th.Selection.Apply(safe.Fit(head+about, w, "")))
		} else {
			rows = append(rows, th.Text.Apply(head)+th.Muted.Apply(about))
		}
		for _, f := range t.Warnings {
			rows = append(rows, wrapped(th.Warn, th.Glyphs.Warn+" "+f, "      ", w)...)
		}
		if i == c.item {
			more := safe.Output(t.About)
			if t.Why != "" {
				more = lang.T("off: %s", t.Why) + "\n" + more
			}
			rows = append(rows, wrapped(th.Faint, strings.TrimSpace(more), "      ", w)...)
			to = len(rows)
		}
	}
	return rows, from, to
}

func pad(s string, w int) string { return safe.Blanks(max(0, w-safe.Width(s))) + s }

func (c *Cockpit) changeRows(th *theme.Theme, s *Server, w int) (rows []string, from, to int) {
	if len(s.Changes) == 0 {
		none := lang.T("nothing waits for an approval")
		if s.State == Unapproved {
			none = lang.T("a asks whether it may start, and shows its whole command")
		}
		return []string{th.Faint.Apply(safe.Truncate(none, w, th.Glyphs.Ellipsis))}, 0, 0
	}
	for i, ch := range s.Changes {
		if i == c.item {
			from = len(rows)
		}
		title := ch.title()
		lead, style := "  ", th.Strong
		if i == c.item {
			lead, style = th.Glyphs.Pointer+" ", th.Selection
		}
		rows = append(rows, style.Apply(safe.Truncate(lead+title, w, th.Glyphs.Ellipsis)))
		for line := range strings.Lines(ch.Diff) {
			line = strings.TrimRight(line, "\n")
			style := th.Muted
			switch {
			case strings.HasPrefix(line, "+"):
				style = th.Add
			case strings.HasPrefix(line, "-"):
				style = th.Del
			case strings.HasPrefix(line, "@@"):
				style = th.Hunk
			}
			for _, r := range safe.Wrap(safe.Prompt(line), max(4, w-2)) {
				rows = append(rows, "  "+style.Apply(r))
			}
		}
		rows = append(rows, "")
		if i == c.item {
			to = min(len(rows), from+c.page)
		}
	}
	return rows, from, to
}

func frameRows(th *theme.Theme, s *Server, w int) (rows []string) {
	if len(s.Frames) == 0 {
		return []string{th.Faint.Apply(safe.Truncate(lang.T("no message yet"), w, th.Glyphs.Ellipsis))}
	}
	for _, f := range s.Frames {
		way := th.Glyphs.Left
		if f.Out {
			way = th.Glyphs.Rite
		}
		head := f.Time.Format("15:04:05.000") + " " + way + " " + safe.Line(f.Method) + "  " + size(f.Size)
		if f.Took > 0 {
			head += "  " + took(f.Took)
		}
		head = safe.Truncate(head, w, th.Glyphs.Ellipsis)
		rows = append(rows, th.Text.Apply(head)+th.Faint.Apply(safe.Truncate("  "+safe.Line(f.Text), max(0, w-safe.Width(head)), th.Glyphs.Ellipsis)))
	}
	return rows
}

func aboutRows(th *theme.Theme, s *Server, w int) (rows []string) {
	const column = 16
	for _, f := range about(s) {
		name := f[0]
		for i, r := range safe.Wrap(safe.Output(f[1]), max(4, w-column)) {
			if i > 0 {
				name = ""
			}
			rows = append(rows, th.Muted.Apply(safe.Fit(name, column, ""))+th.Text.Apply(r))
		}
	}
	return rows
}

// about is what is known of a server, each with its name.
func about(s *Server) (out [][2]string) {
	fact := func(name, text string) {
		if text != "" {
			out = append(out, [2]string{name, text})
		}
	}
	era := ""
	if s.Protocol != "" {
		how := lang.T("agreed on with initialize: it does not know server/discover")
		if s.Modern {
			how = lang.T("agreed on with server/discover")
		}
		era = s.Protocol + " (" + how + ")"
	}
	fact(lang.T("runs"), s.Command)
	fact(lang.T("configured"), s.Source)
	fact(lang.T("calls itself"), s.About)
	fact(lang.T("transport"), s.Transport)
	fact(lang.T("protocol"), era)
	fact(lang.T("login"), s.Login)
	fact(lang.T("starts"), fmt.Sprint(s.Starts))
	fact(lang.T("log"), s.Log)
	fact(lang.T("tells the model"), s.Words)
	for _, n := range s.Notes {
		fact(lang.T("remark"), n)
	}
	return out
}

// title says what a change is.
func (ch Change) title() string {
	switch {
	case ch.Tool == "":
		return lang.T("its instructions are not those that were approved")
	case ch.New:
		return lang.T("%s was not there when the others were approved", safe.Line(ch.Tool))
	}
	return lang.T("%s is not the one that was approved", safe.Line(ch.Tool))
}

func size(n int) string {
	if n < 10_000 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%d KB", n/1000)
}

func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return lang.T("for %d s", max(0, int(d.Seconds())))
	case d < time.Hour:
		return lang.T("for %d min", int(d.Minutes()))
	}
	return lang.T("for %d h", int(d.Hours()))
}

// loginView is a login that is waited for.
func (c *Cockpit) loginView(th *theme.Theme, w, h int) []string {
	l := c.login
	rows := []string{titled(th, lang.T("Log in to %s", safe.Line(l.Server)), c.Keys.Named(lang.T("esc stops"), keymap.LoginStop), w), ""}
	if l.URL != "" {
		rows = append(rows, wrapped(th.Text, lang.T("Visit this address:"), "", w)...)
		rows = append(rows, "")
		for _, r := range safe.Chop(safe.Prompt(l.URL), max(4, w)) { // at the edge, so that it can be copied from the screen
			rows = append(rows, th.Link.Apply(r))
		}
		rows = append(rows, "")
		rows = append(rows, wrapped(th.Muted, lang.T("If your browser runs on another machine, paste the address it ends at here."), "", w)...)
	}
	for _, line := range l.Lines {
		rows = append(rows, wrapped(th.Muted, line, "", w)...)
	}
	for len(rows) < h-1 {
		rows = append(rows, "")
	}
	keys := c.Keys.Named(lang.T("o open the browser · c copy the address · esc stop"), keymap.LoginOpen, keymap.LoginCopy, keymap.LoginStop)
	if !l.Browser {
		keys = c.Keys.Named(lang.T("c copy the address · no browser here: %s · esc stop", l.Why), keymap.LoginCopy, keymap.LoginStop)
	}
	if l.URL == "" {
		keys = c.Keys.Named(lang.T("asking the server · esc stop"), keymap.LoginStop)
	}
	return append(rows[:max(0, h-1)], c.foot(th, keys, w))
}
