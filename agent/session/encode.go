package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"forge/provider"
)

// encode gives a record as one line with its newline. A message too large for a
// line is kept without its pictures and without the bytes of changed files.
func encode(r Record) ([]byte, error) {
	b, err := appendRecord(nil, r)
	if err != nil || len(b) <= maxLine {
		return b, err
	}
	if m := r.said(); m != nil {
		without := stripImages(*m, "picture too large to keep")
		if r.Calls = nil; r.Early != nil {
			r.Early = &without
		} else {
			r.Message = &without
		}
		if b, err = appendRecord(nil, r); err != nil || len(b) <= maxLine {
			return b, err
		}
	}
	return nil, fmt.Errorf("a record of %d bytes is over the limit of %d", len(b), maxLine)
}

// said is what stands under "message" in the line.
func (r Record) said() *provider.Message {
	if r.Early != nil {
		return r.Early
	}
	return r.Message
}

// appendRecord writes what line describes, in its order. Each text is walked once:
// a person waits for this beside the disk, and encoding/json reads what a nested
// marshaler gave it again at every depth.
func appendRecord(dst []byte, r Record) (_ []byte, err error) {
	kind := r.kind()
	if kind == "" {
		return nil, errors.New("the record is empty")
	}
	dst = strconv.AppendInt(append(dst, `{"seq":`...), int64(r.Seq), 10)
	if dst, err = r.Time.AppendText(append(dst, `,"time":"`...)); err != nil {
		return nil, err
	}
	dst = append(append(append(dst, `","type":"`...), kind...), '"')
	put := func(name string, is bool, v any) {
		if is && err == nil {
			dst, err = appendValue(appendName(dst, name), v)
		}
	}
	put("header", r.Header != nil, r.Header)
	put("line", r.Line != "" && r.Message != nil, r.Line) // before what may be long: a list reads the beginning
	if m := r.said(); m != nil && err == nil {
		dst, err = m.AppendJSON(appendName(dst, "message"))
	}
	if len(r.Calls) > 0 && err == nil {
		dst, err = appendCalls(appendName(dst, "calls"), r.Calls)
	}
	put("cost", r.Cost != nil, r.Cost)
	put("steer", r.Steer, true)
	put("shell", r.Shell != nil, r.Shell)
	put("note", r.Note != nil, r.Note)
	put("cut", r.Cut != nil, r.Cut)
	put("strip", r.Strip != nil, r.Strip)
	put("trim", r.Trim != nil, r.Trim)
	put("undo", r.Undo != nil, r.Undo)
	put("title", r.Title != "", r.Title)
	put("folder", r.Folder != "", r.Folder)
	put("moved", r.Moved != nil, r.Moved)
	put("model", r.Model != nil, r.Model)
	put("draft", r.Draft != nil, r.Draft)
	put("torn", r.Torn, true)
	put("partial", r.Partial != nil, r.Partial)
	put("asked", r.Asked != nil, r.Asked)
	put("queue", r.Queue != nil, r.Queue)
	put("end", r.End != nil, r.End)
	put("spent", r.Spent != nil, r.Spent)
	put("aside", r.Aside != nil, r.Aside)
	put("edit", r.Edit != nil, r.Edit)
	put("pin", r.Pin != nil, r.Pin)
	put("goal", r.Goal != nil, r.Goal)
	put("loops", r.Loops != nil, r.Loops)
	return append(dst, "}\n"...), err
}

// appendCalls writes calls with the files they changed, which may be large and have
// a marshaler of their own.
func appendCalls(dst []byte, calls []Call) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, c := range calls {
		if i > 0 {
			dst = append(dst, ',')
		}
		changes, child := c.Changes, c.Child
		c.Changes, c.Child = nil, nil // the last two members
		if dst, err = appendValue(dst, c); err != nil {
			return nil, err
		}
		dst = dst[:len(dst)-1]
		if len(changes) > 0 {
			if dst, err = appendChanges(appendName(dst, "changes"), changes); err != nil {
				return nil, err
			}
		}
		if child != nil {
			if dst, err = appendValue(appendName(dst, "child"), child); err != nil {
				return nil, err
			}
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), nil
}

func appendChanges(dst []byte, changes []Change) (_ []byte, err error) {
	dst = append(dst, '[')
	for i, c := range changes {
		if i > 0 {
			dst = append(dst, ',')
		}
		small := c
		small.Before, small.After, small.Large = "", "", false // the last three members
		if dst, err = appendValue(dst, small); err != nil {
			return nil, err
		}
		dst = dst[:len(dst)-1]
		for _, f := range []struct {
			name string
			text Exact
		}{{"before", c.Before}, {"after", c.After}} {
			if f.text == "" {
				continue
			}
			b, err := f.text.MarshalJSON()
			if err != nil {
				return nil, err
			}
			dst = append(appendName(dst, f.name), b...)
		}
		if c.Large {
			dst = append(appendName(dst, "large"), "true"...)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']'), nil
}

func appendName(dst []byte, name string) []byte {
	return append(append(append(dst, `,"`...), name...), `":`...)
}

// appendValue leaves <, > and & as they are: a session is also read by people.
func appendValue(dst []byte, v any) ([]byte, error) {
	b := bytes.NewBuffer(dst)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
