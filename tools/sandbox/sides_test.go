//go:build unix

package sandbox

import (
	"bytes"
	"strings"
	"testing"
)

func TestInputAndErrorsApart(t *testing.T) {
	big := bytes.Repeat([]byte("x"), 1<<20)
	for _, c := range []struct {
		line     string
		input    []byte
		out, err string
	}{
		{"cat; echo bad >&2", []byte("given"), "given", "bad\n"},
		{"cat", []byte{}, "", ""},
		{"wc -c | tr -d ' '", big, "1048576\n", ""},
		{"echo out", big, "out\n", ""}, // it reads nothing of it
		{"exec <&-; sleep 0.1; echo out", big, "out\n", ""},
	} {
		r, err := Command{Shell: c.line, Dir: t.TempDir(), Input: c.input, Apart: true}.Run(t.Context())
		if err != nil || r.Output != c.out || r.Errors != c.err || !r.Ok() {
			t.Errorf("%s: %q %q %+v %v", c.line, r.Output, r.Errors, r, err)
		}
	}
	r, err := Command{Shell: "yes >&2", Dir: t.TempDir(), Apart: true, Max: 1 << 16}.Run(t.Context())
	if err != nil || !r.OverLimit || !strings.HasPrefix(r.Errors, "y\ny\n") || r.Output != "" {
		t.Errorf("too many errors: over %v, %d bytes, %v", r.OverLimit, len(r.Errors), err)
	}
}

// What cannot start is an error here too, and hangs on none of its streams.
func TestSidesOfWhatDoesNotStart(t *testing.T) {
	if _, err := (Command{Argv: []string{"./not-there"}, Dir: t.TempDir(), Input: []byte("x"), Apart: true}).Run(t.Context()); err == nil {
		t.Error("it started")
	}
}
