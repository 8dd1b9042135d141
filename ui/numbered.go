package ui

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"forge/ui/reader"
)

// Lines of a file are shown to a model, and to a person, with their numbers. What is
// copied of them is the file's.

// unnumbered is the text of a file out of a result that numbers its lines, each by one
// more than the last; "": it is no such text. What a tool adds at the end, that there
// is more, is no line of the file.
func unnumbered(text string) string {
	var out strings.Builder
	last := 0
	for line := range strings.SplitSeq(text, "\n") {
		n, rest := numberOf(line, "\t")
		switch {
		case n == 0 && last > 0 && (strings.HasPrefix(line, "…(") || strings.HasPrefix(line, "(")):
			continue
		case n == 0 || last > 0 && n != last+1:
			return ""
		}
		last = n
		out.WriteString(rest + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// numberWidth is the cells a number has at least.
const numberWidth = 5

// numberOf reads the number before a line, and what stands behind it and the gap; 0:
// there is none.
func numberOf(line, gap string) (n int, rest string) {
	digits := strings.TrimLeft(line, " ")
	blanks := len(line) - len(digits)
	end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(digits)
	}
	if blanks+end < numberWidth || blanks > 0 && blanks+end > numberWidth {
		return 0, ""
	}
	rest, ok := strings.CutPrefix(digits[end:], gap)
	if !ok && digits[end:] != "" {
		return 0, ""
	}
	n, _ = strconv.Atoi(digits[:end])
	return n, rest
}

// blankNumbers takes the numbers from rows that show such a text behind so many cells:
// they are in no file.
func blankNumbers(rows []string, indent int) []string {
	out := append([]string(nil), rows...)
	last := 0
	for i, r := range rows {
		plain := ansi.Strip(r)
		if len(plain) < indent || strings.TrimSpace(plain[:indent]) != "" {
			continue
		}
		if n, rest := numberOf(plain[indent:], " "); n > 0 && (last == 0 || n == last+1) {
			last = n
			out[i] = reader.Blank(r, len(plain)-len(rest))
		}
	}
	return out
}
