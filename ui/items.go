package ui

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"forge/agent"
	"forge/agent/mark"
	"forge/ui/lang"
	"forge/ui/markdown"
	"forge/ui/safe"
	"forge/ui/theme"
)

const (
	// gutter is the cells before a pane's text: a glyph says who speaks.
	gutter = 2
	// thoughtRows is how much of a live reasoning is shown while folded.
	thoughtRows = 3
	// promptRows is how many lines of a prompt are shown while folded.
	promptRows = 20
	// promptEnd is how many of them are its last ones.
	promptEnd = 4
)

// whole is a pane that is drawn as a whole: prompts, notices, markers. Its draw
// function gets the cells after the gutter.
type whole struct {
	rowCache
	version int
	draw    func(d *drawing, w int) []string
	clock   func() bool // nil or false: it shows no time
	isTight bool
	matter  matter
	at      time.Time // when it was said; zero: nobody knows
}

func (p *whole) all(d *drawing) []string {
	var phase int64
	if p.clock != nil && p.clock() {
		phase = d.now.Unix()
	}
	return p.get(d, p.version, phase, func() []string { return p.draw(d, max(1, d.w-gutter)) })
}

func (p *whole) height(d *drawing) int                  { return len(p.all(d)) }
func (p *whole) rows(d *drawing, from, to int) []string { return clamp(p.all(d), from, to) }
func (p *whole) tight() bool                            { return p.isTight }

// measure is the width of prose behind the gutter.
func (d *drawing) measure() int { return max(1, min(d.w-gutter, markdown.Measure)) }

// lead puts a glyph before the first row and blanks before the others.
func lead(glyph string, rows []string) []string {
	for i := range rows {
		if i == 0 {
			rows[i] = glyph + " " + rows[i]
		} else {
			rows[i] = "  " + rows[i]
		}
	}
	return rows
}

// wrap makes untrusted text safe, wraps it and paints each row.
func wrap(text string, w int, style theme.Style) []string {
	rows := safe.Wrap(safe.Output(text), max(1, w))
	for i, r := range rows {
		rows[i] = style.Apply(strings.TrimRight(r, " "))
	}
	return rows
}

// clip is one safe row of at most w cells.
func clip(text string, w int, th *theme.Theme) string {
	return safe.Truncate(safe.Line(text), w, th.Glyphs.Ellipsis)
}

// newPrompt shows what the person said.
func newPrompt(text string, images int) pane {
	images -= len(mark.In(text)) // the others stand in the text
	text = mark.Short(strings.TrimSpace(text))
	return &whole{matter: matter{kind: isPrompted, title: lang.T("prompt"), text: safe.Output(text)}, draw: func(d *drawing, w int) []string {
		shown, end, hidden := text, "", ""
		if !d.expanded { // a pasted log must not push the answer off the screen
			shown, end, hidden = foldPrompt(text, d.measure(), d.th.Glyphs.Ellipsis)
		}
		rows := wrap(shown, d.measure(), d.th.User)
		if hidden != "" {
			rows = append(rows, d.th.Faint.Apply(lang.T("%s more", hidden)+d.unfolds()))
		}
		if end != "" {
			rows = append(rows, wrap(end, d.measure(), d.th.User)...)
		}
		if images > 0 {
			rows = append(rows, d.th.Muted.Apply(plural(images, "image")))
		}
		return lead(d.th.Accent.Apply(promptGlyph(d.th)), rows)
	}}
}

// foldPrompt is the beginning and the end of a long prompt, and in words how much stands
// between them: beneath a pasted log comes what is asked about it.
func foldPrompt(text string, w int, ellipsis string) (begin, end, hidden string) {
	lines := strings.Count(text, "\n") + 1
	if lines > promptRows {
		begin = firstLines(text, promptRows-promptEnd, 2*promptRows*w)
		at := len(text)
		for range promptEnd {
			at = strings.LastIndexByte(text[:at], '\n')
		}
		end = lastCells(text[at+1:], promptEnd*w, ellipsis) // its own end is what was typed
		return begin, end, plural(lines-strings.Count(begin, "\n")-1-promptEnd, "line")
	}
	if len(text) <= 2*promptRows*w || safe.Width(text) <= 2*promptRows*w {
		return text, "", ""
	}
	// Few lines, and one of them is long.
	n := min(len(text), 8*promptRows*w)
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	begin = safe.Truncate(text[:n], (promptRows-promptEnd)*w, "")
	end = lastCells(text[len(begin):], promptEnd*w, ellipsis)
	between := utf8.RuneCountInString(text) - utf8.RuneCountInString(begin) - utf8.RuneCountInString(end)
	return begin, end, plural(between, "character")
}

// lastCells is the end of a text, of at most so many cells.
func lastCells(text string, cells int, ellipsis string) string {
	if len(text) <= cells {
		return text
	}
	cut := max(0, len(text)-8*cells)
	tail := strings.ToValidUTF8(text[cut:], "")
	if cut == 0 && safe.Width(tail) <= cells {
		return tail
	}
	return safe.TruncateLeft(tail, cells, ellipsis+" ")
}

// firstLines is the beginning of text, at most n lines and about so many bytes.
func firstLines(text string, n, bytes int) string {
	at := 0
	for range n {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			at = len(text) + 1
			break
		}
		at += i + 1
	}
	text = text[:at-1]
	if len(text) > bytes {
		text = strings.ToValidUTF8(text[:bytes], "") + " …"
	}
	return text
}

// promptGlyph stands before the composer and before what was sent with it.
func promptGlyph(th *theme.Theme) string {
	if th.Glyphs.Name == "ascii" {
		return ">"
	}
	return "›"
}

