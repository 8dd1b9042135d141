package session

import (
	"os"
	"strings"
	"testing"
	"time"
)

// A conversation belongs to the folder it was moved to last, however much was said since
// and though nobody closed it: forge may have been killed.
func TestMovedIsListedThere(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir, "/a", "dev")
	if err != nil {
		t.Fatal(err)
	}
	add := func(rs ...Record) {
		t.Helper()
		for _, r := range rs {
			if err := s.Append(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	where := func(want, branch string) {
		t.Helper()
		got, err := List(dir)
		if err != nil || len(got) != 1 || got[0].Cwd != want || got[0].Branch != branch || got[0].Title != "prompt" {
			t.Fatalf("%+v, %v, want it in %s", got, err, want)
		}
		if at := s.At(); at.Dir != want || at.Branch != branch {
			t.Fatalf("it says it is in %+v", at)
		}
	}
	add(Record{Message: user(text("prompt"))})
	where("/a", "dev")
	add(Record{Moved: &Moved{Dir: "/b", Branch: "main"}})
	where("/b", "main")
	for range 5 {
		add(Record{Message: assistant(text(strings.Repeat("word ", 20_000)))})
		where("/b", "main") // with no Close between
	}
	for range 200 {
		add(Record{Message: assistant(text("a little more of it, again and again and once more"))})
	}
	where("/b", "main")
	child, err := s.CreateChild("explore", "call")
	if err != nil || child.Header().Cwd != "/b" {
		t.Errorf("%+v %v", child.Header(), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	back, rs, err := Open(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	s = back
	where("/b", "main")
	add(Record{Moved: &Moved{Dir: "/c"}})
	where("/c", "")
	if _, err := Latest(dir, "/a"); err == nil {
		t.Error("the folder it began in still has it")
	}
	if _, err := Latest(dir, "/c"); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	last := 0
	for _, r := range rs {
		if r.Seq <= last {
			t.Errorf("record %d comes after %d", r.Seq, last)
		}
		last = r.Seq
	}

	// A copy of its records belongs there as well, however long they are.
	copied, err := Fork(t.TempDir(), "/a", "dev", rs)
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if info, err := describe(copied.Path()); err != nil || info.Cwd != "/b" {
		t.Errorf("%+v %v", info, err)
	}
}

// One that was never moved has no word of it in its file.
func TestNotMovedIsNotSaid(t *testing.T) {
	var rs []Record
	for range 5 {
		rs = append(rs, Record{Message: user(text(strings.Repeat("word ", 20_000)))})
	}
	s := save(t, t.TempDir(), "/a", time.Now(), rs...)
	if b, err := os.ReadFile(s.Path()); err != nil || strings.Contains(string(b), `"moved"`) {
		t.Errorf("%v", err)
	}
}
