package ui

import (
	"strings"
	"testing"

	"forge/agent"
	"forge/tools"
)

func TestUnnumbered(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"    1\tone\n    2\t\ttwo\n    3\t", "one\n\ttwo\n"},
		{"   99\tx\n  100\ty\n…(7 more lines, use offset=101)", "x\ny"},
		{"    1\tx\n(not UTF-8: bytes that are no text are shown as ?)", "x"},
		{"99999\tx\n100000\t5\tz", "x\n5\tz"},
		{"a.go:12: x", ""},
		{"    1\tx\n    3\ty", ""},
		{"    1\tx\ny", ""},
		{"  1\tx", ""},
		{"the file is empty", ""},
		{"", ""},
	} {
		if got := unnumbered(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// What is copied of a file that was read is the file's, not the numbers it is shown
// with: by key, by mouse, in what is shown whole.
func TestCopyOfAFileHasNoNumbers(t *testing.T) {
	m, got := copyModel(t, 60, 24)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1},
		agent.ToolStart{ID: "1", Name: "read_file", Effect: tools.Effect{Kind: tools.Read, Title: "read a.go"}}, agent.ToolRunning{ID: "1"},
		agent.ToolEnd{ID: "1", Name: "read_file", Result: tools.Result{Text: "    9\tfunc main() {\n   10\t\t7 bottles\n   11\t" + strings.Repeat("long ", 20) + "\n   12\t}\n…(3 more lines, use offset=13)", Display: "4 lines"}},
		agent.RunEnd{})
	want := "func main() {\n\t7 bottles\n" + strings.Repeat("long ", 20) + "\n}"
	do(m, "tab", "c")
	if *got != want {
		t.Errorf("c copied %q", *got)
	}
	do(m, "space") // unfolded
	rows := strings.Split(shot(m), "\n")
	at := func(text string) int {
		for y, r := range rows {
			if strings.Contains(r, text) {
				return y
			}
		}
		t.Fatalf("no %q on\n%s", text, strings.Join(rows, "\n"))
		return 0
	}
	drag(m, 0, at("func main"), 59, at("   12"))
	if *got != want {
		t.Errorf("the mouse copied %q", *got)
	}
	drag(m, 0, at("bottles"), 59, at("bottles"))
	if *got != "\t7 bottles" {
		t.Errorf("the mouse copied %q", *got)
	}
	do(m, "enter")
	rows = strings.Split(shot(m), "\n")
	drag(m, 0, at("func main"), 59, at("bottles"))
	if *got != "func main() {\n\t7 bottles" {
		t.Errorf("of what is shown whole the mouse copied %q", *got)
	}
	do(m, "c")
	if *got != want {
		t.Errorf("of what is shown whole c copied %q", *got)
	}
}
