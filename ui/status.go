package ui

import (
	"fmt"
	"strings"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/tools/permission"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/ledger"
	"forge/ui/safe"
	"forge/ui/theme"
)

// status is the line at the bottom: on the left what is going on, on the right
// what it runs on and what it has used.
type status struct {
	keys      *keymap.Map // what hints name
	vim       string      // the mode of the keys of vi; empty: they are off
	model     provider.Model
	effort    provider.Effort
	mode      permission.Mode
	sandbox   string
	network   bool           // open to confined commands
	usage     provider.Usage // of the session
	cost      float64        // US dollars
	costKnown bool
	used      int // tokens of context
	window    int // tokens; 0: unknown

	waits
	queued  int
	jobs    int    // commands in the background
	servers string // what is wrong with them; empty: nothing
	covered bool   // something over the transcript has the keys, the one that stops included
	flash   string // one line that takes the place of the hint for a while
}

// take follows the events of a run.
func (s *status) take(e agent.Event, now time.Time) {
	s.follow(e, now)
	switch e := e.(type) {
	case agent.Compacted:
		if e.Err == nil {
			s.used = e.After
		}
	case agent.Uncompacted:
		s.used = e.After
	case agent.TurnEnd:
		s.usage.Input += e.Usage.Input
		s.usage.Output += e.Usage.Output
		s.usage.CacheRead += e.Usage.CacheRead
		s.cost += e.Cost
		s.costKnown = s.costKnown || e.CostKnown
		s.used = e.Used
		if e.Window > 0 {
			s.window = e.Window
		}
	case agent.RunEnd:
		if e.Totals.Turns > 0 { // the agent's own sum, sub-agents included
			s.usage, s.cost, s.costKnown = e.Totals.Usage, e.Totals.Cost, e.Totals.CostKnown
		}
	}
}

// segment is a part of the line; the one with the highest drop goes first where there
// is no room.
type segment struct {
	text string
	drop int
}

func (s *status) view(w int, th *theme.Theme, now time.Time, spinning bool) string {
	left := s.left(w, th, now, spinning)
	room := w - safe.Width(left) - 2
	right := s.right(th)
	for len(right) > 0 && segmentsWidth(right) > room {
		worst := 0
		for i, g := range right {
			if g.drop > right[worst].drop {
				worst = i
			}
		}
		if len(right) == 1 && room > 8 {
			right[0].text = safe.Truncate(right[0].text, room, th.Glyphs.Ellipsis)
			break
		}
		right = append(right[:worst:worst], right[worst+1:]...)
	}
	if len(right) == 0 {
		return safe.Truncate(left, w, th.Glyphs.Ellipsis)
	}
	texts := make([]string, len(right))
	for i, g := range right {
		texts[i] = g.text
	}
	tail := strings.Join(texts, "  ")
	return left + strings.Repeat(" ", max(2, w-safe.Width(left)-safe.Width(tail))) + tail
}

// fits reports whether what is said stands whole in a line of w cells.
func (s *status) fits(w int, th *theme.Theme, now time.Time, spinning bool) bool {
	return safe.Width(s.left(w, th, now, spinning)) <= w
}

// crowded reports whether what a run waits for leaves no room in a line of w cells for
// the mode and for what confines commands.
func (s *status) crowded(w int, th *theme.Theme, now time.Time, spinning bool) bool {
	n := -2
	for _, p := range s.parts(w, th, now, spinning) {
		if p.drop == 0 || p.drop == modeDrop || p.drop == sandboxDrop {
			n += safe.Width(p.text) + 2
		}
	}
	return s.waiting != "" && n > w
}

// What goes where there is no room at all: the sandbox before the mode.
const modeDrop, sandboxDrop = 2, 3

func segmentsWidth(gs []segment) int {
	n := -2
	for _, g := range gs {
		n += safe.Width(g.text) + 2
	}
	return n
}

