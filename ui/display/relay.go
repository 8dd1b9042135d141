package display

import (
	"bytes"
	"sync"
)

// keptOutput is how much a relayed program's output is kept of, in bytes: its end.
const keptOutput = 256 << 10

// Relayed is how a program ended that had the person's terminal.
type Relayed struct {
	// Said is what it wrote, as lines of text: what it drew in full-screen mode is not
	// among it, and Screens says that there was such. Cut is how many bytes of its begin
	// are left out. Nothing is kept where Kept is false.
	Said    string
	Screens bool
	Cut     int64
	Kept    bool
	// Err is exec.Cmd's: that it could not be started, or how it ended.
	Err error
}

// end is the last bytes of what is written to it.
type end struct {
	buf bytes.Buffer
	max int
	cut int64
}

func (e *end) write(b []byte) {
	e.buf.Write(b)
	if over := e.buf.Len() - 2*e.max; over > 0 { // not at every write
		e.trim()
	}
}

func (e *end) trim() {
	if over := e.buf.Len() - e.max; over > 0 {
		e.buf.Next(over)
		e.cut += int64(over)
	}
}

// overheard is what is known of a program's output while it comes.
type overheard struct {
	mu    sync.Mutex
	done  bool // nobody wants to know any more
	watch watch
	end   end
	last  byte // on the main screen
}

// take looks at a piece of output.
func (r *overheard) take(b []byte) {
	for _, part := range r.watch.see(b) {
		r.end.write(part)
		if len(part) > 0 {
			r.last = part[len(part)-1]
		}
	}
}

// result is what came of it.
func (r *overheard) result(err error) Relayed {
	r.end.trim()
	text := r.end.buf.Bytes()
	if r.end.cut > 0 { // a torn line says nothing
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			r.end.cut += int64(i + 1)
			text = text[i+1:]
		}
	}
	return Relayed{Said: spelled(text), Screens: r.watch.screens, Cut: r.end.cut, Kept: true, Err: err}
}

// asks reports whether the program expects words of the terminal.
func (r *overheard) asks() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.watch.speaks
}
