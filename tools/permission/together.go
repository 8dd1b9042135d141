package permission

import (
	"context"
	"fmt"
	"slices"

	"forge/tools"
)

// An answer of a model often holds several calls that change files, one behind the
// other. Where all of them would be asked about, one question shows them together, and
// its answer says of each what may be done.
//
// Nothing widens by that. Which calls are shown together is foreseen (tools.Ahead); each
// still comes through Authorize in its turn, is judged anew by the rules, the mode and
// the risk as they are then, and the answer given for it ahead counts only if it would
// do exactly what was shown for it. Else it is asked about by itself. What must be looked
// at by itself is never shown among others: anything at HIGH, what carries secrets, what
// cannot be shown whole.

// forecast is a call behind the one that is asked about, with what is judged of it.
type forecast struct {
	tools.Planned
	j judgement
}

// early is what a person said of a call before its turn came.
type early struct {
	effect tools.Effect // what they were shown
	j      judgement
	answer Answer
}

// Words implements tools.Told.
func (e early) Words() string {
	switch {
	case !e.answer.Allow:
		return refused(e.answer).Reason
	case e.answer.Reason != "":
		return says(e.answer.Reason)
	}
	return ""
}

// Title is what is asked about, in a line.
func (r Request) Title() string {
	if len(r.With) > 0 {
		return fmt.Sprintf("%d changes of one answer", len(r.With)+1)
	}
	return r.Effect.Title
}

// oneByOne stands on the shelf once a person chose to be asked about each call alone.
type oneByOne struct{}

// showable reports whether a question may be one of several.
func (j judgement) showable(e tools.Effect) bool {
	return j.decision == ask && j.level < High && len(j.changed) == 0 && e.Kind == tools.Write && len(e.Changes) > 0 &&
		len(e.Secrets) == 0 && e.Changed == "" && e.Detail == "" && e.Escape == tools.Confined &&
		!slices.ContainsFunc(e.Changes, func(c tools.Change) bool {
			return c.Conflicts > 0 || c.Lost > 0 || c.Op == tools.Delete && c.Thing != tools.Text && c.Thing != tools.Link
		})
}

// together looks for the calls that can be asked about with one, and counts those of
// its series: nth of so many, from 0; of is 0 where nothing is known of others.
func (m *Manager) together(ctx context.Context, call tools.Call, e tools.Effect, j judgement) (with []forecast, nth, of int) {
	ahead := tools.AheadOf(ctx)
	if ahead == nil || e.Kind != tools.Write {
		return nil, 0, 0
	}
	var behind []tools.Planned
	for _, p := range ahead.Behind(ctx, nil) {
		if p.Err == nil { // else it will not run, and is no question
			behind = append(behind, p)
		}
	}
	nth, of = ahead.Nth, ahead.Nth+1+len(behind)
	if _, chosen := ahead.Shelf.Load(oneByOne{}); chosen || !j.showable(e) {
		return nil, nth, of
	}
	for _, p := range behind {
		p.Effect.Agent = e.Agent
		f := forecast{p, m.judge(p.Call, p.Effect)}
		if !f.j.showable(p.Effect) || f.j.by != j.by {
			break
		}
		with = append(with, f)
	}
	return with, nth, of
}

// joint is the request about all of them. What may be granted is granted for all or not
// at all.
func (m *Manager) joint(ctx context.Context, r Request, j judgement, with []forecast) (Request, judgement) {
	for _, f := range with {
		q := m.request(f.Call, f.Effect, f.j, nil)
		r.With = append(r.With, q)
		r.Level = max(r.Level, q.Level)
		for _, k := range q.Risks {
			if !slices.Contains(r.Risks, k) {
				r.Risks = append(slices.Clone(r.Risks), k)
			}
		}
		j.grants = bothOf(j.grants, f.j.grants, func(a, b Grant) bool { return a.key == b.key })
		j.rules = bothOf(j.rules, f.j.rules, func(a, b Rule) bool { return a == b })
	}
	r.Grants, r.Rules = j.grants, nil
	for _, rule := range j.rules {
		r.Rules = append(r.Rules, rule.Text())
	}
	ahead := tools.AheadOf(ctx)
	r.Rework = func(kept map[string][]tools.Change) []tools.Planned { return ahead.Behind(ctx, kept) }
	return r, j
}

// bothOf is both lists without what stands in them twice; nothing where one of them is
// empty.
func bothOf[T any](a, b []T, same func(T, T) bool) []T {
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	a = slices.Clone(a)
	for _, x := range b {
		if !slices.ContainsFunc(a, func(y T) bool { return same(x, y) }) {
			a = append(a, x)
		}
	}
	return a
}

// shelve keeps what was said of the calls whose turn has not come.
func (m *Manager) shelve(ctx context.Context, with []forecast, a Answer) {
	ahead := tools.AheadOf(ctx)
	if ahead == nil {
		return
	}
	if a.Alone {
		ahead.Shelf.Store(oneByOne{}, true)
		return
	}
	for i, f := range with {
		if i >= len(a.With) || a.With[i].Open {
			continue
		}
		e := early{effect: f.Effect, j: f.j, answer: a.With[i]}
		if e.answer.Shown != nil {
			e.effect.Changes = e.answer.Shown
		}
		ahead.Shelf.Store(f.Call.ID, e)
	}
}

// untouched reports whether an answer takes all as it was proposed: only that says
// something of other files of the same folders.
func (a Answer) untouched(with []forecast) bool {
	return a.Changes == nil && len(a.With) == len(with) &&
		!slices.ContainsFunc(a.With, func(a Answer) bool { return !a.Allow || a.Open || a.Changes != nil || a.Shown != nil })
}

// otherwise is why a call is asked about though it was shown already.
const otherwise = "it is not what was shown of it together with the others any more"

// foretold is the verdict a person gave of a call before its turn; ok is false where
// there is none, or it does not hold for what the call would do now; changed then says
// so to whoever is asked again.
func (m *Manager) foretold(ctx context.Context, call tools.Call, e tools.Effect, j judgement) (v tools.Verdict, changed string, ok bool) {
	ahead := tools.AheadOf(ctx)
	if ahead == nil {
		return v, "", false
	}
	found, known := ahead.Shelf.LoadAndDelete(call.ID)
	if !known || j.decision == deny {
		return v, "", false
	}
	old := found.(early)
	if !old.answer.Allow {
		return refused(old.answer), "", true
	}
	asks := j.decision == ask && j.by != old.j.by
	same := e.Kind == old.effect.Kind && e.Agent == old.effect.Agent && e.Server == old.effect.Server && len(e.Secrets) == 0 &&
		e.Changed == "" && e.Escape == old.effect.Escape && slices.Equal(e.Paths, old.effect.Paths) &&
		tools.SameChanges(e.Changes, old.effect.Changes)
	switch {
	case same && j.level <= old.j.level && !asks:
		return m.allowed(call, e, old.answer, facts{}), "", true
	case j.decision == allow && old.answer.Changes != nil: // what they refused of it must not land unasked
		return tools.Verdict{Reason: "a part of this was refused, and the file is not as it was shown any more; read it again and propose it anew"}, "", true
	}
	return v, otherwise, false
}
