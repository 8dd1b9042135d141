package ui

import (
	"strings"
	"time"

	"forge/agent"
	"forge/tools"
	"forge/ui/crew"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// callState is how far a call is.
type callState int

const (
	callWriting   callState = iota // its arguments stream in
	callReady                      // prepared, not yet allowed
	callRunning                    // allowed
	callDone                       // ended well
	callFailed                     // ended with an error
	callRefused                    // not allowed
	callCancelled                  // cut short
)

const (
	outputRows = 6  // of a call's output while folded
	diffRows   = 14 // of a call's diff while folded
	reviewRows = 8  // of what was refused or changed in it
	inputRows  = 5  // of an argument that streams in
	serverRows = 3  // of what a server's tool answered while folded
	nestedRows = 4  // of a sub-agent's doings while folded
	resultMax  = 2000
)

// call is the card of one tool call: a title line with its state, and beneath it
// what is worth seeing of it now.
type call struct {
	rowCache
	version   int
	id        string
	name      string
	input     strings.Builder
	inputs    []arg // of the first read bytes of input
	read      int
	effect    tools.Effect
	state     callState
	began     time.Time     // of running
	limit     time.Duration // after which it is ended; 0: never
	took      time.Duration
	unwritten bool       // the answer ended before the call did
	out       *safe.Tail // live output
	dyes      dyes       // of the result's lines
	result    tools.Result
	changes   []tools.Change
	diff      *diffBody
	comparing bool        // diff is being worked out
	sub       *crew.Agent // that runs as this call; nil: none does
	work      *deeds      // what it is a part of; nil: a command of the person's own
	track     *track      // what it did; nil: nobody has followed it
}

func newCall(id, name string) *call { return &call{id: id, name: name} }

func (c *call) tight() bool { return true }

// over reports whether nothing more comes.
func (c *call) over() bool { return c.state >= callDone }

// feed takes more of the arguments.
func (c *call) feed(json string) {
	c.input.WriteString(json)
	c.version++
}

func (c *call) start(e agent.ToolStart) {
	c.name, c.effect, c.state = e.Name, e.Effect, callReady
	c.input.Reset()
	c.inputs, c.read = nil, 0
	if e.Effect.Title == "" { // else nothing needs them any more
		c.input.WriteString(e.Input)
	}
	c.version++
}

// written notes that the arguments are whole: the call waits for its turn.
func (c *call) written() {
	if c.state == callWriting {
		c.state = callReady
		c.version++
	}
}

func (c *call) running(now time.Time) {
	c.state, c.began, c.limit = callRunning, now, c.effect.Limit
	c.version++
}

func (c *call) output(text string) {
	if c.out == nil {
		c.out = safe.NewTail(resultMax)
	}
	c.out.Write(text)
	c.version++
}

func (c *call) end(e agent.ToolEnd, now time.Time) {
	if c.out != nil {
		c.out.Close()
		c.dyes = dyesOf(c.out.Coloured(), e.Result.Text)
		c.out = nil // the result has it
	} else if len(e.Result.Looks) > 0 {
		lines := make([]string, len(e.Result.Looks))
		for i, l := range e.Result.Looks {
			lines[i] = safe.Coloured(l)
		}
		c.dyes = dyesOf(lines, e.Result.Text)
	}
	if e.Name != "" {
		c.name = e.Name
	}
	c.result, c.changes, c.took = e.Result, e.Changes, e.Took
	if !c.began.IsZero() { // the wait for an answer is not the call's
		c.took = min(c.took, now.Sub(c.began))
	}
	switch {
	case e.Result.Refused:
		c.state = callRefused
	case e.Result.IsError && strings.HasPrefix(e.Result.Text, agent.Cancelled):
		c.state = callCancelled
	case e.Result.IsError:
		c.state = callFailed
	default:
		c.state = callDone
	}
	c.version++
}

// cut ends a call the run left behind.
func (c *call) cut() {
	if !c.over() {
		c.unwritten = c.state == callWriting
		c.state = callCancelled
		c.version++
	}
}

func (c *call) all(d *drawing) []string {
	phase := int64(0)
	switch c.state {
	case callRunning, callWriting:
		phase = d.now.UnixMilli() / tick.Milliseconds()
	case callReady:
		phase = d.now.Unix()
	}
	return c.get(d, c.version, phase, func() []string { return c.draw(d) })
}

func (c *call) height(d *drawing) int                  { return len(c.all(d)) }
func (c *call) rows(d *drawing, from, to int) []string { return clamp(c.all(d), from, to) }

func (c *call) draw(d *drawing) []string {
	w := max(1, d.w-gutter)
	rows := append([]string{c.head(d, w)}, indent(hidden(c.result.Hidden, w-gutter, d), 2*gutter)...)
	return append(rows, indent(c.body(d, max(1, w-gutter)), 2*gutter)...)
}

// head is the title line: glyph, title, state and time.
func (c *call) head(d *drawing, w int) string {
	glyph, word, style := c.mark(d)
	word = safe.Truncate(word, w/2, d.th.Glyphs.Ellipsis)
	room := w - safe.Width(word) - 2
	title := safe.Truncate(linked(safe.Line(c.title()), c.effect, d.th.Links && verb(c.name) != "delete"), room, d.th.Glyphs.Ellipsis)
	if word == "" {
		return style.Apply(glyph) + " " + d.th.Text.Apply(title)
	}
	return style.Apply(glyph) + " " + d.th.Text.Apply(title) + "  " + d.th.Muted.Apply(word)
}

// mark is the state as a glyph and as words.
func (c *call) mark(d *drawing) (glyph, word string, style theme.Style) {
	g := d.th.Glyphs
	switch c.state {
	case callWriting:
		return spinner(d.th, d.now, d.still), lang.T("writing"), d.th.Accent
	case callReady:
		return g.Ring, lang.T("waiting"), d.th.Accent
	case callRunning:
		word = lang.T("running")
		if s := d.now.Sub(c.began); s >= time.Second {
			word += " " + seconds(s.Truncate(time.Second))
		}
		if _, near := c.ending(d.now); near {
			word = lang.T("%s of %s", word, round(c.limit))
		}
		if c.sub != nil {
			word = c.crewed(d, word)
		}
		return spinner(d.th, d.now, d.still), word, d.th.Accent
	case callFailed:
		if c.unanswered() {
			return g.Fail, lang.T("not answered"), d.th.Muted
		}
		if s := safe.Line(lang.Outcome(c.result.Display)); s != "" {
			return g.Fail, s, d.th.Error
		}
		return g.Fail, lang.T("failed") + c.time(g), d.th.Error
	case callRefused:
		return g.Fail, lang.T("not allowed"), d.th.Warn
	case callCancelled:
		if c.unwritten { // by whatever ended the answer; there was nothing to cancel yet
			return g.Fail, lang.T("not written to its end"), d.th.Muted
		}
		return g.Fail, lang.T("cancelled") + c.time(g), d.th.Muted
	}
	word = lang.T("done")
	switch s := safe.Line(c.result.Display); {
	case c.result.Own:
		word = s
	case c.name == "todo" && s == "": // its title says how much is done
		return g.Ok, "", d.th.Ok
	case c.result.Review != "" && s != "": // not what the title says
		word = lang.Outcome(s)
	case c.diff != nil && (strings.Contains(c.effect.Title, "(+") || c.diff.added+c.diff.removed == 0): // the title has it all
	case c.diff != nil:
		word = c.diff.counts()
	case strings.HasSuffix(s, " s"), strings.HasSuffix(s, " ms"):
		return g.Ok, lang.Outcome(s), d.th.Ok // it says how long it took
	case s != "":
		word = lang.Outcome(s)
	}
	return g.Ok, word + c.time(g), d.th.Ok
}

func (c *call) time(g theme.Glyphs) string {
	if c.took < 100*time.Millisecond {
		return ""
	}
	return " " + g.Sep + " " + seconds(c.took.Truncate(100*time.Millisecond))
}

// title says what the call does: the effect's own line, or, as long as there is
// none, the name and the short arguments.
func (c *call) title() string {
	if title := c.effect.Title; title != "" {
		if i := strings.LastIndex(title, " (+"); i >= 0 && c.result.Review != "" && c.diff != nil { // not what was proposed
			title = title[:i] + " (" + c.diff.counts() + ")"
		}
		return lang.Title(title)
	}
	if c.unanswered() {
		return lang.Title(c.asked())
	}
	parts := []string{verb(c.name)}
	for i, a := range c.args() {
		if a.open && i > 0 {
			break // half a word says nothing yet
		}
		if len(a.text) <= 80 && !a.nested && !strings.Contains(a.text, "\n") && a.text != "" {
			parts = append(parts, a.text)
		}
		if len(parts) == 4 {
			break
		}
	}
	return lang.Title(strings.Join(parts, " "))
}

// verb is what a tool does, out of its name, where that says no more: the call has the
// same beginning while it is written and once its effect has a title.
func verb(name string) string {
	switch v, _, _ := strings.Cut(name, "_"); v {
	case "run", "read", "list", "write", "edit", "move", "delete":
		return v
	}
	return name
}

func (c *call) body(d *drawing, w int) []string {
	switch c.state {
	case callWriting:
		return c.writing(d, w)
	case callReady:
		return c.live(d, w) // of a run before, where it is asked about once more; the question shows the rest
	}
	var rows []string
	if c.sub != nil {
		rows = append(rows, c.children(d, w)...)
	}
	if c.diff != nil && c.state == callDone {
		return append(append(append(rows, c.changed(d, w)...), c.reviewed(d, w)...), append(c.remarked(d, w), c.found(d, w)...)...)
	}
	switch {
	case c.state == callRunning:
		return append(append(rows, c.live(d, w)...), c.choices(d, w)...)
	case c.state == callFailed && c.effect.Kind == tools.Exec && !d.expanded:
		return append(append(rows, c.fold(d, c.short(d, w), c.outputRows(), true)...), c.terminalHint(d, w)...)
	case c.state == callFailed:
		return append(rows, c.fold(d, wrapDyed(c.left(), w, c.dyes, d.th, d.th.Muted), outputRows, true)...)
	case c.state == callRefused && !d.expanded && strings.HasPrefix(c.text(), declined):
		return rows // the person knows
	case c.state == callRefused && !d.expanded:
		return append(rows, c.fold(d, wrap(c.refusal(), w, d.th.Muted), 2, false)...)
	case d.expanded:
		return append(rows, wrapDyed(c.text(), w, c.dyes, d.th, d.th.Muted)...)
	case c.effect.Kind == tools.Exec:
		return append(rows, c.fold(d, c.short(d, w), c.outputRows(), true)...)
	case c.effect.Server != "" && c.state == callDone: // its title says neither what was asked nor what came
		return append(rows, c.fold(d, wrap(c.text(), w, d.th.Muted), serverRows, false)...)
	}
	return rows
}

// reviewed is how what landed differs from what was proposed: what was refused stays
// to be seen, and what the person wrote instead.
func (c *call) reviewed(d *drawing, w int) []string {
	if c.result.Review == "" {
		return nil
	}
	return c.fold(d, patchRows(toPerson.Get().Replace(c.result.Review), d.th, w), reviewRows, false)
}

// writing shows the end of the long argument that streams in.
func (c *call) writing(d *drawing, w int) []string {
	as := c.args()
	if len(as) == 0 {
		return nil
	}
	last := as[len(as)-1]
	if last.nested {
		last.text = wording(last.text)
		if last.text == "" {
			return nil
		}
		return lastRows(last.text, w, inputRows, d.th.Muted)
	}
	if !last.open || !strings.Contains(last.text, "\n") && len(last.text) <= 80 {
		return nil
	}
	rows := []string{d.th.Faint.Apply(clip(last.name, w, d.th))}
	return append(rows, lastRows(last.text, w, inputRows, d.th.Muted)...)
}

// changed is the diff of what was written, its beginning while folded.
func (c *call) changed(d *drawing, w int) []string {
	limit := diffRows
	if d.expanded {
		limit = diffMax
	}
	rows, total := c.diff.rows(d, w, limit+1)
	if total <= limit+1 {
		return rows
	}
	note := lang.T("%s more", plural(total-limit, "row"))
	if !d.expanded {
		note += d.unfolds()
	}
	return append(rows[:limit:limit], d.th.Faint.Apply(note))
}
