package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/lang"
	"forge/ui/safe"
)

// hired starts agents side by side, by the IDs of their calls.
func hired(m *Model, ids ...string) {
	tell(m, agent.UserMessage{Text: "let them look"}, agent.TurnStart{Turn: 1})
	for _, id := range ids {
		tell(m, agent.ToolStart{ID: id, Name: "task", Effect: tools.Effect{Kind: tools.Delegate, Title: "explore: part " + id, Detail: "look at part " + id}})
	}
	for _, id := range ids {
		tell(m, agent.ToolRunning{ID: id}, agent.Delegated{ID: id, Agent: "explore", Session: "s-" + id},
			does(id, agent.UserMessage{Text: "look at part " + id}), does(id, agent.TurnStart{Turn: 1}))
	}
}

// does is an event of the agent that runs as the last of these calls.
func does(path string, e agent.Event) agent.Event {
	ids := strings.Fields(path)
	for _, id := range slices.Backward(ids) {
		e = agent.Nested{ID: id, Event: e}
	}
	return e
}

// reads has an agent read a file.
func reads(m *Model, path, id, file string) {
	tell(m, does(path, agent.ToolStart{ID: id, Name: "read_file", Effect: tools.Effect{Kind: tools.Read, Title: "read " + file}}),
		does(path, agent.ToolRunning{ID: id}),
		does(path, agent.ToolEnd{ID: id, Name: "read_file", Result: tools.Result{Text: "what stands in " + file, Display: "1 line"}}))
}

// TestWorkOfASubAgentIsOpened: Enter on its card shows what it does, as it does it and
// when it has ended; Esc leads back to the card.
func TestWorkOfASubAgentIsOpened(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	hired(m, "a", "b", "c")
	reads(m, "b", "1", "b.go")
	tell(m, does("b", agent.TurnEnd{Usage: provider.Usage{Input: 1200, Output: 34, Reported: true}, Cost: 0.02, CostKnown: true}), does("b", agent.TurnStart{Turn: 2}),
		does("b", agent.TextDelta{Text: "It **stands** "}))
	do(m, "tab", "k")
	if s := shot(m); !strings.Contains(s, "│explore: part b") || !strings.Contains(s, "enter its work  x stop it alone  esc back") {
		t.Fatalf("the card has not the focus:\n%s", s)
	}
	do(m, "enter")
	s := shot(m)
	has(t, s, "explore: part b", "answering · 1 call · 1.2k tokens · $0.02", "› look at part b", "✓ read b.go", "It stands", "x stop it alone")
	hasNot(t, s, "let them look", "part a", "part c")
	// Live: more of it, a call that runs, what another agent does is not its.
	tell(m, does("b", agent.TextDelta{Text: "there."}), does("a", agent.TextDelta{Text: "not mine"}),
		does("b", agent.ToolStart{ID: "2", Name: "grep", Effect: tools.Effect{Kind: tools.Read, Title: "grep needle"}}), does("b", agent.ToolRunning{ID: "2"}))
	has(t, shot(m), "It stands there.", "grep needle  running", "running grep · 1 call")
	hasNot(t, shot(m), "not mine")
	// A call of its own is opened like any other.
	do(m, "k", "k", "enter")
	has(t, shot(m), "what stands in b.go", "esc closes")
	do(m, "esc")
	has(t, shot(m), "grep needle", "esc back")
	// Words in it are found; the conversation's own are not.
	do(m, "/", "s", "t", "a", "n", "d", "s", "enter")
	has(t, shot(m), "/stands", " of 2")
	do(m, "esc")
	tell(m, agent.ToolEnd{ID: "b", Name: "task", Result: tools.Result{Text: "Report"}})
	has(t, shot(m), "done · 1 call · 1.2k tokens", "2 turns, 1.2k in")
	hasNot(t, shot(m), "x stop")
	do(m, "esc")
	s = shot(m)
	has(t, s, "let them look", "│explore: part b", "esc back")
	if m.inside != nil || m.reads == nil {
		t.Error("the way back leads to the conversation, which is read")
	}
	do(m, "enter", "esc", "esc")
	if m.inside != nil || m.reads != nil {
		t.Error("the prompt has not the keys again")
	}
}

