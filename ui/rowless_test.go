package ui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"forge/agent"
	"forge/tools"
)

// What is remembered of panes without rows never shows: after anything that happens the
// view is what it is when all of them are walked over.
func TestRowlessIsNeverSeen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for seed := range uint64(40) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			m := still(t, testOptions(&fakeAgent{}), 60, 12)
			m.showBrief(true)
			id, last := 0, ""
			block := 0
			for step := range 120 {
				switch block++; rnd.IntN(14) {
				case 0:
					tell(m, agent.UserMessage{Text: fmt.Sprint("prompt ", step)}, agent.TurnStart{Turn: 1})
				case 1:
					tell(m, agent.TextDelta{Block: block, Text: fmt.Sprint("said ", step)}, agent.TurnEnd{}, agent.TurnStart{Turn: 2})
				case 2:
					tell(m, agent.ThinkingDelta{Block: block, Text: "thoughts\nof it"})
				case 3:
					tell(m, agent.ToolStart{ID: fmt.Sprint("open", step), Name: "t", Effect: tools.Effect{Title: "runs"}})
				case 4:
					tell(m, did(fmt.Sprint("bad", step), "fails", tools.Result{Text: "no", IsError: true})...)
				case 5:
					if last != "" { // one more of that name
						tell(m, did(last, "again", tools.Result{Text: "no", IsError: rnd.IntN(2) == 0})...)
					}
				case 6:
					tell(m, agent.TurnStart{Turn: 3}, agent.ThinkingDelta{Block: block, Text: "thoughts"}, agent.ToolInput{Block: block + 1000, ID: fmt.Sprint("half", step), Name: "t"},
						agent.TextDelta{Block: block, Text: "half an answer"}, agent.ThinkingDelta{Block: block + 1, Text: "more"})
					m.tr.view(m.tr.h)
					tell(m, agent.Retrying{Attempt: 1, Attempts: 5})
				case 7:
					m.tr.scroll(rnd.IntN(15) - 9)
				case 8:
					if i := rnd.IntN(len(m.tr.panes)); m.tr.leads(m.tr.panes[i]) != nil {
						m.tr.flip(m.tr.panes[i])
					}
				case 9:
					m.tr.toEnd()
				case 10:
					m.tr.reshape(func(d *drawing) { d.expanded = !d.expanded })
				case 11:
					tell(m, agent.ToolStart{ID: fmt.Sprint("one", step), Name: "t"}, agent.ToolStart{ID: fmt.Sprint("two", step), Name: "t"},
						agent.ToolEnd{ID: fmt.Sprint("two", step), Name: "t", Result: tools.Result{Text: "fine"}})
					m.tr.view(m.tr.h)
					tell(m, agent.ToolEnd{ID: fmt.Sprint("one", step), Name: "t", Result: tools.Result{Text: "fine", Images: shots(true)}})
				default:
					for range rnd.IntN(6) {
						id++
						last = fmt.Sprint("c", id)
						tell(m, did(last, "reads", tools.Result{Text: "fine", Images: shots(rnd.IntN(8) == 0)})...)
					}
				}
				got := slices.Clone(m.tr.view(m.tr.h))
				from, to := m.tr.extent()
				m.tr.refold()
				want := m.tr.view(m.tr.h)
				a, b := m.tr.extent()
				if !slices.Equal(got, want) || from != a || to != b {
					t.Fatalf("seed %d, step %d: %v to %v\n%q\nnot %v to %v\n%q", seed, step, from, to, got, a, b, want)
				}
			}
		}
	})
}

func shots(some bool) []tools.Image {
	if !some {
		return nil
	}
	return []tools.Image{{Data: "R0lGODlh", MIME: "image/gif"}}
}

// manyCalls is a turn with so many calls, folded into one row.
func manyCalls(t testing.TB, n int) *Model {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	m.showBrief(true)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1})
	for i := range n {
		tell(m, did(fmt.Sprint(i), "reads", tools.Result{Text: "fine"})...)
	}
	tell(m, agent.TextDelta{Block: 1 << 20, Text: "so it is"})
	return m
}

// A frame of a turn with thousands of calls walks over none of them that the frame before
// walked over: all of them are one stretch, also where another call is over in each frame.
func TestFocusRemembersALongTurn(t *testing.T) {
	bubble(t, func(t *testing.T) {
		m := manyCalls(t, 3000)
		m.tr.view(20)
		for i := range 20 {
			tell(m, did(fmt.Sprint("more", i), "reads", tools.Result{Text: "fine"})...)
			m.tr.view(20)
			longest := 0
			for _, s := range m.tr.rowless {
				longest = max(longest, s.to-s.from)
			}
			if longest < 2999 || len(m.tr.rowless) > 2 {
				t.Fatalf("of %d panes these are remembered: %v", len(m.tr.panes), m.tr.rowless)
			}
		}
	})
}

// BenchmarkFocus is a frame of such a turn.
func BenchmarkFocus(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := manyCalls(b, n)
			m.tr.view(20)
			for b.Loop() {
				m.tr.view(20)
			}
		})
	}
}
