package lang

import (
	"encoding/json"
	"io/fs"
	"testing"
	"testing/fstest"
)

// Add adds languages for a test, each a file beside those there are.
func Add(t testing.TB, languages map[string]map[string]string) {
	t.Helper()
	all := fstest.MapFS{}
	entries, err := fs.ReadDir(embedded, "words")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := fs.ReadFile(embedded, "words/"+e.Name())
		if err != nil {
			t.Fatal(err)
		}
		all["words/"+e.Name()] = &fstest.MapFile{Data: b}
	}
	for tag, words := range languages {
		b, err := json.Marshal(words)
		if err != nil {
			t.Fatal(err)
		}
		all["words/"+tag+".json"] = &fstest.MapFile{Data: b}
	}
	files = all
	t.Cleanup(func() { files = embedded })
}
