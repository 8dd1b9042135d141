package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"forge/tools/diff"
	"forge/ui/lang"
)

// undoes is a Takeback of a few files; what is asked for and done is written down.
func undoes(did *[]string, kept bool) func(string) (*Takeback, error) {
	return func(what string) (*Takeback, error) {
		*did = append(*did, "plan "+what)
		files := []TakebackFile{
			{Path: "a.go", Do: TakebackRestore, Hunks: diff.Hunks([]byte("new\n"), []byte("old\n"))},
			{Path: "日本語.txt", Do: TakebackMerge},
			{Path: "out", Do: TakebackRemove, Dir: true},
		}
		t := &Takeback{Label: "make it loud", When: time.Now(), Turns: 2, Redo: what == "redo"}
		stay := []TakebackFile{{Path: "b.go", Do: TakebackKeep, Why: "the same lines were edited since", Hunks: diff.Hunks([]byte("mine\n"), []byte("theirs\n"))}}
		if t.Files = files; kept {
			t.Files = append(t.Files, stay...)
		} else {
			stay = nil
		}
		t.Apply = func() ([]TakebackFile, []TakebackFile, error) {
			*did = append(*did, "apply "+what)
			return files, stay, nil
		}
		return t, nil
	}
}

func typed(t *testing.T, m *Model, line string) {
	t.Helper()
	name, arg, ok := parseCommand(line)
	if !ok {
		t.Fatal(line)
	}
	work(m, m.runCommand(line, name, arg))
}

func TestUndoShowsTheFilesFirst(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var did []string
		o := testOptions(&fakeAgent{})
		o.Undo = undoes(&did, false)
		for _, w := range []int{40, 80, 200} {
			did = nil
			m := still(t, o, w, 24)
			typed(t, m, "/undo")
			for _, want := range []string{"Take back", "a.go", "restored +1 −1", "日本語.txt", "out/", "take them back", "only what the last"} {
				if text := shot(m); !strings.Contains(text, want) {
					t.Errorf("%d columns: no %q in\n%s", w, want, text)
				}
			}
			work(m, m.update(keyMsg("d")))
			if text := shot(m); !strings.Contains(text, "- new") || !strings.Contains(text, "+ old") {
				t.Errorf("no difference in\n%s", text)
			}
			work(m, m.update(keyMsg("esc")))
			if strings.Join(did, ",") != "plan " {
				t.Errorf("did %q before anybody said yes", did)
			}
			typed(t, m, "/undo")
			work(m, m.update(keyMsg("t")))
			work(m, m.update(keyMsg("enter")))
			typed(t, m, "/redo")
			work(m, m.update(keyMsg("y")))
			if got := strings.Join(did, ","); got != "plan ,plan ,plan turn,apply turn,plan redo,apply redo" {
				t.Errorf("did %q", got)
			}
			if text := strings.Join(strings.Fields(shot(m)), " "); !strings.Contains(text, "took back the changes to a.go") || !strings.Contains(text, "brought the changes to a.go") {
				t.Errorf("not told:\n%s", shot(m))
			}
		}
	})
}

// Where something stays as it is, only its key says yes to the rest.
func TestUndoWithAConflict(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var did []string
		o := testOptions(&fakeAgent{})
		o.Undo = undoes(&did, true)
		m := still(t, o, 80, 30)
		typed(t, m, "/undo")
		text := shot(m)
		for _, want := range []string{"b.go  stays as it is: the same lines were edited since", "- mine", "+ theirs", "take the others back"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		work(m, m.update(keyMsg("enter")))
		if len(did) != 1 {
			t.Errorf("enter was a yes: %q", did)
		}
		work(m, m.update(keyMsg("y")))
		if len(did) != 2 || !strings.Contains(shot(m), "stay b.go") {
			t.Errorf("%q\n%s", did, shot(m))
		}
	})
}

func TestNothingToUndo(t *testing.T) {
	flash := func(m *Model, line string) string {
		name, arg, _ := parseCommand(line)
		cmd := m.runCommand(line, name, arg)
		if m.status.flash == "" && cmd != nil {
			m.Update(cmd())
		}
		return m.status.flash
	}
	o := testOptions(&fakeAgent{})
	m := still(t, o, 80, 24)
	if got := flash(m, "/undo"); !strings.Contains(got, "cannot be taken back here") {
		t.Error(got)
	}
	o.Undo = func(string) (*Takeback, error) { return nil, nil }
	m = still(t, o, 80, 24)
	if got := flash(m, "/undo"); !strings.Contains(got, "no file was changed") {
		t.Error(got)
	}
	m = still(t, o, 80, 24)
	if got := flash(m, "/redo"); !strings.Contains(got, "nothing to bring again") {
		t.Error(got)
	}
}

