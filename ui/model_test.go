package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/ui/markdown"
)

func has(t *testing.T, screen string, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if !strings.Contains(screen, s) {
			t.Errorf("no %q on\n%s", s, screen)
		}
	}
}

func hasNot(t *testing.T, screen string, texts ...string) {
	t.Helper()
	for _, s := range texts {
		if strings.Contains(screen, s) {
			t.Errorf("%q on\n%s", s, screen)
		}
	}
}

func TestRetryVoidsTheTurn(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1},
		agent.ToolStart{ID: "a", Effect: tools.Effect{Title: "read kept.go"}}, agent.ToolEnd{ID: "a"},
		agent.TurnStart{Turn: 2}, agent.ThinkingDelta{Block: 5, Text: "void thought"},
		agent.TextDelta{Block: 6, Text: "void words"}, agent.ToolInput{Block: 7, ID: "b", Name: "void_tool"},
		agent.Retrying{Err: &provider.Error{Kind: provider.KindServer, Status: 529, Message: "overloaded"}, After: 3 * time.Second, Attempt: 2, Attempts: 5})
	s := shot(m)
	has(t, s, "read kept.go", "retrying in 3 s (2 of 5)", "overloaded")
	hasNot(t, s, "void")
	tell(m, agent.TextDelta{Block: 0, Text: "new words"})
	s = shot(m)
	has(t, s, "retried (2 of 5)", "new words")
	hasNot(t, s, "retrying in")
}

func TestCallsRunSideBySide(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.TurnStart{Turn: 1})
	for _, id := range []string{"a", "b"} {
		tell(m, agent.ToolStart{ID: id, Effect: tools.Effect{Kind: tools.Exec, Title: "run " + id}}, agent.ToolRunning{ID: id})
	}
	tell(m, agent.ToolOutput{ID: "b", Text: "from b\n"}, agent.ToolOutput{ID: "a", Text: "from a\n"})
	s := shot(m)
	if a, b := strings.Index(s, "from a"), strings.Index(s, "from b"); a < 0 || b < a {
		t.Errorf("the cards are not in the order of the calls:\n%s", s)
	}
	has(t, s, "running 2 calls")
	m.now = m.now.Add(1500 * time.Millisecond)
	tell(m, agent.ToolEnd{ID: "b", Result: tools.Result{Text: "no", IsError: true}, Took: time.Minute}) // the question included
	s = shot(m)
	has(t, s, "run b  failed · 1.5 s", "from a")
}

func TestThinkTagsBecomeReasoning(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	for _, r := range "<think>secret plan</think>the answer" {
		tell(m, agent.TextDelta{Block: 0, Text: string(r)})
	}
	tell(m, agent.TurnEnd{})
	s := shot(m)
	has(t, s, "thought", "the answer")
	hasNot(t, s, "think>", "secret plan")
	press(m, "ctrl+o")
	has(t, shot(m), "secret plan")
}

func TestErrorsSayWhatNext(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.TurnStart{}, agent.RunEnd{Err: &provider.Error{Kind: provider.KindAuth, Status: 401, Message: "bad key", Hint: "set DEEPSEEK_API_KEY"}})
	has(t, shot(m), "bad key", "set DEEPSEEK_API_KEY")
}

