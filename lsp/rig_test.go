package lsp

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"forge/tools"
)

// A bench is a workspace with a Manager of one fake server.
type bench struct {
	t   *testing.T
	dir string
	m   *Manager

	waited atomic.Value // what an edit waited for, where it took a while
}

func newBench(t *testing.T, mode string, change ...func(*Options)) *bench {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Root: dir, Consent: true, Version: "test",
		Servers: []Server{{Name: "fake", Command: self, Files: []string{"*.fk"}, Env: map[string]string{"FAKE_LSP": mode, "FORGE_TEST": dir}, WaitMS: 10_000,
			Settings: []byte(`{"fake":{"words":["a"]}}`)}},
		Resolve: func(p string) (string, error) {
			if filepath.IsAbs(p) {
				return p, nil
			}
			return filepath.Join(dir, p), nil
		}}
	for _, c := range change {
		c(&o)
	}
	b := &bench{t: t, dir: dir, m: New(o)}
	t.Cleanup(func() {
		b.m.Close()
		noneLeft(t, dir)
	})
	return b
}

// noneLeft fails for a process of the test's servers that is still there.
func noneLeft(t *testing.T, dir string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return
	}
	var left []string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if left = running(t, dir); len(left) == 0 {
			return
		}
	}
	t.Errorf("left running: %v", left)
}

// running are the processes of the test's servers that are there now.
func running(t *testing.T, dir string) (pids []string) {
	t.Helper()
	names, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if pid, err := strconv.Atoi(n.Name()); err == nil && pid != os.Getpid() {
			if env, err := os.ReadFile("/proc/" + n.Name() + "/environ"); err == nil && strings.Contains(string(env), "FORGE_TEST="+dir+"\x00") {
				pids = append(pids, n.Name())
			}
		}
	}
	return pids
}

// put writes a file as no call does.
func (b *bench) put(name, text string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// edit is a call that changes a file, and what is told of it.
func (b *bench) edit(name, text string) (string, []tools.Found) {
	b.t.Helper()
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(b.dir, name)
	}
	c := tools.Change{Path: name, Op: tools.Create, After: []byte(text)}
	if before, err := os.ReadFile(path); err == nil {
		c.Op, c.Before = tools.Modify, before
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return b.m.Check(b.t.Context(), []tools.Change{c}, func(who string) { b.waited.Store(who) })
}

// told edits a file and compares what the model is told.
func (b *bench) told(name, text, want string) {
	b.t.Helper()
	if got, _ := b.edit(name, text); got != want {
		b.t.Errorf("%s with %q:\n got  %q\n want %q", name, text, got, want)
	}
}

// state is how the one server stands.
func (b *bench) state() Status {
	b.t.Helper()
	all := b.m.Status()
	if len(all) != 1 {
		b.t.Fatalf("servers: %+v", all)
	}
	return all[0]
}

// until waits for what another process or goroutine does.
func (b *bench) until(what string, ok func() bool) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	defer cancel()
	for !ok() {
		if ctx.Err() != nil {
			b.t.Fatalf("never: %s; %+v", what, b.m.Status())
		}
		time.Sleep(2 * time.Millisecond)
	}
}
