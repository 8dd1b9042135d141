package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Span is a part of a line, in bytes.
type Span struct{ Start, End int }

// maxWordLine is the longest line that is looked into, in bytes: beyond it nobody
// reads single words, and the cost is the square of the length.
const maxWordLine = 2 << 10

// Words finds the words in which two versions of a line differ: the spans of old
// that went and the spans of new that came. Line ends are left out. Both are nil
// where looking into the lines tells nothing: they are equal, too long, or have
// less than a third in common.
func Words(old, new string) (gone, came []Span) {
	old, new = strings.TrimRight(old, "\r\n"), strings.TrimRight(new, "\r\n")
	if old == new || len(old) >= maxWordLine || len(new) >= maxWordLine {
		return nil, nil
	}
	ids := map[string]rune{}
	words := []string{}
	a, b := letters(old, ids, &words), letters(new, ids, &words)
	d := diffmatchpatch.New()
	d.DiffTimeout = 0 // lines are short; the answer must not depend on the machine
	i, j, common := 0, 0, 0
	for _, part := range d.DiffMainRunes(a, b, false) {
		n := 0
		for _, r := range part.Text {
			n += len(words[index(r)])
		}
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			gone = grow(gone, old, i, i+n)
			i += n
		case diffmatchpatch.DiffInsert:
			came = grow(came, new, j, j+n)
			j += n
		default:
			if strings.TrimSpace(old[i:i+n]) != "" {
				common += n
			}
			i, j = i+n, j+n
		}
	}
	if common*3 < max(len(old), len(new)) {
		return nil, nil
	}
	return gone, came
}

// grow appends a span, joined to the last one if only blanks lie between: two
// words changed in a row read as one change.
func grow(spans []Span, line string, start, end int) []Span {
	if n := len(spans); n > 0 && strings.TrimSpace(line[spans[n-1].End:start]) == "" {
		spans[n-1].End = end
		return spans
	}
	return append(spans, Span{start, end})
}

// letters writes a line with one rune for each of its words, numbers, runs of
// blanks and signs, the same for equal ones.
func letters(line string, ids map[string]rune, words *[]string) []rune {
	var out []rune
	for len(line) > 0 {
		w := word(line)
		id, ok := ids[w]
		if !ok {
			id = letter(len(*words))
			ids[w] = id
			*words = append(*words, w)
		}
		out = append(out, id)
		line = line[len(w):]
	}
	return out
}

// A rune of its own for each word, from the private use areas on: no surrogate,
// nothing that text conversion would replace.
func letter(n int) rune { return 0xF0000 + rune(n) }

func index(r rune) int { return int(r - 0xF0000) }

func word(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	kind := class(first)
	if kind == 0 {
		return s[:n]
	}
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if class(r) != kind {
			break
		}
		n += size
	}
	return s[:n]
}

func class(r rune) int {
	switch {
	case r == '_' || unicode.IsDigit(r) || unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return 1
	case unicode.IsSpace(r):
		return 2
	}
	return 0
}
