package search

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

func TestGlob(t *testing.T) {
	alone(t)
	root := plant(t, map[string]string{
		"a.go": "", "b.ts": "", "sub/c.go": "", "sub/deep/d.go": "", "sub/deep/e.tsx": "", "[x].go": "", ".env": "",
		".github/ci.yml": "", "node_modules/p/q.js": "", "gen/x.go": "", ".gitignore": "gen/\n",
		"away -> /etc": "", "sub/l.go -> c.go": "", "out -> sub": "",
	})
	git(t, root, "", "init", "-q")
	for _, c := range []struct {
		pattern string
		want    []string
	}{
		{"*.go", []string{"[x].go", "a.go", "sub/c.go", "sub/deep/d.go", "sub/l.go"}},
		{"./*.go", []string{"[x].go", "a.go"}},
		{"**/*.go", []string{"[x].go", "a.go", "sub/c.go", "sub/deep/d.go", "sub/l.go"}},
		{"sub/*.go", []string{"sub/c.go", "sub/l.go"}},
		{"sub/**/*.{go,tsx}", []string{"sub/c.go", "sub/deep/d.go", "sub/deep/e.tsx", "sub/l.go"}},
		{"*.{ts,tsx}", []string{"b.ts", "sub/deep/e.tsx"}},
		{"**/deep/*", []string{"sub/deep/d.go", "sub/deep/e.tsx"}},
		{"{sub,gen}/*.go", []string{"sub/c.go", "sub/l.go"}},
		{"[ab].*", []string{"a.go", "b.ts"}},
		{`\[x\].go`, []string{"[x].go"}},
		{"c.go", []string{"sub/c.go"}},
		{"sub/c.go", []string{"sub/c.go"}},
		{"sub/deep/", []string{"sub/deep/d.go", "sub/deep/e.tsx"}},
		{".env", []string{".env"}},
		{".github/*", []string{".github/ci.yml"}},
		{"node_modules/**/*.js", []string{"node_modules/p/q.js"}},
		{"gen/*.go", []string{"gen/x.go"}},
		{"*.js", nil},
		{"missing/*.go", nil},
		{"?.ts", []string{"b.ts"}},
		{"out/*.go", nil},
	} {
		found, err := Glob(t.Context(), Scope{Root: root}, c.pattern, 0)
		if c.pattern == "out/*.go" {
			if err == nil && runtime.GOOS == "linux" { // elsewhere links inside the tree may be followed
				t.Errorf("a link to a folder was followed: %q", found.Paths)
			}
			continue
		}
		must(t, err)
		slices.SortFunc(found.Paths, comparePaths)
		slices.SortFunc(c.want, comparePaths)
		same(t, c.pattern, found.Paths, c.want)
	}
	for _, bad := range []string{"", "[a", "{a,b", "../*.go", "a/../../x/*"} {
		if found, err := Glob(t.Context(), Scope{Root: root}, bad, 0); err == nil {
			t.Errorf("%q was taken: %q", bad, found.Paths)
		}
	}
}

func TestGlobNewestFirst(t *testing.T) {
	alone(t)
	root := plant(t, map[string]string{"old": "", "sub/new": "", "mid": "", "b/same": "", "a/same": ""})
	base := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, name := range []string{"old", "b/same", "a/same", "mid", "sub/new"} {
		at := base.Add(time.Duration(i) * time.Hour)
		if name == "a/same" {
			at = base.Add(time.Hour)
		}
		must(t, os.Chtimes(filepath.Join(root, name), at, at))
	}
	found, err := Glob(t.Context(), Scope{Root: root}, "**/*", 4)
	must(t, err)
	if want := []string{"sub/new", "mid", "a/same", "b/same"}; !slices.Equal(found.Paths, want) || found.Total != 5 {
		t.Fatalf("got %q of %d, want %q", found.Paths, found.Total, want)
	}
}

// Files of one age are in the order of their whole paths.
func TestNewestFirstTies(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	g := gen{r}
	var files []aged
	seen := map[string]bool{}
	for len(files) < 300 {
		f := aged{name: g.pick("f", "f.go", "f-1", "f!", "g") + g.pick("", "x")}
		for range r.IntN(4) {
			f.prefix += g.pick("a", "a.b", "a-b", "ab", "a!") + "/"
		}
		if p := f.prefix + f.name; !seen[p] {
			seen[p] = true
			files = append(files, f)
		}
	}
	slices.SortFunc(files, newestFirst)
	if !slices.IsSortedFunc(files, func(a, b aged) int { return comparePaths(a.prefix+a.name, b.prefix+b.name) }) {
		t.Errorf("%+v", files)
	}
}
