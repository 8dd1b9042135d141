package secrets

import "strings"

// A style is how a value stands behind its name.
type style int

const (
	loose  style = iota // a word of a program, perhaps
	quotes              // in quotes
	line                // in a file of nothing but names and values
)

// right finds the value behind the sign at i. begin is where the name begins.
func (s *scanner) right(i, begin int, quotedName bool) (from, to int, st style) {
	t := s.text
	j := i + 1
	if j < len(t) && (t[j] == '=' || t[j] == '~') || i > 0 && strings.IndexByte("!<>~", t[i-1]) >= 0 {
		return 0, 0, loose // a comparison, or := which is read at its second sign
	}
	if j < len(t) && t[j] == '>' { // =>
		j++
	}
	spaces := 0
	for j < len(t) && (t[j] == ' ' || t[j] == '\t') {
		j++
		spaces++
	}
	if j < len(t) && t[j] == '\\' && j+1 < len(t) && t[j+1] == '"' { // JSON inside JSON
		from = j + 2
		if n := strings.Index(t[from:min(len(t), from+4096)], `\"`); n >= 0 && !strings.Contains(t[from:from+n], "\n") {
			return from, from + n, quotes
		}
		return 0, 0, loose
	}
	if j+1 < len(t) && strings.IndexByte("bfru", t[j]) >= 0 && (t[j+1] == '"' || t[j+1] == '\'') { // Python
		j++
	}
	if j < len(t) && (t[j] == '"' || t[j] == '\'' || t[j] == '`') {
		q := t[j]
		from = j + 1
		for k := from; k < len(t) && k-from < 4096 && t[k] != '\n'; k++ {
			if t[k] == '\\' && q != '\'' {
				k++
				continue
			}
			if t[k] == q {
				if k+1 < len(t) && (t[k+1] == '.' || t[k+1] == '+') || k+2 < len(t) && t[k+1] == ' ' && t[k+2] == '+' { // put together by a program
					if k-from < 12 {
						return 0, 0, loose
					}
				}
				return from, k, quotes
			}
		}
		return 0, 0, loose
	}
	from = j
	eol := strings.IndexAny(t[from:min(len(t), from+4096)], "\n\r")
	if eol < 0 {
		eol = len(t) - from
	}
	rest := strings.TrimRight(t[from:from+min(eol, 4096)], " \t\r")
	before := lineStart(t, begin)
	switch {
	case quotedName:
	case t[i] == '=' && spaces == 0 && envLine(before) && allCaps(t[begin:i]):
		if k := strings.Index(rest, " #"); k >= 0 {
			rest = strings.TrimRight(rest[:k], " ")
		}
		if !strings.ContainsAny(rest, " \"'") {
			return from, from + len(rest), line
		}
		if envOnly(before) && !strings.ContainsAny(rest, "\"';|&") {
			return from, from + len(rest), line
		}
	case t[i] == ':' && spaces > 0 && yamlLine(before) && !strings.ContainsAny(rest, " (){}[]\",;"):
		return from, from + len(rest), line
	case t[i] == '=' && (yamlLine(before)) && !strings.ContainsAny(rest, " (){}[]\"',;."): // ini, properties
		return from, from + len(rest), line
	case t[i] == '=' && spaces == 0 && strings.HasSuffix(before, ";") || t[i] == '=' && begin > 0 && (t[begin-1] == '&' || t[begin-1] == '?'):
		// a connection string, or the query of an address
		n := 0
		for n < len(rest) && rest[n] > ' ' && strings.IndexByte(";&\"'<>`#", rest[n]) < 0 {
			n++
		}
		return from, from + n, quotes
	}
	n := 0
	for n < len(rest) && rest[n] > ' ' && strings.IndexByte(",;\"'`&<>)}]#|", rest[n]) < 0 {
		n++
	}
	return from, from + n, loose
}

// lineStart is what stands in the line before i, at most some hundred bytes.
func lineStart(t string, i int) string {
	from := max(0, i-120)
	if n := strings.LastIndexAny(t[from:i], "\n\r"); n >= 0 {
		from += n + 1
	}
	return t[from:i]
}

// numbered takes a line's number off, as tools print it.
func numbered(before string) string {
	b := strings.TrimLeft(before, " \t")
	n := run(b, set10.Get())
	if n > 0 && n < len(b) && strings.IndexByte("\t:-|", b[n]) >= 0 {
		return strings.TrimLeft(b[n+1:], " \t")
	}
	if b != "" && (b[0] == '+' || b[0] == '-') { // a diff, or a list of YAML
		return strings.TrimLeft(b[1:], " \t")
	}
	return b
}

// envLine says whether what stands before a name in its line leaves room for
// assignments: nothing, export, other assignments, a file's name of grep.
func envLine(before string) bool {
	b := numbered(before)
	for _, p := range []string{"export ", "set ", "ENV ", "ARG ", "# ", "#", "declare -x ", "- ", "env ", "-e ", "$env:"} {
		b = strings.TrimPrefix(b, p)
	}
	b = strings.TrimRight(b, " ")
	if b == "" || strings.HasSuffix(b, ":") || strings.HasSuffix(b, "-e") || strings.HasSuffix(b, "--env") || strings.HasSuffix(b, "export") || strings.HasSuffix(b, "env") {
		return true
	}
	k := strings.LastIndexByte(b, ' ')
	return strings.IndexByte(b[k+1:], '=') > 0 // A=1 B=2
}

func envOnly(before string) bool { return numbered(before) == "" }

func yamlLine(before string) bool {
	b := numbered(before)
	b = strings.TrimPrefix(b, "- ")
	if b == "" || b == "\"" || b == "'" {
		return true
	}
	k := strings.LastIndexByte(b, ':') // file:12:password: …
	return k == len(b)-1 && !strings.Contains(b, " ")
}

func allCaps(s string) bool { return strings.ToUpper(s) == s }
