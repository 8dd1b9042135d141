package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"

	"forge/agent/session"
	"forge/mcp"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/lang"
)

// face is who answers questions: the screen's feed, or nobody.
type face struct {
	permission permission.Asker
	turns      tools.Asker // nil: a run ends at its limit
	models     tools.Asker // puts what a model wants to know; nil: nobody is there
	feed       *ui.Feed    // nil: headless
	ways       *sync.Map   // headless: what would have let a call run, by its id
}

// unattended is what a headless run tells the model of a call it may not make.
const unattended = "this needs a permission and nobody is there to be asked; go on without it and say what was left out"

func (f *forge) face() *face {
	if f.flags.Headless {
		ways := &sync.Map{}
		return &face{ways: ways, permission: permission.Refuse{Why: unattended,
			Asked: func(q permission.Request) { ways.Store(q.Call.ID, q.Way(permission.Mode(f.cfg.Policy.Mode))) }}}
	}
	return f.faceOf(ui.NewFeed())
}

// faceOf is the one whose screen reads this feed.
func (f *forge) faceOf(feed *ui.Feed) *face {
	return &face{permission: noted{feed, f}, turns: heralded{questions{feed}, f}, models: wondered{heralded{questions{feed}, f}, f}, feed: feed}
}

// noted is an Asker whose questions outlive a crash: the next start shows what was
// being asked.
type noted struct {
	permission.Asker
	f *forge
}

// alone reports whether no other call of its turn runs beside one: reads and agents go
// side by side, all else one after the other.
func alone(e tools.Effect) bool {
	return e.Agent == "" && (e.Kind == tools.Write || e.Kind == tools.Exec || e.Kind == tools.Network)
}

// Ask implements permission.Asker.
func (n noted) Ask(ctx context.Context, r permission.Request) (permission.Answer, error) {
	defer n.f.budget.Wait()()                // a person's time is no work
	if n.f.feed != nil || len(r.With) == 0 { // an editor is asked about each change by itself
		n.f.notify("permission_prompt", r.Title(), "forge needs your permission: "+r.Title())
	}
	n.f.agent.Asks(session.Asked{ID: r.Call.ID, Title: r.Title(), Command: r.Effect.Command, Alone: alone(r.Effect)})
	a, err := n.Asker.Ask(ctx, r)
	answer := "refused"
	switch {
	case err != nil:
		answer = "withdrawn"
	case a.Allow:
		answer = "allowed"
	}
	n.f.agent.Asks(session.Asked{ID: r.Call.ID, Answer: answer})
	return a, err
}

// wondered is an Asker for what a model wants to know. That outlives a crash too: the
// next start shows what was being asked.
type wondered struct {
	tools.Asker
	f *forge
}

// Ask implements tools.Asker.
func (w wondered) Ask(ctx context.Context, q tools.Question) (tools.Reply, error) {
	defer w.f.budget.Wait()() // a person's time is no work
	w.f.agent.Asks(session.Asked{ID: q.ID, Title: q.Title, Model: true})
	r, err := w.Asker.Ask(ctx, q)
	answer := "answered"
	switch {
	case err != nil:
		answer = "withdrawn"
	case r.Choice == "":
		answer = "closed"
	}
	w.f.agent.Asks(session.Asked{ID: q.ID, Answer: answer})
	return r, err
}

// before is what a run waits for before its first model call.
func (f *forge) before(face *face) func(context.Context, func(string)) {
	servers := f.awaitServers(face)
	return func(ctx context.Context, say func(string)) {
		if servers != nil {
			servers(ctx, say)
		}
		f.skills.ready()
		f.awaitHooks(ctx, say)
	}
}

// awaitServers is what a run on the screen waits for; a headless one has waited
// before it began.
func (f *forge) awaitServers(face *face) func(context.Context, func(string)) {
	if face.feed == nil {
		return nil
	}
	return func(ctx context.Context, say func(string)) {
		f.awaitTrust(ctx, say)
		if f.mounted != nil && !f.awaited {
			var starting []string
			for _, st := range f.mounted.Status() {
				if st.State == mcp.Starting {
					starting = append(starting, st.Name)
				}
			}
			if len(starting) > 0 {
				say(lang.T("waiting for MCP server %s", strings.Join(starting, ", ")))
			}
		}
		f.await(ctx, face.feed.Notice)
	}
}

