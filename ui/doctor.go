package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"forge/ui/doctor"
	"forge/ui/lang"
	"forge/ui/terminal"
	"forge/ui/theme"
)

// examined brings what the checks found to the window that waits for it.
type examined struct {
	pager  *pager
	report doctor.Report
}

// answered notes what the terminal says of itself, for /doctor.
func (m *Model) answered(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case tea.KeyboardEnhancementsMsg:
		m.answers.Keyboard = terminal.No
		if msg.SupportsKeyDisambiguation() {
			m.answers.Keyboard = terminal.Yes
		}
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeSynchronizedOutput {
			m.answers.Sync = terminal.No
			if !msg.Value.IsNotRecognized() {
				m.answers.Sync = terminal.Yes
			}
		}
	case tea.TerminalVersionMsg:
		m.answers.Name = msg.Name
		return nil, false // pictures go by it, too
	default:
		return nil, false
	}
	return nil, true
}

// seen is what is known of the terminal.
func (m *Model) seen() doctor.Terminal {
	a := m.answers
	if a.Keyboard == terminal.Unknown && a.Sync != terminal.Unknown { // it answers, but not to this
		a.Keyboard = terminal.No
	}
	return doctor.Terminal{Shown: true, W: m.w, H: m.h, Colours: strings.ToLower(m.profile.String()), Answers: a}
}

// cmdDoctor opens the window at once and fills it when the checks have ended: they
// ask the network.
func (m *Model) cmdDoctor(string) tea.Cmd {
	examine := m.o.Doctor
	if examine == nil {
		return m.say(lang.T("nothing can be examined here"))
	}
	p := &pager{title: lang.T("Doctor"), note: lang.T("examining; this takes a few seconds"), draw: func(*theme.Theme, int) []string { return nil }}
	m.pager = p
	seen := m.seen()
	return func() tea.Msg {
		ctx, cancel := m.context()
		defer cancel()
		var report doctor.Report
		if err := guard(func() error { report = examine(ctx, seen); return nil }); err != nil {
			return windowFailed{p, failed{lang.T("examine"), err}}
		}
		return examined{p, report}
	}
}

// Examiner runs the checks of /doctor; it is called off the loop.
type Examiner func(ctx context.Context, seen doctor.Terminal) doctor.Report
