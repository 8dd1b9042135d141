package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/dialog"
	"forge/ui/ledger"
)

// click presses and lets go where a text stands, x cells from its begin, long after
// whatever was clicked before.
func click(t *testing.T, m *Model, text string, x int) {
	t.Helper()
	m.taps = taps{}
	for y, r := range strings.Split(shot(m), "\n") {
		if before, _, ok := strings.Cut(r, text); ok {
			x += cellsOf(before)
			m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
			_, cmd := m.Update(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
			settle(m, cmd)
			m.View()
			return
		}
	}
	t.Fatalf("no %q:\n%s", text, shot(m))
}

// A click gives a thing that was said the focus, and folds the one that has it.
func TestClickOnWhatWasSaid(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 30)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1},
		agent.ToolStart{ID: "1", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run make"}}, agent.ToolRunning{ID: "1"},
		agent.ToolEnd{ID: "1", Name: "run_bash", Result: tools.Result{Text: long(60)}}, agent.TextDelta{Text: "It is made."}, agent.RunEnd{})
	hasNot(t, shot(m), "line 30\n")
	click(t, m, "run make", 1)
	if matterOf(m.tr.focus).kind != isCalled || m.reads == nil {
		t.Fatalf("the focus is on %v", m.tr.focus)
	}
	hasNot(t, shot(m), "line 10\n")
	click(t, m, "run make", 1)
	has(t, shot(m), "line 10\n")
	click(t, m, "line 10", 0)
	hasNot(t, shot(m), "line 10\n")
	click(t, m, "It is made.", 0)
	if matterOf(m.tr.focus).kind != isAnswered {
		t.Errorf("the focus is on %v", m.tr.focus)
	}
	typeText(m, "what") // words go to the prompt, as ever
	if m.reads != nil || m.comp.Value() != "what" {
		t.Errorf("written: %q", m.comp.Value())
	}
	click(t, m, "made", 0)
	click(t, m, "what", 2)
	if typeText(m, "X"); m.comp.Value() != "whXat" || m.tr.focus != nil {
		t.Errorf("written: %q", m.comp.Value())
	}

	drag(m, 2, 4, 9, 4)
	if m.unread(); m.tr.chosen == nil {
		t.Fatal("nothing was chosen")
	}
	if click(t, m, "It is made.", 0); m.tr.chosen != nil || m.tr.focus != nil {
		t.Error("a click that takes a choice back did more")
	}
	m.Update(tea.FocusMsg{})
	if click(t, m, "It is made.", 0); m.tr.focus != nil {
		t.Error("the click that raised the window did more")
	}
	m.cameBack, m.o.NoMouse = time.Time{}, true
	if click(t, m, "It is made.", 0); m.tr.focus != nil {
		t.Error("the mouse is the terminal's")
	}
}

// A click in the prompt sets the caret, in wrapped text, behind wide characters and where
// the text is higher than its window.
func TestClickInThePrompt(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 40, 24)
	m.comp.SetValue("写一个函数 one\nsecond line\n" + strings.Repeat("word ", 12) + "end")
	for _, c := range []struct {
		at   string
		x    int
		want string
	}{
		{"函数", 2, "写一个函X数 one\n"},
		{"second", 30, "second lineX\n"},
		{"end", 1, "eXnd"},
	} {
		before := m.comp.Value()
		click(t, m, c.at, c.x)
		if typeText(m, "X"); !strings.Contains(m.comp.Value(), c.want) {
			t.Errorf("%s: %q", c.at, m.comp.Value())
		}
		m.comp.SetValue(before)
	}
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("row %d.", i))
	}
	m.comp.SetValue(strings.Join(lines, "\n"))
	click(t, m, "row 36.", 6)
	if typeText(m, "X"); !strings.Contains(m.comp.Value(), "row 36X.") {
		t.Errorf("written: %q", m.comp.Value())
	}
	m.comp.SetValue("! ls")
	click(t, m, "!  ls", 3)
	if typeText(m, "X"); m.comp.Value() != "! Xls" {
		t.Errorf("written: %q", m.comp.Value())
	}
	m.comp.SetValue("")
	typeText(m, "/mo")
	click(t, m, "/mode ", 1)
	if m.comp.Value() != "/mode " {
		t.Errorf("written: %q", m.comp.Value())
	}
}

// The first click on a row of a list goes there, the second chooses it, though the list
// is longer than the screen.
func TestClickInAList(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 60, 20)
	entries := make([]dialog.Entry, 60)
	for i := range entries {
		entries[i].Label = fmt.Sprintf("entry %d.", i)
	}
	picked := -1
	settle(m, m.dialogs.Push(dialog.NewPicker(m.th, "List", entries, func(i int) tea.Cmd { picked = i; return nil })))
	press(m, "pgdown")
	press(m, "pgdown")
	click(t, m, "entry 24.", 1)
	before := shot(m)
	if picked >= 0 || !strings.Contains(before, "25 of 60") {
		t.Fatalf("picked %d\n%s", picked, before)
	}
	click(t, m, "List", 0)
	click(t, m, "of 60", 0)
	if shot(m) != before {
		t.Errorf("the list moved:\n%s", shot(m))
	}
	if click(t, m, "entry 24.", 1); picked != 24 || m.dialogs.Active() {
		t.Errorf("picked %d", picked)
	}
}

