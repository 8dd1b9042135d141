package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"forge/provider"
)

// BenchmarkEncode is what a message of 4 KB costs beside the disk.
func BenchmarkEncode(b *testing.B) {
	m := provider.UserText(strings.Repeat("a line of some words\n", 200))
	now := time.Now().UTC()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := encode(Record{Seq: 1, Time: now, Message: &m}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppendAgainstBare appends a message and, in turns with it, writes the
// same bytes bare and syncs them; "x-bare" is how many times as long an append
// takes. In turns, since a disk is not equally quick at all times.
func BenchmarkAppendAgainstBare(b *testing.B) {
	dir := b.TempDir()
	s, err := Create(dir, "/somewhere", "")
	if err != nil {
		b.Fatal(err)
	}
	m := provider.UserText(strings.Repeat("a line of some words\n", 200))
	line, err := encode(Record{Seq: 1, Time: time.Now().UTC(), Message: &m})
	if err != nil {
		b.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "bare"), os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	var ours, bare time.Duration
	for b.Loop() {
		start := time.Now()
		if err := s.Append(Record{Message: &m}); err != nil {
			b.Fatal(err)
		}
		between := time.Now()
		if _, err := f.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		ours, bare = ours+between.Sub(start), bare+time.Since(between)
	}
	b.ReportMetric(float64(ours)/float64(bare), "x-bare")
	b.ReportMetric(float64(bare.Microseconds())/float64(b.N), "bare-us")
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}
