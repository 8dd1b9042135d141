package search

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func grepText(t testing.TB, root string, q Query, s Scope) (Hits, string) {
	t.Helper()
	s.Root = root
	h, err := Grep(t.Context(), s, q)
	must(t, err)
	var b strings.Builder
	for _, f := range h.Files {
		for _, l := range f.Lines {
			sep := "-"
			if l.Match {
				sep = ":"
			}
			fmt.Fprintf(&b, "%s%s%d%s%s\n", f.Path, sep, l.N, sep, l.Text)
		}
		if len(f.Lines) == 0 {
			fmt.Fprintf(&b, "%s=%d\n", f.Path, f.Count)
		}
	}
	return h, b.String()
}

func TestGrep(t *testing.T) {
	alone(t)
	root := plant(t, map[string]string{
		"a.txt": "one\ntwo\nthree\nfour\nfive\ntwo again", "crlf.txt": "foo\r\nbar\r\nfoobar\r\n", "empty": "", "sub/b.go": "func F() {}\n\n\tF()\n",
		"bin": "two\x00two", "bom.txt": "\xef\xbb\xbffirst\nsecond\n", "latin": "caf\xe9 two\n", "link -> a.txt": "",
		"fold.txt": "Task\nTASK\nta\u017fk\ntas\u212a\nÉCLAIR\n", "meta": "a.b[0](x)\naxb0x\n",
	})
	for _, c := range []struct {
		name string
		q    Query
		s    Scope
		want string
	}{
		{"literal", Query{Pattern: "two"}, Scope{}, "a.txt:2:two\na.txt:6:two again\nlatin:1:caf\ufffd two\n"},
		{"context", Query{Pattern: "three", Context: 1}, Scope{}, "a.txt-2-two\na.txt:3:three\na.txt-4-four\n"},
		{"context joins", Query{Pattern: "two|four", Context: 1}, Scope{Include: []string{"a.*"}},
			"a.txt-1-one\na.txt:2:two\na.txt-3-three\na.txt:4:four\na.txt-5-five\na.txt:6:two again\n"},
		{"line end", Query{Pattern: "foo$"}, Scope{}, "crlf.txt:1:foo\n"},
		{"line end without literal", Query{Pattern: "^[a-z]{3}$"}, Scope{Include: []string{"crlf*"}}, "crlf.txt:1:foo\ncrlf.txt:2:bar\n"},
		{"line begin", Query{Pattern: "^first"}, Scope{}, "bom.txt:1:first\n"},
		{"text begin is line begin", Query{Pattern: `\Asecond\z`}, Scope{}, "bom.txt:2:second\n"},
		{"empty lines", Query{Pattern: "^$"}, Scope{}, "sub/b.go:2:\n"},
		{"word", Query{Pattern: `\bF\b`}, Scope{}, "sub/b.go:1:func F() {}\nsub/b.go:3:\tF()\n"},
		{"fold", Query{Pattern: "task", IgnoreCase: true}, Scope{}, "fold.txt:1:Task\nfold.txt:2:TASK\nfold.txt:3:ta\u017fk\nfold.txt:4:tas\u212a\n"},
		{"fold by flag", Query{Pattern: "(?i)éclair"}, Scope{}, "fold.txt:5:ÉCLAIR\n"},
		{"as it stands", Query{Pattern: "a.b[0](x)", Literal: true}, Scope{}, "meta:1:a.b[0](x)\n"},
		{"files", Query{Pattern: "two", Mode: Files}, Scope{}, "a.txt=1\nlatin=1\n"},
		{"count", Query{Pattern: "two", Mode: Count}, Scope{}, "a.txt=2\nlatin=1\n"},
		{"include", Query{Pattern: "o", Mode: Files}, Scope{Include: []string{"*.txt"}, Exclude: []string{"b*", "crlf.*"}}, "a.txt=1\n"},
		{"not over lines", Query{Pattern: `two\s+three|(?s)one.two`}, Scope{}, ""},
		{"not a break", Query{Pattern: `[^a-z]$`, Mode: Count}, Scope{Include: []string{"crlf.txt"}}, "crlf.txt=0\n"},
	} {
		if c.name == "not a break" {
			c.want = "" // the \r belongs to the line end
			c.q.Pattern = `[^a-z\r]$`
		}
		if _, got := grepText(t, root, c.q, c.s); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
	h, _ := grepText(t, root, Query{Pattern: "two"}, Scope{})
	if h.Stats.Binary != 1 || h.Stats.Files != 8 || h.Matches != 3 || h.Matched != 2 || h.More {
		t.Errorf("hits: %+v", h)
	}
	if h, got := grepText(t, filepath.Join(root, "a.txt"), Query{Pattern: "four"}, Scope{}); got != "a.txt:4:four\n" || h.Matches != 1 {
		t.Errorf("one file: %q %+v", got, h)
	}
}

func TestGrepUTF16(t *testing.T) {
	alone(t)
	text := "first\r\nzwei Wörter 你好 😀\nlast"
	encode := func(big bool) string {
		var b bytes.Buffer
		for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
			if big {
				b.Write([]byte{byte(u >> 8), byte(u)})
			} else {
				b.Write([]byte{byte(u), byte(u >> 8)})
			}
		}
		return b.String()
	}
	root := plant(t, map[string]string{"be": encode(true), "le": encode(false)})
	_, got := grepText(t, root, Query{Pattern: "wörter 你.*😀", IgnoreCase: true}, Scope{})
	if want := "be:2:zwei Wörter 你好 😀\nle:2:zwei Wörter 你好 😀\n"; got != want {
		t.Fatalf("got %q, want %q", got, want)
	}
}