func TestUntrustedTextIsSafe(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 100, 40)
	evil := "\x1b]0;owned\a\x1b[2J\x1b[31mred\u202e\u009b5n\x07"
	tell(m, agent.UserMessage{Text: evil}, agent.TurnStart{}, agent.ThinkingDelta{Block: 0, Text: evil},
		agent.TextDelta{Block: 1, Text: evil + "\n\n```\n" + evil + "\n```\n"},
		agent.ToolInput{Block: 2, ID: "x", Name: evil, JSON: `{"a":"\u001b[2Jb","c":"` + strings.Repeat(`\u001b[31m`, 40) + `\n`},
		agent.ToolStart{ID: "y", Name: evil, Effect: tools.Effect{Kind: tools.Exec, Title: evil}}, agent.ToolRunning{ID: "y"},
		agent.ToolOutput{ID: "y", Text: evil},
		agent.ToolEnd{ID: "y", Result: tools.Result{Text: evil, Display: evil}},
		agent.ToolStart{ID: "z", Effect: tools.Effect{Title: "sub"}}, agent.ToolRunning{ID: "z"},
		agent.Nested{ID: "z", Event: agent.TextDelta{Text: evil}},
		agent.Notice{Text: evil}, agent.Compacted{Summary: evil, Before: 2, After: 1},
		agent.Waiting{For: evil}, agent.RunEnd{Err: errors.New(evil)})
	m.status.model.ID = evil
	m.queue = []string{evil}
	m.todos, m.todoView = []Todo{{Text: evil}}, todosShown
	m.status.flash = evil
	for range 2 {
		out := m.View().Content
		for _, bad := range []string{"\x1b]", "\x1b[2J", "\x1b[31mred", "\u202e", "\a", "\u009b"} {
			if strings.Contains(out, bad) {
				t.Errorf("%q reached the screen", bad)
			}
		}
		press(m, "ctrl+o")
	}
}

func TestNoDeltaIsLost(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 60, 24)
	var want strings.Builder
	tell(m, agent.TurnStart{})
	for i := range 20_000 {
		piece := fmt.Sprintf("w%d ", i)
		want.WriteString(piece)
		m.event(agent.TextDelta{Block: 0, Text: piece})
		if i%1000 == 0 {
			m.View()
		}
	}
	work(m, m.event(agent.TurnEnd{}))
	m.tr.toTop()
	var seen []string
	for {
		at := m.tr.settle()
		rows := m.tr.view(10)
		if m.tr.follow {
			seen = append(seen, rows...)
			break
		}
		seen = append(seen, rows...)
		m.tr.scroll(10)
		if m.tr.follow { // the last window overlaps the one before
			_, n := m.tr.forth(at, 1<<30)
			seen = append(seen, m.tr.view(10)[10-(n-10):]...)
			break
		}
	}
	var got []string
	for _, w := range strings.Fields(plainRows(seen)) {
		if strings.HasPrefix(w, "w") {
			got = append(got, w)
		}
	}
	if g, w := strings.Join(got, " "), strings.TrimSpace(want.String()); g != w {
		t.Errorf("%d words of 20000 on the screen, or in another order", len(got))
	}
}

func TestTypoRunsNothing(t *testing.T) {
	a := &fakeAgent{}
	o := testOptions(a)
	started := false
	o.New = func() error { started = true; return nil }
	m := still(t, o, 80, 24)
	work2(m, m.submit("/nwe"))
	if started || a.said() != "" {
		t.Error("a neighbour ran, or the typo was sent to the model")
	}
	has(t, shot(m), "no command /nwe; did you mean /new?", "/nwe")
}

// work2 is for commands whose timers a test does not wait for.
func work2(*Model, any) {}

func TestStatusLineAtWidths(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 120, 10)
	tell(m, agent.TurnStart{}, agent.TurnEnd{Usage: provider.Usage{Input: 12_345, Output: 678, CacheRead: 9_000}, Cost: 0.0123, CostKnown: true, Used: 31_000, Window: 100_000})
	m.status.wait("", m.now)
	line := m.status.view(120, m.th, m.now, false)
	has(t, line, "ask", "demo-1", "high", "12.3k", "678", "cache 72%", "window 31%", "$0.012")
	for w := 1; w <= 120; w++ {
		if n := cellsOf(m.status.view(w, m.th, m.now, false)); n > w {
			t.Errorf("%d cells in %d", n, w)
		}
	}
	narrow := m.status.view(40, m.th, m.now, false)
	has(t, narrow, "ask", "demo-1")
}

