package ui

import (
	"context"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
)

// Sessions is what the screen can do with stored conversations, handed in by main.
// A nil function is a command that says it is not available. All are called off the
// loop; those that change the conversation there is, between runs.
type Sessions struct {
	Rename func(id, title string) error // an empty id: the conversation there is
	Delete func(id string) error
	// Fork goes on in a copy of the whole conversation.
	Fork func() error
	// Export writes the conversation there is; empty: markdown, to a name of its own.
	// It returns the file's.
	Export func(format, file string) (string, error)
	Search func(ctx context.Context, words string) ([]Found, error)
	// Read gives a conversation as text, and the row of the record seq in it.
	Read func(id string, seq int) (text string, row int, err error)
	// Preview gives the end of a conversation in a few lines.
	Preview func(id string) string
}

type (
	flashMsg    struct{ text string }
	ownName     struct{ now string }
	sessionsNow struct{} // the list is to be shown anew
)

// sessionsActed takes the message of a finished action on stored conversations.
func (m *Model) sessionsActed(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case foundMsg:
		return m.pickFound(msg), true
	case readMsg:
		m.pager = m.readPager(msg)
	case sharedMsg:
		m.tr.add(newNotice(wasShared(msg.name)))
		return nil, true
	case goalSaid:
		return m.tellGoal(msg.text), true
	case ownName:
		return m.askOwnName(msg.now), true
	case flashMsg:
		return m.say(msg.text), true
	case sessionsNow:
		return m.cmdResume(""), true
	default:
		return nil, false
	}
	return nil, true
}

func (m *Model) cmdRename(title string) tea.Cmd {
	rename := m.o.Stored.Rename
	switch {
	case rename == nil:
		return m.say(lang.T("this conversation cannot be named"))
	case title == nameAuto && m.o.MakeName != nil:
		return m.renameAuto()
	case title == "":
		place := m.o.Place
		return look(func() tea.Msg {
			if place == nil {
				return ownName{}
			}
			return ownName{place().Title}
		})
	}
	return func() tea.Msg { return renamed(rename, title) }
}

// renamed gives the conversation there is a name. It is called off the loop.
func renamed(rename func(id, title string) error, title string) tea.Msg {
	if err := rename("", title); err != nil {
		return failed{lang.T("rename"), err}
	}
	return flashMsg{lang.T("this conversation is called %s now", title)}
}

// askOwnName asks what the conversation there is shall be called.
func (m *Model) askOwnName(now string) tea.Cmd {
	q := tools.Question{Title: lang.T("Rename"), Fields: []tools.Field{{Name: "name", Label: lang.T("Name"), Default: now}}}
	if m.o.MakeName != nil {
		q.Body = lang.T("/rename auto: the model makes up a name")
	}
	rename, feed := m.o.Stored.Rename, m.o.Feed
	return m.dialogs.Push(wanted{dialog.NewQuestion(m.th, q, func(r tools.Reply) {
		if name := strings.TrimSpace(r.Values["name"]); name != "" && name != now {
			set := look(func() tea.Msg { return renamed(rename, name) })
			go func() { feed.send(set()) }()
		}
	})})
}

// cmdFork goes on in a copy: of the whole conversation, or of what was before the
// prompt n, counted from the last.
func (m *Model) cmdFork(arg string) tea.Cmd {
	before := len(m.tr.panes)
	if arg == "" {
		fork := m.o.Stored.Fork
		if fork == nil {
			return m.say(lang.T("there is nothing to copy here"))
		}
		return m.between(func() tea.Msg {
			if err := fork(); err != nil {
				return failed{lang.T("copy the conversation"), err}
			}
			return opened{before: before, copy: true}
		})
	}
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 || m.o.Earlier == nil {
		return m.say(lang.T("say how many prompts to go back: /fork 1 is before the last one"))
	}
	list := m.o.Earlier
	return m.between(func() tea.Msg {
		all := list()
		switch {
		case len(all) == 0:
			return flashMsg{lang.T("nothing was asked in this conversation yet")}
		case n > len(all):
			return flashMsg{lang.Count(len(all), "there is only 1 prompt in this conversation", "there are only %d prompts in this conversation")}
		}
		p := all[n-1]
		if err := p.Fork(); err != nil {
			return failed{lang.T("go back"), err}
		}
		return opened{before: before, prompt: p.Text}
	})
}

// chooseSession opens the conversation that words name, or the only one they fit; of
// several, or none, the person chooses.
func (m *Model) chooseSession(list []SessionChoice, words string) tea.Cmd {
	if words == "" {
		return m.pickSession(list, "")
	}
	if id := sessionOf(list, words); id != "" {
		return m.resume(id)
	}
	var cmd tea.Cmd
	if len(sessionsAbout(list, words)) == 0 {
		cmd = m.say(lang.T("no conversation is about %s", words))
		words = ""
	}
	return tea.Batch(cmd, m.pickSession(list, words))
}

