package display

import (
	"bytes"
	"runtime"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// canvas is one of a terminal's two screens: the cells it shows, and how they become
// those of another frame. The alternate screen is all ours; on the main one a frame is
// as high as its content and begins where the cursor stood.
type canvas struct {
	whole bool
	scr   *uv.TerminalRenderer
	cells uv.ScreenBuffer
	rows  []string // what was drawn into cells last
	dirty bool     // the terminal may show something else than the renderer thinks
	// The terminal counts by graphemes; there was text for which that matters.
	graphemes, odd bool
	wide           bool // characters of ambiguous width take two cells
	joins          bool // the parts of an emoji make one sign
	relayed        bool // through a multiplexer
	buf            bytes.Buffer
}

// allScrolls has every row scroll. A frame that was on its way while the terminal became
// higher has ended the region it scrolled where the screen used to end; nothing else would
// take that back, and each frame from then on would go wrong.
const allScrolls = "\x1b[r"

func newCanvas(alt bool, env []string, t *tty) *canvas {
	c := &canvas{whole: alt, cells: uv.NewScreenBuffer(0, 0), relayed: relayed(env)}
	// With the terminal's name alone: the rest of the environment has it look for the
	// colours once more, which in tmux starts a process.
	c.scr = uv.NewTerminalRenderer(&c.buf, []string{"TERM=" + uv.Environ(env).Getenv("TERM")})
	c.scr.SetFullscreen(alt)
	c.scr.SetRelativeCursor(!alt)
	c.scr.SetBackspace(t != nil && t.backspace)
	c.scr.SetTabStops(-1)
	if t != nil && t.tabs {
		c.scr.SetTabStops(0)
		c.scr.WriteString(ansi.SetTabEvery8Columns) // somebody may have set others
	}
	// A pipe's other end is a terminal that nobody made raw.
	c.scr.SetMapNewline(t == nil && runtime.GOOS != "windows")
	c.counts()
	c.anew()
	return c
}

// anew has the next frame drawn from the ground.
func (c *canvas) anew() {
	c.dirty, c.rows = true, nil
	c.scr.Erase()
}

// measure says whether the terminal takes a grapheme for one character, or its code
// points, and characters of ambiguous width for wide ones.
func (c *canvas) measure(graphemes, wide bool) {
	if c.graphemes != graphemes || c.wide != wide {
		c.graphemes, c.wide = graphemes, wide
		c.counts()
		c.anew()
	}
}

// counts chooses how cells are counted. As long as both counts are the same, the one
// that needs no table is taken. The renderer always has to know where they differ.
func (c *canvas) counts() {
	c.cells.Method = ansi.GraphemeWidth
	c.scr.SetWidthMethod(ansi.GraphemeWidth)
	if c.odd {
		c.scr.SetWidthMethod(ansi.WcWidth)
		if !c.graphemes {
			c.cells.Method = ansi.WcWidth
		}
	}
}

// paint returns the bytes that make the screen show a frame, w cells wide and at most h
// high. They are good until the next call.
func (c *canvas) paint(f frame, w, h int) []byte {
	c.buf.Reset()
	rows, cut := strings.Split(f.content, "\n"), 0
	switch {
	case c.whole:
		rows = rows[:min(h, len(rows))]
	case f.content == "":
		rows, h = nil, 0
	default:
		cut = max(0, len(rows)-h)
		rows, h = rows[cut:], min(len(rows), h)
	}
	if c.dirty || w != c.cells.Width() || h != c.cells.Height() {
		if c.whole && c.dirty {
			c.scr.WriteString(allScrolls)
		}
		c.cells.Resize(w, h)
		c.cells.Clear() // marks all of it
		c.rows, c.dirty = make([]string, h), false
	} else if same(rows, c.rows) {
		return c.point(f, cut, w, h)
	}
	changed := 0
	for y := range c.rows {
		row := ""
		if y < len(rows) {
			row = rows[y]
		}
		if row != c.rows[y] {
			if !c.odd && !isEven(row) {
				c.odd = true
				c.counts()
			}
			c.draw(row, y, w) // a row at a time: one that is as it was costs nothing
			c.rows[y] = row
			changed++
		}
	}
	// Looking for rows that have only moved takes longer than all the rest, and where
	// less than three have changed there are none. Windows Terminal loses the cursor in
	// a region that scrolls.
	c.scr.SetScrollOptim(changed > 2 && runtime.GOOS != "windows")
	c.scr.Render(c.cells.RenderBuffer)
	return c.point(f, cut, w, h)
}

// point moves the cursor to its place, which is only known to the renderer once the
// cells are drawn.
func (c *canvas) point(f frame, cut, w, h int) []byte {
	switch x, y := c.scr.Position(); {
	case f.cursor:
		c.scr.MoveTo(min(max(f.x, 0), w-1), min(max(f.y-cut, 0), max(h-1, 0)))
	case !c.whole && x >= w-1: // a cursor past the last column wraps what comes next
		c.scr.MoveTo(0, y)
	}
	c.scr.Flush() // into buf, which never fails
	return c.buf.Bytes()
}

// end leaves the main screen with the cursor beneath the frame.
func (c *canvas) end() []byte {
	c.buf.Reset()
	if h := c.cells.Height(); h > 0 {
		c.scr.MoveTo(0, h-1)
		c.scr.WriteString("\r\n")
	}
	c.scr.WriteString(ansi.EraseScreenBelow)
	c.scr.Flush()
	return c.buf.Bytes()
}

// off takes the frame away and leaves the cursor where it began. w is how wide the
// terminal is now, and reflow says that it has broken what is wider into several rows.
func (c *canvas) off(w int, reflow bool) []byte {
	c.buf.Reset()
	h, more := c.cells.Height(), 0
	if reflow && w > 0 && w < c.cells.Width() {
		_, y := c.scr.Position()
		for i := range h {
			extra := max(0, c.filled(i)-1) / w
			if h += extra; i < y {
				more += extra
			}
		}
	}
	if c.cells.Height() > 0 {
		c.scr.MoveTo(0, 0)
	}
	if more > 0 {
		c.scr.WriteString(ansi.CursorUp(more))
	}
	// Row by row: some terminals keep a whole screen that is erased in their scrollback. The
	// way back is not counted: a terminal that became lower has fewer rows beneath.
	c.scr.WriteString("\r" + ansi.SaveCursor + ansi.EraseEntireLine)
	for range h - 1 {
		c.scr.WriteString(ansi.CursorDown(1) + ansi.EraseEntireLine)
	}
	c.scr.WriteString(ansi.RestoreCursor)
	c.scr.Flush()
	return c.buf.Bytes()
}

// filled is how many cells of a row the frame takes.
func (c *canvas) filled(y int) int {
	line := c.cells.Line(y)
	for x := len(line) - 1; x >= 0; x-- {
		if cell := line[x]; !cell.IsZero() && (cell.Content != " " || !cell.Style.IsZero()) {
			return x + 1
		}
	}
	return 0
}

// reflows reports whether a terminal is one that breaks long rows where it becomes
// narrower. Others cut them: there, rows that are not the frame's stand above it.
func reflows(env []string) bool {
	e := uv.Environ(env)
	for _, name := range []string{"TMUX", "VTE_VERSION", "KITTY_WINDOW_ID", "WEZTERM_PANE", "GHOSTTY_RESOURCES_DIR", "ALACRITTY_WINDOW_ID", "KONSOLE_VERSION", "WT_SESSION"} {
		if e.Getenv(name) != "" && e.Getenv("STY") == "" {
			return true
		}
	}
	return e.Getenv("TERM_PROGRAM") == "iTerm.app" || e.Getenv("TERM_PROGRAM") == "Apple_Terminal" || e.Getenv("TERM_PROGRAM") == "vscode" || strings.HasPrefix(e.Getenv("TERM"), "foot")
}

// same says whether rows are drawn; rows the frame does not have are empty.
func same(rows, drawn []string) bool {
	for y, d := range drawn {
		if row := ""; y < len(rows) {
			if row = rows[y]; row != d {
				return false
			}
		} else if d != "" {
			return false
		}
	}
	return true
}
