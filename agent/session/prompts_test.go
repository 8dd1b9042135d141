package session

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestPromptsAreKept(t *testing.T) {
	p := Prompts{Dir: filepath.Join(t.TempDir(), "a", "b")}
	if p.History() != nil || p.Draft() != "" {
		t.Fatal("something before anything was kept")
	}
	want := []string{"one", "two\nlines", "三"}
	for _, s := range want {
		if err := p.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	f, _ := os.OpenFile(p.history(), os.O_APPEND|os.O_WRONLY, 0)
	f.WriteString("{torn")
	f.Close()
	if got := p.History(); !reflect.DeepEqual(got, want) {
		t.Errorf("history %q", got)
	}
	for _, s := range []string{"half a tho", "", "ught"} {
		if err := p.SaveDraft(s); err != nil {
			t.Fatal(err)
		}
		if got := p.Draft(); got != s {
			t.Errorf("draft %q, want %q", got, s)
		}
	}
	for _, name := range []string{p.history(), p.draft()} {
		if fi, err := os.Stat(name); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, fi.Mode(), err)
		}
	}
	left, _ := filepath.Glob(filepath.Join(p.Dir, "draft-*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
