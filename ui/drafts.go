package ui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
)

// How long a draft must have been left alone to be saved, and how long what is typed
// without a pause may be in memory alone.
const (
	draftRests = 300 * time.Millisecond
	draftWaits = time.Second
)

// drafting is what the screen knows of the draft on disk.
type drafting struct {
	saved   string    // as last saved
	changes int       // counts them, so that a rest is known when it comes
	since   time.Time // the first change that was not saved; zero: there is none
}

// written is all that is being written: the prompt, behind it what was put aside, and the
// words to the model in a question, which are a draft like any other until they are sent.
func (m *Model) written() string {
	parts := []string{keepable(m.comp.Draft())}
	for _, a := range slices.Backward(m.aside) {
		parts = append(parts, keepable(a.text))
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	// Behind the sign of a command the words of another draft would be the command's: it
	// is no longer first.
	if at := slices.IndexFunc(parts, func(s string) bool { return !strings.HasPrefix(s, "!") && !strings.HasPrefix(s, "/") }); at > 0 {
		words := parts[at]
		parts = slices.Insert(slices.Delete(parts, at, at+1), 0, words)
	}
	text := strings.Join(parts, "\n\n")
	if words := m.dialogs.Words(); words != "" {
		if text != "" {
			text += "\n"
		}
		text += words
	}
	return text
}

// keepable is a draft as it may be kept: nothing, where it may be a key that was written
// where none belongs, or the begin of one.
func keepable(text string) string {
	if name, arg, ok := parseCommand(text); ok && (name == "login" || name == "logout" || name == "connect" || name == "auth") && arg != "" {
		return ""
	}
	return text
}

// draftChanged saves what is being written once it has not changed for a moment, or
// has changed for long enough.
func (m *Model) draftChanged() tea.Cmd {
	if m.o.SaveDraft == nil || m.written() == m.draft.saved {
		m.draft.since = time.Time{}
		return nil
	}
	m.draft.changes++
	if m.draft.since.IsZero() {
		m.draft.since = m.o.Now()
	}
	return m.saveDraftLater(m.draft.changes)
}

func (m *Model) saveDraftLater(n int) tea.Cmd {
	return tea.Tick(draftRests, func(time.Time) tea.Msg { return saveDraftMsg{n} })
}

// saveDraftNow answers what saveDraftLater sent.
func (m *Model) saveDraftNow(n int) tea.Cmd {
	switch {
	case m.sending != "": // until it is kept elsewhere
		return m.saveDraftLater(n)
	case n == m.draft.changes, !m.draft.since.IsZero() && m.o.Now().Sub(m.draft.since) >= draftWaits:
		return m.saveDraftCmd()
	}
	return nil
}

func (m *Model) saveDraftCmd() tea.Cmd {
	m.draft.saved, m.draft.since = m.written(), time.Time{}
	text, save := m.draft.saved, m.o.SaveDraft
	return func() tea.Msg { save(text); return nil }
}

// saveDraft is for the way out, when the loop has ended.
func (m *Model) saveDraft() {
	if m.o.SaveDraft != nil {
		waiting := m.unsent()
		for i := len(waiting) - 1; i >= 0; i-- {
			m.comp.Prepend(waiting[i])
		}
		m.o.SaveDraft(m.written())
		m.keeper.save(nil)
	}
}
