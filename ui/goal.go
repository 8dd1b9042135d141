package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// Goal is what the faces can do with what stands over runs. Both functions are called off
// the loop.
type Goal struct {
	Said  func() string // how it stands; empty: there is none
	Clear func() error
}

type (
	// goalIs says which goal there is from now on.
	goalIs   struct{ text, state string }
	goalSaid struct{ text string }
)

// GoalIs tells the screen which goal there is; an empty text: none. state is "open", "met",
// "blocked" or "rests". Any goroutine may call it.
func (f *Feed) GoalIs(text, state string) { f.send(goalIs{text, state}) }

// goalPart is what the status line shows of it.
func (g goalIs) part(room int, ellipsis string) string {
	if g.text == "" {
		return ""
	}
	switch g.state {
	case "met":
		return lang.T("goal met")
	case "blocked":
		return lang.T("goal blocked")
	case "rests":
		return lang.T("goal rests")
	}
	return safe.Truncate(lang.T("goal: %s", safe.Line(g.text)), room, ellipsis)
}

// cmdGoal says the goal, takes it back, or sets one and has the model begin with it.
func (m *Model) cmdGoal(arg string) tea.Cmd {
	g := m.o.Goal
	switch {
	case g == nil || m.o.FromFiles == nil:
		return m.say(lang.T("there are no goals here"))
	case arg == "":
		return look(func() tea.Msg { return goalSaid{g.Said()} })
	case arg == "clear":
		return look(func() tea.Msg {
			if err := g.Clear(); err != nil {
				return failed{"", err}
			}
			return flashMsg{lang.T("the goal is taken back")}
		})
	case m.busy():
		m.queue = append(m.queue, "/goal "+arg)
		return m.say(m.o.Keys.Named(lang.T("/%s waits for the end of the run; esc stops it", "goal"), keymap.Interrupt))
	}
	return m.sendFiled("/goal " + arg)
}

func (m *Model) completeGoal(prefix string) []string {
	return beginning([]string{"clear", "resume"}, prefix)
}

// tellGoal says how the goal stands.
func (m *Model) tellGoal(text string) tea.Cmd {
	if text == "" {
		return m.say(lang.T("there is no goal; /goal and words set one"))
	}
	m.tr.add(newNotice(lang.T("goal: %s", safe.Line(text)) + "\n" + lang.T("/goal clear takes it back, /goal resume goes on with it")))
	return nil
}

// goal does the same in lines.
func (l *lines) goal(ctx context.Context, arg string, say func(string)) (*linear.Choice, error) {
	switch strings.TrimSpace(arg) {
	case "":
		text := l.now().Goal.Said()
		if text == "" {
			say(lang.T("there is no goal; /goal and words set one"))
			return nil, nil
		}
		say(lang.T("goal: %s", safe.Line(text)))
		say(lang.T("/goal clear takes it back, /goal resume goes on with it"))
		return nil, nil
	case "clear":
		err := l.now().Goal.Clear()
		if err == nil {
			say(lang.T("the goal is taken back"))
		}
		return nil, err
	}
	sink := l.now().Feed.Emit
	p, err := l.now().FromFiles.Fill(ctx, "/goal "+arg, func(what string) { sink(agent.Notice{Text: what}) })
	if err != nil {
		return nil, err
	}
	return nil, l.now().Agent.Run(ctx, p, sink)
}
