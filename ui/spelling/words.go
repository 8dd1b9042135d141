package spelling

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word is a word of a text, by its bytes.
type Word struct{ From, To int }

// Words are the words of a prompt that have a spelling: not what stands in spans and
// fences of code, paths, addresses, @mentions, /commands, :names:, flags, identifiers,
// abbreviations and what is written in Chinese, Japanese or Korean. A command for the
// shell has none.
func Words(text string) (words []Word) {
	if strings.HasPrefix(text, "!") {
		return nil
	}
	fence := ""
	at := 0
	for line := range strings.Lines(text) {
		switch mark := fenceMark(line); {
		case mark != "" && fence == "":
			fence = mark
		case mark != "" && fence == mark:
			fence = ""
		case fence == "":
			words = lineWords(words, line, at)
		}
		at += len(line)
	}
	return words
}

// fenceMark is what a line begins or ends a fence of code with.
func fenceMark(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(strings.TrimLeft(line, " "), mark) {
			return mark
		}
	}
	return ""
}

// lineWords adds the words of a line that begins at a byte of the text.
func lineWords(words []Word, line string, at int) []Word {
	code := false
	start := -1
	for i, r := range line + " " {
		if r == '`' {
			if start >= 0 && !code {
				words = tokenWords(words, line[start:i], at+start)
			}
			start, code = -1, !code && strings.IndexByte(line[i+1:], '`') >= 0
			continue
		}
		switch blank := unicode.IsSpace(r); {
		case code:
		case !blank && start < 0:
			start = i
		case blank && start >= 0:
			words = tokenWords(words, line[start:i], at+start)
			start = -1
		}
	}
	return words
}

// tokenWords adds the words of what stands between two blanks.
func tokenWords(words []Word, token string, at int) []Word {
	inner := strings.TrimFunc(token, func(r rune) bool {
		return strings.ContainsRune(`.,;!?()"'“”‘’«»„*_…。，；！？（）：、`, r) || r == ':'
	})
	if strings.ContainsAny(token, `@/\=<>{}[]|$#~&^%+`) || strings.HasPrefix(token, ":") || strings.HasPrefix(token, "-") ||
		strings.ContainsAny(inner, `._:(`) || strings.ContainsFunc(inner, unicode.IsDigit) {
		return words
	}
	for i := 0; i < len(token); {
		n := strings.IndexFunc(token[i:], func(r rune) bool { return !lettered(r) })
		if n < 0 {
			n = len(token) - i
		}
		from, to := i, i+n
		for from < to && apostrophe(token[from:]) > 0 {
			from += apostrophe(token[from:])
		}
		for r, size := utf8.DecodeLastRuneInString(token[from:to]); from < to && (r == '\'' || r == '’'); r, size = utf8.DecodeLastRuneInString(token[from:to]) {
			to -= size
		}
		if word := token[from:to]; spelt(word) {
			words = append(words, Word{at + from, at + to})
		}
		_, size := utf8.DecodeRuneInString(token[i+n:])
		i += n + size
	}
	return words
}

// apostrophe is how many bytes of an apostrophe a text begins with.
func apostrophe(s string) int {
	if r, size := utf8.DecodeRuneInString(s); r == '\'' || r == '’' {
		return size
	}
	return 0
}

// lettered reports whether a character is part of a word that has a spelling.
func lettered(r rune) bool {
	return r == '\'' || r == '’' || (unicode.IsLetter(r) || unicode.IsMark(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
}

// spelt reports whether a word of letters is one: of two letters at least, and with
// capitals at its beginning alone.
func spelt(word string) bool {
	if utf8.RuneCountInString(word) < 2 {
		return false
	}
	_, size := utf8.DecodeRuneInString(word)
	return !strings.ContainsFunc(word[size:], unicode.IsUpper)
}

// plainly is a word as a checker reads it.
func plainly(word string) string { return strings.ReplaceAll(word, "’", "'") }
