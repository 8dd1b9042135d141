// Package golden is for tests alone: it holds what is drawn to what a file says, and
// owns the flag -update, by which the file says what is drawn.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Same fails a test where a file does not hold just that. With -update the file is
// written, its folder too.
func Same(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (write it with -update)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update rewrites it)\n--- got\n%s\n--- want\n%s", path, got, want)
	}
}

// Of is the path of the golden file of that name, as go test sees it.
func Of(name string) string { return filepath.Join("testdata", name+".golden") }
