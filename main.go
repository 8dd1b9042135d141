// Command forge is a terminal agent that reads, edits and runs code.
//
// This package is the wiring and nothing else: it reads flags and settings and
// joins the rooms. main.go is the order in which that happens; speech.go joins
// the wires and the catalogue, hands.go the tools and their guard, servers.go and
// serving.go what is mounted and what is served, spending.go what it may cost,
// conversations.go the records,
// faces.go the screen and the plain output. No package registers itself.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"forge/agent"
	"forge/agent/budget"
	"forge/agent/config"
	"forge/agent/session"
	"forge/compact"
	"forge/mcp"
	"forge/provider"
	"forge/provider/catalog"
	"forge/provider/demo"
	"forge/tools"
	"forge/tools/journal"
	"forge/tools/permission"
	"forge/tools/sandbox"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/print"
	"forge/ui/safe"
)

func main() {
	if sandbox.Guard(os.Args[1:], os.Stdin) { // before anything else: it is one more process on the machine
		return
	}
	sandbox.SealDescriptors()
	os.Exit(run(os.Args[1:]))
}

// exit is an exit code on its way out; what there was to say has been said.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

func run(args []string) int {
	ctx, interrupts, stop := listen()
	defer stop()
	ctx = context.WithValue(ctx, signalsKey{}, interrupts)
	slog.SetDefault(slog.New(slog.DiscardHandler)) // until there is a file for it
	if err := speak(args, os.Getenv); err != nil {
		complain(err)
		return print.ExitUsage
	}
	root := cli.Root(cli.Options{
		Version: version(), In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Start: start,
		Models: cli.ModelsOptions{Offers: func(ctx context.Context, flags cli.Flags, name string) ([]cli.Offer, error) {
			dirs, cfg, err := settings(".")
			if err != nil {
				return nil, err
			}
			return newSpeech(flags, cfg, dirs, nil).offers(ctx, name)
		}},
		Permissions: cli.PermissionsOptions{Load: explained, Rules: standings, Change: changeRule},
		Sessions:    cli.SessionsOptions{Places: places, Terminal: func() bool { return term.IsTerminal(os.Stdin.Fd()) }},
		Usage:       cli.UsageOptions{Calls: spent},
		Config:      configCommands(),
		Eval:        evaluation(),
		MCP:         mcpCommands(),
		Doctor:      cli.DoctorOptions{Examine: diagnose},
		Feedback:    cli.FeedbackOptions{Write: report},
		Trust:       cli.TrustOptions{List: trusted, Revoke: distrust},
		Debug: cli.DebugOptions{Wires: decoders, Serve: func(r io.Reader, name string, pace float64) (http.Handler, error) {
			s, err := demo.Parse(r)
			if err != nil {
				return nil, fmt.Errorf(lang.T("read %s: %w"), name, err)
			}
			return demo.Serve(s, demo.Options{Pace: pace}), nil
		}},
	})
	root.SetArgs(cli.Args(root, args))
	err := root.ExecuteContext(ctx)
	var code exit
	var usage cli.Usage
	switch {
	case err == nil:
		return print.ExitDone
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		complain(usage.Err)
		return print.ExitUsage
	case errors.Is(err, context.Canceled):
		return print.ExitInterrupted
	case errors.Is(err, cli.ErrUnwell):
		return print.ExitFailed
	}
	complain(err)
	return print.ExitFailed
}

// complain says an error as a person is to read it: what, and what to do next.
func complain(err error) {
	line := lang.Said(err.Error())
	var pe *provider.Error
	if errors.As(err, &pe) && pe.Hint != "" {
		line += lang.T(" - ") + lang.Said(pe.Hint)
	}
	fmt.Fprintln(os.Stderr, "forge: "+safe.Output(line))
}

// settings reads the folders and files a person keeps forge's settings in.
func settings(workspace string) (config.Dirs, *config.Config, error) {
	dirs, err := config.Paths()
	if err != nil {
		return dirs, nil, err
	}
	cfg := config.LoadUnder(config.PolicyFiles(), dirs.File(), config.ProjectFile(workspace))
	_, misread := bound(cfg)
	cfg.Problems = append(cfg.Problems, misread...)
	return dirs, cfg, nil
}

// forge is everything of one start, joined.
type forge struct {
	flags      cli.Flags
	dirs       config.Dirs
	cfg        *config.Config
	keys       *keymap.Map // of the screen
	speech     *speech
	hands      *hands
	agent      *agent.Agent
	budget     *budget.Counter
	pictures   session.Pictures // that prompts name
	drafted    string           // pictures of the command line that no words go with
	journal    *journal.Journal // nil: nothing is remembered for undo
	chosenMu   sync.Mutex       // of the next two, which are written between model calls and read for /doctor at any time
	choice     catalog.Choice
	model      provider.Model
	prompt     string // of a headless run, what stood on stdin included
	system     string
	memory     instructions
	began      time.Time
	branch     string // of git, when it began
	crew       *crew
	veil       tools.Veil   // hides secrets from the model; nil: nothing does
	notices    []string     // what the person is told once the face is there
	feed       *ui.Feed     // of the screen, once it is there
	stored     string       // the conversation that the screen opens; empty: none
	unkept     error        // why there is no record of this conversation though there should be
	noModel    error        // why there is no model yet; the screen offers ways to one
	demoNext   bool         // the person chose the demo instead
	mounted    *mcp.Manager // nil: no server is configured
	places     *servers     // where they are configured
	configured map[string]mcp.ServerConfig
	awaited    bool                  // the first prompt has waited for them
	greet      func(context.Context) // asks whether the workspace is trusted; nil: nothing of it has power
	close      []func()
}

