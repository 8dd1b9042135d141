package markdown

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"forge/ui/highlight"
)

// answer makes a model-like message of at least n bytes.
func answer(n int) string {
	var b strings.Builder
	for k := 0; b.Len() < n; k++ {
		fmt.Fprintf(&b, "## Section %d\n\nThe renderer keeps a **cell buffer** and writes only the cells that changed since the `last frame()`, so a stream of small deltas costs little when the [prefix](https://example.com/prefix) is stable; a full render on every delta is quadratic in the length of the answer.\n\n", k)
		b.WriteString("- first point of the list with some *emphasis* in it\n- second point, `code` and more words\n  - nested point\n- third point that ends the list\n\n")
		b.WriteString("```go\nfunc (s *Server) handle(ctx context.Context, r *http.Request) error {\n\tif err := json.NewDecoder(r.Body).Decode(&req); err != nil {\n\t\treturn fmt.Errorf(\"decode: %w\", err) // with its cause\n\t}\n\treturn s.store.Put(ctx, req.Name, 42)\n}\n```\n\n")
		b.WriteString("| name | cost | note |\n|---|---:|---|\n| row one | 12 | the renderer keeps |\n| row two | 345 | a `cell` buffer |\n\n")
	}
	return b.String()
}

// repeat makes n bytes of head and then lines.
func repeat(head, line string, n int) string {
	var b strings.Builder
	b.WriteString(head)
	for b.Len() < n {
		b.WriteString(line)
	}
	return b.String()
}

// deltas measures what a delta of 4 bytes and the rows after it cost at the end
// of a message that begins with text.
func deltas(b *testing.B, text, more string) {
	const n = 4
	var spent time.Duration
	count := 0
	th := dark()
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		s := New(th)
		s.Append(text)
		s.Rows(100)
		b.StartTimer()
		t0 := time.Now()
		for i := 0; i+n <= len(more); i += n {
			s.Append(more[i : i+n])
			s.Rows(100)
			count++
		}
		spent += time.Since(t0)
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(count), "ns/delta")
}

// Budget: flat, 200 KB to 1 KB at most 1.5; below 300 us per delta.
func BenchmarkMarkdownDelta1K(b *testing.B)   { deltas(b, answer(1<<10), answer(4<<10)) }
func BenchmarkMarkdownDelta50K(b *testing.B)  { deltas(b, answer(50<<10), answer(4<<10)) }
func BenchmarkMarkdownDelta200K(b *testing.B) { deltas(b, answer(200<<10), answer(4<<10)) }

const (
	fenceHead = "```go\n"
	fenceLine = "	return s.store.Put(ctx, req.Name, 42) // keep it\n"
	listLine  = "- item with some **bold** text and a `code span` in it for the list\n"
	tableHead = "| a | b | c |\n|---|---|---|\n"
	tableLine = "| some cell | another **cell** value | 12345 |\n"
	paraLine  = "words of a paragraph with **bold** and `code` in it that never ends "
)

// Budget: the same inside one open block, 40 KB to 1 KB at most 1.5.
func BenchmarkMarkdownDeltaFence1K(b *testing.B) {
	deltas(b, repeat(fenceHead, fenceLine, 1<<10), repeat("", fenceLine, 4<<10))
}
func BenchmarkMarkdownDeltaFence40K(b *testing.B) {
	deltas(b, repeat(fenceHead, fenceLine, 40<<10), repeat("", fenceLine, 4<<10))
}
func BenchmarkMarkdownDeltaList1K(b *testing.B) {
	deltas(b, repeat("", listLine, 1<<10), repeat("", listLine, 4<<10))
}
func BenchmarkMarkdownDeltaList40K(b *testing.B) {
	deltas(b, repeat("", listLine, 40<<10), repeat("", listLine, 4<<10))
}
func BenchmarkMarkdownDeltaTable1K(b *testing.B) {
	deltas(b, repeat(tableHead, tableLine, 1<<10), repeat("", tableLine, 4<<10))
}
func BenchmarkMarkdownDeltaTable40K(b *testing.B) {
	deltas(b, repeat(tableHead, tableLine, 40<<10), repeat("", tableLine, 4<<10))
}
func BenchmarkMarkdownDeltaParagraph2K(b *testing.B) {
	deltas(b, repeat("", paraLine, 2<<10), repeat("", paraLine, 4<<10))
}
func BenchmarkMarkdownDeltaParagraph40K(b *testing.B) {
	deltas(b, repeat("", paraLine, 40<<10), repeat("", paraLine, 4<<10))
}

