package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"

	"forge/agent/command"
	"forge/agent/session"
	"forge/ui/cli"
	"forge/ui/lang"
	"forge/ui/print"
	"forge/ui/safe"
	"forge/ui/theme"
)

// plain runs once without a screen.
func (f *forge) plain(ctx context.Context, face *face) error {
	id := ""
	if s := f.agent.Session(); s != nil {
		id = s.ID()
	}
	progress := f.flags.Format == print.Text && term.IsTerminal(os.Stderr.Fd())
	p := print.New(print.Options{
		Out: os.Stdout, Err: os.Stderr, Format: f.flags.Format, OutTerminal: term.IsTerminal(os.Stdout.Fd()),
		Progress: progress, Model: f.model, Session: id, Unattended: unattended, Way: face.way, Before: f.agent.Totals(),
	})
	if _, err := theme.Find(f.dirs.Themes(), f.flags.Theme); err != nil && f.flags.Theme != "" { // nothing is drawn, but it was mistyped
		f.notices = append(f.notices, err.Error())
	}
	for _, n := range f.notices {
		fmt.Fprintln(os.Stderr, "forge: "+safe.Output(lang.Said(n)))
	}
	say := func(s string) { fmt.Fprintln(os.Stderr, "forge: "+safe.Output(lang.Said(s))) }
	f.said = say // what is told from here on, such as that a goal rests
	f.skills.ready()
	for _, n := range f.skills.notices() {
		say(n)
	}
	f.wakeHooks(true)
	f.await(ctx, say)
	if f.mounted != nil {
		for _, st := range f.mounted.Status() {
			tellServer(st, say)
		}
	}
	if said, ok, err := f.goal.asked(f.prompt); ok {
		p.Answer(said)
		return exited(p.Finish(errors.Join(err, f.unsaved())))
	}
	if name, _, ok := command.Typed(f.prompt); ok && name == loopName {
		return cli.Usage{Err: errors.New(lang.T("/loop is for forge's screen and its plain lines: here forge ends with its answer. Have cron, or a timer of your system, run forge -c -p"))}
	}
	left := f.agent.Left()
	if f.prompt == "" && !left.Run {
		return cli.Usage{Err: errNoPrompt}
	}
	for _, line := range tellLeft(left, f.prompt == "") {
		say(line)
	}
	prompt, err := f.fileCommands(face).headless(ctx, f.prompt, say)
	if err == nil {
		err = recorded{Agent: f.agent, journal: f.journal, kept: f.kept, look: f.onlyLook, begins: f.goal.begins}.Run(ctx, prompt, p.Emit)
	}
	if err == nil {
		err = f.unsaved()
	}
	return exited(p.Finish(err))
}

// exited is the end of forge with an exit code.
func exited(code int) error {
	if code == print.ExitDone {
		return nil
	}
	return exit(code)
}

// tellLeft says what a forge that was killed left undone, and how to go on with it.
func tellLeft(l session.Left, on bool) (lines []string) {
	if l.Run {
		line := lang.T("this conversation was cut off at %s", l.At.Local().Format("2006-01-02 15:04"))
		if !on {
			line += lang.T("; forge -c -p \"\" would have gone on with it")
		}
		lines = append(lines, line)
	}
	switch {
	case l.Asked != nil && l.Asked.Model:
		lines = append(lines, lang.T("a question of the model was not answered: %s; it cannot ask here", lang.Title(l.Asked.Title)))
	case l.Asked != nil:
		lines = append(lines, lang.T("a question was open: %s; nothing was run", cmp.Or(l.Asked.Title, l.Asked.Command)))
	}
	if n := len(l.Queue); n > 0 {
		lines = append(lines, lang.T("prompts that were queued and not sent: %d; forge -c shows them", n))
	}
	return lines
}

// readPrompt adds what stands on stdin to the prompt. A terminal is never waited
// for, nor is a closed stdin.
func readPrompt(ctx context.Context, prompt string, stdin *os.File) (string, error) {
	piped, err := readPiped(ctx, stdin)
	if err != nil {
		return "", err
	}
	switch {
	case strings.TrimSpace(prompt) == "" && strings.TrimSpace(piped) == "":
		return "", cli.Usage{Err: errNoPrompt}
	case strings.TrimSpace(piped) == "":
		return prompt, nil
	case strings.TrimSpace(prompt) == "":
		return piped, nil
	}
	return prompt + "\n\n" + piped, nil
}

// readPiped reads stdin to its end, or until ctx ends: whoever interrupts forge
// while it waits for a pipe is heard.
func readPiped(ctx context.Context, stdin *os.File) (string, error) {
	info, err := stdin.Stat()
	if err != nil || info.Mode()&os.ModeDevice != 0 || term.IsTerminal(stdin.Fd()) {
		return "", nil
	}
	type read struct {
		text []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- read{err: fmt.Errorf("crashed: %v", p)}
			}
		}()
		text, err := io.ReadAll(io.LimitReader(stdin, pipedMax+1))
		done <- read{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-done:
		switch {
		case r.err != nil:
			return "", fmt.Errorf(lang.T("read stdin: %w"), r.err)
		case len(r.text) > pipedMax:
			return "", cli.Usage{Err: fmt.Errorf(lang.T("stdin is longer than %d MB: keep it in a file and name that, forge can read it"), pipedMax>>20)}
		case bytes.IndexByte(r.text, 0) >= 0:
			return "", cli.Usage{Err: errors.New(lang.T("stdin is no text: keep it in a file and name that"))}
		}
		return strings.ToValidUTF8(string(r.text), "\uFFFD"), nil
	}
}
