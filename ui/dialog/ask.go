package dialog

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/tools/permission"
	"forge/ui/composer"
	"forge/ui/safe"
	"forge/ui/theme"
)

// Interrupt is the message of Esc on a permission question: the call is denied
// and the run is to stop.
type Interrupt struct{}

// Ask puts a permission question. Where the call changes files it is the diff
// review: hunks may be dropped before the rest is allowed.
//
// Nothing allows by accident: only y, s and their digits do, enter, space and a
// paste never; and a text longer than its frame must have been shown to its end.
type Ask struct {
	r       permission.Request
	theme   *theme.Theme
	reply   func(permission.Answer)
	body    []string // the text to be approved, in the PROMPT view, unwrapped
	flagged bool     // it holds something that hides or imitates
	review  *review  // nil: no files are changed
	comment *composer.Composer
	say     bool // the comment is being written

	top  int  // first row shown of the body
	rows int  // of the body at the last width
	page int  // rows of its window
	seen bool // the end was shown

	granted bool // what s would store was shown whole
}

// NewAsk returns a dialog for r; reply is called once and must not block.
func NewAsk(t *theme.Theme, r permission.Request, reply func(permission.Answer)) *Ask {
	d := &Ask{r: r, theme: t, reply: reply}
	d.comment = composer.New(composer.Options{Glyph: t.Glyphs.Pointer, Placeholder: "what should it do instead?",
		Styles: composer.Styles{Prompt: t.Accent.Apply, Placeholder: t.Faint.Apply}})
	text := r.Effect.Command
	switch {
	case len(r.Effect.Changes) > 0:
		d.review = newReview(t, r.Effect.Changes)
	case text == "" && r.Effect.Detail != "":
		text = r.Effect.Detail
	case text == "":
		text = r.Call.Input
	}
	if d.review == nil {
		shown := safe.Inspect(text)
		d.flagged = shown.Flag
		d.body = strings.Split(shown.String(), "\n")
	}
	return d
}

// ID implements Dialog.
func (d *Ask) ID() string { return d.r.ID }

// Guarded implements Dialog.
func (d *Ask) Guarded() bool { return true }

// Cancel implements Dialog.
func (d *Ask) Cancel() { d.reply(permission.Answer{Reason: "the screen was closed", Unattended: true}) }

// Start works the diff out, off the loop.
func (d *Ask) Start() tea.Cmd {
	if d.review == nil {
		return nil
	}
	return d.review.start()
}

// Update implements Dialog.
func (d *Ask) Update(msg tea.Msg) (cmd tea.Cmd, handled, done bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if d.say {
			return d.commentKey(msg)
		}
		return d.key(msg)
	case tea.PasteMsg:
		if d.say {
			d.comment.Update(msg)
		}
		return nil, d.say, false
	case tea.MouseWheelMsg:
		return nil, d.wheel(msg), false
	case reviewed:
		return nil, d.review != nil && d.review.take(msg), false
	}
	return nil, false, false
}

func (d *Ask) wheel(msg tea.MouseWheelMsg) bool {
	switch msg.Button {
	case tea.MouseWheelUp:
		d.scroll(-3)
	case tea.MouseWheelDown:
		d.scroll(3)
	default:
		return false
	}
	return true
}

func (d *Ask) key(k tea.KeyPressMsg) (cmd tea.Cmd, handled, done bool) {
	switch k.String() {
	case "y", "Y", "1":
		return nil, true, d.allow(permission.ScopeOnce)
	case "s", "S", "2":
		return nil, true, d.granted && d.allow(permission.ScopeSession)
	case "n", "N", "3":
		d.deny("")
		return nil, true, true
	case "esc":
		d.deny("")
		return func() tea.Msg { return Interrupt{} }, true, true
	case "tab", "c":
		d.say = true
	case "up", "k":
		d.scroll(-1)
	case "down", "j":
		d.scroll(1)
	case "pgup", "b", "ctrl+u":
		d.scroll(-max(1, d.page-1))
	case "pgdown", "f", "ctrl+d", "space", " ":
		if k.String() != "pgdown" && k.String() != "f" && k.String() != "ctrl+d" && d.review != nil {
			d.review.toggle()
			break
		}
		d.scroll(max(1, d.page-1))
	case "home", "g":
		d.top = 0
	case "end", "G":
		d.top = d.rows
	default:
		if d.review == nil || !d.review.key(k.String(), d) {
			// A letter that means nothing here is not typed into the composer
			// behind: half a word there and half lost would be worse.
			return nil, k.Text != "", false
		}
	}
	return nil, true, false
}

