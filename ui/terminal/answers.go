package terminal

import (
	"strconv"
	"strings"

	"forge/lazy"
)

// Answer is what a terminal said to a question.
type Answer int

// The answers.
const (
	Unknown Answer = iota // it was not asked
	No
	Yes
)

// String is the answer in a word, for a report.
func (a Answer) String() string {
	switch a {
	case Yes:
		return "yes"
	case No:
		return "no"
	}
	return "unknown"
}

// Answers is what a terminal said of itself.
type Answers struct {
	Silent    bool   // it was asked and said nothing at all
	Name      string // with its version; empty: it did not say
	Keyboard  Answer // keys are told apart (the kitty keyboard protocol)
	Sync      Answer // frames are shown whole (mode 2026)
	Ambiguous int    // cells that a character of ambiguous width took; 0: it was not tried
}

// Questions ask a terminal what it is and can. The last one is answered by every
// terminal that answers anything, so that its answer ends the others'. The width is
// found out by drawing a character at the beginning of the row and asking where the
// cursor is then; the row is wiped afterwards.
const Questions = "\r●\x1b[6n\r\x1b[K" + "\x1b[?u" + "\x1b[?2026$p" + "\x1b[>0q" + "\x1b[c"

var (
	cursorAt  = lazy.Regexp{Expr: `\x1b\[(\d+);(\d+)R`}
	kitty     = lazy.Regexp{Expr: `\x1b\[\?\d+u`}
	mode2026  = lazy.Regexp{Expr: `\x1b\[\?2026;(\d)\$y`}
	itsName   = lazy.Regexp{Expr: `\x1bP>\|([^\x1b]*)\x1b\\`}
	itsNature = lazy.Regexp{Expr: `\x1b\[\?[\d;]*c`}
)

// Answered reports whether the answer to the last question is there.
func Answered(said string) bool { return itsNature.Get().MatchString(said) }

// ReadAnswers reads what a terminal said to Questions.
func ReadAnswers(said string) Answers {
	if said == "" {
		return Answers{Silent: true}
	}
	a := Answers{Keyboard: No, Sync: No}
	if m := cursorAt.Get().FindStringSubmatch(said); m != nil {
		if col, err := strconv.Atoi(m[2]); err == nil && col > 1 {
			a.Ambiguous = col - 1
		}
	}
	if kitty.Get().MatchString(said) {
		a.Keyboard = Yes
	}
	if m := mode2026.Get().FindStringSubmatch(said); m != nil && (m[1] == "1" || m[1] == "2" || m[1] == "3") {
		a.Sync = Yes
	}
	if m := itsName.Get().FindStringSubmatch(said); m != nil {
		a.Name = strings.TrimSpace(m[1])
	}
	return a
}
