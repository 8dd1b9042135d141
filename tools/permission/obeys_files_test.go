package permission

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a line obeys is told also to those that ask no permission for it.
func TestObeys(t *testing.T) {
	for line, want := range map[string]string{
		"make lint": "Makefile", "cd sub && make": "sub/Makefile", "npm run lint": "package.json", "just": "justfile", "bash -c 'cd sub; ./x.sh'": "sub/x.sh",
	} {
		if got, ok := Obeys(line, "/w", []string{"/w"}); !ok || !slices.Contains(got, filepath.Join("/w", want)) {
			t.Errorf("%s: %q", line, got)
		}
	}
	for _, line := range []string{"npx prettier --check .", "jq -r .package", "git status"} {
		if got, ok := Obeys(line, "/w", []string{"/w"}); !ok || len(got) > 0 {
			t.Errorf("%s: %q", line, got)
		}
	}
	if _, ok := Obeys(strings.Repeat("$(", 2600)+strings.Repeat(")", 2600), "/w", []string{"/w"}); ok {
		t.Error("a line that is nested too deep is said to be known")
	}
}
