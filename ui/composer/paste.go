package composer

import (
	"slices"
	"strings"

	"forge/agent/mark"
	"forge/lazy"
	"forge/sorting"
	"forge/ui/lang"
)

// A paste of more than pasteLines lines, or of very many bytes, is stood for by
// a placeholder: the composer stays readable and quick, the full text is sent.
const (
	pasteLines = 20
	pasteBytes = 8000
	// handLines is how many lines are taken for written by hand, where a text comes back
	// from the history or an editor.
	handLines = 100
	// unfoldBytes is the longest paste that is put into the text to be edited here: each
	// key lays the text out anew. An external editor takes longer ones.
	unfoldBytes = 200_000
)

// pastes keeps what placeholders stand for: long texts, and the marks of pictures. It
// only grows until the composer is emptied: undo may bring any of them back, in the
// words of a language that was in force before.
type pastes struct {
	texts  []string
	images []mark.Mark
	names  map[string]held
}

// held is what a placeholder stands for: a text, or a mark where it has a name.
type held struct {
	text string
	mark mark.Mark
}

// placeholder is how one looks in every language; only those that were handed out stand
// for something.
var placeholder = lazy.Regexp{Expr: `\[\p{L}+ \d+: (?:\d+ \p{L}+|\d+x\d+)\]`}

// named hands a placeholder out.
func (p *pastes) named(name string, what held) string {
	if p.names == nil {
		p.names = map[string]held{}
	}
	p.names[name] = what
	return name
}

// keep stores a long text and returns its placeholder.
func (p *pastes) keep(s string) (name string, long bool) {
	if lineCount(s) <= pasteLines && len(s) <= pasteBytes {
		return "", false
	}
	return p.fold(s), true
}

func lineCount(s string) int { return strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1 }

// fold stores a text, however long it is, and returns its placeholder.
func (p *pastes) fold(s string) string {
	n := 0
	for i, t := range p.texts {
		if t == s {
			n = i + 1 // walking through the history meets it again and again
		}
	}
	if n == 0 {
		p.texts = append(p.texts, s)
		n = len(p.texts)
	}
	if lines := lineCount(s); lines > pasteLines {
		return p.named(lang.T("[paste %d: %d lines]", n, lines), held{text: s})
	}
	return p.named(lang.T("[paste %d: %d characters]", n, len([]rune(s))), held{text: s})
}

// pictures puts placeholders in the place of the marks of pictures.
func (p *pastes) pictures(s string) string {
	return mark.Replace(s, func(m mark.Mark) string {
		if i := slices.IndexFunc(p.images, func(had mark.Mark) bool { return had.Name == m.Name }); i >= 0 {
			m = p.images[i]
		} else {
			m.N = len(p.images) + 1
			p.images = append(p.images, m)
		}
		return p.named(lang.T("[image %d: %dx%d]", m.N, m.Width, m.Height), held{mark: m})
	})
}

// expand puts the full texts and the marks back. Words that only look like a
// placeholder stay.
func (p *pastes) expand(s string) string { return p.each(s, func(t string) string { return t }) }

// each is expand with what text returns in the place of each long text.
func (p *pastes) each(s string, text func(string) string) string {
	if len(p.names) == 0 {
		return s
	}
	return placeholder.Get().ReplaceAllStringFunc(s, func(m string) string {
		switch h, ok := p.names[m]; {
		case !ok:
			return m
		case h.mark.Name != "":
			return h.mark.String()
		default:
			return text(h.text)
		}
	})
}

// lookup finds the text a placeholder stands for.
func (p *pastes) lookup(m string) (string, bool) {
	h, ok := p.names[m]
	return h.text, ok && h.mark.Name == ""
}

// placeholderAt returns the length of a placeholder that starts at i, or 0.
func placeholderAt(s string, i int) int {
	if s[i] != '[' {
		return 0
	}
	const longest = 80
	if loc := placeholder.Get().FindStringIndex(s[i:min(len(s), i+longest)]); loc != nil && loc[0] == 0 {
		return loc[1]
	}
	return 0
}

