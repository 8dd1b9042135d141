package graphics

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"forge/tools/picture"
)

// IDs is how many pictures of ours a terminal may have at once: an id is a colour of 256.
// The sixteen first are the terminal's own colours, which themes change.
const IDs = 224

// firstID is the lowest id.
const firstID = 16

// MostSide is how many cells of a picture can be named in a direction: there are so many
// marks.
const MostSide = 250

// Placed is a picture for cells of a screen: number n of IDs, in cols by rows of such
// cells. Transmit sends it; Cells are what stands in the screen for it, from then on and
// for as long as the alternate screen stays.
type Placed struct {
	N, Cols, Rows int
	Cell          Cell
}

func (p Placed) id() int { return firstID + p.N%IDs }

// Transmit is what makes the terminal take the picture for the cells (U=1: it is shown
// where placeholders are). Answers are not asked for: they would be read as keys. wrapped
// is for tmux, which hands it through.
func (p Placed) Transmit(data []byte, wrapped bool) (string, error) {
	cell := p.Cell.or(assumedW, assumedH)
	img, err := picture.Draw(data, p.Cols*cell.W, p.Rows*cell.H)
	if err != nil {
		return "", err
	}
	o := kitty.Options{Action: kitty.TransmitAndPut, Transmission: kitty.Direct, Format: kitty.PNG, ID: p.id(), Columns: p.Cols, Rows: p.Rows,
		VirtualPlacement: true, Quiet: 2, Chunk: true}
	if wrapped {
		o.ChunkFormatter = ansi.TmuxPassthrough
	}
	var b bytes.Buffer
	if err := kitty.EncodeGraphics(&b, img, &o); err != nil {
		return "", fmt.Errorf("show a picture: %w", err)
	}
	return b.String(), nil
}

// Size is the cells for a picture of w by h pixels in a transcript.
func Size(w, h, cols, rows int, cell Cell) (int, int) {
	return Fit(w, h, min(cols, MostSide), min(rows, MostSide), cell)
}

// Cells are the rows that show the picture. Each cell names its row and column, so that
// any of them may be drawn by itself.
func (p Placed) Cells() []string {
	out := make([]string, p.Rows)
	for y := range out {
		var b strings.Builder
		fmt.Fprintf(&b, "\x1b[38;5;%dm", p.id())
		for x := range p.Cols {
			b.WriteRune(kitty.Placeholder)
			b.WriteRune(kitty.Diacritic(y))
			b.WriteRune(kitty.Diacritic(x))
		}
		b.WriteString("\x1b[39m")
		out[y] = b.String()
	}
	return out
}

// Delete has the terminal forget the picture.
func (p Placed) Delete(wrapped bool) string {
	s := ansi.KittyGraphics(nil, "a=d", "d=I", fmt.Sprintf("i=%d", p.id()), "q=2")
	if wrapped {
		return ansi.TmuxPassthrough(s)
	}
	return s
}