// The whole message drawn cheaply: what a resize or Drop costs.
func BenchmarkMarkdownCheap200K(b *testing.B) {
	text := answer(200 << 10)
	th := dark()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := New(th)
		s.Append(text)
		s.Close()
		s.Rows(100)
	}
}

// The whole message in its final form: off the UI goroutine.
func BenchmarkMarkdownFull50K(b *testing.B) {
	text := answer(50 << 10)
	th := dark()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Render(th, 100, text)
	}
}

// Budget: 20 MB/s.
func BenchmarkHighlightLine(b *testing.B) {
	lines := strings.Split(strings.ReplaceAll(answer(1<<10), "\t", "    "), "\n")
	c := &dark().Code
	n := 0
	for _, l := range lines {
		n += len(l)
	}
	b.SetBytes(int64(n))
	x := highlight.Lexer{Lang: highlight.Of("go")}
	buf := x.Line(nil, "", c)
	for b.Loop() {
		for _, l := range lines {
			buf = x.Line(buf[:0], l, c)
		}
	}
}

// TestDeltaCostIsFlat counts allocations, which do not depend on the machine: a
// delta at the end of a long message makes no more of them than in a short one.
func TestDeltaCostIsFlat(t *testing.T) {
	cost := func(text, more string) float64 {
		s := New(dark())
		s.Append(text)
		s.Rows(100)
		i := 0
		return testing.AllocsPerRun(400, func() {
			s.Append(more[i%len(more) : i%len(more)+4])
			s.Rows(100)
			i += 4
		})
	}
	for name, c := range map[string][3]string{
		"answer":    {answer(1 << 10), answer(200 << 10), answer(2 << 10)},
		"fence":     {repeat(fenceHead, fenceLine, 1<<10), repeat(fenceHead, fenceLine, 40<<10), repeat("", fenceLine, 2<<10)},
		"list":      {repeat("", listLine, 1<<10), repeat("", listLine, 40<<10), repeat("", listLine, 2<<10)},
		"table":     {repeat(tableHead, tableLine, 1<<10), repeat(tableHead, tableLine, 40<<10), repeat("", tableLine, 2<<10)},
		"paragraph": {repeat("", paraLine, 2<<10), repeat("", paraLine, 40<<10), repeat("", paraLine, 2<<10)},
	} {
		more := c[2] + "    "
		short, long := cost(c[0], more), cost(c[1], more)
		if long > 1.5*short+2 {
			t.Errorf("%s: %v allocations a delta in a short message, %v in a long one", name, short, long)
		}
	}
}

// TestHugeLines holds that much text without a line end is drawn as it comes:
// each delta of it may cost what a delta costs, not what the line does.
func TestHugeLines(t *testing.T) {
	for name, c := range map[string][2]string{
		"paragraph": {"", "QUJD"}, "words": {"", "word "}, "fence": {"```\n", "QUJD"}, "wide": {"", "日本語"},
		"marks": {"", "**["}, "ticks": {"", "`` ` "}, "item": {"- ", "QUJD"}, "cell": {tableHead + "| ", "QUJD"}, "quote": {"> ", "word "},
	} {
		s := New(dark())
		s.Append(c[0])
		unit := strings.Repeat(c[1], 100)
		for s.Len() < 1<<18 {
			s.Append(unit)
			s.Rows(80)
		}
		if name != "cell" && name != "item" && s.m.leaf == para && len(s.m.text) > 2*maxChunk {
			t.Errorf("%s: %d bytes are still open", name, len(s.m.text))
		}
		s.Close()
		rows := s.Rows(80)
		if len(rows) < 500 {
			t.Errorf("%s: only %d rows", name, len(rows))
		}
	}
}

// What a piece of pending work costs before its first block.
func BenchmarkNewEngine(b *testing.B) {
	for b.Loop() {
		newEngine()
	}
}
