package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"forge/ui/doctor"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// Feedback is what the screen adds to a report about forge.
type Feedback struct {
	Seen   doctor.Terminal
	Errors []string // what it said went wrong, the oldest first
	Talk   bool     // the conversation is asked for, too
}

// FeedbackFile is a report that was written. Nothing was sent.
type FeedbackFile struct {
	Path, Text string
	URL        string // where it can be made known; empty: nowhere public
}

// written brings a report to the window that waits for it.
type written struct {
	pager *pager
	file  FeedbackFile
}

// errorsTold is how many errors of the screen go into a report.
const errorsTold = 5

// withTalk is the argument that adds the conversation.
const withTalk = "conversation"

func completeFeedback(_ *Model, prefix string) []string { return beginning([]string{withTalk}, prefix) }

// cmdFeedback writes a report and shows it: the person reads it before anybody else
// does.
func (m *Model) cmdFeedback(arg string) tea.Cmd {
	write := m.o.Feedback
	if write == nil {
		return m.say(lang.T("no report can be written here"))
	}
	if arg != "" && arg != withTalk {
		return m.say(lang.T("/feedback takes nothing, or %s to add it to the report", withTalk))
	}
	w := Feedback{Seen: m.seen(), Errors: m.lastErrors(), Talk: arg == withTalk}
	p := &pager{title: lang.T("Feedback"), note: lang.T("examining; this takes a few seconds"), draw: func(*theme.Theme, int) []string { return nil }}
	m.pager = p
	return func() tea.Msg {
		ctx, cancel := m.context()
		defer cancel()
		var file FeedbackFile
		err := guard(func() (err error) { file, err = write(ctx, w); return err })
		if err != nil {
			return windowFailed{p, failed{lang.T("feedback"), err}}
		}
		return written{p, file}
	}
}

// lastErrors are the errors the transcript shows, the last few.
func (m *Model) lastErrors() []string {
	var out []string
	for _, p := range slices.Backward(m.tr.panes) {
		if mt := matterOf(p); mt.kind == isNoted && mt.title == lang.T("error") {
			out = append(out, mt.text)
		}
		if len(out) == errorsTold {
			break
		}
	}
	slices.Reverse(out)
	return out
}

// windowFailed says that a window stays empty, and why.
type windowFailed struct {
	pager *pager
	failed
}

// filled takes what a window waited for.
func (m *Model) filled(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case examined:
		p := msg.pager
		p.text, p.file, p.note, p.list = msg.report.Plain(), "forge-doctor.txt", "", nil
		p.draw = func(th *theme.Theme, w int) []string { return msg.report.View(th, w) }
	case written:
		p := msg.pager
		p.text, p.file, p.list = msg.file.Text, "forge-feedback.md", nil
		p.note = m.o.Keys.Named(lang.T("nothing was sent; e opens a copy"), keymap.PagerEditor) + lang.T(" · ") + lang.T("the report is %s", safe.Line(msg.file.Path))
		p.draw = func(th *theme.Theme, w int) []string {
			var rows []string
			rows = append(rows, wrap(lang.T("Read this, and send it where you report what is wrong. It was written to:"), w, th.Strong)...)
			rows = append(rows, wrap(safe.Line(msg.file.Path), w, th.Accent)...)
			if msg.file.URL != "" {
				rows = append(rows, wrap(lang.T("This address begins a report with the outline of it:"), w, th.Strong)...)
				rows = append(rows, wrap(safe.Line(msg.file.URL), w, th.Accent)...)
			}
			return append(append(rows, ""), wrap(safe.Output(p.text), w, th.Text)...)
		}
	case windowFailed:
		if m.pager == msg.pager {
			m.pager = nil
		}
		return m.show(msg.failed), true
	default:
		return nil, false
	}
	return nil, true
}

// Reporter writes a report about forge; it is called off the loop.
type Reporter func(ctx context.Context, w Feedback) (FeedbackFile, error)
