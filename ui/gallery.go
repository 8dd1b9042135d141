package ui

import (
	"encoding/base64"
	"fmt"
	"log/slog"
	"os"
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"forge/agent"
	"forge/agent/mark"
	"forge/provider"
	"forge/ui/display"
	"forge/ui/graphics"
	"forge/ui/lang"
	"forge/ui/safe"
)

// Bounds of the pictures in a transcript.
const (
	inSight     = 16  // pictures the terminal has at a time
	lookedBack  = 300 // panes from the end in which pictures are looked for
	pictureCols = 60
	pictureRows = 16
)

// pictured is a picture in the transcript: what it is, and where the terminal can, itself.
type pictured struct {
	whole
	img    provider.Image
	name   string // a mark's, or a file's; empty: none is known
	file   string // where it lies; empty: nowhere yet
	w, h   int
	known  bool            // somebody looks after it
	placed graphics.Placed // where the terminal has it
	here   bool
	of     *call // that brought it; nil: none did
}

// newPictured shows a picture; file is where it came from, if it was a file.
func newPictured(img provider.Image, name, file string) *pictured {
	p := &pictured{img: img, name: name, file: file}
	p.w, p.h = img.Size()
	p.isTight = true
	p.draw = func(d *drawing, w int) []string {
		rows := []string{d.th.Muted.Apply(clip(p.labelIn(w, d.th.Glyphs.Ellipsis), w, d.th))}
		if p.here && p.placed.Cols <= w {
			rows = append(rows, p.placed.Cells()...)
		}
		return lead(d.th.Faint.Apply(d.th.Glyphs.Sep), rows)
	}
	return p
}

// label is what there is to say of a picture.
func (p *pictured) label() string {
	if p.file == "" {
		return p.size()
	}
	return p.size() + " " + safe.Line(p.file)
}

// labelIn is label for w cells: a long path keeps its end, where the name is.
func (p *pictured) labelIn(w int, ellipsis string) string {
	s := p.label()
	room := w - safe.Width(p.size()) - 1
	if safe.Width(s) <= w || room < 8 {
		return s
	}
	return p.size() + " " + safe.TruncateLeft(safe.Line(p.file), room, ellipsis)
}

// size is a picture in pixels and bytes.
func (p *pictured) size() string {
	s := lang.T("picture")
	if p.w > 0 {
		s += fmt.Sprintf(" %dx%d", p.w, p.h)
	}
	return s + ", " + byteCount(base64.StdEncoding.DecodedLen(len(p.img.Data)))
}

// about is the picture as something to read and copy: its file.
func (p *pictured) about() matter {
	text := p.file
	if text == "" {
		text = p.label()
	}
	return matter{kind: isNoted, title: lang.T("picture"), text: text}
}

