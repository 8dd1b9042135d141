package dialog

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"

	"forge/ui/composer"
	"forge/ui/theme"
)

// How a list is narrowed by what is typed.

type source []Entry

func (s source) String(i int) string { return s[i].Label + " " + s[i].Detail + " " + s[i].Search }
func (s source) Len() int            { return len(s) }

func (p *Picker) refilter() {
	p.shown = p.shown[:0]
	p.at = 0
	query := strings.TrimSpace(p.filter.Value())
	if query == "" {
		for i := range p.entries {
			p.shown = append(p.shown, i)
		}
		return
	}
	words := strings.Fields(strings.ToLower(query))
	whole := []string{strings.Join(words, " ")}
	var named, told, within []int // those where the words stand in the name one by one, in what is said of it, and inside of others
	for i, e := range p.entries {
		label := strings.ToLower(e.Label)
		if holds(label, whole) == atBegin { // as it was written
			p.shown = append(p.shown, i)
			continue
		}
		if holds(label, words) == atBegin {
			named = append(named, i)
			continue
		}
		switch text := strings.ToLower(source(p.entries).String(i) + " " + e.Rest); holds(text, words) {
		case atBegin:
			told = append(told, i)
		case anywhere:
			within = append(within, i)
		}
	}
	if p.shown = slices.Concat(p.shown, named, told, within); len(p.shown) > 0 {
		return
	}
	for _, m := range fuzzy.FindFrom(query, source(p.entries)) { // letters of it, as a last help
		p.shown = append(p.shown, m.Index)
	}
}

// How words stand in a text.
const (
	nowhere = iota
	anywhere
	atBegin // the first of them at the begin of a word
)

func holds(text string, words []string) int {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return nowhere
		}
	}
	for at := 0; ; {
		i := strings.Index(text[at:], words[0])
		if i < 0 {
			return anywhere
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		if at+i == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return atBegin
		}
		at += i + len(words[0])
	}
}

// Filter writes into the filter, as if it had been typed.
func (p *Picker) Filter(words string) {
	p.filter.SetValue(words)
	p.refilter()
}

func filterStyles(t *theme.Theme) composer.Styles {
	return composer.Styles{Prompt: t.Accent.Apply, Placeholder: t.Faint.Apply}
}
