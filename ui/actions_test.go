package ui

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/agent"
	"forge/provider"
	"forge/tools"
	"forge/tools/permission"
	"forge/ui/dialog"
)

func TestFirstRun(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{script: func(ctx context.Context, p agent.Prompt, sink agent.Sink) error {
			sink(agent.TurnStart{Turn: 1})
			sink(agent.TextDelta{Text: "hello from the model"})
			return nil
		}}
		o := testOptions(a)
		o.Model = provider.Model{}
		var tried []string
		o.FirstRun = &FirstRun{
			Keys: []KeyChoice{{"DeepSeek", func(_ context.Context, key string) (LoggedIn, error) {
				tried = append(tried, key)
				if key != "good" {
					return LoggedIn{}, errors.New("the server refused the key")
				}
				return given(provider.Model{Provider: "deepseek", ID: "deepseek-chat"}), nil
			}}},
			Local: func(context.Context) []ModelChoice { return nil },
			Demo:  func(string) {},
		}
		s := start(t, o, 80, 24)
		s.see("Which model shall forge use?")
		golden(t, "firstrun-80x24", s.text())
		s.send("\r")
		s.see("Paste your key for DeepSeek")
		s.send("\x1b[200~bad\x1b[201~")
		hasNot(t, s.text(), "bad") // a key is shown as dots
		s.send("\r")
		s.see("the server refused the key")
		s.see("Which model shall forge use?")
		s.send("local\r")
		s.see("no model server answers")
		s.send("\x1b")
		s.send("hi there\r") // without a model the words stay and the choice comes back
		s.see("Which model shall forge use?")
		s.see("› hi there")
		s.see("❯ Use a model on this machine") // where one was
		s.send("\x1b[A\r")
		s.see("Paste your key")
		s.send("good\r")
		s.see("deepseek-chat")
		s.send("\r")
		s.see("hello from the model")
		if strings.Join(tried, " ") != "bad good" || a.said() != "hi there" {
			t.Errorf("tried %q, said %q", tried, a.said())
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestFirstRunWithALocalModel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.Model = provider.Model{}
		local := provider.Model{Provider: "ollama", ID: "qwen"}
		o.FirstRun = &FirstRun{
			Local: func(context.Context) []ModelChoice {
				return []ModelChoice{{Model: provider.Model{Provider: "ollama", ID: "broken"}}, {Model: local, Note: "32k"}}
			},
			Use: func(c ModelChoice) (provider.Model, error) {
				if c.Model.ID == "broken" {
					return provider.Model{}, errors.New("the server has gone")
				}
				return c.Model, nil
			},
		}
		s := start(t, o, 80, 24)
		s.see("Use a model on this machine")
		s.send("\r")
		s.see("ollama/qwen  32k")
		s.send("\x1b") // back to the ways
		s.see("Which model shall forge use?")
		s.send("\r")
		s.see("Models on this machine")
		s.send("\r")
		s.see("the server has gone")
		s.see("Which model shall forge use?")
		s.send("\r")
		s.see("Models on this machine")
		s.send("qwen\r")
		s.see("now with qwen")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestModelModeEffort(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		list := []ModelChoice{
			{Model: provider.Model{Provider: "demo", ID: "demo-1"}},
			{Model: provider.Model{Provider: "deepseek", ID: "deepseek-chat"}, Note: "cheap"},
			{Model: provider.Model{Provider: "deepseek", ID: "deepseek-reasoner"}, Note: "thinks"},
		}
		o.Models = func(context.Context) ([]ModelChoice, error) { return list, nil }
		var effort provider.Effort
		o.SetModel = func(c ModelChoice, e provider.Effort) (provider.Model, error) {
			effort = e
			if c.Model.ID == "deepseek-chat" {
				return provider.Model{}, errors.New("no key for deepseek")
			}
			return c.Model, nil
		}
		var mode permission.Mode
		o.SetMode = func(m permission.Mode) { mode = m }
		s := start(t, o, 100, 24)
		s.send("/model reasoner\r")
		s.see("now with deepseek-reasoner")
		s.send("/model chat\r")
		s.see("no key for deepseek")
		s.send("/model seek\r") // two have it: choose
		s.see("Models named seek")
		s.send("\x1b")
		s.send("\x1bp") // alt+p
		s.see("Choose a model")
		s.send("demo\r")
		s.see("now with demo-1")
		s.send("/effort max\r")
		s.see("demo-1 · max")
		if effort != provider.EffortMax {
			t.Errorf("effort %q", effort)
		}
		s.send("/effort huge\r")
		s.see("no effort huge")
		s.send("\x15/effort default\r")
		s.see("what the model does by itself now")
		s.gone("demo-1 · max")
		if effort != provider.EffortDefault {
			t.Errorf("effort %q", effort)
		}
		list[0].Model.Default = provider.EffortHigh
		s.send("/effort max\r")
		s.see("demo-1 · max")
		s.send("/model demo-1\r") // it answers already, and keeps the effort it was given
		s.see("demo-1 is what answers")
		if effort != provider.EffortMax {
			t.Errorf("effort %q", effort)
		}
		s.send("/model reasoner\r")
		s.see("now with deepseek-reasoner")
		s.send("/model demo-1\r")
		s.see("demo-1 · high")
		s.send("/effort low\r")
		s.see("demo-1 · low")
		s.send("/effort\r")
		s.see("default  what the model does by itself: high")
		s.send("default\r")
		s.see("demo-1 · high")
		for _, want := range []string{"accept edits", "plan", "auto", "ask"} {
			s.send("\x1b[Z")
			s.see(want + " ")
		}
		s.send("\x15/mode plan\r")
		s.see("plan ")
		if mode != permission.ModePlan {
			t.Errorf("mode %q", mode)
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestResumeFromThePicker(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		o := testOptions(a)
		o.Sessions = func() ([]SessionChoice, error) {
			return []SessionChoice{{ID: "s1", Title: "the parser", When: time.Now().Add(-time.Hour)}, {ID: "s2", Title: "the lexer", When: time.Now()}}, nil
		}
		o.Resume = func(id string) error {
			if id != "s2" {
				return errors.New("no such conversation")
			}
			o.Feed.Notice("going on in a copy")
			a.history = []agent.Event{agent.UserMessage{Text: "fix the lexer"}, agent.TextDelta{Text: "it is fixed"}, agent.RunEnd{}}
			return nil
		}
		s := start(t, o, 80, 24)
		s.send("/resume\r")
		s.see("the parser  1 hour ago")
		s.send("\x1b[B\r")
		s.see("it is fixed")
		s.see("going on in a copy") // what was told meanwhile is not lost
		s.send("/resume parser\r")  // it cannot be opened
		s.see("no such conversation")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestHelpAndDiffPager(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		patch := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old \x1b[31mword\n+new word\n"
		o.GitDiff = func(context.Context) (string, error) { return patch, nil }
		s := start(t, o, 80, 30)
		s.send("?")
		s.see("Keys and commands")
		golden(t, "help-80x30", s.text())
		s.send("\x1b")
		s.gone("Keys and commands")
		s.send("what?") // only alone it asks for help
		s.see("› what?")
		s.send("\x15/diff\r")
		s.see("-old word")
		golden(t, "diff-80x30", s.text())
		s.send("q\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestTodoPanel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.Todos = func() []Todo {
			return []Todo{{"read", "done"}, {"fix", "in_progress"}, {"test", "pending"}}
		}
		s := start(t, o, 80, 24)
		s.send("\x14")
		s.see("○ test")
		has(t, s.text(), "✓ read", "● fix")
		s.send("\x14")
		s.gone("○ test")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestEditorRoundTrip(t *testing.T) {
	o := testOptions(&fakeAgent{})
	o.Getenv = func(name string) string {
		if name == "EDITOR" {
			return "some-editor --wait"
		}
		return ""
	}
	m := still(t, o, 80, 24)
	typeText(m, "half a thought")
	open, ok := m.editor()().(openEditor)
	if !ok || strings.Join(open.words, " ") != "some-editor --wait" {
		t.Fatalf("%+v", open)
	}
	defer os.Remove(open.name)
	if text, err := os.ReadFile(open.name); err != nil || string(text) != "half a thought" {
		t.Fatalf("%q %v", text, err)
	}
	m.Update(editedMsg{text: "a whole thought"})
	if m.comp.Value() != "a whole thought" {
		t.Errorf("%q", m.comp.Value())
	}
	m.Update(editedMsg{err: errors.New("exit status 1")})
	if m.comp.Value() != "a whole thought" {
		t.Errorf("a failed editor changed the prompt: %q", m.comp.Value())
	}
	has(t, shot(m), "exit status 1")
}

func TestEscTwiceClearsIntoTheHistory(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 24)
	typeText(m, "words")
	press(m, "esc")
	if m.comp.Empty() {
		t.Fatal("one esc cleared the prompt")
	}
	press(m, "esc")
	if !m.comp.Empty() {
		t.Fatal("two did not")
	}
	press(m, "up")
	if m.comp.Value() != "words" {
		t.Errorf("history: %q", m.comp.Value())
	}
}

func TestDraftIsSavedAsItIsWritten(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{script: func(ctx context.Context, p agent.Prompt, sink agent.Sink) error { return nil }})
		saved := make(chan string, 100)
		o.Draft = "from last time "
		o.SaveDraft = func(s string) { saved <- s }
		s := start(t, o, 80, 24)
		s.see("from last time")
		s.send("and now")
		time.Sleep(time.Second)
		if got := <-saved; got != "from last time and now" || len(saved) != 0 {
			t.Errorf("saved %q and %d more", got, len(saved))
		}
		s.send("\r")
		time.Sleep(time.Second)
		if got := <-saved; got != "" {
			t.Errorf("a prompt that was sent is still a draft: %q", got)
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

func TestCompletionMenus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.Files = func(_ context.Context, query string) []string {
			return []string{"ui/" + query + ".go", "ui/other.go"}
		}
		o.Models = func(context.Context) ([]ModelChoice, error) {
			return []ModelChoice{{Model: provider.Model{Provider: "demo", ID: "demo-2"}}}, nil
		}
		o.SetModel = func(c ModelChoice, _ provider.Effort) (provider.Model, error) { return c.Model, nil }
		s := start(t, o, 80, 24)
		s.send("look at @feed")
		s.see("ui/feed.go")
		s.send("\t")
		s.see("› look at @ui/feed.go")
		s.send("\x15/mo")
		s.see("/mode [ask|edits|plan|auto]")
		s.send("\x15/model d") // the list is asked for only now
		time.Sleep(time.Second)
		s.send("e")
		s.see("demo/demo-2")
		s.send("\x03\x03")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// A question's text goes to the editor in a file of its own and comes back as bytes,
// the last line end included; a failed editor brings its error; nothing stays behind.
func TestEditorOfAQuestion(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the editor is a shell script")
	}
	t.Setenv("TMPDIR", t.TempDir())
	script := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nprintf 'and more' >> \"$1\"\nexit ${2:-0}\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	o := testOptions(&fakeAgent{})
	o.Getenv = func(name string) string { return map[string]string{"EDITOR": script}[name] }
	m := still(t, o, 80, 24)
	type came struct {
		text string
		err  error
	}
	ask := dialog.Open{Path: "a dir/x;rm.go", Text: []byte("one\r\n"), Back: func(text []byte, err error) tea.Msg { return came{string(text), err} }}
	start := func() openQuestion {
		q, ok := m.openFile(ask)().(openQuestion)
		if !ok {
			t.Fatal("no editor is started")
		}
		return q
	}
	q := start()
	if filepath.Base(q.name) != "x_rm.go" || len(q.words) != 1 {
		t.Errorf("%+v", q)
	}
	if fi, err := os.Stat(q.name); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi, err)
	}
	got := q.took(exec.Command(q.words[0], q.name).Run())
	if got != (came{"one\r\nand more", nil}) {
		t.Errorf("%+v", got)
	}
	q = start()
	if got := q.took(exec.Command("false").Run()).(came); got.text != "" || got.err == nil || !strings.Contains(got.err.Error(), "exit status 1") {
		t.Errorf("%+v", got)
	}
	if left, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	o.Getenv = func(string) string { return "" }
	t.Setenv("PATH", "")
	m = still(t, o, 80, 24)
	if got, ok := m.openFile(ask)().(came); !ok || got.err == nil {
		t.Errorf("without an editor: %+v", got)
	}
}

// What was refused stays to be seen in the card of the call.
func TestCardShowsWhatWasRefused(t *testing.T) {
	m := still(t, testOptions(&fakeAgent{}), 80, 30)
	change := tools.Change{Path: "a.go", Op: tools.Modify, Before: []byte("1\n2\n"), After: []byte("one\n2\n")}
	review := "1 of 2 hunks landed as proposed, 1 refused:\nthe user refused this, and the file does not have it:\n@@ -2 +2 @@\n-2\n+two\n"
	tell(m,
		agent.ToolStart{ID: "1", Name: "edit_file", Effect: tools.Effect{Kind: tools.Write, Title: "edit a.go (+2 −2)", Changes: []tools.Change{change}}},
		agent.ToolRunning{ID: "1"},
		agent.ToolEnd{ID: "1", Name: "edit_file", Changes: []tools.Change{change},
			Result: tools.Result{Text: "changed a.go", Display: "1 of 2 hunks landed as proposed, 1 refused", Review: review}},
	)
	has(t, shot(m), "1 of 2 hunks landed as proposed", "+ one", "you dropped this", "+two")
}

// One key takes the last compaction back; what is being written stays.
func TestUncompactByKey(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a := &fakeAgent{}
		s := start(t, testOptions(a), 100, 24)
		s.send("half a thought")
		s.send("\x1bu") // alt+u
		s.see("compaction taken back: 92.0k tokens again")
		s.see("half a thought")
		if a.said() != "uncompact" {
			t.Errorf("said %q", a.said())
		}
		s.send("\x15") // ctrl+u: an empty prompt
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// Where there is nothing to take back that is said in the status line, however often
// somebody asks, and the conversation gets no row of it.
func TestNothingToUncompact(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := start(t, testOptions(&fakeAgent{whole: true}), 100, 24)
		before := s.text()
		for range 3 {
			s.send("\x1bu") // alt+u
			s.see("there is no compaction to take back")
			s.gone("there is no compaction to take back")
		}
		if now := s.text(); now != before {
			t.Errorf("the screen was\n%s\nand is\n%s", before, now)
		}
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}

// A conversation is opened by its ID, by the end of that, or by words that its title
// alone has; where several have them the list begins filtered.
func TestResumeByWords(t *testing.T) {
	list := []SessionChoice{{ID: "20260102-030405-abcdef", Title: "Mend the median test"}, {ID: "20260102-030406-ghijkl", Title: "写一个 median 的测试"}, {ID: "20260102-030407-mnopqr", Title: "Release it"}}
	for words, want := range map[string]string{"abcdef": "abcdef", "20260102-030406": "20260102-030406", "median MEND": list[0].ID, "测试": list[1].ID,
		"release": list[2].ID, "median": "", "def": "", "nothing like it": "", "old.jsonl": "old.jsonl"} {
		if got := sessionOf(list, words); got != want {
			t.Errorf("%q opens %q, not %q", words, got, want)
		}
	}
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		var opened []string
		o.Sessions = func() ([]SessionChoice, error) { return list, nil }
		o.Resume = func(id string) error { opened = append(opened, id); return nil }
		s := start(t, o, 80, 24)
		s.send("/resume median\r")
		s.see("Continue a conversation")
		s.gone("Release it")
		s.send("\x1b")
		s.gone("Continue a conversation")
		s.send("/resume no such thing\r")
		s.see("no conversation is about no such thing")
		s.see("Release it")
		s.send("\x1b")
		s.gone("Continue a conversation")
		s.send("/resume release\r")
		s.gone("/resume")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		if len(opened) != 1 || opened[0] != list[2].ID {
			t.Errorf("opened %q", opened)
		}
	})
}

// A word that is no format is told, and not taken for a file's name.
func TestExportFormat(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		var wrote []string
		o.Stored.Export = func(format, file string) (string, error) {
			wrote = append(wrote, format+"|"+file)
			return file, nil
		}
		s := start(t, o, 80, 24)
		s.send("/export pdf talk\r")
		s.see("no format pdf")
		s.see("/export pdf talk") // to be mended
		s.send("\x15/export my.notes and more.md\r")
		s.see("written to my.notes and more.md")
		s.send("/export html talk.html\r")
		s.see("written to talk.html")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
		if got := strings.Join(wrote, " "); got != "|my.notes and more.md html|talk.html" {
			t.Errorf("wrote %q", got)
		}
	})
}

// Where no model is listed any more, /model offers the ways to one.
func TestModelOffersWaysWhereNoneIsListed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		o := testOptions(&fakeAgent{})
		o.Models = func(context.Context) ([]ModelChoice, error) { return nil, nil }
		o.SetModel = func(c ModelChoice, _ provider.Effort) (provider.Model, error) { return c.Model, nil }
		ways := &FirstRun{
			Local: func(context.Context) []ModelChoice {
				return []ModelChoice{{Model: provider.Model{Provider: "ollama", ID: "qwen"}}}
			},
			Use: func(c ModelChoice) (provider.Model, error) { return c.Model, nil },
		}
		o.Ways = func() *FirstRun { return ways }
		s := start(t, o, 80, 24)
		s.send("/model\r")
		s.see("Which model shall forge use?")
		s.send("\r")
		s.see("ollama/qwen")
		s.send("\r")
		s.see("now with qwen")
		s.send("\x04")
		if err := s.wait(); err != nil {
			t.Error(err)
		}
	})
}
