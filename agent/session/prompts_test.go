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

// Two forges in one folder do not take each other's drafts. What was left behind is found
// again, whoever left it, and one place is enough while one forge runs.
func TestDraftsAreClaimed(t *testing.T) {
	p := Prompts{Dir: t.TempDir(), Folder: "/here"}
	first, leaveFirst := p.Claim()
	if err := first.SaveDraft("the first"); err != nil {
		t.Fatal(err)
	}
	second, leaveSecond := p.Claim()
	if got := second.Draft(); got != "" {
		t.Errorf("a draft that is being written came up elsewhere: %q", got)
	}
	if err := second.SaveDraft("the second"); err != nil {
		t.Fatal(err)
	}
	leaveFirst()
	leaveSecond()
	again, leave := p.Claim()
	if got := again.Draft(); got != "the first" {
		t.Errorf("first %q", got)
	}
	if err := again.SaveDraft(""); err != nil {
		t.Fatal(err)
	}
	leave()
	other, leave := p.Claim()
	if got := other.Draft(); got != "the second" {
		t.Errorf("what the second left was not found: %q", got)
	}
	third, leaveThird := p.Claim()
	if third.draft() == other.draft() || third.Draft() != "" {
		t.Errorf("they share %s", third.draft())
	}
	leave()
	leaveThird()
	locks, _ := filepath.Glob(filepath.Join(p.Dir, "drafts", "*.lock"))
	if len(locks) != 2 {
		t.Errorf("%d places for two forges", len(locks))
	}
}