// newNotice shows one line for a person.
func newNotice(text string) pane {
	text = lang.Said(text)
	return &whole{matter: matter{kind: isNoted, title: lang.T("notice"), text: safe.Output(text)}, isTight: true, draw: func(d *drawing, w int) []string {
		return lead(d.th.Faint.Apply(d.th.Glyphs.Sep), wrap(text, d.measure(), d.th.Muted))
	}}
}

// newError shows a failure and what can be done about it.
func newError(text, hint string) pane {
	text, hint = lang.Said(text), lang.Said(hint)
	said := strings.TrimRight(safe.Output(text)+"\n"+safe.Output(hint), "\n")
	return &whole{matter: matter{kind: isNoted, title: lang.T("error"), text: said}, draw: func(d *drawing, w int) []string {
		rows := wrap(text, d.measure(), d.th.Error)
		if hint != "" {
			rows = append(rows, wrap(hint, d.measure(), d.th.Muted)...)
		}
		return lead(d.th.Error.Apply(d.th.Glyphs.Fail), rows)
	}}
}

// newSummary ends a run: time, turns, tokens, money.
func newSummary(text string) pane {
	return &whole{draw: func(d *drawing, w int) []string {
		return lead(" ", wrap(text, w, d.th.Faint))
	}}
}

// newMarker is a line across the transcript; detail stands under it while
// nothing is folded.
func newMarker(text, detail string) pane {
	text = lang.Said(text)
	said := strings.TrimRight(safe.Output(text)+"\n\n"+safe.Output(detail), "\n")
	return &whole{matter: matter{kind: isNoted, title: lang.T("notice"), text: said}, draw: func(d *drawing, w int) []string {
		label := clip(text, w-6, d.th)
		rule := strings.Repeat(d.th.Glyphs.Rule, 2)
		rest := max(0, d.w-safe.Width(label)-4)
		rows := []string{d.th.Rule.Apply(rule) + " " + d.th.Muted.Apply(label) + " " +
			d.th.Rule.Apply(strings.Repeat(d.th.Glyphs.Rule, rest))}
		if d.expanded && detail != "" {
			rows = append(rows, lead(" ", wrap(detail, d.measure(), d.th.Muted))...)
		}
		return rows
	}}
}

// retry counts down to the next attempt; once that began it says that it was.
type retry struct {
	whole
	cause             string
	until             time.Time
	attempt, attempts int
	over              bool
	dropped           bool // the person stopped it before
}

func newRetry(cause string, until time.Time, attempt, attempts int) *retry {
	r := &retry{cause: lang.Said(cause), until: until, attempt: attempt, attempts: attempts}
	r.isTight = true
	r.clock = func() bool { return !r.over }
	r.draw = func(d *drawing, w int) []string {
		text := lang.T("retried (%d of %d): %s", r.attempt, r.attempts, r.cause)
		style := d.th.Muted
		if r.dropped {
			text = lang.T("not retried: %s", r.cause)
		}
		if !r.over {
			text = lang.T("trying again (%d of %d): %s", r.attempt, r.attempts, r.cause)
			if left := r.until.Sub(d.now).Round(time.Second); left > 0 { // else the attempt is on, and may be silent for long
				text = lang.T("retrying in %s (%d of %d): %s", seconds(left), r.attempt, r.attempts, r.cause)
			}
			style = d.th.Warn
		}
		return lead(style.Apply(d.th.Glyphs.Warn), wrap(text, d.measure(), style))
	}
	return r
}

// end stops the countdown.
func (r *retry) end() { r.over = true; r.version++ }

// indent returns copies of rows with n blanks before each.
func indent(rows []string, n int) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		if r != "" {
			out[i] = strings.Repeat(" ", n) + r
		}
	}
	return out
}

// lastRows wraps only as much of the end of text as n rows can need.
func lastRows(text string, w, n int, style theme.Style) []string {
	text = strings.TrimRight(text, "\n ")
	const perCell = 4 // bytes of the widest common rune
	if most := n * w * perCell; len(text) > most {
		text = text[len(text)-most:]
		if i := strings.IndexByte(text, '\n'); i >= 0 && i < len(text)/2 {
			text = text[i+1:]
		} else {
			text = strings.ToValidUTF8(text, "")
		}
	}
	if text == "" {
		return nil
	}
	rows := wrap(text, w, style)
	return rows[max(0, len(rows)-n):]
}

// newAttached shows what went with a prompt, or why it did not; unfolded, its text.
func newAttached(e agent.Attached) pane {
	e.Label = lang.As(e.Label, "instructions of %s")
	return &whole{matter: matter{kind: isNoted, title: safe.Line(e.Label), text: safe.Output(e.Text)}, isTight: true, draw: func(d *drawing, w int) []string {
		if e.Err != nil {
			return lead(d.th.Error.Apply(d.th.Glyphs.Fail), wrap(lang.T("%s was not attached: %s", e.Label, oneLine(e.Err)), d.measure(), d.th.Error))
		}
		note := byteCount(len(e.Text))
		if len(e.Images) > 0 {
			note = plural(len(e.Images), "image")
		}
		rows := []string{d.th.Muted.Apply(clip(e.Label, max(1, w-safe.Width(note)-2), d.th)) + "  " + d.th.Faint.Apply(note)}
		if d.expanded {
			rows = append(rows, wrap(firstLines(e.Text, 200, 32<<10), d.measure(), d.th.Faint)...)
		}
		return lead(d.th.Accent.Apply("@"), rows)
	}}
}

// byteCount is a size for eyes.
func byteCount(n int) string {
	if n < 10_000 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%d KB", n/1000)
}
