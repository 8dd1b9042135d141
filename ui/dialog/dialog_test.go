package dialog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"forge/tools"
	"forge/tools/permission"
	"forge/ui/keymap"
	"forge/ui/safe"
	"forge/ui/theme"
)

var dark = theme.New(true, colorprofile.TrueColor)

// clock is a stack's time, moved by hand.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func press(s string) tea.KeyPressMsg {
	switch s {
	case "enter":
		return tea.KeyPressMsg{Code: tea.KeyEnter}
	case "esc":
		return tea.KeyPressMsg{Code: tea.KeyEscape}
	case "tab":
		return tea.KeyPressMsg{Code: tea.KeyTab}
	case "shift+tab":
		return tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
	case "up":
		return tea.KeyPressMsg{Code: tea.KeyUp}
	case "down":
		return tea.KeyPressMsg{Code: tea.KeyDown}
	case "right":
		return tea.KeyPressMsg{Code: tea.KeyRight}
	case "pgdown":
		return tea.KeyPressMsg{Code: tea.KeyPgDown}
	case "space":
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	}
	return tea.KeyPressMsg{Code: []rune(s)[0], Text: s}
}

// open pushes a dialog, runs what it starts, and waits until it is armed.
func open(d Dialog) (*Stack, *clock) {
	c := &clock{time.Unix(0, 0)}
	s := &Stack{Now: c.now}
	s.Push(d)
	if st, ok := d.(starter); ok {
		if cmd := st.Start(); cmd != nil {
			s.Update(cmd())
		}
	}
	c.t = c.t.Add(time.Second)
	s.View(80, 20)
	return s, c
}

func shown(f Frame) string { return ansi.Strip(strings.Join(f.Rows, "\n")) }

func command(line string) permission.Request {
	return permission.Request{ID: "q1", Call: tools.Call{Name: "run_bash"}, Level: permission.Medium,
		Effect: tools.Effect{Kind: tools.Exec, Title: "run " + line, Command: line},
		Risks:  []permission.Risk{{Level: permission.Medium, Reason: "runs code of the workspace"}}, Cwd: "/w", Sandbox: "none"}
}

func TestKeysThatAnswer(t *testing.T) {
	r := command("go test ./...")
	r.Grants = []permission.Grant{{Text: "run go test …"}}
	for _, c := range []struct {
		keys string
		want string
	}{
		{"y", "allow once"}, {"1", "allow once"}, {"s", "allow session"}, {"2", "allow session"},
		{"n", "deny"}, {"3", "deny"}, {"esc", "deny"}, {"tab u s e enter", "deny use"},
		{"enter", ""}, {"space", ""}, {"shift+tab", ""}, {"x", ""}, {"tab y esc", ""},
	} {
		t.Run(c.keys, func(t *testing.T) {
			got := ""
			s, _ := open(NewAsk(dark, r, func(a permission.Answer) {
				got = "deny " + a.Reason
				if a.Allow {
					got = "allow " + string(a.Scope)
				}
			}))
			for _, k := range strings.Fields(c.keys) {
				s.Update(press(k))
			}
			if strings.TrimSpace(got) != c.want {
				t.Errorf("answered %q, want %q", got, c.want)
			}
			if s.Active() != (c.want == "") {
				t.Error("the dialog stays after an answer, or goes without one")
			}
		})
	}
}

func TestSessionIsNotOfferedWithoutAGrant(t *testing.T) {
	answered := false
	s, _ := open(NewAsk(dark, command("sudo rm -rf /"), func(permission.Answer) { answered = true }))
	s.Update(press("s"))
	if answered || strings.Contains(shown(s.View(80, 20)), "session") {
		t.Error("a session grant was given where none was offered")
	}
}

