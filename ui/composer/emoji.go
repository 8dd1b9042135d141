package composer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Emoji is where names of emoji are looked up, in no time: both are called on the loop.
type Emoji struct {
	// Find returns those that fit what was written of a name, best first: Text is the
	// emoji, About its name.
	Find func(query string) []Found
	// Named is the emoji of a whole name.
	Named func(name string) (sign string, ok bool)
}

// SetEmoji changes where emoji are looked up; nil: nothing is offered.
func (c *Composer) SetEmoji(e *Emoji) {
	c.opts.Emoji = e
	if c.menu.kind == emojis {
		c.menu.close()
	}
}

// namedEmoji finds the name of an emoji that is being written and where its colon stands;
// -1: none is. The colon begins a word, so that times, addresses, keys of YAML and names
// of C++ and Rust are none, and so does nothing in code.
func namedEmoji(before string) (at int, name string) {
	at = strings.LastIndexByte(before, ':')
	if at < 0 {
		return -1, ""
	}
	name = before[at+1:]
	r, _ := utf8.DecodeLastRuneInString(before[:at])
	if at > 0 && !unicode.IsSpace(r) && r != '(' || inCode(before[:at]) {
		return -1, ""
	}
	for _, r := range name {
		if !nameable(r) {
			return -1, ""
		}
	}
	return at, name
}

// nameable reports whether a character may stand in the name of an emoji.
func nameable(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '+' || r == '-' || unicode.Is(unicode.Han, r)
}

// inCode reports whether what follows a text stands in a span or a fence of code.
func inCode(before string) bool {
	fence := ""
	for line := range strings.Lines(before) {
		line = strings.TrimLeft(line, " ")
		for _, mark := range []string{"```", "~~~"} {
			switch {
			case !strings.HasPrefix(line, mark):
			case fence == "":
				fence = mark
			case fence == mark:
				fence = ""
			}
		}
	}
	if fence != "" {
		return true
	}
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return strings.Count(line, "`")%2 == 1
}

// completeEmoji offers emoji for what is written of a name, from two letters on, or one
// Chinese character.
func (c *Composer) completeEmoji(before string) (offered bool) {
	if c.opts.Emoji == nil {
		return false
	}
	at, name := namedEmoji(before)
	if at < 0 || cells(name) < 2 || strings.Trim(name, "0123456789+-_") == "" && name != "+1" && name != "-1" {
		return false
	}
	var list []item
	for _, f := range c.opts.Emoji.Find(name) {
		list = append(list, item{name: f.Text + " " + f.About, writes: f.Text})
	}
	c.offer(emojis, at, name, list)
	return len(list) > 0
}

// closeEmoji puts an emoji in the place of its name between two colons, of which the
// second was just typed. Undo brings the name back.
func (c *Composer) closeEmoji(typed string) {
	if typed != ":" || c.opts.Emoji == nil || c.opts.Plain || c.Shell() {
		return
	}
	before := c.ed.text[:c.ed.cur-1]
	at, name := namedEmoji(before)
	if at < 0 || name == "" {
		return
	}
	sign, ok := c.opts.Emoji.Named(strings.ToLower(name))
	if !ok {
		return
	}
	c.ed.snapshot(accepted)
	c.ed.text = c.ed.text[:at] + sign + c.ed.text[c.ed.cur:]
	c.ed.cur = at + len(sign)
}
