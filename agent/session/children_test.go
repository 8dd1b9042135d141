package session

import (
	"os"
	"path/filepath"
	"testing"

	"forge/provider"
)

// The sessions of agents go with the one that started them, on every floor, and
// nothing else does.
func TestChildrenGoWithTheirParent(t *testing.T) {
	dir := t.TempDir()
	say := func(s *Session, err error) *Session {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		m := provider.UserText("hello")
		if err := s.Append(Record{Message: &m}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	parent := say(Create(dir, "/w", ""))
	child := say(parent.CreateChild("explore", "c1"))
	grand := say(child.CreateChild("general", "c2"))
	if h := grand.Header(); h.Parent != child.ID() || h.Agent != "general" || h.Call != "c2" || h.Cwd != "/w" {
		t.Errorf("%+v", h)
	}
	for _, s := range []*Session{grand, child, parent} {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	stays := filepath.Join(dir, "mine.txt")
	if err := os.WriteFile(stays, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if list, err := List(dir); err != nil || len(list) != 1 || list[0].ID != parent.ID() {
		t.Errorf("listed %+v, %v", list, err)
	}
	if err := Remove(parent.Path()); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "mine.txt" {
		t.Errorf("left %v, %v", left, err)
	}
}
