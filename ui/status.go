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
	still     bool        // nothing moves by itself
	listening string      // to a dictation, since when and how it ends; empty: nothing listens
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
	goal    goalIs
	loops   string // when the next of them is sent; empty: there are none
	jobs    int    // commands in the background
	servers string // what is wrong with them; empty: nothing
	ide     string // where the person is in the editor; empty: none is connected
	covered bool   // something over the transcript has the keys, the one that stops included
	flash   string // one line that takes the place of the hint for a while

	places  *arrangement // as the person wants it; nil: as usual
	place   Place
	cwd     string
	version string
	began   time.Time     // the run that is on
	took    time.Duration // the one before
}

// take follows the events of a run.
func (s *status) take(e agent.Event, now time.Time) {
	s.follow(e, now)
	switch e := e.(type) {
	case agent.Compacted:
		if e.Err == nil {
			s.used = e.After
		}
		s.sum(e.Totals)
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
		s.sum(e.Totals)
	}
}

// sum takes the agent's own sum, sub-agents and summaries included.
func (s *status) sum(t agent.Totals) {
	if t.Turns > 0 {
		s.usage, s.cost, s.costKnown = t.Usage, t.Cost, t.CostKnown
	}
}

// segment is a part of the line; the one with the highest drop goes first where there
// is no room.
type segment struct {
	text string
	drop int
	name string // of its part
}

