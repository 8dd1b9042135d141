// Package composer is where a person writes a prompt.
//
// It owns the text being written: the editor with its undo and kill ring, the
// placeholders that stand for long pastes, the history of prompts, and the
// completion of /commands, @files and :emoji. It is a plain child of the screen: the
// screen hands it keys and pastes it has no other use for, on the Bubble Tea
// loop, and draws its rows and its cursor. It starts nothing, reads no file and
// knows no agent; files to complete come from a function it is given.
package composer

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"forge/ui/keymap"
)

// Styles paint the composer's own words; each gets text that is safe to show.
// A nil function leaves its text as it is.
type Styles struct {
	Prompt      func(string) string // the glyph before the first row
	Placeholder func(string) string // the hint in an empty composer
	Paste       func(string) string // "[paste 1: 240 lines]"
	Selected    func(string) string // the chosen row of the completion menu
	Muted       func(string) string // the other rows, descriptions
	Match       func(string) string // the name in a row of the menu
	Shell       func(string) string // the ! before a command of the person's own
	Wrong       func(string) string // a word that looks wrong
}

// Options is what a Composer needs. All fields may be zero.
type Options struct {
	Styles      Styles
	Glyph       string // one cell; empty: "›"
	Placeholder string
	ShellHint   string // the hint behind a ! that nothing follows yet
	Commands    []Command
	// Files returns paths that match a query, best first. It is called in a Cmd, off
	// the loop, and may read the disk.
	Files func(query string) []string
	// Mentions returns what else may follow an @, best first, and whether files are
	// wanted behind it. It is called as Files is; nil: nothing.
	Mentions func(query string) (found []Found, files bool)
	// Paths returns the paths that begin as one does that is being written in a command
	// for the shell, folders with a slash behind and Open. It is called as Files is.
	Paths   func(typed string) []Found
	Emoji   *Emoji                                // nil: none are offered
	Wrong   func(text string, caret int) [][2]int // see SetWrong
	History []string                              // oldest first
	Keys    *keymap.Map
	Vim     bool // the keys of vi are on
	// VimEscape is two characters that leave insert mode when they are typed one right
	// behind the other, as "jj"; empty: none do. Now is the time of a key; nil: time.Now.
	VimEscape string
	Now       func() time.Time
	// Plain makes it an editor for a piece of a file: Enter is a line end and keeps the
	// indentation, Tab is a tab, a paste is inserted whole, and nothing is completed,
	// remembered or sent.
	Plain bool
}

// Found is a line of the @ menu, or of a command's arguments.
type Found struct {
	Text  string // what is written, without the sign
	About string
	Open  bool // more of it is to be written: no blank follows
}

// Command is a line of the / menu.
type Command struct {
	Name    string   // without the slash
	Aliases []string // other names, listed where one of them is being written
	Known   []string // names it has elsewhere, listed last, and not for a letter or two
	Args    string   // what may follow, for the menu: "[model]"
	About   string
	// Complete returns the values an argument may take; nil: none are offered.
	Complete func(prefix string) []string
	// Search does the same in a Cmd, off the loop; it may ask somebody.
	Search func(prefix string) []Found
}

// SetSources changes where what follows an @, and paths in a command, are looked for.
func (c *Composer) SetSources(files func(query string) []string, mentions func(query string) ([]Found, bool), paths func(typed string) []Found) {
	c.opts.Files, c.opts.Mentions, c.opts.Paths = files, mentions, paths
}

// SetCommands changes the / menu.
func (c *Composer) SetCommands(cs []Command) {
	c.opts.Commands = cs
	if c.menu.kind == commands {
		c.menu.items = c.commandItems(c.menu.query)
		c.menu.at = max(0, min(c.menu.at, len(c.menu.items)-1))
	}
}

// Submitted is a finished prompt: Text has every paste in full, and the marks of
// pictures.
// Shell says that it is a command for the shell, and Text begins with its !.
type Submitted struct {
	Text  string
	Shell bool
}

// Composer is the prompt being written.
type Composer struct {
	opts    Options
	ed      editor
	pastes  pastes
	history history
	menu    menu
	modal   modal
	ghost   ghost
	heard   *hearing   // what a dictation writes; nil: none does
	sent    *Submitted // finished, and not handed over yet
	width   int        // of the last View, for moves between wrapped rows
	first   int        // row that the last View shows
	grip    grip       // of the mouse
}

// New returns an empty composer.
func New(o Options) *Composer {
	if o.Glyph == "" {
		o.Glyph = "›"
	}
	c := &Composer{opts: o, history: newHistory(o.History), width: 80}
	c.SetVim(o.Vim)
	return c
}

// SetStyles changes the colours, for another theme.
func (c *Composer) SetStyles(s Styles) { c.opts.Styles = s }

// SetKeys changes which key does what.
func (c *Composer) SetKeys(m *keymap.Map) { c.opts.Keys = m }

// SetPlaceholder changes the hint shown while nothing is written.
func (c *Composer) SetPlaceholder(s string) { c.opts.Placeholder = s }

// Value returns the text with every paste in full and with the marks of pictures.
func (c *Composer) Value() string { return c.pastes.expand(c.ed.text) }

// Empty reports whether nothing is written.
func (c *Composer) Empty() bool { return c.ed.text == "" }

// Shell reports whether a command for the shell is being written: the text begins
// with !. What hides in the placeholder of a paste never makes it one.
func (c *Composer) Shell() bool { return !c.opts.Plain && strings.HasPrefix(c.ed.text, shellSign) }

