package ui

import (
	"context"
	"errors"
	"slices"
	"strings"

	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// jobs says what runs in the background; with the name of one what that wrote, and with
// end before it, it is ended.
func (l *lines) jobs(_ context.Context, arg string, say func(string)) (*linear.Choice, error) {
	all := newestFirst(l.now().Jobs.List())
	words := strings.Fields(arg)
	named := func(name string) (Job, error) {
		if i := slices.IndexFunc(all, func(j Job) bool { return j.ID == name }); i >= 0 {
			return all[i], nil
		}
		return Job{}, errors.New(lang.T("no command in the background is named %s; /jobs lists them", safe.Line(name)))
	}
	switch {
	case len(words) == 2 && words[0] == "end":
		j, err := named(words[1])
		switch {
		case err != nil:
			return nil, err
		case !j.Running:
			return nil, errors.New(lang.T("%s has ended already", j.ID))
		}
		if err := l.now().Jobs.End(j.ID); err != nil {
			return nil, err
		}
		say(lang.T("%s is ended", j.ID))
		return nil, nil
	case len(words) > 0:
		j, err := named(arg)
		if err != nil {
			return nil, err
		}
		text, err := l.now().Jobs.Output(j.ID)
		if err != nil {
			return nil, err
		}
		if text = strings.TrimSpace(text); text == "" {
			text = lang.T("it has written nothing")
		}
		say(jobLine(j))
		say(text)
		return nil, nil
	case len(all) == 0:
		say(lang.T("nothing runs in the background"))
		return nil, nil
	}
	for _, j := range all {
		say(jobLine(j))
	}
	say(lang.T("/jobs NAME says what one wrote, /jobs end NAME ends it"))
	return nil, nil
}

// jobLine is all there is to know of one, on a line.
func jobLine(j Job) string {
	return strings.Join([]string{j.ID, lang.Said(j.Status), seconds(j.Took), byteCount(int(j.Bytes)), safe.Line(j.Command)}, lang.T(", "))
}
