//go:build unix

package builtin

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"forge/tools"
)

const patience = 20 * time.Second

// times takes the clock's figures out of a text.
var times = regexp.MustCompile(`[0-9.]+ (ms|s)\b`)

func (r *rig) bash(args o) tools.Result {
	r.Helper()
	res := r.must("run_bash", args)
	res.Text = times.ReplaceAllString(res.Text, "T")
	return res
}

func TestBash(t *testing.T) {
	r := newRig(t, map[string]string{"sub/f": "hello\n"})
	for _, c := range []struct {
		name string
		args o
		text string
		bad  bool
	}{
		{"works", o{"command": "cat sub/f; pwd", "description": "look"}, "hello\n" + r.dir + "\n[exit code 0, T]\n", false},
		{"cd does not last", o{"command": "cd sub && ls"}, "f\n[exit code 0, T]\n", false},
		{"fails", o{"command": "echo out; echo err >&2; exit 3"}, "out\nerr\n[exit code 3, T]\n", true},
		{"says nothing", o{"command": "true"}, "(no output)\n[exit code 0, T]\n", false},
		{"no newline", o{"command": "printf x"}, "x\n[exit code 0, T]\n", false},
		{"colours", o{"command": `printf '\033[1;31mred\033[0m\n'`}, "red\n[exit code 0, T]\n", false},
		{"bytes", o{"command": `printf 'ELF\0\001'`}, "(binary output; it begins with 45 4c 46 00 01)\n[exit code 0, T]\n", false},
		{"no text", o{"command": `printf '\377\376\0ELF'`}, "(binary output; it begins with ff fe 00 45 4c 46)\n[exit code 0, T]\n", false},
		{"signal", o{"command": "kill -TERM $$"}, "(no output)\n[ended by signal: terminated, T]\n", true},
		{"no input", o{"command": "read x || echo nothing"}, "nothing\n[exit code 0, T]\n", false},
	} {
		if res := r.bash(c.args); res.Text != c.text || res.IsError != c.bad {
			t.Errorf("%s: %q", c.name, res.Text)
		}
	}
	inv, err := r.prepare("run_bash", o{"command": "go test ./...\n# more\necho\n"})
	if err != nil {
		t.Fatal(err)
	}
	if e := inv.Effect; e.Kind != tools.Exec || e.Title != "run go test ./... …" || e.Dir != r.dir || e.Command != "go test ./...\n# more\necho\n" {
		t.Errorf("%+v", e)
	}
	for _, bad := range []o{{"command": " "}, {"command": "x", "timeout": 601}, {"command": "x", "timeout": -1}, {"command": "a\x00b"}, {}} {
		if _, err := r.prepare("run_bash", bad); err == nil {
			t.Errorf("%v was prepared", bad)
		}
	}
}

func TestBashRefuses(t *testing.T) {
	r := newRig(t, nil)
	r.fails("run_bash", o{"command": "echo " + strings.Repeat("x", maxCommand)}, "run_bash: command is 131.1 kB long, at most 131.1 kB work; write it to a file")
	if res := r.bash(o{"command": ": " + strings.Repeat("x", maxCommand-2)}); res.IsError {
		t.Errorf("the longest command: %s", res.Text)
	}
}

func TestBashTimeout(t *testing.T) {
	r := newRig(t, nil)
	res := r.bash(o{"command": "echo begun; sleep 100", "timeout": 1})
	if !res.IsError || !strings.HasPrefix(res.Text, "begun\n[timed out after T and was ended") {
		t.Errorf("%q", res.Text)
	}
}

// gate waits for a first line of output.
type gate struct {
	mu   sync.Mutex
	buf  bytes.Buffer
	once sync.Once
	line chan string
}

func newGate() *gate { return &gate{line: make(chan string, 1)} }

func (g *gate) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.buf.Write(b)
	if i := bytes.IndexByte(g.buf.Bytes(), '\n'); i >= 0 {
		g.once.Do(func() { g.line <- string(g.buf.Bytes()[:i]) })
	}
	return len(b), nil
}

