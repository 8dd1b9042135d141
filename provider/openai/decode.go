// Package openai speaks the chat completions wire, the format that OpenAI began
// and most model servers answer in, each in its own way.
//
// It owns that wire in both directions: decode turns a reply into provider events
// (read with gjson, never assembled), encode turns a request into a body, family
// holds what differs between servers. It knows provider and provider/sse and
// nothing above them. main makes one Provider per endpoint; the agent calls it
// from one goroutine per run.
package openai

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/tidwall/gjson"

	"forge/provider"
	"forge/provider/sse"
)

// DefaultGrace is how long a reply is still read after its finish reason, for the
// usage that many servers send behind it.
const DefaultGrace = 3 * time.Second

// DecodeOptions says how to read one reply. The zero value reads a recording.
type DecodeOptions struct {
	Origin string        // becomes Start.Origin; empty: "openai"
	NewID  func() string // makes forge's own call ids; nil: random
	Grace  time.Duration // see DefaultGrace; 0: wait for the end. Needs an io.Closer as source
}

// Decode reads the reply in r. It takes what servers really send: an event stream
// with or without [DONE], one JSON body, errors in any shape inside a 200. If r
// has a method Progress, it is called for every event that brought text,
// reasoning or arguments. Where r is an io.Closer it may be closed early, once
// the reply is whole; closing it in the end stays the caller's work.
func Decode(r io.Reader, opts DecodeOptions) iter.Seq2[provider.Event, error] {
	return func(yield func(provider.Event, error) bool) {
		d := &decoder{opts: opts, yield: yield, src: r, thinkingAt: -1, lastText: -1}
		if d.opts.NewID == nil {
			d.opts.NewID = newID
		}
		if d.opts.Origin == "" {
			d.opts.Origin = "openai"
		}
		d.progress, _ = r.(progresser)
		d.run(sse.NewReader(r))
	}
}

type progresser interface{ Progress() }

// decoder reads one reply. It holds what it needs to make sense of the next
// frame; text that went out is not kept, but for a short sample.
type decoder struct {
	opts     DecodeOptions
	src      io.Reader
	progress progresser
	yield    func(provider.Event, error) bool
	left     bool // the consumer went away

	frames  int  // frames of a reply, whatever was in them
	payload int  // pieces of content so far
	sawPart bool // a choice had a delta, so a message beside one repeats it

	// Blocks: open is what a further piece of text or reasoning goes into.
	next       int
	open       blockKind
	openAt     int
	thinkingAt int // the first Thinking block, -1 without
	lastText   int
	thought    bool   // inside a <thought> section that frames flag
	emptyField string // a reasoning field that came, empty

	calls   []*call
	last    memo
	details details
	extras  extras
	blocks  thinkBlocks
	refusal strings.Builder
	sample  sample

	usage   provider.Usage
	finish  string
	done    bool // [DONE], or a whole body
	failure *provider.Error
	torn    *provider.Error // the last frame was no JSON: damage if more follows, else where the stream was cut
	foreign string          // another wire that this stream looks like
}

type blockKind int

const (
	blockNone blockKind = iota
	blockText
	blockThinking
)

func (d *decoder) run(r *sse.Reader) {
	var err error
	if r.Plain() {
		err = d.plain(r)
	} else {
		err = d.stream(r)
	}
	if d.left {
		return
	}
	d.end(err, r)
}

// stream reads events until the reply is over.
func (d *decoder) stream(r *sse.Reader) error {
	var late atomic.Bool
	var timer *time.Timer
	defer func() {
		if timer != nil {
			timer.Stop()
		}
	}()
	for !d.left && !d.done && d.failure == nil {
		ev, err := r.Next()
		if err != nil {
			if err == io.EOF || late.Load() {
				return nil
			}
			if d.finish != "" && !errors.Is(err, context.Canceled) {
				return nil // the reply was whole, only its usage may be lost
			}
			return err
		}
		before := d.payload
		d.event(ev)
		if timer != nil && d.payload != before {
			timer.Reset(d.opts.Grace) // some name the finish long before the end
		}
		if closer, ok := d.src.(io.Closer); ok && d.finish != "" && timer == nil && d.opts.Grace > 0 {
			timer = time.AfterFunc(d.opts.Grace, func() {
				defer func() { _ = recover() }() // a body that panics on Close must not end the program
				late.Store(true)
				_ = closer.Close() // wakes Next; the reply is whole already
			})
		}
	}
	return nil
}