// TestWorkFitsEveryScreen: the view has exactly the rows and cells there are, in every
// size and language, from the first frame of an agent on.
func TestWorkFitsEveryScreen(t *testing.T) {
	for _, language := range []string{"en", "zh"} {
		if err := lang.Use(language); err != nil {
			t.Fatal(err)
		}
		defer lang.Use("en")
		for _, size := range [][2]int{{80, 24}, {40, 10}, {200, 50}, {20, 5}, {9, 3}, {1, 1}} {
			m := still(t, testOptions(&fakeAgent{}), size[0], size[1])
			hired(m, "甲", "b")
			work(m, m.openAgent(m.talk.crew.Find("甲")))
			tell(m, does("甲", agent.TextDelta{Text: strings.Repeat("每一个字都要看得见。", 40)}))
			for range 3 {
				rows := strings.Split(m.View().Content, "\n")
				if len(rows) != size[1] {
					t.Errorf("%s %v: %d rows", language, size, len(rows))
				}
				for _, r := range rows {
					if safe.Width(ansi.Strip(r)) > size[0] {
						t.Errorf("%s %v: a row of %d cells: %q", language, size, safe.Width(ansi.Strip(r)), r)
					}
				}
				do(m, "k")
			}
			if size[0] >= 40 {
				has(t, shot(m), "explore: part 甲", "每一个字")
			}
		}
	}
}

// That the others go on is not said of a run that has ended.
func TestNoneGoesOnAfterTheEnd(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Crew.Stop = func([]string) bool { return true }
	m := still(t, o, 80, 24)
	hired(m, "a", "b")
	do(m, "tab", "k", "x")
	has(t, shot(m), "stopping explore; the others go on")
	tell(m, agent.RunEnd{})
	hasNot(t, shot(m), "the others go on")
	m.say("something else")
	tell(m, agent.RunEnd{})
	has(t, shot(m), "something else")
}

// TestOneSubAgentIsStopped: x on a card, and in the view, stops that one and no other.
func TestOneSubAgentIsStopped(t *testing.T) {
	var stopped []string
	o := testOptions(&fakeAgent{})
	o.Crew.Stop = func(path []string) bool {
		stopped = append(stopped, strings.Join(path, " "))
		return path[0] != "c"
	}
	m := still(t, o, 80, 24)
	hired(m, "a", "b", "c")
	do(m, "tab", "k", "x")
	has(t, shot(m), "stopping explore; the others go on")
	do(m, "k", "enter", "x")
	if want := []string{"b", "a"}; !slices.Equal(stopped, want) {
		t.Errorf("stopped %q", stopped)
	}
	do(m, "esc", "j", "j", "x")
	has(t, shot(m), "explore is not at work")
	tell(m, agent.ToolEnd{ID: "a", Name: "task", Result: tools.Result{Text: agent.Cancelled + ": this agent, explore, and no other.", IsError: true}})
	has(t, shot(m), "explore: part a  cancelled", "explore: part b  running")
	do(m, "k", "k", "enter")
	has(t, shot(m), "cancelled", "interrupted after")
	do(m, "x")
	has(t, shot(m), "explore has ended already")
	do(m, "esc", "g", "x")
	has(t, shot(m), "none has the focus")
	if len(stopped) != 3 {
		t.Errorf("stopped %q", stopped)
	}
	m = still(t, testOptions(&fakeAgent{}), 80, 24)
	hired(m, "a")
	do(m, "tab", "x")
	has(t, shot(m), "cannot be stopped alone here")
}

// TestSubAgentOfASubAgent is opened out of the work of the one that started it, stopped
// by the calls that lead to it, and left for that one again.
func TestSubAgentOfASubAgent(t *testing.T) {
	var stopped [][]string
	o := testOptions(&fakeAgent{})
	o.Crew.Stop = func(path []string) bool { stopped = append(stopped, path); return true }
	m := still(t, o, 80, 24)
	hired(m, "a")
	tell(m, does("a", agent.ToolStart{ID: "a", Name: "task", Effect: tools.Effect{Kind: tools.Delegate, Title: "general: deeper"}}), does("a", agent.ToolRunning{ID: "a"}),
		does("a", agent.Delegated{ID: "a", Agent: "general", Session: "s-deep"}), does("a a", agent.UserMessage{Text: "second floor"}), does("a a", agent.TextDelta{Text: "I am below."}))
	reads(m, "a a", "1", "deep.go")
	do(m, "tab", "enter", "k", "j")
	has(t, shot(m), "explore: part a", "│general: deeper  running", "✓ read deep.go")
	do(m, "enter")
	s := shot(m)
	has(t, s, "explore ❯ general: deeper", "second floor", "I am below.", "✓ read deep.go")
	do(m, "x", "esc")
	has(t, shot(m), "explore: part a", "│general: deeper")
	do(m, "x") // the card has the focus, not the one looked at
	if len(stopped) != 2 || strings.Join(stopped[0], " ") != "a a" || strings.Join(stopped[1], " ") != "a a" {
		t.Errorf("stopped %q", stopped)
	}
	if got := m.talk.crew.Find("a", "a").Sessions(); strings.Join(got, " ") != "s-a s-deep" {
		t.Errorf("its session is found through %q", got)
	}
	do(m, "esc", "esc")
	if m.inside != nil || m.reads != nil {
		t.Error("the prompt has not the keys again")
	}
}

