package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	"forge/agent"
	mine "forge/agent/command"
	"forge/agent/loop"
	"forge/ui/lang"
	"forge/ui/linear"
)

// loop is /loop in lines.
func (l *lines) loop(ctx context.Context, arg string, say func(string)) (*linear.Choice, error) {
	b, now := l.now().Loops, time.Now()
	if strings.TrimSpace(arg) == "" {
		all := loopLines(b, now)
		if all == nil {
			say(lang.T("no loop runs; /loop 5m and a prompt sends it every five minutes"))
		}
		for _, line := range all {
			say(line)
		}
		return nil, nil
	}
	said, err := loopDo(b, strings.TrimSpace(arg), now, func(prompt string) error { return l.loopable(ctx, prompt) })
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(said) {
		say(strings.TrimRight(line, "\n"))
	}
	return nil, b.Save()
}

// loopCommand reads a prompt as a command.
func loopCommand(prompt string) (name string, ok bool) {
	if name, _, ok = parseCommand(prompt); ok {
		return name, true
	}
	name, _, ok = mine.Typed(prompt)
	return name, ok && strings.Contains(name, ":")
}

func (l *lines) loopable(ctx context.Context, prompt string) error {
	if strings.HasPrefix(prompt, "!") {
		return errors.New(lang.T("a loop sends prompts; a command line of your own is none"))
	}
	name, ok := loopCommand(prompt)
	if !ok {
		return nil
	}
	table := commands()
	if l.now().FromFiles != nil {
		set := l.now().FromFiles.List(ctx)
		if p, broken := set.Broken(name); broken {
			return errors.New(saidProblem(p))
		}
		table = append(table, filedTable(set)...)
	}
	return commandFits(table, name)
}

// timed is what the face in lines sends by the clock.
func (l *lines) timed() *linear.Timed {
	b := l.now().Loops
	if b == nil {
		return nil
	}
	on := 0 // the loop whose run is on
	return &linear.Timed{
		Next: func(now time.Time) (time.Time, string, bool) {
			said := ""
			for _, ended := range b.Expired(now) {
				said = loopOver(ended, loop.Old)
			}
			next, ok := b.Next(now)
			return next.Next, said, ok
		},
		Take: func(now time.Time) (string, func(context.Context, agent.Sink) error) {
			next, _ := b.Next(now)
			b.Begin(next.N, now)
			on = next.N
			return lang.T("loop %s, every %s", number(next), everyWords(next.Every)) + lang.T(": ") + next.Prompt,
				func(ctx context.Context, sink agent.Sink) error { return l.sendTimed(ctx, next.Prompt, sink) }
		},
		Over: func(err error, halted, failed bool) string {
			now := time.Now()
			next, why, ok := b.End(on, loopOutcome(err, halted, failed), now)
			if over := loopOver(next, why); over != "" {
				go guard(b.Save)
				return over
			}
			if ok && (halted || failed) {
				return loopGoesOn(next, now)
			}
			return ""
		},
	}
}

// sendTimed sends the prompt of a loop, or what a command makes of it.
func (l *lines) sendTimed(ctx context.Context, prompt string, sink agent.Sink) error {
	return l.hold(ctx, func() (err error) {
		p := agent.Prompt{Text: prompt}
		if _, is := loopCommand(prompt); is && l.now().FromFiles != nil {
			p, err = l.now().FromFiles.Fill(ctx, prompt, func(what string) { sink(agent.Notice{Text: what}) })
			if err != nil {
				return err
			}
		}
		p.Timed = true
		return l.now().Agent.Run(ctx, p, sink)
	})
}