// Slash reports whether a command for the screen is being written: the text begins
// with /.
func (c *Composer) Slash() bool { return !c.opts.Plain && strings.HasPrefix(c.ed.text, "/") }

// shellSign makes a text a command for the shell.
const shellSign = "!"

// Complete is SetValue with the menu of what can follow, as if s had been typed.
func (c *Composer) Complete(s string) tea.Cmd {
	c.SetValue(s)
	return c.complete()
}

// SetValue replaces the text and puts the cursor at its end; undo brings the old
// text back.
func (c *Composer) SetValue(s string) {
	c.ed.snapshot("set")
	c.ed.text, c.ed.cur, c.ed.selecting = "", 0, false
	if rest, shell := strings.CutPrefix(s, shellSign); shell {
		c.ed.insert(shellSign) // a long command is one still, beside its placeholder
		s = rest
	}
	switch {
	case !c.opts.Plain && c.restore(s):
	case c.opts.Plain || len(s) > pasteBytes || lineCount(s) > handLines:
		c.insertText(s)
	default: // it may have been written by hand, and is to be seen
		c.ed.insert(c.pastes.pictures(clean(s)))
	}
	c.menu.close()
}

// Prepend puts text before what is written, so that neither is lost.
func (c *Composer) Prepend(s string) {
	if c.Empty() {
		c.SetValue(s)
		return
	}
	c.SetValue(s + "\n" + c.Draft())
}

// Reset empties the composer and forgets how it got there; what was cut is kept.
func (c *Composer) Reset() {
	for i, s := range c.ed.ring.cuts { // what its placeholders stand for goes
		c.ed.ring.cuts[i] = c.pastes.expand(s)
	}
	c.ed = editor{ring: c.ed.ring}
	if c.modal.machine != nil {
		c.modal.machine.Reset()
	}
	c.pastes = pastes{}
	c.history.leave()
	c.menu.close()
}

// MenuOpen reports whether a completion menu is shown: it then has the first
// claim on Up, Down, Tab, Enter and Esc.
func (c *Composer) MenuOpen() bool { return c.menu.open() }

// AddHistory remembers a prompt that was sent.
func (c *Composer) AddHistory(s string) { c.history.add(s) }

// Forget drops from the history what was sent with these words in it.
func (c *Composer) Forget(words string) {
	c.history.items = slices.DeleteFunc(c.history.items, func(s string) bool { return strings.Contains(s, words) })
	c.history.leave()
}

// PutAway empties the composer; what stood there comes back with Up as it was, with its
// long pastes folded.
func (c *Composer) PutAway() {
	c.history.add(strings.TrimRight(c.Draft(), " \n\t"))
	c.Reset()
}

// History returns the prompts that were sent, oldest first.
func (c *Composer) History() []string {
	out := make([]string, len(c.history.items))
	for i, s := range c.history.items {
		out[i] = unmarked.Get().Replace(s)
	}
	return out
}

// AtTop reports whether the cursor is on the first row, AtBottom on the last:
// there the arrow keys leave the text.
func (c *Composer) AtTop() bool { row, _ := c.layout().locate(c.ed.cur); return row == 0 }

// AtBottom reports whether the cursor is on the last row.
func (c *Composer) AtBottom() bool {
	l := c.layout()
	row, _ := l.locate(c.ed.cur)
	return row == len(l.rows)-1
}

// Update takes a key, a paste, or an answer to a completion. It returns a
// command where one is needed: a search for files. Whether a prompt was finished, Sent
// says.
func (c *Composer) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return c.key(msg)
	case tea.PasteMsg:
		c.Paste(msg.Content)
		return c.complete()
	case found:
		if msg.kind == paths {
			c.foundPaths(msg)
			break
		}
		if c.menu.found(msg) {
			return c.take()
		}
	}
	return nil
}

// Paste inserts pasted text as one piece: line ends become \n, control
// characters go, and more than 20 lines are stood for by a placeholder.
func (c *Composer) Paste(s string) {
	if !c.opts.Plain && c.again(clean(s)) {
		return
	}
	c.ed.snapshot("paste")
	c.insertText(s)
}

func (c *Composer) insertText(s string) {
	s = clean(s)
	c.ed.insert(c.folded(s))
}

// folded is text with placeholders where it is long or holds pictures.
func (c *Composer) folded(s string) string {
	if c.opts.Plain {
		return s
	}
	if name, long := c.pastes.keep(s); long {
		s = name
	}
	return c.pastes.pictures(s)
}

// Editable reports whether a text could be given to SetValue and taken back as it
// is: control characters and bytes that are no text would be lost.
func Editable(s string) bool { return clean(s) == s }

// Seek puts the cursor at an offset of the text, or at the next border between
// clusters.
func (c *Composer) Seek(offset int) {
	at := 0
	for at < min(offset, len(c.ed.text)) {
		at = c.ed.next(at)
	}
	c.ed.move(at)
}

func (c *Composer) submit() tea.Cmd {
	text := strings.TrimRight(c.Value(), " \n\t")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	shell := c.Shell()
	c.PutAway()
	c.sent = &Submitted{Text: text, Shell: shell}
	return nil
}

// Sent hands over the prompt that the last key finished, once. It is no message of a
// command: those come when they like, and two lines sent one right behind the other
// would change places, or the keys behind a line come before it.
func (c *Composer) Sent() (s Submitted, ok bool) {
	if c.sent == nil {
		return s, false
	}
	s, c.sent = *c.sent, nil
	return s, true
}
