package ui

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"forge/ui/dialog"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/spelling"
)

// spellingSetting is the setting of the languages.
const spellingSetting = "editor.spelling"

// Spelling is the person's own spelling checker. All but On may wait for it, and are
// called off the loop.
type Spelling struct {
	On    func() bool
	Check func(words []string) (map[string]spelling.Verdict, error)
	Again func() // after an error: what failed may be tried anew
	Learn func(word string) error
	Use   func(setting string) error // takes other languages, or none
}

// spelt is what the prompt knows of its words.
type spelt struct {
	verdicts map[string]spelling.Verdict
	text     string // asked about last, with the caret at
	at       int
	asking   bool
	failed   bool // it was said why nothing can be asked

	drawn   string // the text that wrong are the pieces of
	drawnAt int
	wrong   [][2]int
}

// longSpelt is the longest text whose words are looked at, in bytes.
const longSpelt = 32 << 10

// Messages of the checker.
type (
	speltMsg struct {
		verdicts map[string]spelling.Verdict
		err      error
	}
	correctMsg struct {
		text string
		speltMsg
	}
	learned struct {
		word string
		err  error
	}
	speltOut  string // the answer to /spell
	speltAnew struct{ err error }
)

// stirSpelling asks about the words that nobody was asked about yet, once the caret has
// left them. One question is open at a time, and none at rest.
func (m *Model) stirSpelling() tea.Cmd {
	s, st := m.o.Spelling, &m.spelt
	if s == nil || st.asking || st.failed {
		return nil
	}
	text, at := m.comp.Written()
	if text == st.text && at == st.at {
		return nil
	}
	st.text, st.at = text, at
	if text == "" || len(text) > longSpelt || !s.On() {
		return nil
	}
	var ask []string
	for _, w := range spelling.Words(text) {
		if word := text[w.From:w.To]; !touches(w, at) && !slices.Contains(ask, word) {
			if _, known := st.verdicts[word]; !known {
				ask = append(ask, word)
			}
		}
	}
	if len(ask) == 0 {
		return nil
	}
	st.asking = true
	return func() tea.Msg { return s.look(ask) }
}

func (s *Spelling) look(words []string) (out speltMsg) {
	if err := guard(func() (err error) { out.verdicts, err = s.Check(words); return err }); err != nil {
		out.err = err
	}
	return out
}

// touches reports whether a word is being written at the caret.
func touches(w spelling.Word, at int) bool { return w.From <= at && at <= w.To }

// misspelt are the pieces of a text that look wrong and that the caret is not in.
func (m *Model) misspelt(text string, at int) [][2]int {
	st := &m.spelt
	if len(st.verdicts) == 0 || len(text) > longSpelt {
		return nil
	}
	if st.drawn == text && st.drawnAt == at {
		return st.wrong
	}
	st.drawn, st.drawnAt, st.wrong = text, at, nil
	for _, w := range spelling.Words(text) {
		if v, known := st.verdicts[text[w.From:w.To]]; known && !v.Right && !touches(w, at) {
			st.wrong = append(st.wrong, [2]int{w.From, w.To})
		}
	}
	return st.wrong
}

// spelled takes the messages of the checker.
func (m *Model) spelled(msg tea.Msg) (tea.Cmd, bool) {
	st := &m.spelt
	switch msg := msg.(type) {
	case speltMsg:
		st.asking = false
		return m.tookVerdicts(msg, !st.failed), true
	case correctMsg:
		if cmd := m.tookVerdicts(msg.speltMsg, true); msg.err != nil {
			return cmd, true
		}
		return m.correct(msg.text), true
	case learned:
		if msg.err != nil {
			return m.show(failed{lang.T("not added to the dictionary"), msg.err}), true
		}
		m.tookVerdicts(speltMsg{verdicts: map[string]spelling.Verdict{msg.word: {Right: true}}}, false)
		return m.say(lang.T("%s is in your dictionary", msg.word)), true
	case speltOut:
		st.failed, st.text = false, ""
		return m.say(string(msg)), true
	case speltAnew:
		m.spelt = spelt{}
		if msg.err != nil {
			return m.show(failed{spellingSetting, msg.err}), true
		}
		return nil, true
	}
	return nil, false
}

// tookVerdicts keeps what the checker said, or says why it says nothing, where somebody
// has asked or does not know it yet.
func (m *Model) tookVerdicts(msg speltMsg, tell bool) tea.Cmd {
	st := &m.spelt
	if st.verdicts == nil || len(st.verdicts) > 10_000 {
		st.verdicts = map[string]spelling.Verdict{}
	}
	for w, v := range msg.verdicts {
		st.verdicts[w] = v
	}
	st.drawn, st.wrong = "", nil
	if msg.err == nil {
		st.text, st.failed = "", false // words were written meanwhile
		return nil
	}
	st.failed = true
	if !tell {
		return nil
	}
	return m.show(failed{lang.T("the spelling is not checked"), speltError(msg.err)})
}

// speltError says what is missing in the person's language.
func speltError(err error) error {
	var missing *spelling.Missing
	if !errors.As(err, &missing) {
		return errors.New(lang.T("%s; /spell tries it again", oneLine(err)))
	}
	if missing.None {
		return errors.New(lang.T("no spelling checker is installed: /doctor says which"))
	}
	return errors.New(lang.T("there is no dictionary for %s: /doctor says what to install", missing.Lang))
}

