package ui

import (
	"testing"
	"time"
)

// TestNoTimeIsNegative: a clock that was set back shows no time at all.
func TestNoTimeIsNegative(t *testing.T) {
	for d, want := range map[time.Duration]string{-3 * time.Second: "0 s", -3 * time.Hour: "0 s", 0: "0 s", 1500 * time.Millisecond: "1.5 s", 61 * time.Second: "1 m 01 s"} {
		if got := seconds(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
	if got := ago(-time.Hour); got != "just now" {
		t.Errorf("in an hour: %s", got)
	}
}
