//go:build unix

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// until reads lines of stream-json up to one for which ok holds.
func until(t *testing.T, lines *bufio.Scanner, ok func(line gjson.Result) bool) gjson.Result {
	t.Helper()
	for lines.Scan() {
		if line := gjson.ParseBytes(lines.Bytes()); ok(line) {
			return line
		}
	}
	t.Fatal("forge ended before it said what was waited for")
	return gjson.Result{}
}

// startLines starts a program and gives what it writes, line by line.
func startLines(t *testing.T, cmd *exec.Cmd) *bufio.Scanner {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return bufio.NewScanner(out)
}

// An interrupt ends the model's silence and a running command with all it
// started, is told as such, and leaves a conversation that goes on.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	span := spanOf("1000")
	for _, c := range []struct{ name, script, until string }{
		{"a silent model", "text wait\npause forever\nend\n", "text"},
		{"a command", `call run_bash {"command":"sleep ` + span + ` & echo begun; wait"}` + "\nend\n", "tool_output"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProgram(t)
			p.write(t, "wait.script", c.script)
			cmd := p.command("-p", "begin", "-C", ".", "--demo=wait.script", "--yolo", "--output-format", "stream-json")
			var errOut bytes.Buffer
			cmd.Stderr = &errOut
			lines := startLines(t, cmd)
			until(t, lines, func(l gjson.Result) bool { return l.Get("type").String() == c.until })
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			result := until(t, lines, func(l gjson.Result) bool { return l.Get("type").String() == "result" })
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 130 || result.Get("exit_code").Int() != 130 || result.Get("error.kind").String() != "interrupted" {
				t.Errorf("exit %d, %s", code, result)
			}
			if errOut.String() != "forge: interrupted; forge -c goes on\n" {
				t.Errorf("stderr %q", errOut.String())
			}
			if alive(t, span) {
				t.Error("what the command started is still there")
			}
			p.write(t, "go.script", "expect user and now?\ntext goes on\nend\nexpect user and now?\ntext goes on\nend\n")
			text, errText, code := p.run(t, "-c", "-p", "and now?", "-C", ".", "--demo=go.script")
			if text != "goes on\n" || errText != "" || code != 0 {
				t.Errorf("afterwards: exit %d, %q, %q", code, text, errText)
			}
		})
	}
}

// An impatient second interrupt leaves nothing behind that the first would end.
func TestInterruptTwice(t *testing.T) {
	t.Parallel()
	p, span := newProgram(t), spanOf("0.1")
	p.write(t, "deaf.script", `call run_bash {"command":"trap 'echo heard >heard' INT; trap '' TERM; mkfifo heard; echo begun; while :; do sleep `+span+`; done"}`+"\nend\n")
	cmd := p.command("-p", "begin", "-C", ".", "--demo=deaf.script", "--yolo", "--output-format", "stream-json")
	lines := startLines(t, cmd)
	until(t, lines, func(l gjson.Result) bool { return l.Get("type").String() == "tool_output" })
	// Opened to write as well, a pipe keeps neither side waiting. On a machine under
	// load the command may be killed before it says a word: then the second interrupt
	// comes late, which must do no harm either.
	heard, err := os.OpenFile(filepath.Join(p.dir, "heard"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer heard.Close()
	if err := heard.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _, err := heard.Read(make([]byte, 6)); err != nil { // the first interrupt went through
		t.Log(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	until(t, lines, func(l gjson.Result) bool { return l.Get("type").String() == "result" })
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit %d", code)
	}
	if alive(t, span) {
		t.Error("the command is still there")
	}
}

// Whoever waits for a pipe that says nothing is heard too.
func TestInterruptWhileReadingStdin(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	cmd := p.command("-p", "read this", "--demo")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	// More than a pipe holds: once it is taken, forge reads, and so listens.
	if _, err := stdin.Write(bytes.Repeat([]byte("x"), 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit %d, %q", code, errOut.String())
	}
}

// Without a network the first failure is told at once, with what is tried next.
func TestNoNetwork(t *testing.T) {
	t.Parallel()
	// A name too long to be one is never looked up: the answer is that of a machine
	// without a network, and no packet leaves this one.
	host := strings.Repeat("far", 22) + ".test"
	p := newProgram(t, "GODEBUG=netdns=go", "OPENAI_API_KEY=sk-x", "OPENAI_BASE_URL=http://"+host+"/v1")
	cmd := p.command("-p", "hello", "-m", "openai/m", "--output-format", "stream-json")
	lines := startLines(t, cmd)
	retry := until(t, lines, func(l gjson.Result) bool { return l.Get("type").String() == "retry" })
	if retry.Get("error").String() != "model server: no such host: "+host+" (network)" || retry.Get("attempt").Int() != 1 || retry.Get("attempts").Int() != 6 {
		t.Errorf("%s", retry)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	until(t, lines, func(l gjson.Result) bool { return l.Get("type").String() == "result" })
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(p.sessions(t), "hello") {
		t.Errorf("exit %d", code)
	}
}

var marks atomic.Int64

// spanOf makes a span for sleep that no other process has: a process ID means
// nothing outside of the namespace a sandbox gave a command.
func spanOf(span string) string {
	whole, part, _ := strings.Cut(span, ".")
	return fmt.Sprintf("%s.%s%07d%03d", whole, part, os.Getpid(), marks.Add(1))
}

// alive reports whether a process has the mark among its arguments.
func alive(t *testing.T, mark string) bool {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(found) == 0 { // no Linux
		out, err := exec.Command("ps", "-axww", "-o", "args=").Output()
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Contains(out, []byte(mark))
	}
	for _, file := range found { // of one that has ended and waits to be counted it is empty
		if line, err := os.ReadFile(file); err == nil && bytes.Contains(line, []byte(mark)) {
			return true
		}
	}
	return false
}