// The output is shown while the command runs; cancelling ends it and keeps what
// it said.
func TestBashCancel(t *testing.T) {
	r := newRig(t, nil)
	inv, err := r.prepare("run_bash", o{"command": "echo $$; sleep 100"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	g := newGate()
	done := make(chan tools.Result, 1)
	go func() {
		res, err := inv.Run(ctx, inv.Effect, g)
		if err != nil {
			t.Error(err)
		}
		done <- res
	}()
	pid := number(t, <-g.line)
	cancel()
	res := <-done
	if !res.IsError || !strings.HasPrefix(res.Text, strconv.Itoa(pid)+"\n[cancelled by the user") {
		t.Errorf("%q", res.Text)
	}
	gone(t, pid)
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// gone waits for a process to end.
func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(patience / 4); ; time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if syscall.Kill(pid, 0) != nil || err == nil && bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		if time.Now().After(end) {
			syscall.Kill(pid, syscall.SIGKILL)
			t.Errorf("process %d lives", pid)
			return
		}
	}
}

// Long output shows its begin and its end, and the whole stands in a file.
func TestBashLongOutput(t *testing.T) {
	r := newRig(t, nil)
	r.env.OutDir = filepath.Join(t.TempDir(), "out")
	res := r.bash(o{"command": "seq 1 20000"})
	if len(res.Text) > 46<<10 || !strings.HasPrefix(res.Text, "1\n2\n3\n") || !strings.Contains(res.Text, "bytes left out") || !strings.Contains(res.Text, "\n19999\n20000\n[exit code 0") {
		t.Errorf("%d bytes: %.200s", len(res.Text), res.Text)
	}
	m := regexp.MustCompile(`\[the whole output, 108.9 kB, is in (.*)\]`).FindStringSubmatch(res.Text)
	if m == nil {
		t.Fatal(res.Text[len(res.Text)-200:])
	}
	whole, err := os.ReadFile(m[1])
	if err != nil || bytes.Count(whole, []byte("\n")) != 20000 || !bytes.HasSuffix(whole, []byte("\n20000\n")) {
		t.Errorf("%d bytes, %v", len(whole), err)
	}
	if fi, _ := os.Stat(m[1]); fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", fi.Mode())
	}
	if res := r.bash(o{"command": "echo short"}); strings.Contains(res.Text, "whole output") {
		t.Error(res.Text)
	}
	res = r.bash(o{"command": "yes | head -c 40000000"})
	m = regexp.MustCompile(`\[the first 33.6 MB of its 40.0 MB of output are in (.*)\]`).FindStringSubmatch(res.Text)
	if m == nil {
		t.Fatal(res.Text[len(res.Text)-200:])
	}
	if fi, err := os.Stat(m[1]); err != nil || fi.Size() != maxSpill {
		t.Errorf("%v, %v", fi, err)
	}
	if es, _ := os.ReadDir(r.env.OutDir); len(es) != 2 {
		t.Errorf("%d files are kept", len(es))
	}
}

var jobID = regexp.MustCompile(`job\d+`)

func TestJobs(t *testing.T) {
	r := newRig(t, nil)
	defer r.env.Jobs.Close()
	fifo := filepath.Join(r.dir, "go")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip("no pipes with names here: ", err)
	}
	res := r.must("run_bash", o{"command": "echo first; read x <go; echo $x; exit 4", "background": true})
	id := jobID.FindString(res.Text)
	if id != "job1" || res.IsError {
		t.Fatal(res.Text)
	}
	if l := r.env.Jobs.List(); len(l) != 1 || !l[0].Running || l[0].Status != "running" || l[0].ID != id || l[0].Command == "" {
		t.Errorf("%+v", l)
	}
	read := func(wait int) string {
		return times.ReplaceAllString(r.must("job_output", o{"id": id, "wait": wait}).Text, "T")
	}
	got := read(0)
	for end := time.Now().Add(patience); !strings.Contains(got, "first") && time.Now().Before(end); {
		got = read(0)
	}
	if got != "first\n[job1: running, T]\n" {
		t.Errorf("%q", got)
	}
	if got := read(0); got != "(no new output)\n[job1: running, T]\n" {
		t.Errorf("%q", got)
	}
	if err := os.WriteFile(fifo, []byte("second\n"), 0); err != nil {
		t.Fatal(err)
	}
	if got := read(20); got != "second\n[job1: exit code 4, T]\n" {
		t.Errorf("%q", got)
	}
	if got := read(20); got != "(no more output)\n[job1: exit code 4, T]\n" {
		t.Errorf("%q", got)
	}
	if _, err := r.prepare("job_output", o{"id": "job7"}); err == nil || !strings.Contains(err.Error(), "job1") {
		t.Errorf("%v", err)
	}
	inv, err := r.prepare("job_kill", o{"id": id})
	if err != nil || inv.Effect.Kind != tools.Internal {
		t.Errorf("%+v, %v", inv, err)
	}
}

