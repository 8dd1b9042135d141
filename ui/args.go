package ui

import (
	"strings"

	"github.com/tidwall/gjson"
)

// arg is one argument of a call, as far as it has arrived.
type arg struct {
	name   string
	text   string // a string's own text; anything else as JSON
	open   bool   // more of it is to come
	nested bool   // a list or an object: no words for a title
}

// args are the arguments of the call, read once for all that shows them.
func (c *call) args() []arg {
	if n := c.input.Len(); c.inputs == nil || c.read != n {
		c.inputs, c.read = args(c.input.String()), n
	}
	return c.inputs
}

// args reads the arguments of a call out of JSON that may still be growing: an
// open string is closed with a quote, open lists and objects with their bracket.
// What cannot be read yet is left out; it is there the next time.
func args(input string) []arg {
	closed, open := closeJSON(input)
	root := gjson.Parse(closed)
	if !root.IsObject() {
		return nil
	}
	var out []arg
	root.ForEach(func(k, v gjson.Result) bool {
		if v.Exists() && v.Raw != "" {
			out = append(out, arg{name: k.String(), text: argText(v), nested: v.IsArray() || v.IsObject()})
		}
		return true
	})
	if open && len(out) > 0 {
		out[len(out)-1].open = true
	}
	return out
}

// wording is the words in a list or an object that are worth reading while it is
// written: its texts, a line each, without the names and the choices from a few.
func wording(json string) string {
	var out []string
	var walk func(v gjson.Result)
	walk = func(v gjson.Result) {
		switch {
		case v.IsArray() || v.IsObject():
			v.ForEach(func(_, inner gjson.Result) bool { walk(inner); return true })
		case v.Type == gjson.String && (len(v.Str) > 40 || strings.ContainsAny(v.Str, " \n")):
			out = append(out, strings.TrimRight(v.Str, "\n"))
		}
	}
	closed, _ := closeJSON(json)
	walk(gjson.Parse(closed))
	return strings.Join(out, "\n")
}

func argText(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.String()
	}
	return v.Raw
}

// closeJSON completes a prefix of a JSON text; it reports whether anything was
// missing. An escape or a name cut in half is dropped.
func closeJSON(s string) (string, bool) {
	var stack []byte
	inString, escaped := false, false
	cut := len(s) // where an unfinished escape starts
	for i := 0; i < len(s); i++ {
		c := s[i]
		if inString {
			switch {
			case escaped:
				escaped = false
				cut = len(s)
				if c == 'u' && i+4 >= len(s) {
					cut = i - 1
				}
			case c == '\\':
				escaped = true
				cut = i
			case c == '"':
				inString = false
			}
			continue
		}
		switch c {
		case '"':
			inString = true
		case '{':
			stack = append(stack, '}')
		case '[':
			stack = append(stack, ']')
		case '}', ']':
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		}
	}
	if !inString && len(stack) == 0 {
		return s, false
	}
	var b strings.Builder
	b.Grow(len(s) + len(stack) + 1)
	b.WriteString(s[:cut])
	if inString {
		b.WriteByte('"')
	}
	for i := len(stack) - 1; i >= 0; i-- {
		b.WriteByte(stack[i])
	}
	return b.String(), true
}
