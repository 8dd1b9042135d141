package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"forge/agent"
	"forge/agent/loop"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/lang"
)

// suggesting is a screen that wants a next prompt suggested; asked counts.
func suggesting(t *testing.T, text string, w, h int) (m *Model, asked *int) {
	t.Helper()
	asked = new(int)
	o := testOptions(&fakeAgent{})
	o.Suggests = true
	o.Suggest = func(ctx context.Context) (string, agent.Totals, error) {
		*asked++
		return text, agent.Totals{Turns: 1}, ctx.Err()
	}
	return still(t, o, w, h), asked
}

// answersOnce lets a run come to the end of an answer and brings what is suggested.
func answersOnce(m *Model) {
	m.jobs++
	m.job = &job{id: m.jobs, cancel: func() {}, talk: true, answered: true}
	cmd := m.ended(jobDone{id: m.jobs})
	asked := m.suggestion.stop != nil
	work(m, cmd)
	if asked {
		m.events(m.o.Feed.Next().(batch))
	}
}

func rightKey() tea.KeyPressMsg { return tea.KeyPressMsg{Code: tea.KeyRight} }

// A suggestion stands in the empty prompt behind an answer, is no text, and goes with the
// first key, or becomes the draft with tab or right.
func TestSuggestion(t *testing.T) {
	for name, k := range map[string]tea.KeyPressMsg{"tab": keyMsg("tab"), "right": rightKey()} {
		m, _ := suggesting(t, "修复 the median", 80, 24)
		var drafts []string
		m.o.SaveDraft = func(s string) { drafts = append(drafts, s) }
		answersOnce(m)
		if got := ansi.Strip(shot(m)); !strings.Contains(got, "› 修复 the median  tab takes it\n") || !m.comp.Empty() || m.written() != "" {
			t.Fatalf("%s: draft %q:\n%s", name, m.written(), got)
		}
		if v := m.View(); v.Cursor == nil || v.Cursor.X != 2 {
			t.Errorf("%s: the cursor is at %+v", name, v.Cursor)
		}
		_, cmd := m.Update(k)
		if got := ansi.Strip(shot(m)); m.comp.Value() != "修复 the median" || m.comp.Ghost() != "" || strings.Contains(got, "takes it") || m.reads != nil || cmd == nil {
			t.Errorf("%s: %q:\n%s", name, m.comp.Value(), got)
		}
		m.Update(tea.KeyPressMsg{Code: '_', Mod: tea.ModCtrl})
		if !m.comp.Empty() || m.comp.Ghost() != "" {
			t.Errorf("%s: taken back it is %q", name, m.comp.Value())
		}
	}
	for name, c := range map[string]struct {
		msg  tea.Msg
		want string
	}{
		"a letter": {keyMsg("x"), "x"}, "esc": {keyMsg("esc"), ""}, "page up": {keyMsg("pgup"), ""}, "backspace": {keyMsg("backspace"), ""},
		"a paste": {tea.PasteMsg{Content: "pasted"}, "pasted"}, "ctrl+c": {keyMsg("ctrl+c"), ""},
	} {
		m, _ := suggesting(t, "mend the median", 80, 24)
		answersOnce(m)
		m.Update(c.msg)
		if m.comp.Ghost() != "" || m.comp.Value() != c.want {
			t.Errorf("%s: %q stays, %q is written", name, m.comp.Ghost(), m.comp.Value())
		}
	}
	// After that tab reads, as it does without one.
	m, _ := suggesting(t, "mend the median", 80, 24)
	talked(m)
	answersOnce(m)
	m.Update(keyMsg("esc"))
	m.Update(keyMsg("tab"))
	if m.reads == nil {
		t.Error("tab reads no more")
	}
}

