package lang_test

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// root is where the packages stand.
var root = filepath.Join("..", "..")

// faces are the rooms that speak to a person with lang.T, beside main's own files.
var faces = []string{"models", "ui"}

// spoken lists the Go files of main and of some rooms, without tests.
func spoken(t *testing.T, rooms ...string) []string {
	t.Helper()
	var out []string
	take := func(file string) {
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") && !strings.Contains(file, "testdata") {
			out = append(out, file)
		}
	}
	top, err := filepath.Glob(filepath.Join(root, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range top {
		take(file)
	}
	for _, room := range rooms {
		err := filepath.WalkDir(filepath.Join(root, room), func(file string, _ fs.DirEntry, err error) error {
			take(file)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}
