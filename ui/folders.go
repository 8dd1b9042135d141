package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/composer"
	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
	"forge/ui/theme"
)

// Folders is what can be done with the folders beside the workspace's own. Its functions
// are called off the loop.
type Folders struct {
	List func() []string // those that are open, absolute
	// Add opens one, where nothing else uses the agent, and says which it became.
	Add  func(path string) (dir string, err error)
	Find func(ctx context.Context, typed string) []composer.Found // completes a path
	// Go moves the conversation to a folder, where nothing else uses the agent, and says
	// what can be done there; after an error nothing is otherwise. nil: it cannot be.
	Go func(path string) (Options, error)
}

// Messages of the folders.
type (
	folderOpen struct {
		path, dir string
		err       error
	}
	foldersRead struct{ list []string }
)

// cmdAddDir opens one more folder to tools and commands, or lists those that are open.
func (m *Model) cmdAddDir(path string) tea.Cmd {
	o := m.o.Folders
	switch {
	case o == nil:
		return m.say(lang.T("no folder can be opened here"))
	case path == "":
		return look(func() tea.Msg { return foldersRead{o.List()} })
	}
	do := func() tea.Msg {
		dir, err := o.Add(path)
		return folderOpen{path, dir, err}
	}
	if m.busy() {
		return tea.Batch(m.say(lang.T("%s is opened at the next step of the run", path)), m.soon(do))
	}
	return m.soon(do)
}

// searchFolder completes the path behind the command. It runs off the loop.
func (m *Model) searchFolder(typed string) []composer.Found {
	if m.o.Folders == nil {
		return nil
	}
	ctx, cancel := m.context()
	defer cancel()
	return m.o.Folders.Find(ctx, typed)
}

// folders takes the messages of the folders.
func (m *Model) folders(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case folderOpen:
		if msg.err != nil {
			if m.comp.Empty() {
				m.comp.SetValue("/add-dir " + msg.path)
			}
			return m.say(oneLine(msg.err)), true
		}
		m.status.flash = ""
		m.tr.add(newNotice(folderOpened(msg.dir, &m.status)))
		return nil, true
	case foldersRead:
		rows := folderRows(m.o, msg.list, &m.status)
		m.pager = &pager{title: lang.T("Folders"), plain: strings.Join(rows, "\n") + "\n", draw: func(th *theme.Theme, w int) (out []string) {
			for _, r := range rows {
				out = append(out, wrap(r, w, th.Text)...)
			}
			return out
		}}
		return nil, true
	}
	return nil, false
}

// folderOpened says what is possible there now, and what is not read of it.
func folderOpened(dir string, s *status) string {
	text := lang.T("%s is open now: tools read and write there, each write is asked about as here", safe.Line(dir))
	switch s.sandbox {
	case "none", "off", "":
		text += lang.T("; commands are not confined anyway")
	default:
		text += lang.T("; commands that %s confines may write there as well", safe.Line(s.sandbox))
	}
	return text + lang.T(". Its own instructions, settings and servers are not read")
}

// folderRows lists the folders, the workspace's own first.
func folderRows(o Options, list []string, s *status) []string {
	rows := []string{lang.T("%s: where the work is", safe.Line(o.Dir))}
	for _, dir := range list {
		rows = append(rows, safe.Line(dir))
	}
	if len(list) == 0 {
		rows = append(rows, lang.T("no other; /add-dir PATH opens one"))
	}
	if s.sandbox != "" && s.sandbox != "none" && s.sandbox != "off" {
		rows = append(rows, lang.T("%s lets commands write to these, and nowhere else", safe.Line(s.sandbox)))
	}
	return rows
}

// addDir is the same in lines.
func (l *lines) addDir(_ context.Context, path string, say func(string)) (*linear.Choice, error) {
	s := &status{sandbox: l.now().Sandbox}
	if path == "" {
		for _, r := range folderRows(*l.now(), l.now().Folders.List(), s) {
			say(r)
		}
		return nil, nil
	}
	dir, err := l.now().Folders.Add(path)
	if err != nil {
		return nil, err
	}
	say(folderOpened(dir, s))
	return nil, nil
}