func TestTypingAheadGoesToTheComposer(t *testing.T) {
	answered := false
	c := &clock{time.Unix(0, 0)}
	s := &Stack{Now: c.now}
	s.Push(NewAsk(dark, command("ls"), func(permission.Answer) { answered = true }))
	s.View(80, 20)
	for range 20 { // a person in mid-word: a key each 150 ms, for three seconds
		c.t = c.t.Add(150 * time.Millisecond)
		if _, handled := s.Update(press("y")); handled {
			t.Fatal("the dialog took a key of somebody who was typing")
		}
	}
	if _, handled := s.Update(tea.PasteMsg{Content: "y"}); handled || answered {
		t.Fatal("a paste answered")
	}
	c.t = c.t.Add(Quiet)
	if _, handled := s.Update(press("y")); !handled || !answered {
		t.Error("after the quiet it is not armed")
	}
}

func TestTheNextQuestionIsArmedAnew(t *testing.T) {
	var answers []string
	c := &clock{time.Unix(0, 0)}
	s := &Stack{Now: c.now}
	for _, id := range []string{"a", "b"} {
		r := command("ls " + id)
		r.ID = id
		s.Push(NewAsk(dark, r, func(permission.Answer) { answers = append(answers, id) }))
	}
	c.t = c.t.Add(time.Second)
	s.View(80, 20)
	s.Update(press("y"))
	s.View(80, 20)
	s.Update(press("y")) // pressed twice: the second is not for the next question
	if fmt.Sprint(answers) != "[a]" {
		t.Fatalf("answered %v", answers)
	}
	s.Withdraw("b")
	if s.Active() {
		t.Error("a withdrawn question is still shown")
	}
}

func TestALongCommandMustBeSeenToItsEnd(t *testing.T) {
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("echo %d", i))
	}
	allowed := false
	s, _ := open(NewAsk(dark, command(strings.Join(lines, "\n")+"\nrm -rf src"), func(a permission.Answer) { allowed = a.Allow }))
	if got := shown(s.View(80, 14)); strings.Contains(got, "rm -rf src") || !strings.Contains(got, "scroll to the end first") {
		t.Fatalf("shown:\n%s", got)
	}
	for range 12 {
		s.Update(press("y"))
		if allowed {
			break
		}
		s.View(80, 14)
	}
	if !allowed {
		t.Fatal("y does not lead to the end")
	}
	s, _ = open(NewAsk(dark, command(strings.Join(lines, "\n")), func(permission.Answer) { t.Error("answered") }))
	s.View(80, 14)
	s.Update(press("y"))
}

func TestNothingIsHiddenInAQuestion(t *testing.T) {
	r := command("echo ok\x1b[8m; rm -rf ~\u202e")
	r.Effect.Title = "run \x1b[2Jecho"
	s, _ := open(NewAsk(dark, r, func(permission.Answer) {}))
	got := strings.Join(s.View(80, 20).Rows, "\n")
	if strings.Contains(got, "\x1b[8m") || strings.Contains(got, "\x1b[2J") || strings.ContainsRune(got, '\u202e') {
		t.Errorf("an escape reaches the terminal: %q", got)
	}
	if !strings.Contains(got, "<1B>") || !strings.Contains(got, "<U+202E>") || !strings.Contains(ansi.Strip(got), "hide or imitate") {
		t.Errorf("hidden characters are not shown: %q", got)
	}
}

func twoHunks() ([]byte, []byte) {
	mid := strings.Repeat("same\n", 20)
	return []byte("one\n" + mid + "two\n"), []byte("ONE\n" + mid + "TWO\n")
}

