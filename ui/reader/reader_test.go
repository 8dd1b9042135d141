package reader_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"forge/ui/reader"
	"forge/ui/theme"
)

func TestFind(t *testing.T) {
	for _, c := range []struct {
		words, text string
		want        []reader.Span
	}{
		{"go", "Go is go, GO", []reader.Span{{0, 2}, {6, 8}, {10, 12}}},
		{"Go", "Go is go", []reader.Span{{0, 2}}},
		{"中文", "有中文和中文", []reader.Span{{3, 9}, {12, 18}}},
		{"i", "İi", []reader.Span{{2, 3}}}, // the small one of İ is longer: offsets stay
		{"", "anything", nil},
	} {
		if got := reader.NewQuery(c.words).Find(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q in %q: %v, not %v", c.words, c.text, got, c.want)
		}
	}
}

func TestHighlight(t *testing.T) {
	th := theme.New(true, colorprofile.TrueColor)
	row := th.Strong.Apply("查找") + " plain " + th.Accent.Apply("find me")
	got := reader.Highlight(row, reader.NewQuery("找 plain f"), th.Selection, -1, th.Match)
	if ansi.Strip(got) != ansi.Strip(row) {
		t.Errorf("the text changed: %q", ansi.Strip(got))
	}
	if !strings.Contains(got, th.Selection.Apply("找 plain f")) {
		t.Errorf("not painted: %q", got)
	}
	if reader.Highlight(row, reader.Query{}, th.Selection, 0, th.Match) != row {
		t.Error("a row without words to find changed")
	}
	got = reader.Highlight("one two one", reader.NewQuery("one"), th.Match, 1, th.Selection)
	if got != th.Match.Apply("one")+" two "+th.Selection.Apply("one") {
		t.Errorf("the place looked at is painted like the others: %q", got)
	}
}

func TestHits(t *testing.T) {
	texts := []string{"a b", "", "b b", "c"}
	h := reader.FindAll(reader.NewQuery("b"), len(texts), func(i int) string { return texts[i] })
	if h.Len() != 3 || h.At(2) != (reader.Hit{Text: 2, Nth: 1}) {
		t.Fatalf("%d hits, the last %v", h.Len(), h.At(2))
	}
	if h.From(1) != 1 || h.From(3) != 0 || h.Until(1) != 0 || h.Until(3) != 2 {
		t.Errorf("from %d %d, until %d %d", h.From(1), h.From(3), h.Until(1), h.Until(3))
	}
}

