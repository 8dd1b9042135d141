package ui

import (
	"errors"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/clipboard"
	"forge/ui/dialog"
	"forge/ui/lang"
	"forge/ui/reader"
)

// copiedMsg says what became of a copy.
type copiedMsg struct {
	what string
	size int   // lines
	sent bool  // as a sequence to the terminal
	err  error // of the system's program; clipboard.ErrNone: there is none
}

// copy puts text on the clipboard, by the terminal and by the system, and says so.
func (m *Model) copy(what, text string) tea.Cmd {
	if text == "" {
		return m.say(lang.T("there is nothing to copy here"))
	}
	seq := clipboard.Sequence(text, m.o.Getenv)
	native := m.o.Clipboard
	done := copiedMsg{what: what, size: strings.Count(strings.TrimRight(text, "\n"), "\n") + 1, sent: seq != "", err: clipboard.ErrNone}
	var send tea.Cmd
	if seq != "" {
		send = tea.Raw(seq)
	}
	return tea.Batch(send, func() tea.Msg {
		if native != nil {
			ctx, cancel := m.context()
			defer cancel()
			done.err = native(ctx, text)
		}
		return done
	})
}

// copied tells of a copy.
func (m *Model) copied(c copiedMsg) tea.Cmd {
	switch {
	case c.err == nil || c.sent && errors.Is(c.err, clipboard.ErrNone):
		return m.say(lang.T("copied %s: %s", c.what, plural(c.size, "line")))
	case c.sent:
		return m.say(lang.T("handed %s to the terminal; the system's clipboard failed: %s", c.what, oneLine(c.err)))
	}
	return m.say(lang.T("%s was not copied: %s", c.what, oneLine(c.err)))
}

// cmdCopy copies an answer, the nth last one, code of the last one, or everything.
func (m *Model) cmdCopy(arg string) tea.Cmd {
	if arg == "all" {
		return m.copy(lang.T("the conversation"), m.tr.source())
	}
	n := 1
	word, rest, _ := strings.Cut(arg, " ")
	if k, err := strconv.Atoi(word); err == nil && k > 0 {
		n = k
	} else if word != "" && word != "code" {
		return m.say(lang.T("/copy takes a number (1: the last answer), code or all"))
	}
	text, ok := m.tr.lastAnswer(n)
	switch {
	case !ok && n == 1:
		return m.say(lang.T("there is no answer to copy yet"))
	case !ok:
		return m.say(lang.T("there are not so many answers"))
	case word == "code":
		k, _ := strconv.Atoi(strings.TrimSpace(rest))
		return m.copyCode(text, k)
	}
	return m.copy(lang.T("the answer"), text)
}

func (m *Model) completeCopy(prefix string) []string {
	return beginning([]string{"code", "all"}, prefix)
}

// copyCode copies the nth piece of code of a text; with 0 the only one, or the one
// that is picked.
func (m *Model) copyCode(text string, n int) tea.Cmd {
	blocks := reader.Blocks(text)
	switch {
	case len(blocks) == 0:
		return m.say(lang.T("there is no code in it"))
	case n > len(blocks):
		return m.say(lang.Count(len(blocks), "there is only 1 piece of code in it", "there are only %d pieces of code in it"))
	case n > 0:
		return m.copy(lang.T("the code"), blocks[n-1].Text)
	case len(blocks) == 1:
		return m.copy(lang.T("the code"), blocks[0].Text)
	}
	entries := make([]dialog.Entry, len(blocks))
	for i, b := range blocks {
		first, _, _ := strings.Cut(strings.TrimSpace(b.Text), "\n")
		entries[i] = dialog.Entry{Label: strconv.Itoa(i+1) + "  " + first, Detail: strings.TrimSpace(b.Lang + "  " + plural(strings.Count(b.Text, "\n")+1, "line"))}
	}
	return m.dialogs.Push(dialog.NewPicker(m.th, lang.T("Copy which code?"), entries, func(i int) tea.Cmd {
		return m.copy(lang.T("the code"), blocks[i].Text)
	}))
}

// lastAnswer is the nth last answer, as the model wrote it.
func (t *transcript) lastAnswer(n int) (string, bool) {
	for i := len(t.panes) - 1; i >= 0; i-- {
		mt := matterOf(t.panes[i])
		if mt.kind != isAnswered || mt.text == "" {
			continue
		}
		if n--; n == 0 {
			return mt.text, true
		}
	}
	return "", false
}

// cmdMouse gives the mouse to the terminal, or takes it back.
func (m *Model) cmdMouse(string) tea.Cmd {
	m.o.NoMouse = !m.o.NoMouse
	if m.o.NoMouse {
		return m.say(lang.T("the mouse is the terminal's: select with it as anywhere; /mouse takes it back"))
	}
	return m.say(lang.T("the mouse scrolls and selects here; /mouse leaves it to the terminal"))
}
