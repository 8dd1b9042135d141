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
	other := Prompts{Dir: p.Dir, Folder: "/elsewhere"}
	if got := other.Draft(); got != "" {
		t.Errorf("the draft of one folder, %q, came up in another", got)
	}
	if got := other.History(); len(got) != len(want) {
		t.Errorf("history elsewhere %q", got)
	}
	for _, name := range []string{p.history(), p.draft()} {
		if fi, err := os.Stat(name); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, fi.Mode(), err)
		}
	}
	left, _ := filepath.Glob(filepath.Join(p.Dir, "drafts", "*"))
	if len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}
