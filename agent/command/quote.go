package command

import (
	"fmt"
	"strings"

	"forge/lazy"
)

// A command line stands for its arguments as a shell's own script would: "$1" and $1 are
// the first word, '$1' and \$1 are themselves. What is put there is quoted, so that it is
// a word for the shell whatever it holds.

// place is a sign in a command line: from where to where, which argument (0: all), and
// whether it stands within "…".
type place struct {
	from, to, n int
	within      bool
}

// places finds the signs of a command line. nested says that a part of it is a line of
// its own, for which other quotes hold.
func places(line string) (out []place, nested bool) {
	within, single := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case single:
			single = c != '\''
		case c == '\\':
			i++
		case c == '\'' && !within:
			single = true
		case c == '"':
			within = !within
		case strings.HasPrefix(line[i:], "$(") || strings.HasPrefix(line[i:], "${") || strings.HasPrefix(line[i:], "$'") ||
			strings.HasPrefix(line[i:], "<<") || strings.HasPrefix(line[i:], "<(") || strings.HasPrefix(line[i:], ">("):
			nested = true
		default:
			if p, size := sign(line[i:], ' '); size > 0 && p.kind != shell {
				out = append(out, place{i, i + size, p.n, within})
				i += size - 1
			}
		}
	}
	return out, nested
}

// inShell tells which arguments a command line takes: up to which word, and whether all.
func inShell(line string) (most int, whole bool) {
	ps, _ := places(line)
	for _, p := range ps {
		most, whole = max(most, p.n), whole || p.n == 0
	}
	return most, whole
}

// inLine puts what was typed into a command line.
func inLine(line, typed string, ws []word) (string, error) {
	ps, nested := places(line)
	var b strings.Builder
	at := 0
	for _, p := range ps {
		b.WriteString(line[at:p.from])
		at = p.to
		var values []string
		switch {
		case p.n > 0 && p.n <= len(ws):
			values = []string{ws[p.n-1].text}
		case p.n > 0:
		case p.within:
			values = []string{typed}
		default:
			for _, w := range ws {
				values = append(values, w.text)
			}
		}
		for i, v := range values {
			if nested && !harmless(v) {
				return "", fmt.Errorf("%q cannot be put into the command line %q: in one with $(…), ${…} or << an argument may only have letters, digits and -_./:=@%%+,", v, line)
			}
			if i > 0 {
				b.WriteByte(' ')
			}
			if p.within {
				b.WriteString(doubled.Get().Replace(v))
			} else {
				b.WriteString(asWord(v))
			}
		}
	}
	b.WriteString(line[at:])
	return b.String(), nil
}

// doubled makes a text what it is within "…".
var doubled = lazy.Value[*strings.Replacer]{Of: func() *strings.Replacer {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "`", "\\`")
}}

// asWord makes a text one word.
func asWord(v string) string {
	if v != "" && harmless(v) {
		return v
	}
	return "'" + strings.ReplaceAll(v, "'", `'\''`) + "'"
}

// harmless reports whether a shell takes no character of a text for anything else.
func harmless(v string) bool {
	return !strings.ContainsFunc(v, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@%+,", r))
	})
}
