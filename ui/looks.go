package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/composer"
	"forge/ui/dialog"
	"forge/ui/lang"
	"forge/ui/terminal"
	"forge/ui/theme"
)

// lookEvery is the shortest time between two looks at a theme's file. There is no timer:
// it is looked at when the system tells of a change, and where it does not, when
// something happens anyway; so an idle screen sleeps.
const lookEvery = time.Second

// Messages of the themes.
type (
	themesMsg struct {
		all      []*theme.Scheme
		problems []error
	}
	themeRead struct {
		name   string
		scheme *theme.Scheme
		err    error
		why    wearing
	}
	themeTouched struct{ next func() bool } // tells of the next change
)

// wearing is why a theme is put on.
type wearing int

const (
	mended   wearing = iota // its file was changed
	picked                  // it was chosen, and is to be stored
	setTheme                // it was stored as a setting
)

// openLook reads the theme the options name, before the first frame. What is wrong with
// it is told in the transcript; the default stays.
func (m *Model) openLook() error {
	s, err := theme.Find(m.o.ThemeDir, m.o.Theme)
	m.worn = s
	m.putOn()
	return err
}

// putOn makes the theme for this terminal.
func (m *Model) putOn() {
	m.th = m.worn.Theme(m.dark, m.profile, m.glyphs)
	m.th.Links = terminal.Linking(m.o.Links, m.o.Getenv)
}

// retheme draws everything anew in other colours.
func (m *Model) retheme() {
	m.putOn()
	m.tr.reshape(func(d *drawing) { d.th = m.th })
	m.comp.SetStyles(m.promptStyles())
	m.dialogs.SetTheme(m.th)
}

// askGround asks the terminal for its background once more when the person comes back to
// it: the desktop may have turned dark meanwhile. One that did not answer at the start is
// left alone.
func (m *Model) askGround() tea.Cmd {
	if m.away || !m.grounded {
		return nil
	}
	return tea.RequestBackgroundColor
}

// wear puts a theme on.
func (m *Model) wear(s *theme.Scheme) {
	m.worn = s
	m.retheme()
}

// promptStyles are those of the prompt.
func (m *Model) promptStyles() composer.Styles {
	s := composerStyles(m.th)
	s.Wrong = wrongStyle(m.profile, m.o.Getenv)
	return s
}

func composerStyles(t *theme.Theme) composer.Styles {
	return composer.Styles{
		Prompt: t.Title.Apply, Placeholder: t.Faint.Apply, Paste: t.Accent.Apply,
		Selected: t.Selection.Apply, Muted: t.Muted.Apply, Match: t.Accent.Apply,
		Shell: t.Warn.Apply,
	}
}

// lookAgain reads the theme anew where its files have changed, off the loop.
func (m *Model) lookAgain(msg tea.Msg) tea.Cmd {
	if !m.worn.Files() {
		return nil
	}
	watch := m.watchThemes(msg)
	switch msg.(type) {
	case tea.FocusMsg: // from the editor, perhaps
	case themeTouched:
	default:
		if m.now.Sub(m.lookedAt) < lookEvery {
			return watch
		}
	}
	m.lookedAt = m.now
	s, dir, name := m.worn, m.o.ThemeDir, m.o.Theme
	return tea.Batch(watch, func() tea.Msg {
		if !s.Changed() {
			return nil
		}
		fresh, err := theme.Find(dir, name)
		return themeRead{name, fresh, err, mended}
	})
}

// watchThemes waits for the next change of the theme files, from the first theme on that
// is one of them.
func (m *Model) watchThemes(msg tea.Msg) tea.Cmd {
	touched, again := msg.(themeTouched)
	if m.o.WatchThemes == nil || m.watching && !again {
		return nil
	}
	m.watching = true
	next, watch, dir := touched.next, m.o.WatchThemes, m.o.ThemeDir
	return func() tea.Msg {
		if next == nil {
			var err error
			if next, err = watch(dir); err != nil {
				return nil // it is looked at when something happens
			}
		}
		if !next() {
			return nil
		}
		return themeTouched{next}
	}
}

// themed takes the messages of the themes.
func (m *Model) themed(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case themesMsg:
		return m.pickTheme(msg), true
	case themeRead:
		return m.tookTheme(msg), true
	case themeTouched: // lookAgain takes it
		return nil, true
	}
	return nil, false
}

