package diffview

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"forge/tools/diff"
	"forge/ui/safe"
	"forge/ui/theme"
)

func plain(rows []string) string {
	return strings.TrimRight(ansi.Strip(strings.Join(rows, "\n")), " ")
}

func view(before, after string, o Options) *View {
	if o.Theme == nil {
		o.Theme = theme.New(true, colorprofile.TrueColor)
	}
	return New(diff.Hunks([]byte(before), []byte(after)), o)
}

const before = "package sum\n\nfunc Add(a, b int) int {\n\treturn a - b\n}\n"
const after = "package sum\n\nfunc Add(a, b int) int {\n\treturn a + b\n}\n"

func TestUnified(t *testing.T) {
	v := view(before, after, Options{Width: 60})
	want := ` @@ -1,5 +1,5 @@
 1 1   package sum
 2 2   
 3 3   func Add(a, b int) int {
 4   -     return a - b
   4 +     return a + b
 5 5   }`
	var got []string
	for _, l := range strings.Split(plain(v.Rows(0, v.Len())), "\n") {
		got = append(got, strings.TrimRight(l, " "))
	}
	if g := strings.Join(got, "\n"); g != strings.ReplaceAll(want, "2 2   \n", "2 2\n") {
		t.Errorf("got\n%s\nwant\n%s", g, want)
	}
}

func TestChangedWordIsMarked(t *testing.T) {
	th := theme.New(true, colorprofile.TrueColor)
	v := view(before, after, Options{Width: 60, Theme: th})
	rows := strings.Join(v.Rows(0, v.Len()), "\n")
	for _, want := range []string{th.DelWord.Open + "-", th.AddWord.Open + "+"} {
		if !strings.Contains(rows, want) {
			t.Errorf("%q is not in %q", want, rows)
		}
	}
}

func TestSplitShowsBothSides(t *testing.T) {
	v := view("a\nold\nb\n", "a\nnew one\nnew two\nb\n", Options{Width: 120, Split: true})
	got := plain(v.Rows(0, v.Len()))
	for _, want := range []string{"2 - old", "2 + new one", "3 + new two"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	for _, r := range v.Rows(0, v.Len()) {
		if w := safe.Width(r); w > 120 {
			t.Errorf("%d cells: %q", w, ansi.Strip(r))
		}
	}
	if narrow := view("a\n", "b\n", Options{Width: 119, Split: true}); narrow.o.Split {
		t.Error("two columns below the width for them")
	}
}

func TestRowsAreAWindowOnTheWhole(t *testing.T) {
	var a, b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&a, "line %d\n", i)
		if i%7 == 0 {
			fmt.Fprintf(&b, "line %d, changed 字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字字\n", i)
			continue
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	for _, o := range []Options{{Width: 40}, {Width: 90}, {Width: 130, Split: true}} {
		v := view(a.String(), b.String(), o)
		all := v.Rows(0, v.Len())
		if len(all) != v.Len() {
			t.Fatalf("width %d: %d rows, said %d", o.Width, len(all), v.Len())
		}
		for i, r := range all {
			if w := safe.Width(r); w > o.Width {
				t.Fatalf("width %d: row %d has %d cells", o.Width, i, w)
			}
		}
		for from := 0; from < v.Len(); from += 13 {
			part := v.Rows(from, from+20)
			for i, r := range part {
				if r != all[from+i] {
					t.Fatalf("width %d: row %d differs when asked for alone", o.Width, from+i)
				}
			}
		}
		for i := range v.hunks {
			if r := ansi.Strip(all[v.HunkRow(i)]); !strings.Contains(r, v.hunks[i].Header()) {
				t.Fatalf("hunk %d is said to begin at %q", i, r)
			}
		}
	}
}

func TestMaxRowsSaysWhatIsLeft(t *testing.T) {
	v := view("", strings.Repeat("x\n", 100), Options{Width: 40, MaxRows: 10})
	rows := v.Rows(0, v.Len())
	if len(rows) != 10 || !strings.Contains(rows[9], "92 more rows") {
		t.Errorf("%d rows, the last is %q", len(rows), rows[len(rows)-1])
	}
}

func TestReviewMarksWithoutColour(t *testing.T) {
	th, _ := theme.Named("dark", true, colorprofile.ASCII, theme.ASCII())
	v := view("a\n"+strings.Repeat("=\n", 20)+"b\n", "A\n"+strings.Repeat("=\n", 20)+"B\n",
		Options{Width: 60, Theme: th, Review: true, Selected: 1, States: []State{Drop, Keep}})
	got := plain(v.Rows(0, v.Len()))
	if !strings.Contains(got, "x drop @@") || !strings.Contains(got, "|+ keep @@") {
		t.Errorf("got\n%s", got)
	}
}

func TestHiddenCharacters(t *testing.T) {
	evil := "ok \u202e txet \x1b[31m\n"
	if got := plain(view("", evil, Options{Width: 60}).Rows(0, 9)); strings.ContainsRune(got, '\u202e') {
		t.Errorf("a bidi mark reaches a cell: %q", got)
	}
	if got := plain(view("", evil, Options{Width: 60, Approve: true}).Rows(0, 9)); !strings.Contains(got, "<U+202E>") || !strings.Contains(got, "<1B>") {
		t.Errorf("hidden where it is approved: %q", got)
	}
}

func TestLineEnds(t *testing.T) {
	if got := plain(view("a\r\nb\r\n", "a\r\nc\r\n", Options{Width: 60, Approve: true}).Rows(0, 9)); strings.Contains(got, "0D") {
		t.Errorf("a file's own line ends are told as news: %q", got)
	}
	if got := plain(view("a\r\n", "a\n", Options{Width: 60, Approve: true}).Rows(0, 9)); !strings.Contains(got, "<0D>") && !strings.Contains(got, "<CR>") {
		t.Errorf("a changed line end is not seen: %q", got)
	}
	if got := plain(view("a\n", "a", Options{Width: 60}).Rows(0, 9)); !strings.Contains(got, "no newline at the end") {
		t.Errorf("got %q", got)
	}
}

func BenchmarkWindow100k(b *testing.B) {
	var x, y strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&x, "line %d of the old file\n", i)
		fmt.Fprintf(&y, "line %d of the new file\n", i)
	}
	v := view(x.String(), y.String(), Options{Width: 120})
	for b.Loop() {
		v.Rows(100_000, 100_040)
	}
}
