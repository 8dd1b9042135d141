//go:build unix

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for what must come; it decides nothing else.
const patience = 20 * time.Second

func run(t *testing.T, c Command) Result {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := c.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCommandResult(t *testing.T) {
	for _, c := range []struct {
		line, out string
		code      int
		signal    string
	}{
		{"echo a; echo b >&2; echo c", "a\nb\nc\n", 0, ""},
		{"exit 7", "", 7, ""},
		{"kill -9 $$", "", -1, "killed"},
		{"cat; echo end", "end\n", 0, ""},                      // the input is empty
		{"printf 'x\\r 10%%\\r 99%%\\nöl'", " 99%\nöl", 0, ""}, // a line drawn again
		{"printf 'a\\377b'", "a\ufffdb", 0, ""},
		{"nothere_xyz", "", 127, ""},
	} {
		r := run(t, Command{Shell: c.line})
		if c.code == 127 {
			r.Output = ""
		}
		if r.Output != c.out || r.ExitCode != c.code || r.Signal != c.signal || r.Ok() != (c.code == 0) || len(r.Notes) > 0 {
			t.Errorf("%s: %+v", c.line, r)
		}
	}
	r := run(t, Command{Argv: []string{"printf", "%s|", "a b", "$HOME"}})
	if r.Output != "a b|$HOME|" {
		t.Errorf("argv: %q", r.Output)
	}
}

func TestCommandDoesNotStart(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []Command{
		{Argv: []string{"/no/such/program"}, Dir: dir}, {Shell: "true", Dir: filepath.Join(dir, "gone")},
		{Shell: "true", Dir: "relative"}, {Dir: dir}, {Shell: "a\x00b", Dir: dir},
	} {
		if _, err := c.Run(t.Context()); err == nil {
			t.Errorf("%+v started", c)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Command{Shell: "true", Dir: dir}).Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that was over: %v", err)
	}
}

// No terminal can be opened, and the process leads a session of its own.
func TestCommandHasNoTerminal(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ps tells the session on Linux only")
	}
	r := run(t, Command{Shell: `(: </dev/tty) 2>/dev/null && echo tty; ps -o pid=,pgid=,sess= -p $$ | tr -s ' ' '\n' | sort -u | grep -c .; tty || true`})
	if strings.Contains(r.Output, "tty\n") && !strings.Contains(r.Output, "not a tty") || !strings.HasPrefix(r.Output, "1\n") {
		t.Errorf("%q", r.Output)
	}
}

func TestEnviron(t *testing.T) {
	env := scrub([]string{"PATH=/bin", "HOME=/h", "OPENAI_API_KEY=s1", "GITHUB_TOKEN=s2", "AWS_ACCESS_KEY_ID=s3", "aws_secret_access_key=s4", "DB_PASSWORD=s5",
		"BASH_ENV=/x", "LD_PRELOAD=/x.so", "GIT_DIR=/g", "GIT_EDITOR=vim", "PAGER=less", "BASH_FUNC_ls%%=() { :; }", "FORGE_X=1", "NODE_OPTIONS=-r x",
		"KEYBOARD=de", "TOKENIZERS_PARALLELISM=1", "SSH_AUTH_SOCK=/s", "NPM_TOKEN=keep", "PS4=$(x)", "DYLD_INSERT_LIBRARIES=/x", "EMPTY="}, []string{"NPM_TOKEN"})
	for _, want := range []string{"PATH=/bin", "HOME=/h", "KEYBOARD=de", "TOKENIZERS_PARALLELISM=1", "SSH_AUTH_SOCK=/s", "NPM_TOKEN=keep", "EMPTY=",
		"PAGER=cat", "GIT_PAGER=cat", "GIT_EDITOR=false", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "TERM=dumb", "FORGE=1", "DEBIAN_FRONTEND=noninteractive"} {
		if !slices.Contains(env, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if n := len(settings) + 7; len(env) != n {
		t.Errorf("%d variables, want %d: %q", len(env), n, env)
	}
}

func TestCommandSeesScrubbedEnvironment(t *testing.T) {
	t.Setenv("SOME_API_KEY", "hunter2")
	t.Setenv("PLAIN", "yes")
	rc := filepath.Join(t.TempDir(), "rc")
	if err := os.WriteFile(rc, []byte("echo sourced\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BASH_ENV", rc)
	r := run(t, Command{Shell: `echo "$SOME_API_KEY/$PLAIN/$PAGER/$FORGE"`})
	if r.Output != "/yes/cat/1\n" {
		t.Errorf("%q", r.Output)
	}
}

// alive says whether a process is there and no zombie.
func alive(pid int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}

// dead waits for a process to be gone, and kills it if it is not.
func dead(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(patience / 4); alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			syscall.Kill(pid, syscall.SIGKILL)
			t.Errorf("process %d lives", pid)
			return
		}
	}
}

// lines gives a command's output line by line.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
	ch  chan string
}

