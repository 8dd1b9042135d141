package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"forge/agent"
	"forge/agent/command"
	"forge/agent/session"
	"forge/lazy"
	"forge/ui"
	"forge/ui/lang"
)

// goalName is the command that sets a goal.
const goalName = "goal"

// Bounds of what is gone on with unasked.
const (
	maxGoal   = 4000 // bytes of a goal
	goalTimes = 50   // notes to the model after one prompt of the person
	goalIdle  = 2    // of them in a row after which it called no tool
)

// goal is what the person wants reached over runs: told to the model, gone on with when it
// rests, and kept with the conversation. Its methods may be called from any goroutine.
type goal struct {
	keep    func(session.Goal) error // writes it down
	kept    func(string) string      // a text as it may be kept on disk
	changed func(session.Goal)       // shows it
	tell    func(string)             // says something to the person
	looks   func() bool              // nothing may change now

	order  sync.Mutex // over a change and its record: what is written last is what stands
	mu     sync.Mutex
	g      session.Goal
	gone   bool // it was taken back, and the model is to be told
	times  int  // notes since the person's words
	idle   int  // of them in a row without a call
	called int  // calls of this run at the last note
}

// The last line of an answer that says how a goal stands. Words behind "met" are taken for
// a reason only where the line is written as it was asked for: "goal met?" asks, and "goal
// met when all pass" says when.
var (
	saidMet     = lazy.Regexp{Expr: `^(?:(?i:goal met)[\s.!]*|GOAL MET\s*[:–—-]\s.*)$`}
	saidBlocked = lazy.Regexp{Expr: `^(?i:goal blocked)(?:\s*[:.–—-]\s*(.*)|\s*)$`}
)

// goalSaid reads the end of an answer; empty: it says nothing of a goal. What is quoted or
// stands in a block of code is said of somebody or something else.
func goalSaid(text string) (state session.GoalState, why string) {
	text = strings.TrimRight(text, " \t\r\n")
	i := strings.LastIndexByte(text, '\n') + 1
	last := text[i:]
	if strings.HasPrefix(last, "    ") || strings.HasPrefix(last, "\t") || fenced(text[:i]) {
		return "", ""
	}
	last = strings.TrimSpace(last)
	if inner := strings.TrimLeft(last, " *_`#"); inner != last { // what encloses the line goes, what ends its last word stays
		last = strings.TrimRight(inner, " *_`#")
	}
	if saidMet.Get().MatchString(last) {
		return session.GoalMet, ""
	}
	if m := saidBlocked.Get().FindStringSubmatch(last); m != nil {
		return session.GoalBlocked, strings.TrimSpace(m[1])
	}
	return "", ""
}

// fenced reports whether a text ends inside a block of code.
func fenced(text string) bool {
	open := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"```", "~~~"} {
			switch {
			case open == "" && strings.HasPrefix(line, mark):
				open = line[:len(line)-len(strings.TrimLeft(line, mark[:1]))]
			case open != "" && strings.HasPrefix(line, open) && strings.Trim(line, open[:1]) == "":
				open = ""
			default:
				continue
			}
			break
		}
	}
	return open != ""
}

// errNoGoal is the error of whoever wants something of a goal that is not there.
func errNoGoal() error { return errors.New(lang.T("there is no goal; /goal and words set one")) }

// put makes another one stand. No lock is held.
func (o *goal) put(g session.Goal) { o.change(nil, g) }

// change makes another one stand, if that which does is still was; nil: whichever it is. A
// person may have taken it back while a model was found to rest. No lock is held.
func (o *goal) change(was *session.Goal, g session.Goal) bool {
	o.order.Lock()
	defer o.order.Unlock()
	o.mu.Lock()
	if was != nil && o.g != *was {
		o.mu.Unlock()
		return false
	}
	o.g, o.times, o.idle, o.called = g, 0, 0, 0
	o.mu.Unlock()
	if err := o.keep(g); err != nil {
		o.tell(lang.T("that goal is not kept: %s", err.Error()))
	}
	o.changed(g)
	return true
}

// set is /goal with words, and what the model is told.
func (o *goal) set(typed string) (string, error) {
	typed = strings.TrimSpace(typed)
	o.mu.Lock()
	was := o.g
	o.mu.Unlock()
	switch {
	case typed == "", typed == "clear": // asked answers these
		return "", errors.New(lang.T("say the goal: /goal all tests pass"))
	case typed == "resume" && was.Text == "":
		return "", errNoGoal()
	case typed == "resume":
		o.put(session.Goal{Text: was.Text, State: session.GoalOpen})
		return fmt.Sprintf(goalMore, was.Text), nil
	case len(typed) > maxGoal:
		return "", errors.New(lang.T("a goal has %d bytes at most; put the rest into a file and name that", maxGoal))
	}
	o.mu.Lock()
	o.gone = false
	o.mu.Unlock()
	o.put(session.Goal{Text: o.kept(typed), State: session.GoalOpen})
	return fmt.Sprintf(goalIs, typed) + goalHow, nil
}

// clear takes it back.
func (o *goal) clear() error {
	o.mu.Lock()
	was := o.g
	o.gone = was.Text != "" && was.State != session.GoalMet
	o.mu.Unlock()
	if was.Text == "" {
		return errNoGoal()
	}
	o.put(session.Goal{})
	return nil
}

