//go:build unix

package display

import (
	"io"
	"os"
	"sync"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"
)

// Input reads a terminal whose reading can be held while somebody else has it.
type Input struct {
	file *os.File
	mu   sync.Mutex
	r    cancelReader
	held chan struct{} // nil: it is not
	busy sync.Mutex    // a read is on
}

type cancelReader interface {
	io.ReadCloser
	Cancel() bool
}

// NewInput reads from a terminal; of anything else it is nil.
func NewInput(from io.Reader) *Input {
	f, ok := from.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return nil
	}
	r, err := uv.NewCancelReader(f)
	if err != nil {
		return nil
	}
	return &Input{file: f, r: r}
}

// File is the terminal.
func (i *Input) File() *os.File { return i.file }

// Read implements io.Reader. While the reading is held it waits.
func (i *Input) Read(b []byte) (int, error) {
	for {
		n, err, again := i.read(b)
		if !again {
			return n, err
		}
	}
}

func (i *Input) read(b []byte) (n int, err error, again bool) {
	i.mu.Lock()
	r, held := i.r, i.held
	if held == nil {
		i.busy.Lock()
	}
	i.mu.Unlock()
	if held != nil {
		<-held
		return 0, nil, true
	}
	defer i.busy.Unlock()
	if n, err = r.Read(b); err == nil || n > 0 {
		return n, nil, false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return 0, err, i.held != nil // it was cancelled
}

// Hold ends the reading until release is called.
func (i *Input) Hold() (release func()) {
	i.mu.Lock()
	held := make(chan struct{})
	i.held = held
	i.r.Cancel()
	i.mu.Unlock()
	i.busy.Lock() // once a read that was on is over
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		_ = i.r.Close() // what it holds beside the terminal
		if r, err := uv.NewCancelReader(i.file); err == nil {
			i.r = r
		}
		i.held = nil
		i.busy.Unlock()
		close(held)
	}
}
