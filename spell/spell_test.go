package spell

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"model", "model", 0}, {"", "abc", 3}, {"abc", "", 3},
		{"modle", "model", 1}, {"mdel", "model", 1}, {"moodel", "model", 1}, {"nodel", "model", 1},
		{"resmue", "resume", 1}, {"ca", "abc", 3}, {"kitten", "sitting", 3},
		{"主题", "主頁", 1}, {"é", "e", 1},
		{strings.Repeat("a", 65), "a", 65},
	} {
		if got := Distance(c.a, c.b); got != c.want || Distance(c.b, c.a) != got {
			t.Errorf("%q and %q: %d and %d, want %d", c.a, c.b, got, Distance(c.b, c.a), c.want)
		}
	}
}
