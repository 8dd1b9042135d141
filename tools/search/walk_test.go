package search

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestWalkLeavesOut(t *testing.T) {
	alone(t)
	root := plant(t, map[string]string{
		"main.go": "", "sub/x.go": "", ".hidden": "", "node_modules/p/index.js": "", ".git/config": "", ".hg/store": "",
		"target/CACHEDIR.TAG": cacheTag + "\n", "target/out.o": "", "notcache/CACHEDIR.TAG": "something else", "notcache/a": "",
		"a/": "", "loop -> .": "", "link.go -> main.go": "", "away -> /": "",
	})
	got := list(t, Scope{Root: root})
	same(t, "default", got, []string{".hidden", "away", "link.go", "loop", "main.go", "notcache/CACHEDIR.TAG", "notcache/a", "sub/x.go"})
	got = list(t, Scope{Root: root, All: true})
	for _, want := range []string{"node_modules/p/index.js", "target/out.o"} {
		if !slices.Contains(got, want) {
			t.Errorf("All leaves out %s: %q", want, got)
		}
	}
	if slices.ContainsFunc(got, func(p string) bool { return strings.HasPrefix(p, ".git/") || strings.HasPrefix(p, ".hg/") }) {
		t.Errorf("All looks into a version control folder: %q", got)
	}
	same(t, "asked by name", list(t, Scope{Root: filepath.Join(root, "node_modules")}), []string{"p/index.js"})
	same(t, "a cache asked by name", list(t, Scope{Root: filepath.Join(root, "target")}), []string{"CACHEDIR.TAG", "out.o"})
}

func TestWalkIgnoreFiles(t *testing.T) {
	alone(t)
	root := plant(t, map[string]string{
		".gitignore": "*.log\n/out/\n", "a.log": "", "out/x": "", "sub/out/y": "", "sub/b.log": "",
		".ignore": "secret\n!a.log\n", "secret": "", "sub/secret": "",
	})
	same(t, "without a repository", list(t, Scope{Root: root}), []string{".gitignore", ".ignore", "a.log", "sub/out/y"})
	same(t, "below, top given", list(t, Scope{Root: filepath.Join(root, "sub"), Top: root}), []string{"out/y"})
	same(t, "below, no top", list(t, Scope{Root: filepath.Join(root, "sub")}), []string{"b.log", "out/y", "secret"})
	same(t, "no rules", list(t, Scope{Root: root, NoIgnore: true}),
		[]string{".gitignore", ".ignore", "a.log", "out/x", "secret", "sub/b.log", "sub/out/y", "sub/secret"})
	f, err := Glob(t.Context(), Scope{Root: root}, "**", 0)
	must(t, err)
	if f.Stats.Ignored != 4 || f.Total != 4 {
		t.Errorf("stats: %+v of %d", f.Stats, f.Total)
	}
}

// A repository inside another begins anew: the outer one's rules end there.
func TestWalkNestedRepository(t *testing.T) {
	alone(t)
	root := plant(t, map[string]string{
		".gitignore": "*.log\n", "a.log": "", "inner/b.log": "", "inner/c.tmp": "", "inner/.gitignore": "*.tmp\n", "inner/deep/d.log": "",
	})
	git(t, root, "", "init", "-q")
	git(t, filepath.Join(root, "inner"), "", "init", "-q")
	put(t, root, "inner/.git/info/exclude", "deep/\n")
	want := []string{".gitignore", "inner/.gitignore", "inner/b.log"}
	same(t, "from outside", list(t, Scope{Root: root}), want)
	same(t, "inner alone", list(t, Scope{Root: filepath.Join(root, "inner")}), gitFiles(t, filepath.Join(root, "inner")))
}

