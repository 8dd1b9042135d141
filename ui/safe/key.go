package safe

import "strings"

// LikeKey tells a key from the name of a provider or of an endpoint: what looks like one
// is not repeated in a message, and not kept. A name is short, or has the dots and colons
// of an address; a key is long, and mixes letters with digits.
func LikeKey(word string) bool {
	digit := func(r rune) bool { return r >= '0' && r <= '9' }
	letter := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
	switch {
	case strings.Contains(word, "://"):
		return false
	case strings.HasPrefix(word, "sk-"), len(word) > 32:
		return true
	}
	return len(word) >= 20 && !strings.ContainsAny(word, ".:/") && strings.ContainsFunc(word, digit) && strings.ContainsFunc(word, letter)
}
