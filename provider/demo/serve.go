package demo

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// requestMax bounds a request, in bytes: a long session with images.
const requestMax = 64 << 20

// wire is one of the two formats the server speaks.
type wire interface {
	read(body gjson.Result) provider.Request
	open(w *stream)
	event(w *stream, e provider.Event)
	// fail says inside a stream that it failed.
	fail(w *stream, e *provider.Error)
	whole(model string, events []provider.Event) any
	errorBody(e *provider.Error) any
}

// Serve returns a handler that plays s over HTTP on both wires: POST
// /v1/chat/completions and /v1/messages, streamed or whole, and GET /v1/models;
// each also without /v1. A conversation gets the events and the token figures that
// New would give it. Any key is accepted.
func Serve(s *Script, o Options) http.Handler {
	p := newPlayer(s, o)
	mux := http.NewServeMux()
	for _, prefix := range []string{"", "/v1"} {
		mux.HandleFunc("POST "+prefix+"/chat/completions", func(w http.ResponseWriter, r *http.Request) { p.answer(w, r, &chatWire{}) })
		mux.HandleFunc("POST "+prefix+"/messages", func(w http.ResponseWriter, r *http.Request) { p.answer(w, r, &messagesWire{}) })
		mux.HandleFunc("GET "+prefix+"/models", func(w http.ResponseWriter, r *http.Request) {
			m := Model()
			writeJSON(w, http.StatusOK, map[string]any{"object": "list", "has_more": false, "data": []any{map[string]any{
				"id": m.ID, "object": "model", "type": "model", "owned_by": "forge", "display_name": m.Name, "context_length": m.Window, "max_output_tokens": m.MaxOutput,
			}}})
		})
	}
	return mux
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client left: nobody to tell
}

// stream is a reply being sent.
type stream struct {
	http.ResponseWriter
	flush func()
	model string
	usage bool // the client asked for figures (chat completions)
	begun bool
	input provider.Usage // what is known from the start
}

// send writes one server-sent event; an empty name leaves it out.
func (w *stream) send(name string, v any) {
	data, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		if err != nil {
			return // cannot happen: maps of strings and numbers
		}
		data = string(b)
	}
	if name != "" {
		_, _ = io.WriteString(w, "event: "+name+"\n")
	}
	_, _ = io.WriteString(w, "data: "+data+"\n\n")
	w.flush()
}

// answer plays one request.
func (p *player) answer(rw http.ResponseWriter, r *http.Request, f wire) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, requestMax))
	if err != nil || !gjson.ValidBytes(body) || !gjson.ParseBytes(body).IsObject() {
		writeJSON(rw, http.StatusBadRequest, f.errorBody(&provider.Error{Kind: provider.KindInvalid, Message: "the body is no JSON object"}))
		return
	}
	req := gjson.ParseBytes(body)
	beats := p.play(converse(f.read(req)))
	out := &stream{ResponseWriter: rw, flush: func() {}, model: req.Get("model").String(), usage: req.Get("stream_options.include_usage").Bool()}
	if fl, ok := rw.(http.Flusher); ok {
		out.flush = fl.Flush
	}
	if last := beats[len(beats)-1]; last.event != nil {
		out.input = last.event.(provider.Stop).Usage
	}
	streaming := req.Get("stream").Bool()
	var whole []provider.Event
	for _, b := range beats {
		if b.forever && streaming && !out.begun {
			out.begin(f) // a silence after the headers, as real servers have it
		}
		if p.wait(r.Context(), b) != nil {
			return
		}
		switch {
		case b.cut:
			panic(http.ErrAbortHandler) // the one way to break a connection of net/http
		case b.err != nil && out.begun:
			f.fail(out, b.err)
			return
		case b.err != nil:
			if b.err.After > 0 {
				rw.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(b.err.After.Seconds()))))
				rw.Header().Set("Retry-After-Ms", strconv.FormatInt(b.err.After.Milliseconds(), 10))
			}
			writeJSON(rw, b.err.Status, f.errorBody(b.err))
			return
		case b.event == nil:
		case !streaming:
			whole = append(whole, b.event)
		default:
			if !out.begun {
				out.begin(f)
			}
			f.event(out, b.event)
		}
	}
	if !streaming {
		writeJSON(rw, http.StatusOK, f.whole(out.model, whole))
	}
}

func (w *stream) begin(f wire) {
	w.begun = true
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	f.open(w)
	w.flush()
}

// errorNames is how both wires name a failure of each kind: type, code.
func errorNames(e *provider.Error) (typ, code string) {
	switch e.Kind {
	case provider.KindAuth:
		return "authentication_error", "invalid_api_key"
	case provider.KindRate:
		return "rate_limit_error", "rate_limit_exceeded"
	case provider.KindQuota:
		return "insufficient_quota", "insufficient_quota"
	case provider.KindOverflow:
		return "invalid_request_error", "context_length_exceeded"
	case provider.KindRefused:
		return "invalid_request_error", "content_filter"
	case provider.KindInvalid:
		return "invalid_request_error", e.Code
	}
	if e.Status == 529 || e.Status == 503 {
		return "overloaded_error", ""
	}
	return "api_error", ""
}

func errorObject(e *provider.Error) map[string]any {
	typ, code := errorNames(e)
	o := map[string]any{"message": e.Message, "type": typ}
	if code != "" {
		o["code"] = code
	}
	return o
}

// streamError is an error object for the inside of a stream, where no status
// tells kinds apart and not every client reads a code.
func streamError(e *provider.Error) map[string]any {
	o := errorObject(e)
	if code, ok := o["code"]; ok && e.Kind != provider.KindInvalid && e.Kind != provider.KindAuth && e.Kind != provider.KindRate {
		o["type"] = code
	}
	return o
}

func now() int64 { return time.Now().Unix() }