func TestReviewDropsAHunk(t *testing.T) {
	before, after := twoHunks()
	var got permission.Answer
	r := permission.Request{ID: "q", Effect: tools.Effect{Kind: tools.Write, Title: "edit a.go",
		Changes: []tools.Change{{Path: "a.go", Op: tools.Modify, Before: before, After: after}}}, Grants: []permission.Grant{{Text: "edit files in ui/"}}}
	s, _ := open(NewAsk(dark, r, func(a permission.Answer) { got = a }))
	if v := shown(s.View(80, 24)); !strings.Contains(v, "edit a.go\n│✓ keep @@") || !strings.Contains(v, "write this change") {
		t.Fatalf("shown:\n%s", v)
	}
	s.Update(press("right"))
	s.Update(press("space"))
	if v := shown(s.View(80, 40)); !strings.Contains(v, "write 1 of 2 hunks") || !strings.Contains(v, "drop") {
		t.Fatalf("shown:\n%s", v)
	}
	s.Update(press("s")) // nothing to grant any more
	if got.Allow || strings.Contains(shown(s.View(80, 40)), "session") {
		t.Fatalf("answer %+v", got)
	}
	s.Update(press("y"))
	if !got.Allow || got.Scope != permission.ScopeOnce || len(got.Changes) != 1 {
		t.Fatalf("answer %+v", got)
	}
	if want := strings.Replace(string(before), "one", "ONE", 1); string(got.Changes[0].After) != want {
		t.Errorf("after: %q", got.Changes[0].After)
	}
}

func TestReviewKeptWholeLeavesTheChangesAlone(t *testing.T) {
	before, after := twoHunks()
	var got permission.Answer
	r := permission.Request{Effect: tools.Effect{Kind: tools.Write, Changes: []tools.Change{{Path: "a", Op: tools.Modify, Before: before, After: after}}}}
	s, _ := open(NewAsk(dark, r, func(a permission.Answer) { got = a }))
	s.Update(press("y"))
	if !got.Allow || got.Changes != nil {
		t.Errorf("%+v", got)
	}
}

func TestReviewTurnedDownWholeDenies(t *testing.T) {
	before, after := twoHunks()
	var got permission.Answer
	r := permission.Request{Effect: tools.Effect{Kind: tools.Write, Changes: []tools.Change{
		{Path: "a", Op: tools.Modify, Before: before, After: after}, {Path: "empty", Op: tools.Create}}}}
	s, _ := open(NewAsk(dark, r, func(a permission.Answer) { got = a }))
	s.Update(press("a"))
	if v := shown(s.View(80, 40)); !strings.Contains(v, "turn all changes down") {
		t.Fatalf("shown:\n%s", v)
	}
	s.Update(press("y"))
	if got.Allow || !strings.Contains(got.Reason, "turned down") {
		t.Errorf("%+v", got)
	}
}

func TestReviewOfADiffThatIsNotReadyCannotBeAllowed(t *testing.T) {
	before, after := twoHunks()
	c := &clock{time.Unix(0, 0)}
	s := &Stack{Now: c.now}
	r := permission.Request{Effect: tools.Effect{Kind: tools.Write, Changes: []tools.Change{{Path: "a", Before: before, After: after}}}}
	s.Push(NewAsk(dark, r, func(permission.Answer) { t.Error("answered") }))
	c.t = c.t.Add(time.Second)
	s.View(80, 20)
	s.Update(press("y"))
	s.Update(press("space"))
}

func TestPicker(t *testing.T) {
	picked := -1
	p := NewPicker(dark, "Choose a model", []Entry{{Label: "deepseek-chat"}, {Label: "claude-opus-5", Chosen: true}, {Label: "gpt-5.6"}},
		func(i int) tea.Cmd { picked = i; return nil })
	s := &Stack{}
	s.Push(p)
	if v := shown(s.View(60, 10)); !strings.Contains(v, "❯ claude-opus-5 ✓") {
		t.Fatalf("shown:\n%s", v)
	}
	for _, k := range []string{"g", "p", "t"} {
		s.Update(press(k))
	}
	s.Update(press("enter"))
	if picked != 2 || s.Active() {
		t.Errorf("picked %d", picked)
	}
	s.Push(p)
	s.Update(press("esc"))
	if s.Active() {
		t.Error("esc leaves it open")
	}
}

