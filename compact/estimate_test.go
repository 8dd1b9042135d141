package compact

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"testing"

	"forge/provider"
)

// A picture counts by its pixels, up to what servers scale down to.
func TestPicturesAreWeighed(t *testing.T) {
	weight := func(w, h int) int {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
			t.Fatal(err)
		}
		return weighBlocks([]provider.Block{provider.Image{MIME: "image/png", Data: base64.StdEncoding.EncodeToString(b.Bytes())}}) - blockTokens
	}
	for _, c := range []struct{ w, h, want int }{{10, 10, 85}, {640, 480, 409}, {1092, 1092, 1589}, {1568, 1568, 1600}} {
		if got := weight(c.w, c.h); got != c.want {
			t.Errorf("%d×%d is %d tokens, want %d", c.w, c.h, got, c.want)
		}
	}
	if got := weighBlocks([]provider.Block{provider.Image{MIME: "image/png", Data: "AAAA"}}) - blockTokens; got != imageTokens {
		t.Errorf("one of unknown size is %d tokens", got)
	}
}
