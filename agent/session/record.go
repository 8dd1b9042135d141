package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// Record is one line of a session. Besides Seq and Time exactly one of the
// pointers or Title is set; Calls, Cost, Steer, Shell, Note and Torn go with Message, Calls
// with Early too. A record of a kind this version does not know has none of them,
// and stays in the file.
//
// Early, Partial, Asked, Queue, End, Spent and Aside are no history: they tell what was under way,
// so that a forge that is killed can be gone on with. See Unfinished.
type Record struct {
	Seq     int       // counts up in a file, from the header's 0
	Time    time.Time // UTC
	Header  *Header
	Message *provider.Message
	Calls   []Call   // beside a message of results: what a screen showed of each
	Cost    *float64 // beside an assistant message: US dollars, nil if unknown
	Steer   bool     // the user message was sent while the agent worked
	Shell   *Shell   // the user message tells of a command the person ran
	Note    *Note    // the user message tells of something forge did for the person
	Torn    bool     // the assistant message was being said when forge ended
	Cut     *Cut
	Strip   *Strip
	Trim    *Trim
	Undo    *Undo
	Title   string // a name a person gave
	Model   *Model
	Draft   *string           // what stood in the composer
	Early   *provider.Message // results that came before the others of their message
	Partial *Partial
	Asked   *Asked
	Queue   *Queue
	End     *End
	Spent   *Spent
	Aside   *Aside
	Edit    *Edit
	Pin     *Pin
}

// Header opens a file.
type Header struct {
	Version int       `json:"version"`
	ID      string    `json:"id"`
	Cwd     string    `json:"cwd"`
	Branch  string    `json:"branch,omitempty"`
	Created time.Time `json:"created"`
	From    string    `json:"from,omitempty"`   // the ID of what it is a copy of
	Parent  string    `json:"parent,omitempty"` // the session whose call this one is
	Call    string    `json:"call,omitempty"`   // that call
	Agent   string    `json:"agent,omitempty"`  // the agent it is of
}

// Cut says that the messages before index From, counted in the history as it was
// then, are told by Summary from here on. Before and After are estimated tokens.
type Cut struct {
	Summary string          `json:"summary"`
	From    int             `json:"from"`
	Before  int             `json:"before,omitempty"`
	After   int             `json:"after,omitempty"`
	Own     string          `json:"own,omitempty"`   // why forge wrote the summary itself; empty: a model did
	Usage   *provider.Usage `json:"usage,omitempty"` // what making the summary cost
	Cost    *float64        `json:"cost,omitempty"`
}

// Strip says that the messages before index Before lost a kind of block that
// their server refused to take back.
type Strip struct {
	Before int    `json:"before"`
	What   string `json:"what"` // StripThinking or StripImages
}

// What a Strip takes away.
const (
	StripThinking = "thinking"
	StripImages   = "images"
)

// Model names what answers from here on.
type Model struct {
	Provider string `json:"provider"`
	ID       string `json:"id"`
	Effort   string `json:"effort,omitempty"`
}

// Call is what a screen showed of a tool call and the model was not told.
type Call struct {
	ID      string   `json:"id"`
	Kind    string   `json:"kind,omitempty"`
	Title   string   `json:"title,omitempty"`
	Paths   []string `json:"paths,omitempty"`
	Command string   `json:"command,omitempty"`
	Dir     string   `json:"dir,omitempty"`
	Server  string   `json:"server,omitempty"`
	Detail  string   `json:"detail,omitempty"`
	Display string   `json:"display,omitempty"`
	Review  string   `json:"review,omitempty"` // how what landed differs from what was proposed
	Hidden  string   `json:"hidden,omitempty"` // which secrets were replaced in the result, in words
	Refused bool     `json:"refused,omitempty"`
	Took    int64    `json:"took_ms,omitempty"`
	Changes []Change `json:"changes,omitempty"` // what was really written
	Child   *Child   `json:"child,omitempty"`   // the agent that ran as this call
}

// Aside is a question the person asked beside the work; no model sees it again. Cost
// is US dollars, nil where it is not known.
type Aside struct {
	Question string          `json:"question"`
	Answer   string          `json:"answer,omitempty"`
	Usage    *provider.Usage `json:"usage,omitempty"`
	Cost     *float64        `json:"cost,omitempty"`
}

// Child is an agent that ran as a call: its name, the session its own conversation
// is kept in, and what it used, its own agents included. Cost is US dollars, all of
// it where Priced is set.
type Child struct {
	Agent   string          `json:"agent,omitempty"`
	Session string          `json:"session,omitempty"`
	Turns   int             `json:"turns,omitempty"`
	Usage   *provider.Usage `json:"usage,omitempty"`
	Cost    float64         `json:"cost,omitempty"`
	Priced  bool            `json:"priced,omitempty"`
}

// Note is a line for the person, beside the message that tells a model the same:
// files were taken back.
type Note struct {
	Text string `json:"text"`
}

// Shell is a command of the person's own, beside the message that tells a model
// of it and of its output.
type Shell struct {
	ID      string `json:"id"`
	Command string `json:"command"`
	Display string `json:"display,omitempty"`
	Failed  bool   `json:"failed,omitempty"`
	Took    int64  `json:"took_ms,omitempty"`
}

// Change is one file a call changed. Large ones are kept without their bytes.
type Change struct {
	Path   string `json:"path"`
	Op     string `json:"op"`
	Mode   uint32 `json:"mode,omitempty"`
	Before Exact  `json:"before,omitempty"`
	After  Exact  `json:"after,omitempty"`
	Large  bool   `json:"large,omitempty"`
}

// line is a record as it lies in the file.
type line struct {
	Seq     int               `json:"seq"`
	Time    time.Time         `json:"time"`
	Type    string            `json:"type"`
	Header  *Header           `json:"header,omitempty"`
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
}

