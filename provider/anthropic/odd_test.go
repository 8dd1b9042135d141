package anthropic

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"forge/provider"
)

// sketch decodes body and writes down what the message holds, in order.
func sketch(body string) string {
	m, err := provider.Collect(Decode(strings.NewReader(body), "anthropic/m"), nil)
	var out []string
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case provider.Text:
			out = append(out, "text("+b.Text+")")
		case provider.Thinking:
			out = append(out, "thinking("+b.Text+"|"+b.Signature+b.Extra+")")
		case provider.ToolUse:
			out = append(out, "call("+b.WireID+" "+b.Name+" "+b.Input+b.Extra+")")
		case provider.Opaque:
			out = append(out, b.JSON)
		}
	}
	s := strings.Join(out, " ")
	if err != nil {
		var e *provider.Error
		if errors.As(err, &e) {
			return s + " !" + string(e.Kind) + ": " + e.Message
		}
		return s + " !" + err.Error()
	}
	return s + " ." + string(m.Stop)
}

const (
	begin  = `{"type":"message_start","message":{"id":"m","usage":{"input_tokens":1}}}`
	ended  = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}`
	called = `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}}`
	over   = `{"type":"message_stop"}`
)

func delta(i int, typ, key, s string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":%q,%q:%s}}`, i, typ, key, quote(s))
}

func start(i int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, block)
}

func stop(i int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i) }

