// Package ledger is the panels of what a conversation holds and costs: every item of
// the model's window with what may be done to it, and what was used up, with gauges and
// a sparkline.
//
// It owns what is shown and which row has the keys, and nothing of the conversation: it
// is given plain values and gives back what the person wants done. It is a child of the
// screen on the Bubble Tea loop and does no I/O.
package ledger

import (
	"cmp"

	"forge/sorting"
	"forge/ui/keymap"
	"forge/ui/lang"
	"forge/ui/safe"
	"forge/ui/theme"
)

// Item is one thing in the model's window.
type Item struct {
	ID     string
	Group  string // system, memory, tools or talk
	Kind   string // of the conversation: prompt, answer, thinking, call, result, image, summary, command, attached, note, opaque
	Owner  string // of a tool
	Name   string
	About  string
	Of     string // of a result, what its call was given
	Tokens int
	Age    int     // turns
	Cost   float64 // US dollars a turn

	Pinned, Dropped, Collapsed, Edited, Fixed bool

	Short bool // to drop it would save nothing
	Whole bool // a result that is too short to be collapsed
}

// Window is all of it. Sizes are tokens.
type Window struct {
	Items     []Item
	Tokens    int
	Limit     int // where it is shortened; 0: never
	Size      int // 0: unknown
	CostKnown bool
	Turns     []float64 // tokens of each turn, the oldest first
	Costs     []float64 // US dollars of each turn; empty: not known
}

// Want is what a person may want done.
type Want int

// The wants. Withdraw takes back what waits for the next step, before it is done.
const (
	Nothing Want = iota
	Close
	Drop
	Collapse
	Restore
	Pin
	Unpin
	Withdraw
	Open // to show it whole
)

// Action is what a key asks for.
type Action struct {
	Want Want
	ID   string
	Back Want // what takes it back
}

// Context is the open panel of the window.
type Context struct {
	Keys   *keymap.Map // nil: those nobody changed
	win    Window
	rows   []row
	at     int // the row that has the keys
	page   int
	bySize bool
	closed map[string]bool // groups that are folded
	note   string

	// first is the row the last View began its list with, in its row listed. still: that
	// stays so, until a key is pressed.
	first, listed int
	still         bool
	done          []Action // what takes back what was done, the newest last
	waits         []Action // what is to be done at the next step of a run, the newest last
}

// row is a heading or an item.
type row struct {
	group  string
	item   *Item // nil: the heading of the group
	tokens int
	n      int
}

// NewContext returns the panel. The tools begin folded: they are many, and cannot be
// dropped here.
func NewContext(w Window) *Context {
	c := &Context{closed: map[string]bool{}}
	for _, it := range w.Items {
		if it.Group == "tools" {
			c.closed[groupOf(it)] = true
		}
	}
	c.Set(w)
	for i, r := range c.rows {
		if r.item != nil && !r.item.Fixed {
			c.at = i
		}
	}
	return c
}

// groupOf is where an item is listed: tools by whose they are.
func groupOf(it Item) string {
	if it.Group == "tools" {
		return "tools " + it.Owner
	}
	return it.Group
}

// Set takes what has become of the window; the row with the keys stays on its own.
func (c *Context) Set(w Window) {
	id, group := "", ""
	if c.at < len(c.rows) {
		if group = c.rows[c.at].group; c.rows[c.at].item != nil {
			id = c.rows[c.at].item.ID
		}
	}
	was := c.at
	c.win = w
	c.arrange()
	c.at = max(0, min(was, len(c.rows)-1))
	for i, r := range c.rows {
		if id != "" && r.item != nil && r.item.ID == id || id == "" && r.item == nil && r.group == group {
			c.at = i
			return
		}
	}
}

// arrange lists the groups in the order of a request, and their items in theirs, or
// the largest first.
func (c *Context) arrange() {
	c.rows = nil
	var groups []string
	items := map[string][]*Item{}
	for i := range c.win.Items {
		g := groupOf(c.win.Items[i])
		if items[g] == nil {
			groups = append(groups, g)
		}
		items[g] = append(items[g], &c.win.Items[i])
	}
	for _, g := range groups {
		list := items[g]
		head := row{group: g, n: len(list)}
		for _, it := range list {
			head.tokens += it.Tokens
		}
		c.rows = append(c.rows, head)
		if c.closed[g] {
			continue
		}
		if c.bySize {
			sorting.StableBy(list, func(a, b *Item) int { return cmp.Compare(b.Tokens, a.Tokens) })
		}
		for _, it := range list {
			c.rows = append(c.rows, row{group: g, item: it, tokens: it.Tokens})
		}
	}
}

