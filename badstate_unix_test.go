//go:build unix

package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"forge/agent/session"
	"forge/provider"
	"forge/provider/demo"
)

// answering is a model server that says hello whatever is said, and the flags that
// name it.
func answering(t *testing.T) []string {
	t.Helper()
	s, err := demo.Parse(strings.NewReader("loop\ntext hello\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(demo.Serve(s, demo.Options{}))
	t.Cleanup(server.Close)
	return []string{"--wire", "openai", "--base-url", server.URL + "/v1", "-m", "m"}
}

// A disk that takes no more: the answer comes, both lines say what is missing, and so
// does the exit code; once there is room again, the conversation goes on where the
// disk has it.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	model := answering(t)
	if out, errOut, code := p.run(t, append(model, "-p", "first")...); out != "hello\n" || errOut != "" || code != 0 {
		t.Fatalf("exit %d, %q, %q", code, out, errOut)
	}
	long := strings.Repeat("word ", 2000)
	for _, where := range []string{"-c", "--json"} { // in a file that is there, and in none yet
		c := p.command("-c", `ulimit -f 4 && exec "$0" "$@"`, "forge")
		c.Path, c.Err = "/bin/sh", nil
		c.Args = append(append(c.Args, model...), where, "-p", long)
		var out, errOut bytes.Buffer
		c.Stdout, c.Stderr = &out, &errOut
		err := c.Run()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(out.String(), "hello") {
			t.Fatalf("%s: %v, %q, %q", where, err, out.String(), errOut.String())
		}
		for _, want := range []string{"forge: not saved: ", "forge: the conversation is not wholly on disk: "} {
			if n := strings.Count(errOut.String(), want); n != 1 {
				t.Errorf("%s: %q stands %d times in %q", where, want, n, errOut.String())
			}
		}
		if where == "--json" && !strings.Contains(out.String(), `"ok":false,"exit_code":1,"text":"hello"`) {
			t.Errorf("%s", out.String())
		}
	}
	if out, errOut, code := p.run(t, append(model, "-c", "-p", "again")...); out != "hello\n" || code != 0 {
		t.Fatalf("exit %d, %q, %q", code, out, errOut)
	}
	out, errOut, code := p.run(t, "sessions", "search", "--exact", "again")
	if code != 0 || !strings.Contains(out, "again") {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
}

// A state folder that may not be written: a new conversation goes on in memory, and
// so does one that lies there.
func TestReadOnlyState(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	model := answering(t)
	person := p.unprivileged(t)
	if out, errOut, code := person(append(model, "-p", "first")...); out != "hello\n" || errOut != "" || code != 0 {
		t.Fatalf("exit %d, %q, %q", code, out, errOut)
	}
	kept := p.kept(t)
	before, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{kept: 0o400, filepath.Dir(kept): 0o500} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Dir(kept), 0o700) })
	for _, args := range [][]string{{"-p", "second"}, {"-c", "-p", "second"}} {
		out, errOut, code := person(append(model, args...)...)
		if out != "hello\n" || code != 1 || strings.Count(errOut, "the conversation is not wholly on disk: ") != 1 {
			t.Errorf("%v: exit %d, %q, %q", args, code, out, errOut)
		}
	}
	if out, errOut, code := person(append(model, "--no-session", "-p", "third")...); out != "hello\n" || errOut != "" || code != 0 {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	if after, err := os.ReadFile(kept); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed: %v", err)
	}
}