// TestOddStreams holds what servers of this wire were seen or said to send.
func TestOddStreams(t *testing.T) {
	words := delta(0, "text_delta", "text", "hi")
	for _, c := range []struct{ name, body, want string }{
		{"keys of one block out of order, index missing", stream(begin, `{"delta":{"text":"hi","type":"text_delta"},"type":"content_block_delta"}`, ended, over), "text(hi) .end_turn"},
		{"every block has index 0", stream(begin, start(0, `{"type":"text","text":"a"}`), stop(0), start(0, `{"type":"tool_use","id":"t","name":"n"}`), delta(0, "input_json_delta", "partial_json", `{"p":1}`), stop(0), called, over),
			`text(a) call(t n {"p":1}) .tool_use`},
		{"calls interleaved", stream(begin, start(0, `{"type":"tool_use","id":"a","name":"n","input":{}}`), start(1, `{"type":"tool_use","id":"b","name":"n","input":{}}`), delta(0, "input_json_delta", "partial_json", `{"p":`), delta(1, "input_json_delta", "partial_json", `{"q":`), delta(0, "input_json_delta", "partial_json", `1}`), delta(1, "input_json_delta", "partial_json", `2}`), called, over),
			`call(a n {"p":1}) call(b n {"q":2}) .tool_use`},
		{"input whole in the start and again in deltas", stream(begin, start(0, `{"type":"tool_use","id":"a","name":"n","input":{"p":1}}`), delta(0, "input_json_delta", "partial_json", `{"p":1}`), called, over), `call(a n {"p":1}) .tool_use`},
		{"input whole in the start beside empty deltas", stream(begin, start(0, `{"type":"tool_use","id":"a","name":"n","input":{"p":1}}`), delta(0, "input_json_delta", "partial_json", ``), called, over), `call(a n {"p": 1}) .tool_use`},
		{"input encoded twice", stream(begin, start(0, `{"type":"tool_use","id":"a","name":"n","input":"{\"p\":1}"}`), called, over), `call(a n {"p":1}) .tool_use`},
		{"an object where its text belongs", stream(begin, start(0, `{"type":"tool_use","id":"a","name":"n"}`), `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":{"p":1}}}`, called, over), `call(a n {"p":1}) .tool_use`},
		{"invalid arguments are not replaced", stream(begin, start(0, `{"type":"tool_use","id":"a","name":"n"}`), delta(0, "input_json_delta", "partial_json", `{"p":tru`), stop(0), called, over), `call(a n {"p":tru) .tool_use`},
		{"a call cut before its first byte", stream(begin, start(0, `{"type":"tool_use","id":"a","name":"n"}`), `{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`, over), `call(a n ) .max_tokens`},
		{"fields beside a call", stream(begin, start(0, `{"type":"tool_use","id":"a","name":"n","caller":{"type":"code_execution","tool_id":"x"}}`), called, over), `call(a n {}{"caller":{"type":"code_execution","tool_id":"x"}}) .tool_use`},
		{"a lost start of thinking, text and call", stream(begin, delta(0, "thinking_delta", "thinking", "t"), delta(0, "signature_delta", "signature", "s1"), delta(0, "signature_delta", "signature", "s2"), delta(1, "text_delta", "text", "x"), delta(2, "input_json_delta", "partial_json", "{}"), called, over),
			"thinking(t|s1s2) text(x) call(  {}) .tool_use"},
		{"thinking in the start", stream(begin, start(0, `{"type":"thinking","thinking":"a","signature":"s"}`), delta(0, "thinking_delta", "thinking", "b"), ended, over), "thinking(ab|s) .end_turn"},
		{"an empty text beside thinking", stream(begin, start(0, `{"type":"thinking","thinking":"","signature":"s"}`), stop(0), start(1, `{"type":"text","text":""}`), stop(1), ended, over), "thinking(|s) text() .end_turn"},
		{"an empty text alone", stream(begin, start(0, `{"type":"text","text":""}`), stop(0), ended, over), " .end_turn"},
		{"text where thinking was", stream(begin, start(0, `{"type":"thinking","thinking":"a"}`), words, ended, over), "thinking(a|) text(hi) .end_turn"},
		{"citations before and behind their words", stream(begin, start(0, `{"type":"text","text":"","citations":[{"n": 1}]}`), words, `{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"n":2}}}`, stop(0), start(1, `{"type":"text","text":"b"}`), stop(1), ended, over),
			`text(hi) {"type":"text_citations","citations":[{"n": 1},{"n":2}]} text(b) .end_turn`},
		{"a server's call in pieces", stream(begin, start(0, `{"type":"server_tool_use","id":"s","name":"n","input":{}}`), delta(0, "input_json_delta", "partial_json", `{"q":`), delta(0, "input_json_delta", "partial_json", ` "a"}`), stop(0), ended, over), `{"type":"server_tool_use","id":"s","name":"n","input":{"q": "a"}} .end_turn`},
		{"a server's call cut", stream(begin, start(0, `{"type":"server_tool_use","id":"s","input":{}}`), delta(0, "input_json_delta", "partial_json", `{"q":`), ended, over), `{"type":"server_tool_use","id":"s","input":{"_invalid_json":"{\"q\":"}} .end_turn`},
		{"an unknown block with unknown deltas", stream(begin, start(0, `{"type":"new","a.b":"x","keep":[1, 2],"n":null}`), delta(0, "new_delta", "a.b", "y"), `{"type":"content_block_delta","index":0,"delta":{"type":"new_delta","n":{"z":1},"more":true,"text":"t"}}`, delta(0, "new_delta", "text", "u"), stop(0), ended, over),
			`{"type":"new","a.b":"xy","keep":[1, 2],"n":{"z":1},"more":true,"text":"tu"} .end_turn`},
		{"a late delta to an unknown block", stream(begin, start(0, `{"type":"new"}`), stop(0), delta(0, "d", "x", "y"), ended, over), `{"type":"new","x":"y"} .end_turn`},
		{"no start at all", stream(words, ended, over), "text(hi) .end_turn"},
		{"the end without message_delta", stream(begin, words, over), "text(hi) .end_turn"},
		{"nothing said", stream(begin, ended, over), " .end_turn"},
		{"data after the end is not read", stream(begin, words, ended, over, `{"type":"error","error":{"message":"no"}}`), "text(hi) .end_turn"},
		{"[DONE] and chatter between", stream(begin, "[DONE]", `"text"`, "keep-alive", words, ended, "[DONE]"), "text(hi) .end_turn"},
		{"[DONE] is no end", stream(begin, words, "[DONE]"), "text(hi) !network: stream ended early"},
		{"the type in the event's name only", "event: message_start\ndata: {\"message\":{\"id\":\"m\"}}\n\nevent: content_block_delta\ndata: {\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}}\n\nevent: message_delta\ndata: {\"delta\":{\"stop_reason\":\"end_turn\"}}\n\nevent: message_stop\ndata: {}\n\n", "text(hi) .end_turn"},
		{"a second start of another id", stream(begin, words, start(1, `{"type":"tool_use","id":"a","name":"n"}`), `{"type":"message_start","message":{"id":"m2"}}`, delta(0, "text_delta", "text", "new"), ended, over), "text(new) .end_turn"},
		{"a second start of the same id", stream(begin, words, begin, delta(0, "text_delta", "text", "!"), ended, over), "text(hi!) .end_turn"},
		{"a null stop reason, then one", stream(begin, words, `{"type":"message_delta","delta":{"stop_reason":null}}`, ended, over), "text(hi) .end_turn"},
		{"an event mangled in the middle", stream(begin, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}`, words, ended, over), " !server: the stream holds an event that is not JSON"},

		{"overloaded", stream(begin, words, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), "text(hi) !server: Overloaded"},
		{"too many requests", stream(begin, `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`), " !rate: slow down"},
		{"an error event whose JSON has no type", "event: error\ndata: {\"error\":{\"message\":\"bad\",\"code\":502}}\n\n", " !server: bad"},
		{"the other wire's error", stream(begin, `{"error":{"message":"context_length_exceeded","type":"<nil>","code":"400"}}`), " !overflow: context_length_exceeded"},
		{"an error that is a string", stream(begin, `{"error":"upstream failed"}`), " !server: upstream failed"},
		{"an error event of plain words", "event: error\ndata: boom\n\n", " !server: boom"},
		{"a field named error", "error: {\"error\":{\"message\":\"failed to decode\",\"code\":500}}\n\n", " !server: failed to decode"},
		{"an error after the stop reason", stream(begin, words, ended, `{"type":"error","error":{"type":"api_error","message":"late"}}`), "text(hi) !server: late"},
		{"null beside a normal event is no error", stream(begin, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"},"error":null}`, ended, over), "text(hi) .end_turn"},

		{"cut before the stop reason", stream(begin, words), "text(hi) !network: stream ended early"},
		{"nothing at all", "", " !network: stream ended early"},
		{"comments only", ": hi\n\n: hi\n\n", " !network: stream ended early"},
		{"a web page", "\n<!DOCTYPE html><title>Sign in</title>", " !invalid: the reply is not an event stream, it begins: <!DOCTYPE html><title>Sign in</title>"},
		{"plain words", "upstream connect error\nreset", " !invalid: the reply is not an event stream, it begins: upstream connect error reset"},
		{"an empty object", "{}", " !invalid: the reply is not an event stream, it begins: {}"},
		{"one JSON message", "\n" + `{"id":"m","type":"message","content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"a"},{"type":"tool_use","id":"c","name":"n","input":{"p": 1}},{"type":"tool_use","id":"d","name":"n","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":1}}`,
			`thinking(t|s) text(a) call(c n {"p": 1}) call(d n {}) .tool_use`},
		{"one JSON error", `{"type":"error","error":{"type":"authentication_error","message":"no key"}}`, " !auth: no key"},
		{"an error in a list", `[{"error":{"code":429,"message":"rate limit"}}]`, " !rate: rate limit"},
		{"FastAPI's error", `{"detail":"Not a model"}`, " !server: Not a model"},
		{"a line for each event, no fields", begin + "\n" + words + "\n" + ended + "\n" + over + "\n", "text(hi) .end_turn"},
		{"the same, cut", begin + "\n" + words + "\n", "text(hi) !network: stream ended early"},
		{"JSON that is cut", `{"type":"message","content":[{"type":"te`, ` !invalid: the reply is not an event stream, it begins: {"type":"message","content":[{"type":"te`},
	} {
		if got := sketch(c.body); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A long page is shown up to its first 500 bytes, whole characters only.
func TestPageIsShownShort(t *testing.T) {
	_, err := events(strings.NewReader("<p>" + strings.Repeat("é", 20_000)))
	var e *provider.Error
	if !errors.As(err, &e) || len(e.Message) > 700 || strings.Contains(e.Message, "�") || !strings.HasSuffix(e.Message, "é") {
		t.Errorf("%v", err)
	}
}

// endless is a connection that a proxy holds open: a read past the end never
// returns, here it fails the test.
type endless struct {
	t *testing.T
	r io.Reader
}

func (e endless) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if err == io.EOF {
		e.t.Error("read on after message_stop")
	}
	return n, err
}

