//go:build unix

package main

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"forge/provider/demo"
	"forge/ui/screentest"
)

// terminal is forge on a real terminal, with short names for what stands on every
// line of these tests.
type terminal struct {
	*screentest.Terminal
	t   *testing.T
	cmd *exec.Cmd
}

func openTerminal(t *testing.T, w, h int, dir string, env []string, args ...string) *terminal {
	t.Helper()
	return openCommand(t, w, h, forgeIn(t, dir, env, args...), true)
}

// forgeIn is forge, to be started in a folder, with nothing of the person's who runs
// the tests.
func forgeIn(t *testing.T, dir string, env []string, args ...string) *exec.Cmd {
	cmd := exec.Command("forge", args...)
	cmd.Dir = dir
	cmd.Env = append(append(home(t.TempDir()), "TERM=xterm-256color", "LANG=C.UTF-8", "PATH="+os.Getenv("PATH")), env...)
	return cmd
}

// openCommand is a terminal with a command in it; it answers queries if answers says so.
func openCommand(t *testing.T, w, h int, cmd *exec.Cmd, answers bool) *terminal {
	t.Helper()
	return &terminal{screentest.Start(t, cmd, w, h, answers), t, cmd}
}

func (s *terminal) text() string     { return s.Text() }
func (s *terminal) alternate() bool  { return s.Alternate() }
func (s *terminal) resize(w, h int)  { s.t.Helper(); s.Resize(w, h) }
func (s *terminal) send(keys string) { s.t.Helper(); s.Send(keys) }
func (s *terminal) see(want string)  { s.t.Helper(); s.See(want) }
func (s *terminal) lose(what string) { s.t.Helper(); s.Lose(what) }
func (s *terminal) wait() error      { s.t.Helper(); return s.Wait() }

// answer presses a key until the dialog it answers is gone: a dialog takes no key
// before it was seen for a moment, and a key that comes too early is the
// composer's, from where it is taken back.
func (s *terminal) answer(dialog, key string) {
	s.t.Helper()
	s.see(dialog)
	time.Sleep(600 * time.Millisecond)
	s.send(key)
}

// TestDemoOnTheScreen walks the whole program through the demo: in process, and
// with the same script served on each wire.
func TestDemoOnTheScreen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  func(url string) []string
		args []string
	}{
		{"in process", nil, []string{"--demo"}},
		{"openai", func(url string) []string { return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=k"} },
			[]string{"--provider", "openai", "-m", demo.ModelID}},
		{"anthropic", func(url string) []string { return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=k"} },
			[]string{"--provider", "anthropic", "-m", demo.ModelID}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "laps")
			if err := demo.WriteSample(dir); err != nil {
				t.Fatal(err)
			}
			env := goEnv(t)
			if c.env != nil {
				server := httptest.NewServer(demo.Serve(demo.Builtin(), demo.Options{}))
				defer server.Close()
				env = append(env, c.env(server.URL)...)
			}
			s := openTerminal(t, 80, 20, dir, env, append(c.args, "-C", dir)...)
			s.see("ask for something")
			s.send("why does the median test fail?\r")
			s.answer("allow once", "y")
			s.answer("read on", "y") // a small screen: all of it is shown first
			s.answer("  y   write this change", "y")
			s.answer("allow once", "y")
			s.see("How it was checked")
			s.send("thanks\r")
			s.asking("│ Real models", "2")
			s.see("lists what was found")
			s.send("\x04")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
			b, err := os.ReadFile(filepath.Join(dir, "stats.go"))
			if err != nil || !strings.Contains(string(b), "len(sorted)%2 == 0") {
				t.Errorf("the edit did not land: %v\n%s", err, b)
			}
		})
	}
}

// TestTerminalIsGivenBack ends forge in the ways it can end and looks at what it
// leaves of the terminal: the main screen, the cursor, plain keys.
func TestTerminalIsGivenBack(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(s *terminal){
		"ctrl+d":       func(s *terminal) { s.send("\x04") },
		"ctrl+c twice": func(s *terminal) { s.send("\x03"); s.see("again leaves"); s.send("\x03") },
		"/exit":        func(s *terminal) { s.send("/exit\r") },
		"SIGTERM":      func(s *terminal) { s.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":       func(s *terminal) { s.cmd.Process.Signal(syscall.SIGHUP) },
		"SIGTERM in mid answer": func(s *terminal) {
			s.send("go on\r")
			s.see("thinking")
			s.cmd.Process.Signal(syscall.SIGTERM)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openTerminal(t, 80, 24, t.TempDir(), []string{"TERM_PROGRAM=ghostty"}, "--demo")
			s.see("ask for something")
			if !s.alternate() {
				t.Error("the screen is not the alternate one")
			}
			end(s)
			s.wait()
			if s.alternate() {
				t.Error("the alternate screen is left on")
			}
			raw := s.Raw()
			if kept, back := strings.Count(raw, "\x1b[22;0t"), strings.LastIndex(raw, "\x1b[23;0t"); kept != 1 || back < strings.LastIndex(raw, "\x1b]2;") {
				t.Errorf("the title was kept %d times, and is not given back at the end", kept)
			}
			busy, none := strings.LastIndex(raw, "\x1b]9;4;3"), strings.LastIndex(raw, "\x1b]9;4;0")
			if busy > none || busy < 0 && name == "SIGTERM in mid answer" {
				t.Errorf("the progress is at %d, its end at %d", busy, none)
			}
		})
	}
}

