package ui

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"forge/provider"
	"forge/ui/lang"
	"forge/ui/ledger"
	"forge/ui/linear"
	"forge/ui/safe"
)

// What the face of lines can do with the model's effort and tools, with rules, and with
// the settings.

func (l *lines) effort(_ context.Context, want string, say func(string)) (*linear.Choice, error) {
	all := append(effortsOf(l.now().Model), ownEffort)
	take := func(effort string, say func(string)) error {
		if effort == ownEffort {
			effort = string(provider.EffortDefault)
		}
		_, err := l.now().SetModel(ModelChoice{Model: l.now().Model}, provider.Effort(effort))
		if err == nil {
			l.now().Effort = cmp.Or(provider.Effort(effort), l.now().Model.Default)
		}
		switch {
		case err != nil:
		case effort == string(provider.EffortDefault):
			say(lang.T("effort is what the model does by itself now"))
		default:
			say(lang.T("effort is %s now", effort))
		}
		return err
	}
	switch {
	case slices.Contains(all, want):
		return nil, take(want, say)
	case want != "":
		return nil, errors.New(lang.T("no effort %s; there are %s", safe.Line(want), strings.Join(all, ", ")))
	}
	return &linear.Choice{Title: lang.T("How much the model thinks"), Entries: all, Pick: func(ctx context.Context, i int, say func(string)) error {
		return l.hold(ctx, func() error { return take(all[i], say) })
	}}, nil
}

// permissions says the rules and grants; one of the person's can be taken back.
func (l *lines) permissions(context.Context, string, func(string)) (*linear.Choice, error) {
	all := l.now().Powers()
	if len(all) == 0 {
		return nil, errors.New(lang.T("there are no rules and no grants; /mode says and changes the mode"))
	}
	c := &linear.Choice{Title: lang.T("take one back?"), Pick: func(_ context.Context, i int, say func(string)) error {
		if all[i].Revoke == nil {
			return errors.New(lang.T("this one is not yours to take back: %s", lang.Said(all[i].Detail)))
		}
		err := all[i].Revoke()
		if err == nil {
			say(lang.T("taken back: %s", lang.Said(all[i].Text)))
		}
		return err
	}}
	for _, p := range all {
		c.Entries = append(c.Entries, parts(lang.Said(p.Text), lang.Said(p.Detail)))
	}
	return c, nil
}

// tools says the model's tools; one that is chosen is switched.
func (l *lines) tools(_ context.Context, want string, say func(string)) (*linear.Choice, error) {
	all := l.now().Tools()
	take := func(t ToolChoice, say func(string)) error {
		if l.now().SwitchTool == nil {
			return errors.New(lang.T("the tools cannot be switched here"))
		}
		err := l.now().SwitchTool(t.Name, !t.On)
		switch {
		case err != nil:
		case t.On:
			say(t.Name + lang.T(": ") + lang.T("off"))
		default:
			say(t.Name + lang.T(": ") + lang.T("on"))
		}
		return err
	}
	c := &linear.Choice{Title: lang.T("switch one?"), Pick: func(_ context.Context, i int, say func(string)) error { return take(all[i], say) }}
	for _, t := range all {
		if t.Name == want {
			return nil, take(t, say)
		}
		state := lang.T("on")
		if !t.On {
			state = lang.T("off")
		}
		c.Entries = append(c.Entries, parts(safe.Line(t.Name), state, ledger.Tokens(t.Tokens), safe.Line(t.Owner)))
	}
	if want != "" {
		return nil, errors.New(lang.T("no tool %s; /tools lists them", safe.Line(want)))
	}
	return c, nil
}

// settings says what is set, one setting, or changes one.
func (l *lines) settings(_ context.Context, arg string, say func(string)) (*linear.Choice, error) {
	name, value, _ := strings.Cut(arg, " ")
	value = strings.TrimSpace(value)
	all := l.now().Settings.List()
	tell := func(s Setting) {
		switch {
		case s.Value != "":
			say(s.Name + lang.T(": ") + safe.Line(s.Value))
		case s.Default != "":
			say(s.Name + lang.T(": ") + lang.T("unset: %s", lang.Said(s.Default)))
		default:
			say(s.Name + lang.T(": ") + lang.T("unset"))
		}
	}
	if name == "" || name == "all" {
		for _, s := range all {
			if name == "all" || s.Value != "" {
				tell(s)
			}
		}
		say(lang.T("/settings NAME says one, /settings NAME VALUE changes it, with unset for the value it is taken out; /settings all says every one"))
		return nil, nil
	}
	i := slices.IndexFunc(all, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		return nil, errors.New(lang.T("no setting %s; /settings lists them", safe.Line(name)))
	}
	var err error
	switch value {
	case "":
		tell(all[i])
		say(lang.Said(all[i].About))
		if len(all[i].Words) > 0 {
			say(lang.T("one of %s", strings.Join(all[i].Words, ", ")))
		}
		return nil, nil
	case "unset":
		err = l.now().Settings.Unset(name)
	default:
		err = l.now().Settings.Set(name, value)
	}
	if err != nil {
		return nil, err
	}
	if name != "lang" {
		say(lang.T("%s is stored; it holds from the next start on", name))
		return nil, nil
	}
	tag := value
	if tag == "unset" {
		tag = lang.Detect(l.now().Getenv)
	}
	if err := lang.Use(tag); err != nil {
		return nil, err
	}
	say(lang.T("%s is stored, and in force", name))
	return nil, nil
}

func (l *lines) language(ctx context.Context, tag string, say func(string)) (*linear.Choice, error) {
	if tag != "" {
		if err := lang.Use(tag); err != nil {
			return nil, err
		}
		if l.now().Settings == nil {
			say(lang.T("the language is %s now", tag))
			return nil, nil
		}
		if err := l.now().Settings.Set("lang", tag); err != nil {
			return nil, err
		}
		say(lang.T("the language is %s now, and at the next start", tag))
		return nil, nil
	}
	all := lang.Tags()
	c := &linear.Choice{Title: lang.T("Language"), Pick: func(ctx context.Context, i int, say func(string)) error {
		_, err := l.language(ctx, all[i], say)
		return err
	}}
	for _, t := range all {
		c.Entries = append(c.Entries, parts(t, lang.Name(t)))
	}
	return c, nil
}
