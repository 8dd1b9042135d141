package dialog

import (
	"strings"
	"testing"
	"time"

	"forge/tools"
	"forge/tools/permission"
)

// What is written for the prompt while a question stands goes there whole, and answers
// nothing, whatever sign it begins with.
func TestWordsForThePromptAnswerNothing(t *testing.T) {
	question := tools.Question{ID: "q", Title: "Trust it?", Choices: []tools.Choice{{ID: "trust", Label: "yes", Key: "y"}, {ID: "no", Label: "no", Key: "n"}}}
	for _, words := range []string{"/memory", "why not yes", "?y", "10y", "@y.go"} {
		answered := 0
		dialogs := map[string]Dialog{
			"question":   NewQuestion(dark, question, func(tools.Reply) { answered++ }),
			"permission": NewAsk(dark, command("ls"), func(permission.Answer) { answered++ }),
		}
		for name, d := range dialogs {
			if words == "10y" { // a digit is an answer but where something is dangerous
				r := command("rm -rf /srv")
				r.Level = permission.High
				d = NewAsk(dark, r, func(permission.Answer) { answered++ })
			}
			s, c := open(d)
			for _, letter := range strings.Split(words, "") {
				c.t = c.t.Add(50 * time.Millisecond)
				if _, handled := s.Update(press(letter)); handled {
					t.Errorf("%s: of %q the %q was taken", name, words, letter)
				}
			}
			if answered > 0 {
				t.Errorf("%s: %q answered", name, words)
			}
			c.t = c.t.Add(Quiet)
			s.View(80, 20)
			if s.Update(press("y")); answered != 1 {
				t.Errorf("%s: once the hands rest a y answered %d times", name, answered)
			}
			answered = 0
		}
	}
}

// A remark of several hunks says of which: the model reads no mark on the screen.
func TestARemarkSaysWhereItWasMade(t *testing.T) {
	before, after := twoHunks()
	r := permission.Request{ID: "q", Effect: tools.Effect{Kind: tools.Write, Title: "edit a.go",
		Changes: []tools.Change{{Path: "a.go", Op: tools.Modify, Before: before, After: after}}}}
	for keys, want := range map[string]string{
		"right c odd enter y": "odd (said of hunk 2 of 2 of a.go, from line 19 on)",
		"c odd enter n":       "odd (said of hunk 1 of 2 of a.go, from line 1 on)",
		"tab odd enter":       "odd",
	} {
		var got *permission.Answer
		s, _ := open(NewAsk(dark, r, func(a permission.Answer) { got = &a }))
		for _, k := range strings.Fields(keys) {
			for _, p := range strings.Split(k, map[bool]string{true: "", false: " "}[k == "odd"]) {
				s.Update(press(p))
				s.View(80, 60)
			}
		}
		if got == nil || got.Reason != want {
			t.Errorf("%s: %+v, want %q", keys, got, want)
		}
	}
}

// The worst of the reasons stands first, behind the command, in every size.
func TestTheCommandFirstThenItsWorstReason(t *testing.T) {
	r := command("rm -rf build")
	r.Risks = []permission.Risk{{Level: permission.Medium, Reason: "runs a program"}, {Level: permission.High, Reason: "deletes a directory tree"}}
	for _, height := range []int{8, 20} {
		s, _ := open(NewAsk(dark, r, func(permission.Answer) {}))
		v := shown(s.View(44, height))
		at, worst, other := strings.Index(v, "rm -rf build"), strings.Index(v, "deletes a directory tree"), strings.Index(v, "runs a program")
		if at < 0 || worst < at || other >= 0 && other < worst {
			t.Errorf("height %d:\n%s", height, v)
		}
	}
}
