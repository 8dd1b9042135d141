package ui

import (
	"context"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// The conversation goes on in another folder. main hands over everything that can be done
// there; what is the person's own of the screen stays.

// moved brings what can be done in the folder a person named, or why it cannot be.
type moved struct {
	path string
	next Options
	err  error
}

// cmdCd says where the conversation is, or moves it.
func (m *Model) cmdCd(path string) tea.Cmd {
	o := m.o.Folders
	switch {
	case path == "" && o != nil:
		place := m.o.Place
		return look(func() tea.Msg {
			var at Place
			if place != nil {
				at = place()
			}
			return whereNow{at, o.List()}
		})
	case o == nil || o.Go == nil:
		return m.say(lang.T("this conversation cannot be moved to another folder"))
	case m.busy():
		m.queue = append(m.queue, "/cd "+path)
		return m.say(m.o.Keys.Named(lang.T("/%s waits for the end of the run; esc stops it", "cd"), keymap.Interrupt))
	}
	m.moving = true
	return tea.Batch(m.say(lang.T("going to %s", safe.Line(path))), m.between(func() tea.Msg {
		next, err := o.Go(path)
		return moved{path, next, err}
	}))
}

// apart is what searches off the loop read: what can be done as it is now. Theirs is not
// taken away while they run.
func (m *Model) apart() *Model { return &Model{o: m.o, context: m.context} }

// ofFolder brings what was read of a folder: nobody wants it where another one is worked in
// by now.
type ofFolder struct {
	era int
	msg tea.Msg
}

// here reads something of the folder that is worked in now.
func (m *Model) here(read func() tea.Msg) tea.Cmd {
	era := m.era
	return func() tea.Msg { return ofFolder{era, read()} }
}

// whereNow brings where the conversation is.
type whereNow struct {
	place Place
	list  []string
}

// whereRows says where it is.
func whereRows(o Options, place Place, list []string) []string {
	row := lang.T("%s: where the work is", safe.Line(o.Dir))
	if place.Branch != "" {
		row += lang.T(", git branch %s", safe.Line(place.Branch))
	}
	rows := []string{row}
	for _, dir := range list {
		rows = append(rows, lang.T("also open: %s", safe.Line(dir)))
	}
	return append(rows, lang.T("/cd PATH goes on in another folder; /add-dir PATH opens one more"))
}

// moves takes the messages of that.
func (m *Model) moves(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case ofFolder:
		if msg.era == m.era {
			return m.update(msg.msg), true
		}
		if f, ok := msg.msg.(filedRead); ok && f.then != nil { // somebody waits for what follows
			if m.o.FromFiles == nil {
				return f.then(m), true
			}
			return m.readFiled(f.then), true
		}
	case whereNow:
		for _, row := range whereRows(m.o, msg.place, msg.list) {
			m.tr.add(newNotice(row))
		}
	case moved:
		m.status.flash = ""
		if msg.err != nil {
			m.giveBack("/cd " + msg.path)
			m.tr.add(newNotice(oneLine(msg.err)))
			return nil, true
		}
		return m.settleIn(msg.next), true
	default:
		return nil, false
	}
	return nil, true
}

// settleIn has the screen show and do what there is in another folder.
func (m *Model) settleIn(next Options) tea.Cmd {
	was := m.o.Dir
	m.o = next.keeping(m.o)
	m.era++
	o := m.o
	s := &m.status
	s.cwd, s.sandbox, s.network, s.mode = o.Cwd, o.Sandbox, o.Network, o.Mode
	s.place, s.ide, s.jobs = Place{}, "", 0
	m.consented = false
	m.keeper = &keeper{keep: o.KeepQueue, last: m.keeper.last}
	m.window, m.panel.files, m.panel.reading = nil, nil, false
	if m.servers.cancel != nil { // of a login that is waited for
		m.servers.cancel()
	}
	connected := m.bridged.was.Connected
	m.bridged, m.servers, m.prompts, m.filed = bridged{}, servers{}, nil, filed{}
	m.table = commands()
	m.comp.SetSources(m.files(), m.mentions(), m.paths())
	m.comp.SetCommands(m.menu())
	m.tr.add(newNotice(arrivedAt(o, was)))
	m.draft.saved = o.Draft
	cmds := []tea.Cmd{m.readServers(), m.readPrompts(), m.readPlace(), m.readPanel(), m.begun()}
	if o.Draft != "" && m.comp.Empty() {
		m.comp.SetValue(o.Draft)
		cmds = append(cmds, m.say(lang.T("what you had not sent stands in the prompt again")))
	}
	if o.IDE != nil && (o.IDE.Auto || connected) {
		cmds = append(cmds, m.connectIDE("", true))
	}
	if o.Yolo { // a folder is worth the question
		cmds = append(cmds, m.confirmYolo(nil))
	}
	return tea.Batch(append(cmds, m.draftChanged())...)
}

