package composer

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"forge/lazy"
	"forge/ui/lang"
	"forge/ui/safe"
)

// menu is the list under the text: commands after a leading /, values of a
// command's argument, files after @, emoji after a colon, paths of a shell's line.
type menu struct {
	kind  kind
	from  int // where the completed word starts in the text, sign included
	query string
	items []item
	at    int
	moved bool   // somebody chose among the items of this query
	seq   int    // of the newest search for files; older answers are dropped
	old   bool   // its answer is not there yet: the items are those of what was written before
	due   bool   // Tab was pressed before it: the first of the answer is taken
	shut  string // the word Esc closed the menu for; it stays shut until the word changes kind
}

type kind int

const (
	none kind = iota
	commands
	arguments
	files
	emojis
	paths
)

type item struct {
	name, args, about string
	open              bool   // more of it is to be written
	writes            string // what is put into the text; empty: the name
}

// found answers a search off the loop, of files or of a command's arguments.
type found struct {
	kind  kind
	seq   int
	items []item
}

const menuRows = 8

func (m *menu) open() bool { return m.kind != none && len(m.items) > 0 }

func (m *menu) close() {
	m.kind, m.items, m.at, m.moved, m.old, m.due, m.query = none, nil, 0, false, false, false, ""
}

// foreign says that the chosen item cannot be what is written: it is still that of
// something shorter, and what was typed since is not in it.
func (m *menu) foreign() bool {
	rest := strings.ToLower(m.items[m.at].name)
	for _, r := range strings.ToLower(m.query) {
		var in bool
		if _, rest, in = strings.Cut(rest, string(r)); !in {
			return m.old
		}
	}
	return false
}

// named says that a folder was named to its end, with or without its sign, and nobody
// chose another one: those that begin alike, or lie in it, were only offered.
func (m *menu) named() bool {
	if m.kind != arguments || m.moved || !m.items[m.at].open {
		return false
	}
	if strings.HasSuffix(m.query, "/") {
		return true
	}
	return slices.ContainsFunc(m.items, func(it item) bool { return it.open && it.name == m.query+"/" })
}

// unchosen says that the values of an argument, or paths, are only offered: none of one is
// written, and nobody went to one. Enter then runs the command as it stands.
func (m *menu) unchosen() bool {
	return (m.kind == arguments && m.query == "" || m.kind == paths) && !m.moved
}

// found takes an answer, and reports whether one of it is to be taken at once.
func (m *menu) found(f found) (take bool) {
	if m.kind != f.kind || f.seq != m.seq {
		return false
	}
	take = m.due && len(f.items) > 0
	m.items, m.old, m.due = f.items, false, false
	m.at = min(m.at, max(0, len(m.items)-1))
	return take
}

func (m *menu) step(by int) {
	n := len(m.items)
	switch {
	case n == 0:
	case m.unchosen() && by > 0: // the first is the next one
		m.at, m.moved = 0, true
	default:
		m.at, m.moved = (m.at+by+n)%n, true
	}
}

// complete works out what may be completed at the cursor. It is called after
// every change of the text.
func (c *Composer) complete() tea.Cmd {
	if c.opts.Plain {
		return nil
	}
	before := c.ed.text[:c.ed.cur]
	if c.Shell() || !strings.HasPrefix(before, "/") && !strings.ContainsAny(before, "@:") {
		c.menu.close()
		c.menu.shut = ""
		return nil
	}
	if c.menu.shut != "" && strings.HasPrefix(before, c.menu.shut) {
		return nil
	}
	c.menu.shut = ""
	if strings.HasPrefix(before, "/") && !strings.Contains(before, "\n") {
		word, rest, args := strings.Cut(before[1:], " ")
		if !args {
			c.offer(commands, 0, word, c.commandItems(word))
			return nil
		}
		if cmd, ok := c.command(word); ok && cmd.Complete != nil {
			c.offer(arguments, len(word)+2, rest, argumentItems(cmd, rest))
			return nil
		} else if ok && cmd.Search != nil {
			return c.searchArgument(len(word)+2, rest, cmd.Search)
		}
	}
	if c.completeEmoji(before) {
		return nil
	}
	return c.completeFile(before)
}

