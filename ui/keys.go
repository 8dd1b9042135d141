package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent/mark"
	"forge/tools/permission"
	"forge/ui/dialog"
	"forge/ui/lang"
)

// keyHelp is what /help shows: the keys fingers already know.
func keyHelp() [][2]string {
	return [][2]string{
		{"enter", lang.T("send; while a run is on: queue")},
		{"ctrl+j  shift+enter  alt+enter", lang.T("new line")},
		{"ctrl+s", lang.T("send now: the run reads it before its next step")},
		{"up", lang.T("history; take the last queued prompt back")},
		{"ctrl+r", lang.T("search earlier prompts")},
		{"esc  ctrl+c", lang.T("interrupt the run; the draft stays")},
		{"esc esc", lang.T("clear the prompt, or go back to an earlier one")},
		{"ctrl+c ctrl+c  ctrl+d", lang.T("leave")},
		{"shift+tab", lang.T("next mode: ask, accept edits, plan, auto")},
		{"@  /", lang.T("complete a file, a command")},
		{"!", lang.T("run a shell command; the model is told of it")},
		{"!!", lang.T("run a shell command the model is not told of")},
		{"ctrl+p", lang.T("all commands, while the prompt is empty")},
		{"alt+c", lang.T("go on with what was cut off")},
		{"ctrl+o", lang.T("unfold everything, fold again")},
		{"tab", lang.T("read: one thing has the focus, while the prompt is empty")},
		{"  j k  up down", lang.T("the next thing, the one before")},
		{"  [ ]", lang.T("the prompt before, the next")},
		{"  enter  space", lang.T("show it whole; fold it")},
		{"  c  shift+c", lang.T("copy its text, its code")},
		{"  /  n  shift+n", lang.T("find words; the next place, the one before")},
		{"ctrl+b", lang.T("send the command that runs to the background")},
		{"ctrl+up  ctrl+down", lang.T("scroll to the prompt before, to the next")},
		{"alt+pgup  alt+pgdown", lang.T("scroll half a page")},
		{"ctrl+t", lang.T("todo list")},
		{"alt+p", lang.T("choose the model")},
		{"ctrl+g", lang.T("write in $EDITOR")},
		{"ctrl+v  alt+v", lang.T("paste a picture from the clipboard")},
		{"pgup  pgdown  wheel", lang.T("scroll")},
		{"home  end", lang.T("first and last row, while the prompt is empty")},
		{"ctrl+l", lang.T("draw the screen anew")},
		{"ctrl+z", lang.T("suspend")},
	}
}