// The key that opened a list goes on to its next entry, and words far behind what is
// shown of one find it.
func TestPickerAgain(t *testing.T) {
	picked := -1
	p := NewPicker(dark, "Earlier prompts", []Entry{{Label: "new"}, {Label: "long", Rest: "long and then Needle words"}, {Label: "old"}},
		func(i int) tea.Cmd { picked = i; return nil })
	p.Again = keymap.FindPrompt
	s := &Stack{}
	s.Push(p)
	s.Update(press("ctrl+r"))
	s.Update(press("ctrl+r"))
	if v := shown(s.View(60, 10)); !strings.Contains(v, "❯ old") {
		t.Errorf("shown:\n%s", v)
	}
	s.Update(tea.PasteMsg{Content: "needle"})
	s.Update(press("enter"))
	if picked != 1 {
		t.Errorf("picked %d", picked)
	}
	s.Push(p)
	p.Filter("ndl") // letters of what is not shown
	if v := shown(s.View(60, 10)); strings.Contains(v, "long") {
		t.Errorf("shown:\n%s", v)
	}
}

func TestQuestionChoicesAndFields(t *testing.T) {
	var got tools.Reply
	q := tools.Question{Title: "25 turns are done", Body: "go on?", Choices: []tools.Choice{{ID: "more", Label: "25 more", Key: "m"}, {ID: "stop", Label: "stop"}}}
	s, _ := open(NewQuestion(dark, q, func(r tools.Reply) { got = r }))
	s.Update(press("enter"))
	if got.Choice != "" {
		t.Fatal("enter chose something")
	}
	s.Update(press("2"))
	if got.Choice != "stop" {
		t.Errorf("got %+v", got)
	}
	s, _ = open(NewQuestion(dark, tools.Question{Title: "paste a key", Fields: []tools.Field{{Name: "key", Label: "key", Secret: true}}}, func(r tools.Reply) { got = r }))
	s.Update(tea.PasteMsg{Content: "sk-123\n"})
	if v := shown(s.View(60, 10)); strings.Contains(v, "sk-123") || !strings.Contains(v, "******") {
		t.Errorf("a secret is shown:\n%s", v)
	}
	s.Update(press("enter"))
	if got.Values["key"] != "sk-123" {
		t.Errorf("got %+v", got)
	}
}

// End leads to the last row of a long question, and only then it can be said yes to.
func TestEndOfALongQuestion(t *testing.T) {
	var got tools.Reply
	q := tools.Question{ID: "trust", Title: "Do you trust this folder?", Body: strings.Repeat("a row\n", 200) + "the end",
		Choices: []tools.Choice{{ID: "trust", Label: "Trust", Key: "y"}, {ID: "no", Label: "Go on", Key: "n"}}}
	s, _ := open(NewQuestion(dark, q, func(r tools.Reply) { got = r }))
	s.View(60, 12)
	s.Update(press("y"))
	if s.View(60, 12); got.Choice != "" {
		t.Fatalf("answered %+v before the end was shown", got)
	}
	s.Update(press("end"))
	if v := shown(s.View(60, 12)); !strings.Contains(v, "the end") {
		t.Errorf("the end is not on the screen:\n%s", v)
	}
	s.Update(press("home"))
	if v := shown(s.View(60, 12)); !strings.Contains(v, "rows 1 to") {
		t.Errorf("home does not lead to the first row:\n%s", v)
	}
	s.Update(press("y"))
	if got.Choice != "trust" {
		t.Errorf("answered %+v", got)
	}
}

// TestASmallFrameShowsWhatIsAsked: the answers share rows, so that most of a small
// frame is the thing itself; what would be stored stands there whole or not at all.
func TestASmallFrameShowsWhatIsAsked(t *testing.T) {
	var got permission.Answer
	r := command("one\ntwo\nthree\nfour")
	r.Cwd, r.Sandbox, r.Risks = "/w", "", []permission.Risk{{Reason: "runs a program"}}
	s, _ := open(NewAsk(dark, r, func(a permission.Answer) { got = a }))
	want := "▲ MEDIUM  run one\n  one\n  two\n  three\n  four\n  runs a program · in /w\n  y allow once  n deny  tab say why\n  esc stop"
	r.Effect.Title = "run one"
	if v := shown(s.View(38, 8)); !strings.HasSuffix(v, want[strings.Index(want, "\n"):]) {
		t.Errorf("shown:\n%s\nwant\n%s", v, want)
	}
	r.Grants = []permission.Grant{{Text: "commands that begin with one"}}
	for _, c := range []struct {
		width, height int
		offered       bool
	}{{80, 8, true}, {38, 8, true}, {24, 6, false}} {
		got = permission.Answer{}
		s, _ = open(NewAsk(dark, r, func(a permission.Answer) { got = a }))
		v := shown(s.View(c.width, c.height))
		if strings.Contains(v, "begin with one") != c.offered {
			t.Errorf("%v: shown\n%s", c, v)
		}
		s.Update(press("end"))
		s.View(c.width, c.height)
		s.Update(press("s"))
		if (got.Scope == permission.ScopeSession) != c.offered {
			t.Errorf("%v: answered %+v", c, got)
		}
	}
}