// searchArgument asks for the values of a command's argument, off the loop.
func (c *Composer) searchArgument(from int, rest string, search func(string) []Found) tea.Cmd {
	if c.menu.kind != arguments {
		c.menu.items, c.menu.at = nil, 0
	}
	if c.menu.query != rest {
		c.menu.at, c.menu.moved = 0, false
	}
	c.menu.kind, c.menu.from, c.menu.query = arguments, from, rest
	c.menu.seq++
	c.menu.old, c.menu.due = true, false
	seq := c.menu.seq
	return func() tea.Msg { return found{arguments, seq, items(search(rest))} }
}

func items(fs []Found) (out []item) {
	for _, f := range fs {
		out = append(out, item{name: f.Text, about: f.About, open: f.Open})
	}
	return out
}

func (c *Composer) completeFile(before string) tea.Cmd {
	at, query := mentioned(before)
	if at < 0 || c.opts.Files == nil && c.opts.Mentions == nil {
		c.menu.close()
		return nil
	}
	if c.menu.kind != files {
		c.menu.items, c.menu.at = nil, 0
	}
	c.menu.kind, c.menu.from, c.menu.query = files, at, query
	c.menu.seq++
	c.menu.old, c.menu.due = true, false
	seq, search, others := c.menu.seq, c.opts.Files, c.opts.Mentions
	return func() tea.Msg {
		var list []item
		more := search != nil
		if others != nil {
			fs, too := others(query)
			list, more = items(fs), more && too
		}
		if more {
			for _, p := range search(query) {
				list = append(list, item{name: p})
			}
		}
		return found{files, seq, list}
	}
}

// lineRange is a range behind a file's name that is being written: nothing is to be completed
// there.
var lineRange = lazy.Regexp{Expr: `.(?::\d[\d-]*|#L?[\dL-]*)$`}

// nameEnds are the characters that end a name which stands behind an @ without quotation
// marks: Chinese has no blank before a comma.
const nameEnds = " \n\t，。；：！？、）"

// mentioned finds the name that is being written behind an @ and where the sign stands;
// -1: none is. A name that begins with a quotation mark may have blanks. An @ behind a
// letter is one only where words are written without blanks between them: else it is an
// address of mail.
func mentioned(before string) (at int, query string) {
	at = strings.LastIndexByte(before, '@')
	if at < 0 {
		return -1, ""
	}
	if r, _ := utf8.DecodeLastRuneInString(before[:at]); at > 0 && r < utf8.RuneSelf && !strings.ContainsRune(" \n\t(", r) {
		return -1, ""
	}
	query = before[at+1:]
	if name, quoted := strings.CutPrefix(query, `"`); quoted {
		if strings.ContainsAny(name, "\"\n\t") {
			return -1, ""
		}
		return at, name
	}
	if strings.ContainsAny(query, nameEnds) || lineRange.Get().MatchString(query) {
		return -1, ""
	}
	return at, query
}

func (c *Composer) offer(k kind, from int, query string, items []item) {
	if k != c.menu.kind || query != c.menu.query {
		c.menu.at, c.menu.moved = 0, false
	}
	c.menu.kind, c.menu.from, c.menu.query, c.menu.items, c.menu.old, c.menu.due = k, from, query, items, false, false
}

// commandItems lists the commands a word is a prefix of, and no others: what
// Enter runs is what was typed, never a neighbour. Other names of commands come last.
func (c *Composer) commandItems(word string) []item {
	var items, others, known []item
	word = strings.ToLower(word)
	for _, cmd := range c.opts.Commands {
		if strings.HasPrefix(cmd.Name, word) {
			items = append(items, item{name: "/" + cmd.Name, args: cmd.Args, about: cmd.About})
			continue
		}
		begins := func(name string) bool { return strings.HasPrefix(name, word) }
		if i := slices.IndexFunc(cmd.Aliases, begins); i >= 0 && word != "" {
			others = append(others, item{name: "/" + cmd.Aliases[i], args: cmd.Args, about: cmd.About})
		} else if i := slices.IndexFunc(cmd.Known, begins); i >= 0 && (len(word) > 2 || cmd.Known[i] == word) && !c.has(cmd.Known[i]) {
			known = append(known, item{name: "/" + cmd.Known[i], args: cmd.Args, about: cmd.About})
		}
	}
	return slices.Concat(items, others, known)
}

// has reports whether a name is a command's own.
func (c *Composer) has(name string) bool {
	return slices.ContainsFunc(c.opts.Commands, func(cmd Command) bool { return cmd.Name == name || slices.Contains(cmd.Aliases, name) })
}