func TestLongPromptIsFolded(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 40)
	tell(m, agent.UserMessage{Text: long(1000)})
	s := shot(m)
	has(t, s, "line 15", "980 lines more", "line 996", "line 999")
	hasNot(t, s, "line 16\n", "line 995")
	press(m, "ctrl+o")
	has(t, shot(m), "line 995", "line 999")
	asked := still(t, testOptions(&fakeAgent{}), 80, 40) // what is asked about a log stands beneath it
	tell(asked, agent.UserMessage{Text: long(100) + strings.Repeat("x", 5000) + " why?"})
	has(t, shot(asked), "line 15", "lines more", " why?")
	one := still(t, testOptions(&fakeAgent{}), 80, 40) // a line that is long
	tell(one, agent.UserMessage{Text: "begins " + strings.Repeat("字x", 200_000) + " what is it?"})
	s = shot(one)
	has(t, s, "begins", "characters more · ctrl+o", "what is it?")
	if n := strings.Count(s, "字x字x"); n == 0 || len(strings.Split(s, "\n")) > 40 || strings.Count(s, "\n  字x") > promptRows {
		t.Errorf("folded:\n%s", s)
	}
	press(one, "ctrl+o")
	hasNot(t, shot(one), "characters more")
	for _, text := range []string{"", "one", "a\nb", strings.Repeat("x", 1<<20)} {
		if got := firstLines(text, 20, 100); len(text) <= 100 && got != text || len(got) > 110 {
			t.Errorf("%d bytes of %d", len(got), len(text))
		}
	}
}

func TestFailedCompactionIsToldOnce(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	m.job = &job{id: 1, cancel: func() {}}
	err := errors.New("the summary came back empty")
	tell(m, agent.Compacted{Err: err})
	m.ended(jobDone{id: 1, err: err})
	if n := strings.Count(shot(m), "came back empty"); n != 1 {
		t.Errorf("told %d times", n)
	}
}

// What a server's tool answered is seen without unfolding: nothing else on the card says it.
func TestServerAnswersAreSeen(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.ToolStart{ID: "x", Name: "mcp__demo__count", Effect: tools.Effect{Kind: tools.Network, Server: "demo", Title: "demo: Count"}},
		agent.ToolRunning{ID: "x"}, agent.ToolEnd{ID: "x", Name: "mcp__demo__count", Result: tools.Result{Text: "one\ntwo\nthree\nfour\nfive"}})
	has(t, shot(m), "demo: Count  done", "one", "three", "2 lines more")
	hasNot(t, shot(m), "four")
}

func TestUnpreparedCallFails(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.TurnStart{}, agent.ToolInput{Block: 0, ID: "x", Name: "edit_file", JSON: `{"path":"a.go"}`}, agent.TurnEnd{})
	has(t, shot(m), "edit a.go  waiting")
	tell(m, agent.ToolInput{Block: 1, ID: "z", Name: "edit_file", JSON: `{"path":"b.go","edits":[{"old_string":"a"}],"tags":{"a":1},"times":2}`}, agent.TurnEnd{})
	has(t, shot(m), "edit b.go 2  waiting") // no lists and objects: they are no words
	text := "old text found 3 times, need 1" + tools.Arrived(`{"path":"a.go"}`)
	tell(m, agent.ToolEnd{ID: "x", Name: "edit_file", Result: tools.Result{Text: text, IsError: true}})
	has(t, shot(m), "edit a.go  failed", "found 3 times")
	hasNot(t, shot(m), "arguments received")
	press(m, "ctrl+o")
	hasNot(t, shot(m), "arguments received")
	// A command that wrote such a line itself has written it.
	tell(m, agent.ToolStart{ID: "y", Effect: tools.Effect{Kind: tools.Exec, Title: "run test"}},
		agent.ToolEnd{ID: "y", Result: tools.Result{Text: "FAIL" + tools.Arrived("{}") + "\n[exit code 1, 2 s]\n", Display: "exit code 1 · 2 s", IsError: true}})
	has(t, shot(m), "arguments received: {}")
}

