package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"forge/tools/permission"
	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/ledger"
)

// Power is one line of what may run without a question, or may not: a rule, or a
// grant of this session. Text and Detail are English where forge wrote them.
type Power struct {
	Text   string
	Detail string
	// Revoke takes it back, off the loop; nil: it is not the person's to take back.
	Revoke func() error
}

// ToolChoice is a tool the model may be given.
type ToolChoice struct {
	Name, Owner, About string
	Tokens             int // of its description, about
	On                 bool
	// Deferred ones are found by search; their description costs nothing before.
	Deferred bool
}

type (
	powersMsg struct{ list []Power }
	toolsMsg  struct{ list []ToolChoice }
)

// cmdPermissions lists the mode, the rules and the grants; one of the person's can be
// taken back.
func (m *Model) cmdPermissions(string) tea.Cmd {
	list := m.o.Powers
	if list == nil {
		return m.say(lang.T("the permissions cannot be shown here"))
	}
	return func() tea.Msg { return powersMsg{list()} }
}

func (m *Model) pickPower(list []Power) tea.Cmd {
	entries := []dialog.Entry{{Label: lang.T("mode %s", modeName(m.status.mode)), Detail: m.o.Keys.Named(lang.T("enter chooses another"), keymap.ListChoose)}}
	for _, p := range list {
		entries = append(entries, dialog.Entry{Label: lang.Said(p.Text), Detail: lang.Said(p.Detail)})
	}
	p := dialog.NewPicker(m.th, lang.T("Permissions"), entries, func(i int) tea.Cmd {
		if i == 0 {
			return m.pickMode()
		}
		return m.askRevoke(list[i-1])
	})
	p.Help = lang.T("enter change or take back · esc close")
	return m.dialogs.Push(p)
}

// askRevoke has a rule or grant taken back on a second Enter.
func (m *Model) askRevoke(p Power) tea.Cmd {
	if p.Revoke == nil {
		return tea.Batch(m.say(lang.T("this one is not yours to take back: %s", lang.Said(p.Detail))), m.cmdPermissions(""))
	}
	entries := []dialog.Entry{{Label: lang.T("keep it")}, {Label: lang.T("take it back"), Detail: lang.Said(p.Detail)}}
	return m.dialogs.Push(dialog.NewPicker(m.th, lang.Said(p.Text), entries, func(i int) tea.Cmd {
		if i == 0 {
			return m.cmdPermissions("")
		}
		list := m.o.Powers
		return func() tea.Msg {
			if err := p.Revoke(); err != nil {
				return failed{lang.T("take it back"), err}
			}
			return powersMsg{list()}
		}
	}))
}

// pickMode lets the mode be chosen from a list that says what each does. Yolo is
// not in it: that is asked for by its name.
func (m *Model) pickMode() tea.Cmd {
	all := []struct{ name, about string }{
		{"ask", lang.T("writes, commands and what is unknown ask")},
		{"edits", lang.T("edits inside the workspace run, the rest asks")},
		{"plan", lang.T("nothing changes: what would is refused")},
		{"auto", lang.T("asks only about what is HIGH and above")},
	}
	entries := make([]dialog.Entry, len(all))
	for i, c := range all {
		label := c.name
		if said := modeName(permission.Mode(c.name)); lang.Tag() != lang.English { // what the status line says, and what is typed
			label = said + "  " + c.name
		}
		entries[i] = dialog.Entry{Label: label, Detail: c.about, Chosen: c.name == string(m.status.mode)}
	}
	return m.dialogs.Push(dialog.NewPicker(m.th, lang.T("How much runs without a question"), entries, func(i int) tea.Cmd { return m.cmdMode(all[i].name) }))
}

// cmdTools lists the tools with what they cost; Enter switches one.
func (m *Model) cmdTools(string) tea.Cmd {
	if m.o.Tools == nil {
		return m.say(lang.T("the tools cannot be shown here"))
	}
	list := m.o.Tools
	return func() tea.Msg { return toolsMsg{list()} }
}

func (m *Model) pickTool(list []ToolChoice) tea.Cmd {
	set, read, turns := m.o.SwitchTool, m.o.Tools, &switching{}
	var p *dialog.Picker
	put := func(now []ToolChoice) {
		list = now
		p.Title = toolsTitle(now)
		p.Renew(toolEntries(now))
	}
	p = dialog.NewPicker(m.th, toolsTitle(list), toolEntries(list), func(i int) tea.Cmd {
		t := list[i]
		if set == nil {
			return m.say(lang.T("the tools cannot be switched here"))
		}
		now := slices.Clone(list)
		now[i].On = !t.On
		put(now)
		return turns.do(lang.T("switch %s", t.Name), func() error { return set(t.Name, !t.On) }, func() func() {
			all := read()
			return func() { put(all) }
		})
	})
	p.Stay = true
	p.Help = lang.T("enter on, off: the next request is read anew · esc close")
	return m.dialogs.Push(p)
}

// toolsTitle says what the tools cost that are told of in each request.
func toolsTitle(list []ToolChoice) string {
	sum := 0
	for _, t := range list {
		if t.On && !t.Deferred {
			sum += t.Tokens
		}
	}
	return lang.T("Tools: %s tokens of each request", ledger.Count(sum))
}

func toolEntries(list []ToolChoice) []dialog.Entry {
	entries := make([]dialog.Entry, len(list))
	for i, t := range list {
		state := lang.T("on")
		switch {
		case !t.On:
			state = lang.T("off")
		case t.Deferred:
			state = lang.T("found by search")
		}
		entries[i] = dialog.Entry{Label: t.Name, Detail: state + lang.T(" · ") + ledger.Tokens(t.Tokens) + lang.T(" · ") + t.Owner + lang.T(" · ") + t.About}
	}
	return entries
}

// empowered takes the messages of permissions, hooks and tools.
func (m *Model) empowered(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case powersMsg:
		return m.pickPower(msg.list), true
	case skillsMsg:
		return m.pickSkill(msg.list), true
	case hooksMsg:
		return m.pickHook(msg.list), true
	case toolsMsg:
		return m.pickTool(msg.list), true
	case switched:
		return m.tookSwitched(msg), true
	}
	return nil, false
}
