package markdown

import (
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"forge/ui/golden"
	"forge/ui/safe"
	"forge/ui/theme"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

func dark() *theme.Theme  { return theme.New(true, colorprofile.TrueColor) }
func plain() *theme.Theme { return theme.New(true, colorprofile.NoTTY) }

// settle does all pending work.
func settle(s *Stream) {
	for work := s.Pending(); work != nil; work = s.Pending() {
		s.Apply(work())
	}
}

// grow appends text in pieces of n bytes, taking rows after each.
func grow(th *theme.Theme, w, n int, text string) *Stream {
	s := New(th)
	for i := 0; i < len(text); i += n {
		s.Append(text[i:min(i+n, len(text))])
		s.Rows(w)
	}
	s.Close()
	return s
}

func samples(t testing.TB) map[string]string {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	out := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".md")] = safe.Output(string(b))
	}
	return out
}

func holds(t *testing.T, name string, rows []string) {
	t.Helper()
	// Escapes are spelt out, so that a golden file can be read and reviewed.
	golden.Same(t, golden.Of(name), strings.ReplaceAll(strings.Join(rows, "\n")+"\n", "\x1b", "␛"))
}

func TestGolden(t *testing.T) {
	for name, text := range samples(t) {
		for _, w := range []int{40, 80, 120} {
			holds(t, fmt.Sprintf("%s.%d", name, w), Render(plain(), w, text))
		}
	}
	all := samples(t)["answer"]
	holds(t, "answer.dark", Render(dark(), 60, all))
	holds(t, "answer.light", Render(theme.New(false, colorprofile.TrueColor), 60, all))
	holds(t, "answer.ansi", Render(theme.New(true, colorprofile.ANSI), 60, all))
	ascii, err := theme.Named("dark", true, colorprofile.ASCII, theme.ASCII())
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "answer.ascii", Render(ascii, 60, all))
}

// TestCheapAndFinalAgree holds the promise that a block does not jump when it
// is finished: the cheap rows and the final ones are the same, looks included.
func TestCheapAndFinalAgree(t *testing.T) {
	for name, text := range samples(t) {
		for _, w := range []int{7, 20, 60, 100} {
			s := New(dark())
			s.Append(text)
			s.Close()
			before := slices.Clone(s.Rows(w))
			settle(s)
			after := s.Rows(w)
			if i := firstDiff(before, after); i >= 0 {
				t.Errorf("%s at %d, row %d:\ncheap %q\nfinal %q", name, w, i, at(before, i), at(after, i))
			}
		}
	}
}

// TestFinishedStays lets a message grow and each block be read once more, as soon as it
// is finished or when all are: what was drawn for good is never drawn in another way or
// place.
func TestFinishedStays(t *testing.T) {
	all := samples(t)
	long := "| n | a cell |\n|--|--|\n"
	for i := range tableOpen + 20 {
		long += fmt.Sprintf("| %d | %s |\n", i, strings.Repeat("`x` ", i%7+i/tableOpen*3))
	}
	all["long table"] = long + "\nend\n"
	all["definitions between"] = "[z]: http://z.example\n\nsee [z] and [a]\n\n[a]: http://a.example\n\nsee [a]\n"
	all["headings"] = "a **b** with blanks   \n---\n\nc\\\n===\n\nend\n"
	all["in a list"] = "- see [a] and [b][a]\n\n  [a]: http://a.example\n\n  now [a]\n\n  | x | y |\n  |---|---|\n  | `1` | [a] |\n  | a wider cell | 2 |\n\nend [a]\n"
	for i := range 2 * len(all) {
		name := slices.Sorted(maps.Keys(all))[i/2]
		text, atOnce := all[name], i%2 == 0
		s := New(dark())
		var fixed []string
		for i := 0; i < len(text); i += 7 {
			s.Append(text[i:min(i+7, len(text))])
			for again := true; again; {
				rows := s.Rows(60)
				if len(fixed) > len(rows) || !slices.Equal(fixed, rows[:len(fixed)]) {
					k := firstDiff(fixed, rows)
					t.Fatalf("%s, byte %d: row %d\n was %q\n now %q", name, i, k, at(fixed, k), at(rows, k))
				}
				fixed = append(fixed[:0], rows[:s.fixed]...)
				if again = false; atOnce {
					if work := s.Pending(); work != nil {
						again = true
						s.Apply(work())
					}
				}
			}
		}
		s.Close()
		settle(s)
		if rows := s.Rows(60); !slices.Equal(fixed, rows[:len(fixed)]) {
			k := firstDiff(fixed, rows)
			t.Errorf("%s at its end: row %d\n was %q\n now %q", name, k, at(fixed, k), at(rows, k))
		}
	}
}

// A table that is being written takes the room its rows ask for. A row comes as a whole,
// unless that takes long; at the end nothing moves.
func TestOpenTable(t *testing.T) {
	s := New(plain())
	long := strings.Repeat("more ", tableHeld/5)
	for _, step := range []struct{ more, want string }{
		{"| a | b |\n|---|---|\n", "a │ b\n──┼──"},
		{"| 1", "a │ b\n──┼──"},
		{" | 2 |\n", "a │ b\n──┼──\n1 │ 2"},
		{"| wide", "a │ b\n──┼──\n1 │ 2"},
		{"r | 3 |\n", "a     │ b\n──────┼──\n1     │ 2\nwider │ 3"},
		{"| " + long, "more"},
		{"| 4 |\n\n", "more"},
	} {
		s.Append(step.more)
		got := strings.Join(s.Rows(40), "\n")
		if step.want == "more" && !strings.Contains(got, "\nmore more more more more more") || step.want != "more" && got != step.want {
			t.Errorf("%q:\n%s\nwant:\n%s", step.more, got, step.want)
		}
	}
}

