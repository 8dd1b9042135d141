package ui

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"forge/agent"
	"forge/provider"
)

// A conversation that is opened again has the sums under its answers, as they were: of a
// run whose begin is not told none, and no time of one that nobody knows the begin of.
func TestSumsOfAStoredConversation(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	end := agent.TurnEnd{Stop: provider.StopEnd, Usage: provider.Usage{Input: 1200, Output: 300, CacheRead: 600}, Cost: 0.25, CostKnown: true}
	events := []agent.Event{
		agent.TurnStart{Turn: 1, At: at}, agent.TextDelta{Text: "the end of an answer"}, end, agent.RunEnd{At: at},
		agent.UserMessage{Text: "one", At: at},
		agent.TurnStart{Turn: 1, At: at.Add(4 * time.Second)}, agent.TextDelta{Block: 0, Text: "first"}, end,
		agent.UserMessage{Text: "and", Steer: true, At: at.Add(5 * time.Second)},
		agent.TurnStart{Turn: 2, At: at.Add(9 * time.Second)}, agent.TextDelta{Block: 1, Text: "second"}, end,
		agent.RunEnd{At: at.Add(9 * time.Second)},
		agent.UserMessage{Text: "two", At: at.Add(time.Minute)},
		agent.TurnStart{Turn: 1, At: at.Add(time.Minute)}, agent.TextDelta{Text: "cut"}, end,
		agent.RunEnd{At: at.Add(63 * time.Second), Err: context.Canceled},
		agent.TurnStart{Turn: 1, At: at.Add(time.Hour)}, agent.TextDelta{Text: "went on"}, end, agent.RunEnd{At: at.Add(time.Hour)},
	}
	m := still(t, testOptions(&fakeAgent{}), 80, 40)
	m.Update(batch{retold(func(sink agent.Sink) {
		for _, e := range events {
			sink(e)
		}
	})})
	var got []string
	for row := range strings.Lines(shot(m)) {
		if row = strings.TrimSpace(row); strings.Contains(row, " out, $") || strings.Contains(row, "interrupted") {
			got = append(got, row)
		}
	}
	want := []string{"9 s, 2 turns, 2.4k in (50% cached), 600 out, $0.50", "· interrupted after 3 s", "1.2k in (50% cached), 300 out, $0.25"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q\n%s", got, want, shot(m))
	}
}
