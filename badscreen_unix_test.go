//go:build unix

package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// leaveWell ends forge and looks whether it ended as it should.
func (s *terminal) leaveWell() {
	s.t.Helper()
	s.send("\x04")
	if err := s.wait(); err != nil {
		s.t.Error(err)
	}
	if s.alternate() {
		s.t.Error("the alternate screen is left on")
	}
}

// A window that gets hundreds of sizes while an answer comes, from one cell to more
// than any desk has, none at all among them, shows in the end what it should.
func TestResizeStorm(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	var words strings.Builder
	for i := range 60 {
		fmt.Fprintf(&words, "  word%d 中文 é 👩‍👩‍👧 `code` |\n", i)
	}
	p.write(t, "storm.script", "text\n"+words.String()+"  the very end of it\nend\n")
	s := openTerminal(t, 80, 24, p.dir, nil, "--demo=storm.script", "-C", ".")
	s.see("ask for something")
	s.send("go\r")
	s.see("word1")
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		w, h := 1+r.IntN(500), 1+r.IntN(200)
		switch i % 10 {
		case 0:
			w, h = 1, 1
		case 3:
			w, h = 500, 200
		case 5:
			w, h = 0, 0
		case 7:
			w, h = 1+r.IntN(12), 1+r.IntN(6)
		}
		s.resize(w, h)
		time.Sleep(2 * time.Millisecond)
	}
	s.resize(80, 24)
	s.see("the very end of it")
	s.see("ask for something")
	if rows := strings.Split(s.text(), "\n"); len(rows) != 24 {
		t.Errorf("%d rows", len(rows))
	}
	s.send("typed 你好")
	s.see("typed 你好")
	s.send("\x15")
	s.leaveWell()
}

// A question keeps its place and its keys when the window changes under it.
func TestResizeUnderAQuestion(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.write(t, "ask.script", `call write_file {"path":"a.txt","content":"one\ntwo\nthree\n"}`+"\nend\ntext written\nend\n")
	s := openTerminal(t, 80, 24, p.dir, nil, "--demo=ask.script", "-C", ".")
	s.see("ask for something")
	s.send("go\r")
	s.see("write this change")
	for _, size := range [][2]int{{1, 1}, {200, 60}, {0, 0}, {20, 5}, {500, 200}, {60, 16}} {
		s.resize(size[0], size[1])
		time.Sleep(20 * time.Millisecond)
	}
	s.answer("write this change", "y")
	s.see("written")
	s.leaveWell()
	if b, err := os.ReadFile(filepath.Join(p.dir, "a.txt")); err != nil || string(b) != "one\ntwo\nthree\n" {
		t.Errorf("%q, %v", b, err)
	}
}

// heardServer notes the last thing a person said, and answers with what it is given.
func heardServer(t *testing.T, answer string) (env []string, last func() string) {
	t.Helper()
	var mu sync.Mutex
	said := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			http.NotFound(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		all := gjson.GetBytes(body, "messages").Array()
		mu.Lock()
		said = all[len(all)-1].Get("content").String()
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return []string{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=" + server.URL + "/v1"}, func() string {
		mu.Lock()
		defer mu.Unlock()
		return said
	}
}

func chunk(delta, finish string) string {
	return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"},\"finish_reason\":%s}]}\n\n", delta, finish)
}

// Bytes that are no UTF-8, from a model, a command and a paste, are shown as marks,
// and none reaches the terminal or the server.
func TestNoUTF8(t *testing.T) {
	t.Parallel()
	env, last := heardServer(t, chunk("model \xff\xfe\xc3( says \xe4\xb8", "null")+chunk("\xad so", "null")+chunk(" done", "\"stop\"")+"data: [DONE]\n\n")
	s := openTerminal(t, 80, 24, t.TempDir(), env, "-m", "openai/m")
	s.see("ask for something")
	s.send("\x1b[200~paste \xff\xfe here \xc3\x28\x1b[201~")
	s.see("paste")
	s.send(" \xff\xfetyped\r")
	s.see("done")
	if said := last(); !utf8.ValidString(said) || !strings.Contains(said, "paste") || !strings.Contains(said, "typed") {
		t.Errorf("sent %q", said)
	}
	s.see("? for keys") // the run has ended
	s.send("!printf 'out \\377\\376 put\\n'\r")
	s.see("exit code 0")
	s.see("put")
	if text := s.text(); !utf8.ValidString(text) {
		t.Errorf("on the screen:\n%q", text)
	}
	s.leaveWell()
}