func firstDiff(a, b []string) int {
	for i := range max(len(a), len(b)) {
		if at(a, i) != at(b, i) {
			return i
		}
	}
	return -1
}

func at(rows []string, i int) string {
	if i < len(rows) {
		return rows[i]
	}
	return "(none)"
}

// TestGrowingIsTheSame holds that what arrives in pieces ends like what is there
// at once, and that a drawn row never changes before Apply.
func TestGrowingIsTheSame(t *testing.T) {
	for name, text := range samples(t) {
		for _, n := range []int{1, 3, 17, 400} {
			for _, w := range []int{13, 60} {
				s := New(dark())
				s.Append(text)
				s.Close()
				want := slices.Clone(s.Rows(w))
				g := New(dark())
				var fixed []string
				for i := 0; i < len(text); i += n {
					g.Append(text[i:min(i+n, len(text))])
					rows := g.Rows(w)
					if len(fixed) > len(rows) || !slices.Equal(fixed, rows[:len(fixed)]) {
						k := firstDiff(fixed, rows)
						t.Fatalf("%s by %d at %d, byte %d: drawn row %d changed\n was %q\n now %q", name, n, w, i, k, at(fixed, k), at(rows, k))
					}
					for _, r := range rows {
						if got := safe.Width(r); got > w {
							t.Fatalf("%s at %d: row of %d cells %q", name, w, got, r)
						}
					}
					fixed = append(fixed[:0], rows[:g.fixed]...)
				}
				g.Close()
				if got := g.Rows(w); !slices.Equal(got, want) {
					k := firstDiff(got, want)
					t.Errorf("%s by %d at %d, row %d:\ngrown %q\nwhole %q", name, n, w, k, at(got, k), at(want, k))
				}
			}
		}
	}
}

func TestNothingIsLost(t *testing.T) {
	for name, text := range samples(t) {
		for _, w := range []int{7, 33, 100} {
			shown := lettersOf(strings.Join(Render(plain(), w, text), ""))
			for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
				return r > 0x7f || !isWord(byte(r)) || r == '_'
			}) {
				if len(word) > 3 && !strings.Contains(shown, word) && !gone[word] {
					t.Errorf("%s at %d: %q is not shown", name, w, word)
				}
			}
		}
	}
}

// gone are words of the samples that are rightly not shown: entity names,
// languages of fences, hidden link titles.
var gone = map[string]bool{"mdash": true, "python": true, "bash": true, "diff": true, "json": true, "title": true, "yaml": true, "markdown": true, "here": true, "nbsp": true}

func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '│' {
			return -1
		}
		return r
	}, s)
}

func TestRandomMarkdown(t *testing.T) {
	parts := []string{"word ", "**", "*", "`", "``", "\n", "\n\n", "- ", "1. ", "  ", "    ", "> ", "# ", "```\n", "```go\n", "~~~\n", "|", "|-|-|\n", "a|b\n",
		"[x](", "](", ")", "[", "]", "![", "<", ">", "&amp;", "&#27;", "&lt;", "\\", "\\*", "---\n", "===\n", "_", "~~", "日本語", "\t", "- [ ] ", "[a]: http://x\n", "http://e.example/x ", "<http://a>", "$", "\U0001f469\u200d\U0001f467"}
	rnd := rand.New(rand.NewSource(3))
	for range 1500 {
		var b strings.Builder
		for range rnd.Intn(40) {
			b.WriteString(parts[rnd.Intn(len(parts))])
		}
		check(t, b.String(), 1+rnd.Intn(50))
	}
}

func check(t *testing.T, text string, w int) {
	t.Helper()
	text = safe.Output(text)
	g := grow(dark(), w, 2, text)
	s := New(dark())
	s.Append(text)
	s.Close()
	if a, b := g.Rows(w), s.Rows(w); !slices.Equal(a, b) {
		k := firstDiff(a, b)
		t.Fatalf("%q at %d, row %d:\ngrown %q\nwhole %q", text, w, k, at(a, k), at(b, k))
	}
	settle(g)
	for _, r := range g.Rows(w) {
		if safe.Width(r) > w {
			t.Fatalf("%q at %d: row %q is %d cells", text, w, r, safe.Width(r))
		}
		p := ansi.Strip(r)
		if safe.Output(p) != p || strings.ContainsAny(p, "\n\t") {
			t.Fatalf("%q at %d: row %q holds controls", text, w, r)
		}
		if strings.Count(r, "\x1b") != strings.Count(r, "\x1b[") {
			t.Fatalf("%q at %d: row %q holds a sequence that is no look", text, w, r)
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, text := range samples(f) {
		f.Add(text, 40)
	}
	f.Fuzz(func(t *testing.T, text string, w int) {
		if len(text) < 2000 && w > 0 && w < 200 {
			check(t, text, w)
		}
	})
}

// TestProseKeepsAMeasure: on a wide screen prose, lists and quotes stay narrow
// enough to read; code and tables take the room there is.
func TestProseKeepsAMeasure(t *testing.T) {
	words := strings.Repeat("word ", 60)
	long := strings.Repeat("x", 150)
	for _, c := range []struct {
		text string
		want int // cells of the widest row
	}{
		{words, 99}, {"- " + words, 99 + 2}, {"> " + words, 99 + 2}, {"# " + words, 99}, {"---", Measure},
		{"```\n" + long + "\n```", 152}, {"a | b\n--|--\n" + long + " | c", 154},
	} {
		widest := 0
		for _, r := range Render(plain(), 200, c.text) {
			widest = max(widest, safe.Width(r))
		}
		if widest != c.want {
			t.Errorf("%.20q: the widest row has %d cells, not %d", c.text, widest, c.want)
		}
	}
}
