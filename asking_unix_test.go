//go:build unix

package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"forge/agent/session"
	"forge/provider"
	"forge/provider/demo"
	"forge/tools/builtin"
	"forge/ui/dialog"
	"forge/ui/keymap"
)

// What a screen asks first, with the tool by which a model asks the person, fits in
// 10 KB on either wire, too.
func TestFirstRequestOfAScreenIsSmall(t *testing.T) {
	t.Parallel()
	for wire, env := range wireEnv {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			url, sent := greeter(t)
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("Be brief.\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			s := openTerminal(t, 80, 24, dir, env(url), "--provider", wire, "-m", demo.ModelID)
			s.see("ask for something")
			s.send("hello\r")
			s.see("2 out")
			s.send("\x04")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
			checkFirst(t, sent(), builtin.AskName)
		})
	}
}

// wondering asks: a long question with several answers to be taken, and two short ones.
const wondering = `pace 100000
loop
when result[ask_user] /answered:\n([\s\S]*)/
text
  You said:

  $1
when result[ask_user] did not answer
text Then I decide.
when result[ask_user] before the user had answered
text It was cut off.
when result[ask_user] no tool
text It cannot be asked.
when user one
call ask_user {"questions":[{"header":"Database","question":"Which database?","options":[{"label":"PostgreSQL","description":"runs already"},{"label":"SQLite"}]}]}
when user long
call ask_user {"questions":[{"header":"Login","question":"%s","multiple":true,"options":[{"label":"Password"},{"label":"Passkey"},{"label":"Single sign-on"}]},{"header":"Where","question":"Where does it run?","options":[{"label":"here"},{"label":"there"}]}]}
otherwise
text So it is.
end
`

func wonderingScript() string {
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("row %02d", i+1))
	}
	return fmt.Sprintf(wondering, strings.Join(lines, `\n`))
}

// inquiringScene is a question of the model's with two topics.
func inquiringScene() scene {
	down := doing("\x1b[6~\x1b[6~\x1b[6~\x1b[6~\x1b[6~", shows("Single sign-on"))
	return scene{
		open: func(t *testing.T) *terminal { return newStage(t).open(t, wonderingScript()) },
		ground: func(s *terminal) {
			s.t.Helper()
			s.stopped()
			s.does("/new\r", all(hides("Then I"), hides("You said"), hides("interrupted"), caret(nothing)))
			s.does("long\r", waits("rows 1 to"))
		},
		deeds: map[keymap.Action]deed{
			keymap.InquiryUp:       {set: steps(down, doing("\x1b[B\x1b[B", shows("❯ 3 [ ]"))), want: shows("❯ 2 [ ]")},
			keymap.InquiryDown:     {want: shows("❯ 2 [ ]")},
			keymap.InquiryTake:     {set: steps(down, doing(" ", shows("1 [✓]"))), want: shows("2 of 2")},
			keymap.InquiryTick:     {set: down, want: shows("1 [✓]")},
			keymap.InquiryNext:     {want: shows("2 of 2")},
			keymap.InquiryBefore:   {want: shows("what the model will be told")},
			keymap.InquiryPageUp:   {set: down, want: ranged(-30, -5)},
			keymap.InquiryPageDown: {want: ranged(5, 30)},
			keymap.InquiryClose:    {want: shows("Then I decide.")},
		},
	}
}

// stored is the conversation on disk, as a server would get it next.
func stored(t *testing.T, state string) []provider.Message {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(state, "forge", "sessions", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, sessions %v", err, files)
	}
	s, rs, err := session.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	ms := session.Messages(rs)
	if err := errorsOf(session.Check(ms), s.Close()); err != nil {
		t.Fatal(err)
	}
	return ms
}

// validOnBoth wants what comes behind a conversation to be a request either wire takes.
func validOnBoth(t *testing.T, ms []provider.Message) {
	t.Helper()
	for wire := range wireEnv {
		valid(t, wire, requestOn(t, wire, append(slices.Clone(ms), provider.UserText("on"))))
	}
}