// event takes one event of the stream.
func (d *decoder) event(ev sse.Event) {
	data := ev.Data
	for len(data) > 0 && data[0] <= ' ' {
		data = data[1:]
	}
	if len(data) == 0 {
		return
	}
	if d.torn != nil {
		d.fail(d.torn)
		return
	}
	// The frame is read where it lies: every string kept of it is copied.
	text := unsafe.String(&data[0], len(data))
	failed := ev.Stray || ev.Name == "error"
	if data[0] != '{' && data[0] != '[' {
		switch {
		case strings.HasPrefix(text, "[DONE]"):
			d.done = true
		case failed:
			d.fail(provider.ClassifyStream("", "", strings.Clone(text)))
		}
		return
	}
	if strings.HasPrefix(text, "[DONE]") {
		d.done = true
		return
	}
	before := d.payload
	if (failed || !d.again(text)) && !d.frame(text, failed, false) {
		d.torn = broken(text)
		return
	}
	if d.payload != before && d.progress != nil {
		d.progress.Progress()
	}
}

// plain reads a body that is no event stream: the server ignored "stream", or
// something else answered.
func (d *decoder) plain(r *sse.Reader) error {
	body, err := r.Rest()
	if err != nil {
		return err
	}
	text := strings.TrimSpace(string(body))
	if valid(text) {
		d.frame(text, false, true)
		if d.frames > 0 {
			d.done = true
			return nil
		}
	} else if line, _, _ := strings.Cut(text, "\n"); valid(line) && gjson.Get(line, "error").Exists() {
		d.frame(line, false, false)
	}
	if d.failure == nil {
		d.fail(notAStream(body))
	}
	return nil
}

// emit hands one event out, the Start before the first.
func (d *decoder) emit(ev provider.Event) {
	if d.left {
		return
	}
	d.left = !d.yield(ev, nil)
}

func (d *decoder) fail(e *provider.Error) {
	if d.failure == nil {
		d.failure = e
	}
}

// end closes the reply: what was held back, then Stop, or the error.
func (d *decoder) end(err error, r *sse.Reader) {
	failure := d.verdict(err, r)
	reason := d.reason()
	d.flushCalls(failure == nil && reason == provider.StopToolUse)
	d.flushReasoning()
	if failure != nil {
		if d.usage.Reported {
			d.emit(provider.Stop{Reason: provider.StopError, Usage: d.usage})
		}
		if !d.left {
			d.yield(nil, failure)
		}
		return
	}
	if len(d.calls) == 0 {
		if name := d.sample.callAsText(); name != "" {
			d.emit(provider.Notice{Text: name})
		}
	}
	stop := provider.Stop{Reason: reason, Usage: d.usage}
	switch {
	case reason == provider.StopRefusal:
		stop.Detail = d.refusal.String()
	case d.finish == finishWindow:
		stop.Detail = d.finish
	}
	d.emit(stop)
}

// verdict says whether the reply failed.
func (d *decoder) verdict(err error, r *sse.Reader) error {
	switch {
	case d.failure != nil:
		return d.failure
	case err != nil:
		return readError(err)
	case failedFinish.Get()[d.finish]:
		e := provider.ClassifyStream(d.finish, "", "")
		e.Message = d.finish
		return e
	case d.frames == 0 && !d.done && d.foreign != "":
		return wrongWire(d.foreign)
	case d.torn != nil && d.finish == "", d.frames == 0 && !d.done && begun(r.Head()):
		return endedEarly(nil) // within its first frame, say
	case d.frames == 0 && !d.done && len(strings.TrimSpace(string(r.Head()))) > 0 && !onlyComments(r.Head()):
		return notAStream(r.Head())
	case d.finish == "" && !d.done:
		return endedEarly(nil)
	}
	return nil
}
