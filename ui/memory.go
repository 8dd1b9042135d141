package ui

import (
	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/lang"
	"forge/ui/ledger"
	"forge/ui/theme"
)

// MemoryInfo is a file of instructions the model has, for /memory.
type MemoryInfo struct {
	Name, Text string
	Tokens     int
	User       bool // the person's own, for every project
	Touched    bool // it came when its folder was touched
}

// memoryRows is how many rows of one file are shown.
const memoryRows = 200

func (m *Model) cmdMemory(string) tea.Cmd {
	list := m.o.Memory
	if list == nil {
		return m.say(lang.T("no instructions are read here"))
	}
	return look(func() tea.Msg { return memoryRead{list()} })
}

// memoryRead brings the instructions that /memory shows.
type memoryRead struct{ all []MemoryInfo }

func (m *Model) showMemory(all []MemoryInfo) tea.Cmd {
	if len(all) == 0 {
		return m.say(lang.T("there is no AGENTS.md or CLAUDE.md; /init writes one"))
	}
	m.pager = &pager{title: lang.T("Instructions"), draw: func(th *theme.Theme, w int) []string {
		var rows []string
		for _, f := range all {
			rows = append(rows, th.Title.Apply(clip(f.Name, w, th)), th.Muted.Apply(clip(f.note(), w, th)))
			text := wrap(f.Text, max(1, w-2*gutter), th.Text)
			if len(text) > memoryRows {
				text = append(text[:memoryRows:memoryRows], th.Faint.Apply(lang.T("%s more", plural(len(text)-memoryRows, "row"))))
			}
			rows = append(append(rows, indent(text, gutter)...), "")
		}
		return rows
	}}
	return nil
}

// note says what one costs, and whose it is.
func (f MemoryInfo) note() string {
	whose := lang.T("this project")
	switch {
	case f.User:
		whose = lang.T("your own")
	case f.Touched:
		whose = lang.T("read when its folder was touched")
	}
	return ledger.Tokens(f.Tokens) + lang.T(", ") + whose
}

// cmdInit lets the model write a first file of instructions, by its own tools and past
// the person's eyes.
func (m *Model) cmdInit(arg string) tea.Cmd {
	return m.submit(InitText(arg))
}

// InitText asks for the instructions of a project, and for what else they shall hold.
func InitText(arg string) string {
	if arg == "" {
		return agent.InitPrompt
	}
	return agent.InitPrompt + "\n\n" + arg
}
