// Package dialog asks the person: may this run, which model, go on or stop.
//
// It owns the questions on the screen: the stack that shows one at a time, the
// guard that keeps a key typed for the composer from answering a question that
// has just appeared, and the kinds of dialog: permission with diff review,
// question, picker. Dialogs are plain children of the screen on the Bubble Tea
// loop; an answer leaves through a callback that never blocks.
package dialog

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Frame is what a dialog draws: rows of at most the asked width, and where the
// cursor stands in them if it has one.
type Frame struct {
	Rows   []string
	X, Y   int
	Cursor bool
}

// Dialog is one question.
type Dialog interface {
	// ID tells questions apart, so that one that was withdrawn can be found.
	ID() string
	// Update takes a key or a paste. handled is false for one that is not the
	// dialog's; done ends the dialog.
	Update(msg tea.Msg) (cmd tea.Cmd, handled, done bool)
	// View draws at most height rows. armed is false while keys still go elsewhere.
	View(width, height int, armed bool) Frame
	// Guarded dialogs come unasked and are armed only after a moment of quiet.
	Guarded() bool
	// Cancel answers as if the person had walked away.
	Cancel()
}

// Quiet is how long no key must have been pressed before a guarded dialog takes
// keys: a person in mid-word presses the next key well within it.
const Quiet = 400 * time.Millisecond

// Stack shows its dialogs one at a time, first come first shown.
type Stack struct {
	Now  func() time.Time // nil: time.Now
	Keys *keymap.Map      // for the dialogs; nil: those nobody changed
	// Beneath says that the key that stops the run, or closes a question, leads out of
	// what lies over the screen first. The question says so.
	Beneath bool
	Wheel   int // rows a notch of the wheel moves what is asked; 0: 3
	dialogs []Dialog
	since   time.Time // when the front dialog appeared, or the last key before it was armed
}

// Rearm is the message that draws a dialog anew once it may have been armed.
type Rearm struct{}

// starter is a dialog with work to do off the loop before it is whole.
type starter interface{ Start() tea.Cmd }

// Push adds a dialog behind those that wait. The command it returns starts what
// the dialog has to work out, and redraws when it may take keys.
//
// A question that comes while a list nobody has touched yields to it is shown before that.
func (s *Stack) Push(d Dialog) tea.Cmd {
	at := len(s.dialogs)
	if p, ok := s.front().(*Picker); ok && p.Yields && !p.touched && d.Guarded() {
		at = 0
	}
	s.dialogs = slices.Insert(s.dialogs, at, d)
	if k, ok := d.(interface{ SetKeys(*keymap.Map) }); ok && s.Keys != nil {
		k.SetKeys(s.Keys)
	}
	var start, arm tea.Cmd
	if st, ok := d.(starter); ok {
		start = st.Start()
	}
	if at == 0 {
		arm = s.appear()
	}
	return tea.Batch(start, arm)
}

// front is the dialog that is shown; nil: none is.
func (s *Stack) front() Dialog {
	if !s.Active() {
		return nil
	}
	return s.dialogs[0]
}

func (s *Stack) appear() tea.Cmd {
	s.since = s.now()
	if !s.Active() || !s.dialogs[0].Guarded() {
		return nil
	}
	return tea.Tick(Quiet+5*time.Millisecond, func(time.Time) tea.Msg { return Rearm{} })
}

// Active reports whether a dialog is shown.
func (s *Stack) Active() bool { return len(s.dialogs) > 0 }

// Asked reports whether the shown dialog came unasked, as a question does.
func (s *Stack) Asked() bool { return s.Active() && s.dialogs[0].Guarded() }

// Waiting is how many dialogs there are, the shown one included.
func (s *Stack) Waiting() int { return len(s.dialogs) }

// Armed reports whether the shown dialog takes keys.
func (s *Stack) Armed() bool {
	return s.Active() && (!s.dialogs[0].Guarded() || s.now().Sub(s.since) >= Quiet)
}

// Withdraw removes a question that nobody waits for any more. words is what the
// person had written into it.
func (s *Stack) Withdraw(id string) (words string, cmd tea.Cmd) {
	for i, d := range s.dialogs {
		if d.ID() == id {
			words = wordsIn(d)
			s.dialogs = append(s.dialogs[:i], s.dialogs[i+1:]...)
			if i == 0 {
				return words, s.appear()
			}
			return words, nil
		}
	}
	return "", nil
}

// Leave closes the shown dialog without an answer, whatever its keys are.
func (s *Stack) Leave() tea.Cmd {
	if !s.Active() {
		return nil
	}
	var cmd tea.Cmd
	if l, ok := s.dialogs[0].(interface{ left() tea.Cmd }); ok {
		cmd = l.left()
	} else {
		s.dialogs[0].Cancel()
	}
	s.dialogs = s.dialogs[1:]
	return tea.Batch(cmd, s.appear())
}

