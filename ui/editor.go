package ui

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"
)

var errNoEditor = errors.New("no editor is known: set EDITOR")

// editedMsg comes when the external editor was closed.
type editedMsg struct {
	text string
	err  error
}

// openEditor says that the text lies in a file and the editor may start.
type openEditor struct {
	words []string
	name  string
}

// editor opens what is being written in the person's own editor. The screen
// stands still meanwhile; a run goes on until the feed is full.
func (m *Model) editor() tea.Cmd {
	text, getenv := m.comp.Value(), m.o.Getenv
	return func() tea.Msg {
		words := editorWords(getenv)
		if len(words) == 0 {
			return failed{"", errNoEditor}
		}
		f, err := os.CreateTemp("", "forge-*.md")
		if err != nil {
			return failed{"open an editor", err}
		}
		_, err = f.WriteString(text)
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
			os.Remove(f.Name())
			return failed{"open an editor", err}
		}
		return openEditor{words, f.Name()}
	}
}

// run lets the editor have the terminal.
func (o openEditor) run() tea.Cmd {
	c := exec.Command(o.words[0], append(o.words[1:], o.name)...)
	return tea.ExecProcess(c, func(err error) tea.Msg {
		defer os.Remove(o.name)
		if err != nil {
			return editedMsg{err: err}
		}
		text, err := os.ReadFile(o.name)
		return editedMsg{strings.TrimRight(string(text), "\n"), err}
	})
}

// edited takes what the editor left; a failed editor changes nothing.
func (m *Model) edited(e editedMsg) tea.Cmd {
	if e.err != nil {
		return m.show(failed{"the editor", e.err})
	}
	if e.text != m.comp.Value() {
		m.comp.SetValue(e.text)
	}
	return m.draftChanged()
}

// editorWords is the editor's command line: VISUAL, EDITOR, or the system's.
func editorWords(getenv func(string) string) []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(getenv(name)); len(words) > 0 {
			return words
		}
	}
	usual := []string{"nano", "vi"}
	if runtime.GOOS == "windows" {
		usual = []string{"notepad"}
	}
	for _, name := range usual {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path}
		}
	}
	return nil
}
