package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"forge/agent"
	"forge/tools"
)

// The colours of a command's output are on its card while it runs and once it is over,
// folded, unfolded and shown whole, in the theme's own colours; what is searched and
// copied has none of them, and nothing but colours gets to the screen.
func TestColoursOfOutput(t *testing.T) {
	m, got := copyModel(t, 80, 30)
	m.Update(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	red, green, bold := m.th.Error.Apply("FAIL"), m.th.Ok.Apply("ok"), "\x1b[1mtotal\x1b[22m"
	out := "\x1b[32mok\x1b[0m  one\n\x1b[2J\x1b]0;evil\a\x1b[31mFAIL\x1b[m two\x1b[1A\n\x1b[1mtotal\x1b[0m 2\nsame\n\x1b[31msame\x1b[0m\n"
	plain := "ok  one\nFAIL two\ntotal 2\nsame\nsame"
	tell(m, agent.UserMessage{Text: "test"}, agent.TurnStart{Turn: 1},
		agent.ToolStart{ID: "1", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run go test"}}, agent.ToolRunning{ID: "1"},
		agent.ToolOutput{ID: "1", Text: out[:20]}, agent.ToolOutput{ID: "1", Text: out[20:]})
	dyed := func(where string) {
		t.Helper()
		screen := m.View().Content
		for _, want := range []string{red, green, bold} {
			if !strings.Contains(screen, want) {
				t.Errorf("%s: no %q in\n%q", where, want, screen)
			}
		}
		for _, evil := range []string{"evil", "\x1b[2J", "\x1b[1A"} {
			if strings.Contains(screen, evil) {
				t.Errorf("%s: %q got through", where, evil)
			}
		}
	}
	dyed("running")
	tell(m, agent.ToolEnd{ID: "1", Name: "run_bash", Result: tools.Result{Text: plain + "\n[exit code 0, 12 ms]\n", Display: "exit code 0 · 12 ms"}}, agent.RunEnd{})
	dyed("over")
	if strings.Contains(m.View().Content, m.th.Error.Apply("same")) {
		t.Error("a line that stands there in two looks has the wrong one")
	}
	do(m, "ctrl+o")
	dyed("unfolded")
	do(m, "ctrl+o", "tab", "c")
	if !strings.HasPrefix(*got, plain) || strings.Contains(*got, "\x1b") {
		t.Errorf("copied %q", *got)
	}
	do(m, "/", "F", "A", "I", "L", "enter")
	if !strings.Contains(m.View().Content, m.th.Selection.Apply("FAIL")) {
		t.Error("a coloured word is not found")
	}
	do(m, "esc", "enter")
	dyed("shown whole")
	do(m, "w")
	dyed("shown whole, unwrapped")
	do(m, "c")
	if !strings.HasPrefix(*got, plain) || strings.Contains(*got, "\x1b") {
		t.Errorf("copied %q", *got)
	}

	do(m, "esc")
	m.Update(tea.ColorProfileMsg{Profile: colorprofile.ASCII}) // NO_COLOR
	screen := m.View().Content
	if strings.Contains(screen, "\x1b[31m") || strings.Contains(screen, ";31m") || !strings.Contains(screen, "\x1b[1mtotal\x1b[22m") {
		t.Errorf("without colours: %q", screen)
	}
}

func stripped(rows []string) string { return ansi.Strip(strings.Join(rows, "\n")) }

// A coloured line that is too long is wrapped where a plain one is, and cut in the same
// place.
func TestColouredLinesAreLaidOutLikePlainOnes(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	for _, plain := range []string{strings.Repeat("words and more ", 12), "\tindented\t中文的很长的一行" + strings.Repeat("字", 60), "short", "", strings.Repeat("x", 200)} {
		for w := 8; w < 90; w += 7 {
			var line strings.Builder
			for i, r := range plain {
				line.WriteString("\x1b[3" + string(rune('1'+i%6)) + "m" + string(r) + "\x1b[0m")
			}
			d := dyesOf([]string{line.String()}, plain)
			a, b := stripped(wrapDyed(plain, w, d, m.th, m.th.Muted)), stripped(wrap(plain, w, m.th.Muted))
			if a != b {
				t.Errorf("at %d:\n%s\nis not\n%s", w, a, b)
			}
			if a, b := stripped([]string{dyedRow(line.String(), w, m.th, m.th.Muted)}), stripped([]string{dyedRow(plain, w, m.th, m.th.Muted)}); a != b {
				t.Errorf("at %d: %q is not %q", w, a, b)
			}
		}
	}
}
