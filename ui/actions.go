package ui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/provider"
	"forge/tools/permission"
	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
)

// Messages of finished actions.
type (
	modelsMsg struct {
		list   []ModelChoice
		marked []string // the favorites among them
		show   bool     // in a picker
		want   string   // chosen by name at once
	}
	modelSet struct {
		model  provider.Model
		effort provider.Effort
		n      int64        // counts the choices as they took effect
		aim    *[]candidate // of the keys that go through models; nil: none led here
		passed []string     // what is to be said of those that were passed over
	}
	sessionsMsg struct {
		list  []SessionChoice
		words string // those it is wanted by
	}
	// opened says that another conversation is the agent's now; what was said after
	// the first panes, while it was being opened, belongs to the new one.
	opened struct {
		fresh  bool
		before int
		prompt string // to be edited, where it is a copy that ends before it
		copy   bool   // it is a copy of all of it
	}
	diffMsg struct {
		tree, session diffText
		want          bool // the session's
	}
)

// acted takes the message of a finished action.
func (m *Model) acted(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case modelsMsg:
		m.models, m.marked, m.quick.again = msg.list, msg.marked, false
		switch {
		case msg.want != "":
			return m.chooseModel(msg.want), true
		case msg.show:
			return m.pickModel(), true
		}
	case modelSet:
		if msg.n < m.set { // told late: another has taken its place
			return nil, true
		}
		m.set = msg.n
		same := m.status.model.ID == msg.model.ID && m.status.model.Provider == msg.model.Provider
		if was := m.status.model; !same && was.ID != "" {
			m.quick.model, m.quick.effort = was, m.status.effort
		}
		if !same || m.quick.aimed() == msg.effort { // else a key was pressed since
			m.quick.aiming = false
		}
		m.status.model, m.status.effort, m.coming = msg.model, msg.effort, provider.Model{}
		m.status.window = msg.model.Window
		m.o.FirstRun = nil
		if m.quick.arrived(msg, same); msg.aim != nil {
			return m.say(nowWith(msg.model, msg.effort, msg.passed)), true
		}
		switch {
		case same && msg.effort != provider.EffortDefault:
			return m.say(lang.T("effort is %s now", string(msg.effort))), true
		case same:
			return m.say(lang.T("effort is what the model does by itself now")), true
		}
		return m.say(lang.T("now with %s", msg.model.ID)), true
	case modelKept:
		m.coming, m.quick.aiming, m.quick.walking = provider.Model{}, false, false
		return m.show(msg.failed), true
	case ringRead:
		return m.walk(msg), true
	case markedMsg:
		m.marked = msg.marked
		return m.say(msg.said), true
	case sessionsMsg:
		return m.chooseSession(msg.list, msg.words), true
	case opened:
		m.status.usage, m.status.cost, m.status.costKnown, m.status.used = provider.Usage{}, 0, false, 0
		m.todos = nil
		m.queue, m.left, m.keeper.last = nil, goOn{}, nil // what waited there is in its file
		m.past++
		m.told = min(msg.before, len(m.tr.panes))
		if m.inside != nil { // it is of the conversation that was left
			m.unread()
		}
		m.tr.toEnd()
		m.status.took = 0
		if msg.fresh {
			return tea.Batch(m.readPlace(), m.adopt(told{past: m.past, panes: []pane{newWelcome(m.o, &m.status)}})), true
		}
		switch {
		case msg.copy:
			return tea.Batch(m.replay(), m.say(lang.T("going on in a copy; /resume has the one before"))), true
		case msg.prompt == "":
			return m.replay(), true
		}
		m.comp.Prepend(msg.prompt)
		return tea.Batch(m.replay(), m.draftChanged(), m.say(lang.T("going on in a copy that ends before it"))), true
	case earlierMsg:
		return m.pickEarlier(msg.list), true
	case diffMsg:
		return m.showDiff(msg), true
	case takebackMsg:
		return m.askTakeback(msg), true
	case tookBack:
		return m.tellTookBack(msg), true
	case rewindMsg:
		return m.pickRewind(msg), true
	case polished:
		msg.md.Apply(msg.rows)
	case diffReady:
		msg.call.compared(msg.body)
		m.tr.changed()
	case keyGiven:
		return m.tryKey(msg), true
	case loginsRead:
		return m.loginsRead(msg), true
	case loginGiven:
		return m.giveKey(msg), true
	case endpointGiven:
		return m.tryAt(msg), true
	case endpointFailed:
		return m.askAgain(msg), true
	case loggedIn:
		return m.tookKey(msg), true
	case taken:
		return m.taken(msg), true
	case localsMsg:
		return m.pickLocal(msg.list), true
	case failedFirst:
		if msg.err != nil {
			return tea.Batch(m.show(failed(msg)), m.firstRun()), true
		}
		return m.firstRun(), true
	case openEditor:
		return msg.run(), true
	case dialog.Open:
		return m.openFile(msg), true
	case openQuestion:
		return msg.run(), true
	case editedMsg:
		return m.edited(msg), true
	default:
		return m.sessionsActed(msg)
	}
	return nil, true
}