// left says what is going on. Where there is no room for all of it, what a run waits
// for stays longest, and beside it the key that acts on it.
func (s *status) left(w int, th *theme.Theme, now time.Time, spinning bool) string {
	parts := s.parts(w, th, now, spinning)
	width := func() int {
		n := -2
		for _, p := range parts {
			n += safe.Width(p.text) + 2
		}
		return n
	}
	for width() > w {
		worst := -1
		for i, p := range parts {
			if p.drop > 0 && (worst < 0 || p.drop > parts[worst].drop) {
				worst = i
			}
		}
		if worst < 0 {
			break
		}
		parts = append(parts[:worst:worst], parts[worst+1:]...)
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	return strings.Join(texts, "  ")
}

func (s *status) parts(w int, th *theme.Theme, now time.Time, spinning bool) (parts []segment) {
	add := func(text string, style theme.Style, drop int) {
		parts = append(parts, segment{style.Apply(text), drop})
	}
	if s.vim != "" {
		add(safe.Line(s.vim), th.Accent, 0)
	}
	mode := th.Muted
	if s.mode == permission.ModeAuto || s.mode == permission.ModeYolo {
		mode = th.Warn
	} else if s.mode != permission.ModeAsk {
		mode = th.Accent
	}
	if s.mode != "" {
		add(modeName(s.mode), mode, modeDrop)
	}
	switch {
	case s.sandbox == "":
	case s.sandbox == "none", s.sandbox == "off":
		add(lang.T("sandbox %s", s.sandbox), th.Warn, 0)
	case s.network:
		add(lang.T("%s, network open", safe.Line(s.sandbox)), th.Warn, 0)
	default:
		add(safe.Line(s.sandbox), th.Muted, sandboxDrop)
	}
	if s.servers != "" {
		add(s.servers, th.Warn, 5)
	}
	if s.waiting != "" {
		parts = append(parts, segment{s.waited(th, now, spinning), 0})
		if w >= 50 && s.flash == "" && spinning && !s.covered {
			add(s.keys.Named(lang.T("esc stops"), keymap.Interrupt), th.Faint, 1)
		}
	}
	if s.flash != "" {
		add(safe.Line(s.flash), th.Warn, 0)
	}
	if s.jobs == 1 {
		add(lang.T("1 in the background"), th.Muted, 4)
	} else if s.jobs > 1 {
		add(lang.T("%d in the background", s.jobs), th.Muted, 4)
	}
	if s.queued > 0 {
		add(lang.T("%d queued", s.queued), th.Muted, 4)
	}
	if s.waiting == "" && s.flash == "" && s.queued == 0 && s.jobs == 0 && w >= 60 {
		add(s.keys.Named(lang.T("? for keys"), keymap.EmptyHelp), th.Faint, 6)
	}
	return parts
}

// waited is what a run waits for, with its mark.
func (s *status) waited(th *theme.Theme, now time.Time, spinning bool) string {
	mark := th.Glyphs.Dot
	if spinning {
		mark = spinner(th, now)
	}
	return th.Accent.Apply(mark) + " " + th.Text.Apply(safe.Line(s.says(now)))
}

func (s *status) right(th *theme.Theme) []segment {
	var out []segment
	add := func(text string, style theme.Style, drop int) {
		out = append(out, segment{style.Apply(text), drop})
	}
	if s.usage.Input > 0 || s.usage.Output > 0 {
		add(th.Glyphs.Up+ledger.Count(s.usage.Input)+" "+th.Glyphs.Down+ledger.Count(s.usage.Output), th.Status, 4)
		if s.usage.CacheRead > 0 && s.usage.Input > 0 {
			add(lang.T("cache %d%%", 100*s.usage.CacheRead/s.usage.Input), th.Status, 5)
		}
	}
	if s.used > 0 && s.window > 0 {
		percent := max(1, 100*s.used/s.window) // something is never nothing
		style, sign := th.Status, ""
		if percent >= 80 {
			style, sign = th.Warn, th.Glyphs.Warn+" "
		}
		add(sign+lang.T("window %d%%", percent), style, 2)
	} else if s.used > 0 {
		add(lang.T("context %s", ledger.Count(s.used)), th.Status, 2)
	}
	if s.costKnown {
		add(ledger.Money(s.cost), th.Status, 3)
	}
	if name := s.model.ID; name != "" {
		name = safe.Line(name)
		if s.effort != provider.EffortDefault {
			name += " " + th.Glyphs.Sep + " " + string(s.effort)
		}
		add(name, th.Muted, 1)
	}
	return out
}

func modeName(m permission.Mode) string {
	switch m {
	case permission.ModeEdits:
		return lang.T("accept edits")
	case permission.ModeAsk:
		return lang.T("ask")
	case permission.ModePlan:
		return lang.T("plan")
	case permission.ModeAuto:
		return lang.T("auto")
	}
	return safe.Line(string(m))
}

// spinner is one cell that changes ten times a second.
func spinner(th *theme.Theme, now time.Time) string {
	frames := th.Glyphs.Spinner
	return frames[int(now.UnixMilli()/tick.Milliseconds())%len(frames)]
}

// seconds is a duration for eyes: "0.4 s", "12 s", "3 m 05 s".
func seconds(d time.Duration) string {
	d = max(d, 0) // a clock was set back
	switch {
	case d < 10*time.Second && d%time.Second != 0:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d m %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d m", int(d.Hours()), int(d.Minutes())%60)
}
