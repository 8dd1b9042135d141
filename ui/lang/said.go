package lang

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"forge/lazy"
	"forge/sorting"
)

// Said is a text that came from a room which speaks English alone, in the language
// in force: by the whole text where the catalogue has it, else by the first of its
// entries with verbs that the text could have been formatted by; what stood for the
// verbs stays as it is, unless it is such a text itself. A text that no entry fits
// stays English. What a person wrote, a command or a path by itself, is not given to
// it.
func Said(text string) string {
	l := current.Load()
	if l == nil || text == "" {
		return text
	}
	return l.said(text, 0)
}

// As is a text that one of some entries made, in the language in force. Other than
// with Said, what stood for the verbs stays as it is whatever it says: a command, the
// name of a file.
func As(text string, entries ...string) string {
	l := current.Load()
	if l == nil {
		return text
	}
	for _, e := range entries {
		if p, ok := l.entries[e]; ok {
			if m := p.match(text); m != nil {
				return p.fill(func(i int) string { return m[i] })
			}
		}
	}
	return text
}

// Lines is a text of several lines, each said by itself. One that is indented stays
// as it is: there stands what another wrote, and a person is to see just that.
func Lines(text string) string {
	if current.Load() == nil {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, " ") {
			lines[i] = Said(line)
		}
	}
	return strings.Join(lines, "\n")
}

// enough is how many letters of its own an entry has that a whole sentence cannot
// match by chance. One with fewer is not said around prose: half a sentence in another
// language is worse than none.
const enough = 10

var small = lazy.Regexp{Expr: `(?i)\b(the|an?|is|are|was|it|its|that|this|which|of|for|and|or|not|no|on|by|to|from|into|what|another|with|can|your?)\b[^/=.-]`}

func isProse(arg string) bool {
	return strings.Count(arg, " ") > 1 && small.Get().MatchString(arg)
}

// depth bounds how far texts within texts are looked up: a hint in an error in a
// notice.
const depth = 6

func (l *language) said(text string, deep int) string {
	if w, ok := l.words[text]; ok {
		return w
	}
	if deep == depth {
		return text
	}
	if a, b, both := strings.Cut(text, "；"); both { // part of it was said already
		return l.said(a, deep+1) + "；" + l.said(b, deep+1)
	}
	for _, p := range l.patterns {
		m := p.match(text)
		if m == nil {
			continue
		}
		half := false
		for i, arg := range m[1:] {
			m[i+1] = l.said(arg, deep+1)
			half = half || p.letters < enough && m[i+1] == arg && isProse(arg)
		}
		if !half {
			return p.fill(func(i int) string { return m[i] })
		}
	}
	// Errors name the thing, the cause and the next step, each said by another room.
	for _, sep := range [...]string{N(": "), N("; "), N(" - "), "："} {
		a, b, both := strings.Cut(text, sep)
		if !both {
			continue
		}
		x, y := l.said(a, deep+1), l.said(b, deep+1)
		if x == a && y == b {
			continue
		}
		if w, ok := l.words[sep]; ok {
			sep = w
		}
		return x + sep + y
	}
	if a, b, both := strings.Cut(text, " ("); both && strings.HasSuffix(b, ")") { // a cause behind
		b = strings.TrimSuffix(b, ")")
		if x, y := l.said(a, deep+1), l.said(b, deep+1); x != a || y != b {
			return x + l.said(N("("), depth) + y + l.said(N(")"), depth)
		}
	}
	if list, ok := l.listed(text); ok {
		return list
	}
	return text
}

// listed says a list whose every part is an entry, or a number of one: "2 × GitHub token, password".
func (l *language) listed(text string) (string, bool) {
	parts := strings.Split(text, N(", "))
	for i, part := range parts {
		number, what, many := strings.Cut(part, " × ")
		if !many {
			what = part
		}
		word, ok := l.words[what]
		if !ok {
			return "", false
		}
		if parts[i] = word; many {
			parts[i] = number + " × " + word
		}
	}
	return strings.Join(parts, l.said(N(", "), depth)), true
}

