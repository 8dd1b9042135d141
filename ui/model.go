package ui

import (
	"context"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"forge/provider"
	"forge/ui/composer"
	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/ledger"
	"forge/ui/terminal"
	"forge/ui/theme"
)

// Model is the screen. It only routes: keys to whoever has the first claim on
// them, events to the conversation and the status line, finished prompts to the
// agent. What is shown lives in its children, each a plain value in its own file;
// no child knows another.
type Model struct {
	o       Options
	context func() (context.Context, context.CancelFunc) // for work in the background
	gate    chan struct{}                                // held by whoever uses the agent
	table   []command
	acts    map[keymap.Action]act

	consented    bool    // the person said yes to yolo
	afterConsent tea.Cmd // what waited for the answer about it

	th       *theme.Theme
	worn     *theme.Scheme // what th is made of
	grounded bool          // the terminal has told its background
	born     time.Time
	turnAt   int       // panes before the turn that is on
	last     pane      // the last that was printed, inline; nil: none
	unmarked bool      // it was a prompt, whose end the next row marks
	lookedAt time.Time // when its files were looked at
	watching bool      // changes of them are waited for
	dark     bool
	profile  colorprofile.Profile
	glyphs   theme.Glyphs

	w, h       int
	now        time.Time
	tr         *transcript
	talk       *conversation
	comp       *composer.Composer
	dialogs    *dialog.Stack
	pager      *pager
	reads      *reading  // the transcript has the keys; nil: the prompt has
	inside     *inner    // the work of a sub-agent that is looked at; nil: none is
	roll       *roll     // the list of sub-agents that is open; nil: it is not
	away       bool      // the terminal said that its person looks elsewhere
	gone       absence   // the time since they were last known to be here
	choosing   bool      // the left button is down
	thumb      span      // of the scrollbar, as it was drawn last
	grip       *grip     // the mouse holds it
	anchor     point     // where it went down
	down       *clickAt  // the same on the screen, until it moves or comes up; nil: it is no click
	taps       taps      // clicks that came one right behind the other
	laid       laid      // what a click would hit
	cameBack   time.Time // the window got the focus
	btw        *btw      // the last question beside the work; nil: none yet
	recap      recaps
	suggestion suggestion // of a next prompt
	servers    servers
	bridged    bridged          // what is open in the editor
	answers    terminal.Answers // what the terminal said of itself
	window     *ledger.Context  // what the model sees, looked at; nil: closed
	wishes     wishes
	prompts    []ServerPrompt
	filed      filed // commands from files
	status     status
	script     script     // the person's own part of the status line
	spelt      spelt      // how the words of the prompt stand
	hears      *dictation // nil: nothing listens
	todos      []Todo
	asks       map[*ask]string // open questions, by the id of their dialog
	queue      []string        // prompts for after the run
	aside      []asideDraft    // drafts that wait until something else is sent
	behind     []string        // lines for after what changes the conversation just now
	steering   []string        // words the run has not read yet
	sending    string          // a prompt the run has not taken in yet
	keeper     *keeper         // of what waits
	left       goOn            // what can be gone on with

	job       *job
	detaching context.CancelFunc // ends the waiting for a command to be sent to the background; nil: none is waited for
	errand    *errand
	errands   int  // sent so far
	jobs      int  // started so far
	changing  int  // what is done between runs just now, such as opening a conversation
	asked     int  // questions so far
	side      bool // diffs in them are looked at side by side
	ticking   bool
	flashes   int    // counts what say said, so that an old timer clears nothing new
	sparing   string // that one sub-agent is being stopped, as it was said last
	todoView  todoView
	leaving   bool   // ctrl+c was pressed once
	clearing  bool   // esc was pressed once
	prefix    string // the first of two keys, once it was pressed
	ahead     typedAhead
	pressed   time.Time
	moved     time.Time      // when a batch was folded last
	sets      atomic.Int64   // models and efforts that took effect
	set       int64          // the one that is shown
	coming    provider.Model // chosen during a run, in force from its next step on
	panel     panelState     // beside the conversation
	quick     quick          // keys that change what answers
	marked    []string       // favorites among the models, as they were last listed
	models    []ModelChoice  // for completion, once somebody asked
	wantsList bool           // the menu asked for models
	gallery   gallery        // pictures in the terminal
	looking   int            // files and clipboards that are being looked at
	draft     drafting       // what is being written
	loops     looping        // prompts that are sent by the clock
	tips      tipping        // what a person who waits is told
	moving    bool           // another folder is being gone to
	era       int            // counts the folders worked in, so that what is told late of one shows nothing
	told      int            // panes at the beginning that tell of the past
	past      int            // counts conversations, so that one told late shows nothing
}

type (
	tickMsg      struct{}
	unflash      struct{ n int }
	saveDraftMsg struct{ n int }
	todosMsg     struct{ list []Todo }
	// failed is an action that did not work; it is shown in the transcript.
	failed struct {
		what string
		err  error
	}
)

