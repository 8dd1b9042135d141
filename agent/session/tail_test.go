package session

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"forge/provider"
)

// TestTail: whatever n is, the tail is the end of what Open returns, begins with
// something said, and is not empty.
func TestTail(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir, "/w", "")
	if err != nil {
		t.Fatal(err)
	}
	add := func(r Record) {
		if err := s.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 12 {
		q := provider.UserText(fmt.Sprint("question ", i))
		id := fmt.Sprint("c", i)
		add(Record{Message: &q})
		add(Record{Message: &provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.ToolUse{ID: id, Name: "grep", Input: "{}"}}}})
		add(Record{Message: &provider.Message{Role: provider.User, Blocks: []provider.Block{
			provider.ToolResult{ID: id, Content: []provider.Block{provider.Text{Text: strings.Repeat("line\n", 400)}}}}}, Calls: []Call{{ID: id}}})
		add(Record{Message: &provider.Message{Role: provider.Assistant, Blocks: []provider.Block{provider.Text{Text: fmt.Sprint("answer ", i)}}}})
		draft := "half a thought"
		add(Record{Draft: &draft})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, s.ID()+fileExt)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"seq":99,"type":"message","mess`); err != nil {
		t.Fatal(err)
	}
	fi, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	again := filepath.Join(t.TempDir(), "copy.jsonl") // Open mends the file
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(again, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	o, all, err := Open(again)
	if err != nil {
		t.Fatal(err)
	}
	o.Close()
	lengths := map[int]bool{}
	for n := int64(0); n < fi.Size()+5000; n += 97 {
		rs, err := Tail(path, n)
		if err != nil {
			t.Fatal(err)
		}
		if len(rs) == 0 || !said(rs[0]) {
			t.Fatalf("n %d: %d records, first %+v", n, len(rs), rs)
		}
		if want := all[len(all)-len(rs):]; !reflect.DeepEqual(rs, want) {
			t.Fatalf("n %d: the %d records are not the end of the session", n, len(rs))
		}
		lengths[len(rs)] = true
	}
	if !lengths[len(all)] || len(lengths) < 20 {
		t.Errorf("lengths %v, the whole is %d", lengths, len(all))
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(whole) {
		t.Errorf("the file changed, %v", err)
	}
}

func TestTailOfNothing(t *testing.T) {
	if _, err := Tail(filepath.Join(t.TempDir(), "none.jsonl"), 100); err == nil {
		t.Error("no error for a file that is not there")
	}
	empty := filepath.Join(t.TempDir(), "empty.jsonl")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if rs, err := Tail(empty, 100); err != nil || len(rs) != 0 {
		t.Error(rs, err)
	}
}
