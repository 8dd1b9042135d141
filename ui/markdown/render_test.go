package markdown

import (
	"fmt"
	"testing"
)

func TestPendingInAsksForWhatIsSeen(t *testing.T) {
	s := New(dark())
	for i := range 100 {
		s.Append(fmt.Sprintf("Paragraph *number* %d.\n\n", i))
	}
	s.Close()
	rows := len(s.Rows(80))
	r := s.PendingIn(rows-4, rows)()
	if len(r.first) != 2 || r.first[1] != 99 {
		t.Errorf("blocks %v of 100 for the last rows", r.first)
	}
	s.Apply(r)
	if s.PendingIn(rows-4, rows) != nil {
		t.Error("the same rows are asked for again")
	}
	if s.Settled() {
		t.Error("the other blocks count as final")
	}
}