// shortID is how many letters of a conversation's ID are no word by chance.
const shortID = 6

// sessionOf is the ID of the one conversation that words mean: its name, a beginning or
// end of that, the file of it, or words that its title alone has.
func sessionOf(list []SessionChoice, words string) string {
	if strings.HasSuffix(words, ".jsonl") {
		return words
	}
	for _, s := range list {
		if len(words) >= shortID && (strings.HasPrefix(s.ID, words) || strings.HasSuffix(s.ID, words)) {
			return words // of several the error names them
		}
	}
	if about := sessionsAbout(list, words); len(about) == 1 {
		return about[0].ID
	}
	return ""
}

// TitleHas reports whether a conversation's title has all the words, in whatever order.
func TitleHas(title, words string) bool {
	title = strings.ToLower(title)
	for _, w := range strings.Fields(strings.ToLower(words)) {
		if !strings.Contains(title, w) {
			return false
		}
	}
	return true
}

// sessionsAbout are those whose title has all the words, in whatever order.
func sessionsAbout(list []SessionChoice, words string) (out []SessionChoice) {
	for _, s := range list {
		if TitleHas(s.Title, words) {
			out = append(out, s)
		}
	}
	return out
}

// pickSession lists conversations; words is the filter to begin with.
func (m *Model) pickSession(list []SessionChoice, words string) tea.Cmd {
	if len(list) == 0 {
		return m.say(lang.T("there is no earlier conversation here"))
	}
	entries := make([]dialog.Entry, len(list))
	for i, s := range list {
		title := s.Title
		if title == "" {
			title = s.ID
		}
		detail := ago(m.now.Sub(s.When))
		if s.Note != "" {
			detail += ", " + s.Note
		}
		entries[i] = dialog.Entry{Label: title, Detail: detail, Search: s.ID}
	}
	p := dialog.NewPicker(m.th, lang.T("Continue a conversation"), entries,
		func(i int) tea.Cmd { return m.resume(list[i].ID) })
	st := m.o.Stored
	help := []string{lang.T("enter open")}
	p.Keys = map[keymap.Action]func(int) tea.Cmd{}
	if st.Rename != nil {
		p.Keys[keymap.ListRename] = func(i int) tea.Cmd { return m.askName(list[i]) }
		help = append(help, lang.T("ctrl+r rename"))
	}
	if st.Delete != nil {
		p.Keys[keymap.ListDelete] = func(i int) tea.Cmd { return m.askDelete(list[i]) }
		help = append(help, lang.T("ctrl+x delete"))
	}
	if st.Preview != nil {
		p.Peek = func(i int) func() string {
			id := list[i].ID
			return func() string { return st.Preview(id) }
		}
	}
	p.Help = strings.Join(append(help, lang.T("esc close")), lang.T(" · "))
	if words != "" {
		p.Filter(words)
	}
	return m.dialogs.Push(p)
}

func (m *Model) askName(s SessionChoice) tea.Cmd {
	q := tools.Question{Title: lang.T("Rename"), Body: s.Title, Fields: []tools.Field{{Name: "name", Label: lang.T("Name"), Default: s.Title}}}
	rename := m.o.Stored.Rename
	return m.dialogs.Push(wanted{dialog.NewQuestion(m.th, q, func(r tools.Reply) {
		name := strings.TrimSpace(r.Values["name"])
		if name == "" {
			return
		}
		m.change(lang.T("rename"), func() error { return rename(s.ID, name) })
	})})
}

func (m *Model) askDelete(s SessionChoice) tea.Cmd {
	q := tools.Question{Title: lang.T("Delete this conversation for good?"), Body: s.Title, Choices: []tools.Choice{
		{ID: "delete", Label: lang.T("delete it"), Key: "y"}, {ID: "keep", Label: lang.T("keep it"), Key: "n"}}}
	remove := m.o.Stored.Delete
	return m.dialogs.Push(wanted{dialog.NewQuestion(m.th, q, func(r tools.Reply) {
		if r.Choice == "delete" {
			m.change(lang.T("delete"), func() error { return remove(s.ID) })
		}
	})})
}

// change does something to stored conversations off the loop and shows the list as
// it is then.
func (m *Model) change(what string, f func() error) {
	feed := m.o.Feed
	go func() {
		if err := guard(f); err != nil {
			feed.send(failed{what, err})
		}
		feed.send(sessionsNow{})
	}()
}
