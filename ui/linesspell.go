package ui

import (
	"context"
	"strings"

	"forge/ui/lang"
	"forge/ui/linear"
)

// remember keeps a prompt for the next start, and for /spell.
func (l *lines) remember(text string) {
	if !strings.HasPrefix(text, "/") {
		l.said.Store(&text)
	}
	if keep := l.now().AppendHistory; keep != nil {
		keep(text)
	}
}

// spell says which words of a text look wrong, or of the last prompt.
func (l *lines) spell(_ context.Context, arg string, say func(string)) (*linear.Choice, error) {
	s := l.now().Spelling
	if !s.On() {
		say(lang.T(spellingOff))
		return nil, nil
	}
	if last := l.said.Load(); arg == "" && last != nil {
		arg = *last
	}
	line, err := s.wrongIn(arg)
	if err != nil {
		return nil, speltError(err)
	}
	say(line)
	return nil, nil
}
