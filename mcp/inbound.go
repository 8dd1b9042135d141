package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// received looks at one incoming message, which may be junk, and gives the frames
// to hand on; usually one, none for junk.
func (w *wire) received(msg []byte) [][]byte {
	msg = bytes.Trim(msg, "\x00 \t\r\n\ufeff")
	if len(msg) == 0 {
		return nil
	}
	if msg[0] == '[' { // 2025-03-26 had batches
		var batch []json.RawMessage
		if json.Unmarshal(msg, &batch) == nil && len(batch) > 0 && allFrames(batch) {
			return w.each(batch)
		}
	}
	var h head
	if msg[0] != '{' || json.Unmarshal(msg, &h) != nil {
		return w.mend(msg)
	}
	if string(h.Error) == "null" && h.Result != nil {
		h.Error = nil
		msg = encode(h)
	}
	if h.Version != "2.0" {
		if h.Method != "" || !isObject(h.Result) && !isObject(h.Error) || !w.awaits(h.ID) {
			w.stray(msg, "not a protocol message")
			return nil
		}
		h.Version = "2.0" // it forgot to say so
		msg = encode(h)
	}
	if h.Method != "" {
		return w.incoming(h, msg)
	}
	return w.answer(h, msg)
}

func (w *wire) each(msgs []json.RawMessage) (out [][]byte) {
	for _, m := range msgs {
		out = append(out, w.received(m)...)
	}
	return out
}

func allFrames(batch []json.RawMessage) bool {
	for _, m := range batch {
		var h head
		if json.Unmarshal(m, &h) != nil || h.Version != "2.0" {
			return false
		}
	}
	return len(batch) > 0
}

// mend makes the best of what is no message: several of them on one line, an answer
// behind something that was printed without an end of line, or an answer that cannot
// be read, which fails its call at once instead of letting it wait for another.
func (w *wire) mend(msg []byte) [][]byte {
	var parts []json.RawMessage
	d := json.NewDecoder(bytes.NewReader(msg))
	var why error
	for {
		var m json.RawMessage
		if why = d.Decode(&m); why != nil {
			break
		}
		parts = append(parts, m)
	}
	if allFrames(parts) {
		if !errors.Is(why, io.EOF) {
			w.stray(msg[d.InputOffset():], "not a protocol message")
		}
		return w.each(parts)
	}
	if i := bytes.Index(msg, []byte(`{"jsonrpc"`)); i > 0 {
		var h head
		if json.Unmarshal(msg[i:], &h) == nil && h.Method == "" && w.awaits(h.ID) {
			w.stray(msg[:i], "not a protocol message")
			return w.received(msg[i:])
		}
	}
	w.stray(msg, "not a protocol message")
	if msg[0] != '{' || !bytes.Contains(msg[:min(len(msg), 4096)], []byte(`"jsonrpc"`)) || bytes.Contains(msg, []byte(`"method"`)) {
		return nil
	}
	var scan idScanner
	scan.feed(msg)
	if id := scan.id(); w.awaits(json.RawMessage(id)) {
		w.mu.Lock()
		id = w.meant(json.RawMessage(id))
		w.mu.Unlock()
		w.forget(id)
		return [][]byte{failure(id, codeBroken, fmt.Sprintf("the server's answer cannot be read: %v", why))}
	}
	return nil
}

// awaits says whether a request with this id waits for its answer.
func (w *wire) awaits(id json.RawMessage) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[w.meant(id)] != nil
}

// meant is the id of the request that an answer's id means: some servers make a text
// or a fraction of a number. The lock is held.
func (w *wire) meant(raw json.RawMessage) string {
	id := string(raw)
	if id == "null" {
		return ""
	}
	if w.calls[id] != nil || w.gaveUp[id] {
		return id
	}
	if f, err := strconv.ParseFloat(unquote(raw), 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		if n := strconv.FormatInt(int64(f), 10); w.calls[n] != nil {
			return n
		}
	}
	return id
}

// only is the id of the one request that waits; empty if there are none or more.
// The lock is held.
func (w *wire) only() string {
	found := ""
	for id, c := range w.calls {
		if c.method == "subscriptions/listen" {
			continue
		}
		if found != "" {
			return ""
		}
		found = id
	}
	return found
}

