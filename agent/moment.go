package agent

import (
	"context"
	"fmt"
	"strings"

	"forge/agent/session"
	"forge/provider"
)

// A Moment is a point of a run at which the person's own commands have a say.
type Moment struct {
	Kind   MomentKind
	Text   string // of Prompted: the words; of Resting: what the model said last
	Again  bool   // of Resting: the run was kept from resting before
	Auto   bool   // of Shortening: nobody asked for it
	Tokens int    // of Shortening: of the conversation, about
	Agent  string // the sub-agent it is about; empty: the person's own conversation
	// Session is where its conversation is kept; nil: nowhere.
	Session *session.Session
}

// MomentKind is which point it is.
type MomentKind int

// The moments.
const (
	Prompted   MomentKind = iota // words of the person's, before the model is told
	Resting                      // the agent has nothing more to do
	Shortening                   // the conversation is about to be shortened
)

// Word is what is said at a Moment. The zero Word says nothing.
type Word struct {
	Block   string   // why it is not to be; of Resting: what is still to be done
	Halt    string   // why the run ends
	Context string   // for the model
	Notes   []string // lines for the person
}

// Blocked is the error of a run that the person's own commands did not let begin, or
// ended. Words, where not empty, were not sent.
type Blocked struct{ Why, Words string }

func (b *Blocked) Error() string {
	if b.Words != "" {
		return fmt.Sprintf("not sent: %s", b.Why)
	}
	return fmt.Sprintf("the run was ended: %s", b.Why)
}

// mostKept is how often one run is kept from resting: what is never content must not
// burn money.
const mostKept = 8

// moment asks what is said now; notes are told.
func (r *run) moment(ctx context.Context, m Moment) Word {
	if r.o.Moment == nil {
		return Word{}
	}
	m.Session = r.o.Session
	w := r.o.Moment(ctx, m)
	for _, n := range w.Notes {
		r.emit(Notice{r.masked(n)})
	}
	return w
}

// heard asks about words of the person's before they are kept. The error says why they
// are not sent.
func (r *run) heard(ctx context.Context, p Prompt) (Word, error) {
	if r.o.Host != nil { // an agent's words are not the person's
		return Word{}, nil
	}
	w := r.moment(ctx, Moment{Kind: Prompted, Text: r.masked(p.Text)})
	words := p.Line
	if words == "" {
		words = p.Text
	}
	switch {
	case ctx.Err() != nil:
		return w, ctx.Err()
	case w.Block != "":
		return w, &Blocked{w.Block, words}
	case w.Halt != "":
		return w, &Blocked{w.Halt, words}
	}
	return w, nil
}

// Hooked is what the person's own commands say to the model, as it goes with a prompt.
func Hooked(text string) Attachment {
	return Attachment{Attached: provider.Attached{Label: "hooks", Text: text, Note: "A command that the user set up for this moment says this. It is not the user's words."}}
}

// hooked tells the model what goes with the words before it.
func (r *run) hooked(text string) {
	if text == "" {
		return
	}
	a := Hooked(r.masked(clean(text))).Attached
	m := provider.Message{Role: provider.User, Blocks: []provider.Block{a.Block()}}
	r.history.add(session.Record{Message: &m, Steer: true})
	r.emit(Attached{Label: a.Label, Text: a.Text})
}

// keptOn says whether the run goes on though the model is done: something is still to be
// done, and the model is told what.
func (r *run) keptOn(ctx context.Context, m provider.Message) (bool, error) {
	if m.Stop == provider.StopRefusal || m.Stop == provider.StopMaxTokens {
		return false, nil
	}
	w := r.moment(ctx, Moment{Kind: Resting, Text: r.masked(m.PlainText()), Again: r.kept > 0})
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case w.Halt != "":
		r.emit(Notice{r.masked(w.Halt)})
		return false, nil
	case w.Block == "":
		return false, nil
	case r.kept == mostKept:
		r.emit(Notice{r.masked(fmt.Sprintf("the run ends though it is not to: %s", w.Block))})
		return false, nil
	}
	r.kept++
	why := r.masked(clean(strings.TrimSpace(w.Block + "\n" + w.Context)))
	r.emit(Notice{fmt.Sprintf("the run goes on: %s", why)})
	msg := provider.Message{Role: provider.User, Blocks: []provider.Block{provider.Text{Text: newsMark + "A command that the user set up to look at your work when you are done says that you are not:\n" + why}}}
	r.history.add(session.Record{Message: &msg, Steer: true})
	return true, nil
}

// mayBeShortened asks before a compaction; the error says why there is none.
func (r *run) mayBeShortened(ctx context.Context, auto bool) error {
	if r.o.Moment == nil {
		return nil
	}
	w := r.moment(ctx, Moment{Kind: Shortening, Auto: auto, Tokens: r.compactor().Estimate(r.history.view())})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case w.Block != "":
		return &notShortened{w.Block}
	}
	return nil
}

type notShortened struct{ why string }

func (n *notShortened) Error() string { return fmt.Sprintf("not shortened: %s", n.why) }
