// Package mark is the words that stand for a picture in what a person writes.
//
// A draft, a queued prompt, the history and a stored message are texts. A picture that
// goes with one is in a file of its own, and a mark in the text names it:
//
//	what is wrong in [image 1: 640x480 3f2a9c1b7d20e4a1.png]?
//
// So whatever keeps the text keeps the picture. People are shown the mark without the
// file's name. The package knows the grammar and nothing else: session.Pictures has the
// files, ui/composer writes marks, agent sends what they name.
package mark

import (
	"fmt"
	"strconv"
	"strings"

	"forge/lazy"
)

// Mark stands for one picture.
type Mark struct {
	N             int // counts the pictures of one text, from 1
	Width, Height int // pixels
	Name          string
}

// grammar has the mark's number, width, height and name. A name is what session.Pictures
// gives: sixteen digits of a hash, and the kind.
var grammar = lazy.Regexp{Expr: `\[image (\d{1,4}): (\d{1,6})x(\d{1,6}) ([0-9a-f]{16}\.(?:png|jpg|gif|webp))\]`}

// String is the mark as it is kept.
func (m Mark) String() string {
	return fmt.Sprintf("[image %d: %dx%d %s]", m.N, m.Width, m.Height, m.Name)
}

// Short is the mark as people see it.
func (m Mark) Short() string { return fmt.Sprintf("[image %d: %dx%d]", m.N, m.Width, m.Height) }

// In lists the marks of a text in their order.
func In(text string) []Mark {
	var out []Mark
	Replace(text, func(m Mark) string { out = append(out, m); return "" })
	return out
}

// Replace puts what f returns in the place of each mark.
func Replace(text string, f func(Mark) string) string {
	if !strings.Contains(text, "[image ") {
		return text
	}
	return grammar.Get().ReplaceAllStringFunc(text, func(s string) string {
		sub := grammar.Get().FindStringSubmatch(s)
		var m Mark
		for i, to := range []*int{&m.N, &m.Width, &m.Height} {
			n, err := strconv.Atoi(sub[i+1])
			if err != nil { // the grammar lets no such number through
				return s
			}
			*to = n
		}
		m.Name = sub[4]
		return f(m)
	})
}

// Short is a text with its marks as people see them.
func Short(text string) string { return Replace(text, Mark.Short) }

// Number counts the marks of a text anew: texts that were joined may have two of one
// number. The same picture twice keeps one number.
func Number(text string) string {
	of := map[string]int{}
	return Replace(text, func(m Mark) string {
		if of[m.Name] == 0 {
			of[m.Name] = len(of) + 1
		}
		m.N = of[m.Name]
		return m.String()
	})
}