func newLines() *lines { return &lines{ch: make(chan string, 1000)} }

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf.Write(b)
	for {
		i := bytes.IndexByte(l.buf.Bytes(), '\n')
		if i < 0 {
			return len(b), nil
		}
		l.ch <- strings.TrimSuffix(string(l.buf.Next(i+1)), "\n")
	}
}

func (l *lines) next(t *testing.T) string {
	t.Helper()
	select {
	case s := <-l.ch:
		return s
	case <-time.After(patience):
		t.Fatal("the command says nothing")
		return ""
	}
}

func (l *lines) pid(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(l.next(t))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func start(t *testing.T, line string) (*Process, *lines) {
	t.Helper()
	out := newLines()
	p, err := Command{Shell: line, Dir: t.TempDir(), Output: out}.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(); <-p.Done(); p.Sweep() })
	return p, out
}

func ended(t *testing.T, p *Process) Result {
	t.Helper()
	select {
	case <-p.Done():
		return p.Result()
	case <-time.After(patience):
		t.Fatal("the command does not end")
		return Result{}
	}
}

func TestCommandStops(t *testing.T) {
	for _, c := range []struct{ name, line, signal string }{
		{"asked", "echo $$; echo $$; exec sleep 100", "interrupt"},
		{"a shell and its child", "echo $$; sleep 100 & echo $!; wait", ""},
		{"ignores INT", "trap '' INT; echo $$; echo $$; exec sleep 100", "terminated"},
		{"ignores INT and TERM", "trap '' INT TERM; echo $$; echo $$; exec sleep 100", "killed"},
		{"a child ignores both", "(trap '' INT TERM; sleep 100) & echo $$; echo $!; wait", ""},
		{"is stopped itself", "echo $$; echo $$; kill -STOP $$", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, out := start(t, c.line)
			first, second := out.pid(t), out.pid(t)
			p.Stop()
			r := ended(t, p)
			if !r.Cancelled || r.TimedOut || r.Ok() || c.signal != "" && r.Signal != c.signal {
				t.Errorf("%+v", r)
			}
			dead(t, first)
			dead(t, second)
		})
	}
}

func TestCommandTimeout(t *testing.T) {
	r := run(t, Command{Shell: "echo begun; sleep 100", Timeout: 50 * time.Millisecond})
	if !r.TimedOut || r.Cancelled || r.Output != "begun\n" || r.ExitCode == 0 {
		t.Errorf("%+v", r)
	}
}

func TestCommandContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := newLines()
	done := make(chan Result)
	go func() {
		r, _ := Command{Shell: "echo $$; sleep 100", Dir: t.TempDir(), Output: out}.Run(ctx)
		done <- r
	}()
	pid := out.pid(t)
	cancel()
	if r := <-done; !r.Cancelled {
		t.Errorf("%+v", r)
	}
	dead(t, pid)
}

