package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/tools/permission"
	"forge/ui/dialog"
	"forge/ui/keymap"
)

// twoKeys are the keys that mean something on the screen behind another one, with that.
func twoKeys() (out [][2]string) {
	for _, b := range keymap.Actions() {
		for _, k := range keymap.Default().Keys(b.Action) {
			if first, second, two := strings.Cut(k, " "); two {
				out = append(out, [2]string{first, second})
			}
		}
	}
	return out
}

// Behind the first of two keys no key answers a question: ctrl+x y copies the last answer,
// and a y would have written the change under review.
func TestASecondKeyAnswersNothing(t *testing.T) {
	ask := func(e tools.Effect) func(m *Model, answered func(string)) dialog.Dialog {
		return func(m *Model, answered func(string)) dialog.Dialog {
			e.Title = "do something"
			return dialog.NewAsk(m.th, permission.Request{ID: "1", Effect: e, Call: tools.Call{Name: "it"}, StoredIn: "forge.json",
				Grants: []permission.Grant{{Text: "make"}}, Rules: []string{"run_bash(make)"}},
				func(a permission.Answer) { answered(fmt.Sprint(a)) })
		}
	}
	replied := func(answered func(string)) func(tools.Reply) {
		return func(r tools.Reply) { answered(fmt.Sprint(r)) }
	}
	for name, pose := range map[string]func(m *Model, answered func(string)) dialog.Dialog{
		"a command": ask(tools.Effect{Kind: tools.Exec, Command: "make"}),
		"a review": ask(tools.Effect{Kind: tools.Write, Changes: []tools.Change{
			{Path: "a.txt", Op: tools.Modify, Before: []byte("one\n"), After: []byte("two\n")}}}),
		"a question": func(m *Model, answered func(string)) dialog.Dialog {
			return dialog.NewQuestion(m.th, tools.Question{Title: "Trust it?", Choices: []tools.Choice{
				{ID: "yes", Key: "y", Label: "yes"}, {ID: "no", Key: "n", Label: "no"}}}, replied(answered))
		},
		"an inquiry": func(m *Model, answered func(string)) dialog.Dialog {
			return dialog.NewInquiry(m.th, tools.Question{Topics: []tools.Topic{
				{Header: "One", Text: "?", Options: []tools.Alternative{{Label: "a"}, {Label: "b"}}}}}, replied(answered))
		},
		"an undo": func(m *Model, answered func(string)) dialog.Dialog {
			d := dialog.NewTakeback(m.th, "Take back?", false, []dialog.TakebackRow{{Path: "a"}, {Path: "b", Kept: true}},
				func() tea.Cmd { answered("yes"); return nil })
			d.Less = func() tea.Cmd { answered("less"); return nil }
			return d
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, two := range twoKeys() {
				m := still(t, testOptions(&fakeAgent{}), 80, 24)
				d := pose(m, func(a string) { t.Errorf("%s %s answered %s", two[0], two[1], a) })
				m.dialogs.Push(d)
				if s, ok := d.(interface{ Start() tea.Cmd }); ok {
					work(m, s.Start())
				}
				m.dialogs.Now = func() time.Time { return m.now.Add(time.Hour) }
				m.View()
				tap(m, two[0], two[1])
				if !m.dialogs.Active() {
					t.Errorf("%s %s closed it", two[0], two[1])
				}
				if got := m.comp.Value(); got != "" {
					t.Errorf("%s %s wrote %q into the prompt", two[0], two[1], got)
				}
			}
		})
	}
}

// Nor is it a key of what lies over the screen: d would have stopped a server, or dropped an
// item from what the model sees.
func TestASecondKeyIsNoneOfAView(t *testing.T) {
	for _, c := range []keymap.Context{keymap.Window, keymap.Servers, keymap.Server, keymap.Pager} {
		for _, aside := range []bool{false, true} {
			if aside && c != keymap.Pager {
				continue
			}
			for _, two := range twoKeys() {
				m := still(t, testOptions(&fakeAgent{}), 80, 24)
				scenes[c](m)
				if aside {
					m.pager.aside = true
				}
				before := shot(m)
				tap(m, two[0], two[1])
				if after := shot(m); after != before {
					t.Errorf("%s: %s %s did something:\n%s\nbefore:\n%s", c, two[0], two[1], after, before)
				}
			}
		}
	}
}

// What two keys mean is done while a question stands, which waits; ctrl+c behind the first
// of two still ends the run.
func TestTwoKeysWhileAQuestionStands(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 120, 30)
	answers := 0
	d := dialog.NewAsk(m.th, permission.Request{ID: "1", Effect: tools.Effect{Kind: tools.Exec, Command: "make", Title: "make"}, Call: tools.Call{Name: "it"}},
		func(permission.Answer) { answers++ })
	m.dialogs.Push(d)
	m.dialogs.Now = func() time.Time { return m.now.Add(time.Hour) }
	had := m.panel.on
	tap(m, "ctrl+x", "b")
	if m.panel.on == had || answers != 0 {
		t.Errorf("the panel is shown: %v, as before: %v; answers: %d", m.panel.on, had, answers)
	}
	tap(m, "ctrl+x", "ctrl+c")
	if m.dialogs.Active() {
		t.Error("ctrl+c behind the first of two keys left the question")
	}
	if !slices.ContainsFunc(twoKeys(), func(two [2]string) bool { return two == [2]string{"ctrl+x", "y"} }) {
		t.Error("no ctrl+x y any more: look for what these tests are to watch")
	}
}
