//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// heardLines hands on what a command writes.
type heardLines struct {
	mu   sync.Mutex
	text string
	came chan struct{}
}

func (h *heardLines) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text += string(p)
	select {
	case h.came <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (h *heardLines) String() string { h.mu.Lock(); defer h.mu.Unlock(); return h.text }

// A command that listens is asked to end before it is killed, and its last words count.
func TestDictate(t *testing.T) {
	t.Setenv("HOME", t.TempDir()) // it runs there, and the tests may have none
	out := &heardLines{came: make(chan struct{}, 1)}
	listening, _, stop := listen() // else a child would ignore what this process was started to ignore
	defer stop()
	ctx, cancel := context.WithCancel(listening)
	defer cancel()
	ended := make(chan error)
	go func() {
		ended <- dictate(ctx, []string{"sh", "-c", `trap 'echo the end; exit 0' INT; echo begin; sleep 600 & wait`}, os.Environ(), nil, out)
	}()
	for !strings.Contains(out.String(), "begin") {
		select {
		case <-out.came:
		case err := <-ended:
			t.Fatalf("it ended at once: %v", err)
		}
	}
	cancel()
	if err := <-ended; err != nil || out.String() != "begin\nthe end\n" {
		t.Errorf("%v: %q", err, out.String())
	}
}

func TestDictateFails(t *testing.T) {
	for _, test := range []struct {
		command []string
		want    string
	}{
		{[]string{"sh", "-c", "echo loading >&2; echo no microphone >&2; exit 3"}, "no microphone"},
		{[]string{"sh", "-c", "exit 3"}, "exit status 3"},
		{[]string{"sh", "-c", "kill -9 $$"}, "it was ended"},
		{[]string{"./listen"}, "write the whole path"},
		{[]string{"forge-no-such-listener"}, "forge-no-such-listener"},
		{[]string{"true"}, ""},
	} {
		err := dictate(context.Background(), test.command, os.Environ(), nil, &heardLines{came: make(chan struct{}, 1)})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v", test.command, err)
		}
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	if err := writeFile(filepath.Join(home, "listen"), []byte("#!/bin/sh\npwd\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	out := &heardLines{came: make(chan struct{}, 1)}
	if err := dictate(context.Background(), []string{"~/listen"}, os.Environ(), nil, out); err != nil || !strings.Contains(out.String(), filepath.Base(home)) {
		t.Errorf("%v: %q", err, out.String())
	}
}
