package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// line is a record as it lies in the file.
type line struct {
	Seq     int               `json:"seq"`
	Time    time.Time         `json:"time"`
	Type    string            `json:"type"`
	Header  *Header           `json:"header,omitempty"`
	Line    string            `json:"line,omitempty"`
	Message *provider.Message `json:"message,omitempty"`
	Calls   []Call            `json:"calls,omitempty"`
	Cost    *float64          `json:"cost,omitempty"`
	Steer   bool              `json:"steer,omitempty"`
	Shell   *Shell            `json:"shell,omitempty"`
	Note    *Note             `json:"note,omitempty"`
	Cut     *Cut              `json:"cut,omitempty"`
	Strip   *Strip            `json:"strip,omitempty"`
	Trim    *Trim             `json:"trim,omitempty"`
	Undo    *Undo             `json:"undo,omitempty"`
	Title   string            `json:"title,omitempty"`
	Folder  string            `json:"folder,omitempty"`
	Moved   *Moved            `json:"moved,omitempty"`
	Model   *Model            `json:"model,omitempty"`
	Draft   *string           `json:"draft,omitempty"`
	Torn    bool              `json:"torn,omitempty"`
	Partial *Partial          `json:"partial,omitempty"`
	Asked   *Asked            `json:"asked,omitempty"`
	Queue   *Queue            `json:"queue,omitempty"`
	End     *End              `json:"end,omitempty"`
	Spent   *Spent            `json:"spent,omitempty"`
	Aside   *Aside            `json:"aside,omitempty"`
	Edit    *Edit             `json:"edit,omitempty"`
	Pin     *Pin              `json:"pin,omitempty"`
	Goal    *Goal             `json:"goal,omitempty"`
	Loops   *Loops            `json:"loops,omitempty"`
}

// decode reads one line. A message, by far the largest part of a session, is read
// by provider's own walk and not twice by encoding/json.
func decode(b []byte) (Record, error) {
	if !gjson.ValidBytes(b) {
		return Record{}, errors.New("not JSON")
	}
	v := gjson.ParseBytes(b)
	kind := v.Get("type")
	if kind.Str == "" {
		return Record{}, errors.New("no type")
	}
	var l line
	var err error
	if kind.Str != "message" && kind.Str != kindEarly {
		in := struct {
			line
			Time anyTime `json:"time"`
		}{}
		err = json.Unmarshal(b, &in)
		l, l.Time = in.line, time.Time(in.Time)
	} else {
		err = l.readMessage(v)
	}
	if err != nil {
		return Record{}, err
	}
	r := Record{Seq: l.Seq, Time: l.Time}
	switch kind.Str {
	case "header":
		r.Header = l.Header
	case "message":
		if l.Message != nil {
			r.Line, r.Message, r.Calls, r.Cost, r.Steer, r.Shell, r.Note, r.Torn = l.Line, l.Message, l.Calls, l.Cost, l.Steer, l.Shell, l.Note, l.Torn
		}
	case kindEarly:
		r.Early, r.Calls = l.Message, l.Calls
	case "partial":
		r.Partial = l.Partial
	case "asked":
		r.Asked = l.Asked
	case "queue":
		r.Queue = l.Queue
	case "end":
		r.End = l.End
	case "spent":
		r.Spent = l.Spent
	case "aside":
		r.Aside = l.Aside
	case "edit":
		r.Edit = l.Edit
	case "pin":
		r.Pin = l.Pin
	case "goal":
		r.Goal = l.Goal
	case "loops":
		r.Loops = l.Loops
	case "cut":
		r.Cut = l.Cut
	case "strip":
		r.Strip = l.Strip
	case "trim":
		r.Trim = l.Trim
	case "undo":
		r.Undo = l.Undo
	case "title":
		r.Title = l.Title
	case "folder":
		r.Folder = l.Folder
	case "moved":
		r.Moved = l.Moved
	case "model":
		r.Model = l.Model
	case "draft":
		r.Draft = l.Draft
	}
	return r, nil
}

// anyTime is a time, or the zero time where none can be read: when something was said
// is no reason to lose it.
type anyTime time.Time

// UnmarshalJSON never fails.
func (a *anyTime) UnmarshalJSON(b []byte) error {
	var t time.Time
	if t.UnmarshalJSON(b) == nil {
		*a = anyTime(t)
	}
	return nil
}

// UnmarshalJSON reads a header whose time may be none.
func (h *Header) UnmarshalJSON(b []byte) error {
	type plain Header
	in := struct {
		plain
		Created anyTime `json:"created"`
	}{}
	err := json.Unmarshal(b, &in)
	*h = Header(in.plain)
	h.Created = time.Time(in.Created)
	return err
}

// dated gives records without a time that of the record before them.
func dated(rs []Record) []Record {
	var last time.Time
	for i := range rs {
		if rs[i].Time.IsZero() {
			rs[i].Time = last
		}
		last = rs[i].Time
	}
	return rs
}

// readMessage reads what stands in the line of a message. What stands beside the
// message and cannot be read is not there: it costs what a screen would have shown, and
// not what was said.
func (l *line) readMessage(v gjson.Result) (err error) {
	if !v.IsObject() {
		return errors.New("not an object")
	}
	v.ForEach(func(key, v gjson.Result) bool {
		if v.Type == gjson.Null {
			return true
		}
		switch key.Str {
		case "message":
			l.Message = new(provider.Message)
			err = l.Message.UnmarshalJSON([]byte(v.Raw))
		case "line":
			beside(v, &l.Line)
		case "seq":
			beside(v, &l.Seq)
		case "time":
			beside(v, &l.Time)
		case "calls":
			beside(v, &l.Calls)
		case "cost":
			beside(v, &l.Cost)
		case "steer":
			beside(v, &l.Steer)
		case "torn":
			beside(v, &l.Torn)
		case "shell":
			beside(v, &l.Shell)
		case "note":
			beside(v, &l.Note)
		}
		return err == nil
	})
	return err
}

// beside reads all of a value, or nothing.
func beside[T any](v gjson.Result, to *T) {
	var is T
	if json.Unmarshal([]byte(v.Raw), &is) == nil {
		*to = is
	}
}

// decodeAll decodes what can be read of lines.
func decodeAll(lines [][]byte) (rs []Record, passed passed) {
	rs = make([]Record, 0, len(lines))
	for i, text := range lines {
		switch r, err := tryDecode(text); {
		case err != nil && len(bytes.TrimSpace(text)) == 0 && text != nil:
		case err != nil:
			passed.broken++
		case r.kind() == "":
			passed.last = max(passed.last, r.Seq)
		default:
			rs = append(rs, r)
		}
		lines[i] = nil
	}
	return rs, passed
}

// passed is what was passed over in a file.
type passed struct {
	broken int // lines that hold nothing this or a newer forge could have written, or too much
	last   int // the highest number of a record of an unknown kind
}

func (p passed) add(o passed) passed { return passed{p.broken + o.broken, max(p.last, o.last)} }

// tryDecode is decode for a goroutine of its own: whatever is wrong with a line
// costs that line.
func tryDecode(text []byte) (r Record, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("crashed: %v", p)
		}
	}()
	return decode(text)
}
