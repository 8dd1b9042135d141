package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// An event is one event of a stream.
type event struct {
	name, id, retry string
	data            []byte
	over            bool // its data was too large; data is empty
	scan            idScanner
	size            int64
}

// eventReader reads the events of a stream, comments left out.
type eventReader struct{ lines *lineReader }

func newEventReader(r io.Reader) *eventReader {
	return &eventReader{newLineReader(&newlines{r: r}, maxFrame+64)}
}

// newlines makes a line feed of each carriage return that ends a line of a stream, as
// a stream may: raw JSON on a line has none. One before a line feed is left out.
type newlines struct {
	r  io.Reader
	cr bool // the last byte was a carriage return
}

// Read implements io.Reader.
func (n *newlines) Read(p []byte) (int, error) {
	for {
		m, err := n.r.Read(p)
		kept := p[:0]
		for _, c := range p[:m] {
			switch {
			case c == '\r':
				kept = append(kept, '\n')
			case c != '\n' || !n.cr:
				kept = append(kept, c)
			}
			n.cr = c == '\r'
		}
		if len(kept) > 0 || err != nil || len(p) == 0 {
			return len(kept), err
		}
	}
}

// next returns the next event. An unfinished one at the end of the stream is none,
// unless it lacks but the blank line and holds a whole message.
func (e *eventReader) next() (event, error) {
	var ev event
	has := false
	for {
		l, err := e.lines.next()
		text := l.text
		if l.over { // one line of data that is too large; its id was looked for
			ev.over, ev.size, has = true, l.size, true
			ev.scan.state, ev.scan.value = scanDone, []byte(l.id)
		} else if len(text) == 0 {
			if err == nil && has {
				return ev, nil
			}
		} else {
			key, value, _ := strings.Cut(string(text), ":")
			value = strings.TrimPrefix(value, " ")
			switch key {
			case "data":
				has = true
				ev.add(value)
			case "event":
				ev.name = value
			case "id":
				ev.id, has = value, true
			case "retry":
				ev.retry, has = value, true
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) && isObject(ev.data) && json.Valid(ev.data) {
				return ev, nil // the end comes again
			}
			return event{}, err
		}
	}
}

func (ev *event) add(value string) {
	if !ev.over && len(ev.data)+len(value) > maxFrame {
		ev.over, ev.size = true, int64(len(ev.data))
		ev.scan.feed(ev.data)
		ev.data = nil
	}
	if ev.over {
		ev.size += int64(len(value))
		ev.scan.feed([]byte(value))
		return
	}
	if ev.data != nil {
		ev.data = append(ev.data, '\n')
	}
	ev.data = append(ev.data, value...)
}

func writeEvent(w io.Writer, id string, frame []byte) error {
	var b bytes.Buffer
	if id != "" {
		fmt.Fprintf(&b, "id: %s\n", id)
	}
	if bytes.IndexByte(frame, '\n') >= 0 {
		var one bytes.Buffer
		if json.Compact(&one, frame) == nil {
			frame = one.Bytes()
		}
	}
	b.WriteString("data: ")
	b.Write(frame)
	b.WriteString("\n\n")
	_, err := w.Write(b.Bytes())
	return err
}
