package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A wire watches the frames of one connection, whichever transport carries them.
// Servers write log lines, answer twice, answer what nobody asked and mix one
// broken tool into a list of good ones; the engine above takes any of these as
// the end of the session. So nothing reaches it that the wire has not looked at:
// junk is dropped with a warning, a single broken tool is left out of its list,
// and what cannot be used becomes the error of the one call it answers.
type wire struct {
	log  *trace
	warn func(string) // a line for the server's log

	mu       sync.Mutex
	calls    map[string]*pendingCall // by the id as it is written in JSON
	progress map[string]func(Progress)
	tools    map[string]json.RawMessage // by name: the definitions as they came
	lateEra  bool                       // server/discover was answered after it was given up
	gaveUp   map[string]bool            // ids of server/discover requests that were given up
	owed     string                     // the last of these, while nothing was answered since
	broken   map[string]string          // by name: why a tool of the last list is left out
	answered bool                       // the server has answered something
	asked    map[string]bool            // ids of the server's own requests that are not answered
	fresh    Fresh                      // of the list that is read
}

// A pendingCall is a request that was sent and is not answered yet.
type pendingCall struct {
	method string
	sent   time.Time
	slot   *slot
}

// A slot is where a caller finds the result of its tools/call as it came: the
// engine's own types lose the precision of numbers, the order of keys, and every
// content type they do not know. It travels in the call's context.
type slot struct{ raw json.RawMessage }

type slotKey struct{}

func newWire(log *trace, warn func(string)) *wire {
	return &wire{log: log, warn: warn, calls: map[string]*pendingCall{}, progress: map[string]func(Progress){},
		tools: map[string]json.RawMessage{}, gaveUp: map[string]bool{}, broken: map[string]string{}, asked: map[string]bool{}}
}

// head is what a frame says of itself.
type head struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

func (h head) id() string {
	if s := string(h.ID); s != "null" {
		return s
	}
	return ""
}

// sent notes an outgoing frame.
func (w *wire) sent(ctx context.Context, frame []byte) head {
	var h head
	if json.Unmarshal(frame, &h) != nil {
		return h
	}
	w.log.add(true, h.Method, h.id(), frame)
	switch id := h.id(); {
	case h.Method == "notifications/cancelled":
		var p struct {
			ID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(h.Params, &p) == nil { // what comes now is late
			w.forget(string(p.ID))
		}
	case id != "" && h.Method != "":
		c := &pendingCall{method: h.Method, sent: time.Now()}
		if h.Method == "tools/call" {
			c.slot, _ = ctx.Value(slotKey{}).(*slot)
		}
		w.mu.Lock()
		w.calls[id] = c
		w.mu.Unlock()
	}
	return h
}

// expect notes a request that is sent once more.
func (w *wire) expect(h head) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if id := h.id(); w.calls[id] == nil {
		w.calls[id] = &pendingCall{method: h.Method, sent: time.Now()}
	}
}

// forget drops a call that failed before its frame was gone.
func (w *wire) forget(id string) {
	w.mu.Lock()
	delete(w.calls, id)
	w.mu.Unlock()
}

func unquote(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// Progress is how far a call has come. Total is 0 where the server does not know.
type Progress struct {
	Done, Total float64
	Message     string
}

func (w *wire) progressed(params json.RawMessage) {
	var p struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress float64         `json:"progress"`
		Total    float64         `json:"total"`
		Message  string          `json:"message"`
	}
	if json.Unmarshal(params, &p) != nil {
		w.stray(params, "progress that cannot be read")
		return
	}
	w.mu.Lock()
	f := w.progress[unquote(p.Token)]
	w.mu.Unlock()
	if f != nil {
		f(Progress{Done: p.Progress, Total: p.Total, Message: p.Message})
	}
}

// watch routes progress of a token to f, until the returned function is called.
func (w *wire) watch(token string, f func(Progress)) (stop func()) {
	w.mu.Lock()
	w.progress[token] = f
	w.mu.Unlock()
	return func() {
		w.mu.Lock()
		delete(w.progress, token)
		w.mu.Unlock()
	}
}

