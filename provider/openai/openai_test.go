package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// server answers each request with the next of its replies and keeps the bodies.
type fake struct {
	mu      sync.Mutex
	replies []func(w http.ResponseWriter)
	bodies  []gjson.Result
	headers []http.Header
	paths   []string
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bodies = append(f.bodies, gjson.ParseBytes(body))
	f.headers = append(f.headers, r.Header.Clone())
	f.paths = append(f.paths, r.URL.String())
	n := min(len(f.bodies), len(f.replies)) - 1
	f.replies[n](w)
}

func streams(body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, body)
	}
}

func refuses(status int, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func serve(t *testing.T, replies ...func(http.ResponseWriter)) (*fake, string) {
	t.Helper()
	f := &fake{replies: replies}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return f, s.URL
}

// collected drains a stream and keeps what is said beside the message.
func collected(p provider.Provider, req provider.Request) (m provider.Message, notices []string, waits []provider.Wait, err error) {
	m, err = provider.Collect(p.Stream(context.Background(), req), func(ev provider.Event) {
		switch ev := ev.(type) {
		case provider.Notice:
			notices = append(notices, ev.Text)
		case provider.Phase:
			waits = append(waits, ev.Waiting)
		}
	})
	return m, notices, waits, err
}

var (
	okReply = frames(delta(`{"role":"assistant","content":"hi"}`), finish("stop"), `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1}}`, "[DONE]")
	simple  = provider.Request{Model: "m", Messages: []provider.Message{provider.UserText("x")}, Tools: []provider.ToolSpec{ls}, MaxTokens: 50}
)

func TestStream(t *testing.T) {
	f, url := serve(t, streams(okReply))
	p := New(Options{Name: "groq", BaseURL: url + "/v1", Key: "secret", Header: http.Header{"X-Title": {"forge"}}})
	m, notices, waits, err := collected(p, simple)
	if err != nil || m.PlainText() != "hi" || m.Stop != provider.StopEnd || m.Usage.Input != 3 || m.Origin != "openai/groq/m" || len(notices) != 0 {
		t.Errorf("got %+v, %v, %v", m, notices, err)
	}
	if len(waits) != 3 || waits[0] != provider.WaitConnect || waits[1] != provider.WaitFirstByte || waits[2] != provider.WaitStream {
		t.Errorf("waits %q", waits)
	}
	if f.paths[0] != "/v1/chat/completions" || f.headers[0].Get("Authorization") != "Bearer secret" || f.headers[0].Get("X-Title") != "forge" {
		t.Errorf("asked %s with %v", f.paths[0], f.headers[0])
	}
	if b := f.bodies[0]; !b.Get("stream").Bool() || b.Get("messages.0.content").String() != "x" || b.Get("max_tokens").Int() != 50 {
		t.Errorf("body %s", b.Raw)
	}
	f, url = serve(t, streams(okReply))
	if _, _, _, err := collected(New(Options{Name: "azure", BaseURL: url + "/openai?api-version=1", Key: "k"}), simple); err != nil {
		t.Fatal(err)
	}
	if f.paths[0] != "/openai/chat/completions?api-version=1" || f.headers[0].Get("Api-Key") != "k" || f.headers[0].Get("Authorization") != "" {
		t.Errorf("asked %s with %v", f.paths[0], f.headers[0])
	}
}

// A refusal that names a field leads to one corrected try, told in a line and
// remembered for the model.
func TestRefusedFieldIsCorrectedOnce(t *testing.T) {
	f, url := serve(t,
		refuses(422, `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`),
		streams(okReply), streams(okReply))
	p := New(Options{Name: "corp", BaseURL: url})
	m, notices, _, err := collected(p, simple)
	if err != nil || m.PlainText() != "hi" || len(notices) != 1 || !strings.Contains(notices[0], "stream_options") {
		t.Fatalf("got %+v, %q, %v", m, notices, err)
	}
	if _, notices, _, err = collected(p, simple); err != nil || len(notices) != 0 {
		t.Errorf("the second request: %q, %v", notices, err)
	}
	if len(f.bodies) != 3 || !f.bodies[0].Get("stream_options").Exists() || f.bodies[1].Get("stream_options").Exists() || f.bodies[2].Get("stream_options").Exists() {
		t.Errorf("%d requests", len(f.bodies))
	}
}

// A model that wants reasoning_effort "none" beside tools gets it, known by name
// or not.
func TestToolsBesideEffort(t *testing.T) {
	f, url := serve(t,
		refuses(400, `{"error":{"message":"Function tools with reasoning_effort are not supported for my-deployment in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'","type":"invalid_request_error","param":"reasoning_effort","code":null}}`),
		streams(okReply))
	_, notices, _, err := collected(New(Options{Name: "corp", BaseURL: url}), provider.Request{Model: "my-deployment", Messages: simple.Messages, Tools: simple.Tools})
	if err != nil || len(notices) != 1 || f.bodies[1].Get("reasoning_effort").String() != "none" {
		t.Errorf("%q, %v", notices, err)
	}
	f, url = serve(t, streams(okReply))
	p := New(Options{Name: "azure", BaseURL: url})
	req := provider.Request{Model: "gpt-5.6-terra", Effort: provider.EffortHigh, Messages: simple.Messages, Tools: simple.Tools}
	if _, notices, _, err = collected(p, req); err != nil || len(notices) != 1 || f.bodies[0].Get("reasoning_effort").String() != "none" {
		t.Errorf("%q, %v", notices, err)
	}
	if _, notices, _, err = collected(p, req); err != nil || len(notices) != 0 {
		t.Errorf("told twice: %q, %v", notices, err)
	}
}

func TestImagesRefused(t *testing.T) {
	f, url := serve(t,
		refuses(400, "{\"error\":{\"message\":\"Failed to deserialize the JSON body: messages[0]: unknown variant `image_url`, expected `text`\",\"type\":\"invalid_request_error\"}}"),
		streams(okReply))
	req := provider.Request{Model: "m", Messages: []provider.Message{user(provider.Text{Text: "x"}, provider.Image{MIME: "image/png", Data: "QUJD"})}}
	_, notices, _, err := collected(New(Options{Name: "deepseek", BaseURL: url}), req)
	if err != nil || len(notices) != 1 || strings.Contains(f.bodies[1].Raw, "QUJD") || !strings.Contains(f.bodies[1].Raw, "an image stood here") {
		t.Errorf("%q, %v", notices, err)
	}
	if _, ok := req.Messages[0].Blocks[1].(provider.Image); !ok {
		t.Error("the caller's history was changed")
	}
}

func TestErrorsPass(t *testing.T) {
	for name, c := range map[string]struct {
		reply func(http.ResponseWriter)
		kind  provider.Kind
	}{
		"key":        {refuses(401, `{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}`), provider.KindAuth},
		"overflow":   {refuses(400, `{"error":{"message":"maximum context length is 8192 tokens","code":"context_length_exceeded"}}`), provider.KindOverflow},
		"model":      {refuses(404, `{"error":{"message":"The model does not exist"}}`), provider.KindInvalid},
		"web page":   {streams("<html><body>hello</body></html>"), provider.KindInvalid},
		"mid-stream": {streams(frames(delta(`{"content":"a"}`), `{"error":{"message":"overloaded","type":"server_error"}}`)), provider.KindServer},
		"cut":        {streams(frames(delta(`{"content":"a"}`))), provider.KindNetwork},
	} {
		t.Run(name, func(t *testing.T) {
			f, url := serve(t, c.reply)
			_, notices, _, err := collected(New(Options{Name: "corp", BaseURL: url}), simple)
			var e *provider.Error
			if !errors.As(err, &e) || e.Kind != c.kind || len(notices) != 0 || len(f.bodies) != 1 {
				t.Errorf("got %v, %q after %d requests", err, notices, len(f.bodies))
			}
		})
	}
	// One more refusal than there is to learn ends it.
	f, url := serve(t, refuses(400, `{"error":{"message":"Unsupported parameter: 'stream_options'","param":"stream_options","type":"invalid_request_error"}}`))
	if _, notices, _, err := collected(New(Options{Name: "corp", BaseURL: url}), simple); err == nil || len(notices) != 1 || len(f.bodies) != 2 {
		t.Errorf("%v, %q, %d requests", err, notices, len(f.bodies))
	}
}

// An error in the first frame of a 200 is corrected as a 400 is.
func TestRefusalInside200(t *testing.T) {
	f, url := serve(t, streams(frames(`{"error":{"message":"Unsupported parameter: 'stream_options'","param":"stream_options","type":"invalid_request_error"}}`)), streams(okReply))
	m, notices, _, err := collected(New(Options{Name: "corp", BaseURL: url}), simple)
	if err != nil || m.PlainText() != "hi" || len(notices) != 1 || len(f.bodies) != 2 {
		t.Errorf("%v, %q", err, notices)
	}
}

func TestTruncationIsTold(t *testing.T) {
	long := provider.Request{Model: "m", Messages: []provider.Message{provider.UserText(strings.Repeat("many words here ", 4000))}}
	reply := frames(delta(`{"content":"hi"}`), finish("stop"), `{"choices":[],"usage":{"prompt_tokens":4096,"completion_tokens":1}}`)
	for name, want := range map[string]int{"ollama": 1, "deepseek": 0} {
		_, url := serve(t, streams(reply))
		if _, notices, _, err := collected(New(Options{Name: name, BaseURL: url}), long); err != nil || len(notices) != want {
			t.Errorf("%s: %q, %v", name, notices, err)
		}
	}
	_, url := serve(t, streams(reply))
	picture := provider.Request{Model: "m", Messages: []provider.Message{user(provider.Image{MIME: "image/png", Data: strings.Repeat("QUJD", 20000)})}}
	if _, notices, _, err := collected(New(Options{Name: "ollama", BaseURL: url}), picture); err != nil || len(notices) != 0 {
		t.Errorf("an image: %q, %v", notices, err)
	}
}

// Leaving the range, and ending the context, close the connection.
func TestLeavingClosesTheConnection(t *testing.T) {
	gone := make(chan struct{}, 2)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, frames(delta(`{"content":"a"}`)))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		gone <- struct{}{}
	}))
	defer s.Close()
	p := New(Options{Name: "corp", BaseURL: s.URL})
	for ev := range p.Stream(context.Background(), simple) {
		if _, ok := ev.(provider.TextDelta); ok {
			break
		}
	}
	<-gone
	ctx, cancel := context.WithCancel(context.Background())
	var last error
	for ev, err := range p.Stream(ctx, simple) {
		if _, ok := ev.(provider.TextDelta); ok {
			cancel()
		}
		last = err
	}
	<-gone
	if !errors.Is(last, context.Canceled) {
		t.Errorf("got %v", last)
	}
	cancel()
}

// TestLessonOfNoUse: a refusal that names what the request does not hold is not
// answered with the same request.
func TestLessonOfNoUse(t *testing.T) {
	calls := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		w.WriteHeader(400)
		_, _ = io.WriteString(w, `{"error":{"message":"Unknown parameter: 'logit_bias'.","param":"logit_bias"}}`)
	}))
	defer srv.Close()
	w := New(Options{Name: "x", BaseURL: srv.URL})
	var failed error
	for ev, err := range w.Stream(t.Context(), provider.Request{Model: "m", Messages: []provider.Message{provider.UserText("hi")}}) {
		if n, ok := ev.(provider.Notice); ok {
			t.Errorf("told %q", n.Text)
		}
		failed = err
	}
	if calls != 1 || failed == nil {
		t.Errorf("%d calls, %v", calls, failed)
	}
}