func newModel(ctx context.Context, o Options) *Model {
	if o.Getenv == nil {
		o.Getenv = terminal.Environ(runtime.GOOS, os.Getenv)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	m := &Model{
		o: o, table: commands(), acts: screenActs(), gate: make(chan struct{}, 1),
		context: func() (context.Context, context.CancelFunc) { return context.WithCancel(ctx) },
		dark:    true, profile: colorprofile.ANSI256, glyphs: theme.GlyphsNamed(o.Glyphs, o.Getenv),
		now: o.Now(), dialogs: &dialog.Stack{Now: o.Now, Keys: o.Keys}, asks: map[*ask]string{}, draft: drafting{saved: o.Draft},
	}
	m.born = m.now
	m.gone.begin(m.now, 0)
	m.status = status{keys: o.Keys, model: o.Model, effort: o.Effort, mode: o.Mode, sandbox: o.Sandbox, network: o.Network, window: o.Model.Window,
		cwd: o.Cwd, version: o.Version}
	if len(o.Status) > 0 {
		a := arranged(o.Status)
		m.status.places = &a
	}
	m.script = script{command: o.StatusCommand, gate: make(chan struct{}, 1)}
	lang.Plainly(m.glyphs.Name != "unicode")
	faulty := m.openLook()
	m.tr = newTranscript(m.th)
	m.tr.d.keys, m.tr.d.sends, m.tr.d.tmux = o.Keys, o.Background != nil, o.Getenv("TMUX") != ""
	m.tr.d.terminal = o.OnTerminal != nil
	m.tr.d.reasoning, m.tr.d.times = o.Reasoning, o.Times
	m.tr.brief, m.tr.d.brief = o.Focus, o.Focus && !o.Inline
	m.tr.d.still, m.status.still = o.Still, o.Still
	m.panel.on = o.Panel
	m.talk = newConversation(m.tr)
	m.keeper = &keeper{keep: o.KeepQueue}
	m.comp = composer.New(composer.Options{
		Styles: m.promptStyles(), Glyph: promptGlyph(m.th), Placeholder: lang.T(placeholder), ShellHint: lang.T(shellHint),
		Commands: m.menu(), Files: m.files(), Mentions: m.mentions(), Paths: m.paths(), History: o.History, Keys: o.Keys, Vim: o.Vim, VimEscape: o.VimEscape, Now: o.Now,
		Emoji: emojiNames(!o.NoEmoji),
	})
	m.comp.SetWrong(m.misspelt)
	if o.Draft != "" {
		m.comp.SetValue(o.Draft)
	}
	m.tr.add(newWelcome(o, &m.status))
	if faulty != nil {
		m.tr.add(newError(faulty.Error(), lang.T("the default theme stays")))
	}
	m.told = len(m.tr.panes)
	return m
}

var (
	shellHint   = lang.N("a command of your own, run at once")
	placeholder = lang.N("ask for something, @ adds a file, / is a command, ! a shell line")
)

// files is the completion of @, called off the loop.
func (m *Model) files() func(string) []string {
	find := m.o.Files
	if find == nil {
		return nil
	}
	return func(query string) []string {
		ctx, cancel := m.context()
		defer cancel()
		return find(ctx, query)
	}
}

// mentions is what else follows an @, called off the loop.
func (m *Model) mentions() func(string) ([]composer.Found, bool) {
	find := m.o.Mentions
	if find == nil {
		return nil
	}
	return func(query string) ([]composer.Found, bool) {
		ctx, cancel := m.context()
		defer cancel()
		return find(ctx, query)
	}
}

// paths is the completion of a command for the shell, called off the loop.
func (m *Model) paths() func(string) []composer.Found {
	find := m.o.Paths
	if find == nil {
		return nil
	}
	return func(typed string) []composer.Found {
		ctx, cancel := m.context()
		defer cancel()
		return find(ctx, typed)
	}
}

// Init starts the feed. Nothing here waits for the terminal or the network: the
// first frame comes first.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.o.Feed.Next, tea.RequestBackgroundColor, m.measure()}
	cmds = append(cmds, m.readServers(), m.readPrompts(), m.readPlace(), m.readPanel())
	if m.o.Restore != nil {
		cmds = append(cmds, m.restore())
	}
	cmds = append(cmds, m.begun())
	if m.o.FirstRun != nil {
		cmds = append(cmds, m.firstRun())
	} else if m.o.Restore == nil && m.o.Prompt == "" {
		cmds = append(cmds, m.findOffer())
	}
	if m.o.Draft != "" && m.o.Restore == nil { // of another conversation: nothing else says so
		cmds = append(cmds, m.say(lang.T("what you had not sent stands in the prompt again")))
	}
	if m.o.IDE != nil && m.o.IDE.Auto {
		cmds = append(cmds, m.connectIDE("", true))
	}
	cmds = append(cmds, m.opening())
	return tea.Batch(cmds...)
}
