package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/tools/permission"
	"forge/ui/composer"
	"forge/ui/keymap"
	"forge/ui/safe"
	"forge/ui/theme"
)

// Ask puts a permission question. Where the call changes files it is the diff
// review: hunks may be dropped or edited before the rest is allowed.
//
// Nothing allows by accident: only y, s, p and their like do, or where the risk is not
// high a second click on their row, or enter behind the first; space and a paste never.
// A text longer than its frame must have been shown to its end.
type Ask struct {
	r       permission.Request
	theme   *theme.Theme
	reply   func(permission.Answer)
	body    []string // the text to be approved, in the PROMPT view, unwrapped
	bound   *keymap.Map
	rest    []string // reasons and facts that a small frame has no room for above
	flagged bool     // it holds something that hides or imitates
	review  *review  // nil: no files are changed
	comment *composer.Composer
	writing writing // what is being written into comment
	note    string  // goes to the model with the answer, yes or no
	about   string  // the hunk the note was written at, for the model; "": all of it
	at      int     // of several calls, the one the note was written at

	top  int  // first row shown of the body
	rows int  // of the body at the last width
	page int  // rows of its window
	seen bool // the end was shown

	// Stop is called before the answer where the run is to end with it; nil: it cannot.
	Stop func()

	// EditorName is the connected editor that shows changes; empty: none is, and one may be
	// found when a change is to be shown. EditorAnswers reports whether what is said there
	// counts as an answer. nil: there is no editor, and it does not.
	EditorName    func() string
	EditorAnswers func() bool

	beneath bool // Stack.Beneath
	tight   bool // what would run needs the rows

	answers answers

	granted bool // what s would store was shown whole
	ruled   bool // what p would store was shown whole
}

