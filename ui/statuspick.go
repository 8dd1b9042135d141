package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
)

// The settings of the line.
const (
	statusSetting  = "screen.status"
	commandSetting = "screen.status_command"
	titleSetting   = "screen.title_shows"
)

// cmdStatusLine has the parts of the line chosen. The line beneath is the result at once;
// it is kept when the list is closed.
func (m *Model) cmdStatusLine(string) tea.Cmd {
	before := m.status.arranged()
	parts := statusParts()
	var p *dialog.Picker
	put := func(a arrangement) {
		m.status.places = &a
		p.Renew(m.statusEntries(a))
	}
	p = dialog.NewPicker(m.th, lang.T("Status line"), m.statusEntries(before), func(i int) tea.Cmd {
		if i == len(parts) {
			put(usualStatus())
			return nil
		}
		put(m.status.arranged().turned(parts[i][0]))
		return m.readPlace()
	})
	p.Point(0)
	p.Stay = true
	p.Help = m.o.Keys.Named(lang.T("enter left, right, away · shift+up shift+down order · esc close"), keymap.ListEarlier, keymap.ListLater)
	move := func(by int) func(int) tea.Cmd {
		return func(i int) tea.Cmd {
			if i < len(parts) {
				put(m.status.arranged().moved(parts[i][0], by))
			}
			return nil
		}
	}
	p.Do = map[keymap.Action]func(int) tea.Cmd{keymap.ListEarlier: move(-1), keymap.ListLater: move(1)}
	p.Leave = func() tea.Cmd { return m.keepStatus(before) }
	return m.dialogs.Push(p)
}

// statusEntries lists the parts with where each stands, and what puts all of them back.
func (m *Model) statusEntries(a arrangement) []dialog.Entry {
	var out []dialog.Entry
	for _, part := range statusParts() {
		place := lang.T("away")
		for i, name := range a.left {
			if name == part[0] {
				place = lang.T("left %s", strconv.Itoa(i+1))
			}
		}
		for i, name := range a.right {
			if name == part[0] {
				place = lang.T("right %s", strconv.Itoa(i+1))
			}
		}
		out = append(out, dialog.Entry{Label: part[0], Detail: place + lang.T(" · ") + lang.T(part[1]), Chosen: a.side(part[0]) != 0})
	}
	return append(out, dialog.Entry{Label: lang.T("as usual"), Detail: lang.T("the line nobody arranged")})
}

// keepStatus stores the line as it is now, where it is another than before.
func (m *Model) keepStatus(before arrangement) tea.Cmd {
	a := m.status.arranged()
	if a.same(before) {
		return nil
	}
	o := m.o.Settings
	if o == nil {
		return m.say(lang.T("the status line stays so until forge ends"))
	}
	return tea.Batch(m.say(lang.T("the status line stays so, and at the next start")), func() tea.Msg {
		var err error
		if a.same(usualStatus()) {
			err = o.Unset(statusSetting)
		} else {
			err = o.Set(statusSetting, `["`+strings.Join(a.names(), `", "`)+`"]`)
		}
		if err != nil {
			return failed{lang.T("it holds for now, but is not stored"), err}
		}
		return nil
	})
}

// tookStatus puts a stored setting of the line in force; ok is false for any other.
func (m *Model) tookStatus(k settingKept) (cmd tea.Cmd, ok bool) {
	switch k.name {
	case commandSetting:
		m.setScript(k.value)
	case statusSetting:
		m.status.places = nil
		if k.value == "" {
			break
		}
		if list, err := typedList(k.value); err == nil {
			a := arranged(list)
			m.status.places = &a
		}
	case titleSetting:
		m.o.TitleShows = nil
		if list, err := typedList(k.value); err == nil && k.value != "" {
			m.o.TitleShows = list
		}
	default:
		return nil, false
	}
	return m.readPlace(), true
}
