package anthropic

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"

	"github.com/tidwall/gjson"

	"forge/provider"
	"forge/provider/sse"
)

// Decode reads the body of a 200 reply and yields what it says. origin is "wire
// and model" for Start; where it is empty the model that the stream names counts.
// r is read no further than message_stop, since proxies keep the connection open
// long after it; a body that tells apart progress from keep-alives (provider.Body)
// is told of each real event. The error, last and at most once, is an *Error or
// what r returned. A whole JSON message instead of a stream is accepted; anything
// else is an error that shows its first bytes.
func Decode(r io.Reader, origin string) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		d := &decoder{origin: origin, yield: yield}
		if p, ok := r.(interface{ Progress() }); ok {
			d.progress = p.Progress
		}
		if err := d.run(sse.NewReader(r)); err != nil && !d.left {
			if d.usage.reported { // what a failed reply cost is counted all the same
				d.emit(provider.Stop{Reason: provider.StopError, Usage: d.usage.total(d.rounds)})
			}
			if !d.left {
				yield(nil, err)
			}
		}
	}
}

// decoder is the state of one reply.
type decoder struct {
	origin   string
	yield    func(provider.Event, error) bool
	progress func()
	left     bool // the caller left the range: nothing may be yielded any more

	started bool
	id      string // of the message, to tell a repeated start from a second try
	blocks  []*block
	next    int  // the next block's index, as forge counts
	thought bool // a thinking block came
	rounds  bool // a tool ran on the server, so that input counts several rounds

	usage  usage
	reason string // the stop reason, once it is known
	detail string
	ended  bool // message_stop came
	broken bool // the last event was cut inside its JSON

	scratch []byte // of plainString
}

// errCut is what a reply without its end is; the words are those of every wire.
func errCut(hint string) error {
	return &provider.Error{Kind: provider.KindNetwork, Code: "cut", Message: "stream ended early", Hint: hint}
}

func (d *decoder) run(rd *sse.Reader) error {
	if rd.Plain() {
		body, err := rd.Rest()
		if err != nil {
			return err
		}
		return d.plain(body)
	}
	events := 0
	for !d.left && !d.ended {
		ev, err := rd.Next()
		if err != nil {
			return d.eof(err, events, rd.Head())
		}
		events++
		if err := d.event(ev.Name, ev.Data, ev.Stray); err != nil {
			return err
		}
	}
	return d.finish()
}

// eof decides what the end of the bytes means: with a stop reason everything had
// been said, without one the answer is a fragment.
func (d *decoder) eof(err error, events int, head []byte) error {
	if d.reason != "" && !errors.Is(err, context.Canceled) {
		return d.finish()
	}
	if err != io.EOF {
		return err
	}
	if events == 0 && !looksLikeEvents(head) {
		return notEvents(head)
	}
	if events == 0 {
		return errCut("the server closed the reply without saying anything: try again")
	}
	return errCut("the server or a proxy cut the reply: try again")
}

// event takes one server-sent event. What it does not know it passes over, as the
// wire's rules ask: new kinds of event may come at any time.
func (d *decoder) event(name string, data []byte, stray bool) error {
	data = bytes.TrimSpace(data)
	if !stray && name != "error" && d.quick(data) {
		return nil
	}
	if d.broken {
		return &provider.Error{
			Kind: provider.KindServer, Code: "malformed", Message: "the stream holds an event that is not JSON",
			Hint: "try again; if it keeps happening, a proxy mangles the stream",
		}
	}
	if len(data) == 0 || data[0] != '{' {
		if stray || name == "error" {
			return provider.ClassifyStream("", "", string(data))
		}
		return nil // [DONE] and other words between the events
	}
	if !gjson.ValidBytes(data) {
		d.broken = true // an error only if more follows, else it is where the stream was cut
		return nil
	}
	return d.object(name, string(data), stray)
}

// envelope holds the top level of an event, read in one pass.
type envelope struct {
	typ, object  string
	index        int
	indexed      bool
	delta, block gjson.Result
	message      gjson.Result
	usage        gjson.Result
	err, detail  gjson.Result
	details      gjson.Result // of a stop
}

