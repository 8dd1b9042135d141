package dialog

import (
	"slices"
	"strings"

	"forge/sorting"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// View implements Dialog.
func (d *Ask) View(width, height int, armed bool) Frame {
	ready := d.ready()
	f := d.view(width, height, armed)
	if !ready && d.ready() { // its end has just been shown: the answers say so at once
		f = d.view(width, height, armed)
	}
	return f
}

func (d *Ask) view(width, height int, armed bool) Frame {
	small := height < smallRows
	d.tight = d.crowded(width, height, small)
	head := d.head(width, height, small)
	d.answers.rows = nil
	var foot []string
	f := Frame{}
	switch {
	case d.writing != nothing:
		foot = d.commentRows(&f, width)
	case d.review != nil && d.review.edit != nil:
		return d.review.editView(head[:1], width, height)
	case small:
		foot = d.keys(width, height, armed)
	default:
		foot = d.choices(width, height, armed)
	}
	answered := len(foot)
	if d.review == nil { // what would run is read before why it is asked about
		f.Y += len(head) - 1
		head, foot = head[:1], append(head[1:len(head):len(head)], foot...)
	}
	d.page = max(1, height-len(head)-len(foot))
	body := d.bodyRows(width)
	f.Rows = append(append(head, body...), foot...)
	f.Y += len(head) + len(body)
	d.answers.drawn(len(f.Rows), answered)
	return f
}

// crowded reports whether what would run does not fit into a frame with everything that
// stands around it: that then takes as few rows as it can.
func (d *Ask) crowded(width, height int, small bool) bool {
	const around = 9 // the title, a reason or two, facts, answers, keys
	if d.review != nil || small || height >= 30 {
		return false
	}
	n := 0
	for _, line := range d.body {
		if n += len(safe.Wrap(line, max(4, width-4))); n > height-around {
			return true
		}
	}
	return false
}

// riskName is the level as a word of the language in force.
func riskName(l permission.Level) string {
	return lang.T([...]string{lang.N("LOW"), lang.N("MEDIUM"), lang.N("HIGH"), lang.N("CRITICAL")}[l])
}

// smallRows is the height below which the answers share rows: what is to be
// approved must have more room than the ways to answer.
const smallRows = 10

// head is who asks, how dangerous it is and why; in a small frame two rows. What the
// reasons need beyond a quarter of the height is read on with the command, which must
// have more room than they.
func (d *Ask) head(width, height int, small bool) []string {
	t := d.theme
	level := min(max(d.r.Level, permission.Low), permission.Critical)
	risk := t.Risk[level].Apply(t.Glyphs.Warn + " " + riskName(level))
	rows := d.titleRows(risk, width, small)
	var why []string
	if a := d.r.Effect.Agent; a != "" {
		if task := d.r.Effect.Task; task != "" {
			why = append(why, lang.T("the sub-agent %s asks; its task: %s", safe.Prompt(a), safe.Prompt(task)))
		} else {
			why = append(why, lang.T("the sub-agent %s asks", safe.Prompt(a)))
		}
	}
	if d.flagged {
		why = append(why, lang.T("holds characters that hide or imitate: they are shown as <…>"))
	}
	risks := slices.Clone(d.r.Risks)
	sorting.StableBy(risks, func(a, b permission.Risk) int { return int(b.Level) - int(a.Level) })
	for _, r := range risks { // the worst is read first, and the last to be cut
		why = append(why, safe.Prompt(lang.Said(r.Reason)))
	}
	if text := d.again(); text != "" {
		why = append([]string{text}, why...)
	}
	if len(d.r.Parts) > 0 {
		why = append(why, d.parts())
	}
	if d.r.Effect.Detail != "" && (d.review != nil || besides(d.r.Effect)) { // why it is asked about again, who changed it
		why = append(why, safe.Prompt(lang.Said(d.r.Effect.Detail)))
	}
	if d.rest = nil; small {
		if why = append(why, d.facts()...); len(why) > 0 {
			text := strings.Join(why, lang.T(" · "))
			if d.review == nil && safe.Width(text) > width-2 { // it is read with the command, once
				d.rest = why
			} else {
				rows = append(rows, t.Muted.Apply(cut("  "+text, width)))
			}
		}
		if title := d.title(); d.review == nil && safe.Width(risk)+2+safe.Width(title) > width {
			d.rest = append([]string{title}, d.rest...)
		}
		return rows
	}
	if len(why) > 0 {
		said := safe.Wrap(strings.Join(why, lang.T("; ")), max(4, width-2))
		most := max(2, height/4)
		if d.tight {
			most = 2
		}
		if d.review == nil && len(said) > most {
			d.rest = why
			said = append(said[:most-1:most-1], safe.Truncate(said[most-1], max(1, width-3), "")+lang.T("…"))
		}
		for _, row := range said {
			rows = append(rows, "  "+t.Muted.Apply(row))
		}
	}
	return rows
}

// titleRows is the level and what the call would do, wrapped: where a name is long,
// its end says the most. In a small frame it has one row and is shown whole with the
// command.
func (d *Ask) titleRows(risk string, width int, small bool) []string {
	t := d.theme
	title := d.title()
	lines := safe.Wrap(title, max(8, width-safe.Width(risk)-2))
	if small && len(lines) > 1 {
		return []string{cut(risk+"  "+t.Title.Apply(title), width)}
	}
	rows := []string{cut(risk+"  "+t.Title.Apply(lines[0]), width)}
	if len(lines) > 1 { // the rows behind have more room
		for _, row := range safe.Wrap(strings.TrimLeft(strings.TrimPrefix(title, lines[0]), " "), max(8, width-2)) {
			rows = append(rows, "  "+t.Title.Apply(row))
		}
	}
	return rows
}

// again says why the same is asked once more.
func (d *Ask) again() string {
	if len(d.r.Changed) == 0 {
		return ""
	}
	var said []string
	for _, c := range d.r.Changed {
		said = append(said, lang.Said(c))
	}
	return lang.T("asked again: %s", safe.Prompt(strings.Join(said, lang.T("; "))))
}

// parts names the commands of the line that the answer is about.
func (d *Ask) parts() string {
	return lang.T("only this of it needs an answer: %s", safe.Prompt(strings.Join(d.r.Parts, lang.T("; "))))
}

// title is what the call would do in a line, and which of how many changes of the same
// answer it is.
func (d *Ask) title() string {
	if d.review != nil && d.review.several() {
		return d.deeds()
	}
	if d.r.Of > 1 {
		return lang.T("%d of %d: %s", d.r.Nth+1, d.r.Of, d.deed())
	}
	return d.deed()
}

// deed is what the call would do. The command itself stands in the body, whole: the
// title does not say a part of it twice.
func (d *Ask) deed() string {
	e := d.r.Effect
	title := strings.Join(strings.Fields(safe.Prompt(e.Title)), " ")
	switch {
	case title == "":
		return safe.Prompt(d.r.Call.Name)
	case e.Kind != tools.Exec || e.Command == "" || !strings.HasPrefix(title, "run "):
		return lang.Title(title)
	case e.Escape != tools.Confined:
		return lang.T("run this command again %s", lang.T(string(e.Escape)))
	case strings.HasSuffix(title, inBackground) && title != "run "+strings.Join(strings.Fields(safe.Prompt(e.Command)), " "):
		return lang.T("run this command in the background")
	}
	return lang.T("run this command")
}

// inBackground ends the title of a command that goes on beside the run.
const inBackground = " in the background"

// The words of tools.Escape, and of why a change is asked about again, for lang to
// find.
var _ = [...]string{lang.N("with the network open"), lang.N("outside the sandbox"), lang.N("1 conflict"), lang.N("%d conflicts")}

// bodyRows is the window on the text, or on the diff.
func (d *Ask) bodyRows(width int) []string {
	if d.review != nil {
		return d.review.view(d, width)
	}
	var all []string
	for _, line := range d.body {
		for _, row := range safe.Wrap(line, max(4, width-4)) {
			all = append(all, "  "+d.theme.Text.Apply(row))
		}
	}
	for _, why := range d.rest {
		for _, row := range safe.Wrap(why, max(4, width-4)) {
			all = append(all, "  "+d.theme.Muted.Apply(row))
		}
	}
	window := d.window(all)
	if len(all) > len(window) {
		window = append(window[:len(window)-1], d.position(len(all), width))
	}
	return window
}

// window cuts rows to the page and remembers whether the end was shown. Where
// not all fit, the last row is left for position.
func (d *Ask) window(all []string) []string {
	d.rows = len(all)
	if len(all) <= d.page {
		d.top, d.seen = 0, true
		return all
	}
	page := max(1, d.page-1)
	d.top = min(max(0, d.top), len(all)-page)
	d.seen = d.seen || d.top+page >= len(all)
	return append(append([]string(nil), all[d.top:d.top+page]...), "")
}

func (d *Ask) position(n, width int) string {
	last := min(n, d.top+max(1, d.page-1))
	return d.theme.Faint.Apply(cut("  "+d.bound.Named(lang.T("rows %d to %d of %d · ↑↓ end scroll", d.top+1, last, n), keymap.AskUp, keymap.AskDown, keymap.AskEnd), width))
}

// facts is where a command would run, and what made it a question.
func (d *Ask) facts() (facts []string) {
	if d.r.Cwd != "" && d.r.Effect.Kind == tools.Exec {
		facts = append(facts, lang.T("in %s", safe.Prompt(d.r.Cwd)))
	}
	if d.r.Sandbox != "" && d.r.Effect.Kind == tools.Exec {
		facts = append(facts, lang.T("sandbox %s", lang.Said(d.r.Sandbox)))
	}
	switch {
	case d.r.Effect.Said.Ask:
		facts = append(facts, lang.T("asked for by %s", safe.Prompt(d.r.Effect.Said.String())))
	case d.r.Rule != "":
		facts = append(facts, lang.T("rule %s", safe.Prompt(lang.Said(d.r.Rule))))
	}
	return facts
}
