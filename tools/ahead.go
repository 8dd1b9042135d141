package tools

import (
	"bytes"
	"context"
	"slices"
	"sync"
)

// Several calls of one answer often are one change to a person: five edits in three
// files. Each goes through the door by itself and in its turn. What is here lets a
// guard see, when it must ask about the first of them, which come right behind it, so
// that one question can show all of them.
//
// What is told ahead is a forecast and allows nothing by itself. A call whose turn
// comes is prepared anew on the files as they are then, is judged anew, and an answer
// given ahead counts for it only where it would do exactly what was shown.

// Planned is a call as it would be if those before it had done what they were to do.
// Where it could not be prepared, Err says why and Effect is empty.
type Planned struct {
	Call   Call
	Effect Effect
	Err    error
}

// Ahead is what a guard may know of the calls around the one it is asked about. It
// travels in the context of Executor.Run.
type Ahead struct {
	// Nth is how many calls that change files came right before this one.
	Nth int
	// Behind prepares the calls that change files and come right behind this one, each
	// on what those before it would leave; no file is touched. kept are the changes that
	// calls would really make, by their IDs, this one's included: a person may have cut
	// them down, or refused all of them. A call that is not in it does what it proposes.
	// It may be called from any goroutine, as often as is of use.
	Behind func(ctx context.Context, kept map[string][]Change) []Planned
	// Shelf is the guard's own: what it was told ahead of the other calls of the answer,
	// by their IDs. A call that cannot be prepared when its turn comes never reaches the
	// guard; what is there for it may be Told.
	Shelf *sync.Map
}

// Told is what a person said of a call ahead, as the model is to read it.
type Told interface{ Words() string }

type aheadKey struct{}

// WithAhead lets the guard of a call know of the calls around it; nil: it knows of none.
func WithAhead(ctx context.Context, a *Ahead) context.Context {
	return context.WithValue(ctx, aheadKey{}, a)
}

// AheadOf is what WithAhead put there, or nil.
func AheadOf(ctx context.Context) *Ahead {
	a, _ := ctx.Value(aheadKey{}).(*Ahead)
	return a
}

// Pending is what files would hold, by the Path of a Change, once calls have run that
// have not: what a call behind them is prepared on. nil is a file that would be gone,
// and is not an empty one.
type Pending map[string][]byte

type pendingKey struct{}

// WithPending has tools prepare on p in place of the files it names. A tool that does
// not ask for it works out its call on the files as they are; whoever plans sees that,
// and plans no further.
func WithPending(ctx context.Context, p Pending) context.Context {
	return context.WithValue(ctx, pendingKey{}, p)
}

// PendingAt is what a file would hold; ok is false where it holds what it holds.
func PendingAt(ctx context.Context, path string) (content []byte, ok bool) {
	p, _ := ctx.Value(pendingKey{}).(Pending)
	content, ok = p[path]
	return content, ok
}

// Same reports whether two changes are one: the same thing done to the same file, byte
// for byte.
func (c Change) Same(o Change) bool {
	before, after := bytes.Equal(c.Before, o.Before), bytes.Equal(c.After, o.After)
	return before && after && c.Path == o.Path && c.From == o.From && c.Op == o.Op && c.Thing == o.Thing &&
		c.Files == o.Files && c.Size == o.Size && c.Lost == o.Lost && c.Mode == o.Mode && c.Conflicts == o.Conflicts
}

// SameChanges reports whether two lists of changes are one.
func SameChanges(a, b []Change) bool { return slices.EqualFunc(a, b, Change.Same) }