// NewAsk returns a dialog for r; reply is called once and must not block.
func NewAsk(t *theme.Theme, r permission.Request, reply func(permission.Answer)) *Ask {
	d := &Ask{r: r, theme: t, reply: reply}
	d.comment = composer.New(composer.Options{Glyph: t.Glyphs.Pointer,
		Styles: composer.Styles{Prompt: t.Accent.Apply, Placeholder: t.Faint.Apply}})
	text := r.Effect.Command
	switch {
	case len(r.Effect.Changes) > 0:
		d.review = reviewOf(d)
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

// SetKeys changes which key does what.
func (d *Ask) SetKeys(m *keymap.Map) {
	d.bound = m
	d.comment.SetKeys(m)
	if d.review != nil {
		d.review.bound = m
	}
}

// Liking keeps in side whether a diff is shown side by side, and begins as it says.
func (d *Ask) Liking(side *bool) *Ask {
	if d.review != nil {
		d.review.split, d.review.liked = *side, side
	}
	return d
}

// ID implements Dialog.
func (d *Ask) ID() string { return d.r.ID }

// Guarded implements Dialog.
func (d *Ask) Guarded() bool { return true }

// Cancel implements Dialog.
func (d *Ask) Cancel() {
	d.answerAll(permission.Answer{Reason: "the screen was closed", Unattended: true})
}

func (d *Ask) setBeneath(b bool) { d.beneath = b }

func (d *Ask) within() bool {
	r := d.review
	return d.writing != nothing || r != nil && (r.edit != nil || r.help || r.files != nil && r.list)
}

// Start works the diff out, off the loop.
func (d *Ask) Start() tea.Cmd {
	if d.review == nil {
		return nil
	}
	return d.review.start()
}

// Update implements Dialog.
func (d *Ask) Update(msg tea.Msg) (cmd tea.Cmd, handled, done bool) {
	cmd, handled, done = d.update(msg)
	if d.review != nil && !done {
		if after := d.review.follow(); after != nil {
			cmd = tea.Batch(cmd, after)
		}
		cmd = tea.Batch(cmd, d.recall())
		done = d.byEditor()
	}
	return cmd, handled, done
}

func (d *Ask) update(msg tea.Msg) (cmd tea.Cmd, handled, done bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		switch {
		case d.writing != nothing:
			return d.commentKey(msg)
		case d.review != nil && d.review.edit != nil:
			return d.review.editKey(msg), true, false
		}
		return d.key(msg)
	case tea.PasteMsg:
		switch {
		case d.writing != nothing:
			d.comment.Update(msg)
		case d.review != nil && d.review.edit != nil:
			d.review.edit.comp.Update(msg)
		default:
			return nil, false, false
		}
		return nil, true, false
	case tea.MouseWheelMsg:
		return nil, d.wheel(msg), false
	case fromEditor:
		if d.review == nil || msg.to != d.review {
			return nil, false, false
		}
		cmd, done = d.arrived(msg)
		return cmd, true, done
	case reviewed, reworked, reworkedAll:
		if d.review == nil || !d.review.take(msg) {
			return nil, false, false
		}
		return d.caughtUp()
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
	s := k.String()
	chosen := d.answers.chosen
	if d.answers.chosen, d.answers.hint = "", ""; chosen != "" && d.bound.Action(keymap.Note, s) == keymap.NoteDone {
		return nil, true, d.take(chosen)
	}
	if r := d.review; r != nil && r.files != nil && r.list && r.listKey(s) {
		return nil, true, false
	}
	a := d.bound.Action(keymap.Ask, s)
	if d.r.Level >= permission.High && strings.Trim(s, "0123456789") == "" {
		a = "" // no answer stands beside a digit: what is dangerous takes the letter that does
	}
	if r := d.review; r != nil && r.help && a == keymap.AskStop {
		r.help, r.moved = false, true
		return nil, true, false
	}
	if cmd, handled, done := d.act(a); handled {
		return cmd, true, done
	}
	if d.review != nil {
		if cmd, handled, done := d.reviewKey(s); handled {
			return cmd, true, done
		}
	}
	switch a {
	case keymap.AskUp:
		d.scroll(-1)
	case keymap.AskDown:
		d.scroll(1)
	case keymap.AskPageUp:
		d.scroll(-max(1, d.page-1))
	case keymap.AskPageDown:
		d.scroll(max(1, d.page-1))
	case keymap.AskTop:
		d.top = 0
	case keymap.AskEnd:
		d.top = d.rows
	default:
		return nil, k.Text != "" && !beginsWord(k), false
	}
	return nil, true, false
}

// act does what an answer is; handled is false for an action that is none.
func (d *Ask) act(a keymap.Action) (cmd tea.Cmd, handled, done bool) {
	switch a {
	case keymap.AskOnce:
		return nil, true, d.allow(permission.ScopeOnce)
	case keymap.AskSession:
		return nil, true, d.granted && d.allow(permission.ScopeSession)
	case keymap.AskRule:
		return nil, true, d.ruled && d.allow(permission.ScopeRule)
	case keymap.AskDeny:
		d.deny(d.remark())
		return nil, true, true
	case keymap.AskStop:
		if d.Stop != nil {
			d.Stop()
		}
		d.deny(d.remark())
		return nil, true, true
	case keymap.AskInstead:
		d.write(refusal)
		return nil, true, false
	case keymap.AskNote:
		if d.review != nil {
			d.about = d.review.place()
			if d.review.several() {
				file, _ := d.review.locate(d.review.at)
				d.at = d.review.of[max(0, file)]
			}
		}
		d.write(remark)
		return nil, true, false
	}
	return nil, false, false
}

// reviewKey takes the keys that only the question about a review has.
func (d *Ask) reviewKey(s string) (cmd tea.Cmd, handled, done bool) {
	if d.review.ready() && d.bound.Action(keymap.Review, s) == keymap.ReviewAll {
		d.review.seeAll()
		return nil, true, d.allow(permission.ScopeOnce)
	}
	if d.review.ready() && d.bound.Action(keymap.Review, s) == keymap.ReviewIDE {
		return d.inEditor(), true, false
	}
	if d.bound.Action(keymap.Review, s) == keymap.ReviewAlone {
		return nil, true, d.alone()
	}
	cmd, handled = d.review.key(s)
	return cmd, handled, false
}

// caughtUp presses the keys that were pressed while something was being worked out, the
// one that allows all of it among them.
func (d *Ask) caughtUp() (cmd tea.Cmd, handled, done bool) {
	r := d.review
	cmds := []tea.Cmd{r.follow()}
	for len(r.later) > 0 && r.ready() && !done {
		k := r.later[0]
		r.later = r.later[1:]
		cmd, _, done = d.reviewKey(k)
		cmds = append(cmds, cmd)
		if !done {
			cmds = append(cmds, r.follow())
		}
	}
	if r.edit != nil { // what followed was meant for it, and cannot be told from the review's any more
		r.later = nil
	}
	return tea.Batch(cmds...), true, done
}

// allow answers yes, and reports whether it could.
func (d *Ask) allow(scope permission.Scope) bool {
	if !d.ready() {
		if d.review != nil {
			d.review.readOn(d)
		} else {
			d.scroll(max(1, d.page-1))
		}
		return false
	}
	a := permission.Answer{Allow: true, Scope: scope, Reason: d.remark()}
	if d.review != nil {
		if n, first := d.review.clashes(); n > 0 {
			d.review.at, d.review.moved = first, true
			return false
		}
		if d.review.several() {
			return d.allowSeveral(scope)
		}
		changes, whole, err := d.review.result()
		switch {
		case err != nil:
			d.review.note = err.Error()
			return false
		case len(changes) == 0:
			d.deny(strings.TrimSpace(turnedDown + d.remark()))
			return true
		case !whole:
			a.Changes = changes
			// A partial yes is about these hunks, not about a directory.
			a.Scope = permission.ScopeOnce
		}
	}
	d.reply(a)
	return true
}

func (d *Ask) deny(words string) { d.answerAll(permission.Answer{Reason: words}) }

// ready reports whether all of what would run was shown.
func (d *Ask) ready() bool {
	if d.review == nil {
		return d.seen
	}
	n, _ := d.review.unseen()
	return d.review.ready() && n == 0
}

func (d *Ask) scroll(by int) { d.top += by }
