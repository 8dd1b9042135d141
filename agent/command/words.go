package command

import "strings"

// word is one argument, and where in what was typed it ends.
type word struct {
	text string
	end  int
}

// words divides what was typed at blanks. Quotation marks at the beginning of a word, of
// either kind, hold its blanks together until the same mark; one in the middle of a word
// is an apostrophe, and one that is never closed is a character like any other. Within
// "…", \" is a quotation mark.
func words(s string) (out []word) {
	for i := 0; i < len(s); {
		if isBlank(s[i]) {
			i++
			continue
		}
		if text, end, ok := quoted(s, i); ok {
			out = append(out, word{text, end})
			i = end
			continue
		}
		end := i
		for end < len(s) && !isBlank(s[end]) {
			end++
		}
		out = append(out, word{s[i:end], end})
		i = end
	}
	return out
}

// quoted reads the word that begins with a quotation mark at i: a blank or the end must
// follow the mark that closes it.
func quoted(s string, i int) (text string, end int, ok bool) {
	mark := s[i]
	if mark != '"' && mark != '\'' {
		return "", 0, false
	}
	var b strings.Builder
	for j := i + 1; j < len(s); j++ {
		switch {
		case mark == '"' && s[j] == '\\' && j+1 < len(s) && (s[j+1] == '"' || s[j+1] == '\\'):
			j++
			b.WriteByte(s[j])
		case s[j] == mark && (j+1 == len(s) || isBlank(s[j+1])):
			return b.String(), j + 1, true
		case s[j] == mark:
			return "", 0, false
		default:
			b.WriteByte(s[j])
		}
	}
	return "", 0, false
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
