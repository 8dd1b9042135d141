package search

import (
	"context"
	"fmt"
	"reflect"
	"testing"
)

// manyPaths is a tree such as large projects have.
func manyPaths(n int) []string {
	tops := []string{"src", "internal", "docs", "web/components", "services/payments/api", "test/fixtures", "组件/界面", "third_party/lib"}
	names := []string{"main", "handler", "feedReader", "user_service", "index", "config", "测试数据", "render-loop", "Makefile", "types"}
	exts := []string{".go", ".ts", ".md", ".json", "_test.go", ".tsx", ".py"}
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s/mod%d/part%d/%s%d%s", tops[i%len(tops)], i/1000, i/37%100, names[i%len(names)], i%13, exts[i%len(exts)])
	}
	return out
}

func TestBestFirst(t *testing.T) {
	paths := []string{"README.md", "a/b/main.go", "cmd/domain.go", "docs/main-menu.md", "main.go", "ui/composer/composer.go", "ui/composer/", "ui/composer/menu.go",
		"ui/markdown/machine.go", "ui/feedReader.go", "web/src/components/UserProfile.tsx", "数据/测试 文件.md", "x/compose_rest.go", "ab/c/d_e.txt"}
	c := newCatalog(paths)
	for query, want := range map[string]string{
		"main": "main.go", "main.go": "main.go", "mm": "docs/main-menu.md", "composer": "ui/composer/", "composer.go": "ui/composer/composer.go",
		"up": "web/src/components/UserProfile.tsx", "FR": "ui/feedReader.go", "fread": "ui/feedReader.go", "ui/menu": "ui/composer/menu.go",
		"测试": "数据/测试 文件.md", "数文": "数据/测试 文件.md", "readme": "README.md", "abcde": "ab/c/d_e.txt",
	} {
		var got string
		if ms := c.find(t.Context(), query, 1, nil); len(ms) > 0 {
			got = paths[ms[0].at]
		}
		if got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{"", "zzz", "niam", "测x"} {
		if ms := c.find(t.Context(), query, 5, nil); len(ms) != 0 {
			t.Errorf("%q: %d matches", query, len(ms))
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if ms := c.find(ended, "main", 5, nil); ms != nil {
		t.Error("a question that nobody waits for was answered")
	}
}

// TestTopIsTheBest compares the few that are kept with all there are.
func TestTopIsTheBest(t *testing.T) {
	c := newCatalog(manyPaths(20_000))
	for _, query := range []string{"a", "feed", "srcgo", "测试", "m1p2"} {
		all := c.find(t.Context(), query, len(c.paths), nil)
		few := c.find(t.Context(), query, 50, nil)
		if len(all) < 50 || !reflect.DeepEqual(all[:50], few) {
			t.Errorf("%q: %d matches, and the best differ", query, len(all))
		}
	}
}

func FuzzScore(f *testing.F) {
	f.Add("ui/feedReader.go", "fr")
	f.Add("数据/Ⱥx", "ⱥ")
	f.Fuzz(func(t *testing.T, p, query string) {
		c := newCatalog([]string{p, "other/" + p, p + "/"})
		c.find(t.Context(), query, 2, nil)
	})
}

// A frame of a screen at 60 a second is 16 ms.
func BenchmarkFind100k(b *testing.B) {
	c := newCatalog(manyPaths(100_000))
	for _, query := range []string{"a", "feed", "srcmaingo", "usvc12", "组件测试", "nothing-has-this"} {
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				c.find(b.Context(), query, 50, nil)
			}
		})
	}
}

func BenchmarkCatalog100k(b *testing.B) {
	paths := manyPaths(100_000)
	for b.Loop() {
		newCatalog(withFolders(paths))
	}
}
