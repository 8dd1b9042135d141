package dialog

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"forge/tools"
	"forge/tools/permission"
)

// bureau is a desk with an editor that is connected.
type bureau struct {
	*desk
	ask   *Ask
	shows map[string]Show // open there, by path
	hid   []string
}

func newBureau(t *testing.T, r permission.Request) *bureau {
	t.Helper()
	b := &bureau{desk: &desk{T: t}, shows: map[string]Show{}}
	b.ask = NewAsk(dark, r, func(a permission.Answer) { b.got = &a })
	b.ask.EditorName = func() string { return "Fake Code" }
	b.ask.EditorAnswers = func() bool { return true }
	b.s, b.clock = open(b.ask)
	b.s.View(100, 40)
	return b
}

func (b *bureau) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			b.do(c)
		}
	case Show:
		b.shows[msg.Path] = msg
	case Hide:
		delete(b.shows, msg.Path)
		b.hid = append(b.hid, msg.Path)
	case nil, Rearm:
	default:
		next, _ := b.s.Update(msg)
		b.do(next)
	}
	b.s.View(100, 40)
}

func (b *bureau) type_(keys string) {
	for _, r := range keys {
		cmd, _ := b.s.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
		b.do(cmd)
	}
}

// says brings what the editor says of a file, as that which it was shown.
func (b *bureau) says(path string, s Shown) {
	b.Helper()
	open, ok := b.shows[path]
	if !ok {
		b.Fatalf("%s is not open in the editor", path)
	}
	delete(b.shows, path)
	b.do(func() tea.Msg { return open.Back(s) })
	b.wait()
}

func one(level permission.Level, changes ...tools.Change) permission.Request {
	return permission.Request{ID: "q", Level: level, Effect: tools.Effect{Kind: tools.Write, Title: "edit files", Changes: changes}}
}

func TestAcceptedInTheEditor(t *testing.T) {
	before, after := threeHunks()
	b := newBureau(t, one(permission.Low, edit("a.go", before, after)))
	b.type_("d")
	if got := string(b.shows["a.go"].Text); got != after {
		t.Fatalf("it shows %q", got)
	}
	b.desk.shows("asked to show it", "write this change")
	b.says("a.go", Shown{Accepted: true, Text: after})
	if b.got == nil || !b.got.Allow || b.got.Changes != nil || b.got.Scope != permission.ScopeOnce {
		t.Errorf("%+v", b.got)
	}
}