// A process in the background that holds the output neither keeps the command
// from ending nor is ended with it; Sweep ends it.
func TestCommandLeavesBackground(t *testing.T) {
	p, out := start(t, "sleep 100 & echo $!; echo done")
	pid := out.pid(t)
	r := ended(t, p)
	if !r.Ok() || r.Output != fmt.Sprintf("%d\ndone\n", pid) || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "background") {
		t.Errorf("%+v", r)
	}
	if runtime.GOOS == "linux" && !slices.Equal(r.Left, []int{pid}) {
		t.Errorf("left: %v, want %d", r.Left, pid)
	}
	if !alive(pid) {
		t.Error("it was ended")
	}
	p.Sweep()
	dead(t, pid)
}

// Eyes that take their time over each piece are no reason to lose what a command
// that is gone has written.
func TestCommandWithSlowEyes(t *testing.T) {
	var seen slow
	p, err := Command{Shell: "seq 10000", Dir: t.TempDir(), Output: &seen}.Start()
	if err != nil {
		t.Fatal(err)
	}
	r := ended(t, p)
	if !r.Ok() || !strings.HasSuffix(r.Output, "\n10000\n") || len(r.Notes) != 0 {
		t.Errorf("it ends %q, notes %q", r.Output[max(0, len(r.Output)-20):], r.Notes)
	}
	if !strings.HasSuffix(seen.text.String(), "\n10000\n") {
		t.Errorf("what was seen has %d bytes", seen.text.Len())
	}
}

type slow struct{ text strings.Builder }

func (s *slow) Write(b []byte) (int, error) {
	time.Sleep(3 * drainGrace)
	return s.text.Write(b)
}

// What a process in the background writes later does not end it: somebody still
// reads.
func TestCommandBackgroundMayWrite(t *testing.T) {
	dir := t.TempDir()
	gate, mark := filepath.Join(dir, "gate"), filepath.Join(dir, "mark")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Skip("no pipes with names here: ", err)
	}
	p, _ := start(t, fmt.Sprintf("(read x <%q; echo late; echo later; echo ok >%q) & echo now", gate, mark))
	if r := ended(t, p); r.Output != "now\n" {
		t.Errorf("%+v", r)
	}
	f, err := os.OpenFile(gate, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("go\n")
	f.Close()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		if b, _ := os.ReadFile(mark); string(b) == "ok\n" {
			return
		}
		if time.Now().After(end) {
			t.Fatal("it could not write")
		}
	}
}

// What left the session is found by its mark, also when its parent is gone.
func TestCommandSetsid(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("found on Linux only")
	}
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid here")
	}
	p, out := start(t, `setsid sh -c 'echo $$; trap "" INT TERM; sleep 100' & (setsid sh -c 'setsid sleep 101 & echo $!') ; sleep 102`)
	a, b := out.pid(t), out.pid(t)
	p.Stop()
	if r := ended(t, p); !r.Cancelled {
		t.Errorf("%+v", r)
	}
	dead(t, a)
	dead(t, b)
}

func TestCommandEndlessOutput(t *testing.T) {
	var live counter
	r := run(t, Command{Shell: "yes", Max: 8 << 20, Head: 100, Tail: 1000, Output: &live})
	if !r.OverLimit || r.Total <= 8<<20 || len(r.Output) > 1200 || !strings.HasPrefix(r.Output, "y\ny\n") || !strings.Contains(r.Output, "bytes left out") {
		t.Errorf("%d bytes, kept %d, %v, %q", r.Total, len(r.Output), r.OverLimit, r.Notes)
	}
	if live.n != r.Total {
		t.Errorf("shown %d of %d bytes", live.n, r.Total)
	}
}

type counter struct{ n int64 }

func (c *counter) Write(b []byte) (int, error) { c.n += int64(len(b)); return len(b), nil }

// Much output costs no memory: what is kept is bounded.
func TestCommandMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := run(t, Command{Shell: "head -c 100000000 /dev/zero | tr '\\0' x"})
	runtime.ReadMemStats(&after)
	if r.Total != 100000000 || !r.Ok() {
		t.Fatalf("%d bytes, %+v", r.Total, r.Notes)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("%d bytes were allocated for 100 MB of output", used)
	}
}

type failing struct{ n int }

func (f *failing) Write(b []byte) (int, error) { f.n++; return 0, io.ErrClosedPipe }

