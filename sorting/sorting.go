// Package sorting sorts lists by a comparison. It owns nothing else.
//
// [slices.SortFunc] is faster, and lays a whole sort into the program for every
// kind of element, 13 KB of code each: half a megabyte of them was at work in lists
// of a dozen. Here a kind costs three short methods. What sorts by the hundred
// thousand (tools/search) keeps to slices.
package sorting

import "sort"

// By sorts the list so that compare(a, b) is negative where a stands before b.
// Equal elements may change places.
func By[T any](list []T, compare func(a, b T) int) { sort.Sort(order[T]{list, compare}) }

// StableBy is [By] that leaves equal elements as they stand.
func StableBy[T any](list []T, compare func(a, b T) int) { sort.Stable(order[T]{list, compare}) }

// order is a list and its comparison, as package sort wants them.
type order[T any] struct {
	list    []T
	compare func(a, b T) int
}

func (o order[T]) Len() int           { return len(o.list) }
func (o order[T]) Less(i, j int) bool { return o.compare(o.list[i], o.list[j]) < 0 }
func (o order[T]) Swap(i, j int)      { o.list[i], o.list[j] = o.list[j], o.list[i] }
