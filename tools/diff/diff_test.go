package diff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// randomText makes a text of a small alphabet, so that lines repeat, with mixed
// line ends and sometimes no last one.
func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteString(strings.Repeat(string(rune('a'+r.IntN(6))), r.IntN(3)))
		b.WriteString([]string{"\n", "\n", "\n", "\r\n", "\r\r\n"}[r.IntN(5)])
	}
	if r.IntN(3) == 0 {
		b.WriteString("tail")
	}
	return b.String()
}

func mutate(r *rand.Rand, s string) string {
	lines := split(s)
	for range r.IntN(6) {
		i := 0
		if len(lines) > 0 {
			i = r.IntN(len(lines))
		}
		switch r.IntN(3) {
		case 0:
			lines = append(lines[:i:i], append([]string{fmt.Sprintf("new %d\n", r.IntN(9))}, lines[i:]...)...)
		case 1:
			if len(lines) > 0 {
				lines = append(lines[:i:i], lines[i+1:]...)
			}
		case 2:
			if len(lines) > 0 {
				lines[i] = "changed" + lines[i]
			}
		}
	}
	return strings.Join(lines, "")
}

func TestAnySubsetOfHunksApplies(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 3000 {
		before := randomText(r, r.IntN(60))
		after := mutate(r, before)
		if n%5 == 0 {
			after = randomText(r, r.IntN(60))
		}
		hunks := Hunks([]byte(before), []byte(after))
		if (before == after) != (len(hunks) == 0) {
			t.Fatalf("%q → %q: %d hunks", before, after, len(hunks))
		}
		if got := Apply([]byte(before), hunks); string(got) != after {
			t.Fatalf("%q → %q: all hunks give %q", before, after, got)
		}
		if got := Apply([]byte(before), nil); string(got) != before {
			t.Fatalf("%q: no hunk gives %q", before, got)
		}
		var some, others []Hunk
		for _, h := range hunks {
			if r.IntN(2) == 0 {
				some = append(some, h)
			} else {
				others = append(others, h)
			}
		}
		half := Apply([]byte(before), some)
		if kept, ok := Kept([]byte(before), hunks, half); !ok {
			t.Fatalf("%q: %q is not seen as %d of %d hunks", before, half, len(some), len(hunks))
		} else {
			var again []Hunk
			for i, k := range kept {
				if k {
					again = append(again, hunks[i])
				}
			}
			if got := Apply([]byte(before), again); !bytes.Equal(got, half) {
				t.Fatalf("Kept gives %v, which is %q, not %q", kept, got, half)
			}
		}
		checkNumbers(t, before, after, hunks)
		// What was dropped can still be made afterwards.
		rest := Hunks(half, []byte(after))
		if got := Apply(half, rest); string(got) != after {
			t.Fatalf("the rest of %d hunks does not lead on to %q", len(others), after)
		}
	}
}

// checkNumbers holds every line of every hunk to the texts it is numbered after.
func checkNumbers(t *testing.T, before, after string, hunks []Hunk) {
	t.Helper()
	a, b := split(before), split(after)
	for _, h := range hunks {
		olds, news := 0, 0
		for _, l := range h.Lines {
			if l.Op != Insert {
				olds++
				if a[l.Old-1] != l.Text {
					t.Fatalf("line %d before is %q, the hunk says %q", l.Old, a[l.Old-1], l.Text)
				}
			}
			if l.Op != Delete {
				news++
				if b[l.New-1] != l.Text {
					t.Fatalf("line %d after is %q, the hunk says %q", l.New, b[l.New-1], l.Text)
				}
			}
		}
		if olds != h.OldCount || news != h.NewCount {
			t.Fatalf("%s counts %d and %d", h.Header(), olds, news)
		}
	}
}

func TestHunksOfANameReplacedEverywhere(t *testing.T) {
	var a, b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&a, "line %d\n", i)
		if i%10 == 5 {
			fmt.Fprintf(&a, "use oldName here\n")
		}
	}
	b.WriteString(strings.ReplaceAll(a.String(), "oldName", "newName"))
	hunks := Hunks([]byte(a.String()), []byte(b.String()))
	if added, removed := Stats(hunks); len(hunks) != 200 || added != 200 || removed != 200 {
		t.Errorf("200 places changed: %d hunks, +%d −%d", len(hunks), added, removed)
	}
}