// tookTheme wears a theme that was read. One that is faulty changes nothing but what
// is watched: mended, it is read again.
func (m *Model) tookTheme(r themeRead) tea.Cmd {
	switch {
	case r.err != nil && r.why == picked:
		return m.show(failed{"", r.err})
	case r.name != m.o.Theme && r.why != picked: // another was chosen meanwhile
		return nil
	case r.err != nil:
		m.worn = m.worn.Watching(r.scheme)
		return m.show(failed{lang.T("the theme stays as it was"), r.err})
	}
	m.wear(r.scheme)
	switch r.why {
	case mended:
		return m.say(lang.T("theme %s was read again", r.scheme.Name))
	case picked:
		m.o.Theme = r.name
		return m.storeTheme(r.name)
	}
	return nil
}

func (m *Model) storeTheme(name string) tea.Cmd {
	if m.o.Settings == nil {
		return m.say(lang.T("the theme is %s now", name))
	}
	set := m.o.Settings.Set
	return tea.Batch(m.say(lang.T("the theme is %s now, and at the next start", name)), func() tea.Msg {
		if err := set("theme", name); err != nil {
			return failed{lang.T("the theme holds for now, but is not stored"), err}
		}
		return nil
	})
}

// readTheme reads a theme by name, off the loop, to be worn.
func (m *Model) readTheme(name string, why wearing) tea.Cmd {
	dir := m.o.ThemeDir
	return func() tea.Msg {
		s, err := theme.Find(dir, name)
		return themeRead{name, s, err, why}
	}
}

func (m *Model) cmdTheme(arg string) tea.Cmd {
	if arg != "" {
		return m.readTheme(arg, picked)
	}
	dir := m.o.ThemeDir
	return func() tea.Msg {
		all, problems := theme.List(dir)
		return themesMsg{all, problems}
	}
}

func (m *Model) completeTheme(prefix string) []string { return beginning(theme.Names(), prefix) }

// pickTheme lists the themes; each is worn as soon as it is chosen in the list, and the
// one before comes back where none is taken.
func (m *Model) pickTheme(list themesMsg) tea.Cmd {
	before, all := m.worn, list.all
	entries := make([]dialog.Entry, len(all))
	for i, s := range all {
		entries[i] = dialog.Entry{Label: s.Name, Detail: lang.Said(s.About), Chosen: s.Name == before.Name}
	}
	p := dialog.NewPicker(m.th, lang.T("Theme"), entries, func(i int) tea.Cmd {
		m.wear(all[i])
		m.o.Theme = all[i].Name
		return m.storeTheme(all[i].Name)
	})
	p.Help = lang.T("enter keep · esc as before")
	p.Leave = func() tea.Cmd { m.wear(before); return nil }
	p.Chosen = func(i int) { m.wear(all[i]) }
	p.Show = func(_, w int) []string { return sample(m.th, w) }
	var told []tea.Cmd
	for _, err := range list.problems {
		told = append(told, m.show(failed{"", err}))
	}
	return tea.Batch(append(told, m.dialogs.Push(p))...)
}

// sample shows what the colours of a theme are for, with the words or signs that say
// the same without them.
func sample(t *theme.Theme, w int) []string {
	g := t.Glyphs
	rows := []string{
		t.Ok.Apply(g.Ok+" "+lang.T("done")) + "  " + t.Error.Apply(g.Fail+" "+lang.T("failed")) + "  " +
			t.Warn.Apply(g.Warn+" "+lang.T("warning")) + "  " + t.Accent.Apply(lang.T("accent")) + "  " +
			t.Muted.Apply(lang.T("secondary")) + "  " + t.Faint.Apply(lang.T("faint")),
		t.Code.Keyword.Apply("func") + " " + t.Code.Func.Apply("Median") + t.Code.Punct.Apply("(") + t.Code.Text.Apply("laps []") +
			t.Code.Type.Apply("float64") + t.Code.Punct.Apply(") ") + t.Code.Comment.Apply("// "+lang.T("of a race")),
	}
	line := func(sign string, style, lead theme.Style, code theme.Code, word theme.Style, a, b, c string) string {
		return lead.Apply(sign) + style.Open + " " + code.Keyword.Apply(a) + b + word.Apply(c) + "] " + style.Close
	}
	return append(rows,
		line("-", t.Del, t.DelSign, t.DelCode, t.DelWord, "return", " sorted[", "len/2"),
		line("+", t.Add, t.AddSign, t.AddCode, t.AddWord, "return", " sorted[", "(len-1)/2"))
}