// arrivedAt says what holds from here on, and that the folder before is closed.
func arrivedAt(o Options, was string) string {
	text := lang.T("this conversation goes on in %s, with the rules, instructions, hooks, servers and skills of that folder; what you allowed for the session is forgotten", safe.Line(o.Dir))
	within := func(dir string) bool {
		rel, err := filepath.Rel(dir, was)
		return err == nil && filepath.IsLocal(rel)
	}
	if !within(o.Dir) && !slices.ContainsFunc(o.Folders.List(), within) {
		text += lang.T(". %s is no longer open to tools and commands; /add-dir opens it", safe.Line(was))
	}
	return text
}

// begun has main do what it does behind the first frame of a folder.
func (m *Model) begun() tea.Cmd {
	started, filed := m.o.Started, m.o.FromFiles != nil
	if started == nil {
		return nil
	}
	var read tea.Cmd
	if filed {
		read = m.readFiled(nil)
	}
	return func() tea.Msg {
		ctx, cancel := m.context()
		defer cancel()
		started(ctx)
		if read == nil {
			return nil
		}
		return read() // what is wrong with a command is said before anything is said
	}
}

// cd is the same in lines.
func (l *lines) cd(_ context.Context, path string, say func(string)) (*linear.Choice, error) {
	o := l.now()
	if path == "" {
		for _, row := range whereRows(*o, o.Place(), o.Folders.List()) {
			say(row)
		}
		return nil, nil
	}
	next, err := o.Folders.Go(path)
	if err != nil {
		return nil, err
	}
	next = next.keeping(*o)
	l.at.Store(&next)
	say(arrivedAt(next, o.Dir))
	l.started(next)
	l.consent()
	return nil, nil
}

// keeping is what can be done in another folder on the screen that was: how it looks and
// what is the person's own of it stays as it is by now.
func (o Options) keeping(was Options) Options {
	o.Feed, o.Keys, o.Vim, o.VimEscape, o.NoEmoji = was.Feed, was.Keys, was.Vim, was.VimEscape, was.NoEmoji
	o.Dictation, o.Spelling, o.Status, o.StatusCommand = was.Dictation, was.Spelling, was.Status, was.StatusCommand
	o.Version, o.Changelog, o.RecapAfter, o.NoAwayLine, o.Suggests = was.Version, was.Changelog, was.RecapAfter, was.NoAwayLine, was.Suggests
	o.Theme, o.ThemeDir, o.WatchThemes, o.Glyphs = was.Theme, was.ThemeDir, was.WatchThemes, was.Glyphs
	o.Parting, o.Notify, o.NoTitle, o.TitleShows, o.Images, o.Links, o.NoProgress = was.Parting, was.Notify, was.NoTitle, was.TitleShows, was.Images, was.Links, was.NoProgress
	o.Inline, o.Lines, o.Interrupts, o.Scrollbar, o.Wheel, o.Reasoning = was.Inline, was.Lines, was.Interrupts, was.Scrollbar, was.Wheel, was.Reasoning
	o.Panel, o.Still, o.Focus, o.Times, o.NoMouse = was.Panel, was.Still, was.Focus, was.Times, was.NoMouse
	o.Tips, o.NoTips = was.Tips, was.NoTips
	o.Getenv, o.Terminal, o.Now = was.Getenv, was.Terminal, was.Now
	return o
}
