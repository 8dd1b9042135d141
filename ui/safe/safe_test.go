package safe

import (
	"bufio"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

type row struct {
	name, input, output, prompt string
	flag                        bool
}

func table(t testing.TB) []row {
	rows := tableOf(t, "terminal.txt")
	if len(rows) != 137 {
		t.Fatalf("%d rows, want 137", len(rows))
	}
	return append(rows, tableOf(t, "terminal-unseen.txt")...)
}

func tableOf(t testing.TB, name string) []row {
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []row
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := sc.Text()
		if strings.HasPrefix(line, "#") || line == "" {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != 6 {
			t.Fatalf("row %q has %d columns", c[0], len(c))
		}
		un := func(s string) string {
			out, err := strconv.Unquote(s)
			if err != nil {
				t.Fatalf("row %s: %v", c[0], err)
			}
			return out
		}
		rows = append(rows, row{c[0], un(c[1]), un(c[2]), un(c[3]), c[4] == "yes"})
	}
	return rows
}

func TestTable(t *testing.T) {
	for _, r := range table(t) {
		if got := Output(r.input); got != r.output {
			t.Errorf("%s: OUTPUT of %q\n got %q\nwant %q", r.name, r.input, got, r.output)
		}
		if got := Prompt(r.input); got != r.prompt {
			t.Errorf("%s: PROMPT of %q\n got %q\nwant %q", r.name, r.input, got, r.prompt)
		}
		if got := Suspicious(r.input); got != r.flag {
			t.Errorf("%s: flag of %q is %v, want %v", r.name, r.input, got, r.flag)
		}
	}
}

// TestStreamAtEverySplit holds that cutting the input anywhere, or into single
// bytes, changes nothing.
func TestStreamAtEverySplit(t *testing.T) {
	for _, r := range table(t) {
		for i := range len(r.input) + 1 {
			var s Stream
			if got := s.Write(r.input[:i]) + s.Write(r.input[i:]) + s.Flush(); got != r.output {
				t.Fatalf("%s cut at %d: %q, want %q", r.name, i, got, r.output)
			}
		}
		var s Stream
		got := ""
		for i := range len(r.input) {
			got += s.Write(r.input[i : i+1])
		}
		if got += s.Flush(); got != r.output {
			t.Errorf("%s byte by byte: %q, want %q", r.name, got, r.output)
		}
	}
}

func TestStreamShowsWhatItCan(t *testing.T) {
	var s Stream
	for _, c := range []struct{ in, want string }{
		{"one", "one"}, {"\x1b[3", ""}, {"1mtwo\x1b", "two"}, {"[0m", ""}, {"\xe6\x97", ""}, {"\xa5", "日"},
		{"50%\r", "50%"}, {"\n", "\n"}, {"\x1b]0;ti", ""}, {"tle\a!", "!"},
	} {
		if got := s.Write(c.in); got != c.want {
			t.Errorf("after %q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestStreamOfALongStringSequence(t *testing.T) {
	// Longer than is waited for: shown, not swallowed, and the same as at once.
	in := "a\x1b]52;c;" + strings.Repeat("QUJD", maxString/4+100) + "\ab"
	var s Stream
	var b strings.Builder
	for i := 0; i < len(in); i += 7 {
		b.WriteString(s.Write(in[i:min(i+7, len(in))]))
	}
	b.WriteString(s.Flush())
	if got, want := b.String(), Output(in); got != want || !strings.HasSuffix(want, "QUJDb") {
		t.Errorf("stream %d bytes, at once %d bytes", len(got), len(want))
	}
	if len(s.pending) != 0 {
		t.Errorf("%d bytes still held back", len(s.pending))
	}
}

func TestLine(t *testing.T) {
	if got := Line("  a\tb\n\n c\x1b[2K \n"); got != "a b c" {
		t.Errorf("got %q", got)
	}
}

func TestMarkers(t *testing.T) {
	p := Inspect("ls \x1b[2K\trm <1B>")
	got := ""
	for _, s := range p.Spans {
		if s.Marker {
			s.Text = "«" + s.Text + "»"
		}
		got += s.Text
	}
	if want := "ls «<1B>»[2K«⇥»rm <1B>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func invariants(t *testing.T, in string) {
	out, pr := Output(in), Prompt(in)
	for view, s := range map[string]string{"output": out, "prompt": pr} {
		if !utf8.ValidString(s) {
			t.Fatalf("%s of %q is not UTF-8: %q", view, in, s)
		}
		for _, r := range s {
			if r < 0x20 && r != '\n' && (r != '\t' || view == "prompt") || r >= 0x7f && r <= 0x9f ||
				r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Fatalf("%s of %q holds %U", view, in, r)
			}
		}
	}
	if again := Output(out); again != out {
		t.Fatalf("output of %q: %q, again %q", in, out, again)
	}
	if again := Prompt(pr); again != pr {
		t.Fatalf("prompt of %q: %q, again %q", in, pr, again)
	}
	// Nothing printable is lost in a prompt, and its order stays.
	rest := pr
	for _, r := range in {
		if r == utf8.RuneError || classify(r) != plain || r <= ' ' || r == 0x7f {
			continue
		}
		n := strings.IndexRune(rest, r)
		if n < 0 {
			t.Fatalf("prompt of %q lost %q: %q", in, r, pr)
		}
		rest = rest[n+utf8.RuneLen(r):]
	}
	var s Stream
	cut := len(in) / 2
	if got := s.Write(in[:cut]) + s.Write(in[cut:]) + s.Flush(); got != out {
		t.Fatalf("stream of %q: %q, want %q", in, got, out)
	}
	for _, w := range []int{1, 2, 7, 40} {
		var joined strings.Builder
		for _, row := range Wrap(out, w) {
			if n := Width(row); n > w {
				t.Fatalf("wrap of %q at %d: row %q is %d cells", out, w, row, n)
			}
			joined.WriteString(row)
		}
		if w > 1 {
			noBlank := func(s string) string {
				return strings.Map(func(r rune) rune {
					if unicode.IsSpace(r) {
						return -1
					}
					return r
				}, s)
			}
			if got, want := noBlank(joined.String()), noBlank(out); got != want {
				t.Fatalf("wrap of %q at %d lost text: %q", out, w, got)
			}
		}
		line := strings.ReplaceAll(ExpandTabs(out, 0), "\n", " ")
		if c := Truncate(line, w, "…"); Width(c) > w || !strings.HasPrefix(line, strings.TrimSuffix(c, "…")) {
			t.Fatalf("truncate of %q to %d: %q", line, w, c)
		}
		if c := Fit(line, w, "…"); Width(c) != w && w > 1 {
			t.Fatalf("fit of %q to %d: %q is %d cells", line, w, c, Width(c))
		}
		if c := strings.Join(Chop(line, w), ""); w > 1 && c != line {
			t.Fatalf("chop of %q at %d: %q", line, w, c)
		}
	}
}

func FuzzViews(f *testing.F) {
	for _, r := range table(f) {
		f.Add(r.input)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if len(in) < 1<<12 {
			invariants(t, in)
		}
	})
}

// TestRandomMixes runs the invariants over mixes of the table's pieces.
func TestRandomMixes(t *testing.T) {
	rows := table(t)
	rnd := rand.New(rand.NewSource(1))
	for range 3000 {
		var b strings.Builder
		for range 1 + rnd.Intn(4) {
			in := rows[rnd.Intn(len(rows))].input
			if len(in) > 1 && rnd.Intn(2) == 0 {
				in = in[rnd.Intn(len(in)):]
			}
			b.WriteString(in[:min(len(in), 40)])
		}
		invariants(t, b.String())
	}
}

// TestLinear counts work instead of time: each hostile megabyte is filtered,
// shown, wrapped and cut within the test's own deadline, which the square of
// its length would pass by hours.
func TestLinear(t *testing.T) {
	const n = 1 << 18
	for name, unit := range map[string]string{
		"letters": "A", "wide": "日", "blanks": " ", "tabs": "\t", "marks": "\u0301", "osc": "\x1b]", "dcs": "\x1bP",
		"c1 osc": "\u009d", "csi": "\x1b[", "params": "\x1b[1;", "esc": "\x1b", "cr": "\r", "newlines": "\n", "invalid": "\xff",
		"joiners": "\U0001f469\u200d", "bidi": "\u202e", "osc st": "\x1b]a\x1b\\", "mixed": "\x1b]\x1bP\u009d", "words": "ab ",
	} {
		in := strings.Repeat(unit, n/len(unit))
		out := Output(in)
		pr := Prompt(in)
		var s Stream
		for i := 0; i < len(in); i += 4096 {
			s.Write(in[i:min(i+4096, len(in))])
		}
		s.Flush()
		Wrap(out, 80)
		Wrap(pr, 80)
		line := strings.ReplaceAll(out, "\n", " ")
		if c := Truncate(line, 80, "…"); Width(c) > 80 {
			t.Errorf("%s: %d cells", name, Width(c))
		}
		Chop(line, 80)
	}
}
