package linear

import (
	"errors"

	"forge/tools/permission"
	"forge/ui/lang"
)

// say puts what would be written into words: of one call, or of all that are asked about
// with it, each behind its place among them. The numbers of the changes go on through
// all of them.
func (a *ask) say() {
	r := a.p.Request
	if len(r.With) == 0 {
		a.files, a.body = changed(r.Effect.Changes, 0)
		return
	}
	for i, q := range append([]permission.Request{r}, r.With...) {
		a.body = append(a.body, lang.T("%d of %d: %s", i+1, len(r.With)+1, titleOf(q.Call.Name, q.Effect)))
		files, body := changed(q.Effect.Changes, hunks(a.files))
		a.files, a.body = append(a.files, files...), append(a.body, body...)
	}
}

// title is what would run, and which of how many changes of one answer it is.
func (a *ask) title() string {
	r := a.p.Request
	title := titleOf(r.Call.Name, r.Effect)
	switch {
	case len(r.With) > 0:
		return lang.T("%d changes of one answer", len(r.With)+1)
	case r.Of > 1:
		return lang.T("%d of %d: %s", r.Nth+1, r.Of, title)
	}
	return title
}

// all gives every call the same answer. A yes to what was edited is for that alone.
func (a *ask) all(answer permission.Answer) {
	if answer.Allow && a.edited != nil {
		answer.Changes, answer.Scope = a.edited, permission.ScopeOnce
	}
	with := answer
	with.Scope = ""
	for range a.p.Request.With {
		answer.With = append(answer.With, with)
	}
	a.p.Reply(answer)
}

// each is the answer by which only some changes are kept. What a later call does to a
// file of which a part was refused was said as it would be with that part: it stays open
// and is asked about in its turn.
func (a *ask) each(keep map[int]bool) (permission.Answer, error) {
	r := a.p.Request
	var answers []permission.Answer
	cut := map[string]bool{} // files that will not hold what was said
	kept, file, first := false, 0, 0
	for _, q := range append([]permission.Request{r}, r.With...) {
		files := a.files[file : file+len(q.Effect.Changes)]
		n := hunks(files)
		mine := map[int]bool{}
		for i := range n {
			if keep[first+i+1] {
				mine[i+1] = true
			}
		}
		file, first = file+len(files), first+n
		answer, err := one(files, mine, cut)
		if err != nil {
			return answer, err
		}
		kept = kept || answer.Allow || answer.Open
		answers = append(answers, answer)
	}
	if !kept {
		return permission.Answer{}, errors.New(lang.T("nothing of it is left"))
	}
	answer := answers[0]
	answer.Scope, answer.With = permission.ScopeOnce, answers[1:]
	return answer, nil
}

// one is the answer to one call of several.
func one(files []file, keep map[int]bool, cut map[string]bool) (permission.Answer, error) {
	whole := len(keep) == hunks(files)
	for _, f := range files {
		if cut[f.change.Path] {
			return permission.Answer{Open: len(keep) > 0, Reason: turnedDown}, nil
		}
	}
	for _, f := range files {
		cut[f.change.Path] = !whole
	}
	switch {
	case whole:
		return permission.Answer{Allow: true}, nil
	case len(keep) == 0:
		return permission.Answer{Reason: turnedDown}, nil
	}
	changes, err := part(files, keep)
	if err != nil { // a deletion is whole or not at all
		return permission.Answer{Reason: turnedDown}, nil
	}
	return permission.Answer{Allow: true, Changes: changes}, nil
}

// turnedDown is what the model is told of a call of which nothing was kept.
const turnedDown = "every change was turned down in the review."