// A linked work tree takes info/exclude from the repository it belongs to.
func TestWalkWorktree(t *testing.T) {
	alone(t)
	root := plant(t, map[string]string{"repo/a": "x"})
	repo := filepath.Join(root, "repo")
	git(t, repo, "", "init", "-q")
	git(t, repo, "", "add", "a")
	git(t, repo, "", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")
	put(t, repo, ".git/info/exclude", "*.tmp\n")
	other := filepath.Join(root, "other")
	git(t, repo, "", "worktree", "add", "-q", other)
	put(t, other, "b.tmp", "")
	put(t, other, "sub/c.tmp", "")
	put(t, other, "sub/d", "")
	same(t, "worktree", list(t, Scope{Root: other}), gitFiles(t, other))
	same(t, "below it", list(t, Scope{Root: filepath.Join(other, "sub")}), []string{"d"})
}

func TestGlobalExcludes(t *testing.T) {
	for _, c := range []struct{ name, config, ignore string }{
		{"key", "[core]\n\texcludesFile = ~/ign ore ; note\n", "ign ore"},
		{"quoted, included", "[include]\n\tpath = more\n", "ign ore"},
		{"default place", "", ".config/git/ignore"},
	} {
		t.Run(c.name, func(t *testing.T) {
			alone(t)
			home := os.Getenv("HOME")
			put(t, home, "gitconfig", c.config)
			put(t, home, "more", "[Core] excludesfile = \"~/ign ore\"\n")
			put(t, home, c.ignore, "*.bak\n")
			root := plant(t, map[string]string{"a.bak": "", "b": ""})
			git(t, root, "", "init", "-q")
			same(t, "global", list(t, Scope{Root: root}), gitFiles(t, root))
			same(t, "global", list(t, Scope{Root: root}), []string{"b"})
		})
	}
}

// A folder of many files is shared out, and still told in order.
func TestWalkWideFolder(t *testing.T) {
	alone(t)
	files := map[string]string{}
	var want []string
	for i := range 5 * runSize {
		name := "f" + string(rune('a'+i%26)) + "-" + strings.Repeat("x", i/26%5) + string(rune('a'+i/130))
		files[name], files["sub/"+name] = "needle\n", "needle\n"
	}
	for name := range files {
		want = append(want, name)
	}
	slices.SortFunc(want, comparePaths)
	root := plant(t, files)
	same(t, "list", list(t, Scope{Root: root}), want)
	for _, workers := range []int{1, 2, 7} {
		h, err := Grep(t.Context(), Scope{Root: root, Workers: workers}, Query{Pattern: "needle", Mode: Files, Limit: 1e6})
		must(t, err)
		var got []string
		for _, f := range h.Files {
			got = append(got, f.Path)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("with %d workers the order is not that of paths", workers)
		}
	}
}

func TestWalkUnreadable(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("everything is readable here")
	}
	alone(t)
	root := plant(t, map[string]string{"a": "x", "no/b": "x"})
	must(t, os.Chmod(filepath.Join(root, "no"), 0))
	defer os.Chmod(filepath.Join(root, "no"), 0o755)
	f, err := Glob(t.Context(), Scope{Root: root}, "**", 0)
	must(t, err)
	if f.Total != 1 || f.Stats.Unreadable != 1 {
		t.Fatalf("%+v", f)
	}
}

// Root was a folder when it was looked at, and is a link now: nothing outside Top
// is read.
func TestWalkStaysBeneathTop(t *testing.T) {
	alone(t)
	secret := plant(t, map[string]string{"key": "secret"})
	root := plant(t, map[string]string{"in/key": "plain", "out -> " + secret: ""})
	for _, dir := range []string{"out", "out/key"} {
		h, err := Grep(t.Context(), Scope{Root: filepath.Join(root, dir), Top: root}, Query{Pattern: "secret"})
		if err == nil {
			t.Errorf("%s: %+v", dir, h)
		}
	}
	if got, err := List(t.Context(), Scope{Root: filepath.Join(root, "out"), Top: root}, 0); err == nil {
		t.Errorf("listed %q", got)
	}
	if _, err := List(t.Context(), Scope{Root: secret, Top: root}, 0); err == nil {
		t.Error("a root above Top was taken")
	}
	h, err := Grep(t.Context(), Scope{Root: filepath.Join(root, "in", "key"), Top: root}, Query{Pattern: "plain"})
	if err != nil || h.Matches != 1 {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestWalkEnds(t *testing.T) {
	root := plant(t, map[string]string{"a": "x"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := List(ctx, Scope{Root: root}, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := List(t.Context(), Scope{Root: filepath.Join(root, "none")}, 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := List(t.Context(), Scope{Root: "rel"}, 0); err == nil {
		t.Error("a relative root was taken")
	}
}

// ripgrep is the program to compare with, and a large tree: that of Go's own library.
func ripgrep(t *testing.T) (rg, root string) {
	t.Helper()
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("no ripgrep here")
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no go command")
	}
	alone(t)
	return rg, filepath.Join(strings.TrimSpace(string(out)), "src")
}

// The same files as ripgrep, with its words for our defaults.
func TestListLikeRipgrep(t *testing.T) {
	rg, root := ripgrep(t)
	files, err := exec.Command(rg, "--no-config", "--hidden", "--files", root).Output()
	must(t, err)
	var want []string
	for line := range strings.Lines(string(files)) {
		want = append(want, strings.TrimSuffix(line[len(root)+1:], "\n"))
	}
	slices.SortFunc(want, comparePaths)
	same(t, "Go's sources", list(t, Scope{Root: root, All: true}), want)
}
