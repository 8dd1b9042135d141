package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// An address that stands in prose as it is, without any marks, is a link: a _ or * in it
// is part of it, and none of it may be lost.

// scheme is how long the name is that a text ends in, if an address begins with it.
func scheme(before string) int {
	for _, s := range []string{"https", "http"} {
		if !strings.HasSuffix(before, s) {
			continue
		}
		if n := len(before) - len(s); n == 0 || !isWord(before[n-1]) || before[n-1] == '_' {
			return len(s)
		}
	}
	return 0
}

// bareEnd is the end of the address whose :// a text begins with, or 0. What ends a
// sentence, or a bracket the address stands in, is no part of it.
func bareEnd(s string) int {
	if len(s) < 4 || s[:3] != "://" || !isWord(s[3]) && s[3] != '[' && s[3] < utf8.RuneSelf {
		return 0
	}
	i, square := 3, 0
loop:
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r <= ' ' || strings.ContainsRune("<>`\"|", r):
			break loop
		case r == '[':
			square++
		case r == ']':
			if square--; square < 0 {
				break loop
			}
		case r >= utf8.RuneSelf && !unicode.In(r, unicode.L, unicode.N, unicode.M):
			break loop
		}
		i += n
	}
	for i > 3 {
		switch s[i-1] {
		case '?', '!', '.', ',', ':', '*', '_', '~', '\'', '\\':
		case ')':
			if strings.Count(s[:i], ")") <= strings.Count(s[:i], "(") {
				return i
			}
		case ';': // with what it ends, which may stand for another character
			if k := strings.LastIndexByte(s[:i], '&'); k > 3 {
				if _, n := decodeEntity(s[k:i]); n == i-k {
					i = k + 1
				}
			}
		default:
			return i
		}
		i--
	}
	return 0
}

// bare reads an address at the colon at i; the name before it was read as text.
func (t *tokenizer) bare(i int) int {
	n, end := scheme(string(t.text[max(0, len(t.text)-6):])), bareEnd(t.src[i:])
	if n == 0 || end == 0 {
		t.text = append(t.text, ':')
		return 1
	}
	name := string(t.text[len(t.text)-n:])
	t.text = t.text[:len(t.text)-n]
	t.add(token{kind: tText, text: name + unescape(t.src[i:i+end]), attr: target})
	return end
}

// bareLinks is the same for the parser of finished blocks, which knows only signs: at
// the colon it takes back the name that became text.
type bareLinks struct{}

func (bareLinks) Trigger() []byte { return []byte{':'} }

func (bareLinks) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, at := block.PeekLine()
	before, ok := parent.LastChild().(*ast.Text)
	if !ok || before.Segment.Stop != at.Start {
		return nil
	}
	n, end := scheme(string(before.Segment.Value(block.Source()))), bareEnd(string(line))
	if n == 0 || end == 0 {
		return nil
	}
	before.Segment = before.Segment.WithStop(at.Start - n)
	block.Advance(end)
	link := ast.NewAutoLink(ast.AutoLinkURL, ast.NewTextSegment(text.NewSegment(at.Start-n, at.Start+end)))
	link.Protocol = []byte("http") // tells it from one in <>
	return link
}
