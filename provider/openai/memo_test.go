package openai

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Skipping the parse of alike frames changes nothing: every recording says the
// same when no two of its frames are alike.
func TestMemoChangesNothing(t *testing.T) {
	line := regexp.MustCompile(`(?m)^data: ?\{`)
	for _, file := range recordings(t) {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		unlike := line.ReplaceAllFunc(body, func([]byte) []byte {
			n++
			return fmt.Appendf(nil, `data: {"forge_test":%d,`, n)
		})
		if n == 0 {
			t.Fatalf("%s has no frames", file)
		}
		if d := differs(normal(t, bytes.NewReader(unlike)), normal(t, bytes.NewReader(body))); d != "" {
			t.Errorf("%s: %s", file, d)
		}
	}
}

// A piece that would end the string, or needs unescaping, is parsed.
func TestMemoTakesOnlyPlainText(t *testing.T) {
	for second, want := range map[string]string{
		`{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"length"}],"x":[{"y":{"z":"c"}}]}`: "ab",
		`{"choices":[{"index":0,"delta":{"content":"b\n"}}]}`:                                              "ab\n",
	} {
		got := normal(t, strings.NewReader(frames(delta(`{"content":"a"}`), second, finish("stop"))))
		if got["text"] != want {
			t.Errorf("got %q, want %q", got["text"], want)
		}
		if stop := got["stop_reason"]; (stop == "max_tokens") != strings.Contains(second, "length") {
			t.Errorf("stop %q after %s", stop, second)
		}
	}
}
