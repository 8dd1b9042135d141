package ui

import (
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	stored "forge/agent/session"
	"forge/tools/permission"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// goOn is what can be gone on with: a run of this conversation that was cut off, the
// plan it has made, or another conversation of this folder.
type goOn struct {
	run   bool
	plan  bool
	offer string // the ID of the other conversation
}

type offerMsg struct{ choice SessionChoice }

// findOffer looks, once the screen is there, whether the last conversation of this
// folder was cut off.
func (m *Model) findOffer() tea.Cmd {
	find := m.o.Offer
	if find == nil {
		return nil
	}
	return func() tea.Msg {
		if c, ok := find(); ok {
			return offerMsg{c}
		}
		return nil
	}
}

func (m *Model) offered(o offerMsg) {
	if m.busy() || m.past > 0 || m.left.run { // something else was begun meanwhile
		return
	}
	m.left.offer = o.choice.ID
	m.tr.add(newNotice(m.o.Keys.Named(lang.T("the last conversation here was cut off, %s: %s. alt+c opens it",
		ago(m.now.Sub(o.choice.When)), quoted(o.choice.Title)), keymap.Continue)))
}

// quoted is a title inside a sentence.
func quoted(s string) string {
	return lang.T("“") + safe.Truncate(safe.Line(s), 50, lang.T("…")) + lang.T("”")
}

// takeLeft shows what was left undone, by a forge that was killed or by a run that was
// stopped, and takes over what was not sent yet. Nothing runs before the person says so.
func (m *Model) takeLeft(l stored.Left) {
	m.queue = append(slices.Clone(l.Queue), m.queue...)
	m.keeper.last = l.Queue
	m.left = goOn{run: l.Run || l.Stopped && len(l.Queue) == 0}
	switch {
	case l.Asked != nil && l.Asked.Model:
		m.tr.add(newNotice(lang.T("a question of the model was not answered: %s. It asks anew if it still matters", quoted(lang.Title(l.Asked.Title)))))
	case l.Asked != nil:
		m.tr.add(newNotice(lang.T("a question was open: %s. Nothing was run; the model asks anew when it calls again",
			quoted(firstLine(lang.Title(l.Asked.Title), l.Asked.Command)))))
	}
	when := ago(m.now.Sub(l.At))
	switch {
	case l.Run && len(l.Queue) > 0:
		m.tr.add(newNotice(m.o.Keys.Named(lang.T("forge ended in the middle of this, %s; what waited is queued again. alt+c goes on", when), keymap.Continue)))
	case l.Run:
		m.tr.add(newNotice(m.o.Keys.Named(lang.T("forge ended in the middle of this, %s. alt+c goes on", when), keymap.Continue)))
	case len(l.Queue) > 0:
		m.tr.add(newNotice(m.o.Keys.Named(lang.T("forge ended before it sent what is queued. alt+c sends it"), keymap.Continue)))
	case l.Stopped:
		m.tr.add(newNotice(m.o.Keys.Named(lang.T("alt+c goes on from here"), keymap.Continue)))
	}
}

func firstLine(texts ...string) string {
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			first, _, _ := strings.Cut(t, "\n")
			return first
		}
	}
	return ""
}

// cmdContinue goes on with what was cut off: it opens the conversation that was
// offered, sends what this one still has to do, or has its plan carried out.
func (m *Model) cmdContinue(string) tea.Cmd {
	switch left := m.left; {
	case m.busy():
		return m.say(lang.T("a run is on already"))
	case left.offer != "" && m.o.Resume != nil:
		m.left = goOn{}
		return m.resume(left.offer)
	case left.run:
		m.left = goOn{}
		return m.converse(agent.Prompt{})
	case len(m.queue) > 0:
		return m.nextInLine()
	case left.plan && m.status.mode == permission.ModePlan:
		return m.acceptPlan()
	}
	return m.say(lang.T("there is nothing to go on with"))
}

// unsent lists what was sent and is not in the conversation yet, oldest first.
func (m *Model) unsent() []string {
	var all []string
	if m.sending != "" {
		all = append(all, m.sending)
	}
	return append(append(all, m.steering...), m.queue...)
}

// keepQueue keeps what waits, where it changed. A prompt that goes out at once is
// not written twice: its draft stands until the conversation has it. What went from
// the queue into the composer is saved there first.
func (m *Model) keepQueue() tea.Cmd {
	k := m.keeper
	if k.keep == nil {
		return nil
	}
	now := m.unsent()
	if len(k.last) == 0 && len(now) == 1 && now[0] == m.sending || slices.Equal(now, k.last) {
		return nil
	}
	k.last = now
	k.saves++
	n := k.saves
	write := func() tea.Msg {
		k.mu.Lock()
		defer k.mu.Unlock()
		if n > k.done {
			k.done = n
			k.keep(now)
		}
		return nil
	}
	if m.o.SaveDraft == nil || m.written() == m.draft.saved || m.comp.Empty() {
		return write
	}
	return tea.Sequence(m.saveDraftCmd(), write)
}

// keeper writes what waits, the newest last. The loop has last and saves, whoever
// writes the rest.
type keeper struct {
	keep  func([]string)
	last  []string
	saves int

	mu   sync.Mutex
	done int
}

// save is for the way out, when the loop has ended: a write that was still to come does
// not come any more.
func (k *keeper) save(list []string) {
	if k.keep == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.done == k.saves && slices.Equal(list, k.last) {
		return
	}
	k.saves++
	k.done, k.last = k.saves, list
	k.keep(list)
}