func TestStopsAtTheEnd(t *testing.T) {
	if _, err := events(endless{t, strings.NewReader(hello.body)}); err != nil {
		t.Error(err)
	}
}

// counted counts progress.
type counted struct {
	io.Reader
	n int
}

func (c *counted) Progress() { c.n++ }

func TestPingsAreNoProgress(t *testing.T) {
	ping := `{"type":"ping"}`
	c := &counted{Reader: strings.NewReader(": c\n\n" + stream(ping, begin, ping, delta(0, "text_delta", "text", "x"), ping, ended, over))}
	if _, err := events(c); err != nil || c.n != 4 {
		t.Errorf("%d calls, %v", c.n, err)
	}
}

func TestUsage(t *testing.T) {
	usage := func(first, last string) provider.Usage {
		t.Helper()
		m, err := provider.Collect(Decode(strings.NewReader(stream(
			`{"type":"message_start","message":{"id":"m","usage":`+first+`}}`,
			start(0, `{"type":"server_tool_use","id":"s","name":"n","input":{}}`),
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":`+last+`}`, over)), ""), nil)
		if err != nil {
			t.Fatal(err)
		}
		return m.Usage
	}
	for _, c := range []struct {
		first, last string
		want        provider.Usage
	}{
		{`null`, `null`, provider.Usage{}},
		{`{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":2}`, `{"output_tokens":3}`, provider.Usage{Input: 17, CacheRead: 5, CacheWrite: 2, Output: 3, Reported: true}},
		{`{"input_tokens":10}`, `{"input_tokens":null,"output_tokens":3.0,"output_tokens_details":{"thinking_tokens":2},"cost":0.5}`, provider.Usage{Input: 10, Output: 3, Reasoning: 2, Cost: 0.5, Reported: true}},
		{`{"input_tokens":0}`, `{"input_tokens":7,"cache_creation":{"ephemeral_5m_input_tokens":1,"ephemeral_1h_input_tokens":2}}`, provider.Usage{Input: 10, CacheWrite: 3, Reported: true}},
		{`{"input_tokens":2479}`, `{"input_tokens":404500}`, provider.Usage{Input: 404500, Context: 2479, Reported: true}},
		{`{"input_tokens":1}`, `{"input_tokens":2411,"iterations":[{"input_tokens":1128},{"input_tokens":1283,"cache_read_input_tokens":7}]}`, provider.Usage{Input: 2411, Context: 1290, Reported: true}},
		{`{"prompt_tokens":9}`, `{"completion_tokens":4}`, provider.Usage{Input: 9, Output: 4, Reported: true}},
	} {
		if got := usage(c.first, c.last); got != c.want {
			t.Errorf("%s, %s:\n got %+v\nwant %+v", c.first, c.last, got, c.want)
		}
	}
}

// What a failed reply cost is counted: a Stop with StopError precedes the error.
func TestFailureReportsUsage(t *testing.T) {
	evs, err := events(strings.NewReader(stream(begin, `{"type":"error","error":{"type":"api_error","message":"x"}}`)))
	last, _ := evs[len(evs)-1].(provider.Stop)
	if err == nil || last.Reason != provider.StopError || last.Usage.Input != 1 {
		t.Errorf("%v %v", evs, err)
	}
}

func TestRefusalSaysWhy(t *testing.T) {
	evs, err := events(strings.NewReader(string(read(t, "testdata/streams/anthropic-refusal-no-content.sse"))))
	if err != nil {
		t.Fatal(err)
	}
	s := evs[len(evs)-1].(provider.Stop)
	if s.Reason != provider.StopRefusal || !strings.HasPrefix(s.Detail, "cyber: This request") || !strings.HasSuffix(s.Detail, "(recommended model: claude-fable-5)") {
		t.Errorf("%+v", s)
	}
	for word, want := range map[string]string{"model_context_window_exceeded": "max_tokens model_context_window_exceeded", "shiny": "other shiny", "pause_turn": "pause "} {
		evs, _ := events(strings.NewReader(stream(begin, `{"type":"message_delta","delta":{"stop_reason":"`+word+`"}}`, over)))
		if s := evs[len(evs)-1].(provider.Stop); fmt.Sprint(s.Reason, " ", s.Detail) != want {
			t.Errorf("%s: %+v", word, s)
		}
	}
}

// A start over behind our back voids what was shown.
func TestRestartIsARetry(t *testing.T) {
	evs, err := events(strings.NewReader(stream(begin, delta(0, "text_delta", "text", "a"), `{"type":"message_start","message":{"id":"m2"}}`, delta(0, "text_delta", "text", "b"), ended, over)))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, ev := range evs {
		kinds = append(kinds, strings.TrimPrefix(fmt.Sprintf("%T", ev), "provider."))
	}
	if got := strings.Join(kinds, " "); got != "Start TextDelta Retry Start TextDelta Stop" {
		t.Errorf("got %s", got)
	}
}

// TestUsageInStrings: figures that are strings count like figures.
func TestUsageInStrings(t *testing.T) {
	body := stream(begin, start(0, `{"type":"text","text":"a"}`), `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":"12","output_tokens":"5"}}`, over)
	m, err := provider.Collect(Decode(strings.NewReader(body), "anthropic/m"), nil)
	if err != nil || m.Usage.Input != 12 || m.Usage.Output != 5 {
		t.Errorf("%+v, %v", m.Usage, err)
	}
}

// TestMiniMaxDeclines with a status of 200.
func TestMiniMaxDeclines(t *testing.T) {
	if got := sketch(`{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`); got != " !quota: insufficient balance" {
		t.Error(got)
	}
}

// TestSlipsOfAModel: what a model once got wrong does not end the conversation.
func TestSlipsOfAModel(t *testing.T) {
	body := string(encode(t, "", provider.Request{Model: opus, Messages: []provider.Message{
		provider.UserText("hi"),
		answer(opus, provider.ToolUse{ID: "1", WireID: "1", Name: "functions.read file", Input: `{"p":"\ud83d"}`}, provider.ToolUse{ID: "2", WireID: "2"}),
		user(result("1", "a"), result("2", "b")),
	}}))
	for _, want := range []string{`"name":"functions_read_file","input":{"p":"\ufffd"}`, `"id":"2","name":"unnamed","input":{}`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
}

// TestImageTooLarge: the image goes, the conversation stays.
func TestImageTooLarge(t *testing.T) {
	for _, words := range []string{
		"messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes",
		"messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
	} {
		s := serve(t, reply{400, `{"type":"error","error":{"type":"invalid_request_error","message":"` + words + `"}}`}, reply{0, stream(begin, start(0, `{"type":"text","text":"a"}`), ended, over)})
		p := New(Options{BaseURL: s.URL})
		m, err := provider.Collect(p.Stream(t.Context(), provider.Request{Model: opus, Messages: []provider.Message{user(text_("look"), provider.Image{MIME: "image/png", Data: "QUJD"})}}), nil)
		if err != nil || m.PlainText() != "a" || len(s.bodies) != 2 || strings.Contains(s.bodies[1], "base64") {
			t.Errorf("%s: %d tries, %v", words, len(s.bodies), err)
		}
	}
}
