package command

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/agent/frontmatter"
)

// maxFile bounds a command's file, in bytes: more than that is no prompt.
const maxFile = 256 << 10

// maxAbout bounds what a menu shows of a command, in bytes.
const maxAbout = 300

// Parse reads the text of a file. Settings it does not know are other agents' and left
// alone: allowed-tools, since what may run is settled elsewhere, and model, since another
// one reads the whole conversation anew. Its error is a Problem without a file.
func Parse(text []byte) (c Command, err error) {
	switch {
	case len(text) > maxFile:
		return c, Problem{Err: errTooLong}
	case !utf8.Valid(text) || strings.ContainsRune(string(text), 0):
		return c, Problem{Err: errors.New("it is no text in UTF-8; save it as that")}
	}
	body := frontmatter.Plain(string(text))
	if frontmatter.Begins(body) {
		fields, rest, err := frontmatter.Read(body, "argument-hint", "argument_hint", "description")
		if err != nil {
			var at *frontmatter.Error
			if errors.As(err, &at) {
				err = Problem{Line: at.Line, Err: at.Err}
			}
			return c, err
		}
		for _, f := range fields {
			switch f.Name {
			case "description":
				c.About = cut(f.Text)
			case "argument-hint", "argument_hint":
				c.Hint = cut(f.Text)
			}
		}
		body = rest
	}
	body = strings.TrimSpace(body)
	if body == "" {
		return c, Problem{Err: errors.New("there is no text in it; write what the model is to do")}
	}
	if c.About == "" {
		c.About = cut(strings.TrimLeft(body, "# "))
	}
	c.parts = split(body)
	for _, p := range c.parts {
		if p.kind == shell && strings.ContainsFunc(p.text, unseen) {
			return c, Problem{Line: lineOf(string(text), p.text), Err: errors.New("a command line in it has characters that nobody would see; take them out")}
		}
	}
	return c, nil
}

var errTooLong = errors.New("it is over 256 KiB, which is no prompt")

// cut is the first line of a text, not longer than a menu needs.
func cut(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if len(s) > maxAbout {
		s = strings.ToValidUTF8(s[:maxAbout], "") + " …"
	}
	return s
}

// unseen reports whether a person who is shown a command line would not see r.
func unseen(r rune) bool {
	return unicode.IsControl(r) && r != '\t' || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r)
}

// lineOf finds the line a piece of a text stands in.
func lineOf(text, piece string) int {
	at := strings.Index(text, piece)
	if at < 0 {
		return 0
	}
	return strings.Count(text[:at], "\n") + 1
}
