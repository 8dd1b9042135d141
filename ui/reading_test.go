package ui

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
	"forge/ui/clipboard"
)

// copyModel is a still model whose clipboard is kept here.
func copyModel(t *testing.T, w, h int) (*Model, *string) {
	t.Helper()
	got := new(string)
	o := testOptions(&fakeAgent{})
	o.Dir = t.TempDir()
	o.Clipboard = func(_ context.Context, text string) error { *got = text; return nil }
	return still(t, o, w, h), got
}

// do presses keys and does what they ask for, but waits for no timer.
func do(m *Model, keys ...string) {
	for _, k := range keys {
		_, cmd := m.Update(keyMsg(k))
		settle(m, cmd)
	}
}

// settle does what ends at once: a timer of the status line does not.
func settle(m *Model, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	done := make(chan tea.Msg, 1)
	go func() { done <- cmd() }()
	select {
	case msg := <-done:
		if b, ok := msg.(tea.BatchMsg); ok {
			for _, c := range b {
				settle(m, c)
			}
			return
		}
		if msg != nil {
			_, next := m.Update(msg)
			settle(m, next)
		}
	case <-time.After(200 * time.Millisecond): // it waits for the clock, and so does nobody here
	}
}

const mixed = "# Title\n\nA paragraph with **bold** and `code` that is long enough to be wrapped by a narrow screen, twice even.\n\n```go\nfunc main() {\n\tprintln(\"你好\")\n}\n```\n\n- 第一项，很长的一行文字没有空格所以一定会被换行显示在屏幕上\n- second\n"

func talked(m *Model) {
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("out %d needle%d", i, i%10))
	}
	tell(m, agent.UserMessage{Text: "first prompt"}, agent.TurnStart{},
		agent.TextDelta{Block: 0, Text: mixed},
		agent.ToolStart{ID: "1", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run make", Command: "make"}},
		agent.ToolRunning{ID: "1"},
		agent.ToolEnd{ID: "1", Name: "run_bash", Result: tools.Result{Text: strings.Join(lines, "\n"), Display: "exit code 0"}},
		agent.TurnEnd{}, agent.RunEnd{})
	m.talk.begin(m.now)
	tell(m, agent.UserMessage{Text: "second prompt"}, agent.TurnStart{}, agent.TextDelta{Block: 0, Text: "short answer"},
		agent.TurnEnd{}, agent.RunEnd{})
	m.View()
}

func TestFocus(t *testing.T) {
	m, got := copyModel(t, 80, 20)
	do(m, "tab")
	if m.reads != nil {
		t.Fatal("nothing to read, and yet the focus is there")
	}
	talked(m)
	do(m, "tab")
	if s := shot(m); !strings.Contains(s, " │short answer") || !strings.Contains(s, "esc back") {
		t.Fatalf("no mark beside the last answer, or no hint:\n%s", s)
	}
	do(m, "c")
	if *got != "short answer" || !strings.Contains(shot(m), "copied the answer: 1 line ") {
		t.Errorf("copied %q\n%s", *got, shot(m))
	}
	do(m, "[")
	if mt := matterOf(m.tr.focus); mt.text != "second prompt" {
		t.Errorf("[ went to %q", mt.text)
	}
	do(m, "[")
	if mt := matterOf(m.tr.focus); mt.text != "first prompt" {
		t.Errorf("[ [ went to %q", mt.text)
	}
	do(m, "j", "c")
	if *got != strings.TrimSpace(mixed) {
		t.Errorf("the answer is copied as\n%q", *got)
	}
	do(m, "shift+c")
	if *got != "func main() {\n\tprintln(\"你好\")\n}" {
		t.Errorf("the code is copied as\n%q", *got)
	}
	for range 5 {
		if do(m, "j"); matterOf(m.tr.focus).kind == isCalled {
			break
		}
	}
	do(m, "space")
	if !strings.Contains(shot(m), "out 0 needle0") {
		t.Errorf("space did not unfold:\n%s", shot(m))
	}
	do(m, "space")
	if strings.Contains(shot(m), "out 0 needle0") {
		t.Errorf("space did not fold again:\n%s", shot(m))
	}
	do(m, "space")
	press(m, "ctrl+o") // everything, and so also what had been unfolded alone
	if !strings.Contains(shot(m), "out 0 needle0") {
		t.Errorf("ctrl+o folded what space had unfolded:\n%s", shot(m))
	}
	press(m, "ctrl+o")
	do(m, "esc")
	typeText(m, "y")
	if m.comp.Value() != "y" {
		t.Errorf("the prompt is %q", m.comp.Value())
	}
}

