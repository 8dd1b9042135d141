package search

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plant writes files below a new folder: a path that ends in a slash is a folder,
// "path -> target" a link.
func plant(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	if r, err := filepath.EvalSymlinks(root); err == nil {
		root = r
	}
	for name, text := range files {
		put(t, root, name, text)
	}
	return root
}

func put(t testing.TB, root, name, text string) {
	t.Helper()
	name, target, link := strings.Cut(name, " -> ")
	path := filepath.Join(root, filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	switch {
	case link:
		if err := os.Symlink(target, path); err != nil {
			t.Skip("no links here: ", err)
		}
	case strings.HasSuffix(name, "/"):
		must(t, os.MkdirAll(path, 0o755))
	default:
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// alone keeps the configuration of this machine out of a test.
func alone(t testing.TB) {
	t.Helper()
	home := t.TempDir()
	for k, v := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"),
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": filepath.Join(home, "gitconfig"), "RIPGREP_CONFIG_PATH": "",
	} {
		switch tt := t.(type) {
		case *testing.T:
			tt.Setenv(k, v)
		case *testing.B:
			tt.Setenv(k, v)
		}
	}
	must(t, os.WriteFile(filepath.Join(home, "gitconfig"), nil, 0o644))
}

// git runs git in dir with stdin and returns what it says; the test is skipped
// where there is no git.
func git(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	out, err := cmd.Output()
	if e, ok := err.(*exec.ExitError); ok && e.ExitCode() == 1 {
		err = nil // nothing matched
	}
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// gitFiles lists what git shows of a work tree, in the order of paths.
func gitFiles(t testing.TB, dir string) []string {
	t.Helper()
	files := strings.Split(strings.TrimSuffix(git(t, dir, "", "ls-files", "-co", "--exclude-standard", "-z"), "\x00"), "\x00")
	if len(files) == 1 && files[0] == "" {
		files = nil
	}
	slices.SortFunc(files, comparePaths)
	return files
}

func list(t testing.TB, s Scope) []string {
	t.Helper()
	got, err := List(t.Context(), s, 0)
	must(t, err)
	return got
}

func same(t testing.TB, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	var diff []string
	for _, g := range got {
		if !slices.Contains(want, g) {
			diff = append(diff, "+"+g)
		}
	}
	for _, w := range want {
		if !slices.Contains(got, w) {
			diff = append(diff, "-"+w)
		}
	}
	t.Fatalf("%s: %d found, want %d: %q", what, len(got), len(want), diff)
}
