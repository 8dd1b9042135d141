package builtin

import (
	"bytes"
	"fmt"
	"strings"

	"forge/tools"
	"forge/tools/diff"
)

// meanwhile is when somebody else changed a file that a proposal is about.
const meanwhile = "by somebody else while this change waited,"

// stale is the result of a change to a file that was changed since the change was
// prepared. Nothing is written over: what the file holds now and what was to be
// written are joined where they do not touch, and the guard is asked about that
// anew. Where they clash, both versions stand in the change between marks, for a
// person to settle; where nobody is asked it is an error that shows them.
func (p proposal) stale(c tools.Change, why error, so tools.Result, told string) (tools.Result, error) {
	path, err := p.env.Workspace.Resolve(c.Path)
	if err != nil {
		return tools.Result{}, err
	}
	now, _, err := p.env.current(path)
	if err != nil {
		return tools.Result{}, err
	}
	so.IsError, so.Text, so.Display = true, told+why.Error(), "changed meanwhile"
	if now == nil {
		return so, nil // gone
	}
	if bytes.Equal(now, c.After) {
		so.IsError, so.Display = false, "no change"
		so.Text = told + fmt.Sprintf("%s holds exactly this already: somebody else wrote it %s so nothing was", c.Path, meanwhile)
		return so, nil
	}
	joined, ok := join(c, now)
	if !ok {
		return so, nil
	}
	theirs := changesText(diff.Hunks(readable(c.Before), readable(now)), maxShown)
	next := p
	next.change, next.model = joined, c.After
	verb := "edit"
	if joined.Conflicts > 0 {
		so.Text = told + fmt.Sprintf("%s was changed %s in the same place as yours. What was changed there:\n%s", c.Path, meanwhile, theirs)
	} else {
		so.Text = told + fmt.Sprintf("%s was changed %s and your change was joined with that. What was changed there:\n%s", c.Path, meanwhile, theirs)
	}
	// All of what changed was told, so the model knows the file as it is.
	next.whole = !strings.Contains(theirs, cutShort) && p.knows(path.Abs, c)
	so.Again = next.invocation(verb)
	so.Again.Effect.Detail = fmt.Sprintf("%s was changed on disk while this waited; the change was joined with that", c.Path)
	if n := joined.Conflicts; n > 0 {
		so.Again.Effect.Detail = fmt.Sprintf("%s was changed on disk while this waited, in the same place: %s to settle", c.Path, plural(n, "conflict"))
	}
	return so, nil
}

// knows reports whether the model knew all of the file before it was changed.
func (p proposal) knows(abs string, c tools.Change) bool {
	state, _ := p.env.Seen.check(abs, c.Before)
	return p.whole || state == fresh
}

// join is c made on what the file holds now. ok is false where the two are not in
// the same coding.
func join(c tools.Change, now []byte) (joined tools.Change, ok bool) {
	base, coding := diff.Decode(c.Before)
	ours, wanted := diff.Decode(c.After)
	theirs, found := diff.Decode(now)
	if c.Op == tools.Create {
		base, coding = nil, wanted
	}
	if coding != wanted || coding != found {
		return c, false
	}
	text, n := diff.Marked(base, ours, theirs)
	after, err := coding.Encode(text)
	if err != nil {
		return c, false
	}
	return tools.Change{Path: c.Path, Op: tools.Modify, Mode: c.Mode, Before: now, After: after, Conflicts: n}, true
}
