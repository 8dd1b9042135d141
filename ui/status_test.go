package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/provider"
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

// However long the words are that say what a run waits for, the frame says how much
// runs unasked and in what.
func TestModeAndSandboxAreAlwaysThere(t *testing.T) {
	for _, sandbox := range []string{"landlock", "bubblewrap", "none"} {
		for _, w := range []int{30, 40, 60, 80, 120} {
			for _, waiting := range []string{"", "thinking", "held back 30 s by the server's rate limit", "waiting for another forge to write what it has to say, which may take long"} {
				o := testOptions(&fakeAgent{})
				o.Sandbox = sandbox
				m := still(t, o, w, 24)
				m.status.servers = "MCP: 2 failed"
				m.status.wait(waiting, m.now)
				rows := strings.Split(strings.TrimRight(shot(m), "\n"), "\n")
				if len(rows) != 24 || !strings.HasPrefix(rows[23], "ask") || !strings.Contains(rows[23], sandbox) {
					t.Errorf("%s at %d while %q: %q", sandbox, w, waiting, rows[len(rows)-1])
				}
				if len(waiting) > 0 && len(waiting) < w-4 && !strings.Contains(strings.Join(rows[20:], "\n"), waiting) {
					t.Errorf("%s at %d: %q is not said:\n%s", sandbox, w, waiting, strings.Join(rows[20:], "\n"))
				}
			}
		}
	}
}

// What is said has the next step at its end: where a row does not hold it, it stands in
// rows above the line, whole, and the line is there as well.
func TestLongNoticesAreSaidWhole(t *testing.T) {
	for _, w := range []int{40, 80} {
		m := still(t, testOptions(&fakeAgent{}), w, 24)
		m.comp.SetValue("half a thought")
		m.say("no program that reads the clipboard was found: install wl-clipboard or xclip, or save the picture and name its file")
		rows := strings.Split(strings.TrimRight(shot(m), "\n"), "\n")
		if len(rows) != 24 || !strings.HasPrefix(rows[23], "ask") {
			t.Fatalf("%d columns: %d rows, the last %q", w, len(rows), rows[len(rows)-1])
		}
		said := strings.Join(strings.Fields(strings.Join(rows[20:23], " ")), " ")
		if !strings.HasSuffix(said, "name its file") {
			t.Errorf("%d columns: %q", w, said)
		}
		m.Update(unflash{m.flashes})
		if s := shot(m); strings.Contains(s, "clipboard") || !strings.Contains(s, "half a thought") {
			t.Errorf("it stays:\n%s", s)
		}
		m.say(strings.Repeat("very long ", 100))
		has(t, shot(m), "half a thought")
		m.Update(tea.WindowSizeMsg{Width: w, Height: 9}) // no rows to spare: one line
		m.say("no program that reads the clipboard was found: install wl-clipboard or xclip, or save the picture and name its file")
		if rows := strings.Split(strings.TrimRight(shot(m), "\n"), "\n"); len(rows) != 9 || !strings.Contains(rows[8], "no program") {
			t.Errorf("at 9 rows: %q", rows)
		}
	}
}

// What a summary took is in the line at once, not with the next answer.
func TestStatusCountsASummary(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 100, 24)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1}, agent.TurnEnd{Usage: provider.Usage{Input: 5000, Output: 100, Reported: true}}, agent.RunEnd{})
	has(t, shot(m), "↑5.0k ↓100")
	tell(m, agent.Compacted{Before: 5000, After: 2000, Summary: "so far", Totals: agent.Totals{Turns: 1, Usage: provider.Usage{Input: 8400, Output: 300}}})
	has(t, shot(m), "↑8.4k ↓300")
	tell(m, agent.Compacted{Before: 2000, After: 1900}) // old, of a conversation whose sum is not known
	has(t, shot(m), "↑8.4k ↓300")
}
