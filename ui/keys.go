package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent/mark"
	"forge/tools/permission"
	"forge/ui/composer"
	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
)

// key routes a key press: what leads back out of a view to that view, any other to the
// question, to what lies over the screen, to the open menu, to the keys of the screen,
// and last to the composer.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	s := k.String()
	m.unchoose()
	if s == "alt+esc" { // two of them, read at once
		esc := tea.KeyPressMsg{Code: tea.KeyEscape}
		first := m.key(esc)
		return tea.Batch(first, m.key(esc))
	}
	if cmd, handled := m.chord(s); handled {
		return cmd
	}
	if m.takesSuggestion(s) {
		return m.composed(m.comp.TakeGhost())
	}
	m.unsuggest()
	if m.pager != nil && m.pager.aside {
		return m.pagerKey(k)
	}
	if len(m.asks) > 0 && m.dialogs.Armed() && m.o.Keys.Action(keymap.Ask, s) == keymap.AskRead {
		return m.readBack()
	}
	pressed := m.o.Keys.Action(keymap.Screen, s)
	leave, stop := pressed == keymap.Leave, pressed == keymap.Interrupt
	if !leave && m.leaving || !stop && m.clearing {
		m.leaving, m.clearing = m.leaving && leave, m.clearing && stop
		m.status.flash = "" // it told of a second press that would mean nothing now
	}
	if leave && m.dialogs.Active() {
		// Out of here, whatever is being typed in it: a question of the run ends with
		// the run, anything else is closed.
		if len(m.asks) > 0 {
			return m.ctrlC()
		}
		if m.dialogs.Armed() {
			return m.dialogs.Leave()
		}
	}
	if m.dialogs.Armed() && m.leads(s) {
		return m.viewKey(k)
	}
	cmd, handled := m.dialogs.Update(k)
	switch {
	case handled:
		return tea.Batch(cmd, m.draftChanged())
	case m.dialogs.Armed() && (s == "enter" || m.o.Keys.Action(keymap.Prompt, s) == keymap.Send):
		return cmd // it answers nothing, and the draft behind is not what it means
	case m.pager != nil:
		return tea.Batch(cmd, m.pagerKey(k))
	case m.servers.panel != nil:
		return tea.Batch(cmd, m.panelKey(k))
	case m.window != nil:
		return tea.Batch(cmd, m.windowKey(k))
	}
	return tea.Batch(cmd, m.screenKey(k, s))
}

func (m *Model) screenKey(k tea.KeyPressMsg, s string) tea.Cmd {
	keys := m.o.Keys
	if a := keys.Action(keymap.Screen, s); m.hears != nil && !m.hears.ending && (a == keymap.Interrupt || a == keymap.Leave) {
		m.leaving, m.clearing, m.prefix = false, false, ""
		return m.unhear()
	}
	if first := m.prefix; first != "" {
		m.prefix = ""
		if a := keys.Action(keymap.Screen, first+" "+s); a != "" {
			cmd, _ := m.do(a)
			return cmd
		}
		if a := keys.Action(keymap.Prompt, first+" "+s); a != "" {
			return m.composed(m.comp.Do(a))
		}
	}
	if m.comp.MenuOpen() && keys.Action(keymap.Menu, s) != "" {
		return m.compose(k)
	}
	if m.reads != nil {
		if cmd, handled := m.readKey(k, s); handled {
			return cmd
		}
	}
	if m.comp.Claims(s) {
		return m.compose(k)
	}
	if keys.Begins(s) {
		m.prefix = s
		return nil
	}
	if a := keys.Action(keymap.Empty, s); a != "" && m.comp.Empty() {
		if cmd, done := m.do(a); done {
			return cmd
		}
	}
	if a := keys.Action(keymap.Running, s); a != "" && m.commanding() {
		if cmd, done := m.do(a); done {
			return cmd
		}
	}
	if a := keys.Action(keymap.Screen, s); a != "" {
		if cmd, done := m.do(a); done {
			return cmd
		}
	}
	if m.looking > 0 && keys.Action(keymap.Prompt, s) == keymap.Send { // what was dropped a moment ago goes along
		return m.say(m.o.Keys.Named(lang.T("still reading what was pasted: enter again sends"), keymap.Send))
	}
	return m.compose(k)
}

// submitted takes a finished prompt.
func (m *Model) submitted(s composer.Submitted) tea.Cmd {
	m.status.flash = "" // it told of what was done before
	if m.hears != nil { // what is still heard stands in the next prompt
		m.unhear()
	}
	if s.Text != "/recap" {
		m.dropRecap()
	}
	cmd := m.sendOff(s)
	m.takeBack()
	return tea.Batch(cmd, m.draftChanged())
}

// sendOff does with a finished prompt what its first sign says.
func (m *Model) sendOff(s composer.Submitted) tea.Cmd {
	if s.Shell {
		return m.own(s.Text)
	}
	return m.submit(s.Text)
}

