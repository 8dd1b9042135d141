package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
)

// act is what an action of the screen does. done says that the key is used up; one
// that is not goes on to whoever is asked next.
type act func(m *Model) (cmd tea.Cmd, done bool)

// do does what an action of the screen says.
func (m *Model) do(a keymap.Action) (cmd tea.Cmd, done bool) {
	if do := m.acts[a]; do != nil {
		m.use(string(a))
		return do(m)
	}
	return nil, false
}

// screenActs is what each action of the screen does, of those it has while nothing is
// written, and while a command runs.
func screenActs() map[keymap.Action]act {
	runs := func(f func(*Model) tea.Cmd) act {
		return func(m *Model) (tea.Cmd, bool) { return f(m), true }
	}
	moves := func(f func(t *transcript)) act {
		return func(m *Model) (tea.Cmd, bool) { f(m.shown()); return nil, true }
	}
	up := func(t *transcript) { t.scroll(-1) }
	down := func(t *transcript) { t.scroll(1) }
	return map[keymap.Action]act{
		keymap.Leave:        runs((*Model).ctrlC),
		keymap.Interrupt:    runs((*Model).esc),
		keymap.Steer:        runs((*Model).steerOn),
		keymap.NextMode:     runs((*Model).nextMode),
		keymap.FindPrompt:   runs((*Model).findPrompt),
		keymap.Editor:       runs((*Model).editor),
		keymap.PastePicture: runs((*Model).pasteClipboard),
		keymap.Selection:    runs((*Model).nameSelection),
		keymap.Spelling:     runs((*Model).fixSpelling),
		keymap.Aside:        runs((*Model).putAside),
		keymap.Dictate:      runs((*Model).dictate),
		keymap.Continue:     runs(func(m *Model) tea.Cmd { return m.cmdContinue("") }),
		keymap.Uncompact:    runs(func(m *Model) tea.Cmd { return m.runCommand("/uncompact", "uncompact", "") }),
		keymap.NewTalk:      runs(func(m *Model) tea.Cmd { return m.runCommand("/new", "new", "") }),
		keymap.Talks:        runs(func(m *Model) tea.Cmd { return m.runCommand("/resume", "resume", "") }),
		keymap.CopyAnswer:   runs(func(m *Model) tea.Cmd { return m.cmdCopy("") }),
		keymap.PickModel:    runs(func(m *Model) tea.Cmd { return m.runCommand("/model", "model", "") }),
		keymap.SwapModel:    runs((*Model).swapModel),
		keymap.NextModel:    runs(func(m *Model) tea.Cmd { return m.walkModels(1) }),
		keymap.ModelBack:    runs(func(m *Model) tea.Cmd { return m.walkModels(-1) }),
		keymap.ThinkLess:    runs(func(m *Model) tea.Cmd { return m.stepEffort(-1) }),
		keymap.ThinkMore:    runs(func(m *Model) tea.Cmd { return m.stepEffort(1) }),
		keymap.Unfold:       runs((*Model).unfoldAll),
		keymap.Todos:        runs((*Model).toggleTodos),
		keymap.Timeline:     runs((*Model).timeline),
		keymap.Panel:        runs((*Model).togglePanel),
		keymap.Brief:        runs(func(m *Model) tea.Cmd { return m.cmdFocus("") }),
		keymap.Redraw:       runs(func(*Model) tea.Cmd { return tea.ClearScreen }),
		keymap.Suspend:      runs(func(*Model) tea.Cmd { return tea.Suspend }),

		keymap.PageUp:       moves(func(t *transcript) { t.scroll(-max(1, t.h-2)) }),
		keymap.PageDown:     moves(func(t *transcript) { t.scroll(max(1, t.h-2)) }),
		keymap.HalfUp:       moves(func(t *transcript) { t.scroll(-max(1, t.h/2)) }),
		keymap.HalfDown:     moves(func(t *transcript) { t.scroll(max(1, t.h/2)) }),
		keymap.RowUp:        moves(up),
		keymap.RowDown:      moves(down),
		keymap.Top:          moves((*transcript).toTop),
		keymap.End:          moves((*transcript).toEnd),
		keymap.PromptBefore: runs(func(m *Model) tea.Cmd { return m.jump(-1) }),
		keymap.PromptAfter:  runs(func(m *Model) tea.Cmd { return m.jump(1) }),

		keymap.Background: runs((*Model).background),
		keymap.MoreTime:   runs((*Model).moreTime),

		keymap.EmptyLeave:    runs(func(*Model) tea.Cmd { return tea.Quit }),
		keymap.EmptyRecall:   func(m *Model) (tea.Cmd, bool) { return nil, m.recall() },
		keymap.EmptyRead:     runs((*Model).read),
		keymap.EmptyCommands: runs((*Model).palette),
		keymap.EmptyHelp:     runs(func(m *Model) tea.Cmd { return m.cmdHelp("") }),
		keymap.EmptyTop:      moves((*transcript).toTop),
		keymap.EmptyEnd:      moves((*transcript).toEnd),
		keymap.EmptyRowUp:    moves(up),
		keymap.EmptyRowDown:  moves(down),
	}
}

// unfoldAll shows everything whole, or folds it again.
func (m *Model) unfoldAll() tea.Cmd {
	t := m.shown()
	t.reshape(func(d *drawing) { d.expanded = !d.expanded })
	clear(t.flipped)
	return nil
}
