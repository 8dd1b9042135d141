package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	stored "forge/agent/session"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/lang"
)

// A call that is asked about once more waits like any other: its card says so, the clock
// turns slowly, and with the answer it runs again, from nothing on.
func TestAskedOnceMoreItWaits(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 30)
	now := m.o.Now()
	m.o.Now = func() time.Time { return now }
	m.dialogs.Now = m.o.Now
	m.job = &job{}
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1},
		agent.ToolStart{ID: "1", Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run make", Command: "make"}},
		agent.ToolRunning{ID: "1"}, agent.ToolOutput{ID: "1", Text: "half of it\n"})
	if now = now.Add(time.Minute); !m.talk.spinning() {
		t.Fatal("it does not run")
	}
	answer := make(chan permission.Answer, 1)
	q := &ask{answer: answer, request: &permission.Request{Call: tools.Call{ID: "1", Name: "run_bash"},
		Effect: tools.Effect{Kind: tools.Exec, Title: "run make", Command: "make"}, Changed: []string{"a.go"}}}
	m.Update(batch{q})
	if m.talk.spinning() {
		t.Error("the clock turns fast while the person is waited for")
	}
	text := shot(m)
	has(t, text, "waiting\n", "half of it")
	if strings.Contains(text, "running") {
		t.Errorf("shown:\n%s", text)
	}
	now = now.Add(time.Minute)
	m.Update(tickMsg{})
	do(m, "y")
	if len(answer) != 1 || !m.talk.spinning() {
		t.Errorf("answered %d times\n%s", len(answer), shot(m))
	}
	now = now.Add(2 * time.Second)
	m.Update(tickMsg{})
	has(t, shot(m), "running 2 s")

	q.answer = make(chan permission.Answer, 1)
	m.ask(q)
	tell(m, agent.ToolEnd{ID: "1", Name: "run_bash", Result: tools.Result{Text: "cancelled", IsError: true}})
	m.withdraw(q)
	if m.talk.spinning() {
		t.Errorf("what has ended runs again:\n%s", shot(m))
	}
}

// What esc would do a second time is said no longer than it is true.
func TestEscSaysWhatItDoes(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	typeText(m, "a draft")
	m.key(keyMsg("esc"))
	has(t, shot(m), "esc again clears the prompt")
	m.key(keyMsg("esc"))
	if m.comp.Value() != "" {
		t.Fatalf("left %q", m.comp.Value())
	}
	hasNot(t, shot(m), "esc again")
	typeText(m, "another")
	m.key(keyMsg("esc"))
	has(t, shot(m), "esc again clears the prompt")
	m.send("a prompt that waited") // a run begins, with no key
	hasNot(t, shot(m), "esc again")
	if has(t, shot(m), "esc stops"); m.clearing {
		t.Error("one esc has stopped the run and a second one clears the prompt")
	}
}

// Whatever was answered stands on the card as it was said, in every language: it may be
// what a tool says of itself, too.
func TestAnswersStandAsTheyWere(t *testing.T) {
	defer lang.Use(lang.English)
	if err := lang.Use("zh"); err != nil {
		t.Fatal(err)
	}
	m := still(t, testOptions(&fakeAgent{}), 80, 30)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1})
	for i, said := range []string{"killed", "no change · first 3", "1 file, 2 files", "5 s"} {
		id := fmt.Sprint(i)
		tell(m, agent.ToolStart{ID: id, Name: "ask_user", Effect: tools.Effect{Kind: tools.Internal, Title: "ask: " + id}}, agent.ToolRunning{ID: id},
			agent.ToolEnd{ID: id, Name: "ask_user", Result: tools.Result{Text: "The user answered:", Display: said, Own: true}})
	}
	has(t, shot(m), "0  killed", "1  no change · first 3", "2  1 file, 2 files", "3  5 s")
}

