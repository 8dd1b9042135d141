package diffview

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"forge/tools/diff"
	"forge/ui/golden"
	"forge/ui/theme"
)

// TestGolden draws one change, of a file with tabs, wide letters, long lines and
// no final line end, at the widths and in the themes that differ.
func TestGolden(t *testing.T) {
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	hunks := diff.Hunks(read("before.txt"), read("after.txt"))
	syntax := NewSyntax("lines.go", read("before.txt"), read("after.txt"), hunks)
	ascii, err := theme.Named("dark", true, colorprofile.ASCII, theme.ASCII())
	if err != nil {
		t.Fatal(err)
	}
	themes := map[string]*theme.Theme{
		"plain": theme.New(true, colorprofile.NoTTY),
		"dark":  theme.New(true, colorprofile.TrueColor),
		"light": theme.New(false, colorprofile.ANSI256),
		"ansi":  theme.New(true, colorprofile.ANSI),
		"ascii": ascii,
	}
	for _, c := range []struct {
		theme string
		o     Options
	}{
		{"plain", Options{Width: 40}},
		{"plain", Options{Width: 80}},
		{"plain", Options{Width: 120}},
		{"plain", Options{Width: 120, Split: true}},
		{"plain", Options{Width: 80, Review: true, Selected: 1, States: []State{Edited, Drop}, Approve: true}},
		{"plain", Options{Width: 40, MaxRows: 6}},
		{"dark", Options{Width: 80}},
		{"light", Options{Width: 80}},
		{"ansi", Options{Width: 80}},
		{"ascii", Options{Width: 80, Review: true, Selected: 0, States: []State{Keep, Keep}}},
	} {
		name := fmt.Sprintf("%s.%d", c.theme, c.o.Width)
		switch {
		case c.o.Split:
			name += ".split"
		case c.o.Review:
			name += ".review"
		case c.o.MaxRows > 0:
			name += ".capped"
		}
		c.o.Theme, c.o.Syntax = themes[c.theme], syntax
		v := New(hunks, c.o)
		got := strings.ReplaceAll(strings.Join(v.Rows(0, v.Len()), "\n")+"\n", "\x1b", "␛")
		golden.Same(t, golden.Of(name), got)
	}
}

// BenchmarkNew100k is what laying a long diff out costs before its first row.
func BenchmarkNew100k(b *testing.B) {
	var x, y strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&x, "line %d of the old file\n", i)
		fmt.Fprintf(&y, "line %d of the new file\n", i)
	}
	hunks := diff.Hunks([]byte(x.String()), []byte(y.String()))
	th := theme.New(true, colorprofile.TrueColor)
	for b.Loop() {
		New(hunks, Options{Theme: th, Width: 120})
	}
}
