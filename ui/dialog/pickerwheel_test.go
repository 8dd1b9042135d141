package dialog

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// The wheel goes through a list as far as it has rows, and shows what is there; what was
// gone to is what enter chooses.
func TestWheelGoesThroughAList(t *testing.T) {
	var entries []Entry
	for i := range 20 {
		entries = append(entries, Entry{Label: fmt.Sprintf("entry %d", i)})
	}
	up, down := tea.MouseWheelMsg{Button: tea.MouseWheelUp}, tea.MouseWheelMsg{Button: tea.MouseWheelDown}
	var told []int
	chosen := -1
	p := NewPicker(dark, "Choose", entries, func(i int) tea.Cmd { chosen = i; return nil })
	p.Chosen = func(i int) { told = append(told, i) }
	s, _ := open(p)
	at := func() string {
		for _, row := range s.View(60, 12).Rows {
			if strings.Contains(row, "❯") {
				return row
			}
		}
		return ""
	}
	for _, c := range []struct {
		wheel int
		msg   tea.MouseWheelMsg
		want  string
	}{
		{0, up, "entry 0"}, {0, down, "entry 3"}, {5, down, "entry 8"}, {20, down, "entry 19"}, {0, down, "entry 19"}, {1, up, "entry 18"},
	} {
		s.Wheel = c.wheel
		if _, handled := s.Update(c.msg); !handled || !strings.Contains(at(), c.want) {
			t.Errorf("%v by %d: at %q, want %s", c.msg, c.wheel, at(), c.want)
		}
	}
	if s.Update(press("enter")); chosen != 18 {
		t.Errorf("chosen %d", chosen)
	}
	if fmt.Sprint(told) != "[0 3 8 19 18]" {
		t.Errorf("shown %v", told)
	}
	p = NewPicker(dark, "Nothing", nil, func(int) tea.Cmd { return nil })
	s, _ = open(p)
	s.Update(down) // there is nothing to go to
	s.View(60, 12)
}
