package ledger

import (
	"fmt"
	"strings"

	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// Sum is what some calls used up.
type Sum struct {
	Name      string
	Calls     int
	USD       float64
	Unpriced  int // calls whose price is not known
	Input     int // tokens, cached ones included
	Output    int
	CacheRead int
}

// Level is how one budget stands: in words, and as a share.
type Level struct {
	Name, Spent, Limit string
	Share              float64
}

// Usage is what the panel of usage shows.
type Usage struct {
	Session, Today Sum
	TodayKnown     bool
	Work           string // time of work, in words; empty: not known
	Models         []Sum
	Tokens         []float64 // of each turn, the oldest first
	Costs          []float64 // US dollars of each turn; empty: not known
	Missed         int       // tokens read anew though a cache had had them
	MissedCost     float64
	Levels         []Level
	Used, Size     int // of the window, in tokens
	Limit          int
	Demo           bool   // nothing of it is counted beyond the conversation
	Trouble        string // why something is missing
}

// names is how wide the column of names is.
const names = 20

// fact is one thing the panel tells: a name with words, or beside them a gauge or a
// sparkline. Without a name it is a gap.
type fact struct {
	name, text  string
	gauge       bool
	share, mark float64
	spark       []float64
	say         func(float64) string // a value of spark
	strong      bool
	trouble     bool
}

// facts is all there is to tell, in its order.
func (u Usage) facts() []fact {
	out := []fact{{name: lang.T("this conversation"), text: u.Session.Words()}}
	if u.Demo {
		out = append(out, fact{name: lang.T("today"), text: lang.T("a demo: forge usage does not count it")})
	} else if u.TodayKnown {
		out = append(out, fact{name: lang.T("today"), text: u.Today.Words()})
	}
	if u.Work != "" {
		out = append(out, fact{name: lang.T("work"), text: u.Work})
	}
	if u.Session.Input > 0 {
		text := fmt.Sprintf("%d%%", 100*u.Session.CacheRead/u.Session.Input)
		if u.Missed > 0 {
			text += lang.T(" · ") + lang.T("%s tokens were read anew", Count(u.Missed))
			if u.MissedCost > 0 {
				text += lang.T(", ") + lang.T("which cost %s more", Money(u.MissedCost))
			}
		}
		out = append(out, fact{name: lang.T("cache hits"), text: text})
	}
	out = append(out, fact{})
	if u.Size > 0 {
		out = append(out, fact{name: lang.T("window"), text: lang.T("%s of %s tokens", Count(u.Used), Count(u.Size)), gauge: true,
			share: float64(u.Used) / float64(u.Size), mark: float64(u.Limit) / float64(u.Size)})
	}
	for _, l := range u.Levels {
		out = append(out, fact{name: l.Name, text: lang.T("%s of %s", l.Spent, l.Limit), gauge: true, share: l.Share})
	}
	if len(u.Levels) == 0 {
		out = append(out, fact{name: lang.T("budget"), text: lang.T("none is set; --max-budget-usd and spend in the settings set one")})
	}
	if len(u.Tokens) > 1 {
		out = append(out, fact{}, fact{name: lang.T("tokens of each turn"), spark: u.Tokens, say: func(v float64) string { return Count(int(v)) }})
	}
	if len(u.Costs) > 1 {
		out = append(out, fact{}, fact{name: lang.T("cost of each turn"), spark: u.Costs, say: Money})
	}
	if len(u.Models) > 1 {
		out = append(out, fact{}, fact{name: lang.T("by model"), strong: true})
		for _, m := range u.Models {
			out = append(out, fact{name: safe.Line(m.Name), text: m.Words()})
		}
	}
	if u.Trouble != "" {
		out = append(out, fact{}, fact{text: safe.Line(u.Trouble), trouble: true})
	}
	return out
}

// newest is how many turns are told one by one in words.
const newest = 10

// Lines says it in words, line by line.
func (u Usage) Lines() []string {
	var out []string
	for _, f := range u.facts() {
		switch {
		case f.trouble:
			out = append(out, f.text)
		case f.name == "":
		case f.strong:
			out = append(out, strings.TrimSpace(f.name+lang.T(": ")))
		case f.spark != nil:
			line, last := f.name, f.spark[max(0, len(f.spark)-newest):]
			for i, v := range last {
				sep := lang.T(", ")
				if i == 0 {
					sep = lang.T(": ")
				}
				line += sep + f.say(v)
			}
			out = append(out, line)
		case f.gauge:
			out = append(out, f.name+lang.T(": ")+f.text+lang.T(", ")+fmt.Sprintf("%d%%", int(100*f.share)))
		default:
			out = append(out, f.name+lang.T(": ")+aloud(f.text))
		}
	}
	return out
}

// View draws it as rows w wide, as many as it takes.
func (u Usage) View(th *theme.Theme, w int) []string {
	var rows []string
	narrow := w < 50
	label := func(name string) string { return th.Muted.Apply(safe.Fit(name, names-1, th.Glyphs.Ellipsis) + " ") }
	say := func(f fact) {
		if narrow {
			rows = append(rows, th.Muted.Apply(f.name))
			for _, r := range safe.Wrap(f.text, max(4, w-2)) {
				rows = append(rows, "  "+th.Text.Apply(r))
			}
			return
		}
		for i, r := range safe.Wrap(f.text, max(4, w-names)) {
			if i > 0 {
				f.name = ""
			}
			rows = append(rows, label(f.name)+th.Text.Apply(r))
		}
	}
	for _, f := range u.facts() {
		switch {
		case f.trouble:
			rows = append(rows, th.Warn.Apply(safe.Truncate(f.text, w, th.Glyphs.Ellipsis)))
		case f.name == "":
			rows = append(rows, "")
		case f.strong:
			rows = append(rows, th.Strong.Apply(f.name))
		case f.spark != nil:
			last := f.say(f.spark[len(f.spark)-1])
			rows = append(rows, th.Muted.Apply(safe.Truncate(f.name, w, th.Glyphs.Ellipsis)),
				Spark(th, f.spark, max(1, min(w-safe.Width(last)-2, 72)))+"  "+th.Faint.Apply(last))
		case f.gauge && narrow:
			say(f)
			rows = append(rows, "  "+Gauge(th, f.share, f.mark, w-2))
		case f.gauge:
			rows = append(rows, label(f.name)+Gauge(th, f.share, f.mark, min(36, w-names))+"  "+
				th.Muted.Apply(safe.Truncate(f.text, max(0, w-names-36-2), th.Glyphs.Ellipsis)))
		default:
			say(f)
		}
	}
	return rows
}

// Words says a sum in a line: money, calls, tokens.
func (s Sum) Words() string {
	text := Money(s.USD)
	switch {
	case s.Calls == 0:
		return lang.T("nothing yet")
	case s.Unpriced == s.Calls:
		text = lang.T("price not known")
	case s.Unpriced > 0:
		text = lang.T("%s and %s without a price", Money(s.USD), s.calls(s.Unpriced))
	}
	return text + lang.T(" · ") + s.calls(s.Calls) + lang.T(" · ") + lang.T("%s tokens in, %s out", Count(s.Input), Count(s.Output))
}

func (Sum) calls(n int) string { return lang.Count(n, "1 call", "%d calls") }
