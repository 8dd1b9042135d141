package ui

import "testing"

// What waits is kept as it was last when the screen ends, whichever writes did not come
// to it: else a line that went back into the prompt would be offered again.
func TestTheLastQueueIsKept(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var kept [][]string
		o := testOptions(&fakeAgent{})
		o.KeepQueue = func(list []string) { kept = append(kept, list) }
		o.SaveDraft = func(string) {}
		m := newModel(t.Context(), o)
		m.queue = []string{"/ship"}
		first := m.keepQueue()
		m.queue = nil
		second := m.keepQueue()
		if first == nil || second == nil {
			t.Fatal("nothing is to be written")
		}
		first()
		m.saveDraft() // the loop has ended before the second
		if len(kept) != 2 || len(kept[0]) != 1 || len(kept[1]) != 0 {
			t.Errorf("%q", kept)
		}
		second()
		m.saveDraft()
		if len(kept) != 2 {
			t.Errorf("written again: %q", kept)
		}
	})
}