// TestWorkOfAStoredSubAgent is read from its session: in a conversation that is gone on
// with, on every floor. Where it is not there the report is shown, with the reason.
func TestWorkOfAStoredSubAgent(t *testing.T) {
	var asked []string
	o := testOptions(&fakeAgent{history: []agent.Event{
		agent.UserMessage{Text: "let them look"}, agent.TurnStart{Turn: 1}, agent.ToolInput{ID: "a", Name: "task"}, agent.TurnEnd{},
		agent.ToolStart{ID: "a", Name: "task", Effect: tools.Effect{Kind: tools.Delegate, Title: "explore: part a"}},
		agent.Delegated{ID: "a", Agent: "explore", Session: "s-a", Turns: 2, Usage: provider.Usage{Input: 900, Output: 100, Reported: true}},
		agent.ToolEnd{ID: "a", Name: "task", Result: tools.Result{Text: "The report."}}, agent.RunEnd{}}})
	o.Crew.Retell = func(sessions []string, sink agent.Sink) error {
		asked = append(asked, strings.Join(sessions, " "))
		switch asked[len(asked)-1] {
		case "s-a":
			sink(agent.UserMessage{Text: "look at part a"})
			sink(agent.TurnStart{Turn: 1})
			sink(agent.TextDelta{Text: "I begin."})
			sink(agent.ToolStart{ID: "a", Name: "task", Effect: tools.Effect{Kind: tools.Delegate, Title: "general: deeper"}})
			sink(agent.Delegated{ID: "a", Agent: "general", Session: "s-deep", Turns: 1})
			sink(agent.ToolEnd{ID: "a", Name: "task", Result: tools.Result{Text: "The report from below."}})
			sink(agent.RunEnd{})
			return nil
		}
		return errors.New("the file is gone")
	}
	m := still(t, o, 80, 24)
	work(m, m.adopt(retold(o.Agent.Replay)))
	do(m, "tab", "enter")
	has(t, shot(m), "explore: part a", "done · 1 call · 1.0k tokens", "› look at part a", "I begin.", "general: deeper")
	do(m, "g", "j", "j", "enter")
	has(t, shot(m), "The report from below.", "what it did cannot be read: the file is gone")
	if want := []string{"s-a", "s-a s-deep"}; !slices.Equal(asked, want) {
		t.Errorf("read %q", asked)
	}
}

// TestListOfSubAgents: /agents lists those at work with what they do and have used, is
// kept up with them, opens one and stops one; where none works it lists those there are.
func TestListOfSubAgents(t *testing.T) {
	var stopped []string
	o := testOptions(&fakeAgent{})
	o.Crew.Stop = func(path []string) bool { stopped = append(stopped, path...); return true }
	o.Agents = func() []AgentInfo { return []AgentInfo{{Name: "explore", About: "finds things out"}} }
	m := still(t, o, 120, 30)
	work(m, m.cmdAgents(""))
	has(t, shot(m), "@explore", "finds things out")
	do(m, "esc")
	hired(m, "a", "b", "c")
	reads(m, "b", "1", "b.go")
	work(m, m.cmdAgents(""))
	has(t, shot(m), "Sub-agents at work", "explore: part a  waiting for the model", "explore: part b  waiting for the model · 1 call", "ctrl+x stop it alone", "the sub-agents there are")
	do(m, "down")
	m.Update(batch{does("b", agent.ThinkingDelta{Text: "hm"}), does("b", agent.TurnEnd{Usage: provider.Usage{Input: 5000, Reported: true}})})
	has(t, shot(m), "explore: part b  thinking · 1 call · 5.0k tokens")
	do(m, "ctrl+x")
	has(t, shot(m), "Sub-agents at work")
	if strings.Join(stopped, " ") != "b" {
		t.Errorf("stopped %q", stopped)
	}
	m.Update(batch{agent.ToolEnd{ID: "b", Name: "task", Result: tools.Result{Text: agent.Cancelled, IsError: true}}})
	has(t, shot(m), "explore: part b  cancelled")
	do(m, "down", "enter") // from the one that was stopped
	has(t, shot(m), "› look at part c")
	do(m, "esc")
	if m.inside != nil || m.reads != nil {
		t.Error("out of the view leads where the list was opened: to the prompt")
	}
	work(m, m.cmdAgents(""))
	do(m, "up", "enter")
	has(t, shot(m), "@explore")
}

