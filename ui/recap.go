package ui

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// Beside asks the model one thing about the conversation, which does not see it. It is
// called off the loop, during runs too, and returns what the conversation has used.
type Beside func(ctx context.Context) (text string, used agent.Totals, err error)

// nameCells is how wide a name may be that the model made up.
const nameCells = 60

// recaps is what is known of the recap that is being asked for.
type recaps struct {
	id   int                // counts them
	on   bool               // one is being asked for
	own  bool               // by itself: the person came back, and asked for nothing
	stop context.CancelFunc // ends it
}

// dropRecap ends a recap that came by itself, where something else goes on now.
func (m *Model) dropRecap() {
	if r := &m.recap; r.on && r.own {
		r.on = false
		r.stop()
		m.recapUnsaid()
	}
}

// recapUnsaid takes back that a recap is to come.
func (m *Model) recapUnsaid() {
	if m.status.flash == lang.T("the recap is being written") {
		m.status.flash = ""
	}
}

// recapped brings a recap, or why there is none.
type recapped struct {
	id   int
	text string
	used agent.Totals
	err  error
}

// cmdRecap asks what was done here and what is open. It is shown, and no model sees it
// again.
func (m *Model) cmdRecap(string) tea.Cmd {
	ask := m.o.Recap
	switch {
	case ask == nil:
		return m.say(lang.T("nothing can be asked here"))
	case m.recap.on:
		m.recap.own = false // it is asked for now
		return m.say(lang.T("the recap is being written"))
	}
	return m.askRecap(false)
}

// recapBack asks for one in the place of a person who came back. In the midst of a run, or
// of a change of conversation, there is none: what it would tell is not over.
func (m *Model) recapBack() tea.Cmd {
	if m.o.Recap == nil || m.recap.on || m.busy() || m.changing > 0 {
		return nil
	}
	return m.askRecap(true)
}

func (m *Model) askRecap(own bool) tea.Cmd {
	ask, feed := m.o.Recap, m.o.Feed
	ctx, cancel := m.context()
	m.recap = recaps{id: m.recap.id + 1, on: true, own: own, stop: cancel}
	id := m.recap.id
	return tea.Batch(m.say(lang.T("the recap is being written")), func() tea.Msg {
		defer cancel()
		r := recapped{id: id}
		if ctx.Err() != nil { // what brought the person back was a prompt
			return nil
		}
		r.err = guard(func() (err error) { r.text, r.used, err = ask(ctx); return err })
		feed.send(r)
		return nil
	})
}

func (m *Model) recapSaid(r recapped) tea.Cmd {
	m.usedBeside(r.used)
	if r.id != m.recap.id || !m.recap.on { // it was dropped
		return nil
	}
	m.recap.on = false
	m.recapUnsaid()
	switch {
	case r.err != nil && m.recap.own:
		slog.Info("no recap for a person who came back", "err", r.err)
		return nil
	case r.err != nil:
		return m.show(failed{lang.T("recap"), r.err})
	}
	m.tr.add(newNotice(recapLine(r.text)))
	return nil
}

// recapLine is a recap as it is shown.
func recapLine(text string) string { return lang.T("recap") + lang.T(": ") + strings.TrimSpace(text) }

// usedBeside tells what the conversation has used by now; during a run its own end does.
func (m *Model) usedBeside(t agent.Totals) {
	if !m.busy() && t.Turns > 0 {
		m.status.usage, m.status.cost, m.status.costKnown = t.Usage, t.Cost, t.CostKnown
	}
}

// recap is the same in lines.
func (l *lines) recap(ctx context.Context, _ string, say func(string)) (*linear.Choice, error) {
	text, _, err := l.now().Recap(ctx)
	if err == nil {
		say(recapLine(text))
	}
	return nil, err
}

// nameAuto in a name's place has the model make one up.
const nameAuto = "auto"

func (m *Model) completeRename(prefix string) []string {
	if m.o.MakeName == nil || m.o.Stored.Rename == nil {
		return nil
	}
	return beginning([]string{nameAuto}, prefix)
}

// renameAuto gives the conversation a name that the model makes up; where that fails it
// keeps the one it has.
func (m *Model) renameAuto() tea.Cmd {
	ask, rename, feed := m.o.MakeName, m.o.Stored.Rename, m.o.Feed
	ctx, cancel := m.context()
	return tea.Batch(m.say(lang.T("asking the model for a name")), func() tea.Msg {
		defer cancel()
		err := guard(func() error {
			name, err := madeName(ctx, ask)
			if err == nil {
				feed.send(renamed(rename, name))
			}
			return err
		})
		if err != nil {
			return failed{lang.T("rename"), err}
		}
		return nil
	})
}

// madeName asks the model for a name and makes one line of what it says.
func madeName(ctx context.Context, ask Beside) (string, error) {
	text, _, err := ask(ctx)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(text) {
		line = strings.Trim(safe.Line(line), " \t\n#*_`\"'“”‘’«»「」《》.。")
		if line == "" {
			continue
		}
		if safe.Width(line) > nameCells {
			line = strings.TrimSpace(safe.Cut(line, 0, nameCells-1)) + "…"
		}
		return line, nil
	}
	return "", errors.New(lang.T("the model made up no name; give one: /rename NAME"))
}
