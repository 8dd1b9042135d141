package ui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent/mark"
	"forge/ui/attach"
	"forge/ui/clipboard"
	"forge/ui/keymap"
	"forge/ui/lang"
)

// Pictures is what the screen can do with what a person attaches; its functions are
// called off the loop.
type Pictures struct {
	// Drop looks at a file that was dropped: a picture is kept and its mark returned,
	// else how a prompt names the file, else nothing: it is no file, or none to be named.
	Drop func(path string) (text string, err error)
	// File is the file of a kept picture, by its name; empty: it is kept no longer.
	File func(name string) string
	// Keep keeps a picture.
	Keep func(data []byte) (mark.Mark, error)
	// Clipboard reads the system's clipboard.
	Clipboard func(ctx context.Context) (clipboard.Held, error)
	Home      string // what a ~ stands for
}

// droppedMsg says what a pasted text turned out to be.
type droppedMsg struct {
	pasted string // as it stands in the composer; empty: it does not stand there yet
	text   string // what belongs in its place; empty: it stays
	err    error
}

// pastedMsg brings what the clipboard held.
type pastedMsg struct {
	held clipboard.Held
	mark mark.Mark
	err  error
}

// paste gives the composer what was pasted. Paths of files that were dropped are looked
// at meanwhile; a paste of nothing is how terminals say that there is a picture.
func (m *Model) paste(msg tea.PasteMsg) tea.Cmd {
	if m.o.Pictures == nil || m.comp.Shell() {
		return m.compose(msg)
	}
	if msg.Content == "" {
		return m.pasteClipboard()
	}
	return tea.Batch(m.compose(msg), m.dropped(msg.Content))
}

// dropped looks whether a pasted text is files: several in a line, or one in each.
func (m *Model) dropped(pasted string) tea.Cmd {
	p := m.o.Pictures
	lines := attach.Lines(pasted, p.Home)
	if lines == nil {
		return nil
	}
	m.looking++
	return func() tea.Msg {
		var texts []string
		for _, line := range lines {
			found, err := line.Look(p.Drop)
			if found == nil || err != nil {
				return droppedMsg{pasted, "", err}
			}
			texts = append(texts, found...)
		}
		return droppedMsg{pasted, strings.Join(texts, " "), nil}
	}
}

// pasteClipboard reads a picture from the clipboard, or its text.
func (m *Model) pasteClipboard() tea.Cmd {
	p := m.o.Pictures
	if p == nil || p.Clipboard == nil {
		return m.say(lang.T("the clipboard cannot be read here"))
	}
	m.looking++
	ctx, cancel := m.context()
	return func() tea.Msg {
		defer cancel()
		held, err := p.Clipboard(ctx)
		if err != nil || len(held.Picture) == 0 {
			return pastedMsg{held: held, err: err}
		}
		k, err := p.Keep(held.Picture)
		return pastedMsg{mark: k, err: err}
	}
}

// attached takes the messages about pictures.
func (m *Model) attached(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case droppedMsg:
		m.looking--
		switch {
		case msg.err != nil:
			return m.say(lang.T("not attached: %s", oneLine(msg.err))), true
		case msg.text == "":
			return nil, true
		}
		m.comp.Swap(msg.pasted, msg.text+" ")
		return tea.Batch(m.draftChanged(), m.sees(msg.text)), true
	case pastedMsg:
		m.looking--
		switch {
		case errors.Is(msg.err, clipboard.ErrEmpty):
			return m.say(lang.T("the clipboard is empty")), true
		case errors.Is(msg.err, clipboard.ErrNoReader):
			return m.say(lang.T("no program that reads the clipboard was found: install wl-clipboard or xclip, or drop the file here")), true
		case errors.Is(msg.err, clipboard.ErrRemote):
			return m.say(lang.T("over ssh the clipboard is on the other machine: copy the file here and drop it, or start with --image FILE")), true
		case msg.err != nil:
			return m.say(lang.T("nothing was pasted: %s", lang.Said(oneLine(msg.err)))), true
		case msg.mark.Name == "":
			return m.paste(tea.PasteMsg{Content: msg.held.Text}), true
		}
		m.comp.Attach(msg.mark.String() + " ")
		return tea.Batch(m.draftChanged(), m.sees(msg.mark.String())), true
	}
	return nil, false
}

// sees tells at once that the model will not see what was attached.
func (m *Model) sees(text string) tea.Cmd {
	if !m.status.model.Blind || len(mark.In(text)) == 0 {
		return nil
	}
	return m.say(m.o.Keys.Named(lang.T("%s sees no pictures; alt+p chooses another model", m.status.model.ID), keymap.PickModel))
}