// Lines of a megabyte, in an answer, in what a command prints and in a paste, and a
// paste of ten thousand lines: none stops the screen, and what is sent is whole.
func TestHugeLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("longword ", 116_508) // a megabyte
	env, last := heardServer(t, chunk("Begin "+long, "null")+chunk(" end of it", "\"stop\"")+"data: [DONE]\n\n")
	s := openTerminal(t, 80, 24, t.TempDir(), env, "-m", "openai/m")
	s.see("ask for something")
	s.send("\x1b[200~" + long + "\x1b[201~")
	s.send(" after")
	s.see("after")
	s.send("\r")
	s.see("end of it")
	if said := last(); len(said) < len(long) || !strings.HasSuffix(said, "after") {
		t.Errorf("%d bytes were sent of %d: …%q", len(said), len(long), said[max(0, len(said)-40):])
	}
	var lines strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&lines, "line %d\n", i)
	}
	s.send("\x1b[200~" + lines.String() + "\x1b[201~")
	s.see("10000 lines")
	s.send("\r")
	deadline(t, "all lines were sent", func() bool {
		return strings.Contains(last(), "line 0\nline 1\n") && strings.Contains(last(), "line 9999")
	})
	s.see("end of it")
	s.see("? for keys")
	s.send("!head -c 1100000 /dev/zero | tr '\\0' x; echo; echo over\r")
	s.see("exit code 0")
	s.send("still here")
	s.see("still here")
	s.send("\x15")
	s.leaveWell()
}

// A terminal that answers no question does not keep the first frame waiting.
func TestSilentTerminal(t *testing.T) {
	t.Parallel()
	s := openCommand(t, 80, 24, forgeIn(t, t.TempDir(), nil, "--demo"), false)
	s.see("ask for something")
	s.send("hello")
	s.see("hello")
	s.send("\x15")
	s.leaveWell()
}

// A locale that names another charset gets letters that every terminal has.
func TestNoLocale(t *testing.T) {
	t.Parallel()
	for _, locale := range []string{"LANG=C", "LC_ALL=POSIX", "LANG=en_US.ISO-8859-1"} {
		s := openTerminal(t, 80, 24, t.TempDir(), []string{"LANG=", locale}, "--demo")
		s.see("ask for something")
		s.send("?")
		s.see("Keys and commands")
		for _, r := range s.text() {
			if r >= utf8.RuneSelf {
				t.Errorf("%s: %q is on the screen:\n%s", locale, r, s.text())
				break
			}
		}
		s.send("\x1b")
		s.lose("Keys and commands")
		s.leaveWell()
	}
}

// Where there is no terminal forge says so in a line and what to do; where nobody
// reads its output it ends.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	out, errOut, code := p.run(t, "--demo")
	if out != "" || code != 2 || errOut != "forge: the screen needs a terminal: use forge -p \"…\" here\n" {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	p.write(t, "short.script", "text a few words\nend\n")
	for line, want := range map[string]int{"forge -p hi -C . --demo=short.script >&-": 0, "forge -p hi -C . --demo=short.script >/dev/full": 1,
		"forge -p hi -C . --demo=short.script --json >/dev/full": 1, "forge doctor --demo >/dev/full": 1} {
		if _, err := os.Stat("/dev/full"); err != nil && want != 0 {
			continue
		}
		c := p.command()
		sh := exec.Command("sh", "-c", "exec "+line)
		sh.Dir, sh.Env = c.Dir, c.Env
		var said strings.Builder
		sh.Stderr = &said
		err := sh.Run()
		if code := sh.ProcessState.ExitCode(); code != want || (code != 0) != (said.Len() > 0) {
			t.Errorf("%s: exit %d, %v, %q", line, code, err, said.String())
		}
	}
}

// Ctrl+Z gives the terminal back to the shell, and fg the screen back to the person,
// also amid an answer.
func TestSuspend(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no shell with job control")
	}
	p := newProgram(t)
	p.write(t, "slow.script", "text first words\npause 400ms\ntext  and the last ones\nend\n")
	cmd := exec.Command(bash, "--norc", "--noprofile", "-i")
	cmd.Dir = p.dir
	cmd.Env = append(home(t.TempDir()), "TERM=xterm-256color", "LANG=C.UTF-8", "PS1=shell> ", "PATH="+os.Getenv("PATH"))
	s := openCommand(t, 80, 24, cmd, true)
	s.see("shell>")
	s.send("forge --demo=slow.script -C .\r")
	s.see("ask for something")
	s.send("a draft")
	s.see("a draft")
	s.send("\x1a")
	s.see("Stopped")
	if s.alternate() {
		t.Error("the shell got the alternate screen")
	}
	s.send("echo the shell $((40+2))\r")
	s.see("the shell 42")
	s.send("fg\r")
	s.see("› a draft")
	if !s.alternate() {
		t.Error("the screen is not the alternate one again")
	}
	s.send("\x15go\r")
	s.see("first words")
	s.send("\x1a")
	s.lose("first words")
	s.send("fg\r")
	s.see("and the last ones")
	s.resize(100, 30)
	s.see("ask for something")
	s.send("\x04")
	s.see("shell>")
	s.send("exit\r")
	if err := s.wait(); err != nil {
		t.Error(err)
	}
}
