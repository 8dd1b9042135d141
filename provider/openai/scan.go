package openai

import (
	"strings"

	"github.com/tidwall/gjson"
)

// scanner reads one JSON value once from front to back: the outer levels of a
// chunk are walked, what is inside is handed out as raw text, and all of it is
// checked on the way. A general parser goes over a chunk once per level, and
// chunks come by the hundred thousand.
type scanner struct {
	s     string
	i     int
	depth int
	bad   bool
}

// maxDepth is far beyond any chunk; without a bound a hostile one ends the program.
const maxDepth = 200

// valid reports whether text is one JSON value.
func valid(text string) bool {
	c := scanner{s: text}
	c.value()
	return c.done()
}

// done reports whether the value was good and nothing followed it.
func (c *scanner) done() bool {
	c.space()
	return !c.bad && c.i == len(c.s)
}

func (c *scanner) space() {
	for c.i < len(c.s) && (c.s[c.i] == ' ' || c.s[c.i] == '\n' || c.s[c.i] == '\t' || c.s[c.i] == '\r') {
		c.i++
	}
}

// peek returns the next byte that is no white space, 0 at the end.
func (c *scanner) peek() byte {
	c.space()
	if c.bad || c.i >= len(c.s) {
		return 0
	}
	return c.s[c.i]
}

func (c *scanner) take(b byte) bool {
	if c.peek() != b {
		c.bad = true
		return false
	}
	c.i++
	return true
}

// object calls member for each member of an object, with the scanner at its
// value; member may consume it, else it is skipped.
func (c *scanner) object(member func(key string)) {
	if !c.enter('{') {
		return
	}
	if c.peek() == '}' {
		c.leave()
		return
	}
	for !c.bad {
		if c.peek() != '"' {
			c.bad = true
			return
		}
		key := c.str()
		if !c.take(':') {
			return
		}
		c.space()
		at := c.i
		if strings.IndexByte(key, '\\') < 0 {
			member(key[1 : len(key)-1])
		} else {
			member(leaf(key).Str)
		}
		if c.i == at {
			c.value()
		}
		if c.next('}') {
			return
		}
	}
}

// array calls element for each element, as object does.
func (c *scanner) array(element func()) {
	if !c.enter('[') {
		return
	}
	if c.peek() == ']' {
		c.leave()
		return
	}
	for !c.bad {
		c.space()
		at := c.i
		element()
		if c.i == at {
			c.value()
		}
		if c.next(']') {
			return
		}
	}
}

func (c *scanner) enter(b byte) bool {
	if c.depth++; c.depth > maxDepth {
		c.bad = true
		return false
	}
	return c.take(b)
}

func (c *scanner) leave() { c.depth--; c.i++ }

// next steps over a comma, or over the end, which it reports.
func (c *scanner) next(end byte) bool {
	switch c.peek() {
	case ',':
		c.i++
		return false
	case end:
		c.leave()
		return true
	}
	c.bad = true
	return true
}

// value reads any value and returns its text.
func (c *scanner) value() string {
	b := c.peek()
	from := c.i
	switch {
	case b == '"':
		return c.str()
	case b == '{':
		c.object(func(string) {})
	case b == '[':
		c.array(func() {})
	case b == 't':
		c.word("true")
	case b == 'f':
		c.word("false")
	case b == 'n':
		c.word("null")
	case b == '-' || b >= '0' && b <= '9':
		c.number()
	default:
		c.bad = true
	}
	if c.bad {
		return ""
	}
	return c.s[from:c.i]
}

func (c *scanner) word(w string) {
	if !strings.HasPrefix(c.s[c.i:], w) {
		c.bad = true
		return
	}
	c.i += len(w)
}

func (c *scanner) number() {
	digits := func() {
		from := c.i
		for c.i < len(c.s) && c.s[c.i] >= '0' && c.s[c.i] <= '9' {
			c.i++
		}
		c.bad = c.bad || c.i == from
	}
	if c.s[c.i] == '-' {
		c.i++
	}
	digits()
	if c.i < len(c.s) && c.s[c.i] == '.' {
		c.i++
		digits()
	}
	if c.i < len(c.s) && (c.s[c.i] == 'e' || c.s[c.i] == 'E') {
		c.i++
		if c.i < len(c.s) && (c.s[c.i] == '+' || c.s[c.i] == '-') {
			c.i++
		}
		digits()
	}
}

// str reads a string and returns it with its quotes. Raw control characters pass:
// some servers leave a tab unescaped.
func (c *scanner) str() string {
	from := c.i
	i := from + 1
	for {
		n := strings.IndexByte(c.s[i:], '"')
		if n < 0 {
			c.bad, c.i = true, len(c.s)
			return `""`
		}
		esc := strings.IndexByte(c.s[i:i+n], '\\')
		if esc < 0 {
			c.i = i + n + 1
			return c.s[from:c.i]
		}
		i += esc + 1
		if i >= len(c.s) {
			c.bad = true
			return `""`
		}
		switch c.s[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			i++
		case 'u':
			if i+5 > len(c.s) || !hexDigits(c.s[i+1:i+5]) {
				c.bad = true
				return `""`
			}
			i += 5
		default:
			c.bad = true
			return `""`
		}
	}
}

func hexDigits(s string) bool {
	for i := range len(s) {
		if b := s[i] | 0x20; !(b >= '0' && b <= '9' && s[i] < 'A') && !(b >= 'a' && b <= 'f') {
			return false
		}
	}
	return true
}

// leaf turns raw text into a gjson value, without looking at it twice where it is
// a string with nothing to unescape.
func leaf(raw string) gjson.Result {
	if raw == "" {
		return gjson.Result{}
	}
	switch raw[0] {
	case '"':
		if strings.IndexByte(raw, '\\') < 0 {
			return gjson.Result{Type: gjson.String, Raw: raw, Str: raw[1 : len(raw)-1]}
		}
	case 'n':
		return gjson.Result{Type: gjson.Null, Raw: raw}
	case '{', '[':
		return gjson.Result{Type: gjson.JSON, Raw: raw}
	}
	return gjson.Parse(raw)
}
