package search

import (
	"path/filepath"
	"testing"
)

func TestRulesOfOneFolder(t *testing.T) {
	root := plant(t, map[string]string{
		".git/HEAD": "", ".gitignore": "*.log\nout/\n", "a.go": "", "x.log": "", "out/f": "",
		"sub/.gitignore": "!keep.log\nlocal\n", "sub/keep.log": "", "sub/local": "", "node_modules/m": "",
		"cache/CACHEDIR.TAG": cacheTag + "\n", ".ignore": "secret\n", "secret": "",
	})
	top := NewRules(root)
	for _, c := range []struct {
		name           string
		dir            bool
		ignored, never bool
	}{
		{"a.go", false, false, false}, {"x.log", false, true, false}, {"out", true, true, false}, {"out", false, false, false},
		{"secret", false, true, false}, {".git", true, true, true}, {".git", false, true, true}, {"node_modules", true, true, true}, {"cache", true, true, true},
	} {
		if ignored, never := top.Judge(c.name, c.dir); ignored != c.ignored || never != c.never {
			t.Errorf("%s: ignored %v, never %v", c.name, ignored, never)
		}
	}
	sub := top.Below("sub")
	for name, want := range map[string]bool{"keep.log": false, "other.log": true, "local": true, "f": false} {
		if got, _ := sub.Judge(name, false); got != want {
			t.Errorf("sub/%s: ignored %v", name, got)
		}
	}
	// From a folder of the repository the rules over it count.
	if got, _ := NewRules(filepath.Join(root, "sub")).Judge("other.log", false); !got {
		t.Error("the rules of the repository's root were left out")
	}
}
