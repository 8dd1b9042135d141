// Package highlight colours source code, a line at a time.
//
// It owns the grammars, as much of each as colours need, and what language a name
// in a fence or a file's path means. A line costs one pass over its bytes; what is
// open at its end (a comment, a string) is the lexer's whole state, so that a diff
// can begin in the middle of a file. Text that comes in is safe to show already:
// ui/markdown calls it for blocks of code and ui/diffview for changed lines, from
// any goroutine, with a lexer each.
package highlight

import (
	"strings"
	"unicode/utf8"

	"forge/ui/safe"
	"forge/ui/theme"
)

// Language is as much of a language's grammar as colours need.
type Language struct {
	line   []string    // what begins a comment to the end of the line
	first  []string    // the same, where nothing stands before it
	block  [][2]string // what begins and ends a comment over lines
	quotes string      // quotes of strings on one line
	multi  []string    // quotes of strings over lines
	words  *lexicon
	escape bool // a backslash hides a quote
	calls  bool // a name before ( is a function
	dash   bool // names hold - (shell, css, markup)
	vars   bool // names of variables begin with a $
	slash  bool // and those of commands with a backslash
	keys   bool // a name before : or = at the start of a line is a key
	diff   bool
	markup bool
	prose  bool // marks at the start of a line say what it is (markdown)
	fold   bool // keywords in any case
}

// Lexer colours code line by line; its whole state is what construct is open at
// the end of a line. It costs one pass over the bytes and never looks back. A
// copy goes on from the same place; without a Lang it gives plain text.
type Lexer struct {
	Lang  *Language
	until string // what ends the open construct
	str   bool   // it is a string, not a comment
}

// Line appends the runs of one line of code, without its line end, to out. Their
// texts put together are the line.
func (l *Lexer) Line(out []safe.Run, s string, c *theme.Code) []safe.Run {
	put := func(text string, st theme.Style) {
		if text != "" {
			out = append(out, safe.Run{Text: text, Open: st.Open, Close: st.Close})
		}
	}
	if l.Lang == nil {
		put(s, c.Text)
		return out
	}
	if l.Lang.diff {
		put(s, diffLook(s, c))
		return out
	}
	i, from := 0, 0 // from: the start of what is not written yet and has no look
	look := func(to int, st theme.Style) {
		put(s[from:i], c.Text)
		put(s[i:to], st)
		i, from = to, to
	}
	if l.until != "" {
		st := c.Comment
		if l.str {
			st = c.String
		}
		n := l.find(s, 0)
		if n < 0 {
			put(s, st)
			return out
		}
		l.until = ""
		look(n, st)
	}
	start := true // only blanks so far
	for i < len(s) {
		ch := s[i]
		if ch == ' ' {
			i++
			continue
		}
		if l.Lang.prose && start {
			if n, st := proseMark(s[i:], c); n > 0 {
				look(i+n, st)
				start = false
				continue
			}
		}
		// What goes over lines may begin as a comment on one does: --[[ and --.
		if n, ok := l.openBlock(s, i); ok {
			st := c.Comment
			if l.str {
				st = c.String
			}
			look(n, st)
			start = false
			continue
		}
		if begins(s[i:], l.Lang.line) && l.commentHere(s, i) || start && begins(s[i:], l.Lang.first) {
			look(len(s), c.Comment)
			break
		}
		switch {
		case strings.IndexByte(l.Lang.quotes, ch) >= 0:
			look(l.quoted(s, i), c.String)
		case ch >= '0' && ch <= '9':
			n := i + 1
			for n < len(s) && (isWord(s[n]) || s[n] == '.') {
				n++
			}
			look(n, c.Number)
		case isWord(ch) || ch >= 0x80:
			l.word(s, i, start, c, &i, look)
		case l.Lang.markup && ch == '<':
			n := i + 1
			for n < len(s) && (isWord(s[n]) || s[n] == '/' || s[n] == '!' || s[n] == '-') {
				n++
			}
			look(n, c.Keyword)
		case ch == '@' && i+1 < len(s) && isWord(s[i+1]):
			n := i + 1
			for n < len(s) && isWord(s[n]) {
				n++
			}
			look(n, c.Meta)
		case ch == '$' && (l.Lang.dash || l.Lang.vars) && i+1 < len(s) && (isWord(s[i+1]) || s[i+1] == '{'):
			n := i + 1
			if s[n] == '{' {
				n++
			}
			for n < len(s) && isWord(s[n]) {
				n++
			}
			if n < len(s) && s[n] == '}' {
				n++
			}
			look(n, c.Type)
		case ch == '\\' && l.Lang.slash && i+1 < len(s):
			n := i + 1
			for n < len(s) && isWord(s[n]) {
				n++
			}
			if n == i+1 { // a sign that means itself
				i = n + 1
				break
			}
			look(n, c.Keyword)
		case ch == '-' && start && l.Lang.keys: // an item of a list, before its key
			i++
			continue
		default:
			i++
		}
		start = false
	}
	put(s[from:], c.Text)
	return out
}

