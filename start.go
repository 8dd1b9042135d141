package main

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"forge/agent"
	"forge/agent/budget"
	"forge/agent/config"
	"forge/agent/loop"
	"forge/agent/session"
	"forge/compact"
	"forge/ide"
	"forge/lsp"
	"forge/mcp"
	"forge/models"
	"forge/provider"
	"forge/provider/catalog"
	"forge/tools"
	"forge/tools/journal"
	"forge/tools/permission"
	"forge/ui"
	"forge/ui/cli"
	"forge/ui/keymap"
	"forge/ui/print"
)

// forge is everything of one start, joined.
type forge struct {
	flags      cli.Flags
	dirs       config.Dirs
	cfg        *config.Config
	keys       *keymap.Map // of the screen
	source     *models.Source
	hands      *hands
	agent      *agent.Agent
	budget     *budget.Counter
	turns      turns            // what each took
	pictures   session.Pictures // that prompts name
	drafted    string           // pictures of the command line that no words go with; what was written before the demo
	journal    *journal.Journal // nil: nothing is remembered for undo
	chosenMu   sync.Mutex       // of the next two, which are written between model calls and read for /doctor at any time
	choice     catalog.Choice
	model      provider.Model
	prompt     string // of a headless run, what stood on stdin included
	system     string
	standing   []agent.MemoryFile // the instructions in it, which may be those of another folder
	memory     instructions
	began      time.Time
	branch     string // of git, when it began
	crew       *crew
	skills     *skills
	goal       goal
	loops      loop.Book
	reloaded   reloaded
	plan       planning                   // what the model knows of plan mode
	folders    folders                    // and of folders beside the workspace
	moves      moves                      // and of that it was moved to this one
	from       *forge                     // whose conversation goes on here, until it does; nil: it begins here
	passed     *session.Session           // the conversation that went on elsewhere
	sitting    *sitting                   // what stays when it does
	veil       tools.Veil                 // hides secrets from the model; nil: nothing does
	notices    []string                   // what the person is told once the face is there
	feed       *ui.Feed                   // of the screen, once it is there
	stored     string                     // the conversation that the screen opens; empty: none
	sought     string                     // words of one that is to be chosen; empty: none
	unkept     error                      // why there is no record of this conversation though there should be
	noModel    error                      // why there is no model yet; the screen offers ways to one
	demoNext   bool                       // the person chose the demo instead
	demoDraft  string                     // what stands in its prompt then
	lsp        *lsp.Manager               // nil: language servers are off
	mounted    *mcp.Manager               // nil: no server is configured
	editor     *ide.Manager               // nil: it is left alone
	bridging   atomic.Pointer[config.IDE] // what was read anew of ide.context and ide.answers; nil: nothing
	places     *servers                   // where they are configured
	keeper     *doorkeeper                // of those of the workspace
	serving    sync.Mutex                 // guards configured
	configured map[string]mcp.ServerConfig
	awaited    bool                        // the first prompt has waited for them
	greet      func(context.Context)       // asks whether the workspace is trusted; nil: nothing of it has power
	said       func(string)                // of a face that is neither: tells the person; nil: there is no such face
	stirred    func()                      // of that face, too: hears that a server stands otherwise
	lent       map[string]mcp.ServerConfig // servers that whoever started this conversation gave along
	given      []provider.Attached         // what it gave along with the next prompt
	greeted    chan struct{}               // closed when that is answered, or need not be asked; nil where greet is
	hooks      *hooking                    // commands of the person's own at set moments
	beside     bool                        // this is a command that prints and ends
	undraft    func()                      // forgets what was being written here; nil: there is no screen
	close      []func()
}

// shut ends what belongs to the folder, and the rest with the last one.
func (f *forge) shut() {
	for i := len(f.close) - 1; i >= 0; i-- {
		f.close[i]()
	}
	if f.sitting == nil || f.from != nil || f.current() != f {
		return
	}
	for i := len(f.sitting.ends) - 1; i >= 0; i-- {
		f.sitting.ends[i]()
	}
}