func (e *envelope) read(s string) {
	gjson.Parse(s).ForEach(func(k, v gjson.Result) bool {
		switch k.Str {
		case "type":
			e.typ = v.String()
		case "object":
			e.object = v.String()
		case "index":
			e.index, e.indexed = int(v.Int()), v.Type == gjson.Number
		case "delta":
			e.delta = v
		case "content_block":
			e.block = v
		case "message":
			e.message = v
		case "usage":
			e.usage = v
		case "error":
			e.err = v
		case "stop_details":
			e.details = v
		case "detail":
			e.detail = v
		}
		return true
	})
}

// failed reports whether the object bears an error, which some servers put beside
// anything else; null, false and "" say that there is none.
func (e *envelope) failed() bool {
	return e.err.Type == gjson.JSON || e.err.Type == gjson.String && e.err.Str != ""
}

func (d *decoder) object(name, s string, stray bool) error {
	var e envelope
	e.read(s)
	if e.typ == "" {
		e.typ = name // some servers name the event and leave the type out
	}
	if e.typ == "error" || stray || e.object == "error" || e.failed() {
		return streamError(s, e)
	}
	if d.progress != nil && e.typ != "ping" {
		d.progress()
	}
	switch e.typ {
	case "content_block_delta":
		d.delta(e)
	case "content_block_start":
		d.start(e)
	case "content_block_stop":
		if b := d.at(e.index); b != nil {
			d.close(b, true)
		}
	case "message_start":
		d.begin(e.message)
	case "message_delta":
		d.usage.merge(e.usage)
		d.stop(e.delta)
		d.details(e.details)
	case "message_stop":
		d.usage.merge(e.usage)
		d.ended = true
		if d.reason == "" { // a server that left message_delta out
			d.reason = "end_turn"
			if d.lastCall() != nil {
				d.reason = "tool_use"
			}
		}
	case "message", "":
		if e.detail.Exists() && d.next == 0 { // FastAPI's way to fail
			return provider.ClassifyStream("", "", e.detail.String())
		}
	}
	return nil
}

// begin opens the message. A gateway that tried again behind our back sends a
// second start: with the same id it only repeats itself, with another one it
// starts over and what was shown is void.
func (d *decoder) begin(m gjson.Result) {
	id := m.Get("id").String()
	if d.started && id != d.id && d.id != "" {
		d.emit(provider.Retry{
			Err: &provider.Error{
				Kind: provider.KindServer, Code: "restarted", Message: "the gateway started the answer over",
				Hint: "nothing to do: the new answer follows",
			},
			Attempt: 1, Attempts: 1,
		})
		*d = decoder{origin: d.origin, yield: d.yield, progress: d.progress, left: d.left}
	}
	if id != "" {
		d.id = id
	}
	if d.origin == "" {
		d.origin = Origin(m.Get("model").String())
	}
	d.usage.merge(m.Get("usage"))
	d.open()
}

func (d *decoder) open() {
	if !d.started {
		d.started = true
		if d.origin == "" {
			d.origin = Origin("")
		}
		d.emit(provider.Start{Origin: d.origin})
	}
}

func (d *decoder) emit(ev provider.Event) {
	if !d.left && !d.yield(ev, nil) {
		d.left = true
	}
}

// finish ends a reply that came to its end.
func (d *decoder) finish() error {
	d.open()
	for _, b := range d.blocks {
		d.close(b, false)
	}
	reason, detail := stopReason(d.reason)
	if d.detail != "" {
		detail = d.detail
	}
	d.emit(provider.Stop{Reason: reason, Usage: d.usage.total(d.rounds), Detail: detail})
	return nil
}

// Origin is the name under which messages of model are kept: their thinking and
// unknown blocks go back to the same wire and model only.
func Origin(model string) string {
	if model == "" {
		return wire
	}
	return wire + "/" + model
}

const wire = "anthropic"
