package provider

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// SplitThink takes a leading <think> section out of a model's text: local and
// raw servers send reasoning that way. The section counts only at the start of
// the message (white space may come before it), so an answer that talks about the
// tag stays whole. A section that never closes is all reasoning. A closing tag
// alone also ends one, because some chat templates open it in the prompt; there,
// a tag inside code or quotes does not count.
func SplitThink(text string) (reasoning, rest string, found bool) {
	lead := strings.TrimLeft(text, " \t\r\n")
	if body, ok := strings.CutPrefix(lead, thinkOpen); ok {
		reasoning, rest, _ = strings.Cut(body, thinkClose)
		return reasoning, rest, true
	}
	i := strings.Index(text, thinkClose)
	if i < 0 || strings.Contains(text[:i], thinkOpen) || quoted(text, i) {
		return "", text, false
	}
	return text[:i], text[i+len(thinkClose):], true
}

// quoted reports whether the tag at i is talked about: in a code fence, between
// backquotes, or right after a quote.
func quoted(text string, i int) bool {
	before := text[:i]
	if strings.Count(before, "```")%2 == 1 {
		return true
	}
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if strings.Count(line, "`")%2 == 1 {
		return true
	}
	return strings.HasSuffix(line, `"`) || strings.HasSuffix(line, "'")
}

// ThinkSplitter is SplitThink for text that still grows. It cannot know of a
// closing tag that comes without its opening one; the whole text, when it is
// there, can. The zero value is ready.
type ThinkSplitter struct {
	held  string // bytes that may be the start of a tag
	state thinkState
}

type thinkState int

const (
	thinkUnknown thinkState = iota
	thinkInside
	thinkOutside
)

// Feed takes the next piece and returns what of it is surely reasoning and what
// surely text. Up to len("</think>")-1 bytes stay held.
func (s *ThinkSplitter) Feed(piece string) (reasoning, text string) {
	switch s.state {
	case thinkOutside:
		return "", piece
	case thinkUnknown:
		s.held += piece
		lead := strings.TrimLeft(s.held, " \t\r\n")
		if len(lead) < len(thinkOpen) && strings.HasPrefix(thinkOpen, lead) {
			return "", "" // white space alone, or the tag begun
		}
		body, ok := strings.CutPrefix(lead, thinkOpen)
		if !ok {
			text, s.held, s.state = s.held, "", thinkOutside
			return "", text
		}
		s.held, s.state, piece = "", thinkInside, body
	}
	all := s.held + piece
	if r, rest, ok := strings.Cut(all, thinkClose); ok {
		s.held, s.state = "", thinkOutside
		return r, rest
	}
	keep := partialSuffix(all, thinkClose)
	s.held = all[len(all)-keep:]
	return all[:len(all)-keep], ""
}

// Flush returns what was held when the text ended.
func (s *ThinkSplitter) Flush() (reasoning, text string) {
	held := s.held
	s.held = ""
	if s.state == thinkInside {
		return held, ""
	}
	return "", held
}

// partialSuffix returns the length of the longest end of s that begins tag.
func partialSuffix(s, tag string) int {
	for n := min(len(s), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(s, tag[:n]) {
			return n
		}
	}
	return 0
}
