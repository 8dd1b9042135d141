package builtin

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"forge/tools"
	"forge/tools/picture"
	"forge/tools/sandbox"
)

// imageResult shows a picture as models take it: one that is too large, scaled down.
func imageResult(p sandbox.Path, kind string, data []byte) (tools.Result, error) {
	what := strings.TrimPrefix(kind, "image/") + " image"
	pic, err := picture.Fit(data, picture.Limits{})
	if err != nil {
		if cause := errors.Unwrap(err); cause != nil {
			return tools.Result{}, fmt.Errorf("read_file: %s begins like a %s, but is broken: %w", p.Name, what, cause)
		}
		return tools.Result{}, fmt.Errorf("read_file: %s: %w", p.Name, err)
	}
	w, h, shown := pic.Width, pic.Height, ""
	if pic.Scaled() {
		w, h, shown = pic.FromWidth, pic.FromHeight, fmt.Sprintf("; shown at %d×%d", pic.Width, pic.Height)
	}
	what = fmt.Sprintf("%s: %s, %d×%d pixels, %s%s", p.Name, what, w, h, size(int64(len(data))), shown)
	return tools.Result{Text: what, Images: []tools.Image{{MIME: pic.MIME, Data: base64.StdEncoding.EncodeToString(pic.Data)}}, Display: what}, nil
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
