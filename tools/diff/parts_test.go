package diff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A hunk of several changes comes apart into hunks that can be applied one without the
// other, and that lie beside each other.
func TestParts(t *testing.T) {
	before := []byte("a\nb\nc\nd\ne\nf\ng\nh\ni\n")
	after := []byte("a\nB\nc\nd\nnew\ne\nf\nh\ni\n")
	hunks := Hunks(before, after)
	if len(hunks) != 1 {
		t.Fatalf("%d hunks", len(hunks))
	}
	parts := hunks[0].Parts()
	var all []string
	for _, p := range parts {
		all = append(all, p.String())
	}
	want := []string{
		"@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n",
		"@@ -4,2 +4,3 @@\n d\n+new\n e\n",
		"@@ -6,4 +7,3 @@\n f\n-g\n h\n i\n",
	}
	if strings.Join(all, "") != strings.Join(want, "") {
		t.Fatalf("%s\nwant\n%s", strings.Join(all, ""), strings.Join(want, ""))
	}
	if got := string(Apply(before, []Hunk{parts[0], parts[2]})); got != "a\nB\nc\nd\ne\nf\nh\ni\n" {
		t.Errorf("without the second: %q", got)
	}
	if one := Hunks([]byte("x\n"), []byte("y\n"))[0].Parts(); len(one) != 1 {
		t.Errorf("one change came apart: %v", one)
	}
	if f := Compare(before, after, Apply(before, parts[1:])); f.Hunks != 3 || f.Landed != 2 || f.Refused != 1 || f.Changed != 0 || len(f.Own) != 0 {
		t.Errorf("what landed in part: %+v", f)
	}
}

// Whatever the texts, the parts make of them what the hunks make, and an edit of one leaves
// the others.
func TestPartsMakeTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() []byte {
		var b bytes.Buffer
		for range r.IntN(40) {
			fmt.Fprintf(&b, "%d\n", r.IntN(6))
		}
		if r.IntN(4) == 0 {
			b.WriteString("no end")
		}
		return b.Bytes()
	}
	for range 3000 {
		before, after := text(), text()
		hunks := Hunks(before, after)
		fine := parts(hunks)
		if got := Apply(before, fine); !bytes.Equal(got, after) {
			t.Fatalf("%q to %q: the parts make %q", before, after, got)
		}
		oldest, old, now := 0, 0, 0
		for _, h := range fine {
			if first(h.OldStart, h.OldCount) < oldest {
				t.Fatalf("%q to %q: %s begins before line %d", before, after, h.Header(), oldest)
			}
			oldest = first(h.OldStart, h.OldCount) + h.OldCount
			old, now = old+len(h.Before()), now+len(h.After())
			if len(h.Parts()) != 1 {
				t.Fatalf("%s comes apart again", h)
			}
		}
		var a, b int
		for _, h := range hunks {
			a, b = a+len(h.Before()), b+len(h.After())
		}
		if a != old || b != now {
			t.Fatalf("%q to %q: lines are lost", before, after)
		}
		if len(fine) == 0 {
			continue
		}
		i := r.IntN(len(fine))
		changed, ok := fine[i].Rewrite(before, append([]byte("mine\n"), fine[i].After()...))
		if !ok {
			t.Fatal("not rewritten")
		}
		others := append(append([]Hunk{}, fine[:i]...), changed)
		others = append(others, fine[i+1:]...)
		if got := Apply(before, others); len(got) != len(after)+len("mine\n") {
			t.Fatalf("%q to %q, part %d edited: %q", before, after, i, got)
		}
	}
}
