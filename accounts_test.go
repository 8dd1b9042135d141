package main

import (
	"reflect"
	"testing"

	"forge/agent"
	"forge/provider"
)

// The sparklines have a bar for each turn of the person's conversation, and no costs
// where none is known.
func TestEachTurn(t *testing.T) {
	cost := 0.5
	uses := []agent.Use{
		{Usage: provider.Usage{Input: 10, Output: 1}}, {Usage: provider.Usage{Input: 90}, Compaction: true},
		{Usage: provider.Usage{Input: 70}, Agent: "scout"}, {Usage: provider.Usage{Input: 20, Output: 2}},
	}
	if tokens, costs := eachTurn(uses); !reflect.DeepEqual(tokens, []float64{11, 22}) || costs != nil {
		t.Errorf("%v, %v", tokens, costs)
	}
	uses[3].Cost = &cost
	if _, costs := eachTurn(uses); !reflect.DeepEqual(costs, []float64{0, 0.5}) {
		t.Errorf("%v", costs)
	}
}