// What the person relies on is there whole in any frame: where it runs, in which
// sandbox, by which rule, why it is dangerous, what it is called.
func TestFactsAreShownWhole(t *testing.T) {
	r := command("make")
	r.Cwd, r.Sandbox, r.Rule = "/home/ann/"+strings.Repeat("a-long-folder/", 8)+"END-OF-CWD", "landlock, no network", "ask run_bash(make *) in /home/ann/"+strings.Repeat("x/", 20)+"END-OF-RULE"
	r.Risks = []permission.Risk{{Reason: "runs the recipes of a Makefile " + strings.Repeat("and more ", 10) + "END-OF-RISK"}}
	r.Effect.Title = "call the tool " + strings.Repeat("of_a_server/", 10) + "END-OF-TITLE"
	r.Effect.Kind = tools.Exec
	for _, size := range [][2]int{{120, 40}, {80, 24}, {50, 24}, {38, 8}} {
		s, _ := open(NewAsk(dark, r, func(permission.Answer) {}))
		var seen strings.Builder
		for range 60 {
			for row := range strings.Lines(shown(s.View(size[0], size[1]))) {
				seen.WriteString(strings.TrimSpace(row))
			}
			s.Update(press("down"))
		}
		text := strings.ReplaceAll(seen.String(), " ", "")
		for _, want := range []string{"END-OF-CWD", "landlock,nonetwork", "END-OF-RULE", "END-OF-RISK", "END-OF-TITLE"} {
			if !strings.Contains(text, want) {
				t.Errorf("%v: %s is not shown", size, want)
			}
		}
	}
}

func TestFramesFit(t *testing.T) {
	before, after := twoHunks()
	long := command(strings.Repeat("echo 字 ", 200))
	long.Grants = []permission.Grant{{Text: strings.Repeat("run something long … ", 10)}}
	edit := permission.Request{Effect: tools.Effect{Kind: tools.Write, Title: "edit " + strings.Repeat("deep/", 30), Changes: []tools.Change{{Path: strings.Repeat("deep/", 30), Op: tools.Modify, Before: before, After: after}}}}
	for _, size := range [][2]int{{40, 10}, {80, 24}, {200, 50}, {20, 5}} {
		for i, d := range []Dialog{
			NewAsk(dark, long, func(permission.Answer) {}), NewAsk(dark, edit, func(permission.Answer) {}),
			NewPicker(dark, strings.Repeat("title ", 30), []Entry{{Label: strings.Repeat("x", 300), Detail: "d", Chosen: true}}, nil),
			NewQuestion(dark, tools.Question{Title: strings.Repeat("t ", 100), Body: strings.Repeat("body ", 300), Choices: []tools.Choice{{Label: strings.Repeat("l", 200)}}}, func(tools.Reply) {}),
		} {
			s, _ := open(d)
			f := s.View(size[0], size[1])
			for _, r := range f.Rows {
				if w := safe.Width(r); w > size[0] {
					t.Errorf("dialog %d at %v: a row has %d cells: %q", i, size, w, ansi.Strip(r))
				}
			}
			if size[1] >= 10 && len(f.Rows) > size[1] {
				t.Errorf("dialog %d at %v: %d rows", i, size, len(f.Rows))
			}
		}
	}
}