// What comes late, and what was asked for before something else began, is not shown, and
// is ended.
func TestSuggestionTooLate(t *testing.T) {
	for name, do := range map[string]func(m *Model){
		"a key":          func(m *Model) { m.Update(keyMsg("pgup")) },
		"words":          func(m *Model) { typeText(m, "ab"); press(m, "backspace", "backspace") },
		"a paste":        func(m *Model) { m.Update(tea.PasteMsg{Content: "x"}) },
		"a run":          func(m *Model) { m.begin(func(context.Context, agent.Sink) error { return nil }); m.job = nil },
		"a conversation": func(m *Model) { m.adopt(told{past: m.past}) },
		"switched off":   func(m *Model) { m.takeSetting(settingKept{suggestSetting, "false"}) },
		"a question": func(m *Model) {
			m.events(batch{&ask{question: &tools.Question{ID: "1", Title: "Which?"}, reply: make(chan tools.Reply, 1)}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := suggesting(t, "", 80, 24)
			ended := false
			m.o.Suggest = func(ctx context.Context) (string, agent.Totals, error) {
				ended = ctx.Err() != nil
				return "mend the median", agent.Totals{}, nil
			}
			m.job = &job{id: 7, cancel: func() {}, talk: true, answered: true}
			cmd := m.ended(jobDone{id: 7})
			do(m)
			work(m, cmd)
			m.o.Feed.send(flashMsg{"over"})
			m.events(m.o.Feed.Next().(batch))
			if m.comp.Ghost() != "" || !ended && name != "a question" {
				t.Errorf("shown: %q; ended: %v", m.comp.Ghost(), ended)
			}
		})
	}
}

// Nothing is asked for where nobody wants it, where it would be in the way, or where the
// run did not end with an answer.
func TestNoSuggestion(t *testing.T) {
	run := func(j job, d jobDone) func(m *Model) {
		return func(m *Model) {
			j.id, d.id, j.cancel = 9, 9, func() {}
			m.job = &j
			m.ended(d)
		}
	}
	answered := run(job{talk: true, answered: true}, jobDone{})
	for name, do := range map[string]func(m *Model){
		"off":      func(m *Model) { m.o.Suggests = false; answered(m) },
		"a draft":  func(m *Model) { m.comp.SetValue("x"); answered(m) },
		"a queue":  func(m *Model) { m.queue = []string{"next"}; answered(m) },
		"a change": func(m *Model) { m.changing = 1; answered(m) },
		"a question": func(m *Model) {
			m.ask(&ask{question: &tools.Question{Title: "Which?"}, reply: make(chan tools.Reply, 1)})
			answered(m)
		},
		"an error":       run(job{talk: true}, jobDone{err: errors.New("no connection")}),
		"told before":    run(job{talk: true, answered: true, failed: true}, jobDone{}),
		"interrupted":    run(job{talk: true, answered: true, stopping: true}, jobDone{err: context.Canceled}),
		"a loop":         func(m *Model) { m.o.Loops = &loop.Book{}; run(job{talk: true, answered: true, loop: 1}, jobDone{})(m) },
		"no answer":      run(job{talk: true}, jobDone{}),
		"words not read": run(job{talk: true, answered: true}, jobDone{unsent: []string{"steered"}}),
	} {
		m, asked := suggesting(t, "mend the median", 80, 24)
		if do(m); m.suggestion.stop != nil || *asked != 0 {
			t.Errorf("%s: asked", name)
		}
	}
	m, asked := suggesting(t, "", 80, 24)
	n := len(m.tr.panes)
	m.o.Suggest = func(context.Context) (string, agent.Totals, error) {
		*asked++
		return "", agent.Totals{}, errors.New("no connection")
	}
	answersOnce(m)
	if *asked != 1 || m.comp.Ghost() != "" || len(m.tr.panes) != n {
		t.Errorf("asked %d times: %q\n%s", *asked, m.comp.Ghost(), ansi.Strip(shot(m)))
	}
}

// The last run of a loop that ends with an answer is written down all the same.
func TestLoopEndsWithAnAnswer(t *testing.T) {
	m, asked := suggesting(t, "mend the median", 80, 24)
	kept := -1
	m.o.Loops = &loop.Book{Keep: func(ls []loop.Loop) error { kept = len(ls); return nil }}
	l, err := m.o.Loops.Add(time.Hour, "look at it", m.now.Add(-loop.Life))
	if err != nil {
		t.Fatal(err)
	}
	m.job = &job{id: 1, cancel: func() {}, talk: true, answered: true, loop: l.N}
	work(m, m.ended(jobDone{id: 1}))
	if got := ansi.Strip(shot(m)); kept != 0 || *asked != 0 || !strings.Contains(got, "loop 1 has ended") {
		t.Errorf("%d are kept, asked %d times:\n%s", kept, *asked, got)
	}
}

// A suggestion is one line of words. What would run something or bring a file along when
// it is sent is none: the person did not write it.
func TestPromptIn(t *testing.T) {
	for said, want := range map[string]string{
		"mend the median": "mend the median", "\n  \"Mend the median.\"\n": "Mend the median.", "「修复中位数」": "修复中位数", "- mend it": "mend it",
		"run `go test`": "run `go test`", "`go test` and `go vet`": "`go test` and `go vet`", "**mend it**": "mend it", "it's 'so'": "it's 'so'",
		"look at @main.go and @~/.ssh/id_rsa": "look at main.go and ~/.ssh/id_rsa", "@@x": "x",
		"-": "", "—": "", "": "", "...": "", "one\ntwo": "", "Sure! Here it is:\n\nmend it": "",
		"/yolo": "", "!rm -rf ~": "", "\"!rm -rf ~\"": "", "- /mode auto": "", "@!ls": "", "@/quit": "", "` !ls`": "",
		"a\x1b[2Jb": "", "mend\u202eti": "", "a\x00b": "", strings.Repeat("圈", 51): "",
		"see [image 1: 640x480 3f2a9c1b7d20e4a1.png]": "",
	} {
		if got := promptIn(said); got != want {
			t.Errorf("%q is %q, want %q", said, got, want)
		}
	}
}

// In a narrow window it wraps as the text will, whole clusters at a time, and stays in the
// frame; with the keys of vi, in plan mode, inline and in Chinese it is the same.
func TestSuggestionWhereverItStands(t *testing.T) {
	long := "修复中位数 and add a test for laps 的数量 that are even 👩‍🚀 then run it"
	for _, w := range []int{200, 80, 40, 20, 9, 4} {
		m, _ := suggesting(t, long, w, 16)
		answersOnce(m)
		before := strings.Split(ansi.Strip(m.View().Content), "\n")
		for i, r := range before {
			if cellsOf(r) > w {
				t.Errorf("width %d: row %d is %d cells: %q", w, i, cellsOf(r), r)
			}
		}
		if m.comp.Ghost() == "" {
			t.Fatalf("width %d: none is shown:\n%s", w, strings.Join(before, "\n"))
		}
		m.Update(keyMsg("tab"))
		if m.comp.Value() != long {
			t.Errorf("width %d: %q", w, m.comp.Value())
		}
		after := strings.Split(ansi.Strip(m.View().Content), "\n")
		a, b := rowOf(before, "› 修复"), rowOf(after, "› 修复")
		if w == 40 && (a < 0 || b < 0 || strings.Join(before[a:a+2], "\n") != strings.Join(after[b:b+2], "\n") || before[a+2] != "  tab takes it") {
			t.Errorf("taken, it stands otherwise:\n%s\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
		}
	}
	m, _ := suggesting(t, "mend it", 80, 24)
	m.comp.SetVim(true)
	m.Update(keyMsg("esc")) // normal mode
	answersOnce(m)
	m.Update(rightKey())
	m.Update(keyMsg("x"))
	if m.comp.Value() != "mend i" {
		t.Errorf("vi: %q", m.comp.Value())
	}
	m, _ = suggesting(t, "mend it", 80, 24)
	m.o.SetMode, m.status.mode = func(permission.Mode) {}, permission.ModePlan
	answersOnce(m)
	if got := ansi.Strip(shot(m)); !strings.Contains(got, "carries the plan out") || !strings.Contains(got, "› mend it  tab takes it") {
		t.Errorf("plan mode:\n%s", got)
	}
	m, _ = suggesting(t, "mend it", 80, 24)
	m.o.Inline = true
	answersOnce(m)
	if got := ansi.Strip(shot(m)); !strings.Contains(got, "› mend it  tab takes it") {
		t.Errorf("inline:\n%s", got)
	}
	if err := lang.Use("zh"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lang.Use("en") })
	m, _ = suggesting(t, "修复它", 40, 16)
	answersOnce(m)
	if got := ansi.Strip(shot(m)); !strings.Contains(got, "› 修复它  tab 采用") {
		t.Errorf("Chinese:\n%s", got)
	}
}

// rowOf is the row that begins with some words; -1: none does.
func rowOf(rows []string, words string) int {
	for i, r := range rows {
		if strings.HasPrefix(r, words) {
			return i
		}
	}
	return -1
}
