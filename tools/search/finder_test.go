package search

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

func TestFinder(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{"main.go": "", "ui/feed.go": "", "ui/deep/feed_test.go": "", "skip/x.log": "", ".gitignore": "*.log\n"} {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f := &Finder{Root: root}
	if got := f.Find(t.Context(), "feed", 1); !reflect.DeepEqual(got, []string{"ui/feed.go"}) {
		t.Errorf("feed: %q", got)
	}
	for _, p := range f.Find(t.Context(), "", 99) {
		if filepath.Ext(p) == ".log" {
			t.Errorf("an ignored file is offered: %s", p)
		}
	}
	if got := f.Find(t.Context(), "uideep/", 5); len(got) == 0 || got[0] != "ui/deep/" {
		t.Errorf("a folder: %q", got)
	}
	if got := f.Find(t.Context(), "zzz", 5); len(got) != 0 {
		t.Errorf("nothing matches, yet %q", got)
	}
}

// What was used comes first, as long as it fits what is typed, and where nothing is typed
// some of the rest is still to be seen.
func TestFinderOffersWhatWasUsed(t *testing.T) {
	root := t.TempDir()
	for i := range 20 {
		writeFile(t, filepath.Join(root, fmt.Sprintf("part%02d", i), "handler.go"))
	}
	f := &Finder{Root: root}
	f.Warm(t.Context())
	if got := f.Find(t.Context(), "handler", 1); !reflect.DeepEqual(got, []string{"part00/handler.go"}) {
		t.Errorf("before: %q", got)
	}
	f.Used("part07/handler.go", "gone.go", "part13/handler.go")
	if got := f.Find(t.Context(), "handler", 3); !reflect.DeepEqual(got, []string{"part13/handler.go", "part07/handler.go", "part00/handler.go"}) {
		t.Errorf("after: %q", got)
	}
	if got := f.Find(t.Context(), "part02", 1); !reflect.DeepEqual(got, []string{"part02/"}) {
		t.Errorf("what was typed: %q", got)
	}
	got := f.Find(t.Context(), "", 4)
	if len(got) != 4 || got[0] != "part13/handler.go" || got[1] != "part07/handler.go" || got[2] != "part00/" {
		t.Errorf("nothing typed: %q", got)
	}
	f.Used("part07/handler.go")
	if got := f.Find(t.Context(), "", 1); !reflect.DeepEqual(got, []string{"part07/handler.go"}) {
		t.Errorf("used again: %q", got)
	}
}

// A file that is tracked though a rule ignores it is part of the project.
func TestFinderTracked(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.go", "out/kept.txt", "out/made.txt"} {
		writeFile(t, filepath.Join(root, filepath.FromSlash(name)))
	}
	if err := os.WriteFile(filepath.Join(root, ".gitignore"), []byte("out/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f := &Finder{Root: root, Tracked: func(context.Context) []string { return []string{"out/kept.txt", "a.go"} }}
	got := f.Find(t.Context(), "", 9)
	if want := []string{".gitignore", "a.go", "out/", "out/kept.txt"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func writeFile(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
}

// The files of several folders are one list, the best first, those of others behind
// their folder.
func TestFindBeside(t *testing.T) {
	home, beside := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(home, "deep", "stop.go"))
	writeFile(t, filepath.Join(home, "both.md"))
	writeFile(t, filepath.Join(beside, "top.md"))
	writeFile(t, filepath.Join(beside, "both.md"))
	a, b := &Finder{Root: home}, []*Finder{{Root: beside}}
	far := filepath.ToSlash(beside) + "/"
	for query, want := range map[string][]string{
		"top":  {far + "top.md", "deep/stop.go"},
		"both": {"both.md", far + "both.md"},
		"":     {"both.md", "deep/", "deep/stop.go"},
	} {
		got := FindBeside(t.Context(), a, b, query, 10)
		slices.Sort(got[min(len(got), 2):])
		if query == "" {
			slices.Sort(got)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q", query, got)
		}
	}
	if got := FindBeside(t.Context(), a, b, "both", 1); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
