package ui

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ide"
	"forge/ui/bridge"
	"forge/ui/dialog"
	"forge/ui/lang"
)

// IDE is what the screen can do with the editor it runs in.
type IDE struct {
	*ide.Manager
	Auto    bool        // connect after the first frame, where that is clear
	Answers func() bool // whether an answer given in the editor counts now; nil: it does not
}

// bridged is what the screen keeps of it.
type bridged struct {
	was    ide.State
	giveUp context.CancelFunc                       // ends a connection that is being made; nil: none is
	shown  map[string]map[string]context.CancelFunc // changes open in the editor: by question, by file
}

type (
	ideChanged struct{}
	// ideNamed brings a place the person sent from the editor.
	ideNamed struct{ text string }
	ideFound struct {
		list []ide.Bridge
		now  ide.State
	}
	ideDone struct {
		bridge ide.Bridge
		err    error
		auto   bool
	}
)

// IDEChanged says that things stand otherwise with the editor. It tells the screen once,
// however often it is called before that looks; any goroutine may call it.
func (f *Feed) IDEChanged() {
	if f.edited.CompareAndSwap(false, true) {
		f.send(ideChanged{})
	}
}

// IDENamed hands the screen words for the prompt that the person sent from the editor.
func (f *Feed) IDENamed(text string) { f.send(ideNamed{text}) }

// bridgeMoved looks how things stand now.
func (m *Model) bridgeMoved() {
	m.o.Feed.edited.Store(false)
	if m.o.IDE == nil {
		return
	}
	s := m.o.IDE.Now()
	if was := m.bridged.was; was.Connected && !s.Connected && s.Why != nil {
		m.tr.add(newNotice(lang.T("%s is gone: %s", bridge.Name(s.Bridge), bridge.Why(s.Why)) + lang.T("; ") + lang.T("/ide connects again")))
	}
	m.bridged.was = s
	m.status.ide = ""
	if s.Connected {
		m.status.ide = bridge.Place(s.At, m.o.Dir)
		if m.status.ide == "" {
			m.status.ide = bridge.Name(s.Bridge)
		}
	}
}

// cmdIDE lists the editors there are; with an argument it connects to one, or ends that.
func (m *Model) cmdIDE(arg string) tea.Cmd {
	e := m.o.IDE
	if e == nil {
		return m.say(lang.T("the bridge to editors is off: set ide.connect to ask or auto"))
	}
	switch {
	case arg == "":
		return look(func() tea.Msg { return ideFound{e.Find(), e.Now()} })
	case isBeginning(arg, ideWords[1]):
		if m.bridged.giveUp != nil {
			m.bridged.giveUp()
			m.bridged.giveUp = nil
			return m.say(lang.T("no longer connecting to the editor"))
		}
		if !e.Now().Connected {
			return m.say(lang.T("no editor is connected"))
		}
		name := bridge.Name(e.Now().Bridge)
		return tea.Batch(look(func() tea.Msg { e.Disconnect(); return nil }), m.say(lang.T("disconnected from %s", name)))
	case isBeginning(arg, ideWords[0]):
		arg = ""
	}
	return tea.Batch(m.say(lang.T("connecting to the editor")), m.connectIDE(arg, false))
}

// isBeginning reports whether somebody typed a word, or the begin of it.
func isBeginning(typed, word string) bool {
	return typed != "" && strings.HasPrefix(word, strings.ToLower(typed))
}

var ideWords = []string{"connect", "disconnect"}

func completeIDE(_ *Model, prefix string) []string { return beginning(ideWords, prefix) }

// connectIDE connects off the loop; it takes a few seconds at the most.
func (m *Model) connectIDE(id string, auto bool) tea.Cmd {
	e := m.o.IDE
	ctx, cancel := m.context()
	m.bridged.giveUp = cancel
	return look(func() tea.Msg {
		defer cancel()
		b, err := e.Connect(ctx, id)
		if ctx.Err() != nil { // given up, and maybe a moment too late
			if err == nil {
				e.Disconnect()
			}
			err = ctx.Err()
		}
		return ideDone{b, err, auto}
	})
}

// ided takes the messages of the bridge.
func (m *Model) ided(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case ideFound:
		return m.pickIDE(msg), true
	case ideDone:
		m.bridgeMoved()
		if errors.Is(msg.err, context.Canceled) {
			return nil, true // whoever gave it up was told so
		}
		m.bridged.giveUp = nil
		switch {
		case msg.err == nil:
			said := lang.T("connected to %s", bridge.Name(msg.bridge))
			if s := m.o.IDE.Now(); s.Connected && !s.Diff {
				said += lang.T(", ") + lang.T("it shows no changes")
			}
			return m.say(said), true
		case msg.auto: // nobody asked just now
			return nil, true
		}
		return m.say(lang.T("not connected: %s", bridge.Why(msg.err)) + fixed(msg.err)), true
	case dialog.Show:
		return m.showInEditor(msg), true
	case dialog.Hide:
		m.hideInEditor(msg.ID, msg.Path)
		return nil, true
	}
	return nil, false
}

// fixed is what to do about an error, behind it.
func fixed(err error) string {
	if fix := bridge.Fix(err); fix != "" {
		return lang.T("; ") + fix
	}
	return ""
}

