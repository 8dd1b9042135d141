package sorting

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type pair struct{ key, at int }

func compare(a, b pair) int { return a.key - b.key }

// Both put lists of every length into the order slices has for them, and Stable
// leaves equal ones where they were.
func TestSortAgreesWithSlices(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		list := make([]pair, n)
		for i := range list {
			list[i] = pair{r.IntN(n/3 + 1), i}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, compare)

		stable := slices.Clone(list)
		StableBy(stable, compare)
		if !slices.Equal(stable, want) {
			t.Fatalf("%d elements, stable: %v, want %v", n, stable, want)
		}
		By(list, compare)
		if !slices.IsSortedFunc(list, compare) {
			t.Fatalf("%d elements: %v", n, list)
		}
		slices.SortFunc(list, func(a, b pair) int { return a.at - b.at })
		for i, p := range list {
			if p.at != i {
				t.Fatalf("%d elements: number %d is gone", n, i)
			}
		}
	}
}

func TestSortOfNothing(t *testing.T) {
	By[int](nil, nil)
	StableBy([]int{1}, nil)
}
