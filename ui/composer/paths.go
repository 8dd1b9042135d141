package composer

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// wordEnds are the characters that end a word of a shell's line where nothing quotes them.
const wordEnds = " \t\n;|&()<>="

// escaped are those that stand in a word of a shell's line only behind a backslash.
const escaped = " \t;|&()<>'\"\\`$*?[]{}!#"

// shellWord finds the word that ends a shell's line: where it begins, behind its quotation
// mark if it has one, what it says, and the mark. One that is quoted in part begins where it
// does and has no mark: what takes its place is written as a whole.
func shellWord(line string) (at int, says string, quote rune) {
	var b strings.Builder
	skip := false
	start, marks := 0, 0 // of the word with its marks, and how many it has
	defer func() {
		if marks > 1 || marks == 1 && at == start {
			at, quote = start, 0
		}
	}()
	for i, r := range line {
		switch {
		case skip:
			skip = false
			b.WriteRune(r)
		case r == '\\' && quote != '\'':
			skip = true
		case quote != 0 && r == quote:
			quote = 0
			marks++
		case quote != 0:
			b.WriteRune(r)
		case r == '\'' || r == '"':
			if quote = r; i == start {
				at = i + 1
			}
			marks++
		case strings.ContainsRune(wordEnds, r):
			b.Reset()
			at, start, marks = i+1, i+1, 0
		default:
			b.WriteRune(r)
		}
	}
	return at, b.String(), quote
}

// completePath asks for the paths that begin as the word before the cursor does: the Tab
// of a command for the shell.
func (c *Composer) completePath() tea.Cmd {
	before := c.ed.text[:c.ed.cur]
	find := c.opts.Paths
	if find == nil || c.ed.cur < len(shellSign) {
		return nil
	}
	at, says, quote := shellWord(before[len(shellSign):])
	if quote != 0 && strings.HasPrefix(says, "~") { // it is no home between marks
		says = "./" + says
	}
	c.menu.close()
	c.menu.kind, c.menu.from, c.menu.query = paths, len(shellSign)+at, says
	c.menu.seq++
	seq := c.menu.seq
	return func() tea.Msg { return found{paths, seq, items(slices.DeleteFunc(find(says), unwritable))} }
}

// unwritable reports whether a path cannot stand in a line: a line end in a name would end
// the command, and what is behind it would be another.
func unwritable(f Found) bool { return strings.ContainsFunc(f.Text, unicode.IsControl) }

// completeEarlier writes the rest of the last command for the shell that begins as the one
// that is written does.
func (c *Composer) completeEarlier() {
	typed := c.ed.text
	if c.ed.cur < len(typed) || strings.TrimSpace(strings.TrimLeft(typed, shellSign)) == "" {
		return
	}
	for _, had := range slices.Backward(c.history.items) {
		if rest, ok := strings.CutPrefix(had, typed); ok && rest != "" && !strings.ContainsFunc(had, unicode.IsControl) { // no second line, and no folded paste
			c.ed.snapshot("complete")
			c.ed.insert(rest)
			return
		}
	}
}

// foundPaths takes what fits: the only one is written, of several what they have in common,
// and they are listed where that is no more than was there.
func (c *Composer) foundPaths(f found) {
	if c.menu.found(f); c.menu.kind != paths || f.seq != c.menu.seq {
		return
	}
	switch len(f.items) {
	case 0:
		c.menu.close()
		c.completeEarlier()
	case 1:
		c.accept()
	default:
		common := f.items[0].name
		for _, it := range f.items {
			for !strings.HasPrefix(it.name, common) {
				common = common[:len(common)-1]
			}
		}
		if common = strings.ToValidUTF8(common, ""); len(common) > len(c.menu.query) {
			c.replace(c.shellQuoted(common))
			c.menu.query = common
		}
	}
}

// shellQuoted is a path as it stands in the word that is being written, in its quotation
// marks or without any.
func (c *Composer) shellQuoted(path string) string {
	_, _, quote := shellWord(c.ed.text[len(shellSign):c.ed.cur])
	special := escaped
	switch quote {
	case '\'': // nothing is special between these but their end
		return strings.ReplaceAll(path, "'", `'\''`)
	case '"':
		special = "\"\\`$"
	}
	var b strings.Builder
	for i, r := range path {
		if strings.ContainsRune(special, r) || r == '~' && i > 0 && quote == 0 {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// replace writes in place of the word that is being completed.
func (c *Composer) replace(s string) {
	c.ed.snapshot(accepted)
	c.ed.selecting = false
	c.ed.text = c.ed.text[:c.menu.from] + s + c.ed.text[c.ed.cur:]
	c.ed.cur = c.menu.from + len(s)
}
