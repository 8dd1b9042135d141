package permission

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"forge/tools"
)

// maxAsked is how often one call is asked about while what it rests on changes.
const maxAsked = 4

// question takes the turn, looks again (an earlier answer may cover this call by
// now), and asks. What changed while the question stood is asked about again.
func (m *Manager) question(ctx context.Context, call tools.Call, e tools.Effect) (tools.Verdict, error) {
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return tools.Verdict{}, ctx.Err()
	}
	defer func() { <-m.turn }()
	var changed []string
	if e.Changed != "" {
		changed = []string{e.Changed}
	}
	for range maxAsked {
		j := m.judge(call, e)
		seen := m.facts(e, j)
		if j.decision != ask {
			return m.verdict(j, call, e, seen), nil
		}
		a, with, all, err := m.put(ctx, call, e, j, append(changed, j.changed...))
		if err != nil {
			return tools.Verdict{}, err
		}
		m.shelve(ctx, with, a)
		if !a.Allow {
			return refused(a), nil
		}
		now := m.judge(call, e)
		if changed = append(m.facts(e, now).since(seen), now.since(j)...); len(changed) > 0 {
			continue
		}
		if now.decision == deny {
			return m.verdict(now, call, e, seen), nil
		}
		if len(with) > 0 && !a.untouched(with) {
			a.Scope = ScopeOnce
		}
		m.remember(a.Scope, all)
		return m.allowed(call, e, a, seen), nil
	}
	return tools.Verdict{Reason: "what it rests on changed each time it was allowed: " + strings.Join(changed, "; ")}, nil
}

// put asks about a call, and about those behind it where that can be one question. all
// is what the answer may store. Who wants to be asked about each alone is.
func (m *Manager) put(ctx context.Context, call tools.Call, e tools.Effect, j judgement, changed []string) (a Answer, with []forecast, all judgement, err error) {
	with, nth, of := m.together(ctx, call, e, j)
	if len(changed) > 0 {
		with = nil
	}
	for {
		r := m.request(call, e, j, changed)
		if all = j; of > 1 {
			r.Nth, r.Of = nth, of
		}
		if len(with) > 0 {
			r, all = m.joint(ctx, r, j, with)
		}
		a, err = m.o.Asker.Ask(ctx, r)
		if err != nil || !a.Alone || len(with) == 0 {
			return a, with, all, err
		}
		m.shelve(ctx, with, a)
		with = nil
	}
}

// allowed is the verdict of a person's yes.
func (m *Manager) allowed(call tools.Call, e tools.Effect, a Answer, seen facts) tools.Verdict {
	v := tools.Verdict{Allow: true, Changes: a.Changes, Asked: true, Still: m.still(call, e, seen, true)}
	if a.Reason != "" {
		v.Reason = says(a.Reason)
	}
	return v
}

func says(words string) string { return "the user says: " + words }

// refused is the verdict of a no.
func refused(a Answer) tools.Verdict {
	if a.Unattended {
		return tools.Verdict{Reason: a.Reason}
	}
	return tools.Verdict{Reason: refusal(a.Reason)}
}

// request is what a person is asked.
func (m *Manager) request(call tools.Call, e tools.Effect, j judgement, changed []string) Request {
	r := Request{
		ID: "q" + strconv.FormatInt(m.ids.Add(1), 10), Call: call, Effect: e, Level: j.level, Risks: j.risks,
		Cwd: m.cwd(e), Rule: j.by, Sandbox: m.confinement(e), Grants: j.grants, Parts: j.parts, Changed: changed,
	}
	for _, rule := range j.rules {
		r.Rules, r.StoredIn = append(r.Rules, rule.Text()), m.o.StoredIn
	}
	return r
}

// remember keeps an answer for as long as it was given. A rule that cannot be
// stored holds for the session: the person meant no less.
func (m *Manager) remember(scope Scope, j judgement) {
	switch {
	case scope == ScopeSession:
		m.keep(j.grants)
	case scope == ScopeRule && len(j.rules) > 0:
		for _, r := range j.rules {
			if err := m.o.Keep(r); err != nil {
				slog.Warn("rule not stored", "rule", r.Text(), "err", err)
				m.keep(j.grants)
				return
			}
			m.mu.Lock()
			m.rules = append(slices.Clone(m.rules), r)
			m.mu.Unlock()
		}
	}
}

func refusal(words string) string {
	if words == "" {
		return "the user declined; do something else or ask what they want"
	}
	return "the user declined and says: " + words
}
