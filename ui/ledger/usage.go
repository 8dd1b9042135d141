package ledger

import (
	"fmt"

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
	Trouble        string // why something is missing
}

// names is how wide the column of names is.
const names = 20

// View draws it as rows w wide, as many as it takes.
func (u Usage) View(th *theme.Theme, w int) []string {
	var rows []string
	say := func(name, text string) {
		if w < 50 {
			rows = append(rows, th.Muted.Apply(name))
			for _, r := range safe.Wrap(text, max(4, w-2)) {
				rows = append(rows, "  "+th.Text.Apply(r))
			}
			return
		}
		for i, r := range safe.Wrap(text, max(4, w-names)) {
			if i > 0 {
				name = ""
			}
			rows = append(rows, th.Muted.Apply(safe.Fit(name, names-1, th.Glyphs.Ellipsis)+" ")+th.Text.Apply(r))
		}
	}
	bar := func(name, text string, share, mark float64) {
		if w < 50 {
			say(name, text)
			rows = append(rows, "  "+Gauge(th, share, mark, w-2))
			return
		}
		rows = append(rows, th.Muted.Apply(safe.Fit(name, names-1, th.Glyphs.Ellipsis)+" ")+Gauge(th, share, mark, min(36, w-names))+"  "+
			th.Muted.Apply(safe.Truncate(text, max(0, w-names-36-2), th.Glyphs.Ellipsis)))
	}
	say(lang.T("this conversation"), u.Session.words())
	if u.TodayKnown {
		say(lang.T("today"), u.Today.words())
	}
	if u.Work != "" {
		say(lang.T("work"), u.Work)
	}
	if u.Session.Input > 0 {
		text := fmt.Sprintf("%d%%", 100*u.Session.CacheRead/u.Session.Input)
		if u.Missed > 0 {
			text += lang.T(" · ") + lang.T("%s tokens were read anew", Count(u.Missed))
			if u.MissedCost > 0 {
				text += " (" + lang.T("%s more", Money(u.MissedCost)) + ")"
			}
		}
		say(lang.T("cache hits"), text)
	}
	rows = append(rows, "")
	if u.Size > 0 {
		bar(lang.T("window"), lang.T("%s of %s tokens", Count(u.Used), Count(u.Size)), float64(u.Used)/float64(u.Size), float64(u.Limit)/float64(u.Size))
	}
	for _, l := range u.Levels {
		bar(l.Name, lang.T("%s of %s", l.Spent, l.Limit), l.Share, 0)
	}
	if len(u.Levels) == 0 {
		say(lang.T("budget"), lang.T("none is set; --max-budget-usd and spend in the settings set one"))
	}
	spark := func(name string, values []float64, last string) {
		if len(values) < 2 {
			return
		}
		rows = append(rows, "", th.Muted.Apply(safe.Truncate(name, w, th.Glyphs.Ellipsis)),
			Spark(th, values, max(1, min(w-safe.Width(last)-2, 72)))+"  "+th.Faint.Apply(last))
	}
	if n := len(u.Tokens); n > 0 {
		spark(lang.T("tokens of each turn"), u.Tokens, Count(int(u.Tokens[n-1])))
	}
	if n := len(u.Costs); n > 0 {
		spark(lang.T("cost of each turn"), u.Costs, Money(u.Costs[n-1]))
	}
	if len(u.Models) > 1 {
		rows = append(rows, "", th.Strong.Apply(lang.T("by model")))
		for _, m := range u.Models {
			say(safe.Line(m.Name), m.words())
		}
	}
	if u.Trouble != "" {
		rows = append(rows, "", th.Warn.Apply(safe.Truncate(safe.Line(u.Trouble), w, th.Glyphs.Ellipsis)))
	}
	return rows
}

// words says a sum in a line.
func (s Sum) words() string {
	text := Money(s.USD)
	switch {
	case s.Calls == 0:
		return lang.T("nothing yet")
	case s.Unpriced == s.Calls:
		text = lang.T("price not known")
	case s.Unpriced > 0:
		text = lang.T("%s and %d calls without a price", Money(s.USD), s.Unpriced)
	}
	return text + lang.T(" · ") + lang.T("%d calls", s.Calls) + lang.T(" · ") + lang.T("%s tokens in, %s out", Count(s.Input), Count(s.Output))
}
