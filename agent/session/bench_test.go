package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"forge/provider"
)

// longSession writes a session of about mb megabytes that looks like work: short
// texts, calls, and results of a few kilobytes, some with the files they changed.
func longSession(tb testing.TB, mb int) string {
	tb.Helper()
	dir := tb.TempDir()
	s, err := Create(dir, "/somewhere", "main")
	if err != nil {
		tb.Fatal(err)
	}
	code := strings.Repeat("\tif err := run(ctx, \"x\"); err != nil {\n\t\treturn fmt.Errorf(\"run: %w\", err)\n\t}\n", 90)
	add := func(r Record) {
		line, err := encode(r)
		if err != nil {
			tb.Fatal(err)
		}
		s.pending = append(s.pending, line)
		s.size += int64(len(line))
	}
	for i := 0; s.size < int64(mb)<<20; i++ {
		id := fmt.Sprintf("call_%06d", i)
		if i%10 == 0 {
			m := provider.UserText("please look at this as well")
			add(Record{Message: &m})
		}
		add(Record{Message: &provider.Message{Role: provider.Assistant, Origin: "openai/x", Stop: provider.StopToolUse,
			Usage:  provider.Usage{Input: 1000 + i, Output: 40, Reported: true},
			Blocks: []provider.Block{provider.Text{Text: "I will read it."}, provider.ToolUse{ID: id, WireID: id, Name: "read_file", Input: `{"path":"a.go"}`}}}})
		call := Call{ID: id, Kind: "read", Title: "read a.go", Took: 12}
		if i%4 == 0 {
			call.Changes = []Change{{Path: "a.go", Op: "edit", Mode: 0o644, Before: Exact(code[:2000]), After: Exact(code[100:2100])}}
		}
		add(Record{Message: &provider.Message{Role: provider.User, Blocks: []provider.Block{
			provider.ToolResult{ID: id, Content: []provider.Block{provider.Text{Text: code}}}}}, Calls: []Call{call}})
	}
	s.size = 0
	if err := s.flush(true); err != nil {
		tb.Fatal(err)
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	return filepath.Join(dir, s.ID()+fileExt)
}

// BenchmarkSessionOpen50MB reads everything, as the first request after a resume
// needs it: on the background, while the tail is on the screen.
func BenchmarkSessionOpen50MB(b *testing.B) {
	path := longSession(b, 50)
	b.SetBytes(50 << 20)
	b.ReportAllocs()
	for b.Loop() {
		s, rs, err := Open(path)
		if err != nil || len(rs) == 0 {
			b.Fatal(len(rs), err)
		}
		s.Close()
	}
}

// BenchmarkSessionAppend saves one message of 4 KB, disk included.
func BenchmarkSessionAppend(b *testing.B) {
	s, err := Create(b.TempDir(), "/somewhere", "")
	if err != nil {
		b.Fatal(err)
	}
	m := provider.UserText(strings.Repeat("a line of some words\n", 200))
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Append(Record{Message: &m}); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkSessionOpenTail50MB reads what a screen shows first of a long session.
// Goal: 15 ms at most, whatever the length of the session.
func BenchmarkSessionOpenTail50MB(b *testing.B) {
	path := longSession(b, 50)
	b.ReportAllocs()
	for b.Loop() {
		if rs, err := Tail(path, 256<<10); err != nil || len(rs) == 0 {
			b.Fatal(len(rs), err)
		}
	}
}