func TestBlocks(t *testing.T) {
	text := "See:\n\n```go\nfunc main() {\n\tprintln(\"hi\")\n}\n```\n\n- item\n\n  ~~~sh\n  ls -l\n    deep\n  ~~~\n\n> ```\n> quoted\n> ```\n\n````md\n```go\ninner\n```\n````\n\nuse ```not code``` here\n\n```\nopen"
	var got []string
	for _, b := range reader.Blocks(text) {
		got = append(got, b.Lang+":"+b.Text)
	}
	want := []string{"go:func main() {\n\tprintln(\"hi\")\n}", "sh:ls -l\n  deep", ":quoted", "md:```go\ninner\n```", ":open"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// Rows are wrapped, padded and without markup; what is copied of them is the source.
func TestAlign(t *testing.T) {
	source := "## A heading\n\nSome **bold words** in a long paragraph that is wrapped here.\n\n- one `item`\n- two\n\n```go\n\tif x {\n\t\treturn\n\t}\n```\n\n中文的一个很长的段落，没有空格，会换行。\n\nSee [the page](https://example.com/a/very/long/address?with=query) for more.\n"
	rows := []string{
		"  A heading", "",
		"  Some bold words in a long", "  paragraph that is wrapped here.", "",
		"  • one item", "  • two", "",
		"    go",
		"        if x {", "            return", "        }", "",
		"  中文的一个很长的段落，没有空格，    ", "  会换行。", "",
		"  See the page for more.",
	}
	m := reader.Align(source, rows)
	const end = 1 << 20
	for _, c := range []struct {
		r0, c0, r1, c1 int
		want           string
	}{
		{0, 0, 0, end, "## A heading"},
		{2, 0, 3, end, "Some **bold words** in a long paragraph that is wrapped here."},
		{2, 12, 2, 17, "words"},
		{3, 2, 3, 11, "paragraph"},
		{5, 0, 6, end, "- one `item`\n- two"},
		{9, 0, 11, end, "\tif x {\n\t\treturn\n\t}"},
		{13, 0, 14, end, "中文的一个很长的段落，没有空格，会换行。"},
		{13, 6, 13, 10, "的一"},
		{16, 0, 16, end, "See [the page](https://example.com/a/very/long/address?with=query) for more."},
	} {
		if got := m.Text(c.r0, c.c0, c.r1, c.c1, false); got != c.want {
			t.Errorf("rows %d:%d to %d:%d: %q, not %q", c.r0, c.c0, c.r1, c.c1, got, c.want)
		}
	}
}

// The end of folded output is found behind what the fold hides, a clipped row is
// copied whole, and a title as it looks.
func TestAlignFolded(t *testing.T) {
	var lines []string
	for i := range 5000 {
		lines = append(lines, fmt.Sprintf("line %d\tof output", i))
	}
	lines[4999] = "the last one is long: " + strings.Repeat("x", 300)
	m := reader.Align(strings.Join(lines, "\n"), []string{"  ✓ run go test  done", "    4998 lines more · ctrl+o", "    line 4998   of output", "    the last one is long: xxxxxxx…"})
	if got, want := m.Text(3, 0, 3, 1000, true), lines[4999]; got != want {
		t.Errorf("a clipped row: %q", got)
	}
	if got := m.Text(0, 0, 0, 1000, true); got != "✓ run go test  done" {
		t.Errorf("a title: %q", got)
	}
}

func FuzzAlign(f *testing.F) {
	f.Add("a **b** c\n\n```\nx\n```", "  a b c\n\n    x", 0, 3, 2, 9)
	f.Add("中文\xff", "  中文", 0, 1, 0, 3)
	f.Fuzz(func(t *testing.T, source, rows string, r0, c0, r1, c1 int) {
		m := reader.Align(source, strings.Split(rows, "\n"))
		m.Text(r0, c0, r1, c1, true)
		m.Text(0, 0, 1<<20, 1<<20, false)
	})
}

// A row that ends in marked text, and one that begins with it, belong together as they
// stand in the source.
func TestAlignAcrossMarks(t *testing.T) {
	const end = 1 << 20
	for _, c := range []struct {
		source string
		rows   []string
		r0, c0 int
		r1, c1 int
		want   string
	}{
		{"Run `go test ./...` and look", []string{"  Run go test ./...", "  and look"}, 0, 2, 1, end, "Run `go test ./...` and look"},
		{"Run `go test ./...` and look", []string{"  Run go test ./...", "  and look"}, 0, 6, 1, 5, "`go test ./...` and"},
		{"Run `go test ./...` and look", []string{"  Run go test ./...", "  and look"}, 0, 9, 1, 5, "test ./... and"},
		{"Run `go test ./...` and look", []string{"  Run go test ./...", "  and look"}, 0, 2, 0, 13, "Run go test"},
		{"Run `go test ./...` and look", []string{"  Run go test ./...", "  and look"}, 0, 6, 0, 13, "go test"},
		{"```\necho `date\necho\n```\n", []string{"    echo `date", "    echo"}, 0, 0, 1, end, "echo `date\necho"},
		{"Run `go test` `./...` and", []string{"  Run go test", "  ./... and"}, 0, 2, 1, end, "Run `go test` `./...` and"},
		{"Run **all** of *them* now", []string{"  Run all", "  of them", "  now"}, 0, 2, 2, end, "Run **all** of *them* now"},
		{"Run **all** of *them* now", []string{"  Run all", "  of them", "  now"}, 1, 2, 2, end, "of *them* now"},
		{"- see `a.go`\n- and `b.go` too", []string{"  • see a.go", "  • and b.go", "    too"}, 0, 2, 2, end, "- see `a.go`\n- and `b.go` too"},
		{"调用 `go test`，然后看结果", []string{"  调用 go test，", "  然后看结果"}, 0, 2, 1, end, "调用 `go test`，然后看结果"},
		{"Use `one`, or `two`", []string{"  Use one,", "  or two"}, 0, 2, 1, end, "Use `one`, or `two`"},
	} {
		if got := reader.Align(c.source, c.rows).Text(c.r0, c.c0, c.r1, c.c1, false); got != c.want {
			t.Errorf("%q from %d:%d to %d:%d: %q, not %q", c.source, c.r0, c.c0, c.r1, c.c1, got, c.want)
		}
	}
}
