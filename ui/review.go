package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/ui/composer"
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

// searchBranch completes the branch behind the command, also the second one of a range. It
// runs off the loop.
func (m *Model) searchBranch(typed string) (out []composer.Found) {
	if m.o.FromFiles == nil || m.o.FromFiles.Branches == nil || strings.ContainsAny(typed, " \t") {
		return nil
	}
	ctx, cancel := m.context()
	defer cancel()
	from, to := "", typed
	if i := strings.LastIndex(typed, ".."); i >= 0 {
		from, to = typed[:i+2], typed[i+2:]
	}
	for _, name := range m.o.FromFiles.Branches(ctx) {
		if strings.HasPrefix(name, to) && name != to {
			out = append(out, composer.Found{Text: from + name})
		}
	}
	return out
}

func (l *lines) review(ctx context.Context, arg string, _ func(string)) (*linear.Choice, error) {
	sink := l.now().Feed.Emit
	p, err := l.now().FromFiles.Fill(ctx, strings.TrimSpace("/review "+arg), func(what string) { sink(agent.Notice{Text: what}) })
	if err != nil {
		return nil, err
	}
	return nil, l.now().Agent.Run(ctx, p, sink)
}
