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
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/safe"
)

// quiet is how long a question must have stood before a line is taken for its answer:
// what was typed ahead is none.
const quiet = 400 * time.Millisecond

// twice is within what a second interrupt leaves.
const twice = 3 * time.Second

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

	Hello    []string // said first
	First    string   // sent at once, if not empty
	Commands []Command
	Remember func(text string) // of every prompt; may be nil
}

// Command is a line that begins with a slash. Run is called between runs and off the
// loop; what it says, and the choice it may ask for, come after it.
type Command struct {
	Name, About string
	Run         func(ctx context.Context, arg string, say func(string)) (*Choice, error)
}

// What Next returns beside events of a run.
type (
	// Permission is a question whether a call may run.
	Permission struct {
		Request permission.Request
		Reply   func(permission.Answer) // must not block
	}
	// Asked is any other question.
	Asked struct {
		Question tools.Question
		Reply    func(tools.Reply) // must not block
	}
	// Withdrawn says that nobody waits for the answer to a question any more; it is a
	// pointer that was sent before.
	Withdrawn struct{ Question any }
	// Said is a line from elsewhere.
	Said string
	// ended says that the work in the background is over.
	ended struct {
		err    error
		choice *Choice
		run    bool
	}
)

// question is what takes lines as its answers.
type question interface {
	lines() []string
	// answer takes a line; over ends the question, say is what to say then or before the
	// next try, stop ends the run as well.
	answer(line string) (over, stop bool, say []string)
	cancel()
	key() any
}

type face struct {
	o       Options
	tell    teller
	open    []question
	asked   time.Time // when the first of them was put
	queue   []string
	cancel  context.CancelFunc // of what is on; nil: nothing is
	job     bool               // what is on is a run
	halted  bool               // the person stopped it
	pressed time.Time          // ctrl+c, with nothing on
	held    []string           // lines that ended with a backslash
	marked  bool               // the mark that asks for a prompt stands at the end
}

