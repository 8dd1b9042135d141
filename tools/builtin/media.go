package builtin

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/gif" // read for their size
	_ "image/jpeg"
	_ "image/png"
	"strings"

	"forge/tools"
	"forge/tools/sandbox"
)

// What providers take of a picture: bytes once in base64, and pixels on its longer
// side. One that is over makes every later request of the session fail.
const (
	maxImage  = 5 << 20
	maxPixels = 8000
)

func isImage(kind string) bool {
	switch kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// imageResult shows a picture, if it is one that a model can be sent.
func imageResult(p sandbox.Path, kind string, data []byte) (tools.Result, error) {
	encoded := base64.StdEncoding.EncodeToString(data)
	if len(encoded) > maxImage {
		return tools.Result{}, fmt.Errorf("read_file: %s is %s, images up to %s are shown; make a smaller copy first",
			p.Name, size(int64(len(data))), size(maxImage/4*3))
	}
	what := strings.TrimPrefix(kind, "image/") + " image"
	if kind != "image/webp" { // whose header the standard library does not read
		c, _, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			return tools.Result{}, fmt.Errorf("read_file: %s begins like a %s, but is broken: %w", p.Name, what, err)
		}
		if max(c.Width, c.Height) > maxPixels {
			return tools.Result{}, fmt.Errorf("read_file: %s is %d×%d pixels, up to %d on a side are shown; make a smaller copy first",
				p.Name, c.Width, c.Height, maxPixels)
		}
		what += fmt.Sprintf(", %d×%d pixels", c.Width, c.Height)
	}
	what = fmt.Sprintf("%s: %s, %s", p.Name, what, size(int64(len(data))))
	return tools.Result{Text: what, Images: []tools.Image{{MIME: kind, Data: encoded}}, Display: what}, nil
}

// binaryResult says what can be said of bytes that are no text.
func binaryResult(p sandbox.Path, n int64, kind string, head []byte) tools.Result {
	kind, _, _ = strings.Cut(kind, ";")
	what := fmt.Sprintf("%s is a binary file: %s, %s", p.Name, size(n), kind)
	return tools.Result{
		Text: fmt.Sprintf("%s; its first bytes:\n%sit is not shown as text; run_bash has file, strings and xxd for more",
			what, hex.Dump(head[:min(len(head), 64)])),
		Display: what,
	}
}