func (f *forge) shut() {
	for i := len(f.close) - 1; i >= 0; i-- {
		f.close[i]()
	}
}

// start joins the rooms and hands over to a face. What a program asked for as
// JSON is JSON even where nothing could begin.
func start(c *cobra.Command, flags cli.Flags) error {
	f := &forge{flags: flags}
	defer func() { f.shut() }()
	err := f.start(c.Context())
	if err == nil && f.demoNext { // the demo was chosen on the screen: it has a workspace of its own
		f.shut()
		flags.Demo = true
		f = &forge{flags: flags}
		err = f.start(c.Context())
	}
	var code exit
	var usage cli.Usage
	if err == nil || errors.As(err, &code) || errors.As(err, &usage) || !flags.Headless || flags.Format == print.Text {
		return err
	}
	return exit(print.New(print.Options{Out: os.Stdout, Err: os.Stderr, Format: flags.Format, Model: f.model}).Finish(err))
}

// start is the order in which everything is joined, top to bottom.
func (f *forge) start(ctx context.Context) error {
	flags := f.flags
	if err := f.ready(ctx); err != nil {
		return err
	}
	dir, err := f.workspaceDir()
	if err != nil {
		return err
	}
	if f.dirs, f.cfg, err = settings(dir); err != nil {
		return err
	}
	f.notices = append(f.notices, f.cfg.Problems...)
	f.keys, _ = bound(f.cfg)
	if wrong := wrongLang(f.cfg.Lang); wrong != "" {
		f.notices = append(f.notices, wrong)
	}
	if f.wantedMode() == permission.ModeYolo && os.Getenv("FORGE") != "" {
		return cli.Usage{Err: errYolo}
	}
	f.openVeil()
	f.openLog()
	if err := f.openPictures(); err != nil {
		return err
	}
	if err := f.attachFlags(); err != nil {
		return err
	}
	if err := f.openSpeech(); err != nil {
		return err
	}
	face := f.face()
	if f.hands, err = newHands(f, dir, face); err != nil {
		return err
	}
	f.close = append(f.close, f.hands.close)
	f.openJournal()
	p, err := f.openModel(ctx)
	if err != nil {
		return err
	}
	f.openBudget()
	if err := f.checkPrice(); err != nil {
		return err
	}
	if err := f.mount(ctx, face); err != nil {
		return err
	}
	if err := f.openCrew(); err != nil {
		return err
	}
	f.writeSystem()
	f.agent = agent.New(agent.Options{
		Provider: p, Model: f.model, Effort: effortOf(f.choice), MaxTokens: f.maxTokens(), System: f.system, Memory: f.memory.files,
		Veil: f.veil, SendAsIs: f.cfg.Secrets.Prompts == "send",
		Exec: f.hands.exec, MaxTurns: f.maxTurns(), Asker: face.turns, Await: f.awaitServers(face), News: f.news,
		Compact: compact.New(f.compaction(p, f.model)),
		Facts:   f.hands.facts,
		Beneath: f.beneath,
		Budget:  f.budget, OverBudget: f.overBudget(face), Unstick: f.unstick(face), Attach: f.attach, Pictures: f.sent,
	})
	f.close = append(f.close, f.closeSession)
	if err := f.openSession(); err != nil {
		return err
	}
	f.prune()
	if flags.Headless {
		return f.plain(ctx, face)
	}
	return f.screen(ctx, face)
}

// scratch reports whether the work is done on a copy of the demo's sample project.
func (f *forge) scratch() bool { return f.flags.Demo && f.flags.Dir == "" }

// workspaceDir is the folder the tools work in, absolute. The demo gets a scratch
// copy of its sample project, unless -C names a folder.
func (f *forge) workspaceDir() (string, error) {
	if f.scratch() {
		scratch, err := os.MkdirTemp("", "forge-demo-")
		if err != nil {
			return "", err
		}
		f.close = append(f.close, func() { os.RemoveAll(scratch) })
		dir := filepath.Join(scratch, "sample")
		return dir, demo.WriteSample(dir)
	}
	dir, err := filepath.Abs(f.flags.Dir)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New(lang.T("not a folder"))
	}
	if err == nil {
		var d *os.File
		if d, err = os.Open(dir); err == nil { // a folder that may not be read is no place to work in
			d.Close()
		}
	}
	var pe *os.PathError
	if errors.As(err, &pe) {
		err = pe.Err // the path stands before it already
	}
	if err != nil {
		return "", cli.Usage{Err: fmt.Errorf(lang.T("work in %s: %w; give another folder with -C"), dir, err)}
	}
	return dir, nil
}