// TestResumeWithoutAnID offers the conversations there are, and goes on with the
// chosen one.
func TestResumeWithoutAnID(t *testing.T) {
	t.Parallel()
	dir, state := t.TempDir(), []string{"XDG_STATE_HOME=" + t.TempDir()}
	s := openTerminal(t, 80, 24, dir, state, "--demo", "-C", dir, "--mode", "plan")
	s.see("ask for something")
	s.send("remember the word pomegranate\r")
	s.see("turns,")
	s.send("\x04")
	s.wait()
	s = openTerminal(t, 80, 24, dir, state, "--demo", "-C", dir, "-r")
	s.see("Continue a conversation")
	s.see("remember the word pomegranate")
	s.send("\r")
	s.see("not allowed") // the end of the conversation, told again
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}

// TestTheDemoOfTheFirstRunHasItsOwnWorkspace chooses the demo where no model can
// be reached: the person's own files are not the ones it works on.
func TestTheDemoOfTheFirstRunHasItsOwnWorkspace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := openTerminal(t, 80, 24, dir, []string{"OLLAMA_HOST=127.0.0.1:1"})
	s.see("Which model shall forge use?")
	s.send("demo\r")
	s.see("forge-demo-")
	s.send("hello\r")
	s.answer("allow once", "\x1b")
	s.see("? for keys") // the run has ended
	s.send("\x04")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the folder holds %v %v", left, err)
	}
}

// TestOwnCommandOnTheScreen types a command of one's own: it runs outside of any
// question, the model knows of it at its next call, on each wire, and a resumed
// conversation shows it as it was. Going back before a prompt leaves the whole
// behind.
func TestOwnCommandOnTheScreen(t *testing.T) {
	t.Parallel()
	const script = `title own commands

expect user /(?s)this is no request\.\n<command>\necho "a \$\(\(20\+3\)\) b"\n</command>\n<output>\na 23 b\n\[exit code 0, .*\]\n</output>.*what did it say\?/
text It said twenty-three.
end

when user what else
text Nothing else.
otherwise
text The end of it.
end
`
	parsed, err := demo.Parse(strings.NewReader(script))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		env  func(url string) []string
		args []string
	}{
		{"openai", func(url string) []string { return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=k"} },
			[]string{"--provider", "openai", "-m", demo.ModelID}},
		{"anthropic", func(url string) []string { return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=k"} },
			[]string{"--provider", "anthropic", "-m", demo.ModelID}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(demo.Serve(parsed, demo.Options{}))
			defer server.Close()
			dir, store := t.TempDir(), t.TempDir()
			env := append(c.env(server.URL), "XDG_STATE_HOME="+store)
			s := openTerminal(t, 80, 24, dir, env, append(c.args, "-C", dir)...)
			s.see("ask for something")
			s.send("!")
			s.see("a command of your own")
			s.send("echo \"a $((20+3)) b\"\r")
			s.see("a 23 b")
			s.see("exit code 0")
			s.send("what did it say?\r")
			s.see("It said twenty-three.")
			s.send("and now?\r")
			s.see("The end of it.")
			s.send("\x04")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
			s = openTerminal(t, 80, 24, dir, env, append(c.args, "-C", dir, "-c")...)
			s.see("The end of it.")
			s.see(`! echo "a $((20+3)) b"  exit code 0`)
			s.send("\x1b")
			s.see("esc again")
			s.send("\x1b")
			s.see("Go back to before a prompt")
			s.send("\r")
			s.see("ends before it")
			s.lose("The end of it.") // the copy ends before the prompt
			s.see("It said twenty-three.")
			s.see("› and now?")
			s.send("\x15what else?\r")
			s.see("Nothing else.")
			s.send("\x04")
			if err := s.wait(); err != nil {
				t.Error(err)
			}
			files, err := filepath.Glob(filepath.Join(store, "forge", "sessions", "*.jsonl"))
			if err != nil || len(files) != 2 {
				t.Fatalf("sessions %v, %v", files, err)
			}
			var whole, copies int
			for _, file := range files {
				b, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(string(b), "The end of it.") && !strings.Contains(string(b), "what else?") {
					whole++
				}
				if strings.Contains(string(b), "what else?") && strings.Contains(string(b), "a 23 b") && !strings.Contains(string(b), "The end of it.") {
					copies++
				}
			}
			if whole != 1 || copies != 1 {
				t.Errorf("%d whole conversations, %d copies", whole, copies)
			}
		})
	}
}

// deadline waits until something holds.
func deadline(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(60 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came that %s", what)
		}
	}
}