// pickIDE lets the person choose an editor to connect to.
func (m *Model) pickIDE(found ideFound) tea.Cmd {
	if len(found.list) == 0 {
		return m.say(bridge.Why(ide.ErrNone) + fixed(ide.ErrNone))
	}
	entries := make([]dialog.Entry, len(found.list))
	for i, b := range found.list {
		label, detail := bridge.Found(b, found.now)
		if folders := strings.Join(b.Folders, lang.T(", ")); folders != "" {
			detail += lang.T(" · ") + folders
		}
		entries[i] = dialog.Entry{Label: label, Detail: detail, Chosen: found.now.Connected && found.now.Bridge.ID == b.ID}
	}
	p := dialog.NewPicker(m.th, lang.T("Editor")+lang.T(": ")+bridge.State(found.now, m.o.Dir), entries, func(i int) tea.Cmd {
		b := found.list[i]
		switch {
		case found.now.Connected && found.now.Bridge.ID == b.ID:
			return m.cmdIDE(ideWords[1])
		case b.Why != nil:
			return m.say(lang.T("not connected: %s", bridge.Why(b.Why)) + fixed(b.Why))
		}
		return tea.Batch(m.say(lang.T("connecting to the editor")), m.connectIDE(b.ID, false))
	})
	p.Help = lang.T("enter connect, disconnect · esc close")
	return m.dialogs.Push(p)
}

// nameSelection puts what is selected in the editor into the prompt, as words that stand
// for it.
func (m *Model) nameSelection() tea.Cmd {
	if m.o.IDE == nil || !m.o.IDE.Now().Connected {
		return m.say(bridge.Why(ide.ErrApart) + fixed(ide.ErrApart))
	}
	word := "@editor"
	if m.o.IDE.Now().At.Text != "" {
		word = "@selection"
	}
	m.unread()
	return m.insertWords(word)
}

// mostSent is how many places the prompt takes: no more of one are read, and an editor
// that goes wild does not fill it.
const mostSent = 20

// sentFromEditor puts what the person sent from the editor into the prompt, and says so:
// they may be looking at something else. It never gets into a command, and there it
// stands once.
func (m *Model) sentFromEditor(words string) tea.Cmd {
	if strings.Count(m.comp.Value(), "@") >= mostSent {
		return m.say(lang.T("%s is not added: enough stands in the prompt", words))
	}
	said := m.say(lang.T("sent from the editor: %s", words))
	if m.comp.Shell() || strings.Contains(m.comp.Value(), words) {
		return said
	}
	return tea.Batch(said, m.insertWords(words))
}

// insertWords puts words at the cursor, apart from those before them.
func (m *Model) insertWords(words string) tea.Cmd {
	if v := m.comp.Value(); v != "" && !strings.HasSuffix(v, " ") && !strings.HasSuffix(v, "\n") {
		words = " " + words
	}
	m.comp.Attach(words + " ")
	return m.draftChanged()
}

// showInEditor has the editor show a change of a question, and waits there for the
// person, off the loop. The question stays where it is. Where none is connected, one is:
// while a question stands nothing else can be asked for.
func (m *Model) showInEditor(s dialog.Show) tea.Cmd {
	e := m.o.IDE
	ctx, cancel := m.context()
	if m.bridged.shown == nil {
		m.bridged.shown = map[string]map[string]context.CancelFunc{}
	}
	if m.bridged.shown[s.ID] == nil {
		m.bridged.shown[s.ID] = map[string]context.CancelFunc{}
	}
	m.hideInEditor(s.ID, s.Path)
	m.bridged.shown[s.ID][s.Path] = cancel
	path := m.o.absolute(s.Path)
	return func() tea.Msg {
		defer cancel()
		var o ide.Outcome
		var err error
		if err = e.Join(ctx); err == nil {
			o, err = e.Diff(ctx, path, string(s.Text))
		}
		switch {
		case ctx.Err() != nil:
			return nil // it was taken back: nobody is to hear of it
		case err != nil:
			return s.Back(dialog.Shown{Err: saidError{err}})
		}
		return s.Back(dialog.Shown{Accepted: o.Accepted, Loose: o.Loose, Text: o.Text})
	}
}

// absolute is a path as an editor is told it.
func (o Options) absolute(path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(o.Dir, path)
}

// saidError is an error of the bridge in the person's words.
type saidError struct{ err error }

func (e saidError) Error() string { return bridge.Why(e.err) }

// hideInEditor closes what the editor shows of a question: one file, or with an empty
// path all of it.
func (m *Model) hideInEditor(id, path string) {
	for p, cancel := range m.bridged.shown[id] {
		if path == "" || p == path {
			cancel()
			delete(m.bridged.shown[id], p)
		}
	}
	if len(m.bridged.shown[id]) == 0 && path == "" {
		delete(m.bridged.shown, id)
	}
}

// editorIn is the name of the editor that shows changes now; empty: none does.
func (m *Model) editorIn() string {
	if s := m.o.IDE.Now(); s.Connected && s.Diff {
		return bridge.Name(s.Bridge)
	}
	return ""
}

// editorAnswers reports whether an answer from the editor counts now.
func (m *Model) editorAnswers() bool {
	return m.o.IDE.Answers != nil && m.o.IDE.Answers()
}
