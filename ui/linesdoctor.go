package ui

import (
	"context"

	"forge/ui/doctor"
	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

// doctor says the findings that are not in order, line by line, and how many are.
func (l *lines) doctor(ctx context.Context, _ string, say func(string)) (*linear.Choice, error) {
	say(lang.T("examining; this takes a few seconds"))
	r := l.now().Doctor(ctx, doctor.Terminal{})
	for _, f := range r.Findings {
		for _, line := range f.Said() {
			say(line)
		}
	}
	say(r.Summary())
	return nil, nil
}

// feedback writes a report and says where it is: it is too long to be spoken.
func (l *lines) feedback(ctx context.Context, arg string, say func(string)) (*linear.Choice, error) {
	if arg != "" && arg != withTalk {
		say(lang.T("/feedback takes nothing, or %s to add it to the report", withTalk))
		return nil, nil
	}
	f, err := l.now().Feedback(ctx, Feedback{Talk: arg == withTalk})
	if err != nil {
		return nil, err
	}
	say(lang.T("the report is %s; nothing was sent: read it, then send it", safe.Line(f.Path)))
	if f.URL != "" {
		say(lang.T("this address begins a report with its outline: %s", safe.Line(f.URL)))
	}
	return nil, nil
}
