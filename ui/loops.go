package ui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent/loop"
	"forge/ui/lang"
	"forge/ui/safe"
)

// loopName is the command of prompts that are sent by the clock.
const loopName = "loop"

// cmdLoop lists the loops, ends them, takes those of before up again, or begins one.
func (m *Model) cmdLoop(arg string) tea.Cmd {
	b := m.o.Loops
	if b == nil {
		return m.say(lang.T("there are no loops here"))
	}
	if arg == "" {
		lines := loopLines(b, m.now)
		if lines == nil {
			return m.say(lang.T("no loop runs; /loop 5m and a prompt sends it every five minutes"))
		}
		m.tr.add(newNotice(strings.Join(lines, "\n")))
		return nil
	}
	if m.o.FirstRun != nil && m.status.model.ID == "" {
		m.giveBack("/" + loopName + " " + arg)
		return m.say(lang.T("there is no model yet"))
	}
	said, err := loopDo(b, arg, m.now, m.loopable)
	if err != nil {
		m.giveBack("/" + loopName + " " + arg)
		return m.say(err.Error())
	}
	m.tr.add(newNotice(said))
	return m.keepLoops()
}

// loopDo does what is written behind /loop and says what it did. fits says what is wrong
// with a prompt.
func loopDo(b *loop.Book, arg string, now time.Time, fits func(prompt string) error) (string, error) {
	if n, stop := loopStopped(arg); stop {
		had := b.Any()
		ended := b.Stop(n)
		switch {
		case len(ended) == 1:
			return lang.T("loop %s has ended: %s", number(ended[0]), safe.Line(ended[0].Prompt)), nil
		case len(ended) > 1:
			return lang.Count(len(ended), "1 loop has ended", "%d loops have ended"), nil
		case had:
			return "", errors.New(lang.T("there is no loop %s; /loop lists them", strconv.Itoa(n)))
		}
		return "", errors.New(lang.T("no loop runs"))
	}
	if arg == "resume" {
		if len(b.Rest()) == 0 {
			return "", errors.New(lang.T("there is no loop to take up again"))
		}
		b.Resume(now)
		return strings.Join(loopLines(b, now), "\n"), nil
	}
	every, prompt, err := loop.Parse(arg)
	if err == nil {
		err = fits(prompt)
	}
	var l loop.Loop
	if err == nil {
		l, err = b.Add(every, prompt, now)
	}
	if err != nil {
		return "", loopWrong(err)
	}
	return lang.T("loop %s sends this every %s, until %s: %s", number(l), everyWords(l.Every), clock(l.Until, now), safe.Line(l.Prompt)) + "\n" +
		lang.T("/loop stop %s ends it, /loop lists what runs", number(l)), nil
}

// loopStopped reads "stop" and a number; 0: all of them. Other words behind it are a prompt.
func loopStopped(arg string) (n int, ok bool) {
	words := strings.Fields(arg)
	switch {
	case len(words) == 0 || words[0] != "stop" && words[0] != "clear" || len(words) > 2:
		return 0, false
	case len(words) == 1 || words[1] == "all":
		return 0, true
	}
	n, err := strconv.Atoi(words[1])
	return n, err == nil && n > 0
}

// loopWrong says why there is no such loop.
func loopWrong(err error) error {
	for _, w := range []struct {
		is   error
		said string
	}{
		{loop.ErrNoInterval, lang.T("say how often and what: /loop 5m check the deploy")},
		{loop.ErrNoPrompt, lang.T("say what is to be sent: /loop 5m check the deploy")},
		{loop.ErrTooOften, lang.T("a loop waits %s at least", everyWords(loop.Shortest))},
		{loop.ErrTooSeldom, lang.T("a loop waits %s at most", everyWords(loop.Longest))},
		{loop.ErrTooLong, lang.T("the prompt of a loop has %d bytes at most; put the rest into a file and name that", loop.MaxBytes)},
		{loop.ErrMany, lang.T("there are %s loops already, and no more may be; /loop stop and a number ends one", strconv.Itoa(loop.Most))},
	} {
		if errors.Is(err, w.is) {
			return errors.New(w.said)
		}
	}
	return err
}

// loopable says what is wrong with a prompt of a loop: it is one for the model, or a command
// that makes one.
func (m *Model) loopable(prompt string) error {
	if strings.HasPrefix(prompt, "!") {
		return errors.New(lang.T("a loop sends prompts; a command line of your own is none"))
	}
	if p, args, ok, known := m.serverPrompt(prompt); ok {
		return promptFits(p, args)
	} else if !known {
		return errors.New(lang.T("there is no command %s", strings.Fields(prompt)[0]))
	}
	name, _, ok := m.commandIn(prompt)
	if !ok {
		return nil
	}
	if why := m.filedMissing(name); why != "" {
		return errors.New(why)
	}
	return commandFits(m.table, name)
}