func TestCommandWatcherGoes(t *testing.T) {
	f := &failing{}
	r := run(t, Command{Shell: "for i in 1 2 3 4 5; do echo $i; done", Output: f})
	if r.Output != "1\n2\n3\n4\n5\n" || f.n != 1 {
		t.Errorf("%q, %d writes", r.Output, f.n)
	}
}

// A watcher that never returns does not keep the command from ending.
func TestCommandWatcherHangs(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	p, err := Command{Shell: "echo x; sleep 100", Dir: t.TempDir(), Output: writerFunc(func(b []byte) (int, error) { <-hang; return len(b), nil })}.Start()
	if err != nil {
		t.Fatal(err)
	}
	p.Stop()
	if r := ended(t, p); !r.Cancelled {
		t.Errorf("%+v", r)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// Whatever is written in whatever pieces, head and tail are its begin and end.
func TestOutput(t *testing.T) {
	var all []byte
	for i := range 5000 {
		all = append(all, byte('a'+i%26))
	}
	for _, piece := range []int{1, 3, 7, 64, 100, 999, 5000} {
		for _, sizes := range [][2]int{{10, 20}, {0, 7}, {100, 100}, {3000, 3000}, {5000, 1}} {
			o := newOutput(sizes[0], sizes[1], 1<<30, nil)
			for i := 0; i < len(all); i += piece {
				o.Write(all[i:min(len(all), i+piece)])
			}
			head, tail := min(sizes[0], len(all)), min(sizes[1], max(0, len(all)-sizes[0]))
			want := string(all)
			if missing := len(all) - head - tail; missing > 0 {
				want = string(all[:head])
				if head > 0 {
					want += gap(int64(missing))
				}
				want += string(all[len(all)-tail:])
			}
			got, missed, total := o.since(0)
			if head > 0 && missed != 0 || string(got) != want || total != int64(len(all)) {
				t.Fatalf("pieces of %d, keep %v: %d missed, got %q", piece, sizes, missed, got)
			}
			at := int64(len(all) - 4)
			rest, missed, _ := o.since(at)
			if kept := min(4, head+tail); int64(len(rest))+missed != 4 || sizes[1] >= 4 && string(rest) != string(all[at:]) {
				t.Fatalf("the last 4 with %v: %q, %d missed, %d kept", sizes, rest, missed, kept)
			}
		}
	}
}

// forge is killed: its command dies too, though nothing could be done for it.
func TestCommandDiesWithUs(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("on Linux only")
	}
	if os.Getenv("SANDBOX_TEST_PARENT") != "" {
		p, err := Command{Shell: "echo $$; exec sleep 100", Dir: "/", Output: os.Stdout}.Start()
		if err != nil {
			t.Fatal(err)
		}
		<-p.Done()
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=TestCommandDiesWithUs$")
	cmd.Env = append(os.Environ(), "SANDBOX_TEST_PARENT=1")
	out := newLines()
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := out.pid(t)
	if !alive(pid) {
		t.Fatal("the child is not there")
	}
	cmd.Process.Kill()
	cmd.Wait()
	dead(t, pid)
}

// A command that is given more time runs past its limit, and the limit it is ended by
// is told.
func TestExtend(t *testing.T) {
	gate := t.TempDir() + "/go"
	p, err := Command{Shell: "until [ -e '" + gate + "' ]; do sleep 0.02; done; echo there", Dir: t.TempDir(), Timeout: time.Hour}.Start()
	if err != nil {
		t.Fatal(err)
	}
	p.Extend(time.Hour)
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if r := p.Result(); !r.Ok() || r.Limit != 2*time.Hour {
		t.Errorf("%+v", r)
	}
	p, err = Command{Shell: "sleep 600", Dir: t.TempDir(), Timeout: time.Hour}.Start()
	if err != nil {
		t.Fatal(err)
	}
	p.Extend(time.Millisecond - time.Hour) // the clock that runs is set anew
	<-p.Done()
	if r := p.Result(); !r.TimedOut || r.Limit != time.Millisecond {
		t.Errorf("%+v", r)
	}
}
