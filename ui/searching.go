package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/dialog"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// Found is a hit of a search.
type Found struct {
	ID, Title string
	Seq       int
	Excerpt   string
	Word      string // the first of the words, as it is spelled there
	Note      string // "you, 3 days ago"
}

type (
	foundMsg struct {
		words string
		list  []Found
	}
	readMsg struct {
		found Found
		text  string
		row   int
		words string // that were looked for
	}
)

func (m *Model) cmdSearch(words string) tea.Cmd {
	search := m.o.Stored.Search
	switch {
	case search == nil:
		return m.say(lang.T("conversations cannot be searched here"))
	case words == "":
		return m.comp.Complete("/search ")
	}
	return m.goFor(lang.T("searching"), nil, func(ctx context.Context) tea.Msg {
		list, err := search(ctx, words)
		if err != nil {
			return failed{lang.T("search"), err}
		}
		return foundMsg{words, list}
	})
}

func (m *Model) pickFound(f foundMsg) tea.Cmd {
	if len(f.list) == 0 {
		return m.say(lang.T("no conversation has %s", f.words))
	}
	entries := make([]dialog.Entry, len(f.list))
	for i, h := range f.list {
		entries[i] = dialog.Entry{Label: h.Excerpt, Detail: h.Note + lang.T(" · ") + h.Title}
	}
	read := m.o.Stored.Read
	p := dialog.NewPicker(m.th, lang.T("%d found: %s", len(f.list), f.words), entries, func(i int) tea.Cmd {
		if read == nil {
			return m.resume(f.list[i].ID)
		}
		h := f.list[i]
		return func() tea.Msg {
			text, row, err := read(h.ID, h.Seq)
			if err != nil {
				return failed{lang.T("read the conversation"), err}
			}
			return readMsg{h, text, row, f.words}
		}
	})
	p.Help = lang.T("enter open it there · type to narrow · esc close")
	return m.dialogs.Push(p)
}

// readPager shows a conversation at one of its lines. Nothing of it can be changed
// there; r goes on with it.
func (m *Model) readPager(r readMsg) *pager {
	p := &pager{title: r.found.Title, text: safe.Output(r.text), file: "conversation.txt"}
	if m.o.Resume != nil {
		p.also = lang.T("r goes on with it")
		p.resume = func() tea.Cmd { return m.cmdResume(r.found.ID) }
	}
	placed, lines := false, strings.Split(r.text, "\n")
	at := hitRow(lines, r.row, r.words, r.found.Word)
	p.draw = func(th *theme.Theme, w int) []string {
		var rows []string
		for i, l := range lines {
			if i == at && !placed {
				p.top, placed = max(0, len(rows)-hitAbove), true
			}
			style := th.Text
			if i == r.row || i == at {
				style = th.Accent
			}
			for _, part := range safe.Wrap(safe.Output(l), max(1, w)) {
				rows = append(rows, style.Apply(part))
			}
		}
		return rows
	}
	return p
}

// hitAbove is how many rows stand above what was found, where it is opened.
const hitAbove = 2

// hitRow is the line of a message that was found, which begins at row, that has what was
// looked for: all the words, else one of them, else the one that is spelled a little
// otherwise, else the first of the message.
func hitRow(lines []string, row int, words, spelled string) int {
	want := strings.Fields(strings.ToLower(words))
	spelled = strings.ToLower(spelled)
	some, nearly := -1, -1
	for i := row; i < len(lines); i++ {
		if i > row && strings.HasPrefix(lines[i], "── ") { // the next message
			break
		}
		line, n := strings.ToLower(lines[i]), 0
		for _, w := range want {
			if strings.Contains(line, strings.Trim(w, `"`)) {
				n++
			}
		}
		if n > 0 && n == len(want) {
			return i
		}
		switch {
		case n > 0 && some < 0:
			some = i
		case nearly < 0 && spelled != "" && strings.Contains(line, spelled):
			nearly = i
		}
	}
	switch {
	case some >= 0:
		return some
	case nearly >= 0:
		return nearly
	}
	return row
}
