package ui

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"forge/agent"
	"forge/provider"
	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// restore opens the conversation to begin with and says where it stands.
func (l *lines) restore() error {
	if err := l.o.Restore(); err != nil {
		return err
	}
	l.retell()
	return nil
}

// retell says the last prompt and the last answer: a whole conversation read aloud
// would help nobody.
func (l *lines) retell() {
	var prompt string
	var answer strings.Builder
	var left []agent.Event
	prompts := 0
	l.o.Agent.Replay(func(e agent.Event) {
		switch e := e.(type) {
		case agent.UserMessage:
			prompts++
			prompt = cmp.Or(e.Line, e.Text)
			answer.Reset()
		case agent.TurnStart:
			answer.Reset()
		case agent.TextDelta:
			answer.WriteString(e.Text)
		case agent.Unfinished:
			left = append(left, e)
		}
	})
	l.o.Feed.Notice(lang.Count(prompts, "this conversation has 1 prompt", "this conversation has %d prompts"))
	if prompt != "" {
		l.o.Feed.Notice(lang.T("the last one: %s", prompt))
	}
	if _, text, _ := provider.SplitThink(answer.String()); strings.TrimSpace(text) != "" {
		l.o.Feed.Notice(lang.T("the last answer: %s", strings.TrimSpace(text)))
	}
	for _, e := range left {
		l.o.Feed.Emit(e)
	}
}

func (l *lines) resume(_ context.Context, id string, _ func(string)) (*linear.Choice, error) {
	open := func(id string) error {
		if err := l.o.Resume(id); err != nil {
			return err
		}
		l.retell()
		return nil
	}
	all, err := l.o.Sessions()
	if err != nil {
		return nil, err
	}
	if id != "" {
		if one := sessionOf(all, id); one != "" {
			return nil, open(one)
		}
		about := sessionsAbout(all, id)
		if len(about) == 0 {
			return nil, errors.New(lang.T("no conversation is about %s", safe.Line(id)))
		}
		all = about
	}
	if len(all) == 0 {
		return nil, errors.New(lang.T("there is no earlier conversation"))
	}
	const most = 20
	all = all[:min(len(all), most)]
	c := &linear.Choice{Title: lang.T("Continue a conversation")}
	for _, s := range all {
		c.Entries = append(c.Entries, strings.TrimSuffix(s.Title+", "+ago(time.Since(s.When))+", "+s.Note, ", "))
	}
	c.Pick = func(ctx context.Context, i int, _ func(string)) error {
		return l.hold(ctx, func() error { return open(all[i].ID) })
	}
	return c, nil
}
