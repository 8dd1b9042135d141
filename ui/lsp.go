package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// LanguageServers are those that tell errors after an edit. The functions are called off
// the loop.
type LanguageServers struct {
	List  func() []LanguageServer // those that are installed or were named
	Stop  func(name string) error
	Start func(name string) error // one that runs is ended before; it starts with the next edit
}

// LanguageServer is one of them.
type LanguageServer struct {
	Name, Command, Folder string
	State, Reason         string // in English
	Runs, Stopped         bool
	Missing               bool // its program is not found
	About                 string
	Pid                   int
	Memory                int64 // bytes; 0: not known
	Errors                int   // it knows of
	Words                 []string
}

// line is how it stands, on one line.
func (s LanguageServer) line() string {
	if s.Missing {
		return s.Name + lang.T(": ") + lang.T("not installed")
	}
	parts := []string{lang.Said(s.State)}
	if s.Reason != "" {
		parts = append(parts, lang.Said(s.Reason))
	}
	if s.Runs {
		parts = append(parts, lang.Count(s.Errors, "1 error", "%d errors"))
		if s.Memory > 0 {
			parts = append(parts, fmt.Sprintf("%d MB", s.Memory>>20))
		}
	}
	if s.Folder != "" {
		parts = append(parts, s.Folder)
	}
	return s.Name + lang.T(": ") + safe.Line(strings.Join(parts, lang.T(", ")))
}

// lines is all there is to know of it.
func (s LanguageServer) lines() []string {
	out := []string{s.line(), lang.T("it runs as: %s", safe.Line(s.Command))}
	if s.About != "" {
		out = append(out, lang.T("it calls itself: %s", safe.Line(s.About)))
	}
	if s.Pid > 0 {
		out = append(out, lang.T("its process: %d", s.Pid))
	}
	if len(s.Words) > 0 {
		out = append(out, lang.T("what it said last:"))
		for _, w := range s.Words {
			out = append(out, safe.Line(w))
		}
	}
	return out
}

// act does what is asked of one by words, "stop gopls"; ok says that it was that.
func (ls *LanguageServers) act(arg string) (name string, err error, ok bool) {
	words := strings.Fields(arg)
	if len(words) != 2 {
		return "", nil, false
	}
	switch words[0] {
	case "stop":
		return words[1], ls.Stop(words[1]), true
	case "start", "restart":
		return words[1], ls.Start(words[1]), true
	}
	return "", nil, false
}

var lspNone = lang.N("no language server that is known is installed here")

type lspMsg struct{ list []LanguageServer }

var lspOff = lang.N("language servers are off; forge config set lsp true has errors told after an edit")

func (m *Model) cmdLSP(arg string) tea.Cmd {
	ls := m.o.LSP
	if ls == nil {
		return m.say(lang.T(lspOff))
	}
	return look(func() tea.Msg {
		name, err, _ := ls.act(arg)
		if err != nil {
			return failed{name, err}
		}
		return lspMsg{ls.List()}
	})
}

func (m *Model) completeLSP(prefix string) []string {
	return beginning([]string{"start ", "stop ", "restart "}, prefix)
}

// pickLSP lists the servers: enter shows one, ctrl+x ends it or lets it start again.
func (m *Model) pickLSP(msg lspMsg) tea.Cmd {
	if len(msg.list) == 0 {
		return m.say(lang.T(lspNone))
	}
	list := msg.list
	var p *dialog.Picker
	put := func(now []LanguageServer) {
		list = now
		p.Renew(lspEntries(now))
	}
	p = dialog.NewPicker(m.th, lang.T("Language servers"), lspEntries(list), func(i int) tea.Cmd {
		m.showLSP(list[i])
		return nil
	})
	ls, turns := m.o.LSP, &switching{}
	p.Do = map[keymap.Action]func(int) tea.Cmd{keymap.ListDelete: func(i int) tea.Cmd {
		s, do := list[i], ls.Stop
		if !s.Runs {
			do = ls.Start
		}
		return turns.do(s.Name, func() error { return do(s.Name) }, func() func() {
			now := ls.List()
			return func() { put(now) }
		})
	}}
	p.Help = strings.Join([]string{lang.T("enter what it says"), lang.T("ctrl+x stop it, let it start again"), lang.T("esc close")}, lang.T(" · "))
	return m.dialogs.Push(p)
}

func lspEntries(list []LanguageServer) []dialog.Entry {
	entries := make([]dialog.Entry, len(list))
	for i, s := range list {
		label, detail, _ := strings.Cut(s.line(), lang.T(": "))
		entries[i] = dialog.Entry{Label: label, Detail: detail}
	}
	return entries
}

func (m *Model) showLSP(s LanguageServer) {
	lines := s.lines()
	m.pager = &pager{title: lang.T("Language server %s", s.Name), plain: strings.Join(lines, "\n") + "\n", draw: func(th *theme.Theme, w int) (rows []string) {
		for _, l := range lines {
			rows = append(rows, wrap(l, w, th.Text)...)
		}
		return rows
	}}
}
