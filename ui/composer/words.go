package composer

import (
	"unicode"
	"unicode/utf8"
)

// kinds of clusters for word moves: a run of one kind is a word. Scripts that are
// written without blanks change kind at the script's border, so that a move over
// mixed text stops where a reader would.
const (
	blankKind = iota
	letterKind
	hanKind
	hiraganaKind
	katakanaKind
	hangulKind
	signKind
)

// class is the kind of the cluster a text begins with.
func class(s string) int {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsSpace(r):
		return blankKind
	case unicode.Is(unicode.Han, r):
		return hanKind
	case unicode.Is(unicode.Hiragana, r):
		return hiraganaKind
	case unicode.Is(unicode.Katakana, r), r == 'ー', r == 'ｰ': // the mark that makes a vowel long is of no script
		return katakanaKind
	case unicode.Is(unicode.Hangul, r):
		return hangulKind
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
		return letterKind
	}
	return signKind
}

// wordRight returns the end of the word at or after the cursor.
func (e *editor) wordRight() int {
	i := e.cur
	for i < len(e.text) && class(e.text[i:]) == blankKind {
		i = e.next(i)
	}
	if i == len(e.text) {
		return i
	}
	for c := class(e.text[i:]); i < len(e.text) && class(e.text[i:]) == c; {
		i = e.next(i)
	}
	return i
}

// wordLeft returns the start of the word at or before the cursor.
func (e *editor) wordLeft() int {
	i := e.cur
	for i > 0 {
		p := e.prev(i)
		if class(e.text[p:]) != blankKind {
			break
		}
		i = p
	}
	if i == 0 {
		return 0
	}
	for c := class(e.text[e.prev(i):]); i > 0; {
		p := e.prev(i)
		if class(e.text[p:]) != c {
			break
		}
		i = p
	}
	return i
}

// blankLeft returns the start of the run without blanks before the cursor: what
// Ctrl+W removes in a shell.
func (e *editor) blankLeft() int {
	i := e.cur
	for i > 0 && class(e.text[e.prev(i):]) == blankKind {
		i = e.prev(i)
	}
	for i > 0 && class(e.text[e.prev(i):]) != blankKind {
		i = e.prev(i)
	}
	return i
}
