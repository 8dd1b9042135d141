package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"
)

func encoded(t *testing.T, img image.Image, kind string) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case "image/png":
		err = png.Encode(&b, img)
	case "image/jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "image/gif":
		few := image.NewPaletted(img.Bounds(), color.Palette{color.RGBA{R: 255, A: 255}, color.RGBA{B: 255, A: 255}})
		for y := range img.Bounds().Dy() {
			for x := range img.Bounds().Dx() {
				few.Set(x, y, img.At(x, y))
			}
		}
		err = gif.Encode(&b, few, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// halves is red on its left half and blue on the other.
func halves(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.RGBA{R: 255, A: 255})
			if x >= w/2 {
				img.Set(x, y, color.RGBA{B: 255, A: 255})
			}
		}
	}
	return img
}

func noise(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32())
	}
	return img
}

func decoded(t *testing.T, p Picture) image.Image {
	t.Helper()
	img, format, err := image.Decode(bytes.NewReader(p.Data))
	if err != nil || "image/"+format != p.MIME || img.Bounds().Dx() != p.Width || img.Bounds().Dy() != p.Height {
		t.Fatalf("%s %dx%d holds %s, %v", p.MIME, p.Width, p.Height, format, err)
	}
	return img
}

func TestWithinLimitsNothingChanges(t *testing.T) {
	webp, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{"image/webp": webp}
	for _, kind := range []string{"image/png", "image/jpeg", "image/gif"} {
		all[kind] = encoded(t, halves(MaxSide, 20), kind)
	}
	for kind, data := range all {
		p, err := Fit(data, Limits{})
		if err != nil || p.MIME != kind || p.Scaled() || !bytes.Equal(p.Data, data) || kind != "image/webp" && (p.Width != MaxSide || p.Height != 20) {
			t.Errorf("%s: %s %dx%d scaled %v, %v", kind, p.MIME, p.Width, p.Height, p.Scaled(), err)
		}
		if Extension(kind) == ".bin" {
			t.Errorf("%s has no extension", kind)
		}
	}
}

func TestScaledDown(t *testing.T) {
	for kind, becomes := range map[string]string{"image/png": "image/png", "image/jpeg": "image/jpeg", "image/gif": "image/png"} {
		p, err := Fit(encoded(t, halves(1600, 800), kind), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if p.MIME != becomes || p.Width != MaxSide || p.Height != MaxSide/2 || p.FromWidth != 1600 || p.FromHeight != 800 {
			t.Errorf("%s: %s, %dx%d of %dx%d", kind, p.MIME, p.Width, p.Height, p.FromWidth, p.FromHeight)
		}
		img := decoded(t, p)
		if r, _, b, _ := img.At(100, 100).RGBA(); r < 0xf000 || b > 0x1000 {
			t.Errorf("%s: the left half is %x %x", kind, r, b)
		}
		if r, _, b, _ := img.At(p.Width-100, 100).RGBA(); b < 0xf000 || r > 0x1000 {
			t.Errorf("%s: the right half is %x %x", kind, r, b)
		}
	}
	p, err := Fit(encoded(t, halves(9000, 2), "image/png"), Limits{Side: 100})
	if err != nil || p.Width != 100 || p.Height != 1 {
		t.Errorf("a line became %dx%d, %v", p.Width, p.Height, err)
	}
}

// TestTooManyBytes has a picture of small size and many bytes become coarser, then
// smaller.
func TestTooManyBytes(t *testing.T) {
	data := encoded(t, noise(300, 200), "image/png")
	p, err := Fit(data, Limits{Bytes: 50_000})
	if err != nil || len(p.Data) > 50_000 || p.MIME != "image/jpeg" || p.Width != 300 || !p.Scaled() {
		t.Errorf("%s %dx%d, %d bytes, %v", p.MIME, p.Width, p.Height, len(p.Data), err)
	}
	decoded(t, p)
	p, err = Fit(data, Limits{Bytes: 4000})
	if err != nil || len(p.Data) > 4000 || p.Width >= 300 {
		t.Errorf("%s %dx%d, %d bytes, %v", p.MIME, p.Width, p.Height, len(p.Data), err)
	}
	if _, err = Fit(data, Limits{Bytes: 10}); err == nil {
		t.Error("a picture of 10 bytes")
	}
}

func TestNoPicture(t *testing.T) {
	for _, data := range []string{"", "hello", "<svg/>", "\x89PNG", "GIF8"} {
		if _, err := Fit([]byte(data), Limits{}); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", data, err)
		}
	}
	good := encoded(t, halves(40, 30), "image/png")
	for _, data := range [][]byte{good[:20], []byte("GIF89a"), []byte("\xff\xd8\xff\xe1\xff\xff"), []byte("RIFF    WEBPVP8 ")} {
		if _, err := Fit(data, Limits{}); err == nil || errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", data, err)
		}
	}
	if _, err := Fit(good[:len(good)/2], Limits{Side: 10}); err == nil {
		t.Error("half a picture was scaled")
	}
	// A header that says more than fits into memory is not believed.
	bomb := bytes.Clone(encoded(t, image.NewGray(image.Rect(0, 0, 1, 1)), "image/png"))
	binary.BigEndian.PutUint32(bomb[16:], 60000)
	binary.BigEndian.PutUint32(bomb[20:], 60000)
	binary.BigEndian.PutUint32(bomb[29:], pngSum(bomb[12:29]))
	if _, err := Fit(bomb, Limits{}); err == nil || errors.Is(err, ErrNone) {
		t.Errorf("60000x60000: %v", err)
	}
}