func TestJobKill(t *testing.T) {
	r := newRig(t, nil)
	defer r.env.Jobs.Close()
	r.must("run_bash", o{"command": "sleep 100 & echo $!; wait", "background": true})
	var text string
	for end := time.Now().Add(patience); !strings.Contains(text, "\n[job1") || strings.HasPrefix(text, "("); {
		if text = r.must("job_output", o{"id": "job1"}).Text; time.Now().After(end) {
			t.Fatal(text)
		}
	}
	pid := number(t, strings.SplitN(text, "\n", 2)[0])
	if got := times.ReplaceAllString(r.must("job_kill", o{"id": "job1"}).Text, "T"); got != "(no more output)\n[job1: killed, T]\n" {
		t.Errorf("%q", got)
	}
	gone(t, pid)
}

// Close ends the jobs, and what a foreground command left behind; then nothing
// can be started.
func TestJobsClose(t *testing.T) {
	r := newRig(t, nil)
	res := r.must("run_bash", o{"command": "sleep 100 & echo $!"})
	left := number(t, strings.SplitN(res.Text, "\n", 2)[0])
	if res.IsError || !strings.Contains(res.Text, "background: process "+strconv.Itoa(left)) && !strings.Contains(res.Text, "background") {
		t.Errorf("%q", res.Text)
	}
	res = r.must("run_bash", o{"command": "exec sleep 100", "background": true})
	job := number(t, regexp.MustCompile(`process (\d+)`).FindStringSubmatch(res.Text)[1])
	r.env.Jobs.Close()
	gone(t, left)
	gone(t, job)
	inv, err := r.prepare("run_bash", o{"command": "sleep 1", "background": true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inv.Run(t.Context(), inv.Effect, newGate()); err == nil {
		t.Error("a job was started after Close")
	}
}

func TestJobsAreBounded(t *testing.T) {
	r := newRig(t, nil)
	defer r.env.Jobs.Close()
	for range maxRunningJobs {
		if res := r.must("run_bash", o{"command": "sleep 100", "background": true}); res.IsError {
			t.Fatal(res.Text)
		}
	}
	inv, err := r.prepare("run_bash", o{"command": "sleep 100", "background": true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := inv.Run(t.Context(), inv.Effect, newGate()); err == nil || !strings.Contains(err.Error(), "job_kill") {
		t.Errorf("%v", err)
	}
}

// A job that writes without end is read from where it was left, and what was not
// kept is counted.
func TestJobMuchOutput(t *testing.T) {
	r := newRig(t, nil)
	defer r.env.Jobs.Close()
	r.must("run_bash", o{"command": "seq 1 300000", "background": true})
	res := r.must("job_output", o{"id": "job1", "wait": 20})
	if len(res.Text) > maxJobText+200 || !strings.HasPrefix(res.Text, "… (") || !strings.Contains(res.Text, "\n300000\n[job1: exit code 0") {
		t.Errorf("%d bytes: %.100s", len(res.Text), res.Text)
	}
	note, rest, _ := strings.Cut(res.Text, "\n")
	text, _, _ := strings.Cut(rest, "[job1:")
	if want := fmt.Sprintf("… (%d bytes left out) …", 1_988_895-len(text)); note != want {
		t.Errorf("%q, want %q", note, want)
	}
}

func TestBashTakesTheGuardsEnvironment(t *testing.T) {
	r := newRig(t, nil)
	inv, err := r.prepare("run_bash", o{"command": "echo $MARK; echo $HOME"})
	if err != nil {
		t.Fatal(err)
	}
	inv.Effect.Env = []string{"MARK=from the guard"}
	res, err := inv.Run(t.Context(), inv.Effect, io.Discard)
	if err != nil || !strings.HasPrefix(res.Text, "from the guard\n/") {
		t.Errorf("%q %v", res.Text, err)
	}
}
