package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/ui/composer"
	"forge/ui/dialog"
	"forge/ui/lang"
)

// Setting is a key of the person's settings file.
type Setting struct {
	Name, About string
	Words       []string // the values there are; none: any that Settings.Set takes
	Value       string   // as it is typed; empty: unset
	Default     string
	Source      string // what sets it: a file, a flag; empty: nothing
	Now         bool   // a change takes effect at once
}

// Settings is the editor of the settings file. Its functions are called off the loop.
type Settings struct {
	File string
	List func() []Setting
	// Set stores a value; an error says what is wrong with it, and nothing is stored.
	Set   func(name, value string) error
	Unset func(name string) error
}

// Messages of the settings.
type (
	settingsMsg struct {
		list []Setting
		want string // the one to be changed at once
		at   string // the one to be chosen in the list
	}
	settingKept    struct{ name, value string }
	settingRefused struct {
		s     Setting
		typed string
		err   error
	}
)

func (m *Model) cmdSettings(arg string) tea.Cmd { return m.readSettings(arg, "") }

// searchSetting completes a setting's name. It runs off the loop.
func (m *Model) searchSetting(prefix string) []composer.Found {
	if m.o.Settings == nil {
		return nil
	}
	var out []composer.Found
	for _, s := range m.o.Settings.List() {
		if strings.HasPrefix(s.Name, prefix) && s.Name != prefix {
			out = append(out, composer.Found{Text: s.Name, About: lang.Said(s.About)})
		}
	}
	return out
}

func (m *Model) readSettings(want, at string) tea.Cmd {
	if m.o.Settings == nil {
		return m.say(lang.T("the settings cannot be changed here"))
	}
	list := m.o.Settings.List
	return func() tea.Msg { return settingsMsg{list(), want, at} }
}

// settingsMsg takes the messages of the settings.
func (m *Model) settingsMsg(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case settingsMsg:
		if msg.want != "" {
			if i := slices.IndexFunc(msg.list, func(s Setting) bool { return s.Name == msg.want }); i >= 0 {
				return m.changeSetting(msg.list[i]), true
			}
			return m.say(lang.T("no setting %s; /settings lists them", msg.want)), true
		}
		return m.pickSetting(msg.list, msg.at), true
	case settingKept:
		return m.tookSetting(msg), true
	case settingRefused: // what was typed is there to be mended
		return m.typeSetting(msg.s, msg.typed, lang.T("not stored")+": "+oneLine(msg.err)), true
	}
	return nil, false
}

func (m *Model) pickSetting(list []Setting, at string) tea.Cmd {
	entries := make([]dialog.Entry, len(list))
	for i, s := range list {
		value := s.Value
		switch {
		case value != "" && s.Source != "":
			value += " (" + s.Source + ")"
		case value == "" && s.Default != "":
			value = lang.T("unset: %s", lang.Said(s.Default))
		case value == "":
			value = lang.T("unset")
		}
		entries[i] = dialog.Entry{Label: s.Name, Detail: value + lang.T(" · ") + lang.Said(s.About), Chosen: s.Name == at}
	}
	p := dialog.NewPicker(m.th, lang.T("Settings"), entries, func(i int) tea.Cmd { return m.changeSetting(list[i]) })
	p.Help = lang.T("enter change · esc close · %s", m.o.Settings.File)
	return m.dialogs.Push(p)
}

// changeSetting asks for another value: one of its words, or any text.
func (m *Model) changeSetting(s Setting) tea.Cmd {
	if s.Name == statusSetting {
		return m.cmdStatusLine("")
	}
	if len(s.Words) > 0 {
		entries := []dialog.Entry{}
		for _, w := range s.Words {
			entries = append(entries, dialog.Entry{Label: w, Chosen: w == s.Value})
		}
		if s.Value != "" {
			entries = append(entries, dialog.Entry{Label: lang.T("unset"), Detail: lang.Said(s.Default)})
		}
		p := dialog.NewPicker(m.th, s.Name, entries, func(i int) tea.Cmd {
			if i < len(s.Words) {
				return m.keepSetting(s, s.Words[i])
			}
			return m.keepSetting(s, "")
		})
		p.Leave = func() tea.Cmd { return m.readSettings("", s.Name) }
		return m.dialogs.Push(p)
	}
	return m.typeSetting(s, s.Value, "")
}

// typeSetting has a value written; wrong says why the one that stands there was refused.
func (m *Model) typeSetting(s Setting, typed, wrong string) tea.Cmd {
	body := lang.Said(s.About)
	if wrong != "" {
		body = wrong
	}
	q := tools.Question{ID: "setting", Title: s.Name, Body: body, Fields: []tools.Field{{Name: "value", Label: lang.T("empty: unset"), Default: typed}}}
	reply := make(chan tools.Reply, 1)
	push := m.dialogs.Push(wanted{dialog.NewQuestion(m.th, q, func(r tools.Reply) { reply <- r })})
	ctx, cancel := m.context()
	keep := m.storeSetting(s)
	list := m.o.Settings.List
	return tea.Batch(push, func() tea.Msg {
		defer cancel()
		select {
		case r := <-reply:
			if r.Choice == "" {
				return settingsMsg{list(), "", s.Name}
			}
			typed := strings.TrimSpace(r.Values["value"])
			said := keep(typed)
			if f, refused := said.(failed); refused {
				return settingRefused{s, typed, f.err}
			}
			return said
		case <-ctx.Done():
			return nil
		}
	})
}

