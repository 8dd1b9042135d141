package markdown

import (
	"html"
	"math"
	"strings"

	"forge/ui/safe"
)

// attr is what prose says about a piece of text. The same set comes from the
// cheap tokenizer and from the final renderer, and one function turns it into
// looks, so that a finished block does not change its colours.
type attr uint8

const (
	bold attr = 1 << iota
	italic
	strike
	code
	label // text of a link or image
	target
)

// piece is text of one look. A line feed in it is a hard break.
type piece struct {
	text string
	attr attr
	to   string // where it leads when it is clicked, as it was written; only of finished prose
}

// refs are link reference definitions. One counts for the text behind it, so that what
// was drawn never changes; it is shown where it stands, for the text before it.
type refs struct {
	table map[string]definition // by folded label
	most  int                   // how many of them count: those that were read first
}

type definition struct {
	dest string
	n    int // it was the n-th to be read
}

func newRefs() refs { return refs{map[string]definition{}, math.MaxInt} }

func (r refs) none() bool { return len(r.table) == 0 || r.most == 0 }

func (r refs) find(label string) (dest string, ok bool) {
	d, ok := r.table[foldLabel(label)]
	return d.dest, ok && d.n <= r.most
}

func foldLabel(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// kinds of token
const (
	tText = iota
	tDelim
	tBracket // [ or ![ that may begin a link
)

type token struct {
	kind        int
	text        string
	attr        attr
	ch          byte // of a delimiter run
	n           int  // delimiters left in it
	opens, ends bool
	begin, end  [3]int // bold, italic, strike ranges that begin after or end before it
	live        bool   // a bracket that may still be a link
	image       bool
}

// tokenizer reads the inline structure of one paragraph. It is linear but for
// pathological emphasis, which CommonMark's own "openers bottom" bounds.
type tokenizer struct {
	src      string
	open     bool // more text will follow: what is unclosed is shown as closed
	refs     refs
	out      []token
	text     []byte
	brackets []int
	dests    []string
	noClose  [64]bool // backtick runs of this length have no closer any more
	noParen  bool     // no ) is left
}

// inline turns the text of a paragraph into pieces. With open, constructs that
// are not closed yet are shown as they will look, so that text does not jump
// when the closing mark arrives.
func inline(src string, open bool, rs refs) []piece {
	ps, _ := readInline(src, open, rs)
	return ps
}

// readInline is inline, and tells the targets of links and images.
func readInline(src string, open bool, rs refs) ([]piece, []string) {
	if !marked(src) {
		return []piece{{text: src}}, nil
	}
	t := tokenizer{src: src, open: open, refs: rs}
	t.scan()
	t.emphasis(0)
	if open {
		t.assume()
	}
	return t.pieces(), t.dests
}

func (t *tokenizer) flush() {
	if len(t.text) > 0 {
		t.out = append(t.out, token{kind: tText, text: string(t.text)})
		t.text = t.text[:0]
	}
}

func (t *tokenizer) add(tok token) { t.flush(); t.out = append(t.out, tok) }

func isPunct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}

func (t *tokenizer) scan() {
	s := t.src
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && !special[s[j]] {
			j++
		}
		t.text = append(t.text, s[i:j]...)
		if i = j; i >= len(s) {
			break
		}
		switch c := s[i]; c {
		case '\\':
			if i+1 < len(s) && isPunct(s[i+1]) {
				t.text = append(t.text, s[i+1])
				i += 2
				continue
			}
			t.text = append(t.text, '\\')
			i++
		case '`':
			i += t.codeSpan(i)
		case '*', '_', '~':
			i += t.delim(i)
		case '!':
			if i+1 < len(s) && s[i+1] == '[' {
				t.add(token{kind: tBracket, text: "![", live: true, image: true})
				t.brackets = append(t.brackets, len(t.out)-1)
				i += 2
				continue
			}
			t.text = append(t.text, '!')
			i++
		case '[':
			t.add(token{kind: tBracket, text: "[", live: true})
			t.brackets = append(t.brackets, len(t.out)-1)
			i++
		case ']':
			i += t.close(i)
		case '<':
			i += t.auto(i)
		case '&':
			i += t.entity(i)
		case ':':
			i += t.bare(i)
		}
	}
	t.flush()
}

