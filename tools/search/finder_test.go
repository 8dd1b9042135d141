package search

import (
	"os"
	"path/filepath"
	"reflect"
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
