package reader

import "strings"

// Code is one fenced block of markdown, without its fences.
type Code struct {
	Lang string // as the fence names it; may be empty
	Text string // ends without a line feed
}

// Blocks returns the fenced code of a markdown text, in order. A fence that is not
// closed yet counts: what is there can be wanted already. The indentation of a
// fence, of a list's item or a quote, is taken off its lines.
func Blocks(text string) []Code {
	var out []Code
	var body []string
	fence, indent, quotes, lang := "", 0, 0, ""
	for line := range strings.SplitSeq(text, "\n") {
		if fence == "" {
			rest, q := unquote(line, -1)
			trimmed := strings.TrimLeft(rest, " \t")
			indent = len(rest) - len(trimmed)
			for _, mark := range []string{"- ", "* ", "+ "} { // a fence as an item's first line
				if inner, ok := strings.CutPrefix(trimmed, mark); ok && isFence(strings.TrimLeft(inner, " ")) != "" {
					indent += len(trimmed) - len(strings.TrimLeft(inner, " "))
					trimmed = strings.TrimLeft(inner, " ")
				}
			}
			if f := isFence(trimmed); f != "" {
				fence, quotes, body = f, q, nil
				lang, _, _ = strings.Cut(strings.TrimSpace(strings.TrimLeft(trimmed, f[:1])), " ")
			}
			continue
		}
		rest, _ := unquote(line, quotes)
		trimmed := strings.TrimSpace(rest)
		if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "" {
			out = append(out, Code{lang, strings.Join(body, "\n")})
			fence = ""
			continue
		}
		n := 0
		for n < indent && n < len(rest) && (rest[n] == ' ' || rest[n] == '\t') {
			n++
		}
		body = append(body, rest[n:])
	}
	if fence != "" {
		out = append(out, Code{lang, strings.TrimRight(strings.Join(body, "\n"), "\n")})
	}
	return out
}

// isFence returns the run of marks that opens a block on this line, or nothing.
func isFence(s string) string {
	for _, c := range []string{"`", "~"} {
		n := len(s) - len(strings.TrimLeft(s, c))
		if n >= 3 && (c == "~" || !strings.Contains(s[n:], "`")) {
			return s[:n]
		}
	}
	return ""
}

// unquote takes at most n quote marks off a line, all of them if n is negative, and
// says how many there were.
func unquote(line string, n int) (rest string, had int) {
	for n < 0 || had < n {
		t := strings.TrimLeft(line, " ")
		if !strings.HasPrefix(t, ">") || len(line)-len(t) > 3 {
			return line, had
		}
		line = strings.TrimPrefix(t[1:], " ")
		had++
	}
	return line, had
}