// A line of 100 MB in a session is passed over: what stands around it is the
// conversation, which goes on in the same file.
func TestHugeLine(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	model := answering(t)
	kept := p.begun(t, model)
	f, err := os.OpenFile(kept, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	part := bytes.Repeat([]byte("x"), 1<<20)
	_, err = f.WriteString(`{"seq":90,"type":"message","message":{"role":"user","blocks":[{"type":"text","text":"`)
	for range 100 {
		_, werr := f.Write(part)
		err = errors.Join(err, werr)
	}
	_, werr := f.WriteString("\"}]}}\n")
	if err := errors.Join(err, werr, f.Close()); err != nil {
		t.Fatal(err)
	}
	if out, errOut, code := p.run(t, append(model, "-c", "-p", "second")...); out != "hello\n" || code != 0 ||
		strings.Count(errOut, "\n") != 1 || !strings.Contains(errOut, "a part of this conversation cannot be read and is left out (lines that are damaged or too long: 1)") {
		t.Fatalf("exit %d, %q, %q", code, out, errOut)
	}
	s, rs, err := session.Open(kept)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var said []string
	for _, m := range session.Messages(rs) {
		for _, b := range m.Blocks {
			if b, ok := b.(provider.Text); ok {
				said = append(said, b.Text)
			}
		}
	}
	if got := strings.Join(said, "|"); got != "first|hello|second|hello" {
		t.Errorf("%.200q", got)
	}
}

// A conversation another forge works in is gone on with in a copy, and what is under
// way there was not cut off: the copy does not do it once more.
func TestCopyOfWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	model := answering(t)
	kept := p.begun(t, model)
	s, _, err := session.Open(kept)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ask := provider.UserText("work for an hour")
	for _, r := range []session.Record{{Message: &ask}, {Queue: &session.Queue{Prompts: []string{"and then this"}}}} {
		if err := s.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	out, errOut, code := p.run(t, append(model, "-c", "-p", "what is it doing?")...)
	if out != "hello\n" || errOut != "forge: going on in a copy of that conversation: another forge has it open\n" || code != 0 {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
	id := strings.TrimSuffix(filepath.Base(kept), ".jsonl")
	if out, errOut, code := p.run(t, append(model, "--resume="+id, "-p", "")...); out != "" || code != 2 || strings.Contains(errOut, "cut off") {
		t.Errorf("exit %d, %q, %q", code, out, errOut)
	}
}

// A forge that was killed while it wrote a file leaves nothing of it beside the file
// once the conversation is gone on with.
func TestHalfAFileIsSwept(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	model := answering(t)
	kept := p.begun(t, model)
	s, rs, err := session.Open(kept)
	if err != nil {
		t.Fatal(err)
	}
	dir := s.Header().Cwd
	call := provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.ToolUse{ID: "w1", Name: "write_file", Input: `{"path":"a.txt","content":"x"}`}}}
	prompt := provider.UserText("write it")
	for _, m := range []*provider.Message{&prompt, &call} {
		if err := s.Append(session.Record{Message: m}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil || len(rs) == 0 {
		t.Fatal(err)
	}
	half := filepath.Join(dir, ".forge-"+rand.Text()+".tmp")
	if err := os.WriteFile(half, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Minute)
	if err := os.Chtimes(half, past, past); err != nil {
		t.Fatal(err)
	}
	if out, errOut, code := p.run(t, append(model, "-c", "-p", "")...); out != "hello\n" || code != 0 {
		t.Fatalf("exit %d, %q, %q", code, out, errOut)
	}
	if _, err := os.Lstat(half); err == nil {
		t.Error("half a file lies there still")
	}
}

// The temporary folder of a forge that was killed goes with the next one, with a screen
// or without.
func TestTemporaryFoldersAreSwept(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	left := filepath.Join(temp, "forge-tmp-17")
	leave := func() {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(left, "in"), 0o700); err != nil {
			t.Fatal(err)
		}
		past := time.Now().AddDate(0, -1, 0)
		if err := os.Chtimes(left, past, past); err != nil {
			t.Fatal(err)
		}
	}
	leave()
	p := newProgram(t, "TMPDIR="+temp)
	if out, errOut, code := p.run(t, append(answering(t), "-p", "first")...); out != "hello\n" || errOut != "" || code != 0 {
		t.Fatalf("exit %d, %q, %q", code, out, errOut)
	}
	if _, err := os.Lstat(left); err == nil {
		t.Error("it lies there after a run without a screen")
	}
	leave()
	s := openTerminal(t, 80, 24, t.TempDir(), []string{"TMPDIR=" + temp}, "--demo")
	s.see("ask for something")
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Lstat(left); err != nil {
			break
		}
		if time.Now().After(end) {
			t.Error("it lies there while there is a screen")
			break
		}
	}
	s.send("\x04")
	s.wait()
	if names, err := os.ReadDir(temp); err != nil || len(names) > 0 {
		t.Errorf("left in the end: %v %v", names, err)
	}
}
