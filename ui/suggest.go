package ui

import (
	"context"
	"log/slog"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/agent/mark"
	"forge/ui/composer"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
)

// A next prompt, suggested behind an answer where the person wants that: the model is
// asked beside the work for one, which then stands in the empty prompt and is no text
// before it is taken. Whatever is pressed or begun meanwhile ends it.

const suggestSetting = "screen.suggest"

// suggestCells is how wide a suggestion may be: a longer one is no short prompt.
const suggestCells = 100

// suggestion is what is known of the one that is being asked for.
type suggestion struct {
	id   int                // counts them
	stop context.CancelFunc // ends it; nil: none is asked for
}

// suggested brings one, or why there is none.
type suggested struct {
	id   int
	text string
	used agent.Totals
	err  error
}

// suggest asks for one behind an answer, where nobody has begun with something else.
func (m *Model) suggest() tea.Cmd {
	ask, feed := m.o.Suggest, m.o.Feed
	if !m.o.Suggests || ask == nil || m.busy() || m.changing > 0 || m.hears != nil || !m.comp.Empty() || m.dialogs.Active() {
		return nil
	}
	m.unsuggest()
	ctx, cancel := m.context()
	m.suggestion.id++
	m.suggestion.stop = cancel
	id := m.suggestion.id
	return func() tea.Msg {
		defer cancel()
		s := suggested{id: id}
		s.err = guard(func() (err error) { s.text, s.used, err = ask(ctx); return err })
		feed.send(s)
		return nil
	}
}

// unsuggest ends the one that is asked for, and takes the one away that is shown.
func (m *Model) unsuggest() {
	if m.suggestion.stop != nil {
		m.suggestion.stop()
		m.suggestion.stop = nil
	}
	m.comp.SetGhost("", "")
}

// suggestSaid shows one that came in time.
func (m *Model) suggestSaid(s suggested) {
	m.usedBeside(s.used)
	if s.id != m.suggestion.id || m.suggestion.stop == nil {
		return
	}
	m.suggestion.stop = nil
	switch text := promptIn(s.text); {
	case s.err != nil:
		slog.Info("no prompt was suggested", "err", s.err)
	case text == "":
		slog.Info("what was suggested is no short prompt", "bytes", len(s.text))
	case !m.busy() && m.comp.Empty() && !m.dialogs.Active():
		m.comp.SetGhost(text, m.o.Keys.Named(lang.T("tab takes it"), keymap.SuggestTake))
	}
}

// takesSuggestion reports whether a key takes the one that is shown.
func (m *Model) takesSuggestion(key string) bool {
	return m.comp.Ghost() != "" && m.prefix == "" && m.comp.Empty() && m.reads == nil && !m.covered() && !m.dialogs.Active() &&
		m.o.Keys.Action(keymap.Suggest, key) == keymap.SuggestTake
}

// promptIn is the prompt in what a model said, one line of words; empty: there is none.
// What would run as a command of the person's, or of the screen, is none, and nothing in
// it brings a file along: it was not the person who wrote it.
func promptIn(said string) string {
	line := ""
	for l := range strings.Lines(said) {
		if l = strings.TrimSpace(l); l == "" {
			continue
		} else if line != "" {
			return ""
		}
		line = l
	}
	for _, lead := range []string{"- ", "* ", "> ", "# ", "› "} {
		line = strings.TrimSpace(strings.TrimPrefix(line, lead))
	}
	for _, pair := range []string{"\"\"", "''", "``", "“”", "‘’", "「」", "『』", "«»", "****", "**"} {
		open := pair[:len(pair)/2]
		if inner, ok := strings.CutPrefix(line, open); ok {
			if inner, ok = strings.CutSuffix(inner, pair[len(open):]); ok && !strings.Contains(inner, open) {
				line = strings.TrimSpace(inner)
			}
		}
	}
	words := strings.Fields(line)
	for i, w := range words {
		words[i] = strings.TrimLeft(w, "@")
	}
	line = strings.Join(words, " ")
	switch {
	case strings.Trim(line, "-–—.…") == "", strings.HasPrefix(line, "/"), strings.HasPrefix(line, "!"):
		return ""
	case safe.Line(line) != line, !composer.Editable(line), safe.Width(line) > suggestCells:
		return ""
	case mark.Short(line) != line: // it names a picture
		return ""
	}
	return line
}
