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
	if err := l.now().Restore(); err != nil {
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
	l.now().Agent.Replay(func(e agent.Event) {
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
	l.now().Feed.Notice(lang.Count(prompts, "this conversation has 1 prompt", "this conversation has %d prompts"))
	if prompt != "" {
		l.now().Feed.Notice(lang.T("the last one: %s", prompt))
	}
	if _, text, _ := provider.SplitThink(answer.String()); strings.TrimSpace(text) != "" {
		l.now().Feed.Notice(lang.T("the last answer: %s", strings.TrimSpace(text)))
	}
	for _, e := range left {
		l.now().Feed.Emit(e)
	}
}

// mostListed is how many conversations are listed.
const mostListed = 20

func (l *lines) resume(_ context.Context, id string, _ func(string)) (*linear.Choice, error) {
	open := func(id string) error {
		if err := l.now().Resume(id); err != nil {
			return err
		}
		l.retell()
		return nil
	}
	all, err := l.now().Sessions()
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
	all = all[:min(len(all), mostListed)]
	c := &linear.Choice{Title: lang.T("Continue a conversation")}
	for _, s := range all {
		c.Entries = append(c.Entries, parts(s.Title, ago(time.Since(s.When)), s.Note))
	}
	c.Pick = func(ctx context.Context, i int, _ func(string)) error {
		return l.hold(ctx, func() error { return open(all[i].ID) })
	}
	return c, nil
}

// readAloud is how many lines of a conversation are said where words of it were found.
const readAloud = 20

// search finds words in all conversations; a number says what stands there.
func (l *lines) search(ctx context.Context, words string, _ func(string)) (*linear.Choice, error) {
	if words == "" {
		return nil, errors.New(lang.T("say what to look for: /search WORDS"))
	}
	list, err := l.now().Stored.Search(ctx, words)
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, errors.New(lang.T("no conversation has %s", safe.Line(words)))
	}
	list = list[:min(len(list), mostListed)]
	c := &linear.Choice{Title: lang.T("%d found: %s", len(list), safe.Line(words))}
	for _, h := range list {
		c.Entries = append(c.Entries, strings.Join([]string{h.Excerpt, h.Note, h.Title}, lang.T(", ")))
	}
	c.Pick = func(_ context.Context, i int, say func(string)) error {
		text, row, err := l.now().Stored.Read(list[i].ID, list[i].Seq)
		if err != nil {
			return err
		}
		all := strings.Split(text, "\n")
		at := min(hitRow(all, row, words, list[i].Word), len(all)-1)
		say(strings.Join(all[at:min(len(all), at+readAloud)], "\n"))
		say(lang.T("/resume %s goes on with it", list[i].ID))
		return nil
	}
	return c, nil
}
