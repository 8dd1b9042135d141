package ui

import (
	"strings"
	"testing"
)

// What confines commands is on the line beside the mode, however narrow it is and
// whatever is going on.
func TestStatusShowsTheSandbox(t *testing.T) {
	for name, want := range map[string]string{"landlock": "landlock", "none": "sandbox none", "off": "sandbox off"} {
		o := testOptions(&fakeAgent{})
		o.Sandbox = name
		m := still(t, o, 120, 10)
		for _, w := range []int{40, 80, 120} {
			for _, waiting := range []string{"", "thinking"} {
				m.status.wait(waiting, m.now)
				if line := m.status.view(w, m.th, m.now, false); !strings.Contains(line, want) || !strings.Contains(line, "ask") || cellsOf(line) > w {
					t.Errorf("%s at %d: %q", name, w, line)
				}
			}
		}
	}
}