func TestSubAgentShowsItsSteps(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.ToolStart{ID: "t", Effect: tools.Effect{Kind: tools.Delegate, Title: "task: find it"}}, agent.ToolRunning{ID: "t"})
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		tell(m, agent.Nested{ID: "t", Event: agent.ToolStart{ID: id, Effect: tools.Effect{Title: "read " + id}}},
			agent.Nested{ID: "t", Event: agent.ToolEnd{ID: id, Result: tools.Result{IsError: id == "e"}}})
	}
	tell(m, agent.Nested{ID: "t", Event: agent.TextDelta{Text: "now I "}}, agent.Nested{ID: "t", Event: agent.TextDelta{Text: "know"}})
	has(t, shot(m), "2 steps above", "✓ read d", "✗ read e", "now I know")
}

func TestArgumentsStreamIn(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.TurnStart{}, agent.ToolInput{Block: 0, ID: "w", Name: "write_file", JSON: `{"path":"a.go","content":"package a\n\nfunc A() {}`})
	has(t, shot(m), "write a.go  writing", "content", "func A() {}")
	tell(m, agent.ToolInput{Block: 0, JSON: `\n// 1\n// 2\n// 3\n// 4\n// last`})
	s := shot(m)
	has(t, s, "// last")
	hasNot(t, s, "package a") // only the end of it
}

func TestClosingThinkTagAlone(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.TurnStart{}, agent.TextDelta{Text: "hm, a plan\n</think>\n\nthe answer"}, agent.TurnEnd{})
	s := shot(m)
	has(t, s, "thought", "the answer")
	hasNot(t, s, "think>", "a plan")
	if strings.Index(s, "thought") > strings.Index(s, "the answer") {
		t.Error("the reasoning stands behind the answer")
	}
}

func TestWheelAndTheMarkOfNewOutput(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	for i := range 30 {
		tell(m, agent.UserMessage{Text: fmt.Sprintf("prompt %d", i)})
	}
	m.View()
	m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	before := shot(m)
	hasNot(t, before, "prompt 29", "new output")
	tell(m, agent.TextDelta{Text: "more"})
	after := shot(m)
	has(t, after, "↓ new output")
	if a, b := strings.Split(after, "\n"), strings.Split(before, "\n"); strings.Join(a[:20], "\n") != strings.Join(b[:20], "\n") {
		t.Errorf("the window moved:\n%s", after)
	}
	for range 3 {
		m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	}
	s := shot(m)
	has(t, s, "more")
	hasNot(t, s, "new output")
}

// While a run is on a conversation that is read cannot be gone on with: what is said
// then is what the keys do, one after the other.
func TestPagerSaysHowToStop(t *testing.T) {
	m := terminalModel(t, nil)
	m.job = &job{cancel: func() {}}
	m.pager = longPager()
	m.pager.resume = func() tea.Cmd { t.Error("it was gone on with"); return nil }
	do(m, "r")
	if m.pager == nil || !strings.Contains(m.status.flash, "esc closes this, and then esc stops the run") {
		t.Fatalf("said %q", m.status.flash)
	}
	if do(m, "esc"); m.pager != nil || m.job.stopping {
		t.Error("the first esc does not close it, or stops the run")
	}
	if do(m, "esc"); !m.job.stopping {
		t.Error("the second esc does not stop the run")
	}
}

// Where a file's name is written nothing counts the places of words looked for before.
func TestNoCountBesideAFileName(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	m.pager = longPager()
	m.View()
	tap(m, "/", "w", "o", "r", "d")
	has(t, shot(m), "1 of ")
	tap(m, "enter", "s")
	has(t, shot(m), "save as: ")
	hasNot(t, shot(m), "1 of ")
}

