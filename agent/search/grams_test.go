package search

import (
	"math/bits"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// TestFewPartsSeemToHoldAWord: of the parts that do not hold a word of one to four
// letters hardly any has to be read, and of those that do every one is.
func TestFewPartsSeemToHoldAWord(t *testing.T) {
	dir := t.TempDir()
	x := Index{Sessions: filepath.Join(dir, "s")}
	random := rand.New(rand.NewPCG(1, 2))
	var texts []string
	const parts = 40
	for range parts {
		var b strings.Builder
		for b.Len() < partBytes {
			for range 2 + random.IntN(7) { // so many letters make some 8,000 grams a part
				b.WriteByte("abcdefghijklmnoprs"[random.IntN(18)])
			}
			b.WriteByte(" .,"[random.IntN(3)])
		}
		texts = append(texts, b.String())
	}
	texts[7] += " qz"
	texts[30] += " 鬱"
	s := talk(t, x.Sessions, "/w")
	for _, text := range texts {
		say(t, s, text)
	}
	p, err := build(s.Path(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.spans) != parts {
		t.Fatalf("%d parts", len(p.spans))
	}
	seem, asked := 0, 0
	for _, w := range []string{"q", "z", "~", "qz", "zq", "q ", "aq", "zab", "abz", "qrs", "鬱", "龘", "漢字", "zzzz", "ab鬱"} {
		may := p.may(w)
		for i, text := range texts {
			is := may[i>>3]&(1<<(i&7)) != 0
			switch has := strings.Contains(text, w); {
			case has && !is:
				t.Errorf("part %d holds %q and was passed over", i, w)
			case !has:
				if asked++; is {
					seem++
				}
			}
		}
	}
	if seem*10 > asked {
		t.Errorf("%d of %d seem to hold a word they do not have", seem, asked)
	}
	set := 0
	for _, b := range p.rows {
		set += bits.OnesCount8(b)
	}
	t.Logf("%d of %d seem so; a row in %.1f is set", seem, asked, float64(int(parts)<<p.bits)/float64(set))
}
