package graphics

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/iterm2"
	"github.com/charmbracelet/x/ansi/kitty"
	"github.com/charmbracelet/x/ansi/sixel"

	"forge/tools/picture"
)

// errNoWay says that there is nothing to show a picture by.
var errNoWay = errors.New("this terminal shows no pictures")

// Room is the place for a picture, in such cells.
type Room struct {
	Cols, Rows int
	Cell       Cell
}

// Whole is what paints a picture at the cursor, as large as it is and the room allows.
func Whole(way Way, data []byte, room Room, wrapped bool) (string, error) {
	cell := room.Cell.or(assumedW, assumedH)
	if way == Sixel { // it counts in pixels: rather too small than off the screen
		cell = room.Cell.or(8, 16)
	}
	img, err := picture.Draw(data, room.Cols*cell.W, room.Rows*cell.H)
	if err != nil {
		return "", err
	}
	cols, rows := Fit(img.Bounds().Dx(), img.Bounds().Dy(), room.Cols, room.Rows, cell)
	var b bytes.Buffer
	switch way {
	case Kitty:
		o := kitty.Options{Action: kitty.TransmitAndPut, Transmission: kitty.Direct, Format: kitty.PNG, Columns: cols, Rows: rows, Quiet: 2, Chunk: true}
		if wrapped {
			o.ChunkFormatter = ansi.TmuxPassthrough
		}
		err = kitty.EncodeGraphics(&b, img, &o)
	case ITerm:
		var file []byte
		if file, err = picture.PNG(img); err == nil {
			s := ansi.ITerm2(iterm2.File{Name: base64.StdEncoding.EncodeToString([]byte("picture.png")), Size: int64(len(file)), Inline: true,
				Width: iterm2.Cells(cols), Height: iterm2.Cells(rows), Content: []byte(base64.StdEncoding.EncodeToString(file))})
			if wrapped {
				s = ansi.TmuxPassthrough(s)
			}
			b.WriteString(s)
		}
	case Sixel: // tmux draws these itself, where it can
		var payload bytes.Buffer
		if err = (&sixel.Encoder{}).Encode(&payload, img); err == nil {
			b.WriteString(ansi.SixelGraphics(0, 1, 0, payload.Bytes()))
		}
	default:
		return "", errNoWay
	}
	if err != nil {
		return "", fmt.Errorf("show a picture: %w", err)
	}
	return b.String(), nil
}