// unfold replaces a placeholder by its text, to be edited: the one at the cursor, or the
// one nearest to it. It reports whether there was one.
func (c *Composer) unfold() bool {
	type candidate struct {
		loc  []int
		full string
		far  int
	}
	var all []candidate
	for _, loc := range placeholder.Get().FindAllStringIndex(c.ed.text, -1) {
		if full, ok := c.pastes.lookup(c.ed.text[loc[0]:loc[1]]); ok && len(full) <= unfoldBytes {
			all = append(all, candidate{loc, full, max(0, loc[0]-c.ed.cur, c.ed.cur-loc[1])})
		}
	}
	sorting.StableBy(all, func(a, b candidate) int { return a.far - b.far })
	for _, it := range all[:min(1, len(all))] {
		loc, full := it.loc, it.full
		c.ed.snapshot("unfold")
		c.ed.selecting = false
		c.ed.text = c.ed.text[:loc[0]] + full + c.ed.text[loc[1]:]
		c.ed.cur = loc[0] + len(full)
		return true
	}
	return false
}

// again unfolds the placeholder before the cursor where the same text is pasted once
// more: whoever does that wants to see it.
func (c *Composer) again(s string) bool {
	for _, loc := range placeholder.Get().FindAllStringIndex(c.ed.text[:c.ed.cur], -1) {
		if t, ok := c.pastes.lookup(c.ed.text[loc[0]:loc[1]]); ok && loc[1] == c.ed.cur && t == s {
			return c.unfold()
		}
	}
	return false
}

// A draft has each folded text between these, which no text of a composer has in it: it
// comes back folded, whatever its length.
const (
	foldBegin = "\x02"
	foldEnd   = "\x03"
)

// unmarked takes the marks of folded texts off.
var unmarked = lazy.Value[*strings.Replacer]{Of: func() *strings.Replacer {
	return strings.NewReplacer(foldBegin, "", foldEnd, "")
}}

// Draft returns the text as it is to be kept and given back to SetValue: with every
// paste in full and still one piece, and with the marks of pictures.
func (c *Composer) Draft() string {
	return c.pastes.each(c.ed.text, func(t string) string { return foldBegin + t + foldEnd })
}

// restore inserts what Draft returned. It reports false for a text that is none.
func (c *Composer) restore(s string) bool {
	if !strings.Contains(s, foldBegin) {
		return false
	}
	for s != "" {
		before, rest, folded := strings.Cut(s, foldBegin)
		c.ed.insert(c.pastes.pictures(clean(before)))
		if !folded {
			break
		}
		text, after, _ := strings.Cut(rest, foldEnd)
		c.ed.insert(c.pastes.fold(clean(text)))
		s = after
	}
	return true
}

// Attach puts marks of pictures, and words, at the cursor.
func (c *Composer) Attach(s string) {
	c.ed.snapshot("attach")
	c.ed.insert(c.pastes.pictures(clean(s)))
	c.menu.close()
}

// Swap puts words with the marks of pictures in the place of what was pasted: the last
// piece of the text that reads so. Where it was changed meanwhile, they go to the cursor.
func (c *Composer) Swap(pasted, s string) {
	pasted = clean(pasted)
	at := strings.LastIndex(c.ed.text[:c.ed.cur], pasted)
	if at < 0 {
		at = strings.LastIndex(c.ed.text, pasted)
	}
	if at < 0 || pasted == "" {
		c.Attach(s)
		return
	}
	c.ed.snapshot("attach")
	s = c.pastes.pictures(clean(s))
	end := at + len(pasted)
	cur := c.ed.cur
	c.ed.text = c.ed.text[:at] + s + c.ed.text[end:]
	switch {
	case cur >= end:
		c.ed.cur = cur + len(s) - len(pasted)
	case cur > at:
		c.ed.cur = at + len(s)
	}
	c.menu.close()
}
