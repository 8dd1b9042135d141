package compact

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"forge/provider"
)

// sample is a text of the corpus with its tokens in two vocabularies.
type sample struct {
	name, text    string
	o200k, cl100k int
}

func corpus(t testing.TB) []sample {
	t.Helper()
	dir := filepath.Join("testdata", "corpus")
	counts, err := os.ReadFile(filepath.Join(dir, "COUNTS.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var out []sample
	for _, line := range strings.Split(strings.TrimSpace(string(counts)), "\n")[1:] {
		f := strings.Split(line, "\t")
		text, err := os.ReadFile(filepath.Join(dir, f[0]))
		if err != nil {
			t.Fatal(err)
		}
		if f[1] != strconv.Itoa(len(text)) {
			t.Fatalf("%s has %d bytes; it was counted when it had %s", f[0], len(text), f[1])
		}
		a, err := strconv.Atoi(f[2])
		if err != nil {
			t.Fatal(err)
		}
		b, err := strconv.Atoi(f[3])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, sample{f[0], string(text), a, b})
	}
	if len(out) < 15 {
		t.Fatalf("the corpus has %d texts", len(out))
	}
	return out
}

// Cold, before any server reported anything: each kind of text within a tenth.
func TestCountIsRightCold(t *testing.T) {
	for _, s := range corpus(t) {
		off := 100 * (float64(Count(s.text))/float64(s.o200k) - 1)
		if off > 10 || off < -10 {
			t.Errorf("%s: %d tokens, %d counted: %+.1f%%", s.name, s.o200k, Count(s.text), off)
		}
		t.Logf("%-16s %+5.1f%%", s.name, off)
	}
}

// Once a server has reported a turn, the size of each next request is known to a
// twentieth, also where it counts otherwise than the weights were fitted to: with
// another vocabulary, by a third more, with templates and tools on top.
func TestEstimateIsRightAfterTheFirstReport(t *testing.T) {
	texts := corpus(t)
	for _, server := range []struct {
		name  string
		count func(sample) int
		rate  float64 // of what it counts beside the messages
		extra int     // tokens a request has beside its messages, as forge counts them
	}{
		{"o200k", func(s sample) int { return s.o200k }, 1, 0},
		{"o200k with a prompt", func(s sample) int { return s.o200k }, 1.08, 6000},
		{"cl100k", func(s sample) int { return s.cl100k }, 1.05, 6000},
		{"a third more", func(s sample) int { return s.o200k * 135 / 100 }, 1.35, 3000},
		{"a quarter less", func(s sample) int { return s.o200k * 3 / 4 }, .8, 3000},
	} {
		worst := 0.0
		for seed := range 40 {
			r := rand.New(rand.NewPCG(uint64(seed), 4))
			c := New(Options{})
			c.Overhead = server.extra
			var ms []provider.Message
			truth := int(float64(server.extra) * server.rate)
			for turn := range 13 {
				var read []sample
				for range 1 + r.IntN(2) {
					read = append(read, texts[r.IntN(len(texts))])
				}
				for i, s := range read {
					id := strconv.Itoa(turn) + "-" + strconv.Itoa(i)
					ms = append(ms, use(id), result(id, s.text))
					truth += server.count(s) + 22
				}
				if got := c.Estimate(ms); turn > 0 {
					if off := 100 * (float64(got)/float64(truth) - 1); max(off, -off) > worst {
						worst = max(off, -off)
					}
				}
				answer := texts[r.IntN(len(texts))]
				m := says(answer.text)
				m.Usage = provider.Usage{Input: truth, Output: server.count(answer), Reported: true}
				truth += server.count(answer) + 5
				ms = append(ms, m)
			}
		}
		t.Logf("%s: worst %.1f%%", server.name, worst)
		if worst > 5 {
			t.Errorf("%s: an estimate was off by %.1f%%", server.name, worst)
		}
	}
}

func FuzzCount(f *testing.F) {
	for _, s := range []string{"", "a", "字", "\xff\xfe", strings.Repeat("\n ", 50), "x=1;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := Count(s)
		if n < 0 || n > 4*len(s)+1 || s != "" && n == 0 {
			t.Errorf("%d bytes count %d tokens", len(s), n)
		}
		if twice := Count(s + s); twice < n {
			t.Errorf("%q: %d tokens, twice that %d", s, n, twice)
		}
	})
}

func BenchmarkCountCorpus(b *testing.B) {
	var all strings.Builder
	for _, s := range corpus(b) {
		all.WriteString(s.text)
	}
	text := all.String()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Count(text)
	}
}