// commandFits says what is wrong with a command as the prompt of a loop.
func commandFits(table []command, name string) error {
	c, near, ok := findCommand(table, name)
	switch {
	case ok && (c.filed || c.name == "review"):
		return nil
	case ok:
		return errors.New(lang.T("a loop sends prompts, and commands that make one; /%s makes none", c.name))
	case len(near) > 0:
		return errors.New(lang.T("no command /%s; did you mean /%s?", name, strings.Join(near, lang.T(" or /"))))
	}
	return errors.New(lang.T("no command /%s; /help lists them", name))
}

// promptFits says that a server's prompt lacks an argument: nobody is asked for it later.
func promptFits(p ServerPrompt, typed string) error {
	if _, missing := p.Read(typed); len(missing.Fields) > 0 {
		return errors.New(lang.T("write all it wants behind it: /%s %s", p.Command(), p.Hint()))
	}
	return nil
}

// loopLines is a line for each, and how they are ended; nil: none runs, and none rests.
func loopLines(b *loop.Book, now time.Time) (lines []string) {
	for _, l := range b.List() {
		lines = append(lines, loopLine(l, now))
	}
	if lines != nil {
		lines = append(lines, lang.T("/loop stop and a number ends one, /loop stop all"))
	}
	if rest := b.Rest(); rest != nil {
		for _, l := range rest {
			lines = append(lines, lang.T("loop %s rests, every %s: %s", number(l), everyWords(l.Every), safe.Line(l.Prompt)))
		}
		lines = append(lines, lang.T("/loop resume takes up what rests"))
	}
	return lines
}

// loopLine is one of them with when it is sent next.
func loopLine(l loop.Loop, now time.Time) string {
	next := lang.T("next at %s", clock(l.Next, now))
	if l.Due(now) {
		next = lang.T("waits for a moment of rest")
	}
	return number(l) + lang.T(" · ") + lang.T("every %s", everyWords(l.Every)) + lang.T(" · ") + next + lang.T(" · ") +
		lang.Count(l.Runs, "1 run", "%d runs") + lang.T(" · ") + safe.Line(l.Prompt)
}

// number is what a person calls it.
func number(l loop.Loop) string { return strconv.Itoa(l.N) }

// everyWords is an interval for eyes: "5 m", "1 h 30 m".
func everyWords(d time.Duration) string {
	var parts []string
	for _, u := range []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "m"}} {
		if n := d / u.of; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, u.name))
			d -= n * u.of
		}
	}
	if d > 0 || parts == nil {
		parts = append(parts, fmt.Sprintf("%g s", d.Seconds()))
	}
	return strings.Join(parts, " ")
}

// loopOver says why a loop has ended; empty: it goes on.
func loopOver(l loop.Loop, why loop.Why) string {
	switch why {
	case loop.Old:
		return lang.T("loop %s has ended: it has run for %s", number(l), everyWords(loop.Life))
	case loop.Failing:
		return lang.T("loop %s has ended: %s of its runs failed in a row", number(l), strconv.Itoa(loop.Fails))
	case loop.Spent:
		return lang.T("loop %s has ended: the budget is spent", number(l))
	}
	return ""
}

// LoopsTook is what a person is told where another conversation is opened: of the loops that
// ended with the one before, and of those of this one, which do not run by themselves.
func LoopsTook(gone, rest []loop.Loop) (said []string) {
	if len(gone) > 0 {
		said = append(said, lang.Count(len(gone), "the loop of the conversation before has ended", "the %d loops of the conversation before have ended"))
	}
	for _, l := range rest {
		said = append(said, lang.T("a loop of this conversation does not run any more, every %s: %s. /loop resume takes it up again", everyWords(l.Every), safe.Line(l.Prompt)))
	}
	return said
}

func (m *Model) completeLoop(prefix string) []string {
	words := []string{"stop", "resume"}
	if m.o.Loops != nil {
		for _, l := range m.o.Loops.List() {
			words = append(words, "stop "+number(l))
		}
	}
	return beginning(slices.Compact(words), prefix)
}

// keepLoops writes down which there are.
func (m *Model) keepLoops() tea.Cmd {
	b := m.o.Loops
	return look(func() tea.Msg {
		if err := b.Save(); err != nil {
			return failed{lang.T("write the loops down"), err}
		}
		return nil
	})
}

// endingLoops says which loops end with forge.
func (m *Model) endingLoops() (out []string) {
	if m.o.Loops == nil {
		return nil
	}
	for _, l := range m.o.Loops.List() {
		out = append(out, lang.T("ended with forge, every %s: %s", everyWords(l.Every), safe.Line(l.Prompt)))
	}
	return out
}
