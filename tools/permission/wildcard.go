package permission

import "strings"

// wildcard matches with * for any text; \* is a star and \\ a backslash. " *" at the
// end also stands for nothing.
func wildcard(pattern, s string) bool {
	if head, ok := strings.CutSuffix(pattern, " *"); ok && s == unescape(head) && len(stars(head)) == 1 {
		return true
	}
	parts := stars(pattern)
	if len(parts) == 1 {
		return parts[0] == s
	}
	if !strings.HasPrefix(s, parts[0]) {
		return false
	}
	s = s[len(parts[0]):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, parts[len(parts)-1])
}

// stars parts a pattern at its stars and takes the backslashes out.
func stars(pattern string) []string {
	var parts []string
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern) && (pattern[i+1] == '*' || pattern[i+1] == '\\'):
			i++
			b.WriteByte(pattern[i])
		case c == '*':
			parts = append(parts, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	return append(parts, b.String())
}

func unescape(pattern string) string { return strings.Join(stars(pattern), "*") }

// escape is the pattern that matches a text and nothing else.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`).Replace(text)
}

// meet reports whether some text matches both patterns.
func meet(a, b string) bool {
	pa, pb := glyphs(a), glyphs(b)
	seen := map[[2]int]bool{}
	var at func(i, j int) bool
	at = func(i, j int) bool {
		k := [2]int{i, j}
		if seen[k] {
			return false
		}
		seen[k] = true
		switch {
		case i == len(pa) && j == len(pb):
			return true
		case i < len(pa) && pa[i] < 0 && (at(i+1, j) || j < len(pb) && at(i, j+1)):
			return true
		case j < len(pb) && pb[j] < 0 && (at(i, j+1) || i < len(pa) && at(i+1, j)):
			return true
		}
		return i < len(pa) && j < len(pb) && pa[i] >= 0 && pa[i] == pb[j] && at(i+1, j+1)
	}
	return at(0, 0)
}

// glyphs is a pattern letter by letter; -1 is a star.
func glyphs(pattern string) []int {
	var out []int
	for i, p := range stars(strings.TrimSuffix(pattern, " *") + map[bool]string{true: "*"}[strings.HasSuffix(pattern, " *")]) {
		if i > 0 {
			out = append(out, -1)
		}
		for _, c := range []byte(p) {
			out = append(out, int(c))
		}
	}
	return out
}
