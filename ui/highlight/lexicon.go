package highlight

import (
	"strings"
	"sync"
)

type wordKind uint8

const (
	keyword wordKind = iota + 1
	typename
	constant
)

// lexicon is the words of a language. They are looked up in a table that is made when
// the first line of the language is coloured: most programs see few of them.
type lexicon struct {
	lists []string // by kind, keywords first
	once  sync.Once
	table map[string]wordKind
}

func words(kinds ...string) *lexicon { return &lexicon{lists: kinds} }

// kind is 0 for a word that is none of the language's.
func (x *lexicon) kind(word string) wordKind {
	if x == nil {
		return 0
	}
	x.once.Do(func() {
		x.table = map[string]wordKind{}
		for i, list := range x.lists {
			for w := range strings.FieldsSeq(list) {
				x.table[w] = wordKind(i + 1)
			}
		}
	})
	return x.table[word]
}
