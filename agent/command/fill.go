package command

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// part is a piece of a command's text.
type part struct {
	kind kind
	text string // as it is written; of a command line, the line
	n    int    // which argument
}

type kind int

const (
	plain kind = iota
	one        // $1 … $9
	all        // $ARGUMENTS
	shell      // !`…`
)

// split finds what is to be filled in. A backslash before the sign leaves it as it is.
func split(body string) (out []part) {
	var b strings.Builder
	add := func(p part) {
		if b.Len() > 0 {
			out = append(out, part{kind: plain, text: b.String()})
			b.Reset()
		}
		out = append(out, p)
	}
	for i := 0; i < len(body); {
		rest := body[i:]
		if rest[0] == '\\' && len(rest) > 1 {
			if p, size := sign(rest[1:], ' '); size > 0 {
				b.WriteString(p.text)
				i += 1 + size
				continue
			}
		}
		before, _ := utf8.DecodeLastRuneInString(body[:i])
		if p, size := sign(rest, before); size > 0 {
			if p.kind == shell {
				p.text = strings.TrimSpace(rest[2 : size-1])
			}
			add(p)
			i += size
			continue
		}
		b.WriteByte(body[i])
		i++
	}
	if b.Len() > 0 {
		out = append(out, part{kind: plain, text: b.String()})
	}
	return out
}

// sign reads what is to be filled in at the beginning of a text, and how long that is; 0:
// nothing is. before is the character before it: a command line may not follow a letter,
// so that "wow!`x`" stays what it is.
func sign(s string, before rune) (p part, size int) {
	const whole = "$ARGUMENTS"
	switch {
	case strings.HasPrefix(s, whole) && !goesOn(s[len(whole):]):
		return part{kind: all, text: whole}, len(whole)
	case len(s) > 1 && s[0] == '$' && s[1] >= '1' && s[1] <= '9' && (len(s) == 2 || s[2] < '0' || s[2] > '9'): // $100 is money
		return part{kind: one, text: s[:2], n: int(s[1] - '0')}, 2
	case strings.HasPrefix(s, "!`") && !unicode.IsLetter(before) && !unicode.IsDigit(before) && before != '`' && before != '!':
		line, _, closed := strings.Cut(s[2:], "`")
		if closed && strings.TrimSpace(line) != "" && !strings.Contains(line, "\n") {
			size = len("!``") + len(line)
			return part{kind: shell, text: s[:size]}, size
		}
	}
	return part{}, 0
}

func goesOn(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return s != "" && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// Runs lists the command lines of the text, with what was typed in them.
func (c Command) Runs(typed string) (lines []string, err error) {
	ws := words(typed)
	for _, p := range c.parts {
		if p.kind == shell {
			line, err := inLine(p.text, strings.TrimSpace(typed), ws)
			if err != nil {
				return nil, err
			}
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// Shell reports whether the text has command lines.
func (c Command) Shell() bool {
	for _, p := range c.parts {
		if p.kind == shell {
			return true
		}
	}
	return false
}

// Body is the text before anything is filled in, without its command lines: what of it
// may name files.
func (c Command) Body() string {
	var b strings.Builder
	for _, p := range c.parts {
		if p.kind == plain {
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// Fill makes the prompt. outputs are what the command lines of Runs printed, in their
// order. What was typed and no sign of the text stands for is put behind it, so nothing
// of it is lost. What is filled in is filled in once: signs in it are words.
func (c Command) Fill(typed string, outputs []string) (string, error) {
	typed = strings.TrimSpace(typed)
	ws := words(typed)
	var b strings.Builder
	most, whole := 0, false
	for _, p := range c.parts {
		switch p.kind {
		case plain:
			b.WriteString(p.text)
		case all:
			whole = true
			b.WriteString(typed)
		case one:
			most = max(most, p.n)
			b.WriteString(nth(ws, p.n))
		case shell:
			n, w := inShell(p.text)
			most, whole = max(most, n), whole || w
			if len(outputs) == 0 {
				return "", errors.New("an output is missing")
			}
			b.WriteString(outputs[0])
			outputs = outputs[1:]
		}
	}
	text := strings.TrimSpace(b.String())
	if rest := left(typed, ws, most); rest != "" && !whole {
		text += "\n\n" + rest
	}
	return strings.TrimSpace(text), nil
}

func nth(ws []word, n int) string {
	if n > len(ws) {
		return ""
	}
	return ws[n-1].text
}

// left is what was typed behind the first n words.
func left(typed string, ws []word, n int) string {
	switch {
	case n == 0:
		return typed
	case n > len(ws):
		return ""
	}
	return strings.TrimSpace(typed[ws[n-1].end:])
}
