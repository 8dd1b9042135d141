// Package lazy holds what a start can do without: values and expressions of
// package level that are made when they are first asked for. It owns nothing else.
//
// [sync.OnceValue] does the same, but is itself made before main, one closure
// after the other: a few hundred of them touch every page of the program they
// stand in. A [Value] or a [Regexp] is data, laid down by the linker.
package lazy

import (
	"regexp"
	"sync"
)

// Value is what Of returns, made once, at the first Get. It must not be copied
// after that.
type Value[T any] struct {
	Of func() T

	once  sync.Once
	value T
}

// Get makes the value at its first call and returns it. It may be called by many
// goroutines at once; where Of panics, that call panics, and later ones get the
// zero value.
func (v *Value[T]) Get() T {
	v.once.Do(func() { v.value = v.Of() })
	return v.value
}

// Regexp is the expression Expr, compiled at the first Get. It must not be copied
// after that.
type Regexp struct {
	Expr string

	once sync.Once
	re   *regexp.Regexp
}

// Get compiles the expression at its first call and returns it; it panics where
// Expr is none, as [regexp.MustCompile] does. It may be called by many goroutines
// at once.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.Expr) })
	return r.re
}
