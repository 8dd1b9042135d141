package markdown

import "strings"

// indentOf counts the columns of blank before the text of a line. Tabs were
// expanded before.
func indentOf(s string) int {
	n := 0
	for n < len(s) && s[n] == ' ' {
		n++
	}
	return n
}

func isBlank(s string) bool { return indentOf(s) == len(s) }

// stripIndent takes up to n blanks off the front.
func stripIndent(s string, n int) string { return s[min(n, indentOf(s)):] }

// fenceOf reads the opening line of a code fence.
func fenceOf(s string) (ch byte, n, indent int, info string, ok bool) {
	indent = indentOf(s)
	t := s[indent:]
	if indent > 3 || len(t) < 3 || t[0] != '`' && t[0] != '~' {
		return
	}
	n = run(t, 0)
	info = strings.TrimSpace(t[n:])
	if n < 3 || t[0] == '`' && strings.IndexByte(info, '`') >= 0 {
		return
	}
	return t[0], n, indent, info, true
}

// closesFence reports whether s ends a fence of n times ch.
func closesFence(s string, ch byte, n int) bool {
	indent := indentOf(s)
	t := strings.TrimRight(s[indent:], " ")
	return indent <= 3 && len(t) >= n && t[0] == ch && run(t, 0) == len(t)
}

// mayCloseFence reports whether an unfinished line could become the end of a
// fence; it is not drawn until that is known.
func mayCloseFence(s string, ch byte) bool {
	t := strings.TrimRight(s[indentOf(s):], " ")
	return indentOf(s) <= 3 && t != "" && t[0] == ch && run(t, 0) == len(t)
}

// headingOf reads an ATX heading.
func headingOf(s string) (level int, text string, ok bool) {
	i := indentOf(s)
	t := s[i:]
	if i > 3 || t == "" || t[0] != '#' {
		return
	}
	level = run(t, 0)
	if level > 6 || len(t) > level && t[level] != ' ' {
		return
	}
	text = strings.TrimSpace(t[level:])
	if c := strings.TrimRight(text, "#"); c == "" || strings.HasSuffix(c, " ") {
		text = strings.TrimSpace(c)
	}
	return level, text, true
}

// setextOf reads the line under a heading.
func setextOf(s string) (level int, ok bool) {
	i := indentOf(s)
	t := strings.TrimRight(s[i:], " ")
	if i > 3 || t == "" || t[0] != '=' && t[0] != '-' || run(t, 0) != len(t) {
		return
	}
	if t[0] == '=' {
		return 1, true
	}
	return 2, true
}

// isRule reports whether s is a thematic break.
func isRule(s string) bool {
	i := indentOf(s)
	if i > 3 || i >= len(s) {
		return false
	}
	c, n := s[i], 0
	if c != '-' && c != '*' && c != '_' {
		return false
	}
	for ; i < len(s); i++ {
		if s[i] == c {
			n++
		} else if s[i] != ' ' {
			return false
		}
	}
	return n >= 3
}

// itemOf reads the marker of a list item. content is the column its text
// begins in, rest the line from there on.
func itemOf(s string) (mark string, content int, rest string, ok bool) {
	indent := indentOf(s)
	t := s[indent:]
	if indent > 3 || t == "" {
		return
	}
	n := 0
	switch c := t[0]; {
	case c == '-' || c == '*' || c == '+':
		n = 1
	case c >= '0' && c <= '9':
		for n < len(t) && n < 10 && t[n] >= '0' && t[n] <= '9' {
			n++
		}
		if n > 9 || n >= len(t) || t[n] != '.' && t[n] != ')' {
			return
		}
		n++
	default:
		return
	}
	mark, rest = t[:n], t[n:]
	gap := indentOf(rest)
	switch {
	case gap == len(rest): // an empty item, or one that begins on the next line
		return mark, indent + n + 1, "", true
	case gap == 0:
		return "", 0, "", false
	case gap > 4: // its text is indented code
		gap = 1
	}
	return mark, indent + n + gap, rest[gap:], true
}

// quoteOf takes the mark of a block quote off a line.
func quoteOf(s string) (rest string, ok bool) {
	i := indentOf(s)
	if i > 3 || i >= len(s) || s[i] != '>' {
		return s, false
	}
	s = s[i+1:]
	if s != "" && s[0] == ' ' {
		s = s[1:]
	}
	return s, true
}

// refOf reads a link reference definition that stands on one line.
func refOf(s string) (label, dest string, ok bool) {
	i := indentOf(s)
	t := s[i:]
	if i > 3 || len(t) < 4 || t[0] != '[' || t[1] == '^' {
		return
	}
	n := strings.Index(t, "]:")
	if n < 2 {
		return
	}
	rest := strings.TrimSpace(t[n+2:])
	dest, title, _ := strings.Cut(rest, " ")
	title = strings.TrimSpace(title)
	if dest == "" || title != "" && !strings.ContainsAny(title[:1], `"'(`) {
		return
	}
	dest = strings.TrimSuffix(strings.TrimPrefix(dest, "<"), ">")
	return t[1:n], unescape(dest), true
}

// alignment of a table column.
type alignment uint8

const (
	alignNone alignment = iota
	alignLeft
	alignCenter
	alignRight
)

// delimiterOf reads the line between a table's head and its body.
func delimiterOf(s string) (as []alignment, ok bool) {
	t := strings.TrimSpace(s)
	if indentOf(s) > 3 || t == "" || strings.Trim(t, "|-: ") != "" || strings.IndexByte(t, '-') < 0 {
		return nil, false
	}
	for _, c := range cellsOf(s) {
		if c == "" {
			return nil, false
		}
		left, right := c[0] == ':', c[len(c)-1] == ':'
		if d := strings.Trim(c, ":"); d == "" || strings.Trim(d, "-") != "" {
			return nil, false
		}
		switch {
		case left && right:
			as = append(as, alignCenter)
		case left:
			as = append(as, alignLeft)
		case right:
			as = append(as, alignRight)
		default:
			as = append(as, alignNone)
		}
	}
	return as, len(as) > 0 && strings.IndexByte(t, '|') >= 0
}

// cellsOf splits a table row at its bars. An escaped bar is part of its cell.
func cellsOf(s string) []string {
	s = strings.TrimSpace(s)
	s = strings.TrimPrefix(s, "|")
	var out []string
	from := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '|':
			out = append(out, cell(s[from:i]))
			from = i + 1
		}
	}
	if from < len(s) {
		out = append(out, cell(s[from:]))
	}
	return out
}

func cell(s string) string {
	s = strings.TrimSpace(s)
	if strings.Contains(s, `\|`) {
		s = strings.ReplaceAll(s, `\|`, "|")
	}
	return s
}

// startsBlock reports whether a line that lacks the marks of the open containers
// begins something, and so does not continue the paragraph in them.
func startsBlock(s string) bool {
	if _, ok := quoteOf(s); ok || isRule(s) {
		return true
	}
	if _, _, _, _, ok := fenceOf(s); ok {
		return true
	}
	if _, _, ok := headingOf(s); ok {
		return true
	}
	_, _, _, ok := itemOf(s)
	return ok
}

// interrupts reports whether an item may begin right below a paragraph: a
// wrapped line that happens to begin with a number is not one.
func interrupts(mark, rest string) bool {
	return rest != "" && (len(mark) == 1 || mark == "1." || mark == "1)")
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}