// What was on when forge ended is said in the person's language on its card; of a question of
// the model it says what was asked, which is kept nowhere else.
func TestCutOffCallsSpeakToThePerson(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 40)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1})
	for i, text := range []string{stored.NotAnswered, stored.Interrupted, stored.NotRun, stored.NotBegun} {
		id, name, input := fmt.Sprint(i), "run_bash", `{"command":"make"}`
		if i == 0 {
			name, input = "ask_user", `{"questions":[{"header":"Data\u001b[2Jbase","question":"Which?"},{"header":"登录","question":"?"}]}`
		}
		tell(m, agent.ToolInput{Block: i, ID: id, Name: name}, agent.ToolInput{Block: i, JSON: input},
			agent.ToolEnd{ID: id, Name: name, Result: tools.Result{Text: text, IsError: true}})
	}
	has(t, shot(m), "✗ ask: Database, 登录  not answered", "forge ended before you had answered", "interrupted; effects unknown")
	if err := lang.Use("zh"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lang.Use("en") }()
	m.speak()
	m.tr.reshape(func(*drawing) {})
	text := shot(m)
	has(t, text, "✗ 提问：Database, 登录  未回答", "forge 在你回答之前退出", "影响未知", "尚未获得允许", "轮到之前")
	if strings.Contains(text, "interrupted") {
		t.Error(text)
	}
}

// That a call was cancelled stands on its card once, and not as the model is told it.
func TestCancelledIsSaidOnce(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 30)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1})
	for id, rest := range map[string]string{"1": "", "2": "; the tool did not stop, its effects are unknown"} {
		tell(m, agent.ToolStart{ID: id, Name: "run_bash", Effect: tools.Effect{Kind: tools.Exec, Title: "run make " + id, Command: "make"}}, agent.ToolRunning{ID: id},
			agent.ToolEnd{ID: id, Name: "run_bash", Result: tools.Result{Text: agent.Cancelled + rest, IsError: true}})
	}
	text := shot(m)
	has(t, text, "run make 1  cancelled", "run make 2  cancelled", "    the tool did not stop, its effects are unknown")
	if strings.Contains(text, "by the user") {
		t.Error(text)
	}
}

// While the model asks, its card waits and the clock turns slowly; who looks elsewhere is
// called; a draft stays; a click on a choice, and another, answers through the screen.
func TestTheModelAsks(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Getenv = func(name string) string { return map[string]string{"TERM": "xterm-kitty"}[name] }
	m := still(t, o, 80, 30)
	now := m.o.Now()
	m.o.Now = func() time.Time { return now }
	m.dialogs.Now = m.o.Now
	m.job = &job{}
	m.comp.SetValue("my draft")
	m.Update(tea.BlurMsg{})
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1},
		agent.ToolStart{ID: "1", Name: "ask_user", Effect: tools.Effect{Kind: tools.Internal, Title: "ask: Which?"}}, agent.ToolRunning{ID: "1"})
	reply := make(chan tools.Reply, 1)
	q := &ask{reply: reply, question: &tools.Question{ID: "1", Topics: []tools.Topic{{Header: "数据库", Text: "Which?", Options: []tools.Alternative{{Label: "甲"}, {Label: "乙"}}}}}}
	all, _ := m.ask(q)().(tea.BatchMsg)
	if s := rawOf(all[0]); !strings.Contains(s, "waiting for your answer") {
		t.Errorf("nobody is called: %q", s)
	}
	has(t, shot(m), "ask: Which?  waiting", "│ 乙", "my draft")
	if m.talk.spinning() {
		t.Error("the clock turns fast while the person is waited for")
	}
	now = now.Add(time.Minute)
	click(t, m, "乙", 0)
	if len(reply) > 0 {
		t.Fatal("one click has answered")
	}
	has(t, shot(m), "❯ 2 ○ │ 乙", "click again takes it")
	click(t, m, "乙", 0)
	if r := <-reply; len(r.Responses) != 1 || len(r.Responses[0].Chosen) != 1 || r.Responses[0].Chosen[0] != 1 {
		t.Errorf("answered %+v", r)
	}
	if m.dialogs.Active() || m.comp.Value() != "my draft" || !m.talk.spinning() {
		t.Errorf("after the answer:\n%s", shot(m))
	}
}

// A call that was still being written when the answer broke off was cancelled by nobody.
func TestACallThatWasNotWrittenToItsEnd(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1}, agent.ToolInput{ID: "1", Name: "write_file", JSON: `{"path": "a.go", "content": "pack`},
		agent.RunEnd{Err: errors.New("the server is overloaded")})
	has(t, shot(m), "write a.go", "not written to its end", "the server is overloaded")
	hasNot(t, shot(m), "cancelled")
}
