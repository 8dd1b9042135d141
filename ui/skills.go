package ui

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/ui/dialog"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// Skills is what the faces can do with skills. Both functions are called off the loop.
type Skills struct {
	List   func() []SkillInfo
	Switch func(name string, on bool) error
}

// SkillInfo is a skill there is; without a name, a file that is none, and the one note why.
type SkillInfo struct {
	Name, About, License string
	File                 string // its SKILL.md, for a person
	Off                  bool   // the person switched it off
	Waits                bool   // it is the project's, and not trusted yet
	Over                 string // the file of a nearer one with its name, which is meant
	Person, Model        bool   // only a person calls it; only the model loads it
	Notes                []string
}

type skillsMsg struct{ list []SkillInfo }

// state says in a few words how a skill stands.
func (s SkillInfo) state() string {
	switch {
	case s.Name == "":
		return lang.T("no skill")
	case s.Over != "":
		return lang.T("hidden by %s", safe.Line(s.Over))
	case s.Off:
		return lang.T("off")
	case s.Waits:
		return lang.T("not trusted")
	case s.Person:
		return lang.T("on, when you call it")
	case s.Model:
		return lang.T("on, when the model wants it")
	}
	return lang.T("on")
}

// facts are the state, the notes, the place and what it is for.
func (s SkillInfo) facts() []string {
	out := append([]string{s.state()}, s.Notes...)
	if s.Name != "" {
		out = append(out, s.File)
	}
	for _, more := range []string{s.About, s.License} {
		if more != "" {
			out = append(out, more)
		}
	}
	for i := range out {
		out[i] = safe.Line(out[i])
	}
	return out
}

// cmdSkills lists the skills; Enter writes one into the prompt.
func (m *Model) cmdSkills(string) tea.Cmd {
	if m.o.Skills == nil {
		return m.say(lang.T("skills cannot be shown here"))
	}
	list := m.o.Skills.List
	return look(func() tea.Msg { return skillsMsg{list()} })
}

// pickSkill lists them; ctrl+x switches one.
func (m *Model) pickSkill(list []SkillInfo) tea.Cmd {
	if len(list) == 0 {
		return m.say(lang.T("there are no skills; a folder with a SKILL.md in .agents/skills, .claude/skills or .forge/skills is one"))
	}
	var p *dialog.Picker
	put := func(now []SkillInfo) {
		list = now
		p.Renew(skillEntries(now))
	}
	p = dialog.NewPicker(m.th, lang.T("Skills"), skillEntries(list), func(i int) tea.Cmd {
		switch s := list[i]; {
		case s.Name == "" || s.Over != "" || s.Model:
			return m.say(safe.Line(strings.Join(append([]string{s.File}, s.facts()...), lang.T(" · "))))
		case s.Off:
			return m.say(lang.T("%s is off; it can be switched on in /skills", s.Name))
		default:
			m.comp.Prepend("/" + s.Name + " ")
			return m.draftChanged()
		}
	})
	skills, turns := m.o.Skills, &switching{}
	p.Do = map[keymap.Action]func(int) tea.Cmd{keymap.ListDelete: func(i int) tea.Cmd {
		s := list[i]
		if s.Name == "" {
			return nil
		}
		now := slices.Clone(list)
		now[i].Off = !s.Off
		put(now)
		return turns.do(lang.T("switch %s", s.Name), func() error { return skills.Switch(s.Name, s.Off) }, func() func() {
			all := skills.List()
			return func() { put(all) }
		})
	}}
	p.Show = func(i, w int) (rows []string) { // all of what the row has no room for
		for _, text := range list[i].facts() {
			rows = append(rows, wrap(text, max(1, w), m.th.Muted)...)
		}
		return rows[:min(len(rows), 8)]
	}
	p.Help = strings.Join([]string{lang.T("enter write it"), lang.T("ctrl+x on, off"), lang.T("esc close")}, lang.T(" · "))
	return m.dialogs.Push(p)
}

func skillEntries(list []SkillInfo) []dialog.Entry {
	entries := make([]dialog.Entry, len(list))
	for i, s := range list {
		label := s.Name
		if label == "" {
			label = s.File
		}
		entries[i] = dialog.Entry{Label: safe.Line(label), Detail: strings.Join(s.facts(), lang.T(" · "))}
	}
	return entries
}

// skills says the skills there are; with a name, what is known of one; with on or off before
// it, it is switched.
func (l *lines) skills(_ context.Context, arg string, say func(string)) (*linear.Choice, error) {
	words := strings.Fields(arg)
	all := l.now().Skills.List()
	if len(words) == 2 && (words[0] == "on" || words[0] == "off") {
		for _, s := range all {
			if s.Name == words[1] {
				err := l.now().Skills.Switch(s.Name, words[0] == "on")
				if err == nil {
					say(s.Name + lang.T(": ") + lang.T(words[0]))
				}
				return nil, err
			}
		}
		return nil, errors.New(lang.T("no skill %s; /skills lists them", safe.Line(words[1])))
	}
	if len(all) == 0 {
		say(lang.T("there are no skills; a folder with a SKILL.md in .agents/skills, .claude/skills or .forge/skills is one"))
		return nil, nil
	}
	said := false
	for _, s := range all {
		if arg != "" && s.Name != arg {
			continue
		}
		name := "/" + s.Name
		if s.Name == "" {
			name = s.File
		}
		say(safe.Line(name) + lang.T(": ") + strings.Join(s.facts(), lang.T(", ")))
		said = true
	}
	if !said {
		return nil, errors.New(lang.T("no skill %s; /skills lists them", safe.Line(arg)))
	}
	if arg == "" {
		say(lang.T("/skills off NAME switches one off, /skills on NAME on again"))
	}
	return nil, nil
}