// A click chooses an answer of a question, and a second one, or Enter, gives it: not before
// the question takes keys, and nothing dangerous.
func TestClickAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		level  permission.Level
		early  bool
		clicks []string
		keys   string
		want   string
	}{
		{name: "two clicks", clicks: []string{"allow once", "allow once"}, want: "yes"},
		{name: "one click", clicks: []string{"allow once"}},
		{name: "enter", clicks: []string{"allow once"}, keys: "enter", want: "yes"},
		{name: "deny", clicks: []string{"deny", "deny"}, want: "no"},
		{name: "another one", clicks: []string{"allow once", "deny", "allow once"}},
		{name: "a key between", clicks: []string{"allow once"}, keys: "up enter"},
		{name: "elsewhere", clicks: []string{"make", "make", "run this command", "run this command"}},
		{name: "no sooner than its keys", early: true, clicks: []string{"allow once", "allow once"}},
		{name: "danger takes letters", level: permission.High, clicks: []string{"allow once", "allow once", "allow once"}, keys: "enter"},
		{name: "danger can be denied", level: permission.High, clicks: []string{"deny", "deny"}, want: "no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := still(t, testOptions(&fakeAgent{}), 80, 24)
			now := m.o.Now()
			m.o.Now = func() time.Time { return now }
			m.dialogs.Now = m.o.Now
			m.job = &job{}
			answer := make(chan permission.Answer, 1)
			m.ask(&ask{answer: answer, request: &permission.Request{Level: c.level, Call: tools.Call{Name: "run_bash"}, Effect: tools.Effect{Kind: tools.Exec, Title: "run make", Command: "make"}}})
			if !c.early {
				now = now.Add(time.Minute)
			}
			for _, what := range c.clicks {
				click(t, m, what, 1)
			}
			do(m, strings.Fields(c.keys)...)
			got := ""
			select {
			case a := <-answer:
				got = map[bool]string{true: "yes", false: "no"}[a.Allow]
			default:
			}
			if got != c.want {
				t.Errorf("answered %q\n%s", got, shot(m))
			}
		})
	}
}

// Clicks in what lies over the transcript: the first row of a pager leads back, a row of
// /context is chosen and then opened, and nothing beneath is chosen from.
func TestClicksInPanels(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Ledger = &Ledger{Window: func() ledger.Window {
		return ledger.Window{Tokens: 10, Size: 100, Items: []ledger.Item{{ID: "a", Group: "talk", Kind: "prompt", Name: "first words", Tokens: 5}, {ID: "b", Group: "talk", Kind: "answer", Name: "second words", Tokens: 5}}}
	}, Text: func(id string) (string, error) { return "the whole of " + id, nil }}
	m := still(t, o, 80, 24)
	tell(m, agent.UserMessage{Text: "underneath"})
	work(m, m.cmdContext(""))
	click(t, m, "second words", 1)
	if m.pager != nil {
		t.Fatal("one click opens")
	}
	click(t, m, "second words", 1)
	has(t, shot(m), "the whole of b")
	drag(m, 2, 2, 9, 2)
	if m.tr.chosen != nil {
		t.Error("text of the transcript was chosen")
	}
	m.pager.chosen = nil
	click(t, m, "as the model sees it", 1)
	if m.pager != nil || m.window == nil {
		t.Error("the pager stays")
	}
	drag(m, 2, 2, 9, 2)
	if m.tr.chosen != nil {
		t.Error("text of the transcript was chosen")
	}
}

// In the first row of a pager a click presses the key that is named there; on the words
// that were found it goes to the next place.
func TestClickOnAKeyOfThePager(t *testing.T) {
	o := testOptions(&fakeAgent{})
	for _, w := range []int{80, 120} {
		m := still(t, o, w, 24)
		m.pager = longPager()
		m.pager.keys = o.Keys
		click(t, m, "s save", 1)
		if m.pager == nil || m.pager.line == nil {
			t.Fatalf("%d: nothing is to be saved:\n%s", w, shot(m))
		}
		do(m, "esc")
		click(t, m, "/ find", 3)
		typeText(m, "word 7")
		do(m, "enter")
		at := m.pager.at
		click(t, m, "/word 7", 2)
		if m.pager == nil || m.pager.at != at+1 {
			t.Fatalf("%d: the next place was not gone to:\n%s", w, shot(m))
		}
		click(t, m, "  esc closes", 0)
		if m.pager == nil {
			t.Errorf("%d: a click between two keys closes", w)
		}
		click(t, m, "esc closes", 6)
		if m.pager != nil {
			t.Errorf("%d: it stays", w)
		}
	}
	m := still(t, o, 80, 24)
	m.pager = longPager()
	m.pager.other, m.pager.also = func() *pager { return &pager{title: "the other side", draw: m.pager.draw} }, "tab other"
	click(t, m, "tab other", 5)
	has(t, shot(m), "the other side")
}

// A click on a long answer that cannot be folded leaves the window where it is.
func TestClickKeepsTheWindow(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Text: strings.ReplaceAll(long(60), "\n", "\n\n")}, agent.RunEnd{})
	click(t, m, "line 55", 0)
	before := shot(m)
	if click(t, m, "line 55", 0); m.tr.focus == nil || shot(m) != before {
		t.Errorf("it moved:\n%s", shot(m))
	}
}
