package safe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a part of a prompt. A marker stands for something that would not be
// seen; it is to be drawn in a style text from outside cannot have.
type Span struct {
	Text   string
	Marker bool
}

// Shown is text as a person is asked to approve it.
type Shown struct {
	Spans []Span
	// Flag is set when the text holds something that hides or imitates: the
	// prompt then warns, the risk is at least high, and no grant outlives the
	// call.
	Flag bool
}

// String joins the spans.
func (p Shown) String() string {
	if len(p.Spans) == 1 {
		return p.Spans[0].Text
	}
	var b strings.Builder
	for _, s := range p.Spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// Prompt returns s as it may be drawn where it is approved: commands, paths,
// tool names, arguments. Nothing is dropped; every hidden character is written
// out, such as <1B>, <U+202E> or <300 blanks>. Applying it twice changes
// nothing more.
func Prompt(s string) string { return Inspect(s).String() }

// Suspicious reports whether s holds something that hides or imitates, such as
// an escape sequence, an invisible character or Cyrillic letters in a Latin
// word.
func Suspicious(s string) bool { return Inspect(s).Flag }

// Runs at least this long are counted instead of drawn: they would push what
// follows out of sight.
const (
	manyTabs     = 8
	manyBlanks   = 16
	manyNewlines = 4
)

// Inspect returns s in the PROMPT view.
func Inspect(s string) Shown {
	var p inspector
	for i := 0; i < len(s); {
		i += p.next(s, i)
	}
	p.flush()
	return Shown{Spans: p.spans, Flag: p.flag}
}

type inspector struct {
	spans []Span
	text  []byte
	flag  bool
	marks int

	latin, foreign bool // scripts seen in the word being read
}

func (p *inspector) flush() {
	if len(p.text) > 0 {
		p.spans = append(p.spans, Span{Text: string(p.text)})
		p.text = p.text[:0]
	}
}

// marker writes what stands for something hidden.
func (p *inspector) marker(format string, a ...any) {
	p.mark(fmt.Sprintf(format, a...))
	p.marks = 0
	p.flag = true
}

// mark adds a marker to the spans; neighbours share one.
func (p *inspector) mark(text string) {
	if n := len(p.spans); n > 0 && len(p.text) == 0 && p.spans[n-1].Marker && len(p.spans[n-1].Text) < 256 {
		p.spans[n-1].Text += text
		return
	}
	p.flush()
	p.spans = append(p.spans, Span{Text: text, Marker: true})
}

// next reads what starts at s[i] and returns its length.
func (p *inspector) next(s string, i int) int {
	c := s[i]
	switch {
	case c == '\t' || c == ' ' || c == '\n':
		return p.run(s, i, c)
	case c < 0x20 || c == 0x7f:
		p.endWord()
		p.marker("<%02X>", c)
		return 1
	case c < 0x80:
		p.text = append(p.text, c)
		p.marks = 0
		p.word(rune(c))
		return 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if r == utf8.RuneError && n == 1 {
		p.endWord()
		p.marker("<%02X>", c)
		return 1
	}
	switch classify(r) {
	case plain:
		p.text = append(p.text, s[i:i+n]...)
		p.marks = 0
		p.word(r)
	case mark:
		return p.stack(s, i)
	default:
		p.marker("<U+%04X>", r)
	}
	return n
}

// run reads a run of one kind of blank.
func (p *inspector) run(s string, i int, c byte) int {
	p.endWord()
	p.marks = 0
	n := 1
	for i+n < len(s) && s[i+n] == c {
		n++
	}
	switch {
	case c == '\t' && n >= manyTabs:
		p.marker("<%d tabs>", n)
	case c == '\t':
		p.mark(strings.Repeat("⇥", n))
	case c == ' ' && n >= manyBlanks:
		p.marker("<%d blanks>", n)
	case c == '\n' && n >= manyNewlines:
		p.text = append(p.text, '\n')
		p.marker("<%d newlines>", n)
		p.text = append(p.text, '\n')
	default:
		p.text = append(p.text, s[i:i+n]...)
	}
	return n
}

// stack reads a run of combining marks.
func (p *inspector) stack(s string, i int) int {
	n, over := 0, 0
	for i+n < len(s) {
		r, size := utf8.DecodeRuneInString(s[i+n:])
		if classify(r) != mark {
			break
		}
		if p.marks < maxMarks {
			p.text = append(p.text, s[i+n:i+n+size]...)
			p.marks++
		} else {
			over++
		}
		n += size
	}
	switch {
	case over == 1:
		p.marker("<+%d mark>", over)
	case over > 1:
		p.marker("<+%d marks>", over)
	}
	return n
}

// word watches for what imitates Latin letters.
func (p *inspector) word(r rune) {
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		p.latin = true
	case r < 0x80:
		p.endWord()
		return
	case r >= 0xff10 && r <= 0xff19 || r >= 0xff21 && r <= 0xff3a || r >= 0xff41 && r <= 0xff5a,
		r >= 0x1d400 && r <= 0x1d7ff:
		p.flag = true // full-width and mathematical letters and digits
	case unicode.In(r, unicode.Cyrillic, unicode.Armenian, unicode.Cherokee), strings.ContainsRune("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοινυρκτχ", r):
		p.foreign = true
	case unicode.Is(unicode.Latin, r):
		p.latin = true
	case !unicode.IsLetter(r):
		p.endWord()
		return
	}
	if p.latin && p.foreign {
		p.flag = true
	}
}

func (p *inspector) endWord() { p.latin, p.foreign = false, false }
