package ui

import (
	"slices"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/ledger"
	"forge/ui/safe"
	"forge/ui/theme"
)

// wishes is how the panel of the model's window is kept up with a run: one look at
// a time, and what was asked for but waits for the run's next step.
type wishes struct {
	on    bool // a look is under way
	stale bool // and what it brings is old already
	asked []*wish
}

// wish is something to be done to the window. It is begun once, by the run or once that
// is over, unless the person took it back first.
type wish struct {
	act  ledger.Action
	undo bool // it takes back what was done last
	over atomic.Bool
	told bool // how it went, by err
	err  error
}

// take is for whoever comes first: who does it, or who takes it back.
func (w *wish) take() bool { return w.over.CompareAndSwap(false, true) }

type (
	windowRead struct {
		win  ledger.Window
		open bool
	}
	wished struct {
		wish *wish
		err  error
	}
)

func (m *Model) cmdContext(string) tea.Cmd {
	if m.o.Ledger == nil {
		return m.say(lang.T("there is nothing to look into here"))
	}
	m.wishes.on, m.wishes.stale = true, false
	return m.readWindow(true)
}

func (m *Model) readWindow(open bool) tea.Cmd {
	read := m.o.Ledger.Window
	return look(func() tea.Msg { return windowRead{read(), open} })
}

// windowMoves has the open panel look again after an event that changed what the model
// sees.
func (m *Model) windowMoves(e agent.Event) tea.Cmd {
	switch e.(type) {
	case agent.UserMessage, agent.TurnStart, agent.ToolStart, agent.Compacted, agent.Uncompacted, agent.RunEnd:
		return m.lookAtWindow()
	}
	return nil
}

func (m *Model) lookAtWindow() tea.Cmd {
	switch {
	case m.window == nil || m.o.Ledger == nil:
		return nil
	case m.wishes.on:
		m.wishes.stale = true
		return nil
	}
	m.wishes.on = true
	return m.readWindow(false)
}

// looked takes the messages of the panels of window and usage.
func (m *Model) looked(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case windowRead:
		return m.windowRead(msg), true
	case wished:
		return m.wished(msg), true
	case itemRead:
		m.itemRead(msg)
		return nil, true
	case memoryRead:
		return m.showMemory(msg.all), true
	case standingRead:
		m.standingRead(msg.facts)
		return nil, true
	case usageRead:
		m.usageRead(msg.usage)
		return nil, true
	}
	return nil, false
}

func (m *Model) windowRead(msg windowRead) tea.Cmd {
	m.wishes.on = false
	switch {
	case m.window == nil && msg.open:
		m.window = ledger.NewContext(msg.win)
		m.window.Keys = m.o.Keys
		m.windowWaits()
	case m.window == nil: // it was closed meanwhile
		return nil
	default:
		m.window.Set(msg.win)
	}
	m.status.used = msg.win.Tokens
	if m.wishes.stale {
		m.wishes.stale = false
		return m.lookAtWindow()
	}
	return nil
}

// wish has something done to the window: now, or before the next step of the run that
// is on. What was asked of the same item before, and waits, is not done then.
func (m *Model) wish(a ledger.Action, undo bool) tea.Cmd {
	m.unwish(a.ID)
	w := &wish{act: a, undo: undo}
	m.wishes.asked = append(m.wishes.asked, w)
	if m.busy() {
		m.windowWaits()
	}
	act := m.o.Ledger.Act
	return m.soon(func() tea.Msg {
		if !w.take() {
			return nil
		}
		return wished{w, guard(func() error { return act(a) })}
	})
}

// unwish takes back what was asked of an item and waits.
func (m *Model) unwish(id string) {
	m.wishes.asked = slices.DeleteFunc(m.wishes.asked, func(w *wish) bool { return w.act.ID == id && w.take() })
	m.windowWaits()
}

// wished takes how a wish went. Those of one step are told by goroutines of their own,
// in any order: they count in the order in which they were asked for, and u takes back
// the last.
func (m *Model) wished(msg wished) tea.Cmd {
	msg.wish.told, msg.wish.err = true, msg.err
	var cmd tea.Cmd
	for len(m.wishes.asked) > 0 && m.wishes.asked[0].told {
		w := m.wishes.asked[0]
		m.wishes.asked = m.wishes.asked[1:]
		switch {
		case m.window == nil && w.err != nil:
			cmd = m.say(oneLine(w.err))
		case m.window == nil:
		case w.err != nil:
			m.window.Say(oneLine(w.err))
		default:
			m.window.Say("") // that it waits is over
			if w.undo {
				m.window.Undone()
			} else {
				m.window.Did(w.act)
			}
		}
	}
	m.windowWaits()
	return tea.Batch(cmd, m.lookAtWindow())
}

// windowWaits tells the open panel what waits for the next step.
func (m *Model) windowWaits() {
	if m.window == nil {
		return
	}
	list := make([]ledger.Action, len(m.wishes.asked))
	for i, w := range m.wishes.asked {
		list[i] = w.act
	}
	m.window.Await(list)
}

// itemRead brings an item of the window whole.
type itemRead struct {
	text string
	err  error
}

// readItem reads an item, to be shown over the panel.
func (m *Model) readItem(id string) tea.Cmd {
	read := m.o.Ledger.Text
	if read == nil {
		return nil
	}
	return look(func() tea.Msg {
		text, err := read(id)
		return itemRead{text, err}
	})
}

func (m *Model) itemRead(msg itemRead) {
	switch {
	case m.window == nil: // it was closed meanwhile
	case msg.err != nil:
		m.window.Say(oneLine(msg.err))
	case msg.text == "":
		m.window.Say(lang.T("there is no text in it"))
	default:
		text := safe.Output(msg.text)
		m.pager = &pager{title: lang.T("as the model sees it"), text: text, file: "item.txt",
			draw: func(th *theme.Theme, w int) []string { return wrap(text, w, th.Text) }}
	}
}

// windowKey takes every key while the panel of the window is open.
func (m *Model) windowKey(k tea.KeyPressMsg) tea.Cmd {
	switch m.o.Keys.Action(keymap.Window, k.String()) {
	case "":
		if k.Text != "" {
			return m.typeThrough(k)
		}
	case keymap.WindowRedraw:
		return tea.ClearScreen
	case keymap.WindowSuspend:
		return tea.Suspend
	}
	return m.windowDoes(m.window.Key(k.String()))
}

// windowDoes does what a key or a click in the panel asks for.
func (m *Model) windowDoes(a ledger.Action, undo bool) tea.Cmd {
	switch a.Want {
	case ledger.Close:
		m.window = nil
	case ledger.Nothing:
	case ledger.Open:
		return m.readItem(a.ID)
	case ledger.Withdraw:
		m.unwish(a.ID)
		m.window.Say(lang.T("taken back before it was done"))
	default:
		if m.busy() {
			m.window.Say(m.o.Keys.Named(lang.T("at the next step of the run; r takes it back"), keymap.WindowRestore))
		}
		return m.wish(a, undo)
	}
	return nil
}