func TestFind(t *testing.T) {
	m, _ := copyModel(t, 80, 20)
	talked(m)
	do(m, "tab", "/")
	typeText(m, "needle7")
	do(m, "enter")
	s := shot(m)
	if !strings.Contains(s, "needle7") || !strings.Contains(s, "6 of 6") {
		t.Fatalf("the last place, nearest to where looking began, is not shown:\n%s", s)
	}
	do(m, "n")
	if s = shot(m); !strings.Contains(s, "1 of 6") || !strings.Contains(s, "out 7 needle7") {
		t.Errorf("n does not go around to what was folded away:\n%s", s)
	}
	if !strings.Contains(m.View().Content, m.th.Selection.Apply("needle7")) {
		t.Error("the place is not painted")
	}
	do(m, "n")
	if s = shot(m); !strings.Contains(s, "2 of 6") || !strings.Contains(s, "out 17 needle7") {
		t.Errorf("n:\n%s", s)
	}
	do(m, "shift+n")
	if s = shot(m); !strings.Contains(s, "1 of 6") {
		t.Errorf("N:\n%s", s)
	}
	do(m, "/")
	typeText(m, "nowhere")
	if s = shot(m); !strings.Contains(s, "/nowhere") || !strings.Contains(s, "not found") {
		t.Errorf("words that are nowhere:\n%s", s)
	}
	do(m, "esc", "esc") // the line, then the words: what is read stays
	if m.reads == nil || strings.Contains(m.View().Content, m.th.Selection.Apply("needle7")) {
		t.Error("esc left the transcript together with the words")
	}
	do(m, "esc")
	if m.reads != nil || strings.Contains(m.View().Content, m.th.Selection.Apply("needle7")) {
		t.Error("esc leaves something behind")
	}
}

func TestJump(t *testing.T) {
	m, _ := copyModel(t, 80, 12)
	talked(m)
	top := func() string { return strings.TrimSpace(strings.SplitN(strings.TrimLeft(shot(m), "\n "), "\n", 2)[0]) }
	do(m, "ctrl+up")
	first := top()
	do(m, "ctrl+up")
	if second := top(); !strings.Contains(first+second, "first prompt") {
		t.Errorf("ctrl+up shows %q, then %q", first, second)
	}
	for range 3 {
		do(m, "ctrl+down")
	}
	if !m.tr.follow {
		t.Error("ctrl+down does not end at the end")
	}
	rows := m.tr.top
	do(m, "alt+pgup")
	if m.tr.follow || m.tr.top == rows {
		t.Error("half a page up moved nothing")
	}
	tell(m, agent.UserMessage{Text: "third"})
	if !strings.Contains(shot(m), "new output") {
		t.Errorf("no marker for what came below:\n%s", shot(m))
	}
}