func TestWhatTheEditorReturnsIsWritten(t *testing.T) {
	before, after := threeHunks()
	b := newBureau(t, one(permission.Low, edit("a.go", strings.ReplaceAll(before, "\n", "\r\n"), strings.ReplaceAll(after, "\n", "\r\n"))))
	b.type_("d")
	b.says("a.go", Shown{Accepted: true, Text: after + "mine\n"})
	want := strings.ReplaceAll(after+"mine\n", "\n", "\r\n") // in the line ends that stood there
	if got := b.after("a.go"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTurnedDownInTheEditor(t *testing.T) {
	before, after := threeHunks()
	b := newBureau(t, one(permission.Low, edit("a.go", before, after)))
	b.type_("d")
	b.says("a.go", Shown{})
	if b.got == nil || b.got.Allow {
		t.Errorf("%+v", b.got)
	}
}

// Some questions are answered here, whatever the editor says; what was edited there is
// read here then.
func TestWhatTheEditorCannotAnswer(t *testing.T) {
	before, after := threeHunks()
	for name, c := range map[string]struct {
		level permission.Level
		off   bool
		text  string
		shows string
	}{
		"high":     {permission.High, false, after + "mine\n", "the risk is high"},
		"critical": {permission.Critical, false, after + "mine\n", "the risk is high"},
		"off":      {permission.Low, true, after + "mine\n", "the answer is given here"},
		"hidden":   {permission.Low, false, after + "if x {\u202e} mine\n", "hide or imitate"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBureau(t, one(c.level, edit("a.go", before, after)))
			b.ask.EditorAnswers = func() bool { return !c.off }
			b.type_("d")
			b.says("a.go", Shown{Accepted: true, Text: c.text})
			if b.got != nil {
				t.Fatalf("it was answered: %+v", b.got)
			}
			b.desk.shows("accepted in the editor", c.shows, "mine")
			b.wait()
			b.type_("yyyy")
			if got := b.after("a.go"); got != c.text {
				t.Errorf("%q", got)
			}
			again := newBureau(t, one(c.level, edit("a.go", before, after)))
			again.ask.EditorAnswers = func() bool { return !c.off }
			again.type_("d")
			again.says("a.go", Shown{})
			if denied := again.got != nil && !again.got.Allow; denied != (name == "hidden") {
				t.Errorf("turned down there: %+v", again.got)
			}
		})
	}
}

// Of a text that may be of another's diff nobody knows who read it: it is read here.
func TestTextOfAnotherDiff(t *testing.T) {
	before, after := threeHunks()
	long := strings.Repeat("line\n", 200) + "theirs\n"
	b := newBureau(t, one(permission.Low, edit("a.go", before, after)))
	b.type_("d")
	b.says("a.go", Shown{Accepted: true, Loose: true, Text: long})
	if b.got != nil {
		t.Fatalf("it was answered: %+v", b.got)
	}
	b.desk.shows("accepted in the editor", "another text than it was sent")
	b.type_("y")
	if b.got != nil {
		t.Fatal("what was not on the screen was allowed")
	}
	b.wait()
	b.type_("W")
	if got := b.after("a.go"); got != long {
		t.Errorf("%q", got)
	}
	again := newBureau(t, one(permission.Low, edit("a.go", before, after)))
	again.type_("d")
	again.says("a.go", Shown{Accepted: true, Loose: true, Text: long})
	again.wait()
	again.type_("d") // there once more, as it is now
	again.says("a.go", Shown{Accepted: true, Text: long})
	if got := again.after("a.go"); got != long {
		t.Errorf("%q", got)
	}
}

// Whoever asks again, because nothing came, is told what is waited for.
func TestAskedOnceMore(t *testing.T) {
	before, after := threeHunks()
	b := newBureau(t, one(permission.Low, edit("a.go", before, after)))
	b.type_("dd")
	b.desk.shows("asked once more: first the editor closes what it shows")
}

// What is done here to a file that is open there takes it back: its answer would be for
// another text.
func TestChangedHereMeanwhile(t *testing.T) {
	before, after := threeHunks()
	b := newBureau(t, one(permission.Low, edit("a.go", before, after)))
	b.type_("d")
	late := b.shows["a.go"]
	b.type_("x")
	if len(b.hid) != 1 || len(b.shows) != 0 {
		t.Fatalf("left open: %v %v", b.hid, b.shows)
	}
	b.desk.shows("changed here, so the editor's diff was closed")
	b.do(func() tea.Msg { return late.Back(Shown{Accepted: true, Text: after}) })
	if b.got != nil {
		t.Fatalf("a late answer counted: %+v", b.got)
	}
	b.wait()
	b.type_("d") // as it is now, without that hunk
	now := string(b.shows["a.go"].Text)
	if now == after || now == before {
		t.Fatalf("it shows %q", now)
	}
	b.do(func() tea.Msg { return late.Back(Shown{Accepted: true, Text: after}) }) // of the first again
	if b.got != nil {
		t.Fatalf("the answer to another text counted: %+v", b.got)
	}
	b.says("a.go", Shown{Accepted: true, Text: now})
	if got := b.after("a.go"); got != now {
		t.Errorf("%q, want %q", got, now)
	}
}

func TestSeveralFilesInTheEditor(t *testing.T) {
	b := newBureau(t, one(permission.Low, edit("a.go", "1\n", "2\n"), edit("b.go", "1\n", "2\n"), edit("c.go", "1\n", "2\n")))
	b.type_("d")
	b.says("a.go", Shown{Accepted: true, Text: "2\n"})
	b.desk.shows("1 of 3 answered in the editor")
	b.says("b.go", Shown{})
	if b.got != nil {
		t.Fatalf("%+v", b.got)
	}
	b.says("c.go", Shown{Accepted: true, Text: "3\n"})
	if b.after("a.go") != "2\n" || b.after("c.go") != "3\n" || len(b.got.Changes) != 2 {
		t.Errorf("%+v", b.got)
	}
}

func TestEditorThatFails(t *testing.T) {
	before, after := threeHunks()
	b := newBureau(t, one(permission.Low, edit("a.go", before, after)))
	b.type_("d")
	b.says("a.go", Shown{Err: errors.New("the editor has closed the connection")})
	b.desk.shows("the editor has closed the connection")
	b.ask.EditorName = nil
	b.type_("d")
	b.desk.shows("ide.connect")
	b.type_("yyyy")
	if b.got == nil || !b.got.Allow {
		t.Errorf("%+v", b.got)
	}
}

// Calls that change one file are steps: an editor would show them as one.
func TestStepsOfOneFileAreNotShown(t *testing.T) {
	b := newBureau(t, several())
	b.type_("d")
	b.desk.shows("several changes of one file")
	b.type_("}d")
	if _, ok := b.shows["b.go"]; !ok {
		t.Errorf("%v", b.shows)
	}
	gone := newBureau(t, one(permission.Low, tools.Change{Op: tools.Delete, Path: "a.go", Before: []byte("x\n")}))
	gone.type_("d")
	gone.desk.shows("answer here")
	if len(gone.shows) != 0 {
		t.Error("a deletion was shown")
	}
}