// A model asks, in plan mode and over both wires: answers by digit and in Chinese words,
// one of them changed before it is sent, while a draft waits behind. Esc answers nothing
// and the run goes on.
func TestAskedOnTheScreen(t *testing.T) {
	t.Parallel()
	for wire, env := range wireEnv {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			script, err := demo.Parse(strings.NewReader(strings.ReplaceAll(wonderingScript(), `\nrow`, " row")))
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(demo.Serve(script, demo.Options{}))
			defer server.Close()
			state := t.TempDir()
			s := openTerminal(t, 100, 40, t.TempDir(), append(env(server.URL), "XDG_STATE_HOME="+state), "--provider", wire, "-m", demo.ModelID, "--mode", "plan")
			s.see("ask for something")
			s.send("long\r")
			s.see("1 of 2")
			s.send("my draft") // of which no letter answers, nor any behind the first
			s.see("› my draft")
			s.asking("1 of 2", "1")
			s.see("your words are in the prompt") // it may have been meant for them
			s.send("1")
			s.see("1 [✓] │ Password")
			s.send("4")
			s.see("enter answer with it")
			s.send("微信登录")
			s.see("❯ 微信登录")
			s.send("\r")
			s.see("in your own words: 微信登录")
			s.send("\r")
			s.see("2 of 2")
			s.send("2")
			s.see("what the model will be told")
			s.see("Where: there")
			s.send("\x1b[D")
			s.see("2 of 2")
			s.send("1")
			s.see("Where: here")
			s.send("\r")
			s.see("Where: here")
			s.see("You said:")
			s.see("Login: Password; in their own words: 微信登录")
			s.see("my draft")
			s.send("\x15one\r")
			s.asking("│ PostgreSQL", "\x1b[27u")
			s.see("Then I decide.")
			s.see("not answered")
			s.lose("waiting for your answer")
			s.send("\x04")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
			validOnBoth(t, stored(t, state))
		})
	}
}

// asking presses a key once the model's question takes keys.
func (s *terminal) asking(shown, key string) {
	s.t.Helper()
	s.see(shown)
	time.Sleep(2 * dialog.Quiet) // it takes none before: it would go to the prompt
	s.send(key)
}

// Ctrl+C ends the run from the middle of an answer, and what was written of it is in the
// prompt. What was asked is valid history for whatever comes next.
func TestAskedAndInterrupted(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	s := newWondering(t, dir, state)
	s.send("one\r")
	s.asking("│ PostgreSQL", "3")
	s.see("enter answer with it")
	s.send("neither, 都不要")
	s.see("neither, 都不要")
	s.send("\x03")
	s.see("interrupted")
	s.see("› neither, 都不要")
	s.lose("in your own words")
	s.send("\x15one\r")
	s.see("in your own words")
	s.send("\x03") // at once, before it takes keys
	s.lose("in your own words")
	s.send("hello\r")
	s.see("So it is.")
	validOnBoth(t, stored(t, state))
	s.send("one\r")
	s.see("in your own words")
	s.send("\x03\x03") // and out
	s.wait()
	validOnBoth(t, stored(t, state))
}