func TestOpenWhole(t *testing.T) {
	m, got := copyModel(t, 100, 20)
	name := filepath.Join(t.TempDir(), "run-1.txt")
	var all strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&all, "row %d\n", i)
	}
	if err := os.WriteFile(name, []byte(all.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	tell(m, agent.TurnStart{}, agent.ToolStart{ID: "1", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run seq"}},
		agent.ToolEnd{ID: "1", Name: "run_bash", Result: tools.Result{Text: "row 0\n… (left out) …\nrow 2999\n[exit code 0, 1 s]\n[the whole output, 28 kB, is in " + name + "]\n", Display: "exit code 0"}})
	do(m, "tab", "enter")
	if s := shot(m); !strings.Contains(s, "run seq") || !strings.Contains(s, "all of it, from "+name) {
		t.Fatalf("the pager:\n%s", s)
	}
	do(m, "/")
	typeText(m, "row 1500")
	do(m, "enter")
	if s := shot(m); !strings.Contains(s, "row 1500") || !strings.Contains(s, "1 of 1") {
		t.Errorf("what lies in the file is not found:\n%s", s)
	}
	do(m, "c")
	if *got != all.String() {
		t.Errorf("%d bytes are copied, not %d", len(*got), all.Len())
	}
	do(m, "s")
	typeText(m, ".bak")
	do(m, "enter")
	saved, err := os.ReadFile(filepath.Join(m.o.Dir, "output.txt.bak"))
	if err != nil || string(saved) != all.String() {
		t.Errorf("saved %d bytes, %v", len(saved), err)
	}
	do(m, "s")
	typeText(m, ".bak")
	do(m, "enter")
	if s := shot(m); !strings.Contains(s, "not saved") {
		t.Errorf("a file was written over, or nothing is said:\n%s", s)
	}
	do(m, "esc")
	if m.pager != nil || m.reads == nil {
		t.Error("esc does not go back to where it was opened")
	}
}

// w shows a text as it is: long lines go on beyond the screen.
func TestUnwrapped(t *testing.T) {
	m, _ := copyModel(t, 60, 16)
	long := strings.Repeat("0123456789", 30)
	tell(m, agent.UserMessage{Text: "a\n" + long + "\nb"})
	do(m, "tab", "enter", "w")
	if s := shot(m); strings.Count(s, "0123456789") > 6 {
		t.Errorf("wrapped:\n%s", s)
	}
	do(m, "right", "right")
	if s := shot(m); !strings.Contains(s, "\n6789") {
		t.Errorf("not moved by 16 columns:\n%s", s)
	}
	do(m, "w")
	if s := shot(m); strings.Count(s, "0123456789") < 25 {
		t.Errorf("not wrapped again:\n%s", s)
	}
}

func drag(m *Model, x0, y0, x1, y1 int) {
	m.View()
	m.Update(tea.MouseClickMsg{X: x0, Y: y0, Button: tea.MouseLeft})
	m.Update(tea.MouseMotionMsg{X: x1, Y: y1, Button: tea.MouseLeft})
	m.View()
	_, cmd := m.Update(tea.MouseReleaseMsg{X: x1, Y: y1, Button: tea.MouseLeft})
	settle(m, cmd)
}

// What the mouse chooses is copied as it was written: no wraps, no padding, no
// glyphs, with the marks of markdown.
func TestDrag(t *testing.T) {
	m, got := copyModel(t, 50, 40)
	talked(m)
	m.tr.toTop()
	rows := strings.Split(shot(m), "\n")
	at := func(text string) int {
		for y, r := range rows {
			if strings.Contains(r, text) {
				return y
			}
		}
		t.Fatalf("no %q:\n%s", text, strings.Join(rows, "\n"))
		return 0
	}
	para := "A paragraph with **bold** and `code` that is long enough to be wrapped by a narrow screen, twice even."
	drag(m, 2, at("A paragraph"), 49, at("  even."))
	if *got != para {
		t.Errorf("a paragraph:\n%q", *got)
	}
	drag(m, 0, at("func main"), 49, at("func main")+2)
	if *got != "func main() {\n\tprintln(\"你好\")\n}" {
		t.Errorf("code:\n%q", *got)
	}
	drag(m, 49, at("second"), 0, at("第一项")) // upwards
	if *got != "- 第一项，很长的一行文字没有空格所以一定会被换行显示在屏幕上\n- second" {
		t.Errorf("a list:\n%q", *got)
	}
	drag(m, 2, at("first prompt"), 6, at("first prompt"))
	if *got != "first" {
		t.Errorf("a word of a prompt: %q", *got)
	}
	y := at("first prompt")
	drag(m, 0, y, 49, at("Title"))
	if *got != "first prompt\n\n# Title" {
		t.Errorf("over two things: %q", *got)
	}
	if !strings.Contains(m.View().Content, m.th.Selection.Apply("first prompt")) {
		t.Error("what was chosen is not painted")
	}
	do(m, "left")
	if m.tr.chosen != nil {
		t.Error("a key leaves it chosen")
	}
	*got = ""
	drag(m, 3, 3, 3, 39) // ends beneath the transcript
	if *got == "" {
		t.Error("a drag beyond the transcript copies nothing")
	}
	typeText(m, "/mouse")
	do(m, "enter")
	if m.View().MouseMode != tea.MouseModeNone {
		t.Error("/mouse leaves the mouse here")
	}
}

// A copied answer is the answer as the model wrote it, to the blanks at its end; only
// its lines end as lines do here.
func TestCopyIsTheSource(t *testing.T) {
	const wrote = "Two blanks  \nhard\tbreak\r\n\r\n| a | b |\r\n|---|---|\r\n| x\ty | 中文  |\n\n1. one:\n\n   ~~~py\n   def f():\n   \treturn 1   \n\n   \n   ~~~\n\n    code  \n\n<b>x</b> &amp; `a  b` 👩‍👩‍👧\n\nlast   "
	m, got := copyModel(t, 80, 40)
	tell(m, agent.UserMessage{Text: "first prompt"}, agent.TurnStart{}, agent.TextDelta{Block: 0, Text: wrote + "\n\n"}, agent.TurnEnd{}, agent.RunEnd{})
	m.View()
	typeText(m, "/copy")
	do(m, "enter")
	if want := strings.ReplaceAll(wrote, "\r\n", "\n"); *got != want {
		t.Errorf("copied\n%q, not\n%q", *got, want)
	}
	typeText(m, "/copy code")
	do(m, "enter")
	if want := "def f():\n\treturn 1   \n\n"; *got != want {
		t.Errorf("its code is %q, not %q", *got, want)
	}
}

func TestCopyCommand(t *testing.T) {
	m, got := copyModel(t, 80, 24)
	talked(m)
	for _, c := range []struct{ arg, want string }{
		{"", "short answer"}, {"1", "short answer"}, {"2", strings.TrimSpace(mixed)},
		{"2 code", "func main() {\n\tprintln(\"你好\")\n}"},
	} {
		arg := c.arg
		if arg == "2 code" { // only the last answer's code has a word of its own
			text, _ := m.tr.lastAnswer(2)
			settle(m, m.copyCode(text, 1))
		} else {
			settle(m, m.cmdCopy(arg))
		}
		if *got != c.want {
			t.Errorf("/copy %s: %q", c.arg, *got)
		}
	}
	settle(m, m.cmdCopy("all"))
	for _, part := range []string{"> first prompt", strings.TrimSpace(mixed), "out 30 needle0", "short answer"} {
		if !strings.Contains(*got, part) {
			t.Errorf("/copy all has no %q", part)
		}
	}
	settle(m, m.copyCode("```\na\n```\n\n```\nb\n```", 0))
	if !m.dialogs.Active() || !strings.Contains(shot(m), "Copy which code?") {
		t.Errorf("several pieces of code, and no question:\n%s", shot(m))
	}
}

// Without a program for the clipboard the terminal's sequence is enough to say so.
func TestCopySequence(t *testing.T) {
	m, _ := copyModel(t, 80, 24)
	m.o.Clipboard = func(context.Context, string) error { return clipboard.ErrNone }
	m.o.Getenv = func(k string) string { return map[string]string{"TERM": "xterm-256color"}[k] }
	var raw string
	for _, c := range m.copy("it", "源 text")().(tea.BatchMsg) {
		switch msg := c().(type) {
		case tea.RawMsg:
			raw = fmt.Sprint(msg.Msg)
		case copiedMsg:
			m.Update(msg)
		}
	}
	if !strings.Contains(raw, base64.StdEncoding.EncodeToString([]byte("源 text"))) {
		t.Errorf("sent %q", raw)
	}
	if !strings.Contains(m.status.flash, "copied it") {
		t.Errorf("said %q", m.status.flash)
	}
	m.o.Getenv = func(string) string { return "" }
	settle(m, m.copy("it", "text"))
	if !strings.Contains(m.status.flash, "not copied") {
		t.Errorf("nothing was copied, and it says %q", m.status.flash)
	}
}

// An answer that is open can be seen as the model wrote it, with the marks of markdown,
// and laid out again.
func TestTheSourceOfAnAnswer(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Text: "## Title\n\nSome **bold** and `code`.\n\n| a | b |\n|---|:-:|\n| x | y |\n"}, agent.TurnEnd{}, agent.RunEnd{})
	do(m, "tab")
	do(m, "enter")
	if m.pager == nil {
		t.Fatalf("nothing is open:\n%s", shot(m))
	}
	source := []string{"## Title", "Some **bold** and `code`.", "|---|:-:|"}
	hasNot(t, shot(m), source...)
	do(m, "w")
	has(t, shot(m), source...)
	do(m, "w")
	hasNot(t, shot(m), source...)
}
