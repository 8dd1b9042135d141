package builtin

import (
	"fmt"
	"strconv"
	"strings"

	"forge/lazy"
)

// nearMiss explains why old is not in text: the one slip that would make it match,
// if there is one, and the lines that are most like it.
func nearMiss(text, old string) string {
	slip := slipOf(text, old)
	lines := strings.Split(text, "\n")
	want := strings.Split(strings.TrimRight(old, "\n"), "\n")
	start, ok := closest(lines, want)
	if !ok {
		if slip != "" {
			return slip
		}
		return "; nothing in the file is like it: read the file again"
	}
	end := min(start+len(want), len(lines))
	var b strings.Builder
	b.WriteString(slip)
	fmt.Fprintf(&b, "; closest is line %d:\n", start+1)
	if end-start > 1 {
		b.Reset()
		fmt.Fprintf(&b, "%s; closest are lines %d–%d:\n", slip, start+1, end)
	}
	for i := start; i < end && i < start+12; i++ {
		writeLine(&b, i+1, lines[i])
	}
	told := 0
	for i := start; i < end && told < 3; i++ {
		if d := difference(lines[i], want[i-start]); d != "" {
			fmt.Fprintf(&b, "line %d: %s\n", i+1, d)
			told++
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

var numbered = lazy.Regexp{Expr: `(?m)^ *\d+\t`}

// slipOf tries the slips models make.
func slipOf(text, old string) string {
	has := func(s string) bool { return s != old && s != "" && strings.Contains(text, s) }
	unescaped, err := strconv.Unquote(`"` + strings.ReplaceAll(strings.ReplaceAll(old, "\n", `\n`), `"`, `\"`) + `"`)
	switch {
	case strings.Contains(old, "\ufffd") && strings.Contains(strings.ToValidUTF8(text, "\ufffd"), old):
		return " (the file has bytes there that are no UTF-8 and are shown as \ufffd: nothing can match them, so name the text around them)"
	case has(numbered.Get().ReplaceAllString(old, "")):
		return " (it matches without the line numbers: leave them out)"
	case has(strings.Trim(old, "\n")):
		return " (it matches without the line ends at its start or end)"
	case err == nil && strings.Contains(old, `\`) && has(unescaped):
		return ` (it matches with \n, \t or \" as the characters they stand for)`
	case strings.Contains(typewriter.Get().Replace(text), typewriter.Get().Replace(old)):
		return " (quotes, dashes or blanks differ: one has typographic ones)"
	case strings.Contains(strings.ToLower(text), strings.ToLower(old)):
		return " (upper and lower case differ)"
	}
	return ""
}

var typewriter = lazy.Value[*strings.Replacer]{Of: func() *strings.Replacer {
	return strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "–", "-", "—", "-", "−", "-", "\u00a0", " ", "\u202f", " ", "…", "...")
}}

// closest finds the place in lines that is most like want: where most of its lines
// stand, blanks aside; if none does, the line most like its longest one.
func closest(lines, want []string) (start int, ok bool) {
	places := map[string][]int{}
	for i, l := range lines {
		if k := squeeze(l); len(places[k]) < 50 {
			places[k] = append(places[k], i)
		}
	}
	votes := map[int]int{}
	best, longest := 0, 0
	for i, w := range want {
		k := squeeze(w)
		if len(k) > len(squeeze(want[longest])) {
			longest = i
		}
		if k == "" {
			continue
		}
		for _, at := range places[k] {
			s := max(at-i, 0)
			votes[s] += len(k)
			if v := votes[s]; v > votes[best] || v == votes[best] && s < best {
				best = s
			}
		}
	}
	if votes[best] > 0 {
		return best, true
	}
	at, score := 0, 0.0
	for i, l := range lines[:min(len(lines), 20_000)] {
		if s := likeness(l, want[longest]); s > score {
			at, score = i, s
		}
	}
	return max(at-longest, 0), score >= 0.4
}

// squeeze is a line whose runs of blanks are one blank each.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// likeness is the share of letter pairs two lines have in common, 0 to 1.
func likeness(a, b string) float64 {
	a, b = squeeze(a), squeeze(b)
	if len(a) < 2 || len(b) < 2 || len(a) > 2000 || len(b) > 2000 {
		return 0
	}
	pairs := map[string]int{}
	for i := range len(a) - 1 {
		pairs[a[i:i+2]]++
	}
	common := 0
	for i := range len(b) - 1 {
		if pairs[b[i:i+2]] > 0 {
			pairs[b[i:i+2]]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(a)+len(b)-2)
}

// difference names how a line of the file and a line of old_string differ.
func difference(file, old string) string {
	switch {
	case file == old:
		return ""
	case strings.TrimRight(file, " \t\r") == strings.TrimRight(old, " \t\r"):
		return fmt.Sprintf("blanks at its end differ: the file has %q, old_string %q", tail(file), tail(old))
	case strings.TrimSpace(file) == strings.TrimSpace(old):
		return fmt.Sprintf("the indentation differs: the file has %q, old_string %q", indent(file), indent(old))
	case squeeze(file) == squeeze(old):
		return fmt.Sprintf("blanks inside differ: the file has %.200q", file)
	}
	return fmt.Sprintf("old_string has %.200q", old)
}

func indent(s string) string { return s[:len(s)-len(strings.TrimLeft(s, " \t"))] }

func tail(s string) string { return s[len(strings.TrimRight(s, " \t\r")):] }
