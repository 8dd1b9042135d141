package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/lang"
)

// cmdExport takes a format, a file, or both.
func (m *Model) cmdExport(arg string) tea.Cmd {
	export := m.o.Stored.Export
	if export == nil {
		return m.say(lang.T("this conversation cannot be exported"))
	}
	format, file, err := exportOf(arg)
	if err != nil {
		m.comp.SetValue("/export " + arg)
		return m.say(err.Error())
	}
	return m.between(func() tea.Msg {
		name, err := export(format, file)
		if err != nil {
			return failed{"", err}
		}
		return flashMsg{lang.T("written to %s; look at it before you give it away", name)}
	})
}

// exportOf reads a format, a file, or both.
func exportOf(arg string) (format, file string, err error) {
	format, file, _ = strings.Cut(arg, " ")
	switch format {
	case "markdown", "html", "jsonl", "md", "json", "":
		return format, strings.TrimSpace(file), nil
	}
	if file != "" && !strings.ContainsAny(format, "./\\") { // no file is meant by the first of two words
		return "", "", errors.New(lang.T("no format %s; there are markdown, html and jsonl", format))
	}
	return "", strings.TrimSpace(arg), nil
}

func (m *Model) completeExport(prefix string) []string {
	return beginning([]string{"markdown", "html", "jsonl"}, prefix)
}