func (m *Model) keepSetting(s Setting, value string) tea.Cmd {
	keep := m.storeSetting(s)
	return func() tea.Msg { return keep(value) }
}

// storeSetting stores a value off the loop; an empty one takes the setting out.
func (m *Model) storeSetting(s Setting) func(value string) tea.Msg {
	o := m.o.Settings
	return func(value string) tea.Msg {
		var err error
		switch {
		case value == s.Value:
		case value == "":
			err = o.Unset(s.Name)
		default:
			err = o.Set(s.Name, value)
		}
		if err != nil {
			return failed{lang.T("not stored"), err}
		}
		return settingKept{s.Name, value}
	}
}

// tookSetting puts a stored value in force where that can be done at once, and says
// from when it holds where it cannot.
func (m *Model) tookSetting(k settingKept) tea.Cmd {
	back := m.readSettings("", k.name)
	if cmd, ok := m.takeSetting(k); ok {
		return tea.Batch(cmd, m.say(lang.T("%s is stored, and in force", k.name)), back)
	}
	switch k.name {
	case "theme":
		m.o.Theme = k.value
		back = tea.Batch(m.readTheme(k.value, setTheme), back)
	case "lang":
		tag := k.value
		if tag == "" {
			tag = lang.Detect(m.o.Getenv)
		}
		if err := lang.Use(tag); err != nil {
			return tea.Batch(m.show(failed{"", err}), back)
		}
		m.speak()
	case "favorite_models": // read whenever they are wanted
	default:
		return tea.Batch(m.say(lang.T("%s is stored; it holds from the next start on", k.name)), back)
	}
	return tea.Batch(m.say(lang.T("%s is stored, and in force", k.name)), back)
}

// atOnce are the settings that takeSetting puts in force.
func atOnce() []string {
	return []string{vimSetting, escapeSetting, spellingSetting, emojiSetting, reasoningSetting, barSetting, inlineSetting, motionSetting, focusSetting, timesSetting, tipsSetting, panelSetting, wheelSetting, commandSetting, statusSetting, titleSetting, dictateSetting, awayLineSetting, recapSetting, suggestSetting}
}

// takeSetting puts a value in force, if that can be done while forge runs.
func (m *Model) takeSetting(k settingKept) (cmd tea.Cmd, ok bool) {
	if m.tookLooks(k) {
		return nil, true
	}
	if k.name == panelSetting {
		return m.setPanel(k.value == "true"), true
	}
	if cmd, ok := m.tookStatus(k); ok {
		return cmd, true
	}
	switch k.name {
	case vimSetting:
		m.comp.SetVim(k.value == "true")
	case escapeSetting:
		m.comp.SetVimEscape(k.value)
	case spellingSetting:
		return m.tookSpelling(k.value), true
	case tipsSetting:
		m.o.NoTips = k.value == "false"
	case emojiSetting:
		m.comp.SetEmoji(emojiNames(k.value != "false"))
	case dictateSetting:
		return nil, m.tookDictation(k.value)
	default:
		return nil, false
	}
	return nil, true
}

// cmdLang changes the language of forge's own words, now and for later.
func (m *Model) cmdLang(arg string) tea.Cmd {
	tags := lang.Tags()
	if arg != "" {
		return m.setLang(arg)
	}
	entries := make([]dialog.Entry, len(tags))
	for i, tag := range tags {
		entries[i] = dialog.Entry{Label: tag, Detail: lang.Name(tag), Chosen: tag == lang.Tag()}
	}
	return m.dialogs.Push(dialog.NewPicker(m.th, lang.T("Language"), entries, func(i int) tea.Cmd { return m.setLang(tags[i]) }))
}

func (m *Model) setLang(tag string) tea.Cmd {
	if err := lang.Use(tag); err != nil {
		return m.show(failed{"", err})
	}
	m.speak()
	if m.o.Settings == nil {
		return m.say(lang.T("the language is %s now", tag))
	}
	set := m.o.Settings.Set
	return tea.Batch(m.say(lang.T("the language is %s now, and at the next start", tag)), func() tea.Msg {
		if err := set("lang", tag); err != nil {
			return failed{lang.T("the language holds for now, but is not stored"), err}
		}
		return nil
	})
}

func (m *Model) completeLang(prefix string) []string { return beginning(lang.Tags(), prefix) }

// speak draws everything anew in another language. What the past said stays as it was
// said.
func (m *Model) speak() {
	m.comp.SetPlaceholder(lang.T(placeholder))
	m.comp.SetCommands(m.menu())
	m.retheme() // rows are kept for a theme
}