func (d *Ask) commentKey(k tea.KeyPressMsg) (cmd tea.Cmd, handled, done bool) {
	switch k.String() {
	case "esc":
		d.say = false
		return nil, true, false
	case "enter":
		d.deny(strings.TrimSpace(d.comment.Value()))
		return nil, true, true
	}
	d.comment.Update(k)
	return nil, true, false
}

// allow answers yes, and reports whether it could.
func (d *Ask) allow(scope permission.Scope) bool {
	if !d.ready() {
		d.scroll(max(1, d.page-1))
		return false
	}
	a := permission.Answer{Allow: true, Scope: scope}
	if d.review != nil {
		changes, whole := d.review.result()
		if len(changes) == 0 {
			d.deny("every change was turned down in the review")
			return true
		}
		if !whole {
			a.Changes = changes
			// A partial yes is about these hunks, not about a directory.
			a.Scope = permission.ScopeOnce
		}
	}
	d.reply(a)
	return true
}

func (d *Ask) deny(words string) { d.reply(permission.Answer{Reason: words}) }

// ready reports whether all of what would run was shown.
func (d *Ask) ready() bool { return d.review != nil && d.review.ready() || d.review == nil && d.seen }

func (d *Ask) scroll(by int) { d.top += by }

// View implements Dialog.
func (d *Ask) View(width, height int, armed bool) Frame {
	small := height < smallRows
	head := d.head(width, small)
	var foot []string
	f := Frame{}
	if d.say {
		rows, x, y := d.comment.View(width-2, 4)
		foot = append(foot, d.theme.Muted.Apply(cut("  no, and tell the model:", width)))
		f.X, f.Y, f.Cursor = x+2, y+len(foot), true
		for _, r := range rows {
			foot = append(foot, "  "+r)
		}
		foot = append(foot, d.theme.Faint.Apply(cut("  enter deny and send · esc back", width)))
	} else if small {
		foot = d.keys(width, height, armed)
	} else {
		foot = d.choices(width, height, armed)
	}
	d.page = max(1, height-len(head)-len(foot))
	body := d.bodyRows(width)
	f.Rows = append(append(head, body...), foot...)
	f.Y += len(head) + len(body)
	return f
}

// smallRows is the height below which the answers share rows: what is to be
// approved must have more room than the ways to answer.
const smallRows = 10

// head is who asks, how dangerous it is and why; in a small frame two rows.
func (d *Ask) head(width int, small bool) []string {
	t := d.theme
	level := min(max(d.r.Level, permission.Low), permission.Critical)
	risk := t.Risk[level].Apply(t.Glyphs.Warn + " " + level.String())
	title := d.title()
	rows := []string{cut(risk+"  "+t.Title.Apply(title), width)}
	var why []string
	if d.flagged {
		why = append(why, "holds characters that hide or imitate: they are shown as <…>")
	}
	for _, r := range d.r.Risks {
		why = append(why, safe.Prompt(r.Reason))
	}
	if small {
		if why = append(why, d.facts()...); len(why) > 0 {
			rows = append(rows, t.Muted.Apply(cut("  "+strings.Join(why, " · "), width)))
		}
		return rows
	}
	if len(why) > 0 {
		for _, row := range safe.Wrap(strings.Join(why, "; "), max(4, width-2)) {
			rows = append(rows, "  "+t.Muted.Apply(row))
		}
	}
	return rows
}