func TestGrepBadPattern(t *testing.T) {
	for _, c := range []struct {
		pattern string
		column  int
		hint    string
	}{
		{"foo(bar", 4, "literal"}, {"a)b", 2, "literal"}, {"x[a-", 2, "literal"}, {"a**", 2, "literal"}, {`abc\`, 4, "literal"},
		{"(?=x)y", 1, "look-around"}, {`(a)\1`, 4, "back-references"}, {"a\nb", 2, "one by one"}, {`a\nb`, 2, "one by one"}, {"", 1, "text"},
		{"[z-a]", 2, "literal"}, {"*x", 1, "literal"},
	} {
		_, err := Grep(t.Context(), Scope{Root: t.TempDir()}, Query{Pattern: c.pattern})
		var pe *PatternError
		if !errors.As(err, &pe) || pe.Column != c.column || !strings.Contains(pe.Hint, c.hint) {
			t.Errorf("%q: %v", c.pattern, err)
		}
	}
	_, err := Grep(t.Context(), Scope{Root: t.TempDir()}, Query{Pattern: strings.Repeat("(ä", 3000)})
	if err == nil || len(err.Error()) > 500 || !utf8.ValidString(err.Error()) || !strings.Contains(err.Error(), "(ä(…\" at column 8998: missing closing )") {
		t.Errorf("a long pattern: %v", err)
	}
}

// A long line is cut so that the match stays in view.
func TestGrepLongLine(t *testing.T) {
	alone(t)
	root := plant(t, map[string]string{"min.js": strings.Repeat("ä", 5000) + "needle" + strings.Repeat("z", 5000) + "\nneedle at the front" + strings.Repeat("y", 900)})
	h, _ := grepText(t, root, Query{Pattern: "needle"}, Scope{})
	for i, l := range h.Files[0].Lines {
		if n := utf8.RuneCountInString(l.Text); n > DefaultColumns || n < DefaultColumns-2 || !strings.Contains(l.Text, "needle") {
			t.Errorf("line %d: %d characters: %s", i, n, l.Text)
		}
	}
	if a, b := h.Files[0].Lines[0].Text, h.Files[0].Lines[1].Text; !strings.HasPrefix(a, "…ä") || !strings.HasSuffix(a, "z…") ||
		!strings.HasPrefix(b, "needle") || !strings.HasSuffix(b, "y…") {
		t.Errorf("cut: %q, %q", a, b)
	}
}

// The limit gives the first in the order of paths, whoever finds them.
func TestGrepLimit(t *testing.T) {
	alone(t)
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d%02d/f%03d.txt", i%17, i)] = "hit\nmiss\nhit\n"
	}
	files["d00/a.txt"] = strings.Repeat("miss\n", 200000) + "hit\n" // slow, and first
	root := plant(t, files)
	all, allText := grepText(t, root, Query{Pattern: "hit", Limit: 1e6}, Scope{})
	if all.Matches != 601 || all.More {
		t.Fatalf("all: %d %v", all.Matches, all.More)
	}
	lines := strings.SplitAfter(allText, "\n")
	for _, limit := range []int{1, 2, 7, 100, 600, 601} {
		for _, workers := range []int{1, 2, 5} {
			h, got := grepText(t, root, Query{Pattern: "hit", Limit: limit}, Scope{Workers: workers})
			if want := strings.Join(lines[:limit], ""); got != want || h.More != (limit < 601) || h.Matches != limit {
				t.Fatalf("limit %d, %d workers: %d told, more %v", limit, workers, h.Matches, h.More)
			}
		}
	}
	h, _ := grepText(t, root, Query{Pattern: "hit", Limit: 5, Mode: Count}, Scope{})
	if h.Matches != 601 || h.Matched != 301 || len(h.Files) != 5 || !h.More {
		t.Errorf("count: %d in %d, %d told", h.Matches, h.Matched, len(h.Files))
	}
	h, _ = grepText(t, root, Query{Pattern: "hit", Limit: 5, Mode: Files}, Scope{})
	if len(h.Files) != 5 || !h.More {
		t.Errorf("files: %+v", h)
	}
}

// naive is the search as one would write it without care for time.
func naive(re *regexp.Regexp, text string) (hits []int) {
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Buffer(nil, 1<<24)
	for n := 1; sc.Scan(); n++ {
		if re.MatchString(sc.Text()) {
			hits = append(hits, n)
		}
	}
	return hits
}

// Whatever the shortcuts (needles, states, pieces of a long file), the lines
// are those the plain expression matches.
func TestGrepLikeRegexp(t *testing.T) {
	patterns := []string{"ab", "a|bc|ca", "a+b", "(?i)ask", "(?i)k", "[abc]{3}", "^a", "c$", "^$", `\bab\b`, `\Bb`, "x*", "a.c", "(ab|ba)+c", "é", "[^a]b", "a?b?c",
		"(?i)(ab|é)c", "ab?c|ſ", `\w+b\(`, "a{2,3}b", "(a|b)*c$", `^\s*b`, "()", "c|", `[[:upper:]]b`, `\x{212a}`, "(?:^|b)a", "(?:a|$)c?$", "a(?:b|c)a", "^(?:ab|cd)"}
	letters := []string{"a", "b", "c", "a", "b", "A", "K", "k", "s", "ſ", "\u212a", " ", "\n", "\n", "(", "é", "É", "x", "", "_", "\r\n"}
	root := t.TempDir()
	tr, err := openTree(root)
	must(t, err)
	defer tr.close()
	d, err := tr.open("")
	must(t, err)
	defer d.close()
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 40 {
		var b strings.Builder
		for range r.IntN(400) {
			b.WriteString(letters[r.IntN(len(letters))])
		}
		text := b.String()
		if strings.HasPrefix(text, "\ufeff") {
			continue
		}
		for _, p := range patterns {
			re := regexp.MustCompile("(?m:" + p + ")")
			q := Query{Pattern: p, Limit: 1 << 20, Columns: 1 << 20, Context: round % 3}
			pat, err := newPattern(q)
			must(t, err)
			for _, limit := range []int{maxBuffer, 64, 0} {
				lines := scanText(t, root, d, pat, q, text, limit)
				var got []int
				for _, l := range lines {
					if l.Match {
						got = append(got, l.N)
					}
				}
				want := naive(re, text)
				if !slices.Equal(got, want) {
					t.Fatalf("round %d, buffer %d, %q in %q: lines %v, want %v", round, limit, p, text, got, want)
				}
				checkContext(t, lines, want, text, q.Context)
			}
		}
	}
}

// scanText searches a text from a file with a buffer of at most limit bytes. A
// line must fit the buffer, so a small one grows to the longest line.
func scanText(t *testing.T, root string, d *dir, p *pattern, q Query, text string, limit int) []Line {
	longest := 0
	for line := range strings.Lines(text) {
		longest = max(longest, len(line))
	}
	var halt atomic.Bool
	sc := newScanner(&halt, p, q)
	if limit == 0 { // without states
		sc.dfa, limit = nil, maxBuffer
	}
	if limit < maxBuffer {
		sc.max = max(limit, longest*(q.Context+2)*2)
		sc.buf = make([]byte, min(16, sc.max))
	}
	must(t, os.WriteFile(filepath.Join(root, "f"), []byte(text), 0o600))
	fh, _ := sc.file(d, "f")
	return fh.Lines
}

func checkContext(t *testing.T, lines []Line, hits []int, text string, context int) {
	t.Helper()
	all := strings.Split(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	var want []int
	for n := 1; n <= len(all); n++ {
		if slices.ContainsFunc(hits, func(h int) bool { return h-context <= n && n <= h+context }) {
			want = append(want, n)
		}
	}
	var got []int
	for _, l := range lines {
		got = append(got, l.N)
		if w := strings.ToValidUTF8(strings.TrimSuffix(all[l.N-1], "\r"), "\ufffd"); l.Text != w {
			t.Fatalf("line %d is %q, want %q", l.N, l.Text, w)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("with context %d: lines %v, want %v of %q", context, got, want, text)
	}
}

// The same lines as git grep, which has its own walk and its own expressions.
func TestGrepLikeGit(t *testing.T) {
	alone(t)
	files := map[string]string{".gitignore": "skip/\n*.o\n"}
	r := rand.New(rand.NewPCG(3, 4))
	words := []string{"func", "Close", "(", ")", "foo_bar", "TODO", "todo", "12345", " ", "\t", "\n", "\n", "Error(", "x", "é"}
	for i := range 120 {
		var b strings.Builder
		for range 200 {
			b.WriteString(words[r.IntN(len(words))])
		}
		b.WriteString("\n")
		files[fmt.Sprintf("%s/f%d.%s", []string{"a", "b/c", "skip", "d"}[i%4], i, []string{"go", "o", "txt"}[i%3])] = b.String()
	}
	root := plant(t, files)
	git(t, root, "", "init", "-q")
	for _, p := range []string{"func", "func.*Close", "TODO|12345x", "[0-9]+x", `\(\)`, "^x", "x$", "[a-z]+_[a-z]+E"} {
		for _, fold := range []bool{false, true} {
			args := []string{"grep", "-nE", "--untracked", "--no-color", "-e", p}
			if fold {
				args = append(args, "-i")
			}
			want := strings.Split(git(t, root, "", args...), "\n")
			_, got := grepText(t, root, Query{Pattern: p, IgnoreCase: fold, Limit: 1e6, Columns: 1e6}, Scope{All: true})
			have := strings.Split(got, "\n")
			slices.Sort(want)
			slices.Sort(have)
			same(t, fmt.Sprintf("%q, fold %v", p, fold), have, want)
		}
	}
}

func TestGrepLikeRipgrep(t *testing.T) {
	rg, root := ripgrep(t)
	root = filepath.Join(root, "net")
	for _, p := range []string{"errUnsupported", `func \(.*\) Close\(`, `\w+Error\(`, "(?i)todo", "ReadAll|WriteAll|CopyN", `[A-Z]{5,}_[0-9]+`, `^\}$`, `[^\x00-\x7f]`} {
		raw, err := exec.Command(rg, "--no-config", "--hidden", "--no-heading", "-n", "--sort", "path", "-e", p, root).Output()
		if err != nil && len(raw) > 0 {
			t.Fatal(err)
		}
		var want []string
		for line := range strings.Lines(string(raw)) {
			want = append(want, strings.TrimSuffix(strings.TrimSuffix(line[len(root)+1:], "\n"), "\r"))
		}
		_, got := grepText(t, root, Query{Pattern: p, Limit: 1e6, Columns: 1e6}, Scope{All: true})
		have := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		if len(want) == 0 {
			want = []string{""}
		}
		same(t, p, have, want)
	}
}

// A pattern that needs too many states is handed to the expression.
func TestDFAGivesUp(t *testing.T) {
	p, err := newPattern(Query{Pattern: "[ab]*a[ab]{16}c"})
	must(t, err)
	d := newDFA(p.prog)
	r := rand.New(rand.NewPCG(5, 6))
	for n := 0; d.usable(); n++ {
		if n > 10000 {
			t.Fatalf("%d states and %d resets after %d lines", len(d.states), d.resets, n)
		}
		line := make([]byte, 200)
		for i := range line {
			line[i] = "ab"[r.IntN(2)]
		}
		line[199] = 'c'
		if match, ok := d.line(line); ok && match != p.re.Match(line) {
			t.Fatalf("%s: %v", line, match)
		}
		if len(d.states) > maxStates || len(d.table) > maxStates*width {
			t.Fatalf("%d states", len(d.states))
		}
	}
}

func FuzzDFA(f *testing.F) {
	f.Add("a+b|^c$", "xaab\n")
	f.Add(`(?i)\bk.\B`, "K1 \u212a")
	f.Fuzz(func(t *testing.T, expr, text string) {
		if len(expr) > 60 || strings.ContainsAny(text, "\n") {
			return
		}
		p, err := newPattern(Query{Pattern: expr})
		if err != nil {
			return
		}
		d := newDFA(p.prog)
		if d == nil {
			return
		}
		for range 2 { // the second time the states are known
			if match, ok := d.line([]byte(text)); ok && match != p.re.MatchString(text) {
				t.Fatalf("%q in %q: %v", expr, text, match)
			}
		}
	})
}