// TestAnotherConversationClosesTheView: what is looked at belongs to the one that was
// left.
func TestAnotherConversationClosesTheView(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	hired(m, "a")
	work(m, m.openAgent(m.talk.crew.Find("a")))
	m.Update(opened{fresh: true, before: len(m.tr.panes)})
	hasNot(t, shot(m), "part a")
	if m.inside != nil || m.reads != nil {
		t.Error("the view stayed open")
	}
}

// TestQuestionsSayWhose: a question of a sub-agent names it and its task, and its state
// says that it waits for an answer.
func TestQuestionsSayWhose(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 100, 30)
	hired(m, "a", "b")
	q := &ask{request: &permission.Request{Call: tools.Call{ID: "1", Name: "run_bash"},
		Effect: tools.Effect{Kind: tools.Exec, Command: "make", Agent: "explore", Task: "part b", Under: []string{"b"}}}, answer: make(chan permission.Answer, 1)}
	m.ask(q)
	has(t, shot(m), "the sub-agent explore asks; its task: part b", "explore: part b  waiting for your answer")
	if a := m.talk.crew.Find("a"); a.Asking() {
		t.Error("another one asks")
	}
	m.withdraw(q)
	hasNot(t, shot(m), "waiting for your answer")
}

// TestWorkOutsideOfTheAlternateScreen: inline, the view takes the whole screen as long
// as it is open.
func TestWorkOutsideOfTheAlternateScreen(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Inline = true
	m := still(t, o, 80, 24)
	m.job = &job{}
	hired(m, "a")
	if m.View().AltScreen {
		t.Fatal("it began on the alternate screen")
	}
	work(m, m.openAgent(m.talk.crew.Find("a")))
	if !m.View().AltScreen {
		t.Error("the view has not the whole screen")
	}
	has(t, shot(m), "› look at part a")
	do(m, "esc")
	if m.View().AltScreen {
		t.Error("it did not come back")
	}
}

// TestWorkIsBounded: twenty agents that say as much as they like are kept in bounds, and
// a frame costs what is visible.
func TestWorkIsBounded(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 100, 40)
	var ids []string
	for i := range 20 {
		ids = append(ids, fmt.Sprint("agent", i))
	}
	hired(m, ids...)
	work(m, m.openAgent(m.talk.crew.Find("agent3")))
	frame := func() float64 {
		m.View()
		return testing.AllocsPerRun(20, func() { m.tr.d.now = m.now; m.View() })
	}
	few := 0.0
	words := strings.Repeat("a word and another one\n\n", 400)
	for round := range 300 {
		for _, id := range ids {
			m.event(does(id, agent.TurnStart{Turn: round}))
			m.event(does(id, agent.TextDelta{Block: round, Text: words}))
			call := fmt.Sprint("c", round)
			m.event(does(id, agent.ToolStart{ID: call, Name: "grep", Effect: tools.Effect{Kind: tools.Read, Title: "grep " + call}}))
			m.event(does(id, agent.ToolEnd{ID: call, Name: "grep", Result: tools.Result{Text: words}}))
			m.event(does(id, agent.TurnEnd{}))
		}
		if round == 2 {
			few = frame()
		}
	}
	if many := frame(); many > 2*few+200 {
		t.Errorf("a frame took %.0f allocations and takes %.0f now", few, many)
	}
	has(t, shot(m), "a word and another one")
	for _, id := range ids {
		w := m.talk.calls[id].track
		if w.bytes > trackMax || len(w.sizes) > len(w.tr.panes)+1 || len(w.talk.calls)+len(w.talk.answers) > len(w.tr.panes) {
			t.Errorf("%s: %d bytes, %d panes, %d sizes, %d calls, %d answers", id, w.bytes, len(w.tr.panes), len(w.sizes), len(w.talk.calls), len(w.talk.answers))
		}
		if a := m.talk.crew.Find(id); a.Calls != 300 {
			t.Errorf("%s: %d calls", id, a.Calls)
		}
	}
	do(m, "g")
	has(t, shot(m), "earlier things are not shown here while the agent works")
	for _, id := range ids {
		tell(m, agent.ToolEnd{ID: id, Name: "task", Result: tools.Result{Text: "Report"}})
	}
	if k := m.talk.kept; k.bytes > tracksMax || len(k.list) >= len(ids) {
		t.Errorf("%d that ended are kept, %d bytes", len(k.list), k.bytes)
	}
	has(t, shot(m), "done") // what is looked at stays
}
