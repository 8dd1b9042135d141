package ui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"forge/programs"
	"forge/ui/dialog"
	"forge/ui/display"
	"forge/ui/doctor"
	"forge/ui/lang"
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
	text, getenv, dir := m.comp.Value(), m.o.Getenv, m.o.Dir
	return func() tea.Msg {
		words := editorWords(getenv, dir)
		if len(words) == 0 {
			return failed{"", errNoEditor}
		}
		f, err := os.CreateTemp("", "forge-*.md")
		if err != nil {
			return failed{lang.T("open an editor"), err}
		}
		_, err = f.WriteString(text)
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
			os.Remove(f.Name())
			return failed{lang.T("open an editor"), err}
		}
		return openEditor{words, f.Name()}
	}
}

func (m *Model) cmdEditor(string) tea.Cmd { return m.editor() }

// run lets the editor have the terminal.
func (o openEditor) run() tea.Cmd {
	c := exec.Command(o.words[0], append(o.words[1:], o.name)...)
	return display.Exec(c, func(err error) tea.Msg {
		defer os.Remove(o.name)
		if err != nil {
			return editedMsg{err: err}
		}
		text, err := os.ReadFile(o.name)
		return editedMsg{strings.TrimRight(string(text), "\n"), err}
	})
}

// maxEdited is the longest file that is taken back from an editor, in bytes.
const maxEdited = 32 << 20

// openFile lets the editor have a text from a question: a piece of a file, or all of
// one. It lies in a folder of its own that nobody else can write to. What comes back
// comes back as Back makes it, also when there was nothing to open.
func (m *Model) openFile(o dialog.Open) tea.Cmd {
	getenv, work := m.o.Getenv, m.o.Dir
	return func() tea.Msg {
		words := editorWords(getenv, work)
		if len(words) == 0 {
			return o.Back(nil, errNoEditor)
		}
		dir, err := os.MkdirTemp("", "forge-")
		if err != nil {
			return o.Back(nil, err)
		}
		name := filepath.Join(dir, fileName(o.Path))
		if err := os.WriteFile(name, o.Text, 0o600); err != nil {
			os.RemoveAll(dir)
			return o.Back(nil, err)
		}
		return openQuestion{words, dir, name, o.Back}
	}
}

// openQuestion says that a question's text lies in a file and the editor may start.
type openQuestion struct {
	words     []string
	dir, name string
	back      func([]byte, error) tea.Msg
}

// run lets the editor have the terminal.
func (o openQuestion) run() tea.Cmd {
	c := exec.Command(o.words[0], append(o.words[1:], o.name)...)
	return display.Exec(c, func(err error) tea.Msg { return o.took(err) })
}

// took reads what the editor left. One that failed changed nothing.
func (o openQuestion) took(err error) tea.Msg {
	defer os.RemoveAll(o.dir)
	if err != nil {
		return o.back(nil, fmt.Errorf("%s", lang.T("the editor failed, nothing was taken: %s", err)))
	}
	f, err := os.Open(o.name)
	if err != nil {
		return o.back(nil, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxEdited+1))
	if err == nil && len(text) > maxEdited {
		err = errors.New(lang.T("the editor left more than %d MiB", maxEdited>>20))
	}
	return o.back(text, err)
}

// fileName is a name for a copy of path, as near to it as is safe: its end tells an
// editor the language.
func fileName(p string) string {
	base := strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, path.Base(p))
	if len(base) > 100 {
		base = strings.ToValidUTF8(base[len(base)-100:], "")
	}
	if strings.Trim(base, ".") == "" {
		return "file"
	}
	return base
}

// edited takes what the editor left; a failed editor changes nothing.
func (m *Model) edited(e editedMsg) tea.Cmd {
	if e.err != nil {
		return m.show(failed{lang.T("the editor"), e.err})
	}
	if e.text != m.comp.Value() {
		m.comp.SetValue(e.text)
	}
	return m.draftChanged()
}

// editorWords is the editor's command line: VISUAL, EDITOR, or the system's, which is none
// that lies in the folder of the work.
func editorWords(getenv func(string) string, dir string) []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(getenv(name)); len(words) > 0 {
			return words
		}
	}
	for _, name := range doctor.UsualEditors() {
		if path, err := programs.Find(name, dir); err == nil {
			return []string{path}
		}
	}
	return nil
}