// pngSum is the CRC of a chunk.
func pngSum(b []byte) uint32 {
	sum := ^uint32(0)
	for _, c := range b {
		sum ^= uint32(c)
		for range 8 {
			low := sum & 1
			if sum >>= 1; low == 1 {
				sum ^= 0xedb88320
			}
		}
	}
	return ^sum
}

// TestCameraHeldOtherwise gives a JPEG each note of EXIF and expects the red half where
// a viewer would show it.
func TestCameraHeldOtherwise(t *testing.T) {
	plain := encoded(t, halves(64, 32), "image/jpeg")
	// For each orientation: the size as seen, and a point of the red half.
	seen := map[turn][4]int{1: {64, 32, 8, 16}, 2: {64, 32, 56, 16}, 3: {64, 32, 56, 16}, 4: {64, 32, 8, 16},
		5: {32, 64, 16, 8}, 6: {32, 64, 16, 8}, 7: {32, 64, 16, 56}, 8: {32, 64, 16, 56}}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for turn, want := range seen {
			data := withExif(plain, order, uint16(turn))
			if got := orientation(data); got != turn {
				t.Fatalf("read as %d, is %d", got, turn)
			}
			p, err := Fit(data, Limits{})
			if err != nil || p.Width != want[0] || p.Height != want[1] {
				t.Fatalf("%d: %dx%d, %v", turn, p.Width, p.Height, err)
			}
			img := decoded(t, p)
			if turn == upright {
				continue
			}
			if r, _, b, _ := img.At(want[2], want[3]).RGBA(); r < 0xc000 || b > 0x4000 {
				t.Errorf("%d: not red where it should be: %x %x", turn, r, b)
			}
			if r, _, b, _ := img.At(want[0]-1-want[2], want[1]-1-want[3]).RGBA(); b < 0xc000 || r > 0x4000 {
				t.Errorf("%d: not blue where it should be: %x %x", turn, r, b)
			}
		}
	}
	for cut := range 60 { // whatever is cut, there is an answer
		orientation(withExif(plain, binary.LittleEndian, 6)[:cut])
	}
	if orientation(withExif(plain, binary.LittleEndian, 77)) != upright {
		t.Error("an unknown note was believed")
	}
}

func withExif(jpg []byte, order binary.AppendByteOrder, turn uint16) []byte {
	mark := "II*\x00"
	if order.AppendUint16(nil, 1)[0] == 0 {
		mark = "MM\x00*"
	}
	b := append([]byte("Exif\x00\x00"), mark...)
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 1)
	b = order.AppendUint16(b, 0x0112)
	b = order.AppendUint16(b, 3)
	b = order.AppendUint32(b, 1)
	b = order.AppendUint16(b, turn)
	b = append(b, 0, 0, 0, 0, 0, 0)
	out := append([]byte{0xff, 0xd8, 0xff, 0xe1}, byte((len(b)+2)>>8), byte(len(b)+2))
	return append(append(out, b...), jpg[2:]...)
}

func BenchmarkScaleScreenshot(b *testing.B) {
	var buf bytes.Buffer
	if err := png.Encode(&buf, halves(2880, 1800)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Fit(buf.Bytes(), Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
