package anthropic

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// server answers requests with replies in turn and keeps what it was sent.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	bodies  []string
	headers []http.Header
	paths   []string
}

// reply is a status and a body; status 0 is an event stream.
type reply struct {
	status int
	body   string
}

func serve(t *testing.T, replies ...reply) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		n := len(s.bodies)
		s.bodies = append(s.bodies, string(b))
		s.headers = append(s.headers, r.Header.Clone())
		s.paths = append(s.paths, r.URL.Path)
		s.mu.Unlock()
		if n >= len(replies) {
			w.WriteHeader(http.StatusTeapot)
			return
		}
		if replies[n].status == 0 {
			w.Header().Set("Content-Type", "text/event-stream")
		} else {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(replies[n].status)
		}
		io.WriteString(w, replies[n].body)
	}))
	t.Cleanup(s.Close)
	return s
}

// stream is an event stream of the given data lines.
func stream(data ...string) string {
	return "data: " + strings.Join(data, "\n\ndata: ") + "\n\n"
}

var hello = reply{0, stream(
	`{"type":"message_start","message":{"id":"m","usage":{"input_tokens":3}}}`,
	`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hello"}}`,
	`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`,
	`{"type":"message_stop"}`)}

func refusal(status int, message string) reply {
	return reply{status, `{"type":"error","error":{"type":"invalid_request_error","message":` + quote(message) + `}}`}
}

// ask runs one request and returns the message, the notices and the error.
func ask(p provider.Provider, req provider.Request) (provider.Message, []string, error) {
	var notices []string
	m, err := provider.Collect(p.Stream(context.Background(), req), func(ev provider.Event) {
		if n, ok := ev.(provider.Notice); ok {
			notices = append(notices, n.Text)
		}
	})
	return m, notices, err
}

func TestStreamEvents(t *testing.T) {
	s := serve(t, hello)
	p := New(Options{BaseURL: s.URL, Key: "k", Header: http.Header{"X-Team": {"t"}}})
	got, err := drain(p.Stream(context.Background(), provider.Request{Model: "m", Messages: []provider.Message{provider.UserText("q")}}))
	if err != nil {
		t.Fatal(err)
	}
	want := "[{connecting} {first byte} {} {anthropic/m} {0 hello} {end_turn {3 2 0 0 0 0 0 true 0 0} }]"
	// The wire tells no time a wait may last until: whoever watches its timers does.
	if strings.ReplaceAll(fmt.Sprint(got), " "+time.Time{}.String(), "") != want {
		t.Errorf("got  %v\nwant %s", got, want)
	}
	h := s.headers[0]
	if h.Get("X-Api-Key") != "k" || h.Get("Anthropic-Version") != "2023-06-01" || h.Get("X-Team") != "t" || h.Get("Authorization") != "" || h.Get("Anthropic-Beta") != "" {
		t.Errorf("headers %v", h)
	}
	if s.paths[0] != "/v1/messages" {
		t.Errorf("path %s", s.paths[0])
	}
}

func TestBearer(t *testing.T) {
	s := serve(t, hello)
	if _, _, err := ask(New(Options{BaseURL: s.URL + "/api/v1/", Key: "k", Bearer: true}), provider.Request{Model: "m", Messages: []provider.Message{provider.UserText("q")}}); err != nil {
		t.Fatal(err)
	}
	if h := s.headers[0]; h.Get("Authorization") != "Bearer k" || h.Get("X-Api-Key") != "" {
		t.Errorf("headers %v", h)
	}
	if s.paths[0] != "/api/v1/messages" {
		t.Errorf("path %s", s.paths[0])
	}
}

func TestMessagesURL(t *testing.T) {
	for base, want := range map[string]string{
		"":                                   "https://api.anthropic.com/v1/messages true",
		"https://api.anthropic.com/v1/":      "https://api.anthropic.com/v1/messages true",
		"https://api.deepseek.com/anthropic": "https://api.deepseek.com/anthropic/v1/messages false",
		"https://openrouter.ai/api/v1":       "https://openrouter.ai/api/v1/messages false",
		"http://localhost:8080":              "http://localhost:8080/v1/messages false",
		"https://x.io/v1/messages?api=2":     "https://x.io/v1/messages?api=2 false",
		"https://x.io/v1beta":                "https://x.io/v1beta/messages false",
	} {
		if u, official := messagesURL(base); fmt.Sprint(u, " ", official) != want {
			t.Errorf("%s: %s %v", base, u, official)
		}
	}
}

