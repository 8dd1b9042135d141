// Package picture makes pictures such as models take them.
//
// It knows the four formats that models read, by what a file holds and never by its
// name, tells their size from their first bytes, and scales down what is too large.
// It owns no file and no request: whoever has bytes that may be a picture asks here.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // read
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // read
)

// What a picture may be, where nothing else is wanted. Models scale down what has more
// than about 1568 pixels on its longer side before they look at it, so more is paid for
// on the way and seen by nobody; servers refuse a picture of more than 5 MB in base64.
const (
	MaxSide  = 1568
	MaxBytes = 3_500_000 / 4 * 3 // 3.5 MB once they are base64
)

// mostPixels bounds what is decoded to be scaled, in pixels: at four bytes for each it
// is held in memory for a moment.
const mostPixels = 64 << 20

// Limits is how large a picture may be: pixels on its longer side, and bytes. A zero
// is MaxSide or MaxBytes.
type Limits struct{ Side, Bytes int }

// Picture is one that a model takes.
type Picture struct {
	MIME          string // image/png, image/jpeg, image/gif or image/webp
	Data          []byte
	Width, Height int // pixels
	// FromWidth and FromHeight are what it was before it was scaled down or written
	// anew; zero: Data is what was given.
	FromWidth, FromHeight int
}

// Scaled reports whether Data is another than was given.
func (p Picture) Scaled() bool { return p.FromWidth > 0 }

// ErrNone says that bytes are no picture of a kind that models read.
var ErrNone = errors.New("not a PNG, JPEG, GIF or WebP picture")

// Kind recognises a picture by its first bytes, as a MIME type; empty: it is none.
func Kind(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return "image/gif"
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// Extension is the usual end of a picture's name, with its dot.
func Extension(mime string) string {
	switch mime {
	case "image/png":
		return ".png"
	case "image/jpeg":
		return ".jpg"
	case "image/gif":
		return ".gif"
	case "image/webp":
		return ".webp"
	}
	return ".bin"
}

// Fit returns a picture within the limits: the very bytes where they are, else a
// smaller copy. It fails with ErrNone where there is no picture, and with another
// error where it is broken, or has more pixels than can be scaled here.
func Fit(data []byte, l Limits) (Picture, error) {
	if l.Side <= 0 {
		l.Side = MaxSide
	}
	if l.Bytes <= 0 {
		l.Bytes = MaxBytes
	}
	p := Picture{MIME: Kind(data), Data: data}
	if p.MIME == "" {
		return Picture{}, ErrNone
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return Picture{}, fmt.Errorf("the picture is broken: %w", err)
	}
	if c.Width <= 0 || c.Height <= 0 {
		return Picture{}, errors.New("the picture is broken: it has no pixels")
	}
	p.Width, p.Height = c.Width, c.Height
	turn := upright
	if p.MIME == "image/jpeg" {
		turn = orientation(data)
	}
	if max(p.Width, p.Height) <= l.Side && len(data) <= l.Bytes && turn == upright {
		return p, nil
	}
	if int64(p.Width)*int64(p.Height) > mostPixels {
		return Picture{}, fmt.Errorf("the picture has %d×%d pixels, which are too many to be scaled here; make a smaller copy first", p.Width, p.Height)
	}
	img, err := decode(data)
	if err != nil {
		return Picture{}, fmt.Errorf("the picture is broken: %w", err)
	}
	return shrink(img, turn, p, l)
}

// decode is image.Decode for bytes from anywhere: a decoder that panics found a broken
// picture.
func decode(data []byte) (img image.Image, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it cannot be decoded: %v", p)
		}
	}()
	img, _, err = image.Decode(bytes.NewReader(data))
	return img, err
}

// shrink makes a copy within the limits: first as exact as they allow, then coarser.
func shrink(img image.Image, turn turn, was Picture, l Limits) (Picture, error) {
	const least = 64 // pixels on the longer side, below which nothing is to be seen
	p := Picture{FromWidth: was.Width, FromHeight: was.Height}
	for side := min(l.Side, max(was.Width, was.Height)); ; side = side * 3 / 4 {
		small := turn.of(scale(img, side))
		size := small.Bounds().Size()
		p.Width, p.Height = size.X, size.Y
		if was.MIME != "image/jpeg" { // drawings and screenshots stay sharp
			var b bytes.Buffer
			if err := png.Encode(&b, small); err != nil {
				return Picture{}, fmt.Errorf("scale a picture: %w", err)
			}
			if b.Len() <= l.Bytes {
				p.MIME, p.Data = "image/png", b.Bytes()
				return p, nil
			}
		}
		flat := flatten(small)
		for _, quality := range []int{88, 75, 60} {
			var b bytes.Buffer
			if err := jpeg.Encode(&b, flat, &jpeg.Options{Quality: quality}); err != nil {
				return Picture{}, fmt.Errorf("scale a picture: %w", err)
			}
			if b.Len() <= l.Bytes {
				p.MIME, p.Data = "image/jpeg", b.Bytes()
				return p, nil
			}
		}
		if side <= least {
			return Picture{}, fmt.Errorf("a picture of %d×%d pixels does not fit into %d bytes", was.Width, was.Height, l.Bytes)
		}
	}
}

// scale draws a picture with at most side pixels on its longer side. One that is much
// too large is halved coarsely first: the exact filter's time grows with what it reads.
func scale(img image.Image, side int) *image.RGBA {
	b := img.Bounds()
	w, h := Within(b.Dx(), b.Dy(), side)
	var filter draw.Interpolator = draw.CatmullRom
	if b.Dx() == w && b.Dy() == h {
		filter = draw.NearestNeighbor
	} else if max(b.Dx(), b.Dy()) > 4*side {
		half := image.NewRGBA(image.Rect(0, 0, 2*w, 2*h))
		draw.ApproxBiLinear.Scale(half, half.Bounds(), img, b, draw.Src, nil)
		img, b = half, half.Bounds()
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	filter.Scale(out, out.Bounds(), img, b, draw.Src, nil)
	return out
}

// Within is the size of w by h pixels with at most side on the longer one, in its
// proportions, and never nothing.
func Within(w, h, side int) (int, int) {
	long := max(w, h)
	if long <= side {
		return w, h
	}
	return max(1, (w*side+long/2)/long), max(1, (h*side+long/2)/long)
}

// flatten puts a picture on white: JPEG knows nothing that shows through.
func flatten(img *image.RGBA) image.Image {
	if img.Opaque() {
		return img
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(out, out.Bounds(), img, img.Bounds().Min, draw.Over)
	return out
}

// Draw decodes a picture to be shown, upright, and scaled down to at most w by h pixels.
func Draw(data []byte, w, h int) (*image.RGBA, error) {
	if Kind(data) == "" {
		return nil, ErrNone
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the picture is broken: %w", err)
	case c.Width <= 0 || c.Height <= 0 || int64(c.Width)*int64(c.Height) > mostPixels:
		return nil, fmt.Errorf("a picture of %d×%d pixels is not shown here", c.Width, c.Height)
	}
	img, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("the picture is broken: %w", err)
	}
	turn, tw, th := upright, c.Width, c.Height
	if Kind(data) == "image/jpeg" {
		if turn = orientation(data); turn >= 5 {
			tw, th = th, tw
		}
	}
	side := max(c.Width, c.Height)
	w, h = max(w, 1), max(h, 1)
	if tw > w {
		side = side * w / tw
		th = th * w / tw
	}
	if th > h {
		side = side * h / th
	}
	return turn.of(scale(img, max(side, 1))), nil
}

// PNG encodes a picture that was drawn.
func PNG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}