func TestPagerKeys(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 12)
	press(m, "?")
	m.View()
	top := shot(m)
	for _, c := range []struct{ key, back string }{{"down", "up"}, {"j", "k"}, {"pgdown", "pgup"}, {"space", "b"}, {"end", "home"}, {"G", "g"}} {
		press(m, c.key)
		if shot(m) == top {
			t.Errorf("%s does nothing", c.key)
		}
		press(m, c.back)
		if shot(m) != top {
			t.Errorf("%s does not undo %s", c.back, c.key)
		}
	}
	press(m, "q")
	if m.pager != nil || !m.comp.Empty() {
		t.Error("q did not close it, or was typed")
	}
}

// TestADeniedCallSaysItOnce: the words for the model are not for the person who
// has just said no; words of their own are shown.
func TestADeniedCallSaysItOnce(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	for id, text := range map[string]string{"a": declined + "do something else", "b": "not run: the user declined and says: use tabs"} {
		tell(m, agent.ToolStart{ID: id, Effect: tools.Effect{Kind: tools.Exec, Title: "run " + id}},
			agent.ToolEnd{ID: id, Result: tools.Result{IsError: true, Refused: true, Text: text}})
	}
	s := shot(m)
	has(t, s, "run a  not allowed", "you said: use tabs")
	hasNot(t, s, "do something else")
	press(m, "ctrl+o")
	has(t, shot(m), "do something else")
}

// What a result says to the model of a command that was sent away, and a title that says
// how much is done, are not said to the person a second time.
func TestACardSaysNothingTwice(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.ToolStart{ID: "a", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run make"}},
		agent.ToolEnd{ID: "a", Result: tools.Result{Text: "one\n" + movedAway + "6 s; it goes on as job1, process 7: job_output reads what it writes next, job_kill ends it]\n", Display: "in the background as job1 · 6 s"}},
		agent.ToolStart{ID: "b", Name: "todo", Effect: tools.Effect{Title: "todo: 1 of 3 done"}}, agent.ToolEnd{ID: "b", Result: tools.Result{Text: "1. one"}})
	s := shot(m)
	has(t, s, "in the background as job1", "one", "todo: 1 of 3 done")
	hasNot(t, s, "the user", "done  done")
	press(m, "ctrl+o")
	hasNot(t, shot(m), "the user")
}

// TestACommandsEndIsToldOnce: how it ended stands in the title, not beneath too.
func TestACommandsEndIsToldOnce(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.ToolStart{ID: "a", Effect: tools.Effect{Kind: tools.Exec, Title: "run make"}},
		agent.ToolEnd{ID: "a", Result: tools.Result{IsError: true, Text: "no rule\n[exit code 2, 1.2 s]\n[a note]\n", Display: "exit code 2 · 1.2 s"}})
	s := shot(m)
	has(t, s, "✗ run make  exit code 2 · 1.2 s", "no rule", "[a note]")
	hasNot(t, s, "[exit code", "failed")
}

// TestAfterAnOverflowTheHintLeadsOn: shortening that has just failed is no advice.
func TestAfterAnOverflowTheHintLeadsOn(t *testing.T) {
	over := &provider.Error{Kind: provider.KindOverflow, Message: "prompt is too long", Hint: "use /compact"}
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.TurnStart{}, agent.RunEnd{Err: over})
	has(t, shot(m), "use /compact")
	m = still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.TurnStart{}, agent.Compacting{}, agent.Compacted{Err: errors.New("too little")}, agent.RunEnd{Err: over})
	s := shot(m)
	has(t, s, "too little", "/new starts a new conversation")
	hasNot(t, s, "use /compact", "0 s")
}

// TestAStoppedShorteningIsNoFailure: the person stopped it, and knows.
func TestAStoppedShorteningIsNoFailure(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.Compacting{}, agent.Compacted{Err: fmt.Errorf("shorten: %w", context.Canceled)})
	s := shot(m)
	has(t, s, "not compacted: interrupted")
	hasNot(t, s, "✗")
}