// answer handles a response.
func (w *wire) answer(h head, msg []byte) [][]byte {
	if h.Result == nil && h.Error == nil {
		w.stray(msg, "neither a result nor an error")
		return nil
	}
	w.mu.Lock()
	w.answered = true
	id := w.meant(h.ID)
	lone := id == ""
	if lone {
		// Without an id while one request waits it can only mean that one; what a result
		// would be of is less sure than that something went wrong. Before it, what was
		// given up is refused: servers answer in the order they are asked.
		if id = w.only(); h.Error != nil && w.owed != "" {
			id = w.owed
		}
	}
	w.owed = ""
	if id != string(h.ID) && id != "" {
		h.ID = json.RawMessage(id)
		msg = encode(h)
	}
	c := w.calls[id]
	delete(w.calls, id)
	late := w.gaveUp[id]
	delete(w.gaveUp, id)
	if late && h.Result != nil {
		w.lateEra = true
	}
	w.mu.Unlock()
	switch {
	case id == "":
		w.stray(msg, "a response without an id")
		return nil
	case late:
		w.stray(msg, "server/discover was answered too late")
		return nil
	case c == nil:
		w.stray(msg, "a response nobody waits for")
		return nil
	case lone && h.Error == nil:
		w.stray(msg, "a result without an id")
		return [][]byte{failure(id, codeBroken, "the server answered without saying what; its answer has no id")}
	}
	w.log.took(c.method, id, msg, time.Since(c.sent))
	if c.method == "subscriptions/listen" { // it is opened again; to the engine it never ends
		if h.Error != nil {
			w.warn("the server sends no messages of its own: " + clip(string(h.Error), 200))
		}
		return nil
	}
	if h.Error != nil {
		code, message, data := theirError(h.Error)
		return [][]byte{errorFrame(id, code, message, data)}
	}
	result, err := w.checked(c, h.Result)
	if err != nil {
		return [][]byte{failure(id, codeBroken, err.Error())}
	}
	if result == nil {
		return [][]byte{msg}
	}
	h.Result = result
	return [][]byte{encode(h)}
}

// maxAskedAtOnce is how many requests of a server's own may wait for our answer: each
// costs a goroutine, and a server that asks without reading would have any number.
const maxAskedAtOnce = 100

// incoming handles what the server sends of itself. The engine trusts it to be as the
// protocol wants it, up to a crash, so what is handed on has been made so.
func (w *wire) incoming(h head, msg []byte) [][]byte {
	w.log.add(false, h.Method, h.id(), msg)
	notice := strings.HasPrefix(h.Method, "notifications/")
	if notice {
		h.ID = nil
	} else if plainID(h.ID) == "" {
		w.stray(msg, "a request whose id is neither a text nor a whole number")
		return nil
	}
	var params map[string]json.RawMessage
	if json.Unmarshal(h.Params, &params) != nil || params == nil {
		params = map[string]json.RawMessage{}
	}
	if m, ok := params["_meta"]; ok && !isObject(m) {
		delete(params, "_meta")
	}
	switch h.Method {
	case "notifications/progress":
		w.progressed(h.Params)
		return nil
	case "notifications/message":
		w.warn(fmt.Sprintf("[%s] %s", unquote(params["level"]), unquote(params["data"])))
		return nil
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/subscriptions/acknowledged":
	case "notifications/resources/updated", "notifications/elicitation/complete":
		for _, key := range []string{"uri", "elicitationId"} {
			if v, ok := params[key]; ok && plainText(v) == "" {
				delete(params, key)
			}
		}
		if params["uri"] == nil && params["elicitationId"] == nil {
			w.stray(msg, "a message that does not say of what it is")
			return nil
		}
	case "notifications/cancelled":
		if plainID(params["requestId"]) == "" {
			w.stray(msg, "a message that does not say of what it is")
			return nil
		}
		w.settle(string(params["requestId"]))
	default:
		if notice { // such as nobody here would look at
			return nil
		}
	}
	if !notice && !w.take(string(h.ID)) {
		w.stray(msg, "too many requests at a time")
		return nil
	}
	var err error
	if h.Params, err = json.Marshal(params); err != nil {
		w.stray(msg, "a message that cannot be read")
		return nil
	}
	return [][]byte{encode(head{Version: "2.0", ID: h.ID, Method: h.Method, Params: h.Params})}
}

// take counts a request of the server's in; settle counts it out.
func (w *wire) take(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.asked) >= maxAskedAtOnce {
		return false
	}
	w.asked[id] = true
	return true
}

// settled counts out the request that an answer of ours was to, once that is gone: a
// server that does not read has as many goroutines wait as it may have requests.
func (w *wire) settled(h head) {
	if h.Method == "" {
		w.settle(h.id())
	}
}

func (w *wire) settle(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.asked, id)
}

// plainText is a JSON text; empty if it is another value.
func plainText(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // else it stays empty
	return s
}
