package ui

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// Sharing is exporting to a page that needs nothing beside it. Nothing is sent: whoever
// shares gives the file away.

// shared reads what follows /share: a page, unless another format or file is named.
func shared(arg string) (format, file string, err error) {
	if format, file, err = exportOf(arg); err == nil && file == "" {
		format = cmp.Or(format, "html")
	}
	return format, file, err
}

func wasShared(name string) string {
	return lang.T("written to %s, secrets taken out; forge sends it nowhere. Look at it, then give it to whom you like", safe.Line(name))
}

// sharedMsg says which file was written.
type sharedMsg struct{ name string }

func (m *Model) cmdShare(arg string) tea.Cmd {
	export := m.o.Stored.Export
	if export == nil {
		return m.say(lang.T("this conversation cannot be exported"))
	}
	format, file, err := shared(arg)
	if err != nil {
		m.comp.SetValue("/share " + arg)
		return m.say(err.Error())
	}
	return m.between(func() tea.Msg {
		name, err := export(format, file)
		if err != nil {
			return failed{"", err}
		}
		return sharedMsg{name}
	})
}

func (l *lines) share(_ context.Context, arg string, say func(string)) (*linear.Choice, error) {
	format, file, err := shared(arg)
	if err != nil {
		return nil, err
	}
	name, err := l.now().Stored.Export(format, file)
	if err == nil {
		say(wasShared(name))
	}
	return nil, err
}
