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
	all, err := l.now().Models(ctx)
	if err != nil && len(all) == 0 {
		return nil, err
	}
	if by != 0 {
		return nil, l.walk(all, by, say)
	}
	marked, _ := l.now().Favorites.list()
	all = favoritesFirst(all, marked)
	take := func(c ModelChoice, say func(string)) error {
		m, err := l.now().SetModel(c, provider.EffortDefault)
		if err == nil {
			l.now().Model, l.now().Effort, l.lately = m, m.Default, nil
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
	ring, recent := l.now().Favorites.list()
	if len(ring) == 0 {
		if l.lately == nil {
			l.lately = recent
		}
		ring = l.lately
	}
	to, gone := around(ring, recent, all, whereIn(ring, l.now().Model, l.now().Effort), by)
	passed := passedOver(gone)
	for _, c := range to {
		m, err := l.now().SetModel(c.choice, c.effort)
		if err != nil {
			passed = append(passed, safe.Line(c.choice.label())+lang.T(": ")+oneLine(err))
			continue
		}
		l.now().Model, l.now().Effort = m, cmp.Or(c.effort, m.Default)
		say(nowWith(m, l.now().Effort, passed))
		return nil
	}
	for _, p := range passed {
		say(p)
	}
	return errors.New(lang.T("there is no other favorite model, nor one used lately; /model lists all, and /model favorite NAME marks one"))
}

// markModel marks a model, or takes the mark from it.
func (l *lines) markModel(ctx context.Context, name string, say func(string)) error {
	if l.now().Favorites == nil || l.now().Favorites.Keep == nil {
		return errors.New(lang.T("favorite models cannot be kept here"))
	}
	now := ModelChoice{Model: l.now().Model}
	c, err := meant(ctx, name, now, l.now().Models)
	if err != nil {
		return err
	}
	_, said, err := l.now().Favorites.mark(c, now, l.now().Effort)
	if err == nil {
		say(said)
	}
	return err
}

// plan changes nothing any more; words are what is to be planned.
func (l *lines) plan(ctx context.Context, words string, say func(string)) (*linear.Choice, error) {
	c, err := l.mode(ctx, string(permission.ModePlan), say)
	if err != nil || words == "" || l.now().InForce != nil && l.now().InForce() != permission.ModePlan {
		return c, err
	}
	return c, l.now().Agent.Run(ctx, agent.Prompt{Text: words}, l.now().Feed.Emit)
}

func (l *lines) mode(ctx context.Context, want string, say func(string)) (*linear.Choice, error) {
	all := modes()
	take := func(ctx context.Context, m permission.Mode, say func(string)) error {
		if m == permission.ModeYolo && l.now().yoloAllowed() {
			r, err := l.now().Feed.AskQuestion(ctx, yoloQuestion(lang.T("/mode leaves it.")))
			if err != nil || r.Choice != "yolo" {
				return err
			}
		}
		l.now().SetMode(m)
		if l.now().InForce != nil && l.now().InForce() != m {
			m = l.now().InForce()
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
