package ui

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/markdown"
	"forge/ui/safe"
	"forge/ui/theme"
)

// open shows a pane of the transcript whole.
func (m *Model) open(p pane) tea.Cmd {
	if p, ok := p.(*pictured); ok {
		return m.view(p)
	}
	if c, ok := p.(*call); ok && c.sub != nil {
		if cmd, opened := m.goInside(c); opened {
			return cmd
		}
	}
	return m.openText(p)
}

// openText shows the text of a pane whole.
func (m *Model) openText(p pane) tea.Cmd {
	mt := matterOf(p)
	if mt.text == "" {
		return m.say(lang.T("there is nothing more of it"))
	}
	pg := &pager{title: mt.title, text: mt.text, plain: mt.plain(), file: "output.txt", of: p}
	pg.draw = func(th *theme.Theme, w int) []string { return wrapDyed(pg.text, w, pg.dyes, th, th.Text) }
	if c, ok := p.(*call); ok {
		pg.dyes = c.looks()
	}
	switch c, _ := p.(*call); {
	case mt.kind == isAnswered:
		pg.file = "answer.md"
		pg.draw = func(th *theme.Theme, w int) []string {
			md := markdown.New(th)
			md.Append(mt.text)
			md.Close()
			return md.Rows(min(w, markdown.Measure))
		}
	case mt.kind == isPrompted:
		pg.file = "prompt.md"
	case mt.kind == isThought:
		pg.file = "reasoning.md"
	case c != nil && c.state == callDone && c.diff != nil:
		pg.file = "changes.patch"
		body := c.diff
		pg.draw = func(th *theme.Theme, w int) []string {
			rows, _ := body.rows(&drawing{w: w, th: th}, w, 1<<30)
			return rows
		}
	}
	m.pager = pg
	if c, ok := p.(*call); ok && m.o.OnTerminal != nil && c.wantedTerminal() {
		pg.note = m.o.Keys.Named(lang.T("it wanted a terminal: T runs it on yours"), keymap.PagerTerminal)
	}
	if mt.rest == "" {
		return nil
	}
	pg.note = lang.T("reading the rest from %s", safe.Line(mt.rest))
	return func() tea.Msg {
		text, d, cut, err := readRest(mt.rest)
		return restMsg{pg, mt.rest, text, d, cut, err}
	}
}

// restMax is how much of a kept output the pager shows, in bytes.
const restMax = 4 << 20

// restMsg brings the whole of an output of which a result has the ends.
type restMsg struct {
	pager *pager
	name  string
	text  string
	dyes  dyes
	cut   bool
	err   error
}

func readRest(name string) (text string, d dyes, cut bool, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", nil, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a file")
	}
	if err != nil {
		return "", nil, false, err
	}
	b, err := io.ReadAll(io.LimitReader(f, restMax+1))
	if cut = len(b) > restMax; cut {
		b = b[:restMax]
	}
	coloured := safe.Coloured(string(b))
	text = safe.Plain(coloured)
	return text, dyesOf(strings.Split(coloured, "\n"), text), cut, err
}

// whole takes the rest of an output.
func (r restMsg) take() {
	p := r.pager
	switch {
	case r.err != nil:
		p.note = lang.T("the rest is gone: %s", oneLine(r.err))
		return
	case r.cut:
		p.note = lang.T("the first %d MB; all of it is in %s", restMax>>20, safe.Line(r.name))
	default:
		p.note = lang.T("all of it, from %s", safe.Line(r.name))
	}
	p.text, p.plain, p.dyes, p.list = r.text, "", r.dyes, nil
}

// saveAs writes a text to a file that does not exist yet; a relative name begins in
// the workspace.
func (m *Model) saveAs(name, text string) tea.Cmd {
	name = strings.TrimSpace(name)
	if name == "" {
		return nil
	}
	dir := m.o.Dir
	return func() tea.Msg {
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				return failed{lang.T("save"), err}
			}
			name = filepath.Join(home, rest)
		} else if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return saidMsg(lang.T("not saved: %s", oneLine(err)))
		}
		_, err = f.WriteString(strings.TrimRight(text, "\n") + "\n")
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
			return saidMsg(lang.T("not saved: %s", oneLine(err)))
		}
		return saidMsg(lang.T("saved as %s", safe.Line(name)))
	}
}

// saidMsg is a line for the status from work off the loop.
type saidMsg string

// inEditor opens a copy of the text in the person's editor; what they change there
// changes nothing here.
func (m *Model) inEditor(p *pager) tea.Cmd {
	return m.openFile(dialog.Open{Path: p.file, Text: []byte(p.text), Back: func(_ []byte, err error) tea.Msg {
		if err != nil {
			return saidMsg(lang.T("the editor: %s", oneLine(err)))
		}
		return nil
	}})
}

// inPager opens the text in the person's pager.
func (m *Model) inPager(p *pager) tea.Cmd {
	words := strings.Fields(m.o.Getenv("PAGER"))
	if len(words) == 0 {
		words = []string{"less"}
	}
	text, name := p.text, p.file
	return func() tea.Msg {
		dir, err := os.MkdirTemp("", "forge-")
		if err == nil {
			name = filepath.Join(dir, name)
			err = os.WriteFile(name, []byte(text+"\n"), 0o600)
		}
		if err != nil {
			return saidMsg(lang.T("the pager: %s", oneLine(err)))
		}
		return openQuestion{words, dir, name, func(_ []byte, err error) tea.Msg {
			if err != nil {
				return saidMsg(lang.T("the pager: %s", oneLine(err)))
			}
			return nil
		}}
	}
}
