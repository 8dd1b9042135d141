package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"forge/agent/budget"
)

func TestUsage(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local)
	usd := func(v float64) *float64 { return &v }
	calls := []budget.Call{
		{When: now.AddDate(0, 0, -1), Project: "/a", Provider: "p", Model: "x", USD: usd(0.5), Input: 100, Output: 10, CacheRead: 50},
		{When: now, Project: "/a", Provider: "p", Model: "y", Input: 300, Output: 1},
		{When: now, Project: "/b", Provider: "p", Model: "x", USD: usd(0.25), Input: 100, Output: 4, For: budget.ForSuggestion},
	}
	for _, c := range []struct {
		args  []string
		since time.Time
		want  string
		err   string
	}{
		{nil, time.Date(2026, 2, 1, 0, 0, 0, 0, time.Local), `
DAY         CALLS  IN   OUT  CACHE  COST
2026-03-01  1      100  10   50%    $0.50
2026-03-02  2      400  5    0%     $0.25+
sum         3      500  15   10%    $0.75+
`, ""},
		{[]string{"--by", "model", "--since", "1d"}, time.Date(2026, 3, 2, 0, 0, 0, 0, time.Local), `
MODEL  CALLS  IN   OUT  CACHE  COST
p/x    2      200  14   25%    $0.75
p/y    1      300  1    0%     ?
sum    3      500  15   10%    $0.75+
`, ""},
		{[]string{"--by", "project", "--since", "2026-01-31", "--json"}, time.Date(2026, 1, 31, 0, 0, 0, 0, time.Local), `
{
 "by": "project",
 "sums": [
  {
   "key": "/a",
   "calls": 2,
   "usd": 0.5,
   "unpriced_calls": 1,
   "input_tokens": 400,
   "output_tokens": 11,
   "cache_read_tokens": 50,
   "cache_write_tokens": 0,
   "seconds": 0
  },
  {
   "key": "/b",
   "calls": 1,
   "usd": 0.25,
   "unpriced_calls": 0,
   "input_tokens": 100,
   "output_tokens": 4,
   "cache_read_tokens": 0,
   "cache_write_tokens": 0,
   "seconds": 0
  }
 ]
}
`, ""},
		{[]string{"--by", "purpose", "--since", "1d"}, time.Date(2026, 3, 2, 0, 0, 0, 0, time.Local), `
PURPOSE            CALLS  IN   OUT  CACHE  COST
the work itself    2      400  11   12%    $0.50+
suggested prompts  1      100  4    0%     $0.25
sum                3      500  15   10%    $0.75+
`, ""},
		{[]string{"--by", "hour"}, time.Time{}, "", "day, model, project or purpose"},
		{[]string{"--since", "0d"}, time.Time{}, "", "as 7d"},
		{[]string{"--since", "yesterday"}, time.Time{}, "", "as 7d"},
	} {
		var out bytes.Buffer
		var since time.Time
		root := Root(Options{Out: &out, Err: &out, Usage: UsageOptions{Now: func() time.Time { return now }, Calls: func(from time.Time) ([]budget.Call, error) {
			since = from
			return calls, nil
		}}})
		root.SetArgs(append([]string{"usage"}, c.args...))
		err := root.Execute()
		if c.err != "" {
			var usage Usage
			if !errors.As(err, &usage) || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v: %v", c.args, err)
			}
			continue
		}
		if got := "\n" + out.String(); err != nil || got != c.want || !since.Equal(c.since) {
			t.Errorf("%v: since %s, %v:%s", c.args, since, err, got)
		}
	}
}

// What cannot be read is an error; what can is shown beside it.
func TestUsageOfABrokenBook(t *testing.T) {
	bad := errors.New("read usage: broken")
	for _, calls := range [][]budget.Call{nil, {{When: time.Now(), Model: "x", Input: 7}}} {
		var out bytes.Buffer
		root := Root(Options{Out: &out, Err: &out, Usage: UsageOptions{Calls: func(time.Time) ([]budget.Call, error) { return calls, bad }}})
		root.SetArgs([]string{"usage", "--by", "model"})
		err := root.Execute()
		if (calls == nil) != errors.Is(err, bad) {
			t.Errorf("%d calls: %v", len(calls), err)
		}
		if calls != nil && (!strings.Contains(out.String(), "broken") || !strings.Contains(out.String(), "x      1      7")) {
			t.Errorf("%s", out.String())
		}
	}
}
