package composer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/lazy"
	"forge/ui/safe"
)

// maxHeard is the most of one dictation that is kept to be read anew, in bytes.
const maxHeard = 64 << 10

// hearing is the piece of the text that a dictation is writing. While nobody else
// changes the text, what the program rewrites of its line is rewritten there.
type hearing struct {
	raw      string // all that came since the piece began
	from, to int    // of the piece
	text     string // the whole text as it was left
	cur      int
}

// Hear takes what a program that listens wrote: it stands at the caret, as one step of
// undo. What a person writes meanwhile stays, and what is heard then goes on at their
// caret.
func (c *Composer) Hear(out string) {
	h := c.heard
	if h == nil || h.text != c.ed.text || h.cur != c.ed.cur || c.ed.selecting || len(h.raw) > maxHeard {
		if Heard(out) == "" && !strings.Contains(out, "\r") && h == nil {
			return
		}
		c.ed.snapshot("dictate")
		c.ed.insert("") // what is selected goes
		h = &hearing{from: c.ed.cur, to: c.ed.cur}
		c.heard = h
	}
	h.raw += out
	text := Heard(h.raw)
	if before, _ := utf8.DecodeLastRuneInString(c.ed.text[:h.from]); text != "" && h.from > 0 && parted(before, text) {
		text = " " + text
	}
	c.ed.text = c.ed.text[:h.from] + text + c.ed.text[h.to:]
	h.to = h.from + len(text)
	c.ed.cur, c.ed.last = h.to, "dictate"
	h.text, h.cur = c.ed.text, c.ed.cur
	c.menu.close()
}

// HeardAll ends the piece: what is heard next is another.
func (c *Composer) HeardAll() {
	if c.heard != nil {
		c.heard, c.ed.last = nil, ""
	}
}

// aside are words of programs that listen which nobody said: times, [BLANK_AUDIO],
// [Start speaking], where a piece begins and ends.
var aside = lazy.Regexp{Expr: `\[(?:[A-Z][A-Z _]*|Start speaking|[0-9:.]+ --> [0-9:.]+)\]|^### Transcription \d+ (?:START|END).*`}

// Heard is what a program that listens has written so far, as a person would write it:
// of a line that was written over its last version, without control characters, lines
// joined by a blank where the script has blanks.
func Heard(raw string) string {
	var out string
	for line := range strings.SplitSeq(raw, "\n") {
		line = strings.TrimRight(line, "\r")
		line = line[strings.LastIndexByte(line, '\r')+1:]
		line = strings.ReplaceAll(safe.Output(erased(line)), "\t", " ")
		line = strings.TrimSpace(aside.Get().ReplaceAllString(line, ""))
		if line == "" {
			continue
		}
		if last, _ := utf8.DecodeLastRuneInString(out); out != "" && parted(last, line) {
			out += " "
		}
		out += line
	}
	return clean(out)
}

// erased is a line with what its backspaces erase taken out.
func erased(line string) string {
	for {
		i := strings.IndexByte(line, '\b')
		if i < 0 {
			return line
		}
		_, size := utf8.DecodeLastRuneInString(line[:i])
		line = line[:i-size] + line[i+1:]
	}
}

// parted reports whether a blank belongs between a character and a text.
func parted(before rune, text string) bool {
	after, _ := utf8.DecodeRuneInString(text)
	wide := func(r rune) bool {
		return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r >= 0x3000 && r <= 0x303f || r >= 0xff00 && r <= 0xff0f
	}
	return !unicode.IsSpace(before) && !wide(before) && !wide(after) && !strings.ContainsRune(".,;:!?)", after) && !strings.ContainsRune("([{/@!", before)
}
