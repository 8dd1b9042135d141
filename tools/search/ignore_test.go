package search

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRules(t *testing.T) {
	for _, c := range []struct {
		rules string
		yes   []string // a slash at the end: a folder
		no    []string
	}{
		{"*.log", []string{"a.log", "x/y/b.log", ".log"}, []string{"a.logs", "log"}},
		{"/a", []string{"a", "a/"}, []string{"x/a"}},
		{"a/b", []string{"a/b"}, []string{"x/a/b", "a/b2"}},
		{"build/", []string{"build/", "x/build/"}, []string{"build"}},
		{"/build/", []string{"build/"}, []string{"x/build/"}},
		{"**/c", []string{"c", "a/c", "a/b/c"}, []string{"cc"}},
		{"a/**", []string{"a/x", "a/x/y"}, []string{"a/", "b/a/x"}},
		{"a/**/z", []string{"a/z", "a/b/z", "a/b/c/z"}, []string{"a/bz", "z"}},
		{"a**z", []string{"az", "abz", "x/abcz"}, []string{"a/z"}},
		{"/a*/z", []string{"a/z", "abc/z"}, []string{"a/b/z", "b/z"}},
		{"*\n!keep", []string{"x", "y/"}, []string{"keep"}},
		{"*.o\n!*.o\n*.o", []string{"a.o"}, []string{"a.c"}},
		{`\#x` + "\n# x\n#y", []string{"#x"}, []string{"# x", "#y"}},
		{`\!x`, []string{"!x"}, []string{"x"}},
		{"sp  \nkept\\ \nmid dle", []string{"sp", "kept ", "mid dle"}, []string{"sp  ", "kept"}},
		{"tab\t", []string{"tab\t"}, []string{"tab"}},
		{"cr\r\nlf", []string{"cr", "lf"}, []string{"cr\r"}},
		{"[a-c]x", []string{"ax", "cx"}, []string{"dx", "x"}},
		{"[!a-c]x\n[^0]y", []string{"dx", "ay"}, []string{"ax", "0y"}},
		{"[]]a\n[a-]b\n[\\]]c", []string{"]a", "-b", "ab", "]c"}, []string{"b"}},
		{"[[:digit:]_]n\n[[:nope:]]m", []string{"3n", "_n"}, []string{"an", ":m", "nm"}},
		{"[open", nil, []string{"[open", "o"}},
		{`back\`, nil, []string{"back", `back\`}},
		{"?x", []string{"ax"}, []string{"x", "aax"}},
		{`a\*b`, []string{"a*b"}, []string{"axb"}},
		{"\ufefffirst", []string{"first"}, nil},
		{"/", nil, []string{"a", "a/"}},
		{"a/**/", []string{"a/b/", "a/b/c/"}, []string{"a/b", "a/"}},
		{"*", []string{"a", "b/c", ".x"}, nil},
		{"doc/*.txt", []string{"doc/a.txt"}, []string{"doc/s/a.txt", "x/doc/a.txt"}},
	} {
		rs := ruleset{levels: &level{git: parseIgnore([]byte(c.rules), false)}}
		ask := func(p string) bool {
			path := strings.TrimSuffix(p, "/")
			return rs.ignored(path, filepath.Base(path), path != p)
		}
		for _, p := range c.yes {
			if !ask(p) {
				t.Errorf("%q does not ignore %q", c.rules, p)
			}
		}
		for _, p := range c.no {
			if ask(p) {
				t.Errorf("%q ignores %q", c.rules, p)
			}
		}
	}
}

func TestRulesFold(t *testing.T) {
	rules := parseIgnore([]byte("Foo\n*.LOG\n[a-c]X"), true)
	for _, name := range []string{"foo", "FOO", "x.log", "x.LoG", "Bx", "cX"} {
		if hit, _ := last(rules, name, name, false); !hit {
			t.Errorf("%s is not ignored", name)
		}
	}
}

// A pattern with many stars must not take time that grows with their power.
func TestWildIsNotExponential(t *testing.T) {
	w := compileWild(strings.Repeat("*a", 40)+"b", false)
	if w.match(strings.Repeat("a", 2000)) {
		t.Fatal("matched")
	}
	w = compileWild(strings.Repeat("**/a", 20)+"b", false)
	if w.match(strings.Repeat("a/", 1000)) {
		t.Fatal("matched")
	}
}

// gen makes patterns and paths from few letters, so that they often meet.
type gen struct{ *rand.Rand }

func (g gen) pick(s ...string) string { return s[g.IntN(len(s))] }

func (g gen) name() string {
	n := 1 + g.IntN(3)
	var b strings.Builder
	for range n {
		b.WriteString(g.pick("a", "b", "c", "a", "b", ".", "-", "]", "[", "!", "#", " ", "*", "?", "\\", "B", "é", "1"))
	}
	s := strings.TrimRight(b.String(), " ")
	if s == "." || s == ".." || s == "" {
		return "a"
	}
	return s
}

func (g gen) pattern() string {
	var b strings.Builder
	if g.IntN(5) == 0 {
		b.WriteString("!")
	}
	if g.IntN(6) == 0 {
		b.WriteString("/")
	}
	for range 1 + g.IntN(5) {
		b.WriteString(g.pick("a", "b", "c", "a", "b", "*", "**", "?", "/", "/", "**/", "/**", "[ab]", "[!a]", "[a-c]", "[^b-]",
			"[]-]", "[[:alpha:]]", "[[:x", "[a", "]", "\\", "\\*", "\\a", "\\ ", " ", ".", "-", "***", "#", "!", "é", "[\\]a]", "1", "[0-9]"))
	}
	if g.IntN(6) == 0 {
		b.WriteString("/")
	}
	if g.IntN(8) == 0 {
		b.WriteString(" ")
	}
	if g.IntN(12) == 0 {
		b.WriteString("\r")
	}
	return b.String()
}

// Each rule alone and in company means to us what it means to git.
func TestRulesLikeGit(t *testing.T) {
	alone(t)
	for round := range 35 {
		seed := uint64(round)
		g := gen{rand.New(rand.NewPCG(seed, 7))}
		var lines, paths []string
		for range 1 + g.IntN(6) {
			lines = append(lines, g.pattern())
		}
		for range 150 {
			p := g.name()
			for g.IntN(2) == 0 {
				p += "/" + g.name()
			}
			paths = append(paths, p) // without a slash at the end: git would match it as part of the name
		}
		rules := strings.Join(lines, "\n")
		root := plant(t, map[string]string{".gitignore": rules})
		git(t, root, "", "init", "-q")
		out := strings.Split(git(t, root, strings.Join(paths, "\x00")+"\x00", "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin"), "\x00")
		rs := ruleset{levels: &level{git: parseIgnore([]byte(rules), false)}}
		for i, p := range paths {
			want := out[4*i+2] != "" && !strings.HasPrefix(out[4*i+2], "!")
			if out[4*i+3] != p {
				t.Fatalf("git answered about %q, not %q", out[4*i+3], p)
			}
			if got := ignoredWithParents(rs, p); got != want {
				t.Errorf("seed %d: rules %q, path %q: ignored %v, git says %v by %q", seed, rules, p, got, want, out[4*i+2])
			}
		}
		if t.Failed() {
			return
		}
	}
}

// ignoredWithParents asks as the walk does: from the top, folder by folder.
func ignoredWithParents(rs ruleset, p string) bool {
	path := strings.TrimSuffix(p, "/")
	for i := range len(path) {
		if path[i] == '/' && rs.ignored(path[:i], path[strings.LastIndexByte(path[:i], '/')+1:i], true) {
			return true
		}
	}
	return rs.ignored(path, path[strings.LastIndexByte(path, '/')+1:], path != p)
}

// Whole trees with ignore files at several depths, a shared exclude file and a
// personal one give the list git gives.
func TestListLikeGit(t *testing.T) {
	for round := range 16 {
		alone(t)
		g := gen{rand.New(rand.NewPCG(uint64(round), 11))}
		root := plant(t, nil)
		dirs := []string{""}
		for range 3 + g.IntN(12) {
			dirs = append(dirs, g.pick(dirs...)+fileName(g)+"/")
		}
		made := map[string]bool{}
		for range 35 {
			p := g.pick(dirs...) + fileName(g)
			if made[p] || slices.Contains(dirs, p+"/") {
				continue
			}
			made[p] = true
			put(t, root, p, "x")
		}
		some := func(n int) string {
			var lines []string
			for range n {
				p := g.pattern()
				if g.IntN(2) == 0 && len(made) > 0 { // one that surely meets something
					p = fileName(g)
				}
				lines = append(lines, p)
			}
			return strings.Join(lines, "\n")
		}
		for range g.IntN(4) {
			put(t, root, g.pick(dirs...)+".gitignore", some(1+g.IntN(4)))
		}
		git(t, root, "", "init", "-q")
		if g.IntN(2) == 0 {
			put(t, root, ".git/info/exclude", some(2))
		}
		if g.IntN(2) == 0 {
			file := filepath.Join(t.TempDir(), "my ignore")
			put(t, filepath.Dir(file), "my ignore", some(2))
			git(t, root, "", "config", "--global", "core.excludesFile", file)
		}
		want := gitFiles(t, root)
		same(t, fmt.Sprint("round ", round), list(t, Scope{Root: root, All: true}), want)

		// A folder named by the caller shows what git shows below it.
		for _, d := range dirs[1:] {
			var below []string
			for _, p := range want {
				if rest, ok := strings.CutPrefix(p, d); ok {
					below = append(below, rest)
				}
			}
			if below != nil {
				same(t, fmt.Sprint("round ", round, " below ", d), list(t, Scope{Root: filepath.Join(root, d), All: true}), below)
			}
		}
	}
}

// fileName is a name every file system takes.
func fileName(g gen) string {
	return g.pick("a", "b", "c", "ab", "abc", "a.c", "b.log", ".x", "c-1", "1", "build", "a b", "é")
}

func FuzzRule(f *testing.F) {
	f.Add("a/**/b", "a/x/b")
	f.Add("[a-", "a")
	f.Add("***/\\", "x")
	f.Fuzz(func(t *testing.T, rules, path string) {
		rs := ruleset{levels: &level{git: parseIgnore([]byte(rules), len(rules)%2 == 0)}}
		rs.ignored(path, filepath.Base(path), false)
	})
}
