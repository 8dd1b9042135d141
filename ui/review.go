package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/lang"
	"forge/ui/linear"
)

// cmdReview has changes reviewed: whoever fills commands in makes the prompt.
func (m *Model) cmdReview(arg string) tea.Cmd {
	if m.o.FromFiles == nil {
		return m.say(lang.T("nothing can be reviewed here"))
	}
	return m.sendFiled(strings.TrimSpace("/review " + arg))
}

func (l *lines) review(ctx context.Context, arg string, _ func(string)) (*linear.Choice, error) {
	sink := l.o.Feed.Emit
	p, err := l.o.FromFiles.Fill(ctx, strings.TrimSpace("/review "+arg), func(what string) { sink(agent.Notice{Text: what}) })
	if err != nil {
		return nil, err
	}
	return nil, l.o.Agent.Run(ctx, p, sink)
}
