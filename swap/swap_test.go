package swap

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A file that somebody has for a moment is waited for, and one that stays held is told.
func TestPatiently(t *testing.T) {
	taken, other := errors.New("taken"), errors.New("other")
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			fails int
			with  error
			tries int
			want  error
		}{{0, nil, 1, nil}, {3, taken, 4, nil}, {1000, taken, 8, taken}, {1000, other, 1, other}} {
			tries, begun := 0, time.Now()
			err := patiently(func(err error) bool { return err == taken }, func() error {
				if tries++; tries <= c.fails {
					return c.with
				}
				return nil
			})
			if err != c.want || tries != c.tries || time.Since(begun) > time.Second {
				t.Errorf("%d times %v: %v after %d tries in %v", c.fails, c.with, err, tries, time.Since(begun))
			}
		}
	})
}
