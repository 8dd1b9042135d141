package ui

import (
	"context"
	"errors"
	"strconv"

	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// hooks says which of the person's commands run at set moments, and how they ended; with a
// number it switches one.
func (l *lines) hooks(_ context.Context, want string, say func(string)) (*linear.Choice, error) {
	all := l.now().Hooks.List()
	if len(all) == 0 {
		say(lang.T("no hooks are set up; docs/hooks.md says how"))
		return nil, nil
	}
	take := func(i int, say func(string)) error {
		h := all[i]
		if h.Waiting {
			return errors.New(lang.T("it is not trusted: open forge here anew and answer its question"))
		}
		err := l.now().Hooks.Switch(i, h.Off)
		if h.Off = !h.Off; err == nil {
			say(h.about() + lang.T(": ") + h.state())
		}
		return err
	}
	if want != "" {
		n, err := strconv.Atoi(want)
		if err != nil || n < 1 || n > len(all) {
			return nil, errors.New(lang.T("no hook %s; /hooks lists them", safe.Line(want)))
		}
		return nil, take(n-1, say)
	}
	c := &linear.Choice{Title: lang.T("switch one?"), Pick: func(_ context.Context, i int, say func(string)) error { return take(i, say) }}
	for _, h := range all {
		c.Entries = append(c.Entries, parts(h.about(), h.state(), safe.Line(h.Name), safe.Line(h.Command), safe.Line(h.Source), h.last()))
	}
	return c, nil
}