// Going back to a prompt asks what goes back, where files were changed since.
func TestRewindAsksWhat(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, c := range []struct {
			keys []string
			want string
		}{
			{[]string{"enter", "y"}, "plan ,apply ,fork"},
			{[]string{"down", "enter"}, "plan ,fork"},
			{[]string{"down", "down", "enter", "y"}, "plan ,apply "},
			{[]string{"enter", "esc"}, "plan "},
			{[]string{"esc"}, "plan "},
		} {
			var did []string
			o := testOptions(&fakeAgent{})
			o.UndoSince = func(time.Time) (*Takeback, error) { return undoes(&did, false)("") }
			o.Earlier = func() []Earlier {
				return []Earlier{{Text: "a prompt", When: time.Now(), Fork: func() error { did = append(did, "fork"); return nil }}}
			}
			m := still(t, o, 80, 24)
			typed(t, m, "/rewind")
			work(m, m.update(keyMsg("enter")))
			if text := shot(m); !strings.Contains(text, "What is to go back?") {
				t.Fatal(text)
			}
			for _, k := range c.keys {
				work(m, m.update(keyMsg(k)))
			}
			if got := strings.Join(did, ","); got != c.want {
				t.Errorf("%v: %q, want %q", c.keys, got, c.want)
			}
		}
	})
}

func TestDiffOfTheConversation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.GitDiff = func(context.Context) (string, error) { return "diff --git a/g b/g\n+of git\n", nil }
		o.SessionDiff = func() string { return "diff a.go\n@@ -1 +1 @@\n-old\n+new\n" }
		s := start(t, o, 80, 24)
		s.send("/diff session\r")
		s.see("Changes of this conversation")
		s.see("+new")
		s.send("\t")
		s.see("Changes in the working tree")
		s.see("+of git")
		s.send("\t")
		s.see("+new")
		s.send("q\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// Without version control /diff shows what the conversation changed.
func TestDiffWithoutGit(t *testing.T) {
	for _, git := range []func(context.Context) (string, error){nil, func(context.Context) (string, error) { return "", errors.New("no repository") }} {
		bubble(t, func(t *testing.T) {
			o := testOptions(&fakeAgent{})
			o.GitDiff = git
			o.SessionDiff = func() string { return "diff a.go\n@@ -1 +1 @@\n-old\n+new\n" }
			s := start(t, o, 80, 24)
			s.send("/diff\r")
			s.see("+new")
			s.send("q\x04")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Where nothing changed and the working tree cannot be asked, both are said.
func TestDiffOfNothingWithoutGit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.GitDiff = func(context.Context) (string, error) { return "", errors.New("git is not installed") }
		o.SessionDiff = func() string { return "" }
		s := start(t, o, 100, 24)
		s.send("/diff\r")
		s.see("this conversation has changed no file, and of the working tree: git is not")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// What forge says in a diff is said in the person's language; what git wrote and what
// stands in a file is not.
func TestDiffInALanguage(t *testing.T) {
	defer lang.Use(lang.English)
	if err := lang.Use("zh"); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"diff a.txt (deleted file)":                   "diff a.txt（已删除的文件）",
		"diff c.txt (moved from a (1).txt)":           "diff c.txt（移自 a (1).txt）",
		"diff c.txt (moved from b.txt)":               "diff c.txt（移自 b.txt）",
		"diff a.sh (mode 0644 → 0755)":                "diff a.sh（权限 0644 → 0755）",
		"diff a.txt":                                  "diff a.txt",
		"new file bin.dat (binary)":                   "新文件 bin.dat（二进制）",
		"new file a b.txt":                            "新文件 a b.txt",
		"new file mode 100644":                        "new file mode 100644",
		"+(binary, 3 bytes)":                          "+（二进制，3 bytes）",
		"diff --git a/x (new file) b/x (new file)":    "diff --git a/x (new file) b/x (new file)",
		"+new file x":                                 "+new file x",
		" diff x (new file)":                          " diff x (new file)",
		"Binary files a/bin.dat and b/bin.dat differ": "Binary files a/bin.dat and b/bin.dat differ",
	} {
		if got := patchLine(line); got != want {
			t.Errorf("%q is shown as %q, not %q", line, got, want)
		}
	}
}

// Why a file stays as it is is said in the person's language, on the screen and in
// lines.
func TestTakebackSaysWhy(t *testing.T) {
	defer lang.Use(lang.English)
	if err := lang.Use("zh"); err != nil {
		t.Fatal(err)
	}
	f := TakebackFile{Path: "a.go", Do: TakebackKeep, Why: "it was deleted since"}
	if got, want := takebackRows(&Takeback{Files: []TakebackFile{f}})[0].What, "保持原样：此后已被删除"; got != want {
		t.Errorf("the screen says %q, not %q", got, want)
	}
	if got, want := takebackLine(f), "a.go：保持原样，此后已被删除"; got != want {
		t.Errorf("a line says %q, not %q", got, want)
	}
}
