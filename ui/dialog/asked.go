package dialog

import (
	"github.com/charmbracelet/x/ansi"

	"forge/tools/permission"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// answers is the rows of a question in which an answer stands, as it was drawn last, and
// the one a click has chosen. A second click on it, or Enter, gives it; every other key
// takes the choice back.
type answers struct {
	rows   []spot
	height int    // of the frame
	chosen string // empty: none
	hint   string // in the place of the usual one
}

// spot is a row that is an answer's, counted from the end of the frame.
type spot struct {
	up     int
	answer string
}

// mark notes that rows n of them, the last of those there are so far, are an answer's, and
// paints them where it is the chosen one.
func (a *answers) mark(t *theme.Theme, rows []string, n int, answer string, width int) {
	for i := len(rows) - n; i < len(rows); i++ {
		a.rows = append(a.rows, spot{i, answer})
		if a.chosen == answer {
			rows[i] = t.Selection.Apply(safe.Fit(ansi.Strip(rows[i]), width, ""))
		}
	}
}

// drawn is told how many rows those are that were marked, all that stand beneath the body.
func (a *answers) drawn(height, foot int) {
	a.height = height
	for i := range a.rows {
		a.rows[i].up = foot - a.rows[i].up
	}
}

// at is the answer in a row of the frame; empty: there is none.
func (a *answers) at(row int) string {
	for _, s := range a.rows {
		if a.height-s.up == row {
			return s.answer
		}
	}
	return ""
}

// click moves to the answer in a row, and reports whether it was chosen already.
func (a *answers) click(row int) (answer string, again bool) {
	answer = a.at(row)
	again = answer != "" && answer == a.chosen
	a.chosen = answer
	return answer, again
}

// Click implements the clicks of a question. What is dangerous takes the letter of its
// answer: a click there only says so.
func (d *Ask) Click(row int) (done bool) {
	if d.within() {
		return false
	}
	answer, again := d.answers.click(row)
	if d.answers.hint = ""; answer == "" {
		return false
	}
	if d.r.Level >= permission.High && d.allows(answer) {
		d.answers.chosen = ""
		d.answers.hint = lang.T("this takes its letter, not a click")
		return false
	}
	d.answers.hint = d.bound.Named(lang.T("enter, or a second click, takes it"), keymap.NoteDone)
	return again && d.take(answer)
}

func (d *Ask) allows(answer string) bool {
	switch keymap.Action(answer) {
	case keymap.AskOnce, keymap.AskSession, keymap.AskRule:
		return true
	}
	return false
}

// take gives an answer that was chosen by a click.
func (d *Ask) take(answer string) (done bool) {
	d.answers.chosen = ""
	_, _, done = d.act(keymap.Action(answer))
	return done
}
