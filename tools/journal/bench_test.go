package journal_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"forge/tools/journal"
)

// The look around a command in a tree of 100,000 files, where nothing changed.
// One op is both looks.
func BenchmarkLooks100k(b *testing.B) {
	r := newRig(b, journal.Options{})
	for d := range 5000 {
		dir := filepath.Join(r.root, fmt.Sprintf("p%d", d/100), fmt.Sprintf("d%d", d))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		for f := range 20 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d.go", f)), []byte("x"), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	r.Watch(b.Context(), "first", nil)()
	r.Watch(b.Context(), "second", nil)() // those of the first were hot
	if len(r.said) > 0 {
		b.Fatal(r.said)
	}
	for b.Loop() {
		r.Watch(b.Context(), "true", nil)()
	}
}

// The first look at 5,000 small files that git does not have.
func BenchmarkFirstLook5k(b *testing.B) {
	r := newRig(b, journal.Options{})
	for f := range 5000 {
		dir := filepath.Join(r.root, fmt.Sprint(f/20))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(f)), fmt.Appendf(make([]byte, 4000), "%d", f), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		j := journal.New(journal.Options{Dir: r.state, Roots: []string{r.root}, Rules: readRules})
		j.Watch(b.Context(), "first", nil)()
		j.Close()
	}
}
