package ui

import (
	"context"

	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/tips"
)

// counted is what a command does, and that it was used is noted where tips are told.
func (l *lines) counted(c lineCommand) lineRun {
	if l.now().Tips == nil {
		return c.run
	}
	return func(ctx context.Context, arg string, say func(string)) (*linear.Choice, error) {
		l.now().Tips.Note([]string{"/" + c.name}, "")
		return c.run(ctx, arg, say)
	}
}

// tip is a command of these lines that was not used yet, for whoever waits.
func (l *lines) tip() string {
	here := map[string]bool{}
	for _, c := range l.commandTable() {
		here[c.name] = c.there
	}
	tip, ok := tips.Choose(l.now().Tips.Note(nil, ""), func(t tips.Tip) bool { return here[t.Command] })
	if !ok {
		return ""
	}
	l.now().Tips.Note(nil, tip.ID())
	return lang.T("tip") + lang.T(": ") + "/" + tip.Command + lang.T(", ") + commandAbout(tip.Command)
}