// The command stands in the body, whole; the title says only what is done with
// it.
func TestACommandIsShownOnce(t *testing.T) {
	for _, c := range []struct {
		effect tools.Effect
		title  string
	}{
		{tools.Effect{Title: "run go test ./...", Command: "go test ./..."}, "run this command"},
		{tools.Effect{Title: "run npm start in the background", Command: "npm start"}, "run this command in the background"},
		{tools.Effect{Title: "run echo in the background", Command: "echo in  the background"}, "run this command"},
		{tools.Effect{Title: "run again outside the sandbox: make", Command: "make", Escape: tools.Outside}, "run this command again outside the sandbox"},
		{tools.Effect{Title: "stop job 3", Command: "npm start"}, "stop job 3"},
	} {
		r := command("")
		c.effect.Kind = tools.Exec
		r.Effect = c.effect
		for _, height := range []int{8, 20} {
			rows := NewAsk(dark, r, func(permission.Answer) {}).View(80, height, true).Rows
			title := ansi.Strip(rows[0])
			if _, got, _ := strings.Cut(title, "  "); got != c.title {
				t.Errorf("%q is titled %q, want %q", c.effect.Title, got, c.title)
			}
			if text := ansi.Strip(strings.Join(rows[1:], "\n")); strings.Count(text, c.effect.Command) != 1 {
				t.Errorf("%q stands in\n%s", c.effect.Command, text)
			}
		}
	}
}

// Words that are typed while a question stands there answer nothing: the first letter it
// has no use for begins the quiet anew.
func TestAWordAnswersNothing(t *testing.T) {
	var got *permission.Answer
	s, c := open(NewAsk(dark, command("make"), func(a permission.Answer) { got = &a }))
	for _, letter := range "why now" {
		if _, handled := s.Update(press(string(letter))); handled || got != nil {
			t.Fatalf("%q: handled %v, answer %+v", letter, handled, got)
		}
		c.t = c.t.Add(Quiet / 2)
	}
	c.t = c.t.Add(Quiet)
	if s.Update(press("y")); got == nil || !got.Allow {
		t.Errorf("after the word y answers %+v", got)
	}
}

// What has a word in its name comes before what only tells of it.
func TestFilterPrefersNames(t *testing.T) {
	p := NewPicker(dark, "", []Entry{{Label: "screen.mouse", Detail: "whether the wheel is forge's"}, {Label: "cartwheel"}, {Label: "screen.wheel"}}, nil)
	p.Filter("wheel")
	var got []string
	for _, i := range p.shown {
		got = append(got, p.entries[i].Label)
	}
	if want := []string{"screen.wheel", "screen.mouse", "cartwheel"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	p = NewPicker(dark, "", []Entry{{Label: "Paste a key for another provider"}, {Label: "Another endpoint"}}, nil)
	for query, first := range map[string]int{"another": 0, "another e": 1, "another p": 0, "ENDPOINT  another": 1} {
		if p.Filter(query); len(p.shown) == 0 || p.shown[0] != first {
			t.Errorf("%q: %v", query, p.shown)
		}
	}
}

// In a small frame what a question is about and why it is asked stand there once: a reason
// that fits no row is read with the command, and nowhere else.
func TestSmallQuestionSaysItsReasonOnce(t *testing.T) {
	for reason, rows := range map[string]int{"deletes files": 1, "deletes files, and runs code of the workspace": 2} {
		r := command("rm -rf build")
		r.Risks[0].Reason, r.Cwd, r.Sandbox = reason, "", ""
		s, _ := open(NewAsk(dark, r, func(permission.Answer) {}))
		s.View(40, 9)
		text := shown(s.View(40, 9))
		words := strings.Fields(reason)
		if strings.Count(text, words[0]) != 1 || !strings.Contains(text, words[len(words)-1]) || strings.Contains(text, "scroll") {
			t.Errorf("%q, to be read in %d rows:\n%s", reason, rows, text)
		}
	}
}