// readBack makes the patterns of a catalogue, those with the most words of their own
// first: they say the most about a text.
func readBack(words map[string]string) (out []*pattern, all map[string]*pattern) {
	all = map[string]*pattern{}
	for text, word := range words {
		if p, ok := newPattern(text, word); ok {
			all[text] = p
			if p.letters >= fewest {
				out = append(out, p)
			}
		}
	}
	sorting.By(out, func(a, b *pattern) int {
		return cmp.Or(cmp.Compare(b.letters, a.letters), cmp.Compare(a.text, b.text))
	})
	return out, all
}

// fewest is how many letters of its own an entry needs to be told by them.
const fewest = 4

// pattern is an entry with verbs, read backwards.
type pattern struct {
	text, word string
	begin, end string // what such a text begins and ends with
	core       string // the longest of what stands in it between verbs
	letters    int    // of its own words
	once       sync.Once
	is         *regexp.Regexp // made when a text begins and ends so: most never are needed
	parts      []string       // of the translation, around the arguments
	args       []int          // which of them stands behind each part but the last
}

// match returns the text and what stood for its verbs, or nil.
func (p *pattern) match(text string) []string {
	if len(text) < len(p.begin)+len(p.end) || !strings.HasPrefix(text, p.begin) || !strings.HasSuffix(text, p.end) || !strings.Contains(text, p.core) {
		return nil
	}
	p.once.Do(p.compile)
	return p.is.FindStringSubmatch(text)
}

func (p *pattern) fill(arg func(int) string) string {
	var b strings.Builder
	for i, part := range p.parts {
		b.WriteString(part)
		if i < len(p.args) {
			b.WriteString(arg(p.args[i]))
		}
	}
	return b.String()
}

var verb = lazy.Regexp{Expr: `%(?:\[(\d+)\])?[-+# 0]*\d*(?:\.\d+)?([a-zA-Z%])`}

// newPattern reads an entry; ok is false for one without verbs.
func newPattern(text, word string) (p *pattern, ok bool) {
	p = &pattern{text: text, word: word}
	end, args := 0, 0
	for _, m := range verb.Get().FindAllStringSubmatchIndex(text, -1) {
		own := text[end:m[0]]
		p.letters += len(strings.TrimSpace(own))
		if text[m[4]:m[5]] == "%" {
			continue
		}
		if len(own) > len(p.core) && !strings.Contains(own, "%") {
			p.core = own
		}
		if end = m[1]; args == 0 {
			p.begin = strings.ReplaceAll(text[:m[0]], "%%", "%")
		}
		args++
	}
	p.end = strings.ReplaceAll(text[end:], "%%", "%")
	p.letters += len(strings.TrimSpace(text[end:]))
	return p, args > 0 && word != ""
}

func (p *pattern) compile() {
	var re strings.Builder
	re.WriteString(`(?s)\A`)
	end := 0
	for _, m := range verb.Get().FindAllStringSubmatchIndex(p.text, -1) {
		re.WriteString(regexp.QuoteMeta(p.text[end:m[0]]))
		end = m[1]
		switch p.text[m[4]:m[5]] {
		case "%":
			re.WriteString("%")
		case "d", "o":
			re.WriteString(`(-?\d+)`)
		case "q":
			re.WriteString(`("(?:[^"\\]|\\.)*")`)
		default:
			re.WriteString(`(.+?)`)
		}
	}
	re.WriteString(regexp.QuoteMeta(p.text[end:]) + `\z`)
	p.is = regexp.MustCompile(re.String())

	at, next, part := 0, 1, ""
	for _, m := range verb.Get().FindAllStringSubmatchIndex(p.word, -1) {
		part += p.word[at:m[0]]
		at = m[1]
		if p.word[m[4]:m[5]] == "%" {
			part += "%"
			continue
		}
		if m[2] >= 0 {
			next, _ = strconv.Atoi(p.word[m[2]:m[3]])
		}
		p.parts, p.args = append(p.parts, part), append(p.args, min(max(next, 1), p.is.NumSubexp()))
		part, next = "", next+1
	}
	p.parts = append(p.parts, part+p.word[at:])
}