func (r Record) kind() string {
	switch {
	case r.Header != nil:
		return "header"
	case r.Message != nil:
		return "message"
	case r.Cut != nil:
		return "cut"
	case r.Strip != nil:
		return "strip"
	case r.Trim != nil:
		return "trim"
	case r.Undo != nil:
		return "undo"
	case r.Title != "":
		return "title"
	case r.Model != nil:
		return "model"
	case r.Draft != nil:
		return "draft"
	case r.Early != nil:
		return kindEarly
	case r.Partial != nil:
		return "partial"
	case r.Asked != nil:
		return "asked"
	case r.Queue != nil:
		return "queue"
	case r.End != nil:
		return "end"
	case r.Aside != nil:
		return "aside"
	case r.Spent != nil:
		return "spent"
	case r.Edit != nil:
		return "edit"
	case r.Pin != nil:
		return "pin"
	}
	return ""
}

// encode gives a record as one line with its newline. A message too large for a
// line is kept without its pictures and without the bytes of changed files.
func encode(r Record) ([]byte, error) {
	kind := r.kind()
	if kind == "" {
		return nil, errors.New("the record is empty")
	}
	l := line{Seq: r.Seq, Time: r.Time, Type: kind, Header: r.Header, Message: r.Message, Calls: r.Calls, Cost: r.Cost,
		Steer: r.Steer, Shell: r.Shell, Note: r.Note, Torn: r.Torn, Partial: r.Partial, Asked: r.Asked, Queue: r.Queue, End: r.End, Spent: r.Spent, Edit: r.Edit, Pin: r.Pin, Aside: r.Aside, Cut: r.Cut, Strip: r.Strip,
		Trim: r.Trim, Undo: r.Undo, Title: r.Title, Model: r.Model, Draft: r.Draft}
	if r.Early != nil {
		l.Message = r.Early
	}
	b, err := marshal(l)
	if err != nil || len(b) <= maxLine {
		return b, err
	}
	if l.Message != nil {
		m := stripImages(*l.Message, "picture too large to keep")
		l.Message, l.Calls = &m, nil
		if b, err = marshal(l); err != nil || len(b) <= maxLine {
			return b, err
		}
	}
	return nil, fmt.Errorf("a record of %d bytes is over the limit of %d", len(b), maxLine)
}

// marshal leaves <, > and & as they are: a session is also read by people.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
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
		err = json.Unmarshal(b, &l)
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
			r.Message, r.Calls, r.Cost, r.Steer, r.Shell, r.Note, r.Torn = l.Message, l.Calls, l.Cost, l.Steer, l.Shell, l.Note, l.Torn
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
	case "model":
		r.Model = l.Model
	case "draft":
		r.Draft = l.Draft
	}
	return r, nil
}

// readMessage reads what stands in the line of a message.
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
		case "seq":
			err = json.Unmarshal([]byte(v.Raw), &l.Seq)
		case "time":
			err = json.Unmarshal([]byte(v.Raw), &l.Time)
		case "calls":
			err = json.Unmarshal([]byte(v.Raw), &l.Calls)
		case "cost":
			err = json.Unmarshal([]byte(v.Raw), &l.Cost)
		case "steer":
			err = json.Unmarshal([]byte(v.Raw), &l.Steer)
		case "torn":
			err = json.Unmarshal([]byte(v.Raw), &l.Torn)
		case "shell":
			err = json.Unmarshal([]byte(v.Raw), &l.Shell)
		case "note":
			err = json.Unmarshal([]byte(v.Raw), &l.Note)
		}
		return err == nil
	})
	return err
}

// partSize is how many bytes of lines are decoded at a time, on every core.
const partSize = 512 << 10

// read returns the records of a file, where its last whole line ends, and
// whether something unfinished follows.
func read(f *os.File) (rs []Record, whole int64, torn bool, err error) {
	var decoding sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var parts []*[]Record
	var lines [][]byte
	size := 0
	flush := func() {
		part, batch := new([]Record), lines
		parts = append(parts, part)
		lines, size = nil, 0
		slots <- struct{}{}
		decoding.Go(func() {
			defer func() { <-slots }()
			*part = decodeAll(batch)
		})
	}
	br := bufio.NewReaderSize(f, 64<<10)
	for {
		text, n, e := readLine(br)
		if e != nil {
			if torn = n > 0; e != io.EOF {
				err = e
			}
			break
		}
		whole += n
		lines = append(lines, text)
		if size += len(text); size >= partSize {
			flush()
		}
	}
	flush()
	decoding.Wait()
	if err != nil {
		return nil, 0, false, err
	}
	total := 0
	for _, part := range parts {
		total += len(*part)
	}
	rs = make([]Record, 0, total)
	for _, part := range parts {
		rs = append(rs, *part...)
	}
	return rs, whole, torn, nil
}

// decodeAll decodes what can be read of lines.
func decodeAll(lines [][]byte) []Record {
	rs := make([]Record, 0, len(lines))
	for i, text := range lines {
		if r, err := tryDecode(text); err == nil && r.kind() != "" {
			rs = append(rs, r)
		}
		lines[i] = nil
	}
	return rs
}

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

// readLine returns the next line and its length in the file, newline included. A
// line over the limit comes back empty; io.EOF comes with the length of a last
// line that has no newline.
func readLine(br *bufio.Reader) (text []byte, n int64, err error) {
	for {
		part, err := br.ReadSlice('\n')
		n += int64(len(part))
		if n <= maxLine {
			text = append(text, part...)
		} else {
			text = nil
		}
		if err != bufio.ErrBufferFull {
			return text, n, err
		}
	}
}