var spellingOff = lang.N("the spelling is not checked: set editor.spelling to a language, as en_GB")

// fixSpelling offers what may have been meant by the word at the caret, or by the one
// before it that looks wrong.
func (m *Model) fixSpelling() tea.Cmd {
	s := m.o.Spelling
	if s == nil || !s.On() {
		return m.say(lang.T(spellingOff))
	}
	text, _ := m.comp.Written()
	var words []string
	for _, w := range spelling.Words(text) {
		words = append(words, text[w.From:w.To])
	}
	if len(words) == 0 || len(text) > longSpelt {
		return m.say(lang.T("no word looks wrong"))
	}
	return func() tea.Msg { s.Again(); return correctMsg{text, s.look(words)} }
}

// correct opens the list for a text whose words are all known.
func (m *Model) correct(text string) tea.Cmd {
	now, at := m.comp.Written()
	if now != text || m.covered() {
		return nil // it was written on meanwhile
	}
	var chosen *spelling.Word
	for _, w := range spelling.Words(text) {
		if v, known := m.spelt.verdicts[text[w.From:w.To]]; !known || v.Right {
			continue
		}
		if chosen == nil || w.From <= at {
			chosen = &w
		}
	}
	if chosen == nil {
		return m.say(lang.T("no word looks wrong"))
	}
	from, to := chosen.From, chosen.To
	word := text[from:to]
	meant := m.spelt.verdicts[word].Meant
	meant = meant[:min(len(meant), 12)]
	var entries []dialog.Entry
	for _, s := range meant {
		entries = append(entries, dialog.Entry{Label: s})
	}
	entries = append(entries, dialog.Entry{Label: lang.T("add %s to your dictionary", word)})
	return m.dialogs.Push(dialog.NewPicker(m.th, lang.T("Spelling of %s", word), entries, func(i int) tea.Cmd {
		if i < len(meant) {
			if now, _ := m.comp.Written(); now == text {
				m.comp.Replace(from, to, meant[i])
			}
			return m.draftChanged()
		}
		learn := m.o.Spelling.Learn
		return func() tea.Msg { return learned{word, guard(func() error { return learn(word) })} }
	}))
}

// cmdSpell says which words of a text look wrong; without one, of the last prompt.
func (m *Model) cmdSpell(arg string) tea.Cmd {
	s := m.o.Spelling
	if s == nil || !s.On() {
		return m.say(lang.T(spellingOff))
	}
	if arg == "" {
		for _, p := range slices.Backward(m.comp.History()) {
			if !strings.HasPrefix(p, "/spell") {
				arg = p
				break
			}
		}
	}
	return func() tea.Msg {
		line, err := s.wrongIn(arg)
		if err != nil {
			return failed{lang.T("the spelling is not checked"), speltError(err)}
		}
		return speltOut(line)
	}
}

// wrongIn says which words of a text look wrong, and what may have been meant. It is
// asked by hand, so that a checker which failed begins anew.
func (s *Spelling) wrongIn(text string) (line string, err error) {
	var words, wrong []string
	for _, w := range spelling.Words(text) {
		if word := text[w.From:w.To]; !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	s.Again()
	verdicts, err := s.Check(words)
	if err != nil {
		return "", err
	}
	for _, w := range words {
		v := verdicts[w]
		if v.Right {
			continue
		}
		if len(v.Meant) > 0 {
			w += " (" + safe.Line(strings.Join(v.Meant[:min(len(v.Meant), 3)], ", ")) + ")"
		}
		wrong = append(wrong, w)
	}
	if len(wrong) == 0 {
		return lang.T("no word looks wrong"), nil
	}
	return lang.T("looks wrong: %s", strings.Join(wrong, "; ")), nil
}

// tookSpelling puts other languages in force.
func (m *Model) tookSpelling(value string) tea.Cmd {
	s := m.o.Spelling
	if s == nil {
		return nil
	}
	return func() tea.Msg { return speltAnew{guard(func() error { return s.Use(value) })} }
}

// wrongStyle underlines a word that looks wrong: curly and red where the terminal draws
// that, else plainly. Without colours it is underlined as well.
func wrongStyle(p colorprofile.Profile, getenv func(string) string) func(string) string {
	if p == colorprofile.NoTTY {
		return nil
	}
	open, end := "\x1b[4m", "\x1b[24m"
	if curls(getenv) {
		open = "\x1b[4:3m"
		if p > colorprofile.ASCII {
			open, end = "\x1b[4:3;58:5:1m", "\x1b[24;59m"
		}
	}
	return func(s string) string { return open + s + end }
}

// curls reports whether the terminal is known to draw curly lines, in a colour of their
// own. tmux does what the terminal around it can.
func curls(getenv func(string) string) bool {
	term := getenv("TERM")
	switch getenv("TERM_PROGRAM") {
	case "WezTerm", "ghostty", "iTerm.app", "vscode", "tmux", "mintty", "rio":
		return true
	}
	vte := getenv("VTE_VERSION")
	return slices.ContainsFunc([]string{"kitty", "ghostty", "foot", "wezterm", "contour"}, func(s string) bool { return strings.Contains(term, s) }) ||
		len(vte) > 4 || vte >= "5200" && len(vte) == 4 || getenv("KONSOLE_VERSION") != "" || getenv("WT_SESSION") != "" || getenv("TMUX") != ""
}