// title is what the call would do in a line. The command itself stands in the
// body, whole: the title does not say a part of it twice.
func (d *Ask) title() string {
	e := d.r.Effect
	title := strings.Join(strings.Fields(safe.Prompt(e.Title)), " ")
	switch {
	case title == "":
		return safe.Prompt(d.r.Call.Name)
	case e.Kind != tools.Exec || e.Command == "" || !strings.HasPrefix(title, "run "):
		return title
	case e.Escape != tools.Confined:
		return "run this command again " + string(e.Escape)
	case strings.HasSuffix(title, inBackground) && title != "run "+strings.Join(strings.Fields(safe.Prompt(e.Command)), " "):
		return "run this command" + inBackground
	}
	return "run this command"
}

// inBackground ends the title of a command that goes on beside the run.
const inBackground = " in the background"

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
	return d.theme.Faint.Apply(cut(fmt.Sprintf("  rows %d to %d of %d · ↑↓ end scroll", d.top+1, last, n), width))
}

// facts is where a command would run, and what made it a question.
func (d *Ask) facts() (facts []string) {
	if d.r.Cwd != "" && d.r.Effect.Kind == tools.Exec {
		facts = append(facts, "in "+safe.Prompt(d.r.Cwd))
	}
	if d.r.Sandbox != "" && d.r.Effect.Kind == tools.Exec {
		facts = append(facts, "sandbox "+d.r.Sandbox)
	}
	if d.r.Rule != "" {
		facts = append(facts, "rule "+safe.Prompt(d.r.Rule))
	}
	return facts
}

// once is what y does now.
func (d *Ask) once() string {
	switch {
	case !d.ready() && d.review != nil:
		return "working out the changes"
	case !d.ready():
		return "scroll to the end first"
	case d.review != nil:
		return d.review.label()
	}
	return "allow once"
}

// grants is what s would store, wrapped; nil where it is not offered. It is shown
// whole or not at all: a grant nobody read is no consent.
func (d *Ask) grants(width, height int) []string {
	var texts []string
	for _, g := range d.r.Grants {
		texts = append(texts, safe.Prompt(g.Text))
	}
	if len(texts) == 0 {
		return nil
	}
	lines := safe.Wrap("allow for this session: "+strings.Join(texts, "; "), max(4, width-6))
	d.granted = len(lines) <= max(1, height/4)
	if !d.granted {
		return []string{"what it would store does not fit here: enlarge the window"}
	}
	return lines
}

// keys is choices for a small frame: all on as few rows as they need.
func (d *Ask) keys(width, height int, armed bool) []string {
	t := d.theme
	var rows []string
	if lines := d.grants(width, height); d.granted {
		rows = append(rows, choice(t, "s", lines[0], width, armed && d.ready()))
		for _, l := range lines[1:] {
			rows = append(rows, "      "+l)
		}
	}
	style := t.Key
	if !armed {
		style = t.Faint
	}
	all := [][2]string{{"y", d.once()}, {"n", "deny"}, {"tab", "say why"}, {"esc", "stop"}}
	if d.review != nil {
		all = append(all, [2]string{"space", "drop"})
	}
	row, used := "", 0
	for _, k := range all {
		w := 3 + safe.Width(k[0]) + safe.Width(k[1])
		if used > 0 && used+w > width {
			rows = append(rows, cut(row, width))
			row, used = "", 0
		}
		row += "  " + style.Apply(k[0]) + " " + k[1]
		used += w
	}
	return append(rows, cut(row, width))
}

func (d *Ask) choices(width, height int, armed bool) []string {
	t := d.theme
	var rows []string
	if facts := d.facts(); len(facts) > 0 {
		rows = append(rows, t.Muted.Apply(cut("  "+strings.Join(facts, " · "), width)))
	}
	rows = append(rows, choice(t, "y", d.once(), width, armed && d.ready()))
	if lines := d.grants(width, height); len(lines) > 0 {
		rows = append(rows, choice(t, "s", lines[0], width, armed && d.ready() && d.granted))
		for _, l := range lines[1:] {
			rows = append(rows, "      "+l)
		}
	}
	rows = append(rows, choice(t, "n", "deny", width, armed), choice(t, "tab", "deny and say what to do instead", width, armed))
	help := "  esc deny and stop"
	if d.review != nil {
		help = "  space drop or keep · ←→ hunk · ↑↓ scroll · v side by side · esc deny and stop"
	}
	return append(rows, t.Faint.Apply(cut(help, width)))
}