// word reads a name from i on and gives it its look, if it has one.
func (l *Lexer) word(s string, i int, start bool, c *theme.Code, at *int, look func(int, theme.Style)) {
	n := i
	for n < len(s) {
		if s[n] >= 0x80 {
			_, size := utf8.DecodeRuneInString(s[n:])
			n += size
		} else if isWord(s[n]) || l.Lang.dash && s[n] == '-' && n > i {
			n++
		} else {
			break
		}
	}
	name := s[i:n]
	if l.Lang.fold {
		name = strings.ToLower(name)
	}
	kind := l.Lang.words.kind(name)
	if l.Lang.keys && start {
		if j := n + blanks(s[n:]); j < len(s) && (s[j] == ':' || s[j] == '=') {
			look(n, c.Type)
			return
		}
	}
	switch kind {
	case keyword:
		look(n, c.Keyword)
	case typename:
		look(n, c.Type)
	case constant:
		look(n, c.Number)
	default:
		if l.Lang.calls && n < len(s) && s[n] == '(' {
			look(n, c.Func)
			return
		}
		*at = n
	}
}

// commentHere keeps a mark inside a word from being a comment, where the
// language says so (shell: a#b, an URL's //).
func (l *Lexer) commentHere(s string, i int) bool {
	return i == 0 || s[i] != '#' || s[i-1] == ' ' || !l.Lang.dash
}

// openBlock reads the start of a construct that may go over lines, and all of
// it that stands on this one.
func (l *Lexer) openBlock(s string, i int) (int, bool) {
	for _, b := range l.Lang.block {
		if strings.HasPrefix(s[i:], b[0]) {
			l.until, l.str = b[1], false
			return l.rest(s, i+len(b[0])), true
		}
	}
	for _, q := range l.Lang.multi {
		if strings.HasPrefix(s[i:], q) {
			l.until, l.str = q, true
			return l.rest(s, i+len(q)), true
		}
	}
	return 0, false
}

func (l *Lexer) rest(s string, from int) int {
	if n := l.find(s, from); n >= 0 {
		l.until = ""
		return n
	}
	return len(s)
}

// find returns the end of the open construct from i on, or -1.
func (l *Lexer) find(s string, i int) int {
	for {
		n := strings.Index(s[i:], l.until)
		if n < 0 {
			return -1
		}
		n += i
		back := 0
		for l.str && l.Lang.escape && l.until != "`" && n-back > 0 && s[n-back-1] == '\\' {
			back++
		}
		if back%2 == 0 {
			return n + len(l.until)
		}
		i = n + 1
	}
}

// quoted returns the end of the string that begins at i.
func (l *Lexer) quoted(s string, i int) int {
	q := s[i]
	for n := i + 1; n < len(s); n++ {
		if s[n] == '\\' && l.Lang.escape {
			n++
		} else if s[n] == q {
			return n + 1
		}
	}
	// An apostrophe is more often one than the start of a string.
	if q == '\'' {
		return i + 1
	}
	return len(s)
}

// blanks is how many blanks s begins with.
func blanks(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

func begins(s string, marks []string) bool {
	for _, m := range marks {
		if strings.HasPrefix(s, m) {
			return true
		}
	}
	return false
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// proseMark is how much of a line of markdown its first mark gives a look, and which.
func proseMark(s string, c *theme.Code) (int, theme.Style) {
	switch {
	case strings.HasPrefix(s, "#"):
		return len(s), c.Keyword
	case strings.HasPrefix(s, "```"), strings.HasPrefix(s, "~~~"):
		return len(s), c.Meta
	case len(s) > 1 && strings.IndexByte("-*+", s[0]) >= 0 && s[1] == ' ':
		return 1, c.Keyword
	}
	return 0, c.Text
}

func diffLook(s string, c *theme.Code) theme.Style {
	switch {
	case strings.HasPrefix(s, "@@"), strings.HasPrefix(s, "diff "), strings.HasPrefix(s, "+++"), strings.HasPrefix(s, "---"):
		return c.Func
	case strings.HasPrefix(s, "+"):
		return c.String
	case strings.HasPrefix(s, "-"):
		return c.Keyword
	}
	return c.Text
}