// Words is what the person has written into the questions and not sent yet: it must
// outlive them. Nothing that is to stay secret is in it.
func (s *Stack) Words() string {
	var all []string
	for _, d := range s.dialogs {
		if text := wordsIn(d); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

func wordsIn(d Dialog) string {
	if w, ok := d.(interface{ words() string }); ok {
		return strings.TrimSpace(w.words())
	}
	return ""
}

// Close cancels every dialog.
func (s *Stack) Close() {
	for _, d := range s.dialogs {
		d.Cancel()
	}
	s.dialogs = nil
}

// Update hands a message to the shown dialog. handled false means that the key
// is the composer's: the dialog is not armed yet, or has no use for it.
func (s *Stack) Update(msg tea.Msg) (cmd tea.Cmd, handled bool) {
	if !s.Active() {
		return nil, false
	}
	pressed, key := msg.(tea.KeyPressMsg)
	_, paste := msg.(tea.PasteMsg)
	if (key || paste) && !s.Armed() {
		if paste || pressed.Text != "" {
			s.passed()
		}
		return s.appear(), false // typing goes on: the quiet starts anew
	}
	if answer, ok := msg.(interface{ toMany() (away bool) }); ok {
		var cmds []tea.Cmd
		shown := s.dialogs[0]
		s.dialogs = slices.DeleteFunc(slices.Clone(s.dialogs), func(d Dialog) bool { // it may be for one that still waits
			cmd, _, done := d.Update(msg)
			cmds = append(cmds, cmd)
			return done // a key that waited for it was the answer
		})
		if answer.toMany() || !s.Active() || s.dialogs[0] != shown { // what was typed last in an editor is no answer here
			cmds = append(cmds, s.appear())
		}
		return tea.Batch(cmds...), true
	}
	if w, ok := msg.(tea.MouseWheelMsg); ok {
		rows := cmp.Or(s.Wheel, 3)
		by := map[tea.MouseButton]int{tea.MouseWheelUp: -rows, tea.MouseWheelDown: rows}[w.Button]
		switch d := s.dialogs[0].(type) {
		case *Picker:
			return d.wheel(by), true
		case interface{ scroll(by int) }:
			if by != 0 && s.Wheel > 0 {
				d.scroll(by)
				return nil, true
			}
		}
	}
	cmd, handled, done := s.dialogs[0].Update(msg)
	if done {
		s.dialogs = s.dialogs[1:]
		return tea.Batch(cmd, s.appear()), true
	}
	if !handled && (paste || pressed.Text != "") {
		s.passed()
	}
	if !handled && pressed.Text != "" && s.dialogs[0].Guarded() {
		return tea.Batch(cmd, s.appear()), false // a word is begun: its next letters are no answers
	}
	return cmd, handled
}

// passed tells the shown dialog that words went past it, into the prompt.
func (s *Stack) passed() {
	if d, ok := s.dialogs[0].(interface{ passed() }); ok {
		d.passed()
	}
}

// beginsWord reports whether a key that answers nothing is the begin of something for
// the composer behind. The quiet begins anew with it, so that what follows, a y among it,
// goes there too. A blank begins nothing.
func beginsWord(k tea.KeyPressMsg) bool { return strings.TrimSpace(k.Text) != "" }

// View draws the shown dialog, or nothing.
func (s *Stack) View(width, height int) Frame {
	if !s.Active() {
		return Frame{}
	}
	if b, ok := s.dialogs[0].(interface{ setBeneath(bool) }); ok {
		b.setBeneath(s.Beneath)
	}
	return s.dialogs[0].View(width, height, s.Armed())
}

// Within reports whether a part of the shown dialog is open that the person opened in it,
// and that Esc leaves: a line for words, an editor, a list.
func (s *Stack) Within() bool {
	if !s.Active() {
		return false
	}
	d, ok := s.dialogs[0].(interface{ within() bool })
	return ok && d.within()
}

// Unused reports whether a key is nothing in the shown dialog, where nothing is written in
// it either: it may be the first of two then.
func (s *Stack) Unused(key string) bool {
	var contexts []keymap.Context
	switch d := s.front().(type) {
	case *Ask:
		contexts = []keymap.Context{keymap.Ask, keymap.Review, keymap.Files}
		if d.writing != nothing || d.review != nil && d.review.edit != nil {
			return false
		}
	case *Question:
		contexts = []keymap.Context{keymap.Question}
		if d.form != nil {
			return false
		}
	case *Inquiry:
		contexts = []keymap.Context{keymap.Inquiry}
		if d.writing {
			return false
		}
	case *Takeback:
		contexts = []keymap.Context{keymap.Takeback}
	}
	return len(contexts) > 0 && !slices.ContainsFunc(contexts, func(c keymap.Context) bool { return s.Keys.Action(c, key) != "" })
}

func (s *Stack) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// cut shortens a row that is already safe to width cells.
func cut(s string, width int) string { return safe.Truncate(s, max(0, width), lang.T("…")) }