// TestCorrectedTry: a refusal that says why leads to one corrected try, told in a
// line, and the lesson holds for the next request.
func TestCorrectedTry(t *testing.T) {
	thought := []provider.Message{
		user(text_("q")), answer("claude-opus-5-5", provider.Thinking{Text: "t", Signature: "sig-1"}, use("a", "{}")), user(result("a", "A")),
	}
	picture := []provider.Message{user(provider.Image{MIME: "image/png", Data: "QUJD"}, text_("see"))}
	plain := []provider.Message{user(text_("q"))}
	for _, c := range []struct {
		name    string
		model   string
		effort  provider.Effort
		msgs    []provider.Message
		refused string
		path    string // of the second body, and of the next request's
		want    string
		next    string
	}{
		{"a field of its own", "claude-opus-4-7", "high", plain, "output_config: Extra inputs are not permitted", "output_config", "", ""},
		{"cache marks", "m", "", plain, "messages.0.content.0.cache_control: Extra inputs are not permitted", "messages.0.content.0.cache_control", "", ""},
		{"the thinking's show", "claude-opus-5", "", plain, "thinking.adaptive.display: Extra inputs are not permitted", "thinking", `{"type":"adaptive"}`, `{"type":"adaptive"}`},
		{"thinking by budget", "my-claude-4-5-alias", "high", plain, "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.", "thinking.type", `"adaptive"`, `"adaptive"`},
		{"thinking by effort", "claude-opus-4-6", "high", plain, "adaptive thinking is not supported on this model", "thinking", `{"type":"enabled","budget_tokens":16000}`, `{"type":"enabled","budget_tokens":16000}`},
		{"an answer too long for the model", "claude-opus-4-6", "", plain, "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-opus-4-6", "max_tokens", "8192", "8192"},
		{"an answer too long for the window", "claude-sonnet-4-5", "", plain, "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again", "max_tokens", "9744", "32000"},
		{"the same of vLLM", "local", "", plain, "This model's maximum context length is 16384 tokens. However, you requested 17000 tokens (616 in the messages, 16384 in the completion). Please reduce the length of the messages or completion.", "max_tokens", "15512", "16384"},
		{"thinking that does not fit", "claude-opus-5-5", "high", thought, "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.", "messages.1.content.0.type", `"tool_use"`, `"tool_use"`},
		{"thinking that is missed", "local", "", []provider.Message{user(text_("q")), answer("other", use("a", "{}")), user(result("a", "A"))}, "The `content[].thinking` in the thinking mode must be passed back to the API.", "messages.1.content.0.type", `"thinking"`, `"thinking"`},
		{"pictures", "deepseek-v4", "", picture, "messages[0]: unknown variant `image`, expected `text`", "messages.0.content.0.text", quote(noImage), quote(noImage)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, refusal(400, c.refused), hello, hello)
			p := New(Options{BaseURL: s.URL})
			req := provider.Request{Model: c.model, Effort: c.effort, Messages: c.msgs}
			m, notices, err := ask(p, req)
			if err != nil || m.PlainText() != "hello" {
				t.Fatalf("%v %v", m, err)
			}
			if len(notices) != 1 || strings.Contains(notices[0], "\n") {
				t.Errorf("notices %q", notices)
			}
			if gjson.Get(s.bodies[0], c.path).Raw == c.want {
				t.Errorf("the first body was right already: %s", s.bodies[0])
			}
			if got := gjson.Get(s.bodies[1], c.path).Raw; got != c.want {
				t.Errorf("%s: %s, want %s", c.path, got, c.want)
			}
			if _, _, err := ask(p, req); err != nil {
				t.Fatal(err)
			}
			if got := gjson.Get(s.bodies[2], c.path).Raw; got != c.next {
				t.Errorf("next request: %s: %s, want %s", c.path, got, c.next)
			}
		})
	}
}

// The same refusal twice is the end: nothing is tried for ever.
func TestRefusalRepeats(t *testing.T) {
	r := refusal(400, "output_config: Extra inputs are not permitted")
	s := serve(t, r, r, r, r, r, r)
	_, _, err := ask(New(Options{BaseURL: s.URL}), provider.Request{Model: "claude-opus-4-7", Effort: "high", Messages: []provider.Message{provider.UserText("q")}})
	var e *provider.Error
	if !errors.As(err, &e) || e.Kind != provider.KindInvalid || len(s.bodies) != 2 {
		t.Errorf("%v after %d tries", err, len(s.bodies))
	}
}

