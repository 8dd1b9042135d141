package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/charmbracelet/x/term"

	"forge/agent"
	"forge/agent/session"
	"forge/mcp"
	"forge/provider"
	"forge/provider/catalog"
	"forge/provider/demo"
	"forge/tools"
	"forge/tools/permission"
	"forge/tools/sandbox"
	"forge/tools/search"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/clipboard"
	"forge/ui/lang"
	"forge/ui/print"
	"forge/ui/safe"
)

// face is who answers questions: the screen's feed, or nobody.
type face struct {
	permission permission.Asker
	turns      tools.Asker // nil: a run ends at its limit
	feed       *ui.Feed    // nil: headless
	ways       *sync.Map   // headless: what would have let a call run, by its id
}

// unattended is what a headless run tells the model of a call it may not make.
const unattended = "this needs a permission and nobody is there to be asked; go on without it and say what was left out"

func (f *forge) face() *face {
	if f.flags.Headless {
		ways := &sync.Map{}
		return &face{ways: ways, permission: permission.Refuse{Why: unattended,
			Asked: func(q permission.Request) { ways.Store(q.Call.ID, q.Way()) }}}
	}
	feed := ui.NewFeed()
	return &face{permission: noted{feed, f}, turns: questions{feed}, feed: feed}
}

// noted is an Asker whose questions outlive a crash: the next start shows what was
// being asked.
type noted struct {
	permission.Asker
	f *forge
}

