package ui

import (
	"fmt"
	"strings"
	"testing"

	"forge/agent"
	"forge/tools"
)

// plainPane is a pane of fixed rows for tests of the window.
func plainPane(name string, n int) *whole {
	return &whole{draw: func(d *drawing, w int) []string {
		rows := make([]string, n)
		for i := range rows {
			rows[i] = fmt.Sprintf("%s%d", name, i)
		}
		return rows
	}}
}

func windowOf(t *transcript, h int) string {
	return strings.Join(t.view(h), " ")
}

func TestWindowFollowsAndStays(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tr := newTranscript(m.th)
	tr.add(plainPane("a", 3), plainPane("b", 3))
	if got := windowOf(tr, 4); got != " b0 b1 b2" {
		t.Errorf("end: %q", got)
	}
	tr.scroll(-2)
	if got := windowOf(tr, 4); got != "a1 a2  b0" || tr.follow {
		t.Errorf("up: %q", got)
	}
	tr.add(plainPane("c", 2))
	if got := windowOf(tr, 4); got != "a1 a2  b0" || !tr.fresh {
		t.Errorf("moved while somebody read: %q", got)
	}
	tr.scroll(-100)
	if got := windowOf(tr, 4); got != "a0 a1 a2 " {
		t.Errorf("top: %q", got)
	}
	tr.scroll(3)
	if got := windowOf(tr, 4); got != " b0 b1 b2" || tr.follow {
		t.Errorf("down: %q", got)
	}
	tr.scroll(100)
	if got := windowOf(tr, 4); got != "b2  c0 c1" || !tr.follow || tr.fresh {
		t.Errorf("bottom: %q follow=%v", got, tr.follow)
	}
	tr.add(plainPane("d", 1))
	if got := windowOf(tr, 4); got != "c0 c1  d0" {
		t.Errorf("followed: %q", got)
	}
}

func TestWindowTallerThanContent(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tr := newTranscript(m.th)
	tr.add(plainPane("a", 2))
	tr.scroll(-5)
	tr.toTop()
	if got := tr.view(4); strings.Join(got, "|") != "a0|a1||" || !tr.follow {
		t.Errorf("%q", got)
	}
}

func TestWindowSurvivesRemoval(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tr := newTranscript(m.th)
	for i := range 10 {
		tr.add(plainPane(string(rune('a'+i)), 3))
	}
	tr.view(4)
	tr.scroll(-6)
	gone := map[pane]bool{tr.panes[8]: true, tr.panes[9]: true}
	tr.remove(8, func(p pane) bool { return gone[p] })
	if got := windowOf(tr, 4); got != " h0 h1 h2" || len(tr.panes) != 8 {
		t.Errorf("%q, %d panes", got, len(tr.panes))
	}
	tr.remove(0, func(pane) bool { return true })
	if got := windowOf(tr, 2); strings.TrimSpace(got) != "" {
		t.Errorf("%q", got)
	}
}

func TestResizeKeepsThePlace(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 100, 20)
	for i := range 40 {
		tell(m, agent.UserMessage{Text: fmt.Sprintf("prompt %d %s", i, strings.Repeat("word ", 60))})
	}
	shot(m)
	m.tr.scroll(-60)
	before := firstPrompt(shot(m))
	for _, w := range []int{60, 40, 100, 20, 400, 100} {
		m.tr.reshape(func(d *drawing) { d.w = w })
		m.w = w
		shot(m)
	}
	if after := firstPrompt(shot(m)); after != before {
		t.Errorf("the window moved from prompt %s to %s", before, after)
	}
}

// Inside of one long thing the window keeps to its words, whatever the width: in a row
// that was a third of the way down, a third is above.
func TestResizeKeepsTheWords(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 100, 20)
	var words strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&words, "w%d ", i)
	}
	tell(m, agent.UserMessage{Text: words.String()})
	press(m, "ctrl+o")
	tell(m, agent.UserMessage{Text: long(30)})
	shot(m)
	m.tr.scroll(-80)
	first := func() (n int) {
		_, rest, _ := strings.Cut(shot(m), "w")
		fmt.Sscanf(rest, "%d", &n)
		return n
	}
	before := first()
	for _, w := range []int{50, 30, 70} {
		m.tr.reshape(func(d *drawing) { d.w = w })
		m.w = w
		if after := first(); after < before-60 || after > before+60 {
			t.Errorf("at %d the window begins with w%d, was w%d", w, after, before)
		}
	}
}