// asked is what /goal says where it gives the model nothing to do: it says the goal, or
// takes it back. ok is false where it sets one or goes on with it.
func (o *goal) asked(line string) (said string, ok bool, err error) {
	name, typed, ok := command.Typed(line)
	switch {
	case !ok || name != goalName || typed != "" && typed != "clear":
		return "", false, nil
	case typed == "clear":
		if err := o.clear(); err != nil {
			return "", true, err
		}
		return lang.T("the goal is taken back"), true, nil
	}
	if said = o.said(); said == "" {
		return "", true, errNoGoal()
	}
	return said, true, nil
}

// begins is told of a run the person began.
func (o *goal) begins() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.times, o.idle, o.called = 0, 0, 0
}

// rested is asked when the model rests: what it is told to go on; empty: it may rest.
func (o *goal) rested(r agent.Rest) string {
	o.mu.Lock()
	g := o.g
	if g.Text == "" || g.State == session.GoalMet {
		o.mu.Unlock()
		return ""
	}
	state, why := goalSaid(r.Text)
	if state != "" || g.State != session.GoalOpen || o.looks() {
		o.mu.Unlock()
		if state != "" && (state != g.State || why != g.Why) {
			o.change(&g, session.Goal{Text: g.Text, State: state, Why: o.kept(why)})
		}
		return ""
	}
	o.times++
	if o.idle++; r.Calls > o.called {
		o.idle = 0
	}
	o.called = r.Calls
	switch {
	case o.idle >= goalIdle:
		why = lang.N("the model rests and neither goes on nor says that it is met")
	case o.times > goalTimes:
		why = lang.N("the model was told to go on many times")
	}
	o.mu.Unlock()
	if why != "" {
		if o.change(&g, session.Goal{Text: g.Text, State: session.GoalRests, Why: why}) {
			o.tell(lang.T("the goal rests: %s. /goal resume goes on", lang.Said(why)))
		}
		return ""
	}
	o.tell(lang.T("the model did not say that the goal is met; it goes on"))
	return fmt.Sprintf(goalMore, g.Text)
}

// news is what the model is to be told that nobody typed.
func (o *goal) news() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.gone {
		return nil
	}
	o.gone = false
	return []string{goalOver}
}

// took is told of the conversation there is from now on.
func (o *goal) took(records []session.Record) {
	g := session.LastGoal(records)
	o.mu.Lock()
	o.g, o.gone, o.times, o.idle, o.called = g, untold(records), 0, 0, 0
	o.mu.Unlock()
	if o.changed != nil {
		o.changed(g)
	}
	if g.Text != "" && g.State == session.GoalOpen {
		o.tell(lang.T("the goal of this conversation stands: %s", g.Text))
	}
}

// untold reports whether a goal was taken back in a conversation that the model still takes
// for one that stands.
func untold(records []session.Record) (gone bool) {
	var was session.Goal
	for _, r := range records {
		switch {
		case r.Goal != nil:
			gone = r.Goal.Text == "" && (gone || was.Text != "" && was.State != session.GoalMet)
			was = *r.Goal
		case gone && r.Steer && r.Message != nil && strings.Contains(r.Message.PlainText(), goalOver):
			gone = false
		}
	}
	return gone
}

// record is what a copy that begins with these records is to have of it beside them: one
// that was changed or taken back behind them is so in the copy as well.
func (o *goal) record(begins []session.Record) []session.Record {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.g == session.LastGoal(begins) {
		return nil
	}
	g := o.g
	return []session.Record{{Time: time.Now().UTC(), Goal: &g}}
}

// stands is what a summary must not lose; empty: nothing.
func (o *goal) stands() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.g.State == session.GoalMet {
		return ""
	}
	return o.g.Text
}

// said is how it stands, for a person; empty: there is none.
func (o *goal) said() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return goalWords(o.g)
}

func goalWords(g session.Goal) string {
	if g.Text == "" {
		return ""
	}
	state := map[session.GoalState]string{session.GoalOpen: lang.T("open"), session.GoalMet: lang.T("met"), session.GoalBlocked: lang.T("blocked"), session.GoalRests: lang.T("rests")}[g.State]
	if g.Why != "" {
		state += lang.T(", ") + lang.Said(g.Why)
	}
	return g.Text + lang.T(" · ") + state
}

// openGoal joins it to the session.
func (f *forge) openGoal() {
	f.goal.keep = func(g session.Goal) error {
		if s := f.agent.Session(); s != nil {
			return s.Append(session.Record{Goal: &g})
		}
		return nil
	}
	f.goal.changed = func(g session.Goal) {
		if f.feed != nil {
			f.feed.GoalIs(g.Text, string(g.State))
		}
	}
	f.goal.tell, f.goal.looks, f.goal.kept = f.tell, f.hands.guard.Looks, f.kept
}

// screen is what the faces can do with it.
func (o *goal) screen() *ui.Goal { return &ui.Goal{Said: o.said, Clear: o.clear} }

// setGoal makes the prompt of /goal.
func (o *fileCommands) setGoal(_ context.Context, line, typed string) (agent.Prompt, error) {
	text, err := o.goal.set(typed)
	return agent.Prompt{Line: line, Text: text, Names: typed}, err
}

// The words of agent/session about a goal for a person, for lang to find.
var _ = [...]string{lang.N("it was set in a conversation that was taken in")}