// special marks the bytes that may mean something inside prose.
var special = func() (m [256]bool) {
	for _, c := range []byte("\\`*_~!([])<&:") {
		m[c] = c != '(' && c != ')'
	}
	return m
}()

// codeSpanEnd returns where the code span that begins with the backticks at i
// has its text and its end, or false.
func codeSpanEnd(s string, i int) (from, to, end int, ok bool) {
	n := run(s, i)
	for j := i + n; j < len(s); {
		k := strings.IndexByte(s[j:], '`')
		if k < 0 {
			break
		}
		j += k
		if m := run(s, j); m == n {
			return i + n, j, j + n, true
		} else {
			j += m
		}
	}
	return i + n, len(s), len(s), false
}

// run is how often the byte at i repeats.
func run(s string, i int) int {
	n := 1
	for i+n < len(s) && s[i+n] == s[i] {
		n++
	}
	return n
}

func (t *tokenizer) codeSpan(i int) int {
	n := run(t.src, i)
	if n < len(t.noClose) && !t.noClose[n] { // longer runs are no marks but a drawing
		from, to, end, ok := codeSpanEnd(t.src, i)
		if ok || t.open && from < len(t.src) {
			t.add(token{kind: tText, text: spanText(t.src[from:to]), attr: code})
			return end - i
		}
		if t.open {
			return n // the marks alone, at the end of what is there
		}
		t.noClose[n] = true
	}
	t.text = append(t.text, t.src[i:i+n]...)
	return n
}

// spanText is the text of a code span: line ends are blanks, and one blank at
// both ends is padding.
func spanText(s string) string {
	s = strings.ReplaceAll(s, "\n", " ")
	if len(s) > 2 && s[0] == ' ' && s[len(s)-1] == ' ' && strings.Trim(s, " ") != "" {
		return s[1 : len(s)-1]
	}
	return s
}

// decodeEntity returns the text of the entity s begins with and its length. One
// that stands for a control or an invisible character is left as it is written:
// it was made to get past the filter.
func decodeEntity(s string) (string, int) {
	n := strings.IndexByte(s[:min(len(s), 34)], ';')
	if n < 2 {
		return "", 0
	}
	for i := 1; i < n; i++ {
		if c := s[i]; c != '#' && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') {
			return "", 0
		}
	}
	text := html.UnescapeString(s[:n+1])
	if text == s[:n+1] {
		return "", 0
	}
	if clean := safe.Output(text); clean != text {
		if clean != " " {
			return "", 0
		}
		text = clean
	}
	if strings.ContainsAny(text, "\n\t") {
		return "", 0
	}
	return text, n + 1
}

func (t *tokenizer) entity(i int) int {
	if text, n := decodeEntity(t.src[i:]); n > 0 {
		t.text = append(t.text, text...)
		return n
	}
	t.text = append(t.text, '&')
	return 1
}

// pieces joins the tokens into text of one look each.
func (t *tokenizer) pieces() []piece {
	var out []piece
	var depth [3]int
	put := func(text string, a attr) {
		if text == "" {
			return
		}
		for k, bit := range []attr{bold, italic, strike} {
			if depth[k] > 0 {
				a |= bit
			}
		}
		if n := len(out); n > 0 && out[n-1].attr == a {
			out[n-1].text += text
			return
		}
		out = append(out, piece{text: text, attr: a})
	}
	for i := range t.out {
		tok := &t.out[i]
		for k := range depth {
			depth[k] -= tok.end[k]
		}
		if tok.kind == tDelim {
			put(tok.text[:tok.n], tok.attr)
		} else {
			put(tok.text, tok.attr)
		}
		for k := range depth {
			depth[k] += tok.begin[k]
		}
	}
	return out
}
