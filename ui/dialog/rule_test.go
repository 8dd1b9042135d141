package dialog

import (
	"fmt"
	"strings"
	"testing"

	"forge/tools"
	"forge/tools/permission"
)

// What is stored as a rule is the text that stood on the screen, whole; where it was
// not shown, nothing can be stored.
func TestARuleIsStoredOnlyAsItWasShown(t *testing.T) {
	r := command("go vet ./...")
	r.Grants = []permission.Grant{{Text: "run go vet … in the workspace"}}
	r.Rules, r.StoredIn = []string{"run_bash(go vet … in the workspace) in /w"}, "~/.config/forge/forge.json"
	for _, c := range []struct {
		w, h    int
		offered bool
	}{{80, 20, true}, {40, 24, true}, {80, 9, false}, {20, 12, false}} {
		var got *permission.Answer
		s, _ := open(NewAsk(dark, r, func(a permission.Answer) { got = &a }))
		text := strings.Join(strings.Fields(shown(s.View(c.w, c.h))), " ")
		if has := strings.Contains(text, "always allow, as a rule in ~/.config/forge/forge.json: "+r.Rules[0]); has != c.offered && c.w > 40 {
			t.Errorf("%dx%d: offered %v in\n%s", c.w, c.h, has, text)
		}
		s.Update(press("p"))
		if stored := got != nil && got.Allow && got.Scope == permission.ScopeRule; stored != c.offered {
			t.Errorf("%dx%d: %+v, offered %v", c.w, c.h, got, c.offered)
		}
	}
	r.Rules = nil
	var got *permission.Answer
	s, _ := open(NewAsk(dark, r, func(a permission.Answer) { got = &a }))
	if s.Update(press("p")); got != nil {
		t.Errorf("no rule is offered, but p answers %+v", got)
	}
}

func TestTheQuestionSaysWhatItIsAboutAndWhyAgain(t *testing.T) {
	r := command("ls && make all")
	r.Parts, r.Changed = []string{"make all"}, []string{"/w/Makefile holds something else now\x1b[2J"}
	for _, h := range []int{20, 9} {
		s, _ := open(NewAsk(dark, r, func(permission.Answer) {}))
		text := shown(s.View(200, h))
		if !strings.Contains(text, "asked again: /w/Makefile holds something else now<") || !strings.Contains(text, "only this of it needs an answer: make all") || !strings.Contains(text, "ls && make all") {
			t.Errorf("%d rows:\n%s", h, text)
		}
	}
}

// In a review the rows are the diff's: a rule whose text takes several is not offered, and
// its key stores nothing.
func TestARuleLeavesTheDiffItsRows(t *testing.T) {
	r := permission.Request{ID: "q", Effect: tools.Effect{Kind: tools.Write, Title: "edit a.go", Changes: []tools.Change{{Path: "a.go", Op: tools.Modify, Before: []byte("a\n"), After: []byte("b\n")}}}}
	r.Grants = []permission.Grant{{Text: "edit files in the workspace root"}}
	r.Rules, r.StoredIn = []string{"edit_file(*) in /some/where/that/has/a/long/name/of/its/own"}, "~/.config/forge/forge.json"
	for _, c := range []struct {
		w, h    int
		offered bool
	}{{80, 24, true}, {60, 20, false}, {200, 20, true}} {
		var got *permission.Answer
		s, _ := open(NewAsk(dark, r, func(a permission.Answer) { got = &a }))
		if has := strings.Contains(shown(s.View(c.w, c.h)), "always allow"); has != c.offered {
			t.Errorf("%dx%d: offered %v", c.w, c.h, has)
		}
		s.Update(press("p"))
		if stored := got != nil && got.Scope == permission.ScopeRule; stored != c.offered {
			t.Errorf("%dx%d: %+v", c.w, c.h, got)
		}
	}
}

// Reasons of many rows leave the command its rows; the whole of them is read on with it,
// and nothing is allowed before.
func TestLongReasonsLeaveTheCommandItsRows(t *testing.T) {
	var parts []string
	for i := range 24 {
		parts = append(parts, fmt.Sprintf("touch file-%02d", i))
	}
	r := command(strings.Join(parts, " && "))
	r.Parts = parts
	allowed := false
	s, _ := open(NewAsk(dark, r, func(a permission.Answer) { allowed = a.Allow }))
	text := shown(s.View(80, 17))
	if !strings.Contains(text, "touch file-00 && touch") || !strings.Contains(text, "rows 1 to 6 of") || strings.Contains(text, "file-23;") {
		t.Errorf("the command has not its rows:\n%s", text)
	}
	if s.Update(press("y")); allowed {
		t.Fatal("allowed before all of it was shown")
	}
	read := ""
	for range 12 {
		got := shown(s.View(80, 17))
		if read += got; strings.Contains(got, "allow once") {
			break
		}
		s.Update(press("pgdown"))
	}
	for i := range parts {
		if want := fmt.Sprintf("touch file-%02d", i); strings.Count(strings.Join(strings.Fields(read), " "), want) < 1 {
			t.Errorf("%s cannot be read", want)
		}
	}
	if !strings.Contains(strings.Join(strings.Fields(read), " "), "touch file-22; touch file-23") {
		t.Errorf("the reasons cannot be read to their end:\n%s", read)
	}
	if s.Update(press("y")); !allowed {
		t.Error("y does not allow what was read")
	}
}

// The answer says that it can be given in the frame that shows the end.
func TestAQuestionReadToItsEndSaysSoAtOnce(t *testing.T) {
	q := tools.Question{Title: "Trust it?", Body: strings.Repeat("a line\n", 19), Choices: []tools.Choice{{ID: "y", Key: "y", Label: "trust it"}, {ID: "n", Key: "n", Label: "do not"}}}
	s, _ := open(NewQuestion(dark, q, func(tools.Reply) {}))
	if got := shown(s.View(80, 16)); !strings.Contains(got, "scroll to the end first") {
		t.Fatalf("offered unread:\n%s", got)
	}
	s.Update(press("y"))
	if got := shown(s.View(80, 16)); strings.Contains(got, "scroll to the end first") || !strings.Contains(got, "y   trust it") {
		t.Errorf("its end is shown, and it says:\n%s", got)
	}
}
