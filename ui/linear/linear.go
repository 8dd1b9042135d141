// Package linear is the face of forge for screen readers, and for terminals that show
// lines and nothing else: each thing that happens is written once, as plain lines in
// words, and what the person has to say is read line by line, as the terminal's own
// line editing hands it over. It sends no escape sequence, draws nothing again and
// tells no state by a symbol or a colour.
//
// It owns what is said and how answers are understood. package ui hands in the same
// feed and the same functions the full screen has. Everything happens on the goroutine
// of Run, but for reading lines and for the run itself.
package linear

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"forge/agent"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Options is what Run needs. Next, Send and Emit are the feed: Next waits for what
// happened and returns nil when the feed is closed, Send puts something behind it.
type Options struct {
	In  io.Reader
	Out io.Writer
	// Interrupts are presses of ctrl+c: the first stops the run.
	Interrupts <-chan os.Signal

	Next func() []any
	Send func(any)
	Emit agent.Sink

	Prompt func(ctx context.Context, text string, sink agent.Sink) error
	Own    func(ctx context.Context, command string, sink agent.Sink) error // a line after !; nil: not here
	Unsent func() []string                                                  // words the run did not read

	// Hide has the terminal show nothing of what is typed, or show it again; nil: it cannot.
	Hide func(bool)

	// Clock is the time as it is said before the prompt; nil, or empty: it is not.
	Clock func() string

	Timed *Timed // nil: nothing is sent by the clock
	// Tip is what is said once a run takes its time, off the loop; empty: nothing. nil: nothing
	// ever is.
	Tip func() string

	Hello    []string // said first
	First    string   // sent at once, if not empty
	Commands []Command
	Remember func(text string) // of every prompt; may be nil

	// Filed sends what a file makes of a line that begins with a slash and is none of
	// Commands; FiledHelp says which files there are, a line for each. Both may be nil.
	Filed     func(ctx context.Context, line string, sink agent.Sink) error
	FiledHelp func() []string
	// Known is the command that a name means in other agents, where nothing here has that
	// name; empty: none. May be nil.
	Known func(name string) string
	// Near lists the commands that were probably meant by a name nobody has, best first.
	Near func(name string) []string
}

// Command is a line that begins with a slash. Run is called off the loop and between
// runs, or with Beside at any time; what it says, and the choice it may ask for, come
// after it. One that may run beside a run asks for no choice.
type Command struct {
	Name, About string
	Aliases     []string // other names of it
	Beside      bool
	Run         func(ctx context.Context, arg string, say func(string)) (*Choice, error)
}

// What Next returns beside events of a run.
type (
	// Permission is a question whether a call may run.
	Permission struct {
		Request permission.Request
		Reply   func(permission.Answer) // must not block
		// First is given, before Reply is called, what is to be done before anybody goes
		// on with the answer; may be nil.
		First func(do func())
		// Show has the connected editor show a file as it would be written, and calls back
		// from elsewhere with what became of it there; what it returns closes it. Counts
		// reports whether that is an answer. nil: there is no such editor.
		Show   func(path string, text []byte, back func(Shown)) (close func())
		Counts func() bool
	}
	// Asked is any other question.
	Asked struct {
		Question tools.Question
		Reply    func(tools.Reply) // must not block
	}
	// Withdrawn says that nobody waits for the answer to a question any more; it is a
	// pointer that was sent before.
	Withdrawn struct{ Question any }
	// Fence is closed once all that was sent before it is said.
	Fence chan struct{}
	// Said is a line from elsewhere.
	Said string
	// ended says that the work in the background is over.
	ended struct {
		err    error
		choice *Choice
		run    bool
	}
)

type face struct {
	o       Options
	tell    teller
	open    []question
	asked   time.Time // when the first of them was put
	queue   []string
	cancel  context.CancelFunc // of what is on; nil: nothing is
	halted  bool               // the person stopped it
	pressed time.Time          // ctrl+c, with nothing on
	held    []string           // lines that ended with a backslash
	marked  bool               // the mark that asks for a prompt stands at the end
	hidden  bool               // the terminal shows nothing of what is typed
	paste   paste
	alarm   alarm
	tip     tip
}

