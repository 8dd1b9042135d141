//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The setting sessions.keep deletes a conversation that was not used for that long
// when forge starts, but not the one that is gone on with; without it none goes.
func TestKeepSessions(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	model := answering(t)
	past := time.Now().AddDate(0, 0, -8)
	for range 2 {
		if out, errOut, code := p.run(t, append(model, "-p", "first")...); out != "hello\n" || errOut != "" || code != 0 {
			t.Fatalf("exit %d, %q, %q", code, out, errOut)
		}
	}
	kept := func() []string {
		files, err := filepath.Glob(filepath.Join(p.home, "state", "forge", "sessions", "*.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	old := kept()
	if len(old) != 2 {
		t.Fatal(old)
	}
	age := func() {
		for _, f := range old {
			if err := os.Chtimes(f, past, past); err != nil {
				t.Fatal(err)
			}
		}
	}
	resume := append(model, "--resume="+filepath.Base(old[1][:len(old[1])-len(".jsonl")]), "-p", "more")
	age()
	if _, errOut, code := p.run(t, resume...); code != 0 || len(kept()) != 2 {
		t.Fatalf("exit %d, %q, %q", code, errOut, kept())
	}
	age()
	p.write(t, p.settings(), `{"sessions": {"keep": 7}}`)
	if _, errOut, code := p.run(t, resume...); code != 0 || errOut != "" {
		t.Fatalf("exit %d, %q", code, errOut)
	}
	if now := kept(); len(now) != 1 || now[0] != old[1] {
		t.Errorf("%q are there of %q", now, old)
	}
}
