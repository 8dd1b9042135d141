package ui

import (
	"strings"
	"testing"
	"time"

	"forge/agent"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/keymap"
)

// Esc leads out of whatever was open when a question came, as the line of that says, one
// step at a time, and only then to the question. Ctrl+C ends the run from there at once.
func TestEscLeadsOutOfWhatIsReadBeforeItDenies(t *testing.T) {
	views := []struct {
		name  string
		open  func(m *Model)
		steps int    // of esc, until nothing lies over the question
		says  string // while it is open
	}{
		{"nothing", func(m *Model) {}, 0, ""},
		{"the transcript", func(m *Model) { do(m, "tab") }, 1, "esc back"},
		{"words found in it", func(m *Model) { do(m, "tab", "/", "o", "enter") }, 2, "esc back"},
		{"words being looked for", func(m *Model) { do(m, "tab", "/", "o") }, 2, "/o"},
		{"a sub-agent's work", func(m *Model) { do(m, "tab", "k", "enter") }, 2, "esc back"},
		{"a call of it", func(m *Model) { do(m, "tab", "k", "enter", "k", "enter") }, 3, "esc closes"},
		{"help", func(m *Model) { do(m, "?") }, 1, "esc closes"},
		{"words looked for in help", func(m *Model) { do(m, "?", "/", "o") }, 2, "/o"},
		{"the window", func(m *Model) { scenes[keymap.Window](m) }, 1, "enter open · esc"},
		{"the servers", func(m *Model) { scenes[keymap.Servers](m) }, 1, "esc close"},
		{"a server", func(m *Model) { scenes[keymap.Server](m) }, 2, "esc back"},
	}
	for _, v := range views {
		for _, of := range []string{"command", "diff", "question"} {
			t.Run(v.name+", "+of, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					defer time.Sleep(time.Hour) // of the bubble: the timers end
					stops := 0
					begin := func() (m *Model, answered func() bool) {
						m = still(t, testOptions(&fakeAgent{}), 100, 30)
						now := m.o.Now()
						m.o.Now = func() time.Time { return now }
						m.dialogs.Now = m.o.Now
						stops = 0
						m.job = &job{id: 1, cancel: func() { stops++ }}
						hired(m, "a", "b")
						reads(m, "a", "1", "a.go")
						v.open(m)
						m.View()
						reply, answer := make(chan tools.Reply, 1), make(chan permission.Answer, 1)
						q := &ask{reply: reply, answer: answer}
						switch of {
						case "question":
							q.question = &tools.Question{Title: "Go on?", Choices: []tools.Choice{{ID: "y", Key: "y", Label: "yes"}, {ID: "n", Key: "n", Label: "no"}}}
						case "diff":
							q.request = &permission.Request{Effect: tools.Effect{Kind: tools.Write, Title: "edit a.go", Changes: []tools.Change{{Path: "a.go", Op: tools.Modify, Before: []byte("a\n"), After: []byte("b\n")}}}}
						default:
							q.request = &permission.Request{Effect: tools.Effect{Kind: tools.Exec, Title: "run make", Command: "make"}}
						}
						workNow(m, m.ask(q))
						now = now.Add(time.Minute)
						return m, func() bool { return len(reply)+len(answer) > 0 }
					}
					m, answered := begin()
					for i := range v.steps {
						s := shot(m)
						if i == 0 && !strings.Contains(s, v.says) {
							t.Errorf("the view does not say %q:\n%s", v.says, s)
						}
						has(t, s, "esc out of the view")
						hasNot(t, s, "esc deny", "esc stop", "esc: no")
						do(m, "esc")
						if answered() || stops > 0 || !m.dialogs.Active() {
							t.Fatalf("esc %d answered the question:\n%s", i+1, shot(m))
						}
					}
					if m.covered() || m.reads != nil || m.inside != nil {
						t.Fatalf("something is still open:\n%s", shot(m))
					}
					hasNot(t, shot(m), "esc out of the view", "esc back", "esc closes")
					do(m, "esc")
					if !answered() || m.dialogs.Active() {
						t.Errorf("nothing lies over it, and esc is not the question's:\n%s", shot(m))
					}
					if of != "question" && !m.job.stopping {
						t.Error("the run was not stopped")
					}
					// Other keys are the question's all the while.
					m, answered = begin()
					if do(m, "n"); v.steps > 0 && !answered() {
						t.Errorf("n did not answer:\n%s", shot(m))
					}
					if m, _ = begin(); v.steps > 0 {
						if do(m, "ctrl+c"); stops == 0 {
							t.Error("ctrl+c did not stop the run")
						}
					}
				})
			})
		}
	}
}

// What the person opened in the question lies nearer than the view: esc leaves it first.
func TestEscLeavesACommentBeforeTheView(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 100, 30)
	tell(m, agent.UserMessage{Text: "go"}, agent.TurnStart{Turn: 1}, agent.TextDelta{Text: "an answer"})
	do(m, "tab")
	now := m.o.Now()
	m.dialogs.Now = func() time.Time { return now }
	m.ask(&ask{request: &permission.Request{Effect: tools.Effect{Kind: tools.Exec, Command: "make"}}, answer: make(chan permission.Answer, 1)})
	now = now.Add(time.Minute)
	do(m, "c", "w", "esc")
	if m.reads == nil || m.dialogs.Within() || !m.dialogs.Active() {
		t.Fatalf("esc did not leave the comment, and it alone:\n%s", shot(m))
	}
	do(m, "esc")
	if m.reads != nil || !m.dialogs.Active() {
		t.Errorf("esc did not lead back:\n%s", shot(m))
	}
}
