package safe

import (
	"fmt"
	"strings"
	"testing"
)

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "abc": 3, "日本": 4, "é": 1, "e\u0301": 1, "\U0001f600": 2, "\U0001f469\u200d\U0001f469\u200d\U0001f467": 2,
		"\x1b[31mred\x1b[0m": 3, "⚠\ufe0f": 2, "한글": 4, "ｆ": 2,
	} {
		if got := Width(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		s    string
		w    int
		want string
	}{
		{"hello", 5, "hello"}, {"hello", 4, "hel…"}, {"hello", 1, "…"}, {"hello", 0, ""}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"},
		{"日本語", 6, "日本語"}, {"日本語", 1, "…"}, {"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"\x1b[31mhello\x1b[m", 3, "\x1b[31mhe…\x1b[m"}, {"hello world\x1b[m", 3, "he…\x1b[m"},
	} {
		if got := Truncate(c.s, c.w, "…"); got != c.want {
			t.Errorf("%q to %d: %q, want %q", c.s, c.w, got, c.want)
		}
	}
	if got := TruncateLeft("/very/long/path/file.go", 10, "…"); got != "…h/file.go" {
		t.Errorf("left: %q", got)
	}
	if got := TruncateLeft("日本語", 4, "…"); got != "…語" {
		t.Errorf("left wide: %q", got)
	}
	if got := Fit("日本語", 4, "…"); got != "日… " {
		t.Errorf("fit: %q", got)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		s    string
		w    int
		want []string
	}{
		{"", 5, []string{""}},
		{"the quick brown fox", 10, []string{"the quick", "brown fox"}},
		{"the quick  brown", 9, []string{"the quick", "brown"}},
		{"exactly ten", 7, []string{"exactly", "ten"}},
		{"a\n\nb", 5, []string{"a", "", "b"}},
		{"    indented text", 10, []string{"    indent", "ed text"}},
		{"    go on text", 10, []string{"    go on", "text"}},
		{"abcdefghijkl", 5, []string{"abcde", "fghij", "kl"}},
		{"see https://a.example/very/long", 12, []string{"see", "https://a.ex", "ample/very/l", "ong"}},
		{"日本語日本語", 5, []string{"日本", "語日", "本語"}},
		{"使用 go test 来运行所有的测试", 12, []string{"使用 go test", "来运行所有的", "测试"}},
		{"这是很长的，句子。", 10, []string{"这是很长", "的，句子。"}},
		{"well-known thing", 6, []string{"well-", "known", "thing"}},
		{"run --flag now", 8, []string{"run", "--flag", "now"}},
		{"a\tb", 10, []string{"a   b"}},
		{"日", 1, []string{"\ufffd"}},
		{"trailing   ", 8, []string{"trailing"}},
	} {
		got := Wrap(c.s, c.w)
		if fmt.Sprint(len(got), got) != fmt.Sprint(len(c.want), c.want) {
			t.Errorf("%q at %d:\n got %q\nwant %q", c.s, c.w, got, c.want)
		}
	}
}

func TestChop(t *testing.T) {
	got := Chop("\tif x {  y }", 6)
	if want := []string{"    if", " x {  ", "y }"}; strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestWrapRuns(t *testing.T) {
	runs := []Run{{Text: "plain "}, {Text: "bold words", Open: "<b>", Close: "</b>"}, {Text: "."}}
	text := func(rows [][]Run) (out []string) {
		for _, r := range rows {
			out = append(out, string(AppendRuns(nil, r)))
		}
		return out
	}
	got := text(WrapRuns(runs, 10, 8))
	want := []string{"plain <b>bold</b>", "<b>words</b>."}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := text(WrapRuns(nil, 10, 10)); len(got) != 1 || got[0] != "" {
		t.Errorf("no runs: %q", got)
	}
}

func TestExpandTabs(t *testing.T) {
	for _, c := range []struct{ s, want string }{
		{"a\tb", "a   b"}, {"\tx", "    x"}, {"abcd\tx", "abcd    x"}, {"日\tx", "日  x"}, {"a\nbb\tc", "a\nbb  c"},
	} {
		if got := ExpandTabs(c.s, 0); got != c.want {
			t.Errorf("%q: %q, want %q", c.s, got, c.want)
		}
	}
	if got := ExpandTabs("\tx", 2); got != "  x" {
		t.Errorf("from column 2: %q", got)
	}
}

func TestTail(t *testing.T) {
	tail := NewTail(3)
	for _, p := range []string{"one\ntwo\r\nthr", "ee\n10%\r50%", "\r100", "%"} {
		tail.Write(p)
	}
	if got := strings.Join(tail.Lines(), "|"); got != "two|three|100%" {
		t.Errorf("lines %q", got)
	}
	if tail.Total() != 4 {
		t.Errorf("total %d", tail.Total())
	}
	tail.Write("\r")
	if got := strings.Join(tail.Lines(), "|"); got != "two|three|100%" {
		t.Errorf("after a carriage return %q", got)
	}
	tail.Write("\x1b[Kdone\x1b")
	tail.Close()
	if got := strings.Join(tail.Lines(), "|"); got != "two|three|done" {
		t.Errorf("at the end %q", got)
	}
	big := NewTail(10)
	for range 1000 {
		big.Write("line\n")
	}
	big.Write(strings.Repeat("日", 1<<20))
	if n := len(big.Lines()); n != 10 || big.Total() != 1001 || cap(big.lines) > 64 {
		t.Errorf("%d lines of %d, room %d", n, big.Total(), cap(big.lines))
	}
	if n := len(big.open); n > maxTailLine {
		t.Errorf("open line holds %d bytes", n)
	}
}

func BenchmarkOutputASCII(b *testing.B) {
	s := strings.Repeat("the renderer keeps a cell buffer\n", 30_000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Output(s)
	}
}

func BenchmarkOutputSGR(b *testing.B) {
	s := strings.Repeat("\x1b[31mok\x1b[0m  forge/ui/safe  0.01s 日本\n", 30_000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Output(s)
	}
}

func BenchmarkWrap(b *testing.B) {
	s := strings.Repeat("the renderer keeps a cell buffer ", 30_000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Wrap(s, 80)
	}
}