// Run speaks until the person leaves, the input ends or ctx does.
func Run(ctx context.Context, o Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	f := &face{o: o}
	f.tell.say = f.say
	items, lines := make(chan []any), make(chan string)
	go guard(func() { pump(ctx, o.Next, items) })
	go guard(func() { read(ctx, o.In, lines) })
	for _, l := range o.Hello {
		f.say(l)
	}
	if o.First != "" {
		f.line(ctx, o.First)
	}
	for {
		f.mark()
		select {
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
			if f.marked = false; !ok || f.leaves(l) {
				f.say(lang.T("leaving"))
				f.end()
				return nil
			}
			f.line(ctx, l)
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

func pump(ctx context.Context, next func() []any, to chan<- []any) {
	defer close(to)
	for {
		batch := next()
		if batch == nil {
			return
		}
		select {
		case to <- batch:
		case <-ctx.Done():
			return
		}
	}
}

// maxLine bounds a line that is read, in bytes; a terminal hands over 4,096 at most.
const maxLine = 1 << 20

func read(ctx context.Context, from io.Reader, to chan<- string) {
	defer close(to)
	s := bufio.NewScanner(from)
	s.Buffer(make([]byte, 0, 4096), maxLine)
	for s.Scan() {
		select {
		case to <- strings.TrimSuffix(strings.ToValidUTF8(s.Text(), "\uFFFD"), "\r"):
		case <-ctx.Done():
			return
		}
	}
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
	if f.marked || f.cancel != nil && len(f.open) == 0 {
		return
	}
	text := lang.T("prompt: ")
	switch {
	case len(f.open) > 0:
		text = lang.T("answer: ")
	case len(f.held) > 0:
		text = lang.T("more: ")
	}
	fmt.Fprint(f.o.Out, text)
	f.marked = true
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
		f.put(newAsk(v))
	case *Asked:
		f.put(newForm(v))
	case Withdrawn:
		f.withdraw(v.Question)
	case Said:
		f.say(lang.T("note: %s", safe.Output(lang.Said(string(v)))))
	case plain:
		f.say(safe.Output(string(v)))
	case ended:
		f.over(ctx, v)
	}
}

// put adds a question; it is put to the person when those before it were answered.
func (f *face) put(q question) {
	f.open = append(f.open, q)
	if len(f.open) == 1 {
		f.ask()
	}
}

func (f *face) ask() {
	if len(f.open) == 0 {
		return
	}
	f.tell.flush()
	for _, l := range f.open[0].lines() {
		f.say(l)
	}
	f.asked = time.Now()
}

func (f *face) withdraw(key any) {
	for i, q := range f.open {
		if q.key() == key {
			f.open = append(f.open[:i], f.open[i+1:]...)
			f.say(lang.T("the question is withdrawn"))
			if i == 0 {
				f.ask()
			}
			return
		}
	}
}

// line takes what the person wrote: an answer, a command, or a prompt.
func (f *face) line(ctx context.Context, line string) {
	if len(f.open) > 0 {
		f.answer(line)
		return
	}
	if more, ok := strings.CutSuffix(line, `\`); ok {
		f.held = append(f.held, more)
		return
	}
	text := strings.TrimSpace(strings.Join(append(f.held, line), "\n"))
	f.held = nil
	switch {
	case text == "":
	case f.cancel != nil:
		f.queue = append(f.queue, text)
		f.say(lang.T("queued for after this, %d waiting; ctrl+c stops what is on", len(f.queue)))
	default:
		f.submit(ctx, text)
	}
}

func (f *face) answer(line string) {
	q := f.open[0]
	if time.Since(f.asked) < quiet {
		f.say(lang.T("this line was begun before the question and is no answer; please answer again"))
		f.ask()
		return
	}
	over, stop, say := q.answer(line)
	for _, l := range say {
		f.say(l)
	}
	if over {
		f.open = f.open[1:]
		f.ask()
	}
	if stop {
		f.halt()
	}
}

func (f *face) submit(ctx context.Context, text string) {
	own, isOwn := strings.CutPrefix(text, "!")
	switch {
	case isOwn && f.o.Own != nil:
		own = strings.TrimSpace(own)
		f.begin(ctx, true, func(ctx context.Context) (*Choice, error) { return nil, f.o.Own(ctx, own, f.o.Emit) })
	case isCommand(text):
		f.command(ctx, text)
	default:
		if f.o.Remember != nil {
			f.o.Remember(text)
		}
		f.begin(ctx, true, func(ctx context.Context) (*Choice, error) { return nil, f.o.Prompt(ctx, text, f.o.Emit) })
	}
}

// isCommand reports whether a line is one; a path is a prompt.
func isCommand(text string) bool {
	name, _, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	return strings.HasPrefix(text, "/") && !strings.ContainsAny(name, "/.\n")
}

func (f *face) command(ctx context.Context, text string) {
	name, arg, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	name, arg = strings.ToLower(name), strings.TrimSpace(arg)
	if name == "help" || name == "" {
		f.help()
		return
	}
	if name == "output" {
		f.tell.output(arg)
		return
	}
	for _, c := range f.o.Commands {
		if c.Name == name {
			f.begin(ctx, false, func(ctx context.Context) (*Choice, error) {
				return c.Run(ctx, arg, func(l string) { f.o.Send(plain(l)) })
			})
			return
		}
	}
	f.say(lang.T("no command /%s here; /help lists them", safe.Line(name)))
}

// plain is a line a command says, as it is.
type plain string

func (f *face) help() {
	for _, l := range []string{
		lang.T("write a prompt and press enter; a line that ends with a backslash goes on with the next"),
		lang.T("ctrl+c stops what runs; ctrl+d, or /exit, leaves"),
		lang.T("! before a line runs it as a command of yours"),
		lang.T("/output says the whole output of the last tool, /output 2 that of the second last"),
	} {
		f.say(l)
	}
	for _, c := range f.o.Commands {
		f.say("/" + c.Name + ": " + lang.T(c.About))
	}
}

// begin does something off the loop; run says that it is work of the agent's.
func (f *face) begin(ctx context.Context, run bool, do func(ctx context.Context) (*Choice, error)) {
	ctx, cancel := context.WithCancel(ctx)
	f.cancel, f.job, f.halted = cancel, run, false
	f.tell.begin()
	send := f.o.Send
	go func() {
		defer cancel()
		e := ended{run: run}
		func() {
			defer func() {
				if p := recover(); p != nil {
					slog.Error("crashed in the background", "panic", p, "stack", string(debug.Stack()))
					e.err = errors.New(lang.T("forge crashed here: %v; the log has the details", p))
				}
			}()
			e.choice, e.err = do(ctx)
		}()
		send(e)
	}()
}

// over is the end of what begin began. After an interruption or a failure what was
// queued is not sent: the person decides.
func (f *face) over(ctx context.Context, e ended) {
	f.cancel = nil
	if f.o.Unsent != nil && e.run {
		f.queue = append(f.o.Unsent(), f.queue...)
	}
	failed := e.err != nil || f.tell.failed
	if e.err != nil && !f.tell.failed {
		f.say(errorLine(e.err))
	}
	switch {
	case e.choice != nil:
		f.put(newChoose(ctx, f, e.choice))
	case len(f.queue) == 0:
	case failed || f.halted:
		for _, q := range f.queue {
			f.say(lang.T("not sent: %s", safe.Output(q)))
		}
		f.queue = nil
	default:
		next := f.queue[0]
		f.queue = f.queue[1:]
		f.say(lang.T("sending what was queued: %s", safe.Output(next)))
		f.submit(ctx, next)
	}
}

// errorLine says an error and what can be done about it.
func errorLine(err error) string {
	if errors.Is(err, context.Canceled) {
		return lang.T("stopped")
	}
	text := lang.Said(strings.Join(strings.Fields(err.Error()), " "))
	if e := (*provider.Error)(nil); errors.As(err, &e) && e.Hint != "" {
		text += lang.T(" - ") + lang.Said(e.Hint)
	}
	return lang.T("error: %s", safe.Output(text))
}

func (f *face) halt() {
	if f.cancel != nil && !f.halted {
		f.halted = true
		f.cancel()
		f.say(lang.T("stopping"))
	}
}

// interrupt is ctrl+c; leave reports that it was the second one with nothing on.
func (f *face) interrupt() (leave bool) {
	f.marked = false
	fmt.Fprintln(f.o.Out) // behind the ^C of the terminal
	f.held = nil
	for _, q := range f.open { // nobody answers them any more
		q.cancel()
	}
	asked := len(f.open) > 0
	f.open = nil
	switch {
	case f.cancel != nil:
		f.halt()
	case asked:
		f.say(lang.T("not answered"))
	case time.Since(f.pressed) < twice:
		return true
	default:
		f.pressed = time.Now()
		f.say(lang.T("ctrl+c again leaves"))
	}
	return false
}
