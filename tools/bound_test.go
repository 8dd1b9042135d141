package tools

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBound(t *testing.T) {
	if got := (Bound{}).Apply("id", strings.Repeat("x", 48<<10)); len(got) != 48<<10 {
		t.Errorf("what fits came back with %d bytes", len(got))
	}
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	whole := b.String()
	dir := filepath.Join(t.TempDir(), "out")
	got := Bound{Max: 300, Dir: dir}.Apply("../x y", whole)
	file := filepath.Join(dir, "___x_y.txt")
	head, rest, _ := strings.Cut(got, "\n… (")
	note, tail, ok := strings.Cut(rest, ") …\n")
	if !ok || !strings.HasPrefix(whole, head+"\n") || !strings.HasSuffix(whole, "\n"+tail) || len(head)+len(tail) > 300 || len(head) < 100 || len(tail) < 50 {
		t.Errorf("cut to\n%s", got)
	}
	missing := whole[len(head)+1 : len(whole)-len(tail)]
	if want := fmt.Sprintf("%d bytes, %d lines left out; the whole is in %s", len(missing), strings.Count(missing, "\n"), file); note != want {
		t.Errorf("note %q, want %q", note, want)
	}
	kept, err := os.ReadFile(file)
	if err != nil || string(kept) != whole {
		t.Errorf("kept %d bytes, %v", len(kept), err)
	}
	if fi, err := os.Stat(file); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", fi, err)
	}
}

func TestBoundWithoutAPlaceToKeep(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, b := range []Bound{{Max: 100}, {Max: 100, Dir: filepath.Join(file, "sub")}} {
		if got := b.Apply("id", strings.Repeat("abc\n", 500)); !strings.Contains(got, "left out) …") || strings.Contains(got, "the whole is in") {
			t.Errorf("%s", got)
		}
	}
}

func TestBoundCutsBetweenRunes(t *testing.T) {
	for _, text := range []string{strings.Repeat("é", 5000), strings.Repeat("語", 5000), strings.Repeat("\U0001F600", 500), strings.Repeat("\x80", 5000), "a\xffb"} {
		for limit := 1; limit < 60; limit++ {
			got := Bound{Max: limit}.Apply("id", text)
			if !utf8.ValidString(got) {
				t.Fatalf("limit %d of %.10q: %q", limit, text, got)
			}
			if limit > 20 && strings.Count(got, "\uFFFD") == 0 && !strings.HasPrefix(got, text[:4]) && utf8.ValidString(text) {
				t.Fatalf("limit %d of %.10q lost its head: %q", limit, text, got)
			}
		}
	}
}
