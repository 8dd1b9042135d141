package ui

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"forge/agent"
	"forge/provider"
	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/linear"
	"forge/ui/safe"
)

func (l *lines) model(ctx context.Context, want string, say func(string)) (*linear.Choice, error) {
	by, name, marks := modelWords(want)
	if marks {
		return nil, l.markModel(ctx, name, say)
	}
	all, err := l.o.Models(ctx)
	if err != nil && len(all) == 0 {
		return nil, err
	}
	if by != 0 {
		return nil, l.walk(all, by, say)
	}
	marked, _ := l.o.Favorites.list()
	all = favoritesFirst(all, marked)
	take := func(c ModelChoice, say func(string)) error {
		m, err := l.o.SetModel(c, provider.EffortDefault)
		if err == nil {
			l.o.Model, l.o.Effort, l.lately = m, m.Default, nil
			say(lang.T("now with %s", safe.Line(m.ID)))
		}
		return err
	}
	var fit []ModelChoice
	for _, c := range all {
		if want != "" && (c.Model.ID == want || c.label() == want) {
			return nil, take(c, say)
		}
		if strings.Contains(strings.ToLower(c.label()), strings.ToLower(want)) {
			fit = append(fit, c)
		}
	}
	switch {
	case len(fit) == 0:
		return nil, errors.New(lang.T("no model %s; /model lists them", safe.Line(want)))
	case len(fit) == 1 && want != "":
		return nil, take(fit[0], say)
	}
	c := &linear.Choice{Title: lang.T("Choose a model")}
	for _, m := range fit {
		entry := parts(m.label(), m.Note)
		if m.favorite(marked) >= 0 {
			entry = parts(entry, lang.T("favorite"))
		}
		c.Entries = append(c.Entries, entry)
	}
	c.Pick = func(ctx context.Context, i int, say func(string)) error {
		return l.hold(ctx, func() error { return take(fit[i], say) })
	}
	return c, nil
}

// walk goes on to the next favorite model, or to one used lately.
func (l *lines) walk(all []ModelChoice, by int, say func(string)) error {
	ring, recent := l.o.Favorites.list()
	if len(ring) == 0 {
		if l.lately == nil {
			l.lately = recent
		}
		ring = l.lately
	}
	to, gone := around(ring, recent, all, whereIn(ring, l.o.Model, l.o.Effort), by)
	passed := passedOver(gone)
	for _, c := range to {
		m, err := l.o.SetModel(c.choice, c.effort)
		if err != nil {
			passed = append(passed, safe.Line(c.choice.label())+lang.T(": ")+oneLine(err))
			continue
		}
		l.o.Model, l.o.Effort = m, cmp.Or(c.effort, m.Default)
		say(nowWith(m, l.o.Effort, passed))
		return nil
	}
	for _, p := range passed {
		say(p)
	}
	return errors.New(lang.T("there is no other favorite model, nor one used lately; /model lists all, and /model favorite NAME marks one"))
}

// markModel marks a model, or takes the mark from it.
func (l *lines) markModel(ctx context.Context, name string, say func(string)) error {
	if l.o.Favorites == nil || l.o.Favorites.Keep == nil {
		return errors.New(lang.T("favorite models cannot be kept here"))
	}
	now := ModelChoice{Model: l.o.Model}
	c, err := meant(ctx, name, now, l.o.Models)
	if err != nil {
		return err
	}
	_, said, err := l.o.Favorites.mark(c, now, l.o.Effort)
	if err == nil {
		say(said)
	}
	return err
}

// plan changes nothing any more; words are what is to be planned.
func (l *lines) plan(ctx context.Context, words string, say func(string)) (*linear.Choice, error) {
	c, err := l.mode(ctx, string(permission.ModePlan), say)
	if err != nil || words == "" || l.o.InForce != nil && l.o.InForce() != permission.ModePlan {
		return c, err
	}
	return c, l.o.Agent.Run(ctx, agent.Prompt{Text: words}, l.o.Feed.Emit)
}

func (l *lines) mode(ctx context.Context, want string, say func(string)) (*linear.Choice, error) {
	all := modes()
	take := func(ctx context.Context, m permission.Mode, say func(string)) error {
		if m == permission.ModeYolo && l.o.yoloAllowed() {
			r, err := l.o.Feed.AskQuestion(ctx, yoloQuestion(lang.T("/mode leaves it.")))
			if err != nil || r.Choice != "yolo" {
				return err
			}
		}
		l.o.SetMode(m)
		if l.o.InForce != nil && l.o.InForce() != m {
			m = l.o.InForce()
			say(lang.T("a policy of this machine allows no laxer mode than %s", string(m)))
		}
		say(lang.T("mode %s", modeName(m)))
		return nil
	}
	for _, m := range all {
		if m == want {
			return nil, take(ctx, permission.Mode(m), say)
		}
	}
	if want != "" {
		return nil, errors.New(lang.T("no mode %s; there are %s", safe.Line(want), strings.Join(all, ", ")))
	}
	return &linear.Choice{Title: lang.T("How much runs without a question"), Entries: all,
		Pick: func(ctx context.Context, i int, say func(string)) error {
			return take(ctx, permission.Mode(all[i]), say)
		}}, nil
}
