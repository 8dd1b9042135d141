package composer

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A paste of more than pasteLines lines, or of very many bytes, is stood for by
// a placeholder: the composer stays readable and quick, the full text is sent.
const (
	pasteLines = 20
	pasteBytes = 8000
)

// pastes keeps the texts that placeholders stand for.
type pastes struct{ texts []string }

var placeholder = regexp.MustCompile(`\[paste (\d+): [\d,]+ (?:lines|characters)\]`)

// keep stores a long text and returns its placeholder.
func (p *pastes) keep(s string) (name string, long bool) {
	lines := strings.Count(strings.TrimSuffix(s, "\n"), "\n") + 1
	if lines <= pasteLines && len(s) <= pasteBytes {
		return "", false
	}
	p.texts = append(p.texts, s)
	if lines > pasteLines {
		return fmt.Sprintf("[paste %d: %d lines]", len(p.texts), lines), true
	}
	return fmt.Sprintf("[paste %d: %d characters]", len(p.texts), len([]rune(s))), true
}

// expand puts the full texts back. Words that only look like a placeholder stay.
func (p *pastes) expand(s string) string {
	if len(p.texts) == 0 {
		return s
	}
	return placeholder.ReplaceAllStringFunc(s, func(m string) string {
		if t, ok := p.lookup(m); ok {
			return t
		}
		return m
	})
}

func (p *pastes) lookup(m string) (string, bool) {
	sub := placeholder.FindStringSubmatch(m)
	if sub == nil {
		return "", false
	}
	n, err := strconv.Atoi(sub[1])
	if err != nil || n < 1 || n > len(p.texts) {
		return "", false
	}
	return p.texts[n-1], true
}

// placeholderAt returns the length of a placeholder that starts at i, or 0.
func placeholderAt(s string, i int) int {
	if !strings.HasPrefix(s[i:], "[paste ") {
		return 0
	}
	if loc := placeholder.FindStringIndex(s[i:]); loc != nil && loc[0] == 0 {
		return loc[1]
	}
	return 0
}

// unfold replaces the placeholder at or just before the cursor by its text, to
// be edited. It reports whether there was one.
func (c *Composer) unfold() bool {
	for _, loc := range placeholder.FindAllStringIndex(c.ed.text, -1) {
		if c.ed.cur < loc[0] || c.ed.cur > loc[1] {
			continue
		}
		full, ok := c.pastes.lookup(c.ed.text[loc[0]:loc[1]])
		if !ok {
			continue
		}
		c.ed.snapshot("unfold")
		c.ed.text = c.ed.text[:loc[0]] + full + c.ed.text[loc[1]:]
		c.ed.cur = loc[0] + len(full)
		return true
	}
	return false
}
