//go:build unix

package main

import (
	"os"
	"path/filepath"
	"slices"
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
	for range 3 { // the last one is fresh: age counts from the newest
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
	all := kept()
	if len(all) != 3 {
		t.Fatal(all)
	}
	// Those of one second are in no order.
	at := func(path string) time.Time {
		fi, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return fi.ModTime()
	}
	slices.SortFunc(all, func(a, b string) int { return at(a).Compare(at(b)) })
	old, fresh := all[:2], all[2]
	age := func() {
		for _, f := range old {
			if err := os.Chtimes(f, past, past); err != nil {
				t.Fatal(err)
			}
		}
	}
	resume := append(model, "--resume="+filepath.Base(old[1][:len(old[1])-len(".jsonl")]), "-p", "more")
	age()
	if _, errOut, code := p.run(t, resume...); code != 0 || len(kept()) != 3 {
		t.Fatalf("exit %d, %q, %q", code, errOut, kept())
	}
	age()
	p.write(t, p.settings(), `{"sessions": {"keep": 7}}`)
	if _, errOut, code := p.run(t, resume...); code != 0 || errOut != "" {
		t.Fatalf("exit %d, %q", code, errOut)
	}
	if now := kept(); len(now) != 2 || !slices.Contains(now, old[1]) || !slices.Contains(now, fresh) {
		t.Errorf("%q are there of %q", now, all)
	}
}