// Run speaks until the person leaves, the input ends or ctx does.
func Run(ctx context.Context, o Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f := &face{o: o}
	f.tell.say = f.say
	defer f.hide(false)
	items, lines := make(chan []any), make(chan string)
	go guard(func() { pump(ctx, o.Next, items) })
	go guard(func() { read(ctx, o.In, lines) })
	for _, l := range o.Hello {
		f.say(l)
	}
	if o.First != "" {
		f.line(ctx, o.First)
	}
	defer f.alarm.stop()
	for {
		wake := f.due(ctx)
		f.mark()
		select {
		case <-wake:
			f.alarm.stop()
		case <-f.tip.due:
			f.tipNow()
		case <-ctx.Done():
			f.end()
			return ctx.Err()
		case batch, ok := <-items:
			if !ok {
				f.end()
				return nil
			}
			for _, v := range batch {
				f.take(ctx, v)
			}
		case l, ok := <-lines:
			if f.marked = f.hidden; !ok || f.leaves(l) { // what was not shown ended no line either
				f.say(lang.T("leaving"))
				f.end()
				return nil
			}
			if !f.paste.takes(f, l) {
				f.line(ctx, l)
			}
		case <-f.paste.over:
			if l, ok := f.paste.whole(f); ok {
				f.line(ctx, l)
			}
		case <-o.Interrupts:
			if f.interrupt() {
				f.end()
				return nil
			}
		}
	}
}

// guard keeps a broken goroutine from taking the terminal along.
func guard(f func()) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("crashed in the background", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	f()
}

// say writes one line; what is in it was made safe.
func (f *face) say(line string) {
	if f.marked {
		f.marked = false
		line = "\n" + line
	}
	fmt.Fprintln(f.o.Out, line)
}

// mark asks for an answer or a prompt, once.
func (f *face) mark() {
	secret := false
	if len(f.open) > 0 {
		q, ok := f.open[0].(interface{ secret() bool })
		secret = ok && q.secret()
	}
	f.hide(secret)
	if f.marked || f.cancel != nil && len(f.open) == 0 {
		return
	}
	text := lang.T("prompt: ")
	switch {
	case len(f.open) > 0:
		text = lang.T("your answer: ")
	case len(f.held) > 0:
		text = lang.T("more: ")
	case f.o.Clock != nil:
		if at := f.o.Clock(); at != "" {
			text = at + " " + text
		}
	}
	fmt.Fprint(f.o.Out, text)
	f.marked = true
}

// hide has the terminal hide what is typed, where it can.
func (f *face) hide(on bool) {
	if f.o.Hide == nil || on == f.hidden {
		return
	}
	f.o.Hide(on)
	f.hidden = on
}

// leaves reports whether a line means the way out. In the middle of a question it
// means nothing of the kind.
func (f *face) leaves(line string) bool {
	first, _ := word(line)
	return len(f.open) == 0 && (first == "/exit" || first == "/quit")
}

// end lets nothing wait for an answer any more.
func (f *face) end() {
	for _, q := range f.open {
		q.cancel()
	}
	f.open = nil
	if f.cancel != nil {
		f.cancel()
	}
}

// take is one thing that happened.
func (f *face) take(ctx context.Context, v any) {
	switch v := v.(type) {
	case agent.Event:
		f.tell.event(v)
	case *Permission:
		a := newAsk(v)
		a.send = func(s shown) { f.o.Send(s) }
		f.put(a)
	case shown:
		f.shown(v)
	case *Asked:
		if len(v.Question.Topics) > 0 {
			f.put(newInquiry(v))
			return
		}
		q := newForm(v)
		q.hides = f.o.Hide != nil
		f.put(q)
	case Withdrawn:
		f.withdraw(v.Question)
	case Said:
		f.say(lang.T("note: %s", safe.Output(lang.Said(string(v)))))
	case plain:
		f.say(safe.Output(string(v)))
	case Fence:
		close(v)
	case ended:
		f.over(ctx, v)
	}
}