// Say shows a line until the next key.
func (c *Context) Say(line string) { c.note = line }

// Await takes what was asked for and waits for the next step of the run that is on, the
// newest last.
func (c *Context) Await(list []Action) { c.waits = list }

// waiting is what is to be done to an item at the next step; Nothing, mostly.
func (c *Context) waiting(id string) Want {
	for _, a := range c.waits {
		if a.ID == id && id != "" {
			return a.Want
		}
	}
	return Nothing
}

// Did notes that something was done, so that u takes it back.
func (c *Context) Did(a Action) {
	c.done = append(c.done, Action{Want: a.Back, ID: a.ID, Back: a.Want})
}

// Undone notes that the newest of them was taken back.
func (c *Context) Undone() { c.done = c.done[:max(0, len(c.done)-1)] }

// Scroll moves the row with the keys.
func (c *Context) Scroll(by int) { c.at = max(0, min(c.at+by, len(c.rows)-1)) }

// Key takes a key, by its name, and says what it asks for; undo says that it takes
// back what was done last.
func (c *Context) Key(k string) (a Action, undo bool) {
	c.still = false
	return c.do(c.Keys.Action(keymap.Window, k))
}

func (c *Context) do(at keymap.Action) (a Action, undo bool) {
	c.note = ""
	switch at {
	case keymap.WindowClose:
		return Action{Want: Close}, false
	case keymap.WindowUp:
		c.Scroll(-1)
	case keymap.WindowDown:
		c.Scroll(1)
	case keymap.WindowPageUp:
		c.Scroll(-max(1, c.page-1))
	case keymap.WindowPageDown:
		c.Scroll(max(1, c.page-1))
	case keymap.WindowTop:
		c.at = 0
	case keymap.WindowEnd:
		c.Scroll(len(c.rows))
	case keymap.WindowSort:
		c.bySize = !c.bySize
		c.Set(c.win)
	case keymap.WindowUndo:
		if n := len(c.waits); n > 0 {
			return Action{Want: Withdraw, ID: c.waits[n-1].ID}, false
		}
		if len(c.done) == 0 {
			c.note = lang.T("nothing was done here yet")
			return Action{}, false
		}
		return c.done[len(c.done)-1], true
	case keymap.WindowFold:
		c.fold()
	case keymap.WindowOpen:
		switch {
		case c.at >= len(c.rows):
		case c.rows[c.at].item == nil:
			c.fold()
		case c.rows[c.at].item.ID == "":
			c.note = lang.T("this is no part of what was said: /memory and /tools show such things")
		default:
			return Action{Want: Open, ID: c.rows[c.at].item.ID}, false
		}
	case keymap.WindowDrop, keymap.WindowCollapse, keymap.WindowRestore, keymap.WindowPin:
		return c.act(at), false
	}
	return Action{}, false
}

// Click moves to what stands in a row of the last View; on what it is at already it does
// what Enter does. The list stands still meanwhile.
func (c *Context) Click(row int) (a Action, undo bool) {
	at := c.first + row - c.listed
	if row < c.listed || row >= c.listed+c.page || at >= len(c.rows) {
		return Action{}, false
	}
	again := c.still && c.at == at
	if c.still, c.at = true, at; !again {
		c.note = ""
		return Action{}, false
	}
	return c.do(keymap.WindowOpen)
}

// fold opens or closes the group the keys are at.
func (c *Context) fold() {
	if c.at >= len(c.rows) {
		return
	}
	g := c.rows[c.at].group
	c.closed[g] = !c.closed[g]
	c.arrange()
	for i, r := range c.rows {
		if r.item == nil && r.group == g {
			c.at = i
		}
	}
}

