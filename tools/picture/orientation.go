package picture

import (
	"encoding/binary"
	"image"
)

// turn is how a camera was held, in the numbers of EXIF: what has to be done to the
// pixels so that they stand as they were seen. A copy has no such note, and models look
// at the pixels alone.
type turn int

const upright turn = 1

// orientation reads the note of a JPEG; upright where there is none or it makes no
// sense.
func orientation(data []byte) turn {
	for at := 2; at+4 <= len(data) && data[at] == 0xff; {
		marker, size := data[at+1], int(binary.BigEndian.Uint16(data[at+2:]))
		if marker == 0xda || size < 2 || at+2+size > len(data) { // the pixels begin
			return upright
		}
		if segment := data[at+4 : at+2+size]; marker == 0xe1 && len(segment) > 6 && string(segment[:6]) == "Exif\x00\x00" {
			return exif(segment[6:])
		}
		at += 2 + size
	}
	return upright
}

// exif finds the orientation in the first folder of a TIFF header.
func exif(b []byte) turn {
	const tag, entry = 0x0112, 12
	if len(b) < 8 {
		return upright
	}
	var order binary.ByteOrder = binary.LittleEndian
	if string(b[:2]) == "MM" {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(b[4:]))
	if at < 8 || at+2 > int64(len(b)) {
		return upright
	}
	n := int64(order.Uint16(b[at:]))
	for i := at + 2; n > 0 && i+entry <= int64(len(b)); i, n = i+entry, n-1 {
		if order.Uint16(b[i:]) != tag {
			continue
		}
		if v := turn(order.Uint16(b[i+8:])); v >= 1 && v <= 8 {
			return v
		}
		return upright
	}
	return upright
}

// of is a picture with its turn done.
func (t turn) of(in *image.RGBA) *image.RGBA {
	if t == upright {
		return in
	}
	w, h := in.Bounds().Dx(), in.Bounds().Dy()
	ow, oh := w, h
	if t >= 5 { // lying on a side
		ow, oh = h, w
	}
	out := image.NewRGBA(image.Rect(0, 0, ow, oh))
	for y := range oh {
		for x := range ow {
			fx, fy := t.from(x, y, w, h)
			copy(out.Pix[out.PixOffset(x, y):][:4], in.Pix[in.PixOffset(fx, fy):][:4])
		}
	}
	return out
}

// from is where the pixel at x, y of the turned picture stands in one of w by h.
func (t turn) from(x, y, w, h int) (int, int) {
	switch t {
	case 2:
		return w - 1 - x, y
	case 3:
		return w - 1 - x, h - 1 - y
	case 4:
		return x, h - 1 - y
	case 5:
		return y, x
	case 6:
		return y, h - 1 - x
	case 7:
		return w - 1 - y, h - 1 - x
	case 8:
		return w - 1 - y, x
	}
	return x, y
}