func firstPrompt(s string) string {
	_, rest, _ := strings.Cut(s, "prompt ")
	n, _, _ := strings.Cut(rest, " ")
	return n
}

func TestRowsAreForgottenUnderABudget(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 200, 50)
	line := strings.Repeat("x", 180) + "\n"
	for i := range 400 {
		tell(m, agent.ToolStart{ID: fmt.Sprint(i), Name: "t", Effect: tools.Effect{Title: "t"}},
			agent.ToolEnd{ID: fmt.Sprint(i), Result: tools.Result{Text: strings.Repeat(line, 200)}})
	}
	press(m, "ctrl+o")
	for range 400 {
		m.View()
		m.tr.scroll(-180)
	}
	m.View()
	kept := 0
	for _, p := range m.tr.panes {
		if c, ok := p.(*call); ok {
			kept += c.bytes
		}
	}
	if m.tr.d.bytes > rowBudget+1<<20 {
		t.Errorf("%d bytes of rows are kept", m.tr.d.bytes)
	}
	if kept > m.tr.d.bytes {
		t.Errorf("%d bytes are kept but %d counted", kept, m.tr.d.bytes)
	}
}

func TestTinyScreens(t *testing.T) {
	o := testOptions(&fakeAgent{})
	for w := range 45 {
		for h := range 12 {
			m := still(t, o, w, h)
			tell(m, agent.UserMessage{Text: "hello 世界 " + strings.Repeat("long ", 20)},
				agent.ThinkingDelta{Block: 0, Text: "hm"}, agent.TextDelta{Block: 1, Text: "# head\n\n- one\n- two 界"},
				agent.ToolInput{Block: 2, ID: "c", Name: "edit_file", JSON: `{"path":"a.go","new":"x\ny`},
				agent.Retrying{After: 3, Attempt: 1, Attempts: 5})
			m.queue = []string{"one", "two", "three", "four"}
			m.todoView = todosShown
			typeText(m, "/m")
			rows, x, y, cursor := m.screenIfAny()
			if len(rows) > h {
				t.Errorf("%dx%d: %d rows", w, h, len(rows))
			}
			if cursor && (x < 0 || y < 0 || y >= h) {
				t.Errorf("%dx%d: cursor at %d,%d", w, h, x, y)
			}
			press(m, "?", "esc")
			m.View()
		}
	}
}

func (m *Model) screenIfAny() ([]string, int, int, bool) {
	if m.w < 1 || m.h < 1 {
		return nil, 0, 0, false
	}
	return m.screen()
}

// TestReplaceKeepsRows: an answer at the end of what was shown before keeps its
// rows, any other makes its own; what is counted as kept adds up.
func TestReplaceKeepsRows(t *testing.T) {
	play := func(es ...agent.Event) []pane {
		return retold(func(sink agent.Sink) {
			for _, e := range es {
				sink(e)
			}
		}).panes
	}
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	end := play(turns(8, 10)...)
	m.Update(batch{told{panes: end, end: true}})
	m.View()
	kept := end[len(end)-1].(*answer).md
	rows := m.tr.d.bytes
	whole := play(turns(0, 10)...)
	m.Update(batch{told{panes: whole}})
	if now := whole[len(whole)-1].(*answer).md; now != kept {
		t.Error("the last answer is drawn anew")
	}
	m.View()
	if text := shot(m); !strings.Contains(text, "answer 9") || !strings.Contains(text, "answer 4") {
		t.Errorf("the screen shows\n%s", text)
	}
	if m.tr.d.bytes < rows {
		t.Errorf("%d bytes of rows are counted, were %d", m.tr.d.bytes, rows)
	}
	m.Update(batch{told{panes: play(turns(20, 21)...)}})
	m.View()
	if text := shot(m); strings.Contains(text, "answer 9") || !strings.Contains(text, "answer 20") {
		t.Errorf("another conversation shows\n%s", text)
	}
}
