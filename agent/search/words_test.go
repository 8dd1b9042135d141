package search

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestLexicon: it has the words of texts, short, long and numbers left out, also after
// it was written, read and added to.
func TestLexicon(t *testing.T) {
	v := vocabulary{}
	v.add("the median of_it, median; a1b2c3 abc1d2 naïvely x" + strings.Repeat("y", 40) + " ended_")
	x, rest, err := readLexicon(v.lexicon().append([]byte("before"))[6:])
	if err != nil || len(rest) != 0 {
		t.Fatal(rest, err)
	}
	more := vocabulary{}
	more.keep(x)
	more.add("another")
	var got []string
	for i, words := range more.lexicon() {
		for w := range slices.Chunk(words, leastWord+i) {
			got = append(got, string(w))
		}
	}
	if want := "of_it abc1d2 ended_ median another"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := len(x.append(nil)); n != x.size() {
		t.Errorf("%d bytes, said to be %d", n, x.size())
	}
	for cut := range x.size() {
		if _, _, err := readLexicon(x.append(nil)[:cut]); err == nil {
			t.Errorf("cut at %d, it is read", cut)
		}
	}
}

// TestNearWordsAreListed: what a lexicon finds near a word is all that is, and where
// listed says no the word may be near one that no lexicon has.
func TestNearWordsAreListed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	letters := "abcdefgh_0"
	random := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	asked, found := 0, 0
	for range 3000 {
		p := parse(random(6 + r.IntN(10)))
		p.loosen()
		w := p.words[0]
		if w.edits == 0 || !w.listed() {
			continue
		}
		token := []byte(w.text)
		for range r.IntN(3) {
			switch i := r.IntN(len(token) - 1); r.IntN(4) {
			case 0:
				token[i] = letters[r.IntN(len(letters))]
			case 1:
				token = slices.Delete(token, i, i+1)
			case 2:
				token = slices.Insert(token, i, letters[r.IntN(len(letters))])
			case 3:
				token[i], token[i+1] = token[i+1], token[i]
			}
		}
		v := vocabulary{}
		v.add(string(token) + " " + random(9))
		asked++
		if !near(string(token), w.text, w.edits) {
			continue
		}
		found++
		if !slices.Contains(v.lexicon().near(w), string(token)) {
			t.Errorf("%q is near %q and is not listed", token, w.text)
		}
	}
	if asked < 500 || found < 300 {
		t.Errorf("%d asked, %d found: the test tests little", asked, found)
	}
	for _, text := range []string{"größer", "a2026b1", "short", strings.Repeat("long", 20), "year20268"} {
		if w := (word{text: text, edits: 1}); w.listed() {
			t.Errorf("%q is listed", text)
		}
	}
}