func (s *status) view(w int, th *theme.Theme, now time.Time, spinning bool) string {
	left := s.left(w, th, now, spinning)
	room := w - safe.Width(left) - 2
	right := s.right(w, th, now, spinning)
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
		if p.drop == 0 || p.name == "mode" || p.name == "sandbox" {
			n += safe.Width(p.text) + 2
		}
	}
	return s.waiting != "" && n > w
}

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
	for segmentsWidth(parts) > w {
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

// parts are those on the left, and before them that something listens. What must be seen is there even if the arrangement leaves
// it out: what goes on, that much runs unasked, that nothing confines it.
func (s *status) parts(w int, th *theme.Theme, now time.Time, spinning bool) (parts []segment) {
	a := s.arranged()
	left := a.left
	if !a.has("sandbox") && s.unconfined() {
		left = append([]string{"sandbox"}, left...)
	}
	if !a.has("mode") && s.loose() {
		left = append([]string{"mode"}, left...)
	}
	if !a.has("activity") {
		left = append(left[:len(left):len(left)], "activity")
	}
	parts = s.segments(left, w, th, now, spinning)
	if s.listening != "" {
		parts = append([]segment{{text: th.Warn.Apply(safe.Line(s.listening))}}, parts...)
	}
	return parts
}

func (s *status) right(w int, th *theme.Theme, now time.Time, spinning bool) []segment {
	return s.segments(s.arranged().right, w, th, now, spinning)
}

func (s *status) arranged() arrangement {
	if s.places == nil {
		return usualStatus()
	}
	return *s.places
}

func (s *status) segments(names []string, w int, th *theme.Theme, now time.Time, spinning bool) (out []segment) {
	for _, name := range names {
		for _, g := range s.part(name, w, th, now, spinning) {
			g.name = name
			out = append(out, g)
		}
	}
	return out
}

// loose reports whether much runs without a question.
func (s *status) loose() bool {
	return s.mode == permission.ModeAuto || s.mode == permission.ModeYolo
}

// unconfined reports whether commands are not confined, or not wholly.
func (s *status) unconfined() bool { return s.sandbox == "none" || s.sandbox == "off" || s.network }

// part draws one of statusParts; what there is nothing to say of has no segment.
func (s *status) part(name string, w int, th *theme.Theme, now time.Time, spinning bool) []segment {
	one := func(text string, style theme.Style, drop int) []segment {
		if text == "" {
			return nil
		}
		return []segment{{text: style.Apply(text), drop: drop}}
	}
	switch name {
	case "vim":
		return one(safe.Line(s.vim), th.Accent, 0)
	case "mode":
		style := th.Muted
		if s.loose() {
			style = th.Warn
		} else if s.mode != permission.ModeAsk {
			style = th.Accent
		}
		return one(modeName(s.mode), style, 2)
	case "sandbox": // it goes before the mode does, where there is no room at all
		switch {
		case s.sandbox == "":
			return nil
		case s.sandbox == "none", s.sandbox == "off":
			return one(lang.T("sandbox %s", s.sandbox), th.Warn, 0)
		case s.network:
			return one(lang.T("%s, network open", safe.Line(s.sandbox)), th.Warn, 0)
		}
		return one(safe.Line(s.sandbox), th.Muted, 3)
	case "servers":
		return one(s.servers, th.Warn, 5)
	case "editor":
		if s.ide != "" {
			return one(th.Glyphs.Sep+" "+s.ide, th.Muted, 4)
		}
	case "activity":
		return s.activity(w, th, now, spinning)
	case "goal":
		style := th.Muted
		if s.goal.state != "open" {
			style = th.Accent
		}
		return one(s.goal.part(min(30, max(12, w/4)), th.Glyphs.Ellipsis), style, 4)
	case "loops":
		return one(s.loops, th.Muted, 4)
	case "jobs":
		if s.jobs == 1 {
			return one(lang.T("1 in the background"), th.Muted, 4)
		} else if s.jobs > 1 {
			return one(lang.T("%d in the background", s.jobs), th.Muted, 4)
		}
	case "queue":
		if s.queued > 0 {
			return one(lang.T("%d queued", s.queued), th.Muted, 4)
		}
	case "keys":
		if s.waiting == "" && s.flash == "" && s.queued == 0 && s.jobs == 0 && w >= 60 {
			return one(s.keys.Named(lang.T("? for keys"), keymap.EmptyHelp), th.Faint, 6)
		}
	case "tokens":
		if s.usage.Input > 0 || s.usage.Output > 0 {
			return one(th.Glyphs.Up+ledger.Count(s.usage.Input)+" "+th.Glyphs.Down+ledger.Count(s.usage.Output), th.Status, 4)
		}
	case "cache":
		if s.usage.CacheRead > 0 && s.usage.Input > 0 {
			return one(lang.T("cache %d%%", 100*s.usage.CacheRead/s.usage.Input), th.Status, 5)
		}
	case "context":
		return s.filled(th)
	case "gauge":
		if s.used > 0 && s.window > 0 {
			return []segment{{text: ledger.Gauge(th, float64(s.used)/float64(s.window), 0, 16), drop: 2}}
		}
	case "cost":
		if s.costKnown {
			return one(ledger.Money(s.cost), th.Status, 3)
		}
	case "time":
		switch {
		case s.waiting != "" && !s.began.IsZero():
			return one(seconds(now.Sub(s.began).Truncate(time.Second)), th.Status, 4)
		case s.took >= time.Second:
			return one(seconds(s.took.Truncate(time.Second)), th.Status, 4)
		}
	case "model":
		name := safe.Line(s.model.ID)
		if name != "" && s.effort != provider.EffortDefault {
			name += " " + th.Glyphs.Sep + " " + string(s.effort)
		}
		return one(name, th.Muted, 1)
	case "branch":
		return one(safe.Truncate(safe.Line(s.place.Branch), 24, th.Glyphs.Ellipsis), th.Status, 5)
	case "folder":
		return one(safe.TruncateLeft(safe.Line(s.cwd), 32, th.Glyphs.Ellipsis), th.Status, 5)
	case "title":
		return one(safe.Truncate(safe.Line(s.place.Title), 32, th.Glyphs.Ellipsis), th.Status, 7)
	case "session":
		return one(safe.Line(s.place.Session[strings.LastIndexByte(s.place.Session, '-')+1:]), th.Status, 8)
	case "version":
		return one(safe.Line(s.version), th.Status, 9)
	}
	return nil
}

// activity is what a run waits for, with the key that stops it, and what was said last.
func (s *status) activity(w int, th *theme.Theme, now time.Time, spinning bool) (out []segment) {
	if s.waiting != "" {
		out = append(out, segment{text: s.waited(th, now, spinning)})
		if w >= 50 && s.flash == "" && spinning && !s.covered {
			out = append(out, segment{text: th.Faint.Apply(s.keys.Named(lang.T("esc stops"), keymap.Interrupt)), drop: 1})
		}
	}
	if s.flash != "" {
		out = append(out, segment{text: th.Warn.Apply(safe.Line(s.flash))})
	}
	return out
}

// waited is what a run waits for, with its mark.
func (s *status) waited(th *theme.Theme, now time.Time, spinning bool) string {
	mark := th.Glyphs.Dot
	if spinning {
		mark = spinner(th, now, s.still)
	}
	return th.Accent.Apply(mark) + " " + th.Text.Apply(safe.Line(s.says(now)))
}

// filled is how full the model's window is.
func (s *status) filled(th *theme.Theme) []segment {
	switch {
	case s.used > 0 && s.window > 0:
		percent := max(1, 100*s.used/s.window) // something is never nothing
		style, sign := th.Status, ""
		if percent >= 80 {
			style, sign = th.Warn, th.Glyphs.Warn+" "
		}
		return []segment{{text: style.Apply(sign + lang.T("window %d%%", percent)), drop: 2}}
	case s.used > 0:
		return []segment{{text: th.Status.Apply(lang.T("context %s", ledger.Count(s.used))), drop: 2}}
	}
	return nil
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

// spinner is one cell that changes ten times a second, or stands still where nothing is
// to move.
func spinner(th *theme.Theme, now time.Time, still bool) string {
	if still {
		return th.Glyphs.Half
	}
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
