package builtin

import (
	"context"
	"io/fs"

	"forge/tools"
	"forge/tools/sandbox"
)

// starts is what a change of p starts from: what the file holds, or what the calls
// before it would leave there, where one is prepared ahead of its turn. before is nil
// if there is no file then.
func (e *Env) starts(ctx context.Context, p sandbox.Path) (before []byte, mode fs.FileMode, err error) {
	before, mode, err = e.current(p)
	if ahead, ok := tools.PendingAt(ctx, p.Name); ok && err == nil {
		before = ahead
	}
	return before, mode, err
}

// familiar is known for what starts gave. What earlier calls would leave there is known
// as well as what they start from; a file they make is known, since the model wrote it.
func (e *Env) familiar(ctx context.Context, p sandbox.Path, before []byte) (freshness, error) {
	if _, ok := tools.PendingAt(ctx, p.Name); !ok {
		return e.known(p, before)
	}
	now, _, err := e.current(p)
	switch {
	case err != nil:
		return unread, err
	case now == nil:
		return fresh, nil
	}
	return e.known(p, now)
}
