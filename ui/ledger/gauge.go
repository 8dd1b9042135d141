package ledger

import (
	"fmt"
	"strings"

	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// Gauge draws how much of something is full, w cells wide, with the share in words
// behind it: colour alone says nothing. mark, from 0 to 1, is a place on it, such as
// where the conversation is shortened; 0: none.
func Gauge(th *theme.Theme, share, mark float64, w int) string {
	const near = 0.8 // from here on it is said that little is left
	sign := " "
	if share >= near {
		sign = th.Glyphs.Warn
	}
	words := fmt.Sprintf(" %s%3d%%", sign, int(share*100))
	w -= safe.Width(words)
	if w < 4 {
		return strings.TrimSpace(words)
	}
	style := th.Accent
	switch {
	case share >= 1:
		style = th.Error
	case share >= near:
		style = th.Warn
	}
	full := min(w, int(share*float64(w)+0.5))
	if share > 0 {
		full = max(1, full)
	}
	at := -1
	if mark > 0 && mark < 1 {
		at = min(w-1, int(mark*float64(w)))
	}
	var b strings.Builder
	for i := range w {
		switch {
		case i == at:
			b.WriteString(th.Text.Apply(th.Glyphs.Bar))
		case i < full:
			b.WriteString(style.Apply(th.Glyphs.Full))
		default:
			b.WriteString(th.Faint.Apply(th.Glyphs.Empty))
		}
	}
	return b.String() + th.Text.Apply(words)
}

// sparksFrom is the height of the panel of the window from which on it has a row to spare
// for what the turns were like.
const sparksFrom = 16

// sparks is a row with the tokens of each turn, and what each cost where that is known
// and there is room.
func (win Window) sparks(th *theme.Theme, w int) []string {
	if len(win.Turns) < 2 {
		return nil
	}
	type part struct {
		name   string
		values []float64
		last   string
	}
	parts := []part{{lang.T("tokens of each turn"), win.Turns, Count(int(win.Turns[len(win.Turns)-1]))}}
	if n := len(win.Costs); n > 1 {
		parts = append(parts, part{lang.T("cost of each turn"), win.Costs, Money(win.Costs[n-1])})
	}
	for ; len(parts) > 0; parts = parts[:len(parts)-1] {
		room := w - 3*(len(parts)-1)
		for _, p := range parts {
			room -= safe.Width(p.name) + safe.Width(p.last) + 2
		}
		if room /= len(parts); room < 4 {
			continue
		}
		var out []string
		for _, p := range parts {
			out = append(out, th.Muted.Apply(p.name)+" "+Spark(th, p.values, min(room, 24))+" "+th.Faint.Apply(p.last))
		}
		return []string{strings.Join(out, "   ")}
	}
	return nil
}

// Spark draws values as a row of bars at most w cells wide, the newest at its end. Where
// there are more values than cells, each cell is the largest of its own.
func Spark(th *theme.Theme, values []float64, w int) string {
	if w < 1 || len(values) == 0 {
		return ""
	}
	if len(values) > w {
		packed := make([]float64, w)
		for i, v := range values {
			at := i * w / len(values)
			packed[at] = max(packed[at], v)
		}
		values = packed
	}
	top := 0.0
	for _, v := range values {
		top = max(top, v)
	}
	bars := []rune(" .:-=+*#")
	if th.Glyphs.Name == "unicode" {
		bars = []rune("▁▂▃▄▅▆▇█")
	}
	var b strings.Builder
	for _, v := range values {
		at := 0
		if top > 0 && v > 0 {
			at = min(len(bars)-1, int(v/top*float64(len(bars)-1)+0.5))
			if bars[0] == ' ' {
				at = max(1, at) // something is never nothing
			}
		}
		b.WriteRune(bars[at])
	}
	return th.Accent.Apply(b.String())
}

// Count is a number for eyes: "950", "12.3k", "1.2M".
func Count(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 100_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Tokens is a number of tokens for eyes.
func Tokens(n int) string {
	if n == 1 {
		return lang.T("1 token")
	}
	return lang.T("%s tokens", Count(n))
}

// Money is US dollars for eyes: cents, and where they are few two digits that say
// something, to a thousandth of a cent.
func Money(usd float64) string {
	if usd <= 0 || usd >= 0.1 {
		return fmt.Sprintf("$%.2f", usd)
	}
	digits := 3
	for least := 0.01; usd < least && digits < 5; least /= 10 {
		digits++
	}
	s := fmt.Sprintf("%.*f", digits, usd)
	for len(s) > len("0.00") && s[len(s)-1] == '0' {
		s = s[:len(s)-1]
	}
	return "$" + s
}

// titled is a row with a title and what stands at its end.
func titled(th *theme.Theme, title, end string, w int) string {
	end = safe.Truncate(end, max(0, w-8), th.Glyphs.Ellipsis)
	title = safe.Truncate(title, max(1, w-safe.Width(end)-2), th.Glyphs.Ellipsis)
	return th.Title.Apply(title) + safe.Blanks(max(1, w-safe.Width(title)-safe.Width(end))) + th.Faint.Apply(end)
}

// exactly makes rows h high and at most w wide.
func exactly(rows []string, w, h int) []string {
	for len(rows) < h {
		rows = append(rows, "")
	}
	rows = rows[:h]
	for i, r := range rows {
		rows[i] = safe.Truncate(r, w, "")
	}
	return rows
}
