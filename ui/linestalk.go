package ui

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"forge/agent"
	"forge/provider"
	"forge/ui/clipboard"
	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/reader"
	"forge/ui/safe"
)

// What the face of lines can do with the conversation there is.

func (l *lines) rename(ctx context.Context, title string, say func(string)) (_ *linear.Choice, err error) {
	switch {
	case title == "" && l.now().MakeName != nil:
		return nil, errors.New(lang.T("say how: /rename NAME, or /rename auto for a name the model makes up"))
	case title == "":
		return nil, errors.New(lang.T("say how: /rename NAME"))
	case title == nameAuto && l.now().MakeName != nil:
		if title, err = madeName(ctx, l.now().MakeName); err != nil {
			return nil, err
		}
	}
	err = l.now().Stored.Rename("", title)
	if err == nil {
		say(lang.T("this conversation is called %s now", safe.Line(title)))
	}
	return nil, err
}

// fork goes on in a copy: of the whole conversation, or of what was before the prompt n,
// counted from the last, which is said so that it can be written again.
func (l *lines) fork(_ context.Context, arg string, say func(string)) (*linear.Choice, error) {
	if arg == "" {
		err := l.now().Stored.Fork()
		if err == nil {
			say(lang.T("going on in a copy; /resume has the one before"))
		}
		return nil, err
	}
	n, err := strconv.Atoi(arg)
	if err != nil || n < 1 || l.now().Earlier == nil {
		return nil, errors.New(lang.T("say how many prompts to go back: /fork 1 is before the last one"))
	}
	all := l.now().Earlier()
	switch {
	case len(all) == 0:
		return nil, errors.New(lang.T("nothing was asked in this conversation yet"))
	case n > len(all):
		return nil, errors.New(lang.Count(len(all), "there is only 1 prompt in this conversation", "there are only %d prompts in this conversation"))
	}
	if err := all[n-1].Fork(); err != nil {
		return nil, err
	}
	say(lang.T("going on in a copy that ends before it"))
	say(safe.Output(all[n-1].Text))
	return nil, nil
}

func (l *lines) export(_ context.Context, arg string, say func(string)) (*linear.Choice, error) {
	format, file, err := exportOf(arg)
	if err != nil {
		return nil, err
	}
	name, err := l.now().Stored.Export(format, file)
	if err == nil {
		say(lang.T("written to %s; look at it before you give it away", safe.Line(name)))
	}
	return nil, err
}

// answers are what the model answered, the newest first.
func (l *lines) answers() (out []string) {
	var b strings.Builder
	end := func() {
		if _, text, _ := provider.SplitThink(b.String()); strings.TrimSpace(text) != "" {
			out = append([]string{asWritten(text)}, out...)
		}
		b.Reset()
	}
	l.now().Agent.Replay(func(e agent.Event) {
		switch e := e.(type) {
		case agent.UserMessage, agent.TurnStart:
			end()
		case agent.TextDelta:
			b.WriteString(e.Text)
		}
	})
	end()
	return out
}

// copy hands an answer, or code of one, to the system's clipboard: nothing is sent to
// the terminal but lines.
func (l *lines) copy(ctx context.Context, arg string, say func(string)) (*linear.Choice, error) {
	all := l.answers()
	if len(all) == 0 {
		return nil, errors.New(lang.T("there is no answer to copy yet"))
	}
	give := func(ctx context.Context, text string, say func(string)) error {
		if l.now().Clipboard == nil {
			return clipboard.ErrNone
		}
		if err := l.now().Clipboard(ctx, text); err != nil {
			return err
		}
		say(lang.T("copied %s: %s", lang.T("the answer"), plural(strings.Count(text, "\n")+1, "line")))
		return nil
	}
	word, rest, _ := strings.Cut(arg, " ")
	n, err := strconv.Atoi(word)
	switch {
	case word == "all":
		return nil, give(ctx, strings.Join(all, "\n\n"), say)
	case word == "code":
		blocks := reader.Blocks(all[0])
		k, _ := strconv.Atoi(strings.TrimSpace(rest))
		switch {
		case len(blocks) == 0:
			return nil, errors.New(lang.T("there is no code in it"))
		case k > len(blocks):
			return nil, errors.New(lang.Count(len(blocks), "there is only 1 piece of code in it", "there are only %d pieces of code in it"))
		case k > 0 || len(blocks) == 1:
			return nil, give(ctx, blocks[max(k, 1)-1].Text, say)
		}
		c := &linear.Choice{Title: lang.T("Copy which code?"), Pick: func(ctx context.Context, i int, say func(string)) error { return give(ctx, blocks[i].Text, say) }}
		for _, b := range blocks {
			first, _, _ := strings.Cut(strings.TrimSpace(b.Text), "\n")
			c.Entries = append(c.Entries, parts(safe.Line(first), plural(strings.Count(b.Text, "\n")+1, "line")))
		}
		return c, nil
	case word != "" && (err != nil || n < 1):
		return nil, errors.New(lang.T("/copy takes a number (1: the last answer), code or all"))
	case n > len(all):
		return nil, errors.New(lang.T("there are not so many answers"))
	}
	return nil, give(ctx, all[max(n, 1)-1], say)
}

// init has the model write the instructions of the project.
func (l *lines) init(ctx context.Context, arg string, _ func(string)) (*linear.Choice, error) {
	return nil, l.now().Agent.Run(ctx, agent.Prompt{Text: InitText(arg)}, l.now().Feed.Emit)
}

// stop ends all that runs in the background.
func (l *lines) stop(_ context.Context, _ string, say func(string)) (*linear.Choice, error) {
	said, err := l.now().Jobs.stop()
	say(said)
	return nil, err
}

// goOn goes on with what was cut off.
func (l *lines) goOn(ctx context.Context, _ string, _ func(string)) (*linear.Choice, error) {
	cut := false
	l.now().Agent.Replay(func(e agent.Event) {
		switch e.(type) {
		case agent.Unfinished:
			cut = true
		case agent.UserMessage, agent.TurnStart:
			cut = false
		}
	})
	if !cut {
		return nil, errors.New(lang.T("there is nothing to go on with"))
	}
	return nil, l.now().Agent.Run(ctx, agent.Prompt{}, l.now().Feed.Emit)
}

// btw asks something beside the work, and says the answer once it is whole.
func (l *lines) btw(ctx context.Context, question string, say func(string)) (*linear.Choice, error) {
	if question == "" {
		return nil, errors.New(lang.T("write the question behind it: /btw why is this file needed?"))
	}
	var answer strings.Builder
	_, err := l.now().Btw(ctx, question, func(text string) { answer.WriteString(text) })
	if _, text, _ := provider.SplitThink(answer.String()); strings.TrimSpace(text) != "" {
		say(lang.T("beside the work") + lang.T(": ") + strings.TrimSpace(text))
	}
	return nil, err
}