// checked returns the result to hand on; nil: as it came.
func (w *wire) checked(c *pendingCall, result json.RawMessage) (json.RawMessage, error) {
	if !isObject(result) {
		return nil, fmt.Errorf("the server answered %s with %s, not with an object", c.method, clip(string(result), 200))
	}
	var r struct {
		Type   string          `json:"resultType"`
		Inputs json.RawMessage `json:"inputRequests"`
		State  *string         `json:"requestState"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return nil, fmt.Errorf("the server's result for %s cannot be read: %w", c.method, err)
	}
	switch r.Type {
	case "", "complete":
	case "input_required":
		if r.Inputs != nil && !isObject(r.Inputs) {
			return nil, fmt.Errorf("the server asked for input in a way that forge cannot give: %s", clip(string(r.Inputs), 80))
		}
		if r.Inputs == nil && r.State != nil {
			// Only a state to come back with: an empty set of requests makes the
			// engine do that, a few times at most.
			return put(result, "inputRequests", json.RawMessage("{}"))
		}
		return nil, nil
	default:
		return nil, fmt.Errorf("the server answered %s with a result of type %q, which forge does not know", c.method, r.Type)
	}
	if isList(c.method) {
		fixed, err := named(result)
		if err != nil {
			return nil, err
		}
		if fixed != nil {
			result = fixed
		}
	}
	switch c.method {
	case "initialize", "server/discover":
		return greeting(c.method, result)
	case "tools/list":
		return w.sieve(result)
	case "prompts/list", "resources/list", "resources/templates/list":
		return w.winnow(c.method, result)
	case "tools/call":
		if c.slot != nil {
			c.slot.raw = result
			return json.RawMessage(`{"content":[]}`), nil
		}
	}
	return nil, nil
}

// giveUp answers a server/discover for a server that does not: silence means an
// older server.
func (w *wire) giveUp(id string) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calls[id] == nil {
		return nil
	}
	delete(w.calls, id)
	w.gaveUp[id], w.owed = true, id
	return failure(id, -32601, "no answer to server/discover")
}

// answeredLate tells that the server turned out to speak the new era after all.
func (w *wire) answeredLate() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lateEra
}

// oversize makes the error for the call a message that is too large answers.
func (w *wire) oversize(id string, size int64, limit int) [][]byte {
	w.warn(fmt.Sprintf("a message of %d bytes was dropped; %d are the limit", size, limit))
	w.mu.Lock()
	c := w.calls[id]
	delete(w.calls, id)
	w.mu.Unlock()
	if c == nil {
		return nil
	}
	w.log.add(false, c.method, id, fmt.Appendf(nil, "(%d bytes, too large)", size))
	return [][]byte{failure(id, codeBroken, fmt.Sprintf("the server's answer has %d bytes, %d are the limit; ask for less", size, limit))}
}

// failed makes the error of a request that ended below the protocol.
func (w *wire) failed(id, method string, code int, text string) []byte {
	f := failure(id, code, text)
	w.mu.Lock()
	c := w.calls[id]
	delete(w.calls, id)
	w.mu.Unlock()
	if c != nil {
		w.log.took(method, id, f, time.Since(c.sent))
	}
	return f
}

func (w *wire) stray(msg []byte, why string) {
	w.log.add(false, "("+why+")", "", msg)
	w.warn(why + ": " + clip(string(msg), 200))
}

// definition is a tool's definition as it came.
func (w *wire) definition(name string) json.RawMessage {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tools[name]
}

// leftOut gives the tools that were left out of the list, and why.
func (w *wire) leftOut() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.broken)
}

func failure(id string, code int, message string) []byte {
	text, _ := json.Marshal(message)
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, text)
}

func encode(h head) []byte {
	b, err := json.Marshal(h)
	if err != nil { // its parts were JSON when they came
		return failure(string(h.ID), codeBroken, err.Error())
	}
	return b
}

func isObject(raw json.RawMessage) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{"))
}

// put sets one key of an object and leaves the other values byte for byte.
func put(object json.RawMessage, key string, value json.RawMessage) (json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(object, &m); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, errors.New("null where an object is wanted")
	}
	m[key] = value
	return json.Marshal(m)
}

// clip shortens text for a line of a log.
func clip(s string, n int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…(" + strconv.Itoa(len(s)-n) + " more bytes)"
}

// silent says whether the server never answered anything: if it has ended, it may
// have taken offence at being asked for its version.
func (w *wire) silent() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.answered
}