// newWondering is a screen whose model asks.
func newWondering(t *testing.T, dir, state string, args ...string) *terminal {
	t.Helper()
	script := filepath.Join(state, "wondering.script")
	if err := os.WriteFile(script, []byte(wonderingScript()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openTerminal(t, 100, 40, dir, []string{"XDG_STATE_HOME=" + state}, append([]string{"--demo=" + script, "-C", dir}, args...)...)
	s.see("›")
	return s
}

// forge is killed while a question waits: the next start says which, and the conversation
// goes on with a history that is whole.
func TestKilledWhileTheModelAsks(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	s := newWondering(t, dir, state)
	s.see("ask for something")
	s.send("one\r")
	s.asking("│ PostgreSQL", "3")
	s.see("enter answer with it")
	s.send("half of an answer")
	deadline(t, "what was written is kept", func() bool {
		files, _ := filepath.Glob(filepath.Join(state, "forge", "drafts", "*"))
		for _, f := range files {
			if b, _ := os.ReadFile(f); strings.Contains(string(b), "half of an answer") {
				return true
			}
		}
		return false
	})
	s.cmd.Process.Kill()
	s.wait()
	validOnBoth(t, stored(t, state))
	s = newWondering(t, dir, state, "-c")
	s.see("a question of the model was not answered: “ask: Which database?”")
	s.see("half of an answer")
	s.send("\x1bc")
	s.see("It was cut off.")
	s.see("? for keys")
	s.send("\x15\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	validOnBoth(t, stored(t, state))
}

// In plain lines a number answers, and so do words; a line that was begun before the
// question is none.
func TestAskedByEar(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "wondering.script")
	if err := os.WriteFile(script, []byte(strings.ReplaceAll(wonderingScript(), `\nrow`, " row")), 0o600); err != nil {
		t.Fatal(err)
	}
	h := listenTo(t, dir, nil, "--demo="+script, "-C", dir, "--screen-reader")
	answer := func(line string) {
		t.Helper()
		h.hear("your answer: ")
		time.Sleep(2 * dialog.Quiet)
		h.send(line + "\n")
	}
	h.hear("prompt: ")
	h.send("long\n")
	h.hear("the model asks; no answer allows anything")
	h.hear("question 1 of 2: Login")
	h.hear("2: Passkey")
	answer("1 9")
	h.hear("there are 1 to 3")
	answer("1 3")
	h.hear("answered: Password, Single sign-on")
	h.hear("question 2 of 2: Where")
	answer("back")
	h.hear("so far: Password, Single sign-on")
	answer("next")
	h.hear("Where does it run?")
	answer("在云里")
	h.hear("what the model will be told")
	h.hear("Where: “在云里”")
	answer("yes")
	h.hear("this is none of the answers")
	answer("send")
	h.hear("You said:")
	h.hear("Where: in their own words: 在云里")
	h.hear("prompt: ")
	h.send("one\n")
	h.hear("1: PostgreSQL; runs already")
	answer("2")
	h.hear("answered: SQLite")
	h.hear("Database: SQLite")
	h.hear("prompt: ")
	h.send("one\n")
	answer("close")
	h.hear("not answered")
	h.hear("Then I decide.")
	h.hear("prompt: ")
	h.send("/exit\n")
	h.wait()
}

// Where nobody can be asked the tool is not there, and its name is known all the same.
func TestNobodyIsAskedHeadless(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "wondering.script", wonderingScript())
	out, errOut, code := p.run(t, "-p", "one", "--demo=wondering.script", "-C", ".", "--deny-tools", builtin.AskName)
	if code != 0 || !strings.Contains(out, "It cannot be asked.") {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
}

// A sub-agent cannot ask: it tells the one who can.
func TestSubAgentsCannotAsk(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), t.TempDir()
	script := filepath.Join(state, "crew.script")
	if err := os.WriteFile(script, []byte(`pace 100000
when tool ask_user
call task {"agent":"general","prompt":"look"}
end
text The agent is back.
end
agent general
when tool ask_user
text I can ask.
otherwise
text I cannot ask.
end
`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openTerminal(t, 100, 40, dir, []string{"XDG_STATE_HOME=" + state}, "--demo="+script, "-C", dir)
	s.see("ask for something")
	s.send("go\r")
	s.see("The agent is back.")
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	files, _ := filepath.Glob(filepath.Join(state, "forge", "sessions", "*.jsonl"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	if b, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(b), "I cannot ask.") {
		t.Errorf("%v\n%s", err, b)
	}
}
