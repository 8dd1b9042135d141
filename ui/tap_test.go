package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
)

// tapAt clicks n times at one cell and leaves the button down after the last.
func tapAt(m *Model, x, y, n int) {
	m.taps = taps{}
	for i := range n {
		m.View()
		m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		if i < n-1 {
			letGo(m, x, y)
		}
	}
}

func letGo(m *Model, x, y int) {
	_, cmd := m.Update(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
	settle(m, cmd)
	m.View()
}

// cellOf is where a text stands on the screen.
func cellOf(t *testing.T, m *Model, text string) (x, y int) {
	t.Helper()
	for y, r := range strings.Split(shot(m), "\n") {
		if before, _, ok := strings.Cut(r, text); ok {
			return cellsOf(before), y
		}
	}
	t.Fatalf("no %q:\n%s", text, shot(m))
	return 0, 0
}

func cellRow(t *testing.T, m *Model, text string) int {
	t.Helper()
	_, y := cellOf(t, m, text)
	return y
}

// Two clicks choose and copy a word of what was written, three its line: over the rows it
// was wrapped into, by script, and not the looks of it.
func TestTapsChooseWordsAndLines(t *testing.T) {
	m, got := copyModel(t, 50, 60)
	talked(m)
	url := "https://example.com/a/very/long/path/that/goes/over/rows/of/the/screen?and=more"
	tell(m, agent.UserMessage{Text: "看一下 " + url + " 谢谢"}, agent.TurnStart{Turn: 1},
		agent.TextDelta{Text: "改了`ui/drag.go`里的**函数**，见 " + url + "。\n\n- 第二行 and_more\n\n```go\nif x {\n\treturn doing(1)\n}\n```\n"}, agent.RunEnd{})
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"paragraph", 2, "paragraph"},
		{"bold", 2, "bold"},
		{"code that", 2, "code"},
		{"narrow", 3, "A paragraph with **bold** and `code` that is long enough to be wrapped by a narrow screen, twice even."},
		{"paragraph", 3, "A paragraph with **bold** and `code` that is long enough to be wrapped by a narrow screen, twice even."},
		{"第一项", 3, "- 第一项，很长的一行文字没有空格所以一定会被换行显示在屏幕上"},
		{"第一项", 2, "第一项"},
		{"很长的", 2, "很长的一行文字没有空格所以一定会被换行显示在屏幕上"},
		{"一定会被", 2, "很长的一行文字没有空格所以一定会被换行显示在屏幕上"},
		{"first prompt", 2, "first"},
		{"first prompt", 3, "first prompt"},
		{"看一下", 2, "看一下"},
		{"谢谢", 2, "谢谢"},
		{"谢谢", 3, "看一下 " + url + " 谢谢"},
		{"ui/drag.go", 2, "ui/drag.go"},
		{"函数", 2, "函数"},
		{"and=more。", 2, url},
		{"and_more", 2, "and_more"},
		{"doing(1)", 2, "doing"},
		{"doing(1)", 3, "\treturn doing(1)"},
	} {
		*got = ""
		x, y := cellOf(t, m, c.text)
		for off := range 2 { // a wide character has two cells
			tapAt(m, x+off, y, c.n)
			letGo(m, x+off, y)
			if *got != c.want {
				t.Errorf("%s, %d clicks: %q, not %q\n%s", c.text, c.n, *got, c.want, shot(m))
			}
		}
	}
	x, y := cellOf(t, m, "第一项")
	for n := range 3 { // the blank row between two things, and where a row is blank
		*got = ""
		tapAt(m, x, y-1, n+1)
		letGo(m, x, y-1)
		tapAt(m, 0, cellRow(t, m, "看一下")-1, n+1)
		letGo(m, 0, cellRow(t, m, "看一下")-1)
		if *got != "" {
			t.Errorf("%d clicks on a blank row: %q", n+1, *got)
		}
	}
	x, y = cellOf(t, m, "narrow")
	tapAt(m, x, y, 2)
	if !strings.Contains(m.View().Content, m.th.Selection.Apply("narrow")) {
		t.Error("the word is not painted")
	}
}