func (c *Context) act(k keymap.Action) Action {
	if c.at >= len(c.rows) {
		return Action{}
	}
	it := c.rows[c.at].item
	if it == nil {
		return Action{}
	}
	// A second press of its key takes back what waits, as r does.
	want := map[keymap.Action]Want{keymap.WindowDrop: Drop, keymap.WindowCollapse: Collapse, keymap.WindowRestore: Restore, keymap.WindowPin: Pin}[k]
	if want == Pin && it.Pinned {
		want = Unpin
	}
	if w := c.waiting(it.ID); w != Nothing && (want == w || want == Restore) {
		return Action{Want: Withdraw, ID: it.ID}
	}
	a, why := it.May(want)
	c.note = why
	return a
}

// May is what is to be done where want is asked of an item. Where nothing is, why says
// so, if there is anything to say.
func (it Item) May(want Want) (a Action, why string) {
	switch {
	case it.Fixed && it.Group == "tools":
		return Action{}, lang.T("tools are switched in /mcp")
	case it.Fixed && it.Group == "talk":
		return Action{}, lang.T("reasoning belongs to the answer behind it, and goes with a compaction")
	case it.Fixed:
		return Action{}, lang.T("this is part of every request")
	case want == Drop && !it.Dropped && it.Short, want == Collapse && it.Whole:
		return Action{}, lang.T("that is too short to save anything")
	case want == Drop && !it.Dropped:
		return Action{Drop, it.ID, Restore}, ""
	case want == Collapse && it.Kind == "result" && !it.Dropped && !it.Collapsed:
		return Action{Collapse, it.ID, Restore}, ""
	case want == Collapse:
		return Action{}, lang.T("only the results of calls collapse")
	case want == Restore && it.Edited && it.Dropped:
		return Action{Restore, it.ID, Drop}, ""
	case want == Restore && it.Edited:
		return Action{Restore, it.ID, Collapse}, ""
	case want == Restore:
		return Action{}, lang.T("nothing of this was left out by you; /uncompact takes a compaction back")
	case want == Unpin && it.Pinned:
		return Action{Unpin, it.ID, Pin}, ""
	case want == Pin && !it.Pinned && !it.Dropped:
		return Action{Pin, it.ID, Unpin}, ""
	}
	return Action{}, ""
}

// View draws the panel in exactly h rows.
func (c *Context) View(th *theme.Theme, w, h int) []string {
	w, h = max(1, w), max(1, h)
	end := Tokens(c.win.Tokens)
	if c.win.Size > 0 {
		end = lang.T("%s of %s tokens", Count(c.win.Tokens), Count(c.win.Size))
	}
	rows := []string{titled(th, lang.T("What the model sees"), end, w)}
	if c.win.Size > 0 {
		rows = append(rows, Gauge(th, float64(c.win.Tokens)/float64(c.win.Size), float64(c.win.Limit)/float64(c.win.Size), min(w, 72)))
	}
	if h >= sparksFrom {
		rows = append(rows, c.win.sparks(th, w)...)
	}
	rows = append(rows, th.Faint.Apply(c.columns(w)))
	c.page = max(1, h-len(rows)-1)
	first := min(max(0, c.at-c.page/2), max(0, len(c.rows)-c.page))
	if c.still = c.still && c.at >= c.first && c.at < c.first+c.page; c.still {
		first = c.first
	}
	c.first, c.listed = first, len(rows)
	for i := first; i < min(first+c.page, len(c.rows)); i++ {
		rows = append(rows, c.line(th, c.rows[i], i == c.at, w))
	}
	for len(rows) < h-1 {
		rows = append(rows, "")
	}
	acts := []keymap.Action{keymap.WindowDrop, keymap.WindowCollapse, keymap.WindowRestore, keymap.WindowPin, keymap.WindowUndo, keymap.WindowSort, keymap.WindowOpen, keymap.WindowClose}
	hint := c.Keys.Named(lang.T("d drop · c collapse · r restore · p pin · u undo · s sort · enter open · esc close"), acts...)
	if safe.Width(hint) > w {
		hint = c.Keys.Named(lang.T("d drop · c collapse · r restore · p pin · u undo · enter open · esc close"), acts...)
	}
	foot := th.Faint.Apply(safe.Truncate(hint, w, th.Glyphs.Ellipsis))
	if c.note != "" {
		foot = th.Warn.Apply(safe.Truncate(safe.Line(c.note), w, th.Glyphs.Ellipsis))
	}
	return exactly(append(rows[:min(len(rows), h-1)], foot), w, h)
}