// picturesOf are the panes of the pictures in an event.
func (c *conversation) picturesOf(e agent.Event) (out []pane) {
	if c.deep {
		return nil
	}
	switch e := e.(type) {
	case agent.UserMessage:
		var names []string // each picture is sent once, however often it is named
		for _, m := range mark.In(e.Text) {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
		for i, img := range e.Images {
			name := ""
			if len(names) == len(e.Images) {
				name = names[i]
			}
			out = append(out, newPictured(img, name, ""))
		}
	case agent.Attached:
		for _, img := range e.Images {
			out = append(out, newPictured(img, "", ""))
		}
	case agent.ToolEnd:
		file := ""
		p := c.calls[e.ID]
		if p != nil && len(p.effect.Paths) == 1 && len(e.Result.Images) == 1 {
			file = p.effect.Paths[0]
		}
		for _, img := range e.Result.Images {
			shown := newPictured(provider.Image(img), "", file)
			shown.of = p
			out = append(out, shown)
		}
	}
	return out
}

// gallery is the pictures the terminal has.
type gallery struct {
	way   graphics.Way
	cells bool         // pictures can stand in the transcript
	guess graphics.Way // what the environment says of the terminal,
	name  string       // and what it calls itself
	asked bool
	known bool        // it answered, or was not asked
	shown []*pictured // oldest first
	next  int

	wished bool // the way is a person's setting
}

// hungMsg says where a picture lies, and what makes the terminal show it.
type hungMsg struct {
	p    *pictured
	file string
	seq  string
}

// hang looks after the pictures that came since: it finds out where they lie, and gives
// the terminal the newest ones, where it takes them.
func (m *Model) hang() tea.Cmd {
	var fresh []*pictured
	from := max(0, len(m.tr.panes)-lookedBack)
	for _, p := range slices.Backward(m.tr.panes[from:]) {
		if p, ok := p.(*pictured); ok {
			if p.known || len(fresh) == inSight {
				break
			}
			p.known = true
			fresh = append(fresh, p)
		}
	}
	if fresh == nil {
		return nil
	}
	cmds := []tea.Cmd{m.askTerminal()}
	for _, p := range slices.Backward(fresh) {
		cmds = append(cmds, m.place(p))
	}
	return tea.Batch(cmds...)
}

// askTerminal finds out how pictures are shown here, once there is one. Where the
// environment knows that none can be shown, there is no question; neither is there to a
// person's own wish, but for one: whether pictures can stand among the text. A
// multiplexer would answer that for itself.
func (m *Model) askTerminal() tea.Cmd {
	g := &m.gallery
	if g.asked {
		return nil
	}
	g.asked = true
	wish := graphics.Way(m.o.Images)
	g.guess = graphics.Detect(wish, m.o.Getenv)
	g.wished = wish != "" && wish != graphics.Auto
	switch {
	case g.wished && g.guess == graphics.Kitty && graphics.Direct(m.o.Getenv):
		g.way = g.guess
	case g.wished || g.guess == graphics.Off:
		g.way, g.cells, g.known = g.guess, g.guess == graphics.Kitty, true
		return nil
	default:
		g.way = graphics.Off // until it answers
	}
	return tea.Raw(graphics.Question)
}

// tookNature takes the terminal's answer, and gives it the pictures there are.
func (m *Model) tookNature(attributes display.Attributes) tea.Cmd {
	g := &m.gallery
	if !g.asked || g.known {
		return nil
	}
	g.known = true
	way, cells := graphics.Answered(g.guess, g.name, attributes)
	if g.cells = cells; !g.wished {
		g.way = way
	}
	if !g.cells {
		return nil
	}
	var cmds []tea.Cmd
	for _, p := range m.tr.panes[max(0, len(m.tr.panes)-lookedBack):] {
		if p, ok := p.(*pictured); ok && p.known && !p.here {
			cmds = append(cmds, m.place(p))
		}
	}
	return tea.Batch(cmds[max(0, len(cmds)-inSight):]...)
}

// place gives a picture the room it takes and finds out where it lies.
func (m *Model) place(p *pictured) tea.Cmd {
	g, keep := &m.gallery, m.o.Pictures
	placed := p.placed
	// Inline, a picture would belong to one of two screens, and what is printed stays for
	// longer than the terminal keeps it.
	inCells := g.cells && !m.o.Inline && m.profile >= colorprofile.ANSI256 && p.w > 0
	if inCells && !p.here {
		cell := m.cell()
		cols, rows := graphics.Size(p.w, p.h, min(pictureCols, m.w-gutter), pictureRows, cell)
		g.next++
		placed = graphics.Placed{N: g.next, Cols: cols, Rows: rows, Cell: cell}
	}
	img, name, file, wrapped := p.img, p.name, p.file, graphics.Wrapped(m.o.Getenv)
	return func() tea.Msg {
		out := hungMsg{p: p, file: file}
		data, err := base64.StdEncoding.DecodeString(img.Data)
		if err != nil {
			return nil
		}
		if out.file == "" && keep != nil && keep.File != nil {
			if name == "" {
				if k, err := keep.Keep(data); err == nil {
					name = k.Name
				}
			}
			out.file = keep.File(name)
		}
		if inCells {
			if out.seq, err = placed.Transmit(data, wrapped); err != nil {
				slog.Warn("picture not shown", "err", err)
			}
		}
		if out.seq != "" {
			return tea.Sequence(tea.Raw(out.seq), func() tea.Msg { return hungMsg{out.p, out.file, ""} }, func() tea.Msg { return inPlaceMsg{out.p, placed} })()
		}
		return out
	}
}

// cell is how large a cell of the terminal is.
func (m *Model) cell() graphics.Cell {
	f, ok := m.o.out().(*os.File)
	if !ok {
		return graphics.Cell{}
	}
	room, err := graphics.RoomOf(f, 0)
	if err != nil {
		return graphics.Cell{}
	}
	return room.Cell
}

// inPlaceMsg says that the terminal has a picture.
type inPlaceMsg struct {
	p      *pictured
	placed graphics.Placed
}

// hung takes the messages about pictures in the transcript.
func (m *Model) hung(msg tea.Msg) (tea.Cmd, bool) {
	g := &m.gallery
	switch msg := msg.(type) {
	case hungMsg:
		if msg.p.file != msg.file {
			msg.p.file = msg.file
			msg.p.version++
		}
	case inPlaceMsg:
		p := msg.p
		p.placed, p.here = msg.placed, true
		p.version++ // nothing new: what it is of was told
		if !slices.Contains(g.shown, p) {
			g.shown = append(g.shown, p)
		}
		if len(g.shown) <= inSight {
			return nil, true
		}
		old := g.shown[0]
		g.shown = g.shown[1:]
		old.here = false
		old.version++
		return tea.Raw(old.placed.Delete(graphics.Wrapped(m.o.Getenv))), true
	case tea.TerminalVersionMsg:
		g.name = msg.Name
	case display.Attributes:
		return m.tookNature(msg), true
	case viewedMsg:
		if msg.err != nil {
			return m.say(lang.T("not shown: %s", oneLine(msg.err))), true
		}
	default:
		return nil, false
	}
	return nil, true
}

// again gives the terminal its pictures once more: another program had the screen.
func (m *Model) again() tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range m.gallery.shown {
		cmds = append(cmds, m.place(p))
	}
	return tea.Batch(cmds...)
}