// An overflow that no shorter answer can cure is the agent's to meet.
func TestOverflowPasses(t *testing.T) {
	s := serve(t, refusal(400, "prompt is too long: 3333404 tokens > 200000 maximum"), refusal(400, "input length and `max_tokens` exceed context limit: 199900 + 32000 > 200000"))
	p := New(Options{BaseURL: s.URL})
	for range 2 {
		_, _, err := ask(p, provider.Request{Model: opus, Messages: []provider.Message{provider.UserText("q")}})
		var e *provider.Error
		if !errors.As(err, &e) || e.Kind != provider.KindOverflow || e.Window != 200000 {
			t.Errorf("%v", err)
		}
	}
	if len(s.bodies) != 2 {
		t.Errorf("%d tries", len(s.bodies))
	}
}

// On the vendor's own host a model that binds its thinking is told to drop what
// does not fit; if that is refused too, forge leaves the thinking out itself.
func TestBoundThinking(t *testing.T) {
	bound := "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation."
	s := serve(t, refusal(400, bound), refusal(400, bound), hello)
	p := New(Options{BaseURL: s.URL}).(*endpoint)
	p.official = true
	m, notices, err := ask(p, provider.Request{Model: "claude-fable-5-1", Messages: []provider.Message{
		user(text_("q")), answer("claude-fable-5-1", provider.Thinking{Signature: "sig"}, text_("a")), user(text_("b")),
	}})
	if err != nil || m.PlainText() != "hello" || len(notices) != 2 {
		t.Fatalf("%v %q %v", m, notices, err)
	}
	if got := gjson.Get(s.bodies[1], "thinking.block_binding").Raw; got != `{"prefix_mismatch_behavior":"drop_block"}` {
		t.Errorf("block_binding %s", got)
	}
	if b := s.headers[1].Get("Anthropic-Beta"); !strings.Contains(b, "thinking-binding-controls") {
		t.Errorf("beta %q", b)
	}
	if strings.Contains(s.bodies[2], `"sig"`) {
		t.Error("thinking went back a third time")
	}
}

// A model that was thought to read system messages in the middle, and does not.
func TestSystemRoleRefused(t *testing.T) {
	s := serve(t, refusal(400, "role 'system' is not supported on this model"), hello)
	p := New(Options{BaseURL: s.URL}).(*endpoint)
	p.official = true
	_, notices, err := ask(p, provider.Request{Model: "claude-opus-5-5", Messages: []provider.Message{
		user(text_("q")), {Role: provider.System, Blocks: []provider.Block{text_("note")}},
	}})
	if err != nil || len(notices) != 1 {
		t.Fatal(err, notices)
	}
	if a, b := gjson.Get(s.bodies[0], "messages.1.role").Str, brief([]byte(s.bodies[1])); a != "system" || b != `user: "q" "<system>\nnote\n</system>"` {
		t.Errorf("%s, then %s", a, b)
	}
}

// The recorded refusals of this wire come back as their kind, with one try each.
func TestRecordedRefusals(t *testing.T) {
	files, err := os.ReadDir("testdata/errors")
	if err != nil || len(files) < 8 {
		t.Fatal(len(files), err)
	}
	for _, f := range files {
		fx := gjson.ParseBytes(read(t, "testdata/errors/"+f.Name()))
		s := serve(t, reply{int(fx.Get("status").Int()), fx.Get("body").String()}, reply{500, ""}, reply{500, ""})
		_, _, err := ask(New(Options{BaseURL: s.URL}), provider.Request{Model: opus, Messages: []provider.Message{provider.UserText("q")}})
		var e *provider.Error
		if !errors.As(err, &e) || string(e.Kind) != fx.Get("kind").String() && len(s.bodies) == 1 {
			t.Errorf("%s: %v, want %s", f.Name(), err, fx.Get("kind"))
		}
	}
}

// Leaving the range closes the connection; the end of the context ends the stream.
func TestLeavingCloses(t *testing.T) {
	gone := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, stream(`{"type":"message_start","message":{"id":"m"}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}`))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		gone <- struct{}{}
	}))
	defer s.Close()
	req := provider.Request{Model: "m", Messages: []provider.Message{provider.UserText("q")}}
	for ev, err := range New(Options{BaseURL: s.URL}).Stream(context.Background(), req) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := ev.(provider.TextDelta); ok {
			break
		}
	}
	<-gone
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last error
	for ev, err := range New(Options{BaseURL: s.URL}).Stream(ctx, req) {
		last = err
		if _, ok := ev.(provider.TextDelta); ok {
			cancel()
		}
	}
	<-gone
	if !errors.Is(last, context.Canceled) {
		t.Errorf("ended with %v", last)
	}
}