func (m *Model) cmdExit(string) tea.Cmd { return tea.Quit }

func (m *Model) cmdNew(string) tea.Cmd {
	start := m.o.New
	if start == nil {
		return m.say(lang.T("a new conversation cannot be started here"))
	}
	before := len(m.tr.panes)
	return m.between(func() tea.Msg {
		if err := start(); err != nil {
			return failed{lang.T("start a new conversation"), err}
		}
		return opened{fresh: true, before: before}
	})
}

func (m *Model) cmdResume(id string) tea.Cmd {
	switch {
	case m.o.Resume == nil:
		return m.say(lang.T("earlier conversations cannot be continued here"))
	case m.o.Sessions == nil && id != "":
		return m.resume(id)
	case m.o.Sessions == nil:
		return m.say(lang.T("say which: /resume SESSION"))
	}
	list := m.o.Sessions
	return func() tea.Msg {
		all, err := list()
		if err != nil {
			return failed{lang.T("list conversations"), err}
		}
		return sessionsMsg{all, id}
	}
}

func (m *Model) resume(id string) tea.Cmd {
	open, before := m.o.Resume, len(m.tr.panes)
	return m.between(func() tea.Msg {
		if err := open(id); err != nil {
			return failed{lang.T("continue %s", id), err}
		}
		return opened{before: before}
	})
}

// ago is how long something is past, for eyes.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return lang.T("just now")
	case d < time.Hour:
		return lang.T("%s ago", plural(int(d.Minutes()), "minute"))
	case d < 48*time.Hour:
		return lang.T("%s ago", plural(int(d.Hours()), "hour"))
	}
	return lang.T("%s ago", plural(int(d.Hours()/24), "day"))
}

func (m *Model) cmdCompact(focus string) tea.Cmd {
	a := m.o.Agent
	return m.begin(func(ctx context.Context, sink agent.Sink) error { return a.Compact(ctx, focus, sink) })
}

func (m *Model) cmdUncompact(string) tea.Cmd {
	a := m.o.Agent
	return m.begin(func(ctx context.Context, sink agent.Sink) error { return a.Uncompact(ctx, sink) })
}

func (m *Model) cmdMode(arg string) tea.Cmd {
	if arg == "" {
		return m.pickMode()
	}
	all := modes()
	if i := slices.IndexFunc(all, func(s string) bool { return s == arg }); i >= 0 {
		return m.setMode(permission.Mode(arg))
	}
	var begins []string
	for _, s := range all {
		if strings.HasPrefix(s, arg) {
			begins = append(begins, s)
		}
	}
	if len(begins) == 1 {
		return m.setMode(permission.Mode(begins[0]))
	}
	return m.say(lang.T("no mode %s; there are %s", arg, strings.Join(all, ", ")))
}

// cmdPlan changes nothing any more; words are what is to be planned, and where a run is
// on they wait for its end with the mode they ask for.
func (m *Model) cmdPlan(words string) tea.Cmd {
	if words != "" && m.busy() {
		m.queue = append(m.queue, "/plan "+words)
		return m.say(m.o.Keys.Named(lang.T("/%s waits for the end of the run; esc stops it", "plan"), keymap.Interrupt))
	}
	cmd := m.setMode(permission.ModePlan)
	if words == "" || m.status.mode != permission.ModePlan {
		return cmd
	}
	return tea.Batch(cmd, m.submit(words))
}

func modes() []string {
	return []string{string(permission.ModeAsk), string(permission.ModeEdits), string(permission.ModePlan),
		string(permission.ModeAuto), string(permission.ModeYolo)}
}

func (m *Model) completeMode(prefix string) []string { return beginning(modes(), prefix) }

func beginning(all []string, prefix string) []string {
	var out []string
	for _, s := range all {
		if strings.HasPrefix(s, prefix) {
			out = append(out, s)
		}
	}
	return out
}

func (m *Model) cmdHelp(string) tea.Cmd {
	if m.o.FromFiles != nil { // with those there are now
		return m.readFiled((*Model).showHelp)
	}
	return m.showHelp()
}

func (m *Model) showHelp() tea.Cmd {
	table := m.table
	m.pager = &pager{title: lang.T("Keys and commands"), draw: helpRows(m.o.Keys, table)}
	return nil
}
