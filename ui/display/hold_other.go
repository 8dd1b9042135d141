//go:build !unix

package display

import (
	"io"
	"os"
)

// Input reads a terminal whose reading can be held while somebody else has it. There is
// none here.
type Input struct{ io.Reader }

// NewInput is nil: the reading of lines of a console cannot be held.
func NewInput(io.Reader) *Input { return nil }

// File is the terminal.
func (i *Input) File() *os.File { return nil }

// Hold ends the reading until release is called.
func (i *Input) Hold() (release func()) { return func() {} }
