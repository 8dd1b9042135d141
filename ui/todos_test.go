package ui

import (
	"strings"
	"testing"
)

// The list stands there while a run works on it and there is room, or as ctrl+t says.
func TestTodosShowThemselves(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	m.todos = []Todo{{"read", "done"}, {"mend", "in_progress"}, {"test", "pending"}, {"tell", "pending"}, {"rest", "pending"}, {"sleep", "pending"}}
	there := func() bool { return strings.Contains(shot(m), "● mend") }
	if there() {
		t.Error("shown though nothing runs")
	}
	m.job = &job{id: 1}
	if !there() || !strings.Contains(shot(m), "1 of 6 done") || strings.Contains(shot(m), "sleep") {
		t.Errorf("a run works on it:\n%s", shot(m))
	}
	press(m, "ctrl+t")
	if there() {
		t.Error("ctrl+t did not hide it")
	}
	press(m, "ctrl+t")
	if !there() || !strings.Contains(shot(m), "sleep") {
		t.Errorf("ctrl+t asked for all of it:\n%s", shot(m))
	}
	m.todoView = todosAsNeeded
	for i := range m.todos {
		m.todos[i].State = "done"
	}
	if strings.Contains(shot(m), "✓ mend") {
		t.Error("shown though all is done")
	}
	m.todoView = todosShown
	m.ended(jobDone{id: 1})
	if m.showsTodos(24) {
		t.Error("it stays though a run has done all of it")
	}
	press(m, "ctrl+t")
	if !there() && !strings.Contains(shot(m), "✓ mend") {
		t.Error("ctrl+t does not bring it back")
	}
	m.todoView, m.job = todosAsNeeded, &job{id: 2}
	m.todos[1].State = "in_progress"
	if m.showsTodos(todoRoom - 1) {
		t.Error("it takes the rows of a small screen")
	}
}

// Of a list that is being written, the words are shown, not the JSON.
func TestWordsOfAListBeingWritten(t *testing.T) {
	for json, want := range map[string]string{
		`[{"text":"find every use","status":"done"},{"text":"rena`:      "find every use",
		`[{"text":"find every use","status":"done"},{"text":"rename it`: "find every use\nrename it",
		`[{"old_string":"a := 1\n","new_string":"a := 2\nb`:             "a := 1\na := 2\nb",
		`{"a":[1,2,{"b":"x"}]}`:                                         "",
	} {
		if got := wording(json); got != want {
			t.Errorf("%s: %q, want %q", json, got, want)
		}
	}
}
