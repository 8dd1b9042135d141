package linear

import (
	"strings"
	"time"
)

// pasteRest is how long the rest of a pasted secret is waited for behind a line's end.
const pasteRest = 150 * time.Millisecond

// paste is a secret whose lines come at once: a key that was copied from a narrow window
// has line ends in it. Alone its first line would be no key, and the others would go out
// as prompts.
type paste struct {
	to   question // whose answer it is
	text string
	over <-chan time.Time // nil: nothing is collected
}

// takes collects a line that is typed while nothing is shown, and reports false where it
// is not one of a secret.
func (p *paste) takes(f *face, line string) bool {
	if !f.hidden || len(f.open) == 0 || p.over == nil && time.Since(f.asked) < quiet {
		return false
	}
	if p.over == nil {
		p.to, p.text = f.open[0], ""
	}
	p.text += strings.TrimSpace(line)
	p.over = time.After(pasteRest)
	return true
}

// whole is the secret, where its question still stands: it is nothing else.
func (p *paste) whole(f *face) (string, bool) {
	stands := len(f.open) > 0 && f.open[0] == p.to
	text := p.text
	*p = paste{}
	return text, stands
}
