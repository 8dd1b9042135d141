package compact

import (
	"unicode/utf8"

	"forge/provider"
)

// The weights of the seven features, fitted to a byte-pair vocabulary of 200,000
// entries; margin corrects what the fit misses on other kinds of text, low.
const (
	perWord   = 0.987 // a run of letters; a capital after a small one begins another
	perLetter = 0.084 // each letter of a run beyond the seventh
	perDigits = 1.150 // each three digits
	perPunct  = 0.616 // each two marks in a row
	perSpaces = 1.408 // a run of blanks longer than one, or with a newline or tab
	perWide   = 0.725 // a character of Chinese, Japanese or Korean
	perOther  = 1.000 // any other character beyond ASCII
	margin    = 1.08

	imageTokens   = 1500 // a picture, whatever its size: servers scale it down to about this
	blockTokens   = 4    // what a block costs beside its text
	messageTokens = 4
)

// Count estimates the tokens of a text. It is wrong by about a tenth either way
// until a server reported how it counts.
func Count(s string) int {
	if s == "" {
		return 0
	}
	return int(features(s)*margin) + 1
}

type class int

const (
	nothing class = iota
	letter
	digit
	space
	mark
)

func features(s string) float64 {
	var sum float64
	prev, run := nothing, 0
	end := func() {
		switch prev {
		case letter:
			sum += perWord
			if run > 7 {
				sum += perLetter * float64(run-7)
			}
		case digit:
			sum += perDigits * float64((run+2)/3)
		case space:
			if run > 1 {
				sum += perSpaces
			}
		case mark:
			sum += perPunct * float64((run+1)/2)
		}
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			end()
			prev, run = nothing, 0
			r, n := utf8.DecodeRuneInString(s[i:])
			if r >= 0x2E80 { // where the scripts without spaces begin
				sum += perWide
			} else {
				sum += perOther
			}
			i += n
			continue
		}
		k := classOf(c)
		if k == letter && prev == letter && c < 'a' && s[i-1] >= 'a' {
			end()
			run = 0
		}
		if k == prev {
			run++
		} else {
			end()
			prev, run = k, 1
		}
		if k == space && c != ' ' {
			run++ // a newline or a tab is a token even alone
		}
		i++
	}
	end()
	return sum
}

func classOf(c byte) class {
	switch {
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return letter
	case c >= '0' && c <= '9':
		return digit
	case c == ' ' || c == '\n' || c == '\t' || c == '\r':
		return space
	}
	return mark
}

// Estimate is the tokens of a history as input of the next request: what the
// server last reported, and what came after by counting, scaled by how far the
// count was off before.
func Estimate(ms []provider.Message) int {
	n, _ := estimate(ms)
	return n
}

func estimate(ms []provider.Message) (tokens int, reported bool) {
	for i := len(ms) - 1; i >= 0; i-- {
		u := ms[i].Usage
		if !u.Reported {
			continue
		}
		told := u.Output + u.Input
		if u.Context > 0 {
			told = u.Output + u.Context
		}
		scale := 1.0
		// A short history is mostly system prompt and tools, which says nothing about
		// how this server counts.
		if known := weigh(ms[:i+1]); known > 4000 {
			scale = min(max(float64(told)/float64(known), 0.7), 1.6)
		}
		return told + int(float64(weigh(ms[i+1:]))*scale), true
	}
	return weigh(ms), false
}

// weigh counts messages without looking at what a server reported.
func weigh(ms []provider.Message) int {
	n := 0
	for _, m := range ms {
		n += messageTokens + weighBlocks(m.Blocks)
	}
	return n
}

func weighBlocks(bs []provider.Block) int {
	n := 0
	for _, b := range bs {
		n += blockTokens
		switch b := b.(type) {
		case provider.Text:
			n += Count(b.Text)
		case provider.Thinking:
			n += Count(b.Text) + Count(b.Extra)
		case provider.ToolUse:
			n += Count(b.Name) + Count(b.Input)
		case provider.ToolResult:
			n += weighBlocks(b.Content)
		case provider.Image:
			n += imageTokens
		case provider.Opaque:
			n += Count(b.JSON)
		}
	}
	return n
}