// key routes a key press: to the question, to what lies over the screen, to the
// open menu, to the keys of the screen, and last to the composer.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	s := k.String()
	m.unchoose()
	if s == "alt+esc" { // two of them, read at once
		esc := tea.KeyPressMsg{Code: tea.KeyEscape}
		first := m.key(esc)
		return tea.Batch(first, m.key(esc))
	}
	if s != "ctrl+c" && m.leaving || s != "esc" && m.clearing {
		m.leaving, m.clearing = m.leaving && s == "ctrl+c", m.clearing && s == "esc"
		m.status.flash = "" // it told of a second press that would mean nothing now
	}
	if s == "ctrl+c" && m.dialogs.Active() {
		// Out of here, whatever is being typed in it: a question of the run ends with
		// the run, anything else is closed.
		if len(m.asks) > 0 {
			return m.ctrlC()
		}
		k = tea.KeyPressMsg{Code: tea.KeyEscape}
	}
	cmd, handled := m.dialogs.Update(k)
	switch {
	case handled:
		return cmd
	case m.dialogs.Armed() && s == "enter":
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
	prefixed := m.prefix
	m.prefix = s == "ctrl+x"
	if prefixed && s == "ctrl+e" {
		return m.editor()
	}
	if m.comp.MenuOpen() && slices.Contains([]string{"esc", "up", "down", "tab", "enter", "ctrl+p", "ctrl+n"}, s) {
		return m.compose(k)
	}
	if m.reads != nil {
		if cmd, handled := m.readKey(k, s); handled {
			return cmd
		}
	}
	empty := m.comp.Empty()
	switch s {
	case "tab":
		if empty {
			return m.read()
		}
	case "ctrl+b":
		if m.commanding() {
			return m.background()
		}
	case "ctrl+up":
		return m.jump(-1)
	case "ctrl+down":
		return m.jump(1)
	case "alt+pgup", "ctrl+alt+u":
		m.tr.scroll(-max(1, m.tr.h/2))
		return nil
	case "alt+pgdown", "ctrl+alt+d":
		m.tr.scroll(max(1, m.tr.h/2))
		return nil
	case "ctrl+c":
		return m.ctrlC()
	case "esc":
		return m.esc()
	case "ctrl+d":
		if empty {
			return tea.Quit
		}
	case "ctrl+s":
		return m.steer()
	case "shift+tab":
		return m.nextMode()
	case "ctrl+o":
		m.tr.reshape(func(d *drawing) { d.expanded = !d.expanded })
		clear(m.tr.flipped)
		return nil
	case "ctrl+p":
		if empty {
			return m.palette()
		}
	case "ctrl+r":
		return m.findPrompt()
	case "ctrl+t":
		m.todosOpen = !m.todosOpen
		return m.loadTodos()
	case "ctrl+l":
		return tea.ClearScreen
	case "alt+c":
		return m.cmdContinue("")
	case "alt+p":
		return m.runCommand("/model", "model", "")
	case "ctrl+g":
		return m.editor()
	case "ctrl+v", "alt+v":
		return m.pasteClipboard()
	case "enter":
		if m.looking > 0 { // what was dropped a moment ago goes along
			return m.say(lang.T("still reading what was pasted: enter again sends"))
		}
	case "ctrl+z":
		return tea.Suspend
	case "pgup":
		m.tr.scroll(-max(1, m.tr.h-2))
		return nil
	case "pgdown":
		m.tr.scroll(max(1, m.tr.h-2))
		return nil
	case "shift+up":
		m.tr.scroll(-1)
		return nil
	case "shift+down":
		m.tr.scroll(1)
		return nil
	case "ctrl+home":
		m.tr.toTop()
		return nil
	case "ctrl+end":
		m.tr.toEnd()
		return nil
	case "home":
		if empty {
			m.tr.toTop()
			return nil
		}
	case "end":
		if empty {
			m.tr.toEnd()
			return nil
		}
	case "up":
		if m.recall() {
			return nil
		}
	case "?":
		if empty {
			return m.cmdHelp("")
		}
	}
	return m.compose(k)
}

// compose hands a message to the composer and keeps the draft.
func (m *Model) compose(msg tea.Msg) tea.Cmd {
	cmd := m.comp.Update(msg)
	return tea.Batch(cmd, m.wanted(), m.draftChanged())
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
		return m.say(lang.T("ctrl+c again leaves"))
	case !m.comp.Empty():
		m.putAway()
		return m.say(lang.T("cleared (up brings it back); ctrl+c again leaves"))
	}
	return m.say(lang.T("ctrl+c again leaves"))
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
	case again && m.comp.Empty():
		m.clearing = false
		return m.rewind()
	case m.comp.Empty():
		m.tr.toEnd()
		m.clearing, m.pressed = true, m.now
		return m.say(lang.T("esc again goes back to an earlier prompt"))
	case again:
		m.clearing = false
		m.putAway()
		return nil
	}
	m.clearing, m.pressed = true, m.now
	return m.say(lang.T("esc again clears the prompt"))
}

// promptLabel is how much of an earlier prompt is searched and shown, in bytes.
const promptLabel = 400

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
	}
	return m.dialogs.Push(dialog.NewPicker(m.th, lang.T("Earlier prompts"), entries, func(i int) tea.Cmd {
		m.comp.SetValue(all[i])
		return m.draftChanged()
	}))
}

// putAway clears the composer; up brings the text back.
func (m *Model) putAway() {
	m.comp.AddHistory(m.comp.Value())
	m.comp.Reset()
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
	if mode == permission.ModeYolo && !m.consented {
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