// start joins the rooms and hands over to a face. What a program asked for as
// JSON is JSON even where nothing could begin.
func start(c *cobra.Command, flags cli.Flags) error {
	f := &forge{flags: flags}
	defer func() { f.shut() }()
	err := f.start(c.Context())
	f = f.current()
	if err == nil && f.demoNext { // the demo was chosen on the screen: it has a workspace of its own
		f.shut()
		flags.Demo, flags.Prompt = true, "" // which stands in the draft
		f = &forge{flags: flags, drafted: f.demoDraft}
		err = f.start(c.Context())
	}
	var code exit
	var usage cli.Usage
	if err == nil || errors.As(err, &code) || errors.As(err, &usage) || !flags.Headless || flags.Format == print.Text {
		return err
	}
	return exit(print.New(print.Options{Out: os.Stdout, Err: os.Stderr, Format: flags.Format, Model: f.model}).Finish(err))
}

// start joins everything and shows it to whoever is there.
func (f *forge) start(ctx context.Context) error {
	if err := f.ready(ctx); err != nil {
		return err
	}
	face := f.face()
	if err := f.join(ctx, face); err != nil {
		return err
	}
	f.prune()
	if f.flags.Headless {
		return f.plain(ctx, face)
	}
	return f.screen(ctx, face)
}

// join is the order in which everything is joined, top to bottom.
func (f *forge) join(ctx context.Context, face *face) error {
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
	f.tellMode()
	f.sits()
	if f.from == nil {
		f.openVeil()
	} else {
		f.goOnVeiled()
	}
	if f.said == nil && f.from == nil { // several conversations of one process have one log
		f.openLog()
	}
	if err := f.openPictures(); err != nil {
		return err
	}
	if err := f.attachFlags(); err != nil {
		return err
	}
	if f.from != nil {
		f.source = f.from.source
	} else if err := f.openSource(); err != nil {
		return err
	}
	if f.hands, err = newHands(f, dir, face); err != nil {
		return err
	}
	if f.from == nil { // there is one over all folders
		f.source.Guard(f.hands.guardian)
	}
	f.folders.list, f.folders.keep = f.added, f.keepFolder
	f.moves.keep = f.keepMove
	f.close = append(f.close, f.hands.close)
	f.openHooks()
	f.openJournal()
	f.openLSP(face)
	p, err := f.answers(ctx)
	if err != nil {
		return err
	}
	f.openSkills(face)
	f.openGoal()
	f.openLoops()
	if err := f.mount(ctx, face); err != nil {
		return err
	}
	if err := f.openCrew(); err != nil {
		return err
	}
	f.writeSystem()
	f.agent = agent.New(agent.Options{
		Provider: p, Model: f.model, Effort: models.Effort(f.choice), MaxTokens: f.maxTokens(), System: f.system, Memory: f.standing,
		Veil: f.veil, SendAsIs: f.cfg.Secrets.Prompts == "send",
		Exec: f.hands.exec, MaxTurns: f.maxTurns(), Asker: face.turns, Await: f.before(face), Moment: f.moment, News: f.news, Rested: f.goal.rested,
		Compact: compact.New(f.compaction(p, f.model)),
		Facts:   f.facts,
		Beneath: f.beneath,
		Budget:  f.budget, OverBudget: f.overBudget(face), Unstick: f.unstick(face), Attach: f.attach, Pictures: f.sent,
	})
	f.close = append(f.close, f.closeSession, f.leaveHooks)
	if f.from != nil { // it comes when all of this is there
		return nil
	}
	return f.openSession()
}

// answers is what answers here, and the counter of what that costs.
func (f *forge) answers(ctx context.Context) (provider.Provider, error) {
	if f.from != nil {
		f.openBudget()
		f.choice, f.model = f.from.answering()
		f.noModel = f.from.noModel
		return f.from.agent.Provider(), nil
	}
	p, err := f.openModel(ctx)
	if err != nil {
		return nil, err
	}
	f.openBudget()
	return p, f.checkPrice()
}

// tell says something to the person: at once where there is a screen, else when
// the face begins.
func (f *forge) tell(text string) {
	switch {
	case f.feed != nil:
		f.feed.Notice(text)
		return
	case f.said != nil:
		f.said(text)
		return
	}
	f.notices = append(f.notices, text)
}