func (c *Composer) command(name string) (Command, bool) {
	for _, cmd := range c.opts.Commands {
		if cmd.Name == name || slices.Contains(cmd.Aliases, name) {
			return cmd, true
		}
	}
	if i := slices.IndexFunc(c.opts.Commands, func(cmd Command) bool { return slices.Contains(cmd.Known, name) }); i >= 0 {
		return c.opts.Commands[i], true
	}
	return Command{}, false
}

func argumentItems(cmd Command, prefix string) []item {
	var items []item
	for _, v := range cmd.Complete(prefix) {
		items = append(items, item{name: v})
	}
	return items
}

// take is Tab: it puts the chosen item into the text, or goes to the next one where the
// chosen one stands there already.
func (c *Composer) take() tea.Cmd {
	m, ed := c.menu, c.ed
	c.accept()
	if c.ed.text != ed.text || len(m.items) < 2 {
		return c.complete()
	}
	c.menu, c.ed = m, ed
	c.menu.step(1)
	return nil
}

// accept puts the chosen item into the text. It reports whether what is written
// now is a whole command.
func (c *Composer) accept() (whole bool) {
	it, k := c.menu.items[c.menu.at], c.menu.kind
	insert := it.name
	switch k {
	case files:
		insert = "@" + it.name
		if strings.ContainsAny(it.name, nameEnds) { // else nobody could tell where the name ends
			insert = `@"` + it.name
			if !strings.HasSuffix(it.name, "/") {
				insert += `"`
			}
		}
		if !strings.HasSuffix(it.name, "/") && !it.open {
			insert += " "
		}
	case commands:
		insert += " "
	case emojis:
		insert = it.writes
	case paths:
		_, _, quote := shellWord(c.ed.text[len(shellSign):c.ed.cur])
		if insert = c.shellQuoted(it.name); !it.open {
			insert += strings.Trim(string(quote), "\x00") + " "
		}
	}
	c.replace(insert)
	c.menu.close()
	return k == commands || k == arguments
}

// joinLines takes back the blank that was put behind a name, where the lines that are
// meant of it are written next.
func (c *Composer) joinLines(typed string) {
	if before := c.ed.text[:c.ed.cur]; (typed == ":" || typed == "#") && c.ed.last == accepted && strings.HasSuffix(before, " ") {
		c.ed.text = before[:len(before)-1] + c.ed.text[c.ed.cur:]
		c.ed.cur--
	}
}

// accepted is the kind of change that a chosen item is.
const accepted = "complete"

// MenuView returns the rows of the completion menu, or none.
func (c *Composer) MenuView(width int) []string {
	if !c.menu.open() {
		return nil
	}
	m := &c.menu
	first := m.first()
	last := min(first+menuRows, len(m.items))
	names, room := 0, width-2
	for _, it := range m.items[first:last] {
		names = max(names, cells(safe.Line(label(it))))
		if it.about != "" { // a second column wants some of it
			room = width * 2 / 3
		}
	}
	names = min(names, max(8, room))
	var rows []string
	for i := first; i < last; i++ {
		rows = append(rows, c.menuRow(m.items[i], i == m.at && !m.unchosen(), names, width))
	}
	if n := len(m.items); n > menuRows {
		rows = append(rows, paint(c.opts.Styles.Muted, "  "+lang.T("%d of %d", m.at+1, n)))
	}
	return rows
}

func label(it item) string {
	if it.args != "" {
		return it.name + " " + it.args
	}
	return it.name
}

func (c *Composer) menuRow(it item, chosen bool, names, width int) string {
	mark := "  "
	if chosen {
		mark = c.opts.Glyph + " "
	}
	// A long path keeps its end, where names differ; a command its name, an emoji its sign.
	name := safe.Line(label(it)) // a file is named as whoever made the folder liked
	if over := cells(name) - names; over > 0 && (it.args != "" || c.menu.kind == emojis) {
		name = safe.Truncate(name, names, lang.T("…"))
	} else if over > 0 {
		name = safe.TruncateLeft(name, names, lang.T("…"))
	}
	text := mark + name
	if it.about != "" {
		text += strings.Repeat(" ", max(0, names-cells(name))+2) + safe.Line(it.about)
	}
	text = safe.Truncate(text, width, lang.T("…"))
	if chosen {
		return paint(c.opts.Styles.Selected, text+strings.Repeat(" ", max(0, width-cells(text))))
	}
	return paint(c.opts.Styles.Muted, text)
}
