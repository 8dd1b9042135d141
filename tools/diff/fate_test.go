package diff

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func numbered(change map[int]string) []byte {
	var b strings.Builder
	for i := 1; i <= 40; i++ {
		if s, ok := change[i]; ok {
			b.WriteString(s)
		} else {
			b.WriteString(strings.Repeat("i", i) + "\n")
		}
	}
	return []byte(b.String())
}

func TestCompare(t *testing.T) {
	before := numbered(nil)
	proposed := numbered(map[int]string{5: "five\n", 20: "twenty\n", 35: "thirty-five\n"})
	for _, c := range []struct {
		name         string
		landed       map[int]string
		want         [3]int // landed, refused, changed
		missing, own string
	}{
		{"all", map[int]string{5: "five\n", 20: "twenty\n", 35: "thirty-five\n"}, [3]int{3, 0, 0}, "", ""},
		{"none", nil, [3]int{0, 3, 0}, "+five +thirty-five +twenty", ""},
		{"two", map[int]string{5: "five\n", 35: "thirty-five\n"}, [3]int{2, 1, 0}, "+twenty", ""},
		{"one in other words", map[int]string{5: "FIVE\n", 20: "twenty\n", 35: "thirty-five\n"}, [3]int{2, 0, 1}, "", "+FIVE -five"},
		{"one each", map[int]string{5: "FIVE\n", 35: "thirty-five\n"}, [3]int{1, 1, 1}, "+twenty", "+FIVE -five"},
		{"something of their own beside it", map[int]string{5: "five\n", 28: "own\n", 35: "thirty-five\n"}, [3]int{2, 1, 0}, "+twenty", "+own"},
		{"more in the same place", map[int]string{5: "five\nmore\n", 20: "twenty\n", 35: "thirty-five\n"}, [3]int{2, 0, 1}, "", "+more"},
	} {
		f := Compare(before, proposed, numbered(c.landed))
		if f.Hunks != 3 || [3]int{f.Landed, f.Refused, f.Changed} != c.want {
			t.Errorf("%s: %+v", c.name, f)
		}
		if got := signs(f.Missing); !strings.Contains(got, c.missing) || c.missing == "" && got != "" {
			t.Errorf("%s: missing %q", c.name, got)
		}
		if got := signs(f.Own); !strings.Contains(got, c.own) || c.own == "" && got != "" {
			t.Errorf("%s: own %q", c.name, got)
		}
	}
}

// signs lists what hunks change, sorted, without the numbered lines.
func signs(hunks []Hunk) string {
	var out []string
	for _, sign := range []Op{Insert, Delete} {
		var part []string
		for _, h := range hunks {
			for _, l := range h.Lines {
				if l.Op == sign && strings.Trim(l.Text, "i\n") != "" && !strings.HasPrefix(l.Text, "iii") {
					part = append(part, string(sign)+strings.TrimSpace(l.Text))
				}
			}
		}
		slices.Sort(part)
		out = append(out, part...)
	}
	return strings.Join(out, " ")
}

// Whatever the reviewer did, the parts add up: with Own taken back and Missing put
// in, the proposal's counts are complete.
func TestCompareAddsUp(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 2000 {
		before := randomText(r, r.IntN(60))
		proposed := mutate(r, before)
		landed := mutate(r, proposed)
		f := Compare([]byte(before), []byte(proposed), []byte(landed))
		if f.Landed+f.Refused+f.Changed != f.Hunks || min(f.Landed, f.Refused, f.Changed) < 0 {
			t.Fatalf("%q, %q, %q: %+v", before, proposed, landed, f)
		}
		if landed == proposed && (f.Landed != f.Hunks || f.Missing != nil || f.Own != nil) {
			t.Fatalf("all of %q landed: %+v", proposed, f)
		}
		if landed != proposed && f.Missing == nil && f.Own == nil {
			t.Fatalf("%q, %q, %q: nothing is said of the difference", before, proposed, landed)
		}
	}
}

func TestMarkedAndSettled(t *testing.T) {
	base, ours, theirs := "1\n2\n3\n4\n5\n", "1\nX\n3\n4\n5\n6\n", "0\n2\n3\n4\nfive\n"
	marked, n := Marked([]byte(base), []byte(ours), []byte(theirs))
	want := "<<<<<<< proposed\n1\nX\n=======\n0\n2\n>>>>>>> in the file now\n3\n4\n<<<<<<< proposed\n5\n6\n=======\nfive\n>>>>>>> in the file now\n"
	if n != 2 || string(marked) != want || Unsettled(marked) != 4 {
		t.Errorf("%d: %q", n, marked)
	}
	if got := Settle(marked, true); string(got) != ours {
		t.Errorf("the proposed side: %q", got)
	}
	if got := Settle(marked, false); string(got) != theirs || Unsettled(got) != 0 {
		t.Errorf("the file's side: %q", got)
	}
	if marked, _ := Marked([]byte("a\r\n"), []byte("b\r\n"), []byte("c\r\n")); bytes.Count(marked, []byte("\r\n")) != 5 {
		t.Errorf("line ends: %q", marked)
	}
	if marked, n := Marked([]byte("a\nb\nc\n"), []byte("A\nb\nc\n"), []byte("a\nb\nC\n")); n != 0 || string(marked) != "A\nb\nC\n" {
		t.Errorf("%d: %q", n, marked)
	}
}
