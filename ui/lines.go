package ui

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"forge/agent"
	mine "forge/agent/command"
	"forge/ide"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/display"
	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
	"forge/ui/terminal"
)

// runLines hands what the screen can do to the face that speaks in lines.
func runLines(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	l := &lines{o: o, gate: make(chan struct{}, 1), stir: make(chan struct{}, 1)}
	defer func() {
		cancel()
		o.Feed.Close()
		select { // as for the screen: a run has its time to close down
		case l.gate <- struct{}{}:
		case <-time.After(quitWait):
		}
	}()
	l.started = func(o Options) {
		if o.Started != nil {
			go guard(func() error { o.Started(ctx); return nil })
		}
		l.autoIDE(ctx)
	}
	l.started(o)
	in, out := io.Reader(os.Stdin), o.out()
	if o.Terminal.Input != nil {
		in = o.Terminal.Input
	}
	keys := in
	if o.OnTerminal != nil && o.Terminal.Output == nil {
		if l.input = display.NewInput(in); l.input != nil {
			in = l.input
		}
	}
	opt := linear.Options{
		In: in, Out: out, Interrupts: o.Interrupts, Next: l.next, Send: func(v any) { o.Feed.send(v) }, Emit: o.Feed.Emit,
		Prompt: func(ctx context.Context, text string, sink agent.Sink) error {
			return l.hold(ctx, func() error { return l.now().Agent.Run(ctx, agent.Prompt{Text: text}, sink) })
		},
		Unsent: func() []string { return l.now().Agent.Unsent() }, Hello: l.hello(), First: o.Prompt, Commands: l.commands(), Remember: l.remember,
		Known: l.known, Near: func(name string) []string { return l.near(name, mine.Set{}) },
	}
	opt.Timed = l.timed()
	if o.Tips != nil && !o.NoTips {
		opt.Tip = l.tip
	}
	l.times.Store(o.Times)
	opt.Clock = l.clock
	if f, ok := keys.(*os.File); ok {
		opt.Hide = terminal.Hide(f)
	}
	if o.FromFiles != nil {
		opt.Filed, opt.FiledHelp = l.filed, l.filedHelp
	}
	if o.RunOwn != nil {
		opt.Own = func(ctx context.Context, command string, sink agent.Sink) error {
			if command, wants := onTerminalIn("!" + command); wants {
				return l.onTerminal(ctx, command, sink)
			}
			return l.hold(ctx, func() error {
				o, run := l.now(), l.now().RunOwn
				return o.Agent.Shell(ctx, command, func(ctx context.Context, out io.Writer) (tools.Result, error) { return run(ctx, command, out) }, sink)
			})
		}
	}
	if o.Restore != nil {
		l.gate <- struct{}{} // before anything else uses the agent
		go func() {
			defer func() { <-l.gate }()
			if err := guard(l.restore); err != nil {
				o.Feed.send(failed{lang.T("open the conversation"), err})
			}
		}()
	}
	l.consent()
	err := linear.Run(ctx, opt)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// lines joins the feed and the options of the screen to ui/linear.
type lines struct {
	o    Options                 // those of the start; now gives those there are, whose Model is the one in use
	at   atomic.Pointer[Options] // of the folder it was moved to; nil: it was not
	gate chan struct{}           // held by whoever uses the agent
	asks sync.Map                // by *ask, what was made of the open questions
	stir chan struct{}           // a server's state is another
	crew lineCrew
	said atomic.Pointer[string] // the last prompt

	input  *display.Input // nil: no command can have the terminal
	times  atomic.Bool    // when it was stands before what asks for a prompt
	lately []string       // models used lately, as /model next goes through them

	wasIDE  ide.State     // of the editor; touched by next alone
	started func(Options) // has main do what it does once they are in force
}

// now is what can be done, in the folder that is worked in. Any goroutine may ask.
func (l *lines) now() *Options {
	if o := l.at.Load(); o != nil {
		return o
	}
	return &l.o
}

// hold does something with the agent, one at a time.
func (l *lines) hold(ctx context.Context, f func() error) error {
	select {
	case l.gate <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.gate }()
	return f()
}

// next translates what the feed brings. What is for the screen alone is left out.
func (l *lines) next() []any {
	b, ok := l.now().Feed.Next().(batch)
	if !ok {
		return nil
	}
	out := []any{}
	for _, v := range b {
		switch v := v.(type) {
		case *ask:
			out = append(out, l.question(v))
		case withdrawn:
			if q, open := l.over(v.ask); open {
				out = append(out, linear.Withdrawn{Question: q})
			}
		case notice:
			out = append(out, linear.Said(v.text))
		case failed:
			out = append(out, linear.Said(strings.TrimPrefix(v.what+lang.T(": ")+oneLine(v.err), lang.T(": "))))
		case ideChanged:
			if text := l.ideMoved(); text != "" {
				out = append(out, linear.Said(text))
			}
		case ideNamed:
			out = append(out, linear.Said(lang.T("sent from the editor: %s", v.text)))
		case goalIs: // its changes are told in words
		case serversChanged:
			l.now().Feed.stirred.Store(false)
			select {
			case l.stir <- struct{}{}:
			default:
			}
		default:
			if e, ok := v.(agent.Event); ok {
				l.crew.take(e)
			}
			out = append(out, v)
		}
	}
	return out
}

func (l *lines) question(q *ask) any {
	var made any
	if q.question != nil {
		made = &linear.Asked{Question: *q.question, Reply: func(r tools.Reply) {
			l.over(q)
			q.reply <- r
		}}
	} else {
		made = &linear.Permission{Request: *q.request, Reply: func(a permission.Answer) {
			l.over(q)
			q.answer <- a
		}, First: func(do func()) { q.first = do }, Show: l.show(), Counts: l.counts()}
	}
	l.asks.Store(q, made)
	l.crew.asks(q, 1)
	return made
}

// over notes that a question was answered or taken back, and returns what was made of it
// where that is news.
func (l *lines) over(q *ask) (made any, open bool) {
	if made, open = l.asks.LoadAndDelete(q); open {
		l.crew.asks(q, -1)
	}
	return made, open
}

func (l *lines) hello() []string {
	o := *l.now()
	out := []string{lang.T("forge %s in %s", safe.Line(o.Version), safe.Line(o.Cwd))}
	if o.FirstRun != nil {
		out = append(out, lang.T("no model can be reached: give one with --provider and --model, or a key in the environment; /key pastes one"))
	} else if o.Model.ID != "" {
		out = append(out, lang.T("model %s", safe.Line(o.Model.ID)))
	}
	out = append(out, lang.T("mode %s", modeName(o.Mode)))
	switch {
	case o.Sandbox == "":
	case o.Network:
		out = append(out, parts(lang.T("sandbox %s", safe.Line(o.Sandbox)), lang.T("network open")))
	default:
		out = append(out, lang.T("sandbox %s", safe.Line(o.Sandbox)))
	}
	return append(out, lang.T("/help says what there is; ctrl+d leaves"))
}

// consent asks about yolo before anything runs, as the screen does.
func (l *lines) consent() {
	if l.now().Yolo {
		go guard(func() error {
			r, err := l.now().Feed.AskQuestion(context.Background(), yoloQuestion(lang.T("/mode leaves it.")))
			if err == nil && r.Choice == "yolo" {
				l.now().SetMode(permission.ModeYolo)
			}
			return err
		})
	}
}

// parts is what a line says of one thing, without what is empty.
func parts(of ...string) string {
	return strings.Join(slices.DeleteFunc(of, func(s string) bool { return s == "" }), lang.T(", "))
}