// Dragging on goes by words, and by lines, to both sides; across two things that were said
// it goes from the one to the other.
func TestTapsAreDraggedOn(t *testing.T) {
	m, got := copyModel(t, 50, 40)
	talked(m)
	m.tr.toTop()
	for _, c := range []struct {
		from, to string
		n        int
		want     string
	}{
		{"ragraph", "old", 2, "paragraph with **bold"},
		{"arrow", "by a", 2, "by a narrow"},
		{"econd", "第一项", 3, "- 第一项，很长的一行文字没有空格所以一定会被换行显示在屏幕上\n- second"},
		{"rst prompt", "itle", 2, "first prompt\n\n# Title"},
	} {
		*got = ""
		x, y := cellOf(t, m, c.from)
		tx, ty := cellOf(t, m, c.to)
		tapAt(m, x, y, c.n)
		m.Update(tea.MouseMotionMsg{X: tx, Y: ty, Button: tea.MouseLeft})
		letGo(m, tx, ty)
		if *got != c.want {
			t.Errorf("%s to %s: %q, not %q", c.from, c.to, *got, c.want)
		}
	}
}

// A click that comes late, or elsewhere, is a click; the first of two is taken back where
// it folded what is chosen from.
func TestTapsAndClicks(t *testing.T) {
	m, got := copyModel(t, 80, 30)
	now := m.o.Now()
	m.o.Now = func() time.Time { return now }
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1},
		agent.ToolStart{ID: "1", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run make"}}, agent.ToolRunning{ID: "1"},
		agent.ToolEnd{ID: "1", Name: "run_bash", Result: tools.Result{Text: long(60)}}, agent.TextDelta{Text: "It is made."}, agent.RunEnd{})
	x, y := cellOf(t, m, "run make")
	tapAt(m, x, y, 1)
	letGo(m, x, y)
	if matterOf(m.tr.focus).kind != isCalled {
		t.Fatalf("the focus is on %v", m.tr.focus)
	}
	now = now.Add(tapping)
	m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	letGo(m, x, y)
	has(t, shot(m), "line 10\n")
	if *got != "" {
		t.Errorf("a late click copied %q", *got)
	}
	x, y = cellOf(t, m, "line 10")
	tapAt(m, x, y, 2)
	letGo(m, x, y)
	has(t, shot(m), "line 10\n")
	if *got != "line" {
		t.Errorf("in what was unfolded: %q", *got)
	}
	tapAt(m, x, y, 3)
	letGo(m, x, y)
	if *got != "line 10" {
		t.Errorf("its line: %q", *got)
	}
	*got = ""
	m.taps = taps{}
	m.unchoose()
	click(t, m, "line 12", 0)
	m.Update(tea.MouseClickMsg{X: 2, Y: y, Button: tea.MouseLeft})
	letGo(m, 2, y)
	if *got != "" {
		t.Errorf("two clicks at two places copied %q", *got)
	}
}

// The prompt takes them, too.
func TestTapsInThePrompt(t *testing.T) {
	m, got := copyModel(t, 40, 24)
	m.comp.SetValue("写一个函数 in ui/drag.go\nsecond line")
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"函数", 2, "写一个函数"},
		{"drag.go", 2, "ui/drag.go"},
		{"drag.go", 3, "写一个函数 in ui/drag.go"},
		{"line", 2, "line"},
	} {
		x, y := cellOf(t, m, c.text)
		tapAt(m, x, y, c.n)
		letGo(m, x, y)
		if *got != c.want {
			t.Errorf("%s, %d clicks: %q", c.text, c.n, *got)
		}
	}
	x, y := cellOf(t, m, "second")
	tapAt(m, x, y, 2)
	m.Update(tea.MouseMotionMsg{X: x + 8, Y: y, Button: tea.MouseLeft})
	letGo(m, x+8, y)
	if *got != "second line" {
		t.Errorf("dragged on: %q", *got)
	}
	if typeText(m, "X"); m.comp.Value() != "写一个函数 in ui/drag.go\nX" {
		t.Errorf("written over: %q", m.comp.Value())
	}
}

// What is shown whole has words and lines as well.
func TestTapsInThePager(t *testing.T) {
	m, got := copyModel(t, 80, 24)
	m.pager = longPager()
	m.pager.keys = m.o.Keys
	x, y := cellOf(t, m, "word 5")
	tapAt(m, x, y, 2)
	letGo(m, x, y)
	if *got != "word" {
		t.Errorf("a word: %q\n%s", *got, shot(m))
	}
	tapAt(m, x, y, 3)
	letGo(m, x, y)
	if !strings.Contains(m.pager.copied(), "\n"+*got+"\n") || !strings.Contains(*got, "word 5") {
		t.Errorf("a line: %q", *got)
	}
}
