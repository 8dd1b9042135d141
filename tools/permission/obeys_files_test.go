package permission

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"forge/tools"
)

// What a line obeys is told also to those that ask no permission for it.
func TestObeys(t *testing.T) {
	for line, want := range map[string]string{
		"make lint": "Makefile", "cd sub && make": "sub/Makefile", "npm run lint": "package.json", "just": "justfile", "bash -c 'cd sub; ./x.sh'": "sub/x.sh",
		"cd sub && python3 -m pytest -q": "sub/pytest.py", "python3 -m unittest": "unittest/__main__.py",
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

// A grant to run tests by python's module ends when the workspace brings a module of that
// name: from then on that would run.
func TestGrantOfAPythonModule(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &script{answers: []Answer{{Allow: true, Scope: ScopeSession}, {}}}
	m := New(Options{Roots: []string{dir}, Asker: s})
	run := func() bool {
		v, err := m.Authorize(t.Context(), tools.Call{Name: "run_bash"}, tools.Effect{Kind: tools.Exec, Command: "python3 -m unittest", Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		return v.Allow
	}
	if first, again := run(), run(); !first || !again || len(s.asked) != 1 {
		t.Fatalf("asked %d times", len(s.asked))
	}
	if err := os.WriteFile(filepath.Join(dir, "unittest.py"), []byte("print()"), 0o600); err != nil {
		t.Fatal(err)
	}
	if run() || len(s.asked) != 2 {
		t.Errorf("asked %d times, %+v", len(s.asked), s.asked)
	}
}