// compose hands a message to the composer and keeps the draft.
func (m *Model) compose(msg tea.Msg) tea.Cmd { return m.composed(m.comp.Update(msg)) }

// composed keeps the draft after something was done to it.
func (m *Model) composed(cmd tea.Cmd) tea.Cmd {
	if s, ok := m.comp.Sent(); ok {
		cmd = tea.Batch(cmd, m.submitted(s))
	}
	return tea.Batch(cmd, m.wanted(), m.lookForFiled(), m.draftChanged())
}

// ctrlC interrupts, or clears, or asks for a second press to leave.
func (m *Model) ctrlC() tea.Cmd {
	again := m.leaving && m.now.Sub(m.pressed) < twice
	m.leaving, m.pressed = true, m.now
	if cmd, stopped := m.turnBack(); stopped {
		return cmd
	}
	switch {
	case again:
		return tea.Quit
	case m.busy():
		m.interrupt()
		return m.sayAgain(m.o.Keys.Named(lang.T("ctrl+c again leaves"), keymap.Leave))
	case !m.comp.Empty():
		m.putAway()
		return m.sayAgain(m.o.Keys.Named(lang.T("cleared (up brings it back); ctrl+c again leaves"), keymap.Up, keymap.Leave))
	}
	return m.sayAgain(m.o.Keys.Named(lang.T("ctrl+c again leaves"), keymap.Leave))
}

// esc interrupts; without a run two of them put the draft away, or where there is
// none go back to an earlier prompt.
func (m *Model) esc() tea.Cmd {
	again := m.clearing && m.now.Sub(m.pressed) < twice
	if cmd, stopped := m.turnBack(); stopped {
		return cmd
	}
	switch {
	case m.busy():
		m.interrupt()
		return nil
	case m.comp.Deselect():
		return nil
	case again && m.comp.Empty():
		m.clearing = false
		return m.rewind()
	case m.comp.Empty():
		m.tr.toEnd()
		m.clearing, m.pressed = true, m.now
		return m.sayAgain(m.o.Keys.Named(lang.T("esc again goes back to an earlier prompt"), keymap.Interrupt))
	case again:
		m.clearing = false
		m.status.flash = "" // it told of this press
		m.putAway()
		return nil
	}
	m.clearing, m.pressed = true, m.now
	return m.sayAgain(m.o.Keys.Named(lang.T("esc again clears the prompt"), keymap.Interrupt))
}

// promptLabel is how much of an earlier prompt is shown, and promptSearched how much of
// it is searched, in bytes.
const (
	promptLabel    = 400
	promptSearched = 8 << 10
)

// findPrompt lets an earlier prompt be found by its words, the newest first.
func (m *Model) findPrompt() tea.Cmd {
	all := m.comp.History()
	if len(all) == 0 {
		return m.say(lang.T("no prompt was sent yet"))
	}
	slices.Reverse(all)
	seen := map[string]bool{}
	all = slices.DeleteFunc(all, func(p string) bool {
		had := seen[p]
		seen[p] = true
		return had
	})
	entries := make([]dialog.Entry, len(all))
	for i, p := range all {
		p = mark.Short(p)
		entries[i] = dialog.Entry{Label: strings.ToValidUTF8(p[:min(len(p), promptLabel)], "")}
		if len(p) > promptLabel {
			entries[i].Rest = p[:min(len(p), promptSearched)]
		}
	}
	p := dialog.NewPicker(m.th, lang.T("Earlier prompts"), entries, func(i int) tea.Cmd {
		m.comp.SetValue(all[i])
		return m.draftChanged()
	})
	p.Again = keymap.FindPrompt
	return m.dialogs.Push(p)
}

// putAway clears the composer; up brings the text back.
func (m *Model) putAway() {
	m.comp.PutAway()
}

func (m *Model) nextMode() tea.Cmd {
	order := []permission.Mode{permission.ModeAsk, permission.ModeEdits, permission.ModePlan, permission.ModeAuto}
	at := slices.Index(order, m.status.mode)
	for i := range order { // a policy may hold some of them back
		mode := order[(at+1+i)%len(order)] // from yolo to ask
		if cmd := m.setMode(mode); cmd == nil && m.status.mode == mode || i == len(order)-1 {
			return cmd
		}
	}
	return nil
}

func (m *Model) setMode(mode permission.Mode) tea.Cmd {
	if m.o.SetMode == nil {
		return m.say(lang.T("the mode cannot be changed here"))
	}
	if mode == permission.ModeYolo && !m.consented && m.o.yoloAllowed() { // else it is not asked about: what a policy says comes at once
		return m.confirmYolo(nil)
	}
	m.o.SetMode(mode)
	m.status.mode = mode
	if m.o.InForce != nil {
		if m.status.mode = m.o.InForce(); m.status.mode != mode {
			return m.say(lang.T("a policy of this machine allows no laxer mode than %s", string(m.status.mode)))
		}
	}
	return nil
}
