package diff

import "strings"

// The lines that part the two versions of a conflict. Their words say which is
// which; git's own tools and every editor know the signs.
const (
	markOurs   = "<<<<<<< proposed"
	markMiddle = "======="
	markTheirs = ">>>>>>> in the file now"
)

// marked is a conflict as it stands in a text, in line ends of its own kind.
func (c Conflict) marked() string {
	eol := "\n"
	if strings.HasSuffix(c.Ours+c.Theirs, "\r\n") || strings.HasSuffix(c.Base, "\r\n") {
		eol = "\r\n"
	}
	whole := func(s string) string {
		if s != "" && !strings.HasSuffix(s, "\n") {
			s += eol
		}
		return s
	}
	return markOurs + eol + whole(c.Ours) + markMiddle + eol + whole(c.Theirs) + markTheirs + eol
}

// Unsettled counts the lines of a text that Marked put there.
func Unsettled(text []byte) int {
	n := 0
	for line := range strings.Lines(string(text)) {
		if l := strings.TrimRight(line, "\r\n"); l == markOurs || l == markTheirs {
			n++
		}
	}
	return n
}

// Settle takes one side of every conflict in a text that Marked made: the proposed
// one, or what the file has.
func Settle(marked []byte, proposed bool) []byte {
	out := make([]byte, 0, len(marked))
	in := 0 // 1: in the proposed version, 2: in the file's
	for line := range strings.Lines(string(marked)) {
		switch l := strings.TrimRight(line, "\r\n"); {
		case in == 0 && l == markOurs:
			in = 1
		case in == 1 && l == markMiddle:
			in = 2
		case in == 2 && l == markTheirs:
			in = 0
		case in == 0, in == 1 && proposed, in == 2 && !proposed:
			out = append(out, line...)
		}
	}
	return out
}
