package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/term"

	"forge/agent"
	"forge/agent/session"
	"forge/mcp"
	"forge/models"
	"forge/tilde"
	"forge/tools"
	"forge/tools/permission"
	"forge/tools/sandbox"
	"forge/tools/search"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/clipboard"
	"forge/ui/lang"
	"forge/ui/theme"
	"forge/ui/tips"
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
	feed := ui.NewFeed()
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
var errYolo = errors.New(lang.N("--yolo is refused here: this forge was started by a command of another forge"))

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

// screen shows the full-screen face until the person leaves.
func (f *forge) screen(ctx context.Context, face *face) error {
	root := f.hands.workspace.Root()
	prompts, release := session.Prompts{Dir: f.dirs.State, Folder: root}.Claim()
	defer release()
	history := prompts.History()
	finder := &search.Finder{Root: root, Tracked: tracked(root)}
	menu := &fileMenu{home: finder, open: f.added}
	var spoken atomic.Bool
	words := f.speller()
	defer words.Close()
	o := ui.Options{
		Agent: recorded{Agent: f.agent, journal: f.journal, kept: f.kept, look: f.onlyLook, begins: f.goal.begins, used: func(paths []string) { usedIn(finder, root, "", paths) }}, Feed: face.feed, Ledger: f.ledger(),
		Model: f.model, Effort: models.Effort(f.choice), SetModel: f.setModel, Models: f.models, Favorites: f.favorites(),
		Mode: f.hands.guard.Mode(), SetMode: f.hands.guard.SetMode, InForce: f.hands.guard.Mode, Laxest: permission.Mode(f.cfg.Policy.Mode), Yolo: f.wantedMode() == permission.ModeYolo, Sandbox: f.hands.policy.Name(), Network: f.hands.policy.Active() && f.hands.policy.Network(),
		Sessions: f.sessions, Resume: f.resumeByID, New: f.newSession,
		KeepQueue: f.agent.Waits, Offer: f.offer,
		Stored:  f.library(),
		Earlier: f.earlier, RunOwn: f.hands.env.RunOwn, OnTerminal: f.hands.env.OnTerminal, Background: f.hands.env.Jobs.Background, MoreTime: f.hands.env.Jobs.MoreTime, Jobs: f.watchJobs(face.feed),
		Undo: f.undo, UndoSince: f.undoSince, SessionDiff: f.sessionDiff,
		GitDiff: func(ctx context.Context) (string, error) { return sandbox.GitDiff(ctx, root) },
		Files:   menu.find,
		Todos:   f.todos,
		Started: func(ctx context.Context) { f.started(ctx, face, finder, history) },
		History: history,
		AppendHistory: func(s string) {
			spoken.Store(true)
			usedIn(finder, root, s, nil)
			logged("prompt not kept", prompts.Add(f.kept(s)))
		},
		Draft:     f.draft(prompts),
		SaveDraft: func(s string) { logged("draft not kept", prompts.SaveDraft(f.kept(s))) },
		Prompt:    f.firstPrompt(), Cwd: tilde.Short(root), Version: version(),
		Theme: firstText(f.flags.Theme, f.cfg.Theme), ThemeDir: f.dirs.Themes(), WatchThemes: theme.Watch, Glyphs: f.cfg.Screen.Glyphs,
		Scrollbar: f.cfg.Screen.Scrollbar, Wheel: f.cfg.Screen.Wheel, Reasoning: f.cfg.Screen.Reasoning, Still: f.cfg.Screen.Still, Times: f.cfg.Screen.Times, Focus: f.cfg.Screen.Focus, Panel: f.cfg.Screen.Panel,
		NoMouse: f.flags.NoMouse || f.cfg.Screen.NoMouse, Dir: root,
		Keys: f.keys, Vim: f.cfg.Vim, VimEscape: f.cfg.VimEscape, NoEmoji: f.cfg.NoEmoji, Spelling: words.screen(), Dictation: f.dictation(), Parting: f.cfg.Screen.Exit, Notify: f.cfg.Screen.Notify,
		Status: f.cfg.Screen.Status, StatusCommand: f.cfg.Screen.Command, RunStatus: f.runStatus, Place: f.where,
		NoTitle: f.cfg.Screen.NoTitle, TitleShows: f.cfg.Screen.TitleShows, NoProgress: f.cfg.Screen.NoProgress, Images: f.cfg.Screen.Images, Links: f.cfg.Screen.Links,
		Clipboard: func(ctx context.Context, text string) error { return clipboard.Native(ctx, text, f.elsewhere) },
	}
	o.Inline = f.flags.Inline || f.cfg.Screen.Inline
	if o.Lines = f.inLines(); o.Lines {
		if s, ok := ctx.Value(signalsKey{}).(*signals); ok {
			o.Interrupts = s.interrupts()
		}
		o.Agent = &illustrated{o.Agent, strings.TrimSpace(f.drafted)}
	}
	want := f.cfg.Screen.Tips
	if o.NoTips = want != nil && !*want; !o.Lines || want != nil && *want { // lines are read aloud: nothing comes unasked
		o.Tips = &tips.Book{Path: filepath.Join(f.dirs.State, "tips.json")}
	}
	f.hands.env.Terminal = true
	o.Settings, o.Powers, o.Tools, o.SwitchTool = f.settingsEditor(), f.powers, f.toolList, f.hands.registry.Switch
	o.Crew, o.Hooks = f.crewNow(), f.hooksShown()
	o.Agents, o.Memory, o.Doctor, o.Feedback = f.agents, f.memories, f.doctor, f.feedback
	o.Btw = func(ctx context.Context, question string, say func(string)) (agent.Totals, error) {
		err := f.agent.Ask(ctx, question, say)
		return f.agent.Totals(), err
	}
	o.Recap, o.MakeName, o.Changelog = f.besideWork(f.agent.Recap), f.besideWork(f.agent.MakeName), changelog
	o.Suggest, o.Suggests = f.besideWork(f.agent.Suggest), f.cfg.Screen.Suggest
	o.RecapAfter, o.NoAwayLine = f.cfg.Screen.RecapAfter, f.cfg.Screen.NoAwayLine
	o.Browser, o.NoBrowser = mcp.Browser(f.hands.workspace.WritableRoots()...)
	o.LSP = f.lspPanel()
	o.Servers, o.Prompts, o.Mentions = f.servers(), f.prompts(), f.mentions()
	o.FromFiles, o.Skills = f.fileCommands(face).screen(), f.skills.screen()
	o.Goal, o.Loops, o.Reload = f.goal.screen(), &f.loops, f.reload
	o.Pictures, o.Logins = f.attachable(), f.logins()
	o.Folders, o.Paths = f.foldersHere(), f.findPaths
	o.IDE = f.openBridge(face.feed)
	if f.noModel != nil {
		o.FirstRun = f.firstRun()
	}
	o.Ways = func() *ui.FirstRun {
		ways := f.firstRun()
		ways.Demo = nil // it would end the conversation
		return ways
	}
	if f.stored != "" {
		o.Restore, o.Peek = f.restore, f.peek
	}
	f.feed = face.feed
	err := ui.Run(ctx, o)
	if s := f.agent.Session(); s != nil && spoken.Load() && len(f.agent.History()) > 0 && term.IsTerminal(os.Stdout.Fd()) {
		id := s.ID()
		fmt.Printf(lang.T("this conversation goes on with: forge -r %s\n"), id[strings.LastIndexByte(id, '-')+1:])
	}
	return err
}

// started is what is done behind the first frame, so that it waits for none of it.
func (f *forge) started(ctx context.Context, face *face, finder *search.Finder, history []string) {
	for _, n := range f.notices {
		face.feed.Notice(n)
	}
	asked := f.greetBeside(ctx)
	openFinder(ctx, finder, history)
	f.prunePictures()
	f.sweepScratch(ctx)
	debug.FreeOSMemory() // a start leaves a megabyte behind that an idle forge would hold for minutes
	f.tellUpdate(ctx, face.feed.Notice)
	<-asked
}

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
