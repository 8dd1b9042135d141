package markdown

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

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
}

// refs are the link reference definitions seen so far, by folded label.
type refs map[string]string

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
	emph        int // first token of its link text, see link
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
	if strings.IndexAny(src, marks) < 0 {
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
		}
	}
	t.flush()
}

// special marks the bytes that may mean something inside prose.
var special = func() (m [256]bool) {
	for _, c := range []byte("\\`*_~!([])<&") {
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

func (t *tokenizer) delim(i int) int {
	s, c, n := t.src, t.src[i], run(t.src, i)
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i+n:])
	space := func(r rune, at bool) bool { return at || unicode.IsSpace(r) }
	punct := func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }
	sb, sa := space(before, i == 0), space(after, i+n >= len(s))
	left := !sa && (!punct(after) || sb || punct(before))
	right := !sb && (!punct(before) || sa || punct(after))
	tok := token{kind: tDelim, text: s[i : i+n], ch: c, n: n, opens: left, ends: right}
	switch c {
	case '_':
		tok.opens = left && (!right || punct(before))
		tok.ends = right && (!left || punct(after))
	case '~':
		if n > 2 {
			tok.opens, tok.ends = false, false
		}
	}
	t.add(tok)
	return n
}

// close reads the ] at i: the end of a link, or itself.
func (t *tokenizer) close(i int) int {
	for len(t.brackets) > 0 {
		k := t.brackets[len(t.brackets)-1]
		t.brackets = t.brackets[:len(t.brackets)-1]
		if !t.out[k].live {
			continue
		}
		dest, n, ok := t.destination(i, k)
		if !ok {
			break
		}
		t.link(k, dest)
		return n
	}
	t.text = append(t.text, ']')
	return 1
}

// destination reads what follows the ] at i of the bracket token k.
func (t *tokenizer) destination(i, k int) (dest string, n int, ok bool) {
	s := t.src
	if i+1 < len(s) && s[i+1] == '(' && !t.noParen {
		d, end, ok := parseDest(s, i+2)
		if ok {
			return d, end - i, true
		}
		if t.open && end == len(s) && len(s)-i < 2048 {
			return strings.TrimSpace(strings.Trim(s[i+2:], "<")), len(s) - i, true
		}
	}
	if len(t.refs) == 0 {
		return "", 0, false
	}
	t.flush()
	var own strings.Builder
	for _, tok := range t.out[k+1:] {
		own.WriteString(tok.text)
	}
	name, n := own.String(), 1
	if i+1 < len(s) && s[i+1] == '[' {
		if e := strings.IndexByte(s[i+2:min(len(s), i+1000)], ']'); e >= 0 {
			if e > 0 {
				name = s[i+2 : i+2+e]
			}
			n = e + 3
		}
	}
	dest, ok = t.refs[foldLabel(name)]
	return dest, n, ok
}

// parseDest reads "dest "title")" from i and returns where it ends. Without an
// end it returns how far it looked.
func parseDest(s string, i int) (dest string, end int, ok bool) {
	blank := func() {
		for i < len(s) && (s[i] == ' ' || s[i] == '\n') {
			i++
		}
	}
	blank()
	from := i
	if i < len(s) && s[i] == '<' {
		for i++; i < len(s) && s[i] != '>' && s[i] != '\n'; i++ {
			if s[i] == '\\' {
				i++
			}
		}
		if i >= len(s) || s[i] != '>' {
			return "", min(i, len(s)), false
		}
		dest = s[from+1 : i]
		i++
	} else {
		depth := 0
		for ; i < len(s) && s[i] > ' '; i++ {
			if s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
				i++
			} else if s[i] == '(' {
				depth++
			} else if s[i] == ')' {
				if depth == 0 {
					break
				}
				depth--
			}
		}
		dest = s[from:min(i, len(s))]
	}
	blank()
	if i < len(s) && (s[i] == '"' || s[i] == '\'' || s[i] == '(') {
		q := s[i]
		if q == '(' {
			q = ')'
		}
		for i++; i < len(s) && s[i] != q; i++ {
			if s[i] == '\\' {
				i++
			}
		}
		i++
		blank()
	}
	if i >= len(s) {
		return "", len(s), false
	}
	return unescape(dest), i + 1, s[i] == ')'
}