// Ask implements permission.Asker.
func (n noted) Ask(ctx context.Context, r permission.Request) (permission.Answer, error) {
	defer n.f.budget.Wait()() // a person's time is no work
	n.f.agent.Asks(session.Asked{ID: r.Call.ID, Title: r.Effect.Title, Command: r.Effect.Command})
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

// awaitServers is what a run on the screen waits for; a headless one has waited
// before it began.
func (f *forge) awaitServers(face *face) func(context.Context, func(string)) {
	if face.feed == nil {
		return nil
	}
	return func(ctx context.Context, say func(string)) {
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

// plain runs once without a screen.
func (f *forge) plain(ctx context.Context, face *face) error {
	id := ""
	if s := f.agent.Session(); s != nil {
		id = s.ID()
	}
	progress := f.flags.Format == print.Text && term.IsTerminal(os.Stderr.Fd())
	p := print.New(print.Options{
		Out: os.Stdout, Err: os.Stderr, Format: f.flags.Format, OutTerminal: term.IsTerminal(os.Stdout.Fd()),
		Progress: progress, Model: f.model, Session: id, Unattended: unattended, Way: face.way, Before: f.agent.Totals(),
	})
	for _, n := range f.notices {
		fmt.Fprintln(os.Stderr, "forge: "+safe.Output(lang.Said(n)))
	}
	say := func(s string) { fmt.Fprintln(os.Stderr, "forge: "+safe.Output(lang.Said(s))) }
	f.await(ctx, say)
	if f.mounted != nil {
		for _, st := range f.mounted.Status() {
			tellServer(st, say)
		}
	}
	left := f.agent.Left()
	if f.prompt == "" && !left.Run {
		return cli.Usage{Err: errNoPrompt}
	}
	for _, line := range tellLeft(left, f.prompt == "") {
		say(line)
	}
	err := recorded{Agent: f.agent, journal: f.journal, kept: f.kept}.Run(ctx, agent.Prompt{Text: f.prompt}, p.Emit)
	if code := p.Finish(err); code != print.ExitDone {
		return exit(code)
	}
	return nil
}

var errNoPrompt = errors.New(lang.N("the prompt is empty: give one after -p, or on stdin"))

// tellLeft says what a forge that was killed left undone, and how to go on with it.
func tellLeft(l session.Left, on bool) (lines []string) {
	if l.Run {
		line := lang.T("this conversation was cut off at %s", l.At.Local().Format("2006-01-02 15:04"))
		if !on {
			line += lang.T("; forge -c -p \"\" would have gone on with it")
		}
		lines = append(lines, line)
	}
	if l.Asked != nil {
		lines = append(lines, lang.T("a question was open: %s; nothing was run", cmp.Or(l.Asked.Title, l.Asked.Command)))
	}
	if n := len(l.Queue); n > 0 {
		lines = append(lines, lang.T("prompts that were queued and not sent: %d; forge -c shows them", n))
	}
	return lines
}

// pipedMax is how much of stdin goes into a prompt, in bytes: more than any
// model's window.
const pipedMax = 10 << 20

// readPrompt adds what stands on stdin to the prompt. A terminal is never waited
// for, nor is a closed stdin.
func readPrompt(ctx context.Context, prompt string, stdin *os.File) (string, error) {
	piped, err := readPiped(ctx, stdin)
	if err != nil {
		return "", err
	}
	switch {
	case strings.TrimSpace(prompt) == "" && strings.TrimSpace(piped) == "":
		return "", cli.Usage{Err: errNoPrompt}
	case strings.TrimSpace(piped) == "":
		return prompt, nil
	case strings.TrimSpace(prompt) == "":
		return piped, nil
	}
	return prompt + "\n\n" + piped, nil
}

// readPiped reads stdin to its end, or until ctx ends: whoever interrupts forge
// while it waits for a pipe is heard.
func readPiped(ctx context.Context, stdin *os.File) (string, error) {
	info, err := stdin.Stat()
	if err != nil || info.Mode()&os.ModeDevice != 0 || term.IsTerminal(stdin.Fd()) {
		return "", nil
	}
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- read{err: fmt.Errorf("crashed: %v", p)}
			}
		}()
		text, err := io.ReadAll(io.LimitReader(stdin, pipedMax+1))
		done <- read{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-done:
		switch {
		case r.err != nil:
			return "", fmt.Errorf(lang.T("read stdin: %w"), r.err)
		case len(r.text) > pipedMax:
			return "", cli.Usage{Err: fmt.Errorf(lang.T("stdin is longer than %d MB: keep it in a file and name that, forge can read it"), pipedMax>>20)}
		case bytes.IndexByte(r.text, 0) >= 0:
			return "", cli.Usage{Err: errors.New(lang.T("stdin is no text: keep it in a file and name that"))}
		}
		return strings.ToValidUTF8(string(r.text), "\uFFFD"), nil
	}
}

// screen shows the full-screen face until the person leaves.
func (f *forge) screen(ctx context.Context, face *face) error {
	root := f.hands.workspace.Root()
	prompts := session.Prompts{Dir: f.dirs.State, Folder: root}
	history := prompts.History()
	finder := &search.Finder{Root: root, Tracked: tracked(root)}
	var spoken atomic.Bool
	o := ui.Options{
		Agent: recorded{Agent: f.agent, journal: f.journal, kept: f.kept, used: func(paths []string) { usedIn(finder, root, "", paths) }}, Feed: face.feed, Ledger: f.ledger(),
		Model: f.model, Effort: effortOf(f.choice), SetModel: f.setModel, Models: f.models,
		Mode: f.hands.guard.Mode(), SetMode: f.hands.guard.SetMode, InForce: f.hands.guard.Mode, Yolo: f.wantedMode() == permission.ModeYolo, Sandbox: f.hands.policy.Name(), Network: f.hands.policy.Active() && f.hands.policy.Network(),
		Sessions: f.sessions, Resume: f.resumeByID, New: f.newSession,
		KeepQueue: f.agent.Waits, Offer: f.offer,
		Stored:  f.library(),
		Earlier: f.earlier, RunOwn: f.hands.env.RunOwn, Background: f.hands.env.Jobs.Background,
		Undo: f.undo, UndoSince: f.undoSince, SessionDiff: f.sessionDiff,
		GitDiff: func(ctx context.Context) (string, error) { return sandbox.GitDiff(ctx, root) },
		Files:   func(ctx context.Context, query string) []string { return finder.Find(ctx, query, 50) },
		Todos:   f.todos,
		Started: func(ctx context.Context) {
			openFinder(ctx, finder, history)
			f.prunePictures()
			for _, n := range f.notices {
				face.feed.Notice(n)
			}
			if f.greet != nil {
				f.greet(ctx)
			}
		},
		History: history,
		AppendHistory: func(s string) {
			spoken.Store(true)
			usedIn(finder, root, s, nil)
			logged("prompt not kept", prompts.Add(f.kept(s)))
		},
		Draft:     f.draft(prompts),
		SaveDraft: func(s string) { logged("draft not kept", prompts.SaveDraft(f.kept(s))) },
		Prompt:    f.firstPrompt(), Cwd: shorten(root), Version: version(),
		Theme: firstText(f.flags.Theme, f.cfg.Theme), ThemeDir: f.dirs.Themes(), Glyphs: f.cfg.Screen.Glyphs,
		NoMouse: f.flags.NoMouse || f.cfg.Screen.NoMouse, Dir: root,
		Keys: f.keys, Vim: f.cfg.Vim, Parting: f.cfg.Screen.Exit, Notify: f.cfg.Screen.Notify,
		NoTitle: f.cfg.Screen.NoTitle, NoProgress: f.cfg.Screen.NoProgress, Images: f.cfg.Screen.Images,
		Clipboard: func(ctx context.Context, text string) error { return clipboard.Native(ctx, text, os.Getenv) },
	}
	o.Inline = f.flags.Inline || f.cfg.Screen.Inline
	if o.Lines = f.inLines(); o.Lines {
		if s, ok := ctx.Value(signalsKey{}).(*signals); ok {
			o.Interrupts = s.interrupts()
		}
		o.Agent = &illustrated{o.Agent, strings.TrimSpace(f.drafted)}
	}
	o.Settings, o.Powers, o.Tools, o.SwitchTool = f.settingsEditor(), f.powers, f.toolList, f.hands.registry.Switch
	o.Agents, o.Memory, o.Doctor, o.Feedback = f.agents, f.memories, f.doctor, f.feedback
	o.Btw = func(ctx context.Context, question string, say func(string)) (agent.Totals, error) {
		err := f.agent.Ask(ctx, question, say)
		return f.agent.Totals(), err
	}
	o.Browser, o.NoBrowser = mcp.Browser()
	o.Servers, o.Prompts, o.Mentions = f.servers(), f.prompts(), f.mentions()
	o.Pictures = f.attachable()
	if f.noModel != nil {
		o.FirstRun = f.firstRun()
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

// inLines reports whether the person wants plain lines in the place of a screen, or has
// a terminal that shows nothing else.
func (f *forge) inLines() bool {
	return f.flags.ScreenReader || f.cfg.Screen.Reader || os.Getenv("FORGE_SCREEN_READER") == "1" || os.Getenv("TERM") == "dumb"
}

// restore opens the conversation to begin with. Where that fails, a new one
// begins.
func (f *forge) restore() error {
	err := f.resume(f.stored)
	if err != nil {
		err = errors.Join(err, f.newSession())
	}
	return err
}

// tailBytes is how much of a stored conversation is read to show its end: more
// than a screen, whatever stands there.
const tailBytes = 256 << 10

// peek tells the end of that conversation while restore reads it.
func (f *forge) peek(sink agent.Sink) {
	rs, err := session.Tail(f.stored, tailBytes)
	logged("end of the session not read", err)
	agent.Retell(rs, f.model.Window, sink)
}

// firstPrompt is what the screen begins with: the prompt of the command line, or
// the list of conversations where -r named none.
func (f *forge) firstPrompt() string {
	if f.flags.Resume && f.flags.ResumeID == "" {
		return "/resume"
	}
	return f.flags.Prompt
}

func logged(what string, err error) {
	if err != nil {
		slog.Warn(what, "err", err)
	}
}

func shorten(dir string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return dir
	}
	if rel, ok := strings.CutPrefix(dir, home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rel
	}
	return dir
}

func (f *forge) todos() []ui.Todo {
	var out []ui.Todo
	for _, t := range f.hands.env.Todos.List() {
		out = append(out, ui.Todo{Text: t.Text, State: t.Status})
	}
	return out
}

// models lists what the picker offers: every model of every provider with a key,
// and of local servers.
func (f *forge) models(ctx context.Context) ([]ui.ModelChoice, error) {
	f.speech.look(ctx)
	offers, err := f.speech.offers(ctx, "")
	if err != nil {
		return nil, err
	}
	var out []ui.ModelChoice
	for _, o := range offers {
		if o.Ready {
			out = append(out, choice(o.Model))
		}
	}
	if f.flags.Demo {
		out = append(out, choice(demo.Model()))
	}
	return out, nil
}

func choice(m provider.Model) ui.ModelChoice {
	return ui.ModelChoice{Model: m, Note: cli.Tokens(m.Window) + lang.T(" · ") + cli.Price(m.Price)}
}

// setModel goes on with another model, or another effort of the same.
func (f *forge) setModel(c ui.ModelChoice, e provider.Effort) (provider.Model, error) {
	if c.Model.Provider == f.model.Provider && c.Model.ID == f.model.ID && f.noModel == nil {
		p, next := f.agent.Provider(), f.choice
		next.Effort = e
		f.answersWith(next, f.model)
		f.agent.SetModel(p, f.model, effortOf(f.choice)) // none: the model's own
		if !f.flags.Demo {
			f.speech.remember(f.choice)
		}
		return f.model, nil
	}
	if c.Model.Provider == demo.Model().Provider {
		return f.useDemo()
	}
	endpoint, ok := f.speech.endpoint(context.Background(), c.Model.Provider)
	if !ok {
		return f.model, fmt.Errorf(lang.T("provider %s is not reachable now"), c.Model.Provider)
	}
	endpoint.Model, endpoint.Effort = c.Model, e
	return f.use(f.speech.settle(endpoint))
}

// answersWith notes which model answers from now on.
func (f *forge) answersWith(c catalog.Choice, m provider.Model) {
	f.chosenMu.Lock()
	defer f.chosenMu.Unlock()
	f.choice, f.model = c, m
}

// answering is which model answers now, for those who ask at any time.
func (f *forge) answering() (catalog.Choice, provider.Model) {
	f.chosenMu.Lock()
	defer f.chosenMu.Unlock()
	return f.choice, f.model
}

// use opens the way to a choice and goes on with it.
func (f *forge) use(c catalog.Choice) (provider.Model, error) {
	p, err := f.speech.open(c)
	if err != nil {
		return f.model, err
	}
	f.noModel = nil
	f.answersWith(c, c.Model)
	f.agent.SetModel(p, f.model, effortOf(c))
	f.speech.remember(c)
	return f.model, f.checkPrice()
}

func (f *forge) useDemo() (provider.Model, error) {
	f.noModel = nil
	f.answersWith(f.choice, demo.Model())
	f.agent.SetModel(demo.New(demo.Builtin(), demo.Options{Pace: -1}), f.model, "")
	return f.model, nil
}

func (f *forge) sessions() ([]ui.SessionChoice, error) {
	all, err := session.List(f.dirs.Sessions())
	if err != nil {
		return nil, err
	}
	root := f.hands.workspace.Root()
	var here, elsewhere []ui.SessionChoice
	for _, s := range all {
		c := ui.SessionChoice{ID: s.ID, Title: s.Title, When: s.Updated, Note: s.Model.ID}
		if s.Branch != "" {
			c.Note = strings.TrimPrefix(c.Note+lang.T(" · ")+s.Branch, lang.T(" · "))
		}
		if s.Cwd == root {
			here = append(here, c)
			continue
		}
		c.Note = strings.TrimPrefix(c.Note+lang.T(" · ")+shorten(s.Cwd), lang.T(" · "))
		elsewhere = append(elsewhere, c)
	}
	return append(here, elsewhere...), nil
}

func (f *forge) resumeByID(id string) error {
	info, err := session.Find(f.dirs.Sessions(), id)
	if err != nil {
		return err
	}
	return f.resume(info.Path)
}

// earlier lists the prompts of this conversation that can be gone back to.
func (f *forge) earlier() []ui.Earlier {
	var out []ui.Earlier
	for _, p := range f.agent.Asked() {
		out = append(out, ui.Earlier{Text: p.Text, When: p.When, Fork: func() error {
			rs, err := f.agent.Before(p)
			if err != nil {
				return err
			}
			return f.fork(rs)
		}})
	}
	return out
}

// firstRun offers ways to a first model.
func (f *forge) firstRun() *ui.FirstRun {
	first := &ui.FirstRun{
		Local: func(ctx context.Context) []ui.ModelChoice {
			var out []ui.ModelChoice
			for _, found := range f.speech.look(ctx) {
				for _, m := range found.Models {
					out = append(out, choice(m))
				}
			}
			return out
		},
		Use:  func(c ui.ModelChoice) (provider.Model, error) { return f.setModel(c, "") },
		Demo: func() { f.demoNext = true },
	}
	names := []string{"deepseek", "anthropic", "openai", "openrouter"}
	if e, ok := f.wanted(); ok { // what was asked for comes first
		names = append([]string{e.Name}, slices.DeleteFunc(names, func(n string) bool { return n == e.Name })...)
	}
	for _, name := range names {
		if e, ok := catalog.Find(name); ok {
			first.Keys = append(first.Keys, ui.KeyChoice{Name: e.Title, Try: func(ctx context.Context, key string) (provider.Model, error) {
				return f.tryKey(ctx, e.WithEnv(os.Getenv), key)
			}})
		}
	}
	return first
}

// wanted is the provider that was named, if it is one whose key can be pasted.
func (f *forge) wanted() (catalog.Endpoint, bool) {
	name := firstText(f.flags.Provider, f.cfg.Provider)
	if name == "" {
		name = catalog.ResolveModel(firstText(f.flags.Model, f.cfg.Model), "").Endpoint
	}
	e, ok := catalog.Find(name)
	return e, ok && !e.Local
}

// tryKey makes one small request with a pasted key and keeps the key if the
// server takes it.
func (f *forge) tryKey(ctx context.Context, e catalog.Endpoint, key string) (provider.Model, error) {
	m, ok := e.Model(e.DefaultModel)
	if w, named := f.wanted(); named && w.Name == e.Name {
		if ref := catalog.ResolveModel(firstText(f.flags.Model, f.cfg.Model), e.Name); ref.ID != "" {
			if m, ok = e.Model(ref.ID); !ok {
				m, ok = provider.Model{Provider: e.Name, ID: ref.ID, Name: ref.ID}, true
			}
		}
	}
	if !ok {
		return f.model, fmt.Errorf(lang.T("%s has no default model: give one with --model"), e.Title)
	}
	c := f.speech.settle(catalog.Choice{Endpoint: e, Model: m, Key: key})
	p, err := f.speech.once(c)
	if err != nil {
		return f.model, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	_, err = provider.Collect(p.Stream(ctx, provider.Request{Model: m.ID, Messages: []provider.Message{provider.UserText("Reply with: ok")}, MaxTokens: 512}), nil)
	if err != nil {
		return f.model, err
	}
	if _, err := f.dirs.Secrets().Set(e.Name, key); err != nil {
		return f.model, fmt.Errorf(lang.T("the key works, but could not be kept: %w"), err)
	}
	return f.use(c)
}
