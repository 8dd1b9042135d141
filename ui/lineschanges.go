package ui

import (
	"context"
	"strings"

	"forge/ui/lang"
	"forge/ui/linear"
)

func (l *lines) diff(ctx context.Context, arg string, say func(string)) (*linear.Choice, error) {
	text, err := "", error(nil)
	if arg != "" && strings.HasPrefix("session", arg) && l.now().SessionDiff != nil || l.now().GitDiff == nil {
		text = l.now().SessionDiff()
	} else {
		text, err = l.now().GitDiff(ctx)
	}
	if err != nil && arg == "" && l.now().SessionDiff != nil { // what forge changed is known all the same
		if own := strings.TrimSpace(l.now().SessionDiff()); own != "" {
			say(lang.Said(err.Error()) + lang.T("; ") + lang.T("Changes of this conversation"))
			text, err = own, nil
		}
	}
	if err == nil && strings.TrimSpace(text) == "" {
		text = lang.T("nothing has changed")
	}
	if err == nil {
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		for i := range lines {
			lines[i] = patchLine(lines[i])
		}
		say(strings.Join(lines, "\n"))
	}
	return nil, err
}

// takeback plans an undo and asks before it is done.
func (l *lines) takeback(what string) func(context.Context, string, func(string)) (*linear.Choice, error) {
	return func(_ context.Context, arg string, say func(string)) (*linear.Choice, error) {
		if what == "" && arg != "" && strings.HasPrefix("turn", arg) {
			arg = "turn"
		} else {
			arg = what
		}
		t, err := l.now().Undo(arg)
		if err != nil {
			return nil, err
		}
		if t == nil {
			say(lang.T("there is nothing to take back"))
			return nil, nil
		}
		for _, f := range t.Files {
			say(takebackLine(f))
		}
		title := lang.T("take this back?")
		if t.Redo {
			title = lang.T("bring this again?")
		}
		return &linear.Choice{Title: title, Entries: []string{lang.T("yes")}, Pick: func(ctx context.Context, _ int, say func(string)) error {
			return l.hold(ctx, func() error {
				changed, kept, err := t.Apply()
				if err == nil {
					say(t.Said(changed, kept))
				}
				return err
			})
		}}, nil
	}
}

func takebackLine(f TakebackFile) string {
	line := map[TakebackDo]string{
		TakebackRestore: lang.T("is restored"), TakebackRemove: lang.T("is removed"), TakebackMerge: lang.T("is restored, later edits are kept"),
		TakebackMode: lang.T("gets its mode again"), TakebackKeep: lang.T("stays as it is"),
	}[f.Do]
	if f.Why != "" {
		line += lang.T(", ") + lang.Said(f.Why)
	}
	return f.Path + lang.T(": ") + line
}
