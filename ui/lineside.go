package ui

import (
	"context"
	"errors"

	"forge/ui/bridge"
	"forge/ui/lang"
	"forge/ui/linear"
)

// ide says which editors there are, connects to one, or ends that.
func (l *lines) ide(ctx context.Context, arg string, say func(string)) (*linear.Choice, error) {
	e := l.now().IDE
	switch {
	case e == nil:
		return nil, errors.New(lang.T("the bridge to editors is off: set ide.connect to ask or auto"))
	case isBeginning(arg, ideWords[1]):
		if !e.Now().Connected {
			return nil, errors.New(lang.T("no editor is connected"))
		}
		name := bridge.Name(e.Now().Bridge)
		e.Disconnect()
		say(lang.T("disconnected from %s", name))
		return nil, nil
	case arg == "":
		found, now := e.Find(), e.Now()
		say(bridge.State(now, l.now().Dir))
		for _, b := range found {
			label, detail := bridge.Found(b, now)
			say(label + lang.T(": ") + detail)
		}
		if !now.Connected {
			say(lang.T("/ide connect connects; a port behind it says which one"))
		}
		return nil, nil
	case isBeginning(arg, ideWords[0]):
		arg = ""
	}
	b, err := e.Connect(ctx, arg)
	if err != nil {
		return nil, errors.New(lang.T("not connected: %s", bridge.Why(err)) + fixed(err))
	}
	say(bridge.State(e.Now(), l.now().Dir))
	if !e.Now().Diff {
		say(bridge.Name(b) + lang.T(": ") + lang.T("it shows no changes"))
	}
	return nil, nil
}

// ideMoved looks how things stand with the editor, and says where it is gone. Where the
// person is in it is not said: they know, and it would never end.
func (l *lines) ideMoved() (said string) {
	l.now().Feed.edited.Store(false)
	if l.now().IDE == nil {
		return ""
	}
	now := l.now().IDE.Now()
	if l.wasIDE.Connected && !now.Connected && now.Why != nil {
		said = lang.T("%s is gone: %s", bridge.Name(now.Bridge), bridge.Why(now.Why))
	}
	l.wasIDE = now
	return said
}

// autoIDE connects where the settings say so.
func (l *lines) autoIDE(ctx context.Context) {
	if e := l.now().IDE; e != nil && e.Auto {
		go guard(func() error {
			if _, err := e.Connect(ctx, ""); err == nil {
				l.now().Feed.Notice(bridge.State(e.Now(), l.now().Dir))
			}
			return nil
		})
	}
}

// show has the editor show a change; nil: there is no editor that does.
func (l *lines) show() func(string, []byte, func(linear.Shown)) func() {
	e := l.now().IDE
	if e == nil || !e.Now().Diff {
		return nil
	}
	return func(path string, text []byte, back func(linear.Shown)) func() {
		ctx, cancel := context.WithCancel(context.Background())
		go guard(func() error {
			defer cancel()
			o, err := e.Diff(ctx, l.now().absolute(path), string(text))
			switch {
			case ctx.Err() != nil: // it was taken back
			case err != nil:
				back(linear.Shown{Err: saidError{err}})
			default:
				back(linear.Shown{Accepted: o.Accepted, Loose: o.Loose, Text: o.Text})
			}
			return nil
		})
		return cancel
	}
}

func (l *lines) counts() func() bool {
	if l.now().IDE == nil {
		return nil
	}
	return l.now().IDE.Answers
}
