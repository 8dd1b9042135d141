package provider

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
)

func TestImageSize(t *testing.T) {
	img := image.NewPaletted(image.Rect(0, 0, 641, 480), color.Palette{color.Black, color.White})
	var p, g, j bytes.Buffer
	for _, err := range []error{png.Encode(&p, img), gif.Encode(&g, img, nil), jpeg.Encode(&j, img, nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	// A camera's preview stands before the size.
	note := append([]byte{0xff, 0xd8}, bytes.Repeat(append([]byte{0xff, 0xe1, 0xff, 0xff}, make([]byte, 0xfffd)...), 2)...)
	note = append(note, j.Bytes()[2:]...)
	chunk := func(kind string, body ...byte) []byte {
		return append([]byte("RIFF\x00\x00\x00\x00WEBP"+kind), append([]byte{0, 0, 0, 0}, body...)...)
	}
	for name, data := range map[string][]byte{
		"png": p.Bytes(), "gif": g.Bytes(), "jpeg": j.Bytes(), "jpeg with notes": note,
		"webp extended": chunk("VP8X", 0, 0, 0, 0, 0x80, 2, 0, 0xdf, 1, 0, 0),
		"webp lossless": chunk("VP8L", 0x2f, 0x80, 0xc2, 0x77, 0, 0, 0, 0, 0, 0),
		"webp lossy":    chunk("VP8 ", 0, 0, 0, 0x9d, 0x01, 0x2a, 0x81, 2, 0xe0, 1),
	} {
		i := Image{Data: base64.StdEncoding.EncodeToString(data)}
		if w, h := i.Size(); w != 641 || h != 480 {
			t.Errorf("%s: %d×%d", name, w, h)
		}
		for cut := range min(40, len(data)) {
			Image{Data: base64.StdEncoding.EncodeToString(data[:cut])}.Size()
		}
	}
	for _, data := range []string{"", "****", "aGVsbG8gd29ybGQ=", "iVBORw=="} {
		if w, h := (Image{Data: data}).Size(); w != 0 || h != 0 {
			t.Errorf("%q: %d×%d", data, w, h)
		}
	}
}