// TestAnInterruptedRetryWasNone: the line says what became of it.
func TestAnInterruptedRetryWasNone(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.TurnStart{}, agent.Retrying{Attempt: 1, Attempts: 5, After: time.Minute, Err: errors.New("slow down")})
	has(t, shot(m), "retrying in")
	tell(m, agent.RunEnd{Err: context.Canceled})
	s := shot(m)
	has(t, s, "not retried: slow down")
	hasNot(t, s, "retried (1")
}

// TestSecondPresses: two Escs that arrive as one count twice, and the offer of a
// second press goes with any other key.
func TestSecondPresses(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	typeText(m, "some words")
	m.Update(tea.KeyPressMsg{Code: tea.KeyEscape, Mod: tea.ModAlt})
	if m.comp.Value() != "" {
		t.Errorf("two escs at once left %q", m.comp.Value())
	}
	press(m, "ctrl+c")
	has(t, shot(m), "ctrl+c again leaves")
	typeText(m, "x")
	hasNot(t, shot(m), "again leaves")
}

// TestSearchOfEarlierPrompts: ctrl+r finds a prompt by its words, newest first.
func TestSearchOfEarlierPrompts(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.History = []string{"fix the lexer", "fix the parser", "write a test\nfor it", "fix the lexer", strings.Repeat("long ", 1000)}
	m := still(t, o, 80, 24)
	typeText(m, "half a thought")
	press(m, "ctrl+r")
	has(t, shot(m), "Earlier prompts", "write a test for it", "❯ long long")
	typeText(m, "fix")
	if n := strings.Count(shot(m), "fix the lexer"); n != 1 {
		t.Errorf("a prompt sent twice is listed %d times", n)
	}
	press(m, "enter")
	if got := m.comp.Value(); got != "fix the lexer" {
		t.Errorf("found %q", got)
	}
	press(m, "ctrl+_")
	if got := m.comp.Value(); got != "half a thought" {
		t.Errorf("undo brought %q", got)
	}
	m = still(t, testOptions(&fakeAgent{}), 80, 24)
	press(m, "ctrl+r")
	has(t, shot(m), "no prompt was sent yet")
}

// TestWideScreensAreReadable: no prose of the transcript runs over the whole of a
// wide screen, a model's or forge's own.
func TestWideScreensAreReadable(t *testing.T) {
	words := strings.Repeat("words ", 100)
	m := still(t, testOptions(&fakeAgent{}), 220, 60)
	press(m, "ctrl+o")
	tell(m, agent.UserMessage{Text: words}, agent.TurnStart{}, agent.ThinkingDelta{Block: 0, Text: words},
		agent.TextDelta{Block: 1, Text: words}, agent.Notice{Text: words}, agent.Compacted{Summary: words, Before: 2, After: 1},
		agent.RunEnd{Err: errors.New(words)})
	for row := range strings.SplitSeq(shot(m), "\n") {
		if strings.Contains(row, "words words") && cellsOf(row) > gutter+markdown.Measure {
			t.Errorf("%d cells: %s", cellsOf(row), row)
		}
	}
}

// What is sent is sent when the key is pressed: a line right behind it, or a key for what
// it opened, never comes before it.
func TestSentInTheOrderOfTheKeys(t *testing.T) {
	m := terminalModel(t, nil)
	enter := tea.KeyPressMsg{Code: tea.KeyEnter}
	typeText(m, "first")
	m.Update(enter) // what it asks for may come late
	typeText(m, "second")
	m.Update(enter)
	if m.job == nil || m.sending != "first" || len(m.queue) != 1 || m.queue[0] != "second" {
		t.Errorf("sent %q, queued %q", m.sending, m.queue)
	}
	m = terminalModel(t, nil)
	typeText(m, "/mode")
	m.Update(enter)
	typeText(m, "pla")
	if !m.dialogs.Active() || m.comp.Value() != "" {
		t.Errorf("a list is open: %v; in the prompt stands %q", m.dialogs.Active(), m.comp.Value())
	}
}
