package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"forge/provider"
)

func save(t *testing.T, dir, cwd string, at time.Time, rs ...Record) *Session {
	t.Helper()
	s, err := Create(dir, cwd, "dev")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rs {
		if err := s.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(s.Path(), at, at); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestListLatestFind(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	long := strings.Repeat("很长的标题 ", 40)
	old := save(t, dir, "/a", now.Add(-3*time.Hour), Record{Message: user(text("\n  first   line \nsecond"))})
	mid := save(t, dir, "/b", now.Add(-2*time.Hour), Record{Message: user(text(long))}, Record{Model: &Model{Provider: "p", ID: "m"}})
	fresh := save(t, dir, "/a", now.Add(-time.Hour), Record{Message: user(text("prompt"))}, Record{Title: "named"})
	save(t, dir, "/a", now, Record{Draft: new(string)}) // no prompt yet
	os.WriteFile(filepath.Join(dir, "junk.jsonl"), []byte("{}\nnot json\n"), 0o600)
	os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("x"), 0o600)

	got, err := List(dir)
	if err != nil || len(got) != 3 {
		t.Fatalf("%d sessions, %v", len(got), err)
	}
	if got[0].ID != fresh.ID() || got[0].Title != "named" || got[0].Branch != "dev" || got[0].Cwd != "/a" {
		t.Errorf("first: %+v", got[0])
	}
	if n := len([]rune(got[1].Title)); got[1].ID != mid.ID() || n != 80 || !strings.HasPrefix(got[1].Title, "很长的标题 很长") {
		t.Errorf("second: %d characters, %+v", n, got[1])
	}
	if got[1].Model.ID != "m" || got[2].Title != "first line" {
		t.Errorf("model %+v, last title %q", got[1].Model, got[2].Title)
	}
	if i, err := Latest(dir, "/a"); err != nil || i.ID != fresh.ID() {
		t.Errorf("latest in /a: %+v, %v", i, err)
	}
	if _, err := Latest(dir, "/nowhere"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("latest where there is none: %v", err)
	}
	suffix := old.ID()[len(old.ID())-6:]
	for _, id := range []string{old.ID(), suffix, old.Path()} {
		if i, err := Find(dir, id); err != nil || i.ID != old.ID() {
			t.Errorf("find %q: %+v, %v", id, i, err)
		}
	}
	if _, err := Find(dir, old.ID()[:8]); err == nil || !strings.Contains(err.Error(), "could be any of 3") {
		t.Errorf("find by an ambiguous beginning: %v", err)
	}
	if _, err := Find(dir, "zzzz"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("find what is not there: %v", err)
	}
	if none, err := List(filepath.Join(dir, "missing")); err != nil || none != nil {
		t.Errorf("list of a missing folder: %v, %v", none, err)
	}
}

func TestTitleFromTheMiddleIsListed(t *testing.T) {
	dir := t.TempDir()
	rs := []Record{{Message: user(text("prompt"))}, {Title: "given early"}}
	for range 5 {
		rs = append(rs, Record{Message: assistant(text(strings.Repeat("word ", 10_000)))})
	}
	s := save(t, dir, "/a", time.Now(), rs...)
	got, err := List(dir)
	if err != nil || len(got) != 1 || got[0].Title != "given early" {
		t.Fatalf("%+v, %v", got, err)
	}
	before, _ := os.ReadFile(s.Path())
	back, _, err := Open(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	back.Close()
	if after, _ := os.ReadFile(s.Path()); len(after) != len(before) {
		t.Error("looking at a session changed it")
	}
}

// What forge tells a model before the first prompt names no conversation.
func TestNoteIsNoTitle(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "/a", time.Now(), Record{Message: user(text("a note")), Steer: true}, Record{Message: user(text("the prompt"))})
	if got, err := List(dir); err != nil || len(got) != 1 || got[0].Title != "the prompt" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestPromptWithAPictureIsListed(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "/a", time.Now(), Record{Message: user(text("what is this"), provider.Image{MIME: "image/png", Data: strings.Repeat("A", 300<<10)})})
	if got, err := List(dir); err != nil || len(got) != 1 || got[0].Title != "what is this" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestPromptOfAPictureAloneIsListed(t *testing.T) {
	dir := t.TempDir()
	save(t, dir, "/a", time.Now(), Record{Message: user(provider.Image{MIME: "image/png", Data: "AAAA"})})
	if got, err := List(dir); err != nil || len(got) != 1 || got[0].Title != "(picture)" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A first prompt longer than what is read of a file is no reason to lose it.
func TestLongPromptIsListed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"look at \"this\":\n" + strings.Repeat("more words\n", head/8), "look at \"this\":"},
		{strings.Repeat("ü", head), strings.Repeat("ü", 79) + "…"},
	} {
		dir := t.TempDir()
		save(t, dir, "/a", time.Now(), Record{Message: user(provider.Text{Text: c.text})})
		if got, err := List(dir); err != nil || len(got) != 1 || got[0].Title != c.want || got[0].Cwd != "/a" {
			t.Errorf("%.200v, %v", got, err)
		}
	}
	dir := t.TempDir()
	save(t, dir, "/a", time.Now(), Record{Message: user(provider.Image{MIME: "image/png", Data: strings.Repeat("A", 2*head)})})
	if got, err := List(dir); err != nil || len(got) != 1 || got[0].Title != "(a long prompt)" {
		t.Errorf("%.200v, %v", got, err)
	}
}