func TestUnified(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"equal", "a\n", "a\n", ""},
		{"new file", "", "a\nb\n", "--- a\n+++ b\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"emptied", "a\n", "", "--- a\n+++ b\n@@ -1 +0,0 @@\n-a\n"},
		{"no last line end", "a\nb", "a\nc", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
		{"last line end added", "a", "a\n", "--- a\n+++ b\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"line end changed", "a\r\nb\n", "a\nb\n", "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\r\n+a\n b\n"},
		{"two hunks", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "X\n2\n3\n4\n5\n6\n7\n8\nY\n",
			"--- a\n+++ b\n@@ -1,4 +1,4 @@\n-1\n+X\n 2\n 3\n 4\n@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+Y\n"},
		{"one hunk when near", "1\n2\n3\n4\n5\n6\n7\n8\n", "X\n2\n3\n4\n5\n6\n7\nY\n",
			"--- a\n+++ b\n@@ -1,8 +1,8 @@\n-1\n+X\n 2\n 3\n 4\n 5\n 6\n 7\n-8\n+Y\n"},
	} {
		if got := Unified("a", "b", Hunks([]byte(c.before), []byte(c.after))); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// What we write must be read by the programs that read such things.
func TestPatchReadsIt(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	r := rand.New(rand.NewPCG(3, 4))
	dir := t.TempDir()
	for n := range 15 {
		before := randomText(r, 5+r.IntN(60))
		after := mutate(r, before) + "end\n"
		if err := os.WriteFile(filepath.Join(dir, "f"), []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(git, "apply", "--whitespace=nowarn", "-")
		c.Dir = dir
		c.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
		c.Stdin = strings.NewReader(Unified("a/f", "b/f", Hunks([]byte(before), []byte(after))))
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("case %d: %v\n%s", n, err, out)
		}
		got, err := os.ReadFile(filepath.Join(dir, "f"))
		if err != nil || string(got) != after {
			t.Fatalf("case %d: git made %q, want %q (%v)", n, got, after, err)
		}
	}
}

func TestKeptSaysWhenItIsSomethingElse(t *testing.T) {
	before := []byte("1\n2\n3\n")
	hunks := Hunks(before, []byte("1\nX\n3\n"))
	if _, ok := Kept(before, hunks, []byte("1\nY\n3\n")); ok {
		t.Error("a text of the reviewer's own passes for some of the hunks")
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ old, new, gone, came string }{
		{"func add(a int) int {\n", "func sum(a int) int {\n", "[add]", "[sum]"},
		{"return a - b\n", "return a + b\n", "[-]", "[+]"},
		{"x := foo(bar, baz)", "x := foo(bar, baz, qux)", "[]", "[, qux]"},
		{"f(one two)", "f(three four)", "[]", "[]"}, // under a third in common: the whole line changed
		{"result = call(one two)", "result = call(three four)", "[one two]", "[three four]"},
		{"same", "same", "[]", "[]"},
		{"completely different", "nothing alike here!", "[]", "[]"},
		{"他写代码很快", "他写代码很慢", "[快]", "[慢]"},
		{"a\xff b c d", "a\xff b x d", "[c]", "[x]"},
		{strings.Repeat("x ", 2000), strings.Repeat("x ", 2001), "[]", "[]"},
	} {
		gone, came := Words(c.old, c.new)
		if g, n := cut(c.old, gone), cut(c.new, came); g != c.gone || n != c.came {
			t.Errorf("%.30q → %.30q: gone %s, came %s; want %s, %s", c.old, c.new, g, n, c.gone, c.came)
		}
	}
}

func cut(s string, spans []Span) string {
	parts := []string{}
	for _, p := range spans {
		parts = append(parts, s[p.Start:p.End])
	}
	return fmt.Sprintf("%s", parts)
}

// The six kinds of change a file of 100,000 lines may see.
func BenchmarkHunks100k(b *testing.B) {
	const n = 100_000
	lines := make([]string, n)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range lines {
		lines[i] = fmt.Sprintf("\tvalue[%d] = compute(%d, \"%x\")\n", i, r.IntN(1000), r.Uint32())
		if i%7 == 0 {
			lines[i] = "}\n"
		}
	}
	edited := func(every int) []string {
		out := append([]string{}, lines...)
		for i := 0; i < n; i += every {
			out[i] = fmt.Sprintf("edited %d\n", i)
		}
		return out
	}
	reindented := append([]string{}, lines...)
	fresh := append([]string{}, lines...)
	shuffled := append([]string{}, lines...)
	for i := range lines {
		reindented[i] = "\t" + lines[i]
		fresh[i] = fmt.Sprintf("fresh %d\n", i)
	}
	r.Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	moved := append(append(append([]string{}, lines[n/2:n/2+n/5]...), lines[:n/2]...), lines[n/2+n/5:]...)
	before := []byte(strings.Join(lines, ""))
	for _, c := range []struct {
		name  string
		after []string
	}{
		{"20 edits", edited(n / 20)}, {"10 percent", edited(10)}, {"reindent", reindented},
		{"all new", fresh}, {"block move", moved}, {"shuffle", shuffled},
	} {
		after := []byte(strings.Join(c.after, ""))
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if got := Apply(before, Hunks(before, after)); len(got) != len(after) {
					b.Fatal("wrong")
				}
			}
		})
	}
}