// greetBeside asks whether the workspace is trusted, beside whatever is done meanwhile:
// what a person sends by then waits for the answer.
func (f *forge) greetBeside(ctx context.Context) (asked <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				slog.Error("crashed while the workspace was asked about", "panic", p, "stack", string(debug.Stack()))
			}
		}()
		f.wakeHooks(false)
		if f.greet != nil {
			f.greet(ctx)
		}
		f.wakeHooks(true)
	}()
	return done
}

// settled is how long it takes at the most to see that nothing has to be asked.
const settled = 300 * time.Millisecond

// awaitTrust waits until it is known what of the workspace is in force: a prompt that goes
// before that would go without it.
func (f *forge) awaitTrust(ctx context.Context, say func(string)) {
	if f.greeted == nil {
		return
	}
	select {
	case <-f.greeted:
		return
	case <-ctx.Done():
		return
	case <-time.After(settled): // most of the time nothing is asked
	}
	say(lang.T("waiting for your answer"))
	select {
	case <-f.greeted:
	case <-ctx.Done():
	}
}

// way names what would have let a refused call run; empty: that is not known.
func (f *face) way(call string) string {
	way, _ := f.ways.Load(call)
	text, _ := way.(string)
	return text
}

// questions lets the feed ask what is not a permission.
type questions struct{ feed *ui.Feed }

func (q questions) Ask(ctx context.Context, question tools.Question) (tools.Reply, error) {
	return q.feed.AskQuestion(ctx, question)
}

// heralded is an Asker of whose questions hooks are told.
type heralded struct {
	tools.Asker
	f *forge
}

// Ask implements tools.Asker.
func (h heralded) Ask(ctx context.Context, q tools.Question) (tools.Reply, error) {
	h.f.notify("elicitation_dialog", q.Title, q.Title)
	return h.Asker.Ask(ctx, q)
}

// errYolo is the error of a forge that a command of another forge started so.
var errYolo = errors.New("--yolo is refused here: this forge was started by a command of another forge")

// mode is the permission mode to begin with. On a screen yolo is confirmed first.
func (f *forge) mode() permission.Mode {
	m := f.wantedMode()
	if m == permission.ModeYolo && !f.flags.Headless {
		return permission.ModeAsk
	}
	return m
}

// ready looks whether the face can do its work, before anything is begun.
func (f *forge) ready(ctx context.Context) (err error) {
	if f.flags.Headless {
		f.prompt, err = readPrompt(ctx, f.flags.Prompt, os.Stdin)
		if errors.Is(err, errNoPrompt) && (f.flags.Continue || f.flags.ResumeID != "" || len(f.flags.Images) > 0) {
			return nil // it goes on with what was cut off, if something was
		}
		return err
	}
	if !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stdout.Fd()) {
		return cli.Usage{Err: errors.New(lang.T("the screen needs a terminal: use forge -p \"…\" here"))}
	}
	return nil
}

var errNoPrompt = errors.New(lang.N("the prompt is empty: give one after -p, or on stdin"))

// pipedMax is how much of stdin goes into a prompt, in bytes: more than any
// model's window.
const pipedMax = 10 << 20

// inLines reports whether the person wants plain lines in the place of a screen, or has
// a terminal that shows nothing else.
func (f *forge) inLines() bool {
	return f.flags.ScreenReader || f.cfg.Screen.Reader || os.Getenv("FORGE_SCREEN_READER") == "1" || os.Getenv("TERM") == "dumb"
}

// firstPrompt is what the screen begins with: the prompt of the command line, or
// the list of conversations where -r named none, or gave words.
func (f *forge) firstPrompt() string {
	if f.flags.Resume && (f.flags.ResumeID == "" || f.sought != "") {
		return strings.TrimSpace("/resume " + strings.Join(strings.Fields(f.sought), " "))
	}
	return f.flags.Prompt
}

func logged(what string, err error) {
	if err != nil {
		slog.Warn(what, "err", err)
	}
}
