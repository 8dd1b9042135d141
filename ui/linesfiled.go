package ui

import (
	"context"
	"errors"
	"slices"
	"strings"

	"forge/agent"
	mine "forge/agent/command"
	"forge/ui/lang"
	"forge/ui/safe"
)

// filed fills a command from a file in and sends what became of it.
func (l *lines) filed(ctx context.Context, line string, sink agent.Sink) error {
	name, _, ok := mine.Typed(line)
	set := l.now().FromFiles.List(ctx)
	if _, there := set.Find(name); !there {
		if p, broken := set.Broken(name); broken {
			return errors.New(saidProblem(p))
		}
		ok = false
	}
	if !ok {
		if near := l.near(name, set); len(near) > 0 {
			return errors.New(lang.T("no command /%s; did you mean /%s?", safe.Line(name), strings.Join(near, lang.T(" or /"))))
		}
		if slices.ContainsFunc(commands(), func(c command) bool { return c.means(name) || slices.Contains(c.known, name) }) {
			return errors.New(lang.T("/%s is for the whole screen: lines have no use for it; /help lists what there is here", safe.Line(name)))
		}
		return errors.New(lang.T("no command /%s here; /help lists them", safe.Line(name)))
	}
	return l.hold(ctx, func() error {
		p, err := l.now().FromFiles.Fill(ctx, line, func(what string) { sink(agent.Notice{Text: what}) })
		if err != nil {
			return err
		}
		return l.now().Agent.Run(ctx, p, sink)
	})
}

// near are the commands of these lines that were probably meant by a name nobody has.
func (l *lines) near(name string, set mine.Set) (out []string) {
	var table []command
	for _, c := range l.commands() {
		table = append(table, command{name: c.Name})
	}
	for _, n := range []string{"help", "exit"} {
		table = append(table, command{name: n})
	}
	c, near, ok := findCommand(append(table, filedTable(set)...), name)
	if ok {
		return []string{c.name}
	}
	return near
}

// known is the command a name means in other agents, unless a file has it.
func (l *lines) known(name string) string {
	table := commands()
	i := slices.IndexFunc(table, func(c command) bool { return slices.Contains(c.known, name) })
	if i < 0 {
		return ""
	}
	if l.now().FromFiles != nil {
		set := l.now().FromFiles.List(context.Background())
		_, there := set.Find(name)
		if _, broken := set.Broken(name); there || broken {
			return ""
		}
	}
	return table[i].name
}

// filedHelp lists them, and what is wrong with the others.
func (l *lines) filedHelp() (out []string) {
	set := l.now().FromFiles.List(context.Background())
	for _, c := range filedTable(set) {
		out = append(out, "/"+c.name+": "+c.about)
	}
	for _, p := range set.Problems {
		out = append(out, safe.Line(saidProblem(p)))
	}
	return out
}