// unescape takes the backslashes and entities out of a link target.
func unescape(s string) string {
	if strings.IndexAny(s, "\\&") < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
			i++
		} else if s[i] == '&' {
			if text, n := decodeEntity(s[i:]); n > 0 {
				b.WriteString(text)
				i += n - 1
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// link makes a link of the bracket token k and what follows it. The target is
// always shown: a link's text must not hide where it leads.
func (t *tokenizer) link(k int, dest string) {
	t.flush()
	t.emphasis(k + 1)
	t.dests = append(t.dests, dest)
	image := t.out[k].image
	var own strings.Builder
	for i := k + 1; i < len(t.out); i++ {
		t.out[i].attr |= label
		if t.out[i].kind != tDelim || t.out[i].n > 0 {
			own.WriteString(t.out[i].text)
		}
	}
	t.out[k].kind, t.out[k].live, t.out[k].text = tText, false, ""
	if image {
		t.out[k].text, t.out[k].attr = "image: ", label
	} else {
		for _, b := range t.brackets {
			if !t.out[b].image {
				t.out[b].live = false // links do not nest
			}
		}
	}
	switch text := own.String(); {
	case dest == "" || dest == text || dest == "mailto:"+text || strings.HasPrefix(dest, "#"):
	case text == "" && !image:
		t.out = append(t.out, token{kind: tText, text: dest, attr: target})
	default:
		t.out = append(t.out, token{kind: tText, text: " "}, token{kind: tText, text: dest, attr: target})
	}
}

// autoEnd returns the end of the autolink that begins with the < at i, or 0.
func autoEnd(s string, i int) int {
	j := i + 1
	for j < len(s) && (s[j] >= 'a' && s[j] <= 'z' || s[j] >= 'A' && s[j] <= 'Z' || j > i+1 && (s[j] >= '0' && s[j] <= '9' || s[j] == '+' || s[j] == '.' || s[j] == '-')) {
		j++
	}
	if n := j - i - 1; n >= 2 && n <= 32 && j < len(s) && s[j] == ':' {
		for j < len(s) && s[j] > ' ' && s[j] != '<' && s[j] != '>' {
			j++
		}
		if j < len(s) && s[j] == '>' {
			return j + 1
		}
	}
	return 0
}

// mailEnd is autoEnd for an address.
func mailEnd(s string, i int) int {
	j, at := i+1, 0
	for j < len(s) && (isWord(s[j]) || strings.IndexByte(".+-@%#!$&'*/=?^{|}~`", s[j]) >= 0) {
		if s[j] == '@' {
			if at > 0 || j == i+1 {
				return 0
			}
			at = j
		} else if at > 0 && !isWord(s[j]) && s[j] != '.' && s[j] != '-' {
			return 0
		}
		j++
	}
	if at == 0 || j == at+1 || j >= len(s) || s[j] != '>' {
		return 0
	}
	return j + 1
}

func (t *tokenizer) auto(i int) int {
	if end := mailEnd(t.src, i); end > 0 {
		t.add(token{kind: tText, text: t.src[i+1 : end-1], attr: label})
		return end - i
	}
	if end := autoEnd(t.src, i); end > 0 {
		t.add(token{kind: tText, text: t.src[i+1 : end-1], attr: target})
		return end - i
	}
	t.text = append(t.text, '<')
	return 1
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

// emphasis pairs the delimiter runs from token from on (CommonMark's "process
// emphasis").
func (t *tokenizer) emphasis(from int) {
	t.flush()
	// The first token worth looking back to, per mark, length mod 3, and whether
	// the closing run opens as well.
	var bottom [128][3][2]int
	var stack []int
	for c := from; c < len(t.out); c++ {
		tok := &t.out[c]
		if tok.kind != tDelim || tok.n == 0 {
			continue
		}
		for tok.ends && tok.n > 0 {
			both := 0
			if tok.opens {
				both = 1
			}
			low := bottom[tok.ch][tok.n%3][both]
			found := -1
			for k := len(stack) - 1; k >= 0 && stack[k] >= low; k-- {
				o := &t.out[stack[k]]
				if o.ch != tok.ch || o.n == 0 {
					continue
				}
				if (o.ends || tok.opens) && (o.n+tok.n)%3 == 0 && (o.n%3 != 0 || tok.n%3 != 0) && tok.ch != '~' {
					continue
				}
				if tok.ch == '~' && o.n != tok.n {
					continue
				}
				found = k
				break
			}
			if found < 0 {
				bottom[tok.ch][tok.n%3][both] = c
				break
			}
			o := &t.out[stack[found]]
			use, kind := 1, 1
			if tok.ch == '~' {
				use, kind = o.n, 2
			} else if o.n >= 2 && tok.n >= 2 {
				use, kind = 2, 0
			}
			o.n -= use
			tok.n -= use
			o.begin[kind]++
			tok.end[kind]++
			stack = stack[:found+1]
			if o.n == 0 {
				stack = stack[:found]
			}
		}
		if tok.opens && tok.n > 0 {
			stack = append(stack, c)
		}
	}
}

// assume closes at the end of the text what was opened near it and will
// probably be closed by what comes next.
func (t *tokenizer) assume() {
	for i := len(t.out) - 1; i >= 0 && i > len(t.out)-32; i-- {
		tok := &t.out[i]
		if tok.kind != tDelim || tok.n == 0 {
			continue
		}
		if i == len(t.out)-1 && !tok.opens {
			// Half of a closing mark, or an opening one without its text.
			if tok.ends || tok.n >= 2 {
				tok.n = 0
			}
			continue
		}
		if !tok.opens || tok.ends {
			continue
		}
		switch {
		case tok.ch == '~' && tok.n == 2:
			tok.begin[2]++
		case tok.ch != '~' && tok.n >= 2:
			tok.begin[0]++
		case tok.ch == '*':
			tok.begin[1]++
		default:
			continue
		}
		tok.n = 0
	}
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
		out = append(out, piece{text, a})
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