// openLog sends the log to a file: only the face writes to the terminal.
func (f *forge) openLog() {
	if err := os.MkdirAll(filepath.Dir(f.dirs.Log()), 0o700); err != nil {
		f.notices = append(f.notices, lang.T("no log is kept: %s", err.Error()))
		return
	}
	w, err := os.OpenFile(f.dirs.Log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		f.notices = append(f.notices, lang.T("no log is kept: %s", err.Error()))
		return
	}
	f.close = append(f.close, func() { w.Close() })
	var to io.Writer = w
	if f.veil != nil { // each record is one write of one line
		to = f.veil.Stream(w)
	}
	slog.SetDefault(slog.New(slog.NewTextHandler(to, nil)))
}

func (f *forge) openSpeech() error {
	var record io.Writer
	if f.flags.Raw != "" {
		w, err := os.OpenFile(f.flags.Raw, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf(lang.T("record the wire: %w"), err)
		}
		if info, err := w.Stat(); err == nil && info.Mode().IsRegular() {
			err = w.Chmod(0o600) // one that was there may have been open to others
			logged("recording not made private", err)
		}
		f.close = append(f.close, func() { w.Close() })
		record = w
	}
	f.speech = newSpeech(f.flags, f.cfg, f.dirs, record)
	return nil
}

// openModel opens the way to the model. Where there is none, the screen is shown
// all the same and offers ways to one; a headless run fails.
func (f *forge) openModel(ctx context.Context) (provider.Provider, error) {
	if f.flags.Demo {
		return f.openDemo()
	}
	c, err := f.speech.choose(ctx)
	if err != nil {
		if f.flags.Headless || !errors.Is(err, catalog.ErrNothing) && !errors.Is(err, catalog.ErrNoKey) {
			return nil, err
		}
		if err != catalog.ErrNothing { // what was asked for is not there: say so above the choice
			f.notices = append(f.notices, err.Error())
		}
		f.noModel = err
		return nowhere{err}, nil
	}
	p, err := f.speech.open(c)
	if err != nil {
		return nil, err
	}
	f.choice, f.model = c, c.Model
	return &heard{Provider: p, tell: func() { f.speech.remember(c) }}, nil
}

func (f *forge) openDemo() (provider.Provider, error) {
	script := demo.Builtin()
	if f.flags.DemoFile != "" {
		r, err := os.Open(f.flags.DemoFile)
		if err != nil {
			return nil, fmt.Errorf(lang.T("play a script: %w"), err)
		}
		defer r.Close()
		if script, err = demo.Parse(r); err != nil {
			return nil, fmt.Errorf(lang.T("read %s: %w"), f.flags.DemoFile, err)
		}
	}
	f.model = demo.Model()
	pace := -1.0
	if f.flags.Headless {
		pace = 0 // nobody watches it being written
	}
	return provider.WithRetry(demo.New(script, demo.Options{Pace: pace}), attempts), nil
}

// nowhere is the provider while there is none.
type nowhere struct{ err error }

func (n nowhere) Stream(context.Context, provider.Request) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		yield(nil, &provider.Error{Kind: provider.KindAuth, Message: n.err.Error(), Hint: lang.N("choose a model with /model"), NoRetry: true})
	}
}

// writeSystem fixes the system prompt for the session, so that the prefix of
// every request stays the same to the byte.
func (f *forge) writeSystem() {
	f.readInstructions()
	o := f.promptOptions(f.hands.registry.Names())
	o.Override = firstText(f.flags.System, f.cfg.SystemPrompt)
	f.system = agent.SystemPrompt(o)
}

// compaction is how conversations of this session are shortened.
func (f *forge) compaction(p provider.Provider, m provider.Model) compact.Options {
	return compact.Options{Provider: p, Model: m, Budget: first(f.flags.Budget, f.cfg.Budget), Keep: first(f.flags.Keep, f.cfg.Keep),
		At: f.cfg.Compact.At, Rest: f.cfg.Compact.Rest, Off: f.cfg.Compact.Off}
}

func (f *forge) maxTokens() int { return first(f.flags.MaxTokens, f.cfg.MaxTokens) }

func (f *forge) maxTurns() int { return first(f.flags.MaxTurns, f.cfg.MaxTurns) }

// tell says something to the person: at once where there is a screen, else when
// the face begins.
func (f *forge) tell(text string) {
	if f.feed != nil {
		f.feed.Notice(text)
		return
	}
	f.notices = append(f.notices, text)
}

// wantedMode is the permission mode that flags or settings name, as far as a policy
// lets it be.
func (f *forge) wantedMode() permission.Mode {
	want := string(f.flags.Mode)
	if want == "" {
		want = f.cfg.Permissions.Mode
	}
	if m, err := permission.ParseMode(f.cfg.Policy.AtMostMode(want)); err == nil {
		return m
	}
	return permission.ModeAsk
}

func first(ns ...int) int {
	for _, n := range ns {
		if n != 0 {
			return n
		}
	}
	return 0
}

func firstText(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}
