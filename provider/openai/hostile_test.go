package openai

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// TestSlipsOfAModel: what a model once got wrong does not end the conversation.
func TestSlipsOfAModel(t *testing.T) {
	req := provider.Request{Model: "m", Messages: []provider.Message{
		provider.UserText("hi"),
		said("openai/x/m", provider.ToolUse{ID: "1", Name: "functions.read file", Input: `{"p":"\ud83d"}`}, provider.ToolUse{ID: "2"}),
		user(answer("1", "a"), answer("2", "b")),
	}}
	calls := encodeAt(t, "openai", req).Get("messages.1.tool_calls")
	if n := calls.Get("0.function.name").String(); n != "functions_read_file" {
		t.Errorf("name %q", n)
	}
	if a := calls.Get("0.function.arguments").String(); a != `{"p":"\ufffd"}` {
		t.Errorf("arguments %s", a)
	}
	if n, a := calls.Get("1.function.name").String(), calls.Get("1.function.arguments").String(); n != "unnamed" || a != "{}" {
		t.Errorf("call of no name: %q %s", n, a)
	}
}

// TestBlankTextForClaude: its own wire, behind every gateway, refuses a text of
// white space.
func TestBlankTextForClaude(t *testing.T) {
	req := provider.Request{Messages: []provider.Message{
		provider.UserText("hi"), said("openai/x/m", provider.Text{Text: " \n"}, ask("1")), user(answer("1", "  "), provider.Text{Text: "\n"}),
	}}
	req.Model = "anthropic/claude-sonnet-4.6"
	body := encodeAt(t, "litellm", req)
	if got, want := roles(body), "user \"hi\"\nassistant \"\"\ntool \"(no output)\""; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	req.Model = "qwen3"
	if got := encodeAt(t, "x", req).Get("messages.1.content").String(); got != " \n" {
		t.Errorf("others get their own words back, got %q", got)
	}
}

// TestMoreToolsThanTaken: a server with a bound gets no more, our own before those
// of mounted servers, each name once; the person is told once.
func TestMoreToolsThanTaken(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{}}`)
	req := simple
	req.Tools = []provider.ToolSpec{ls, ls}
	for i := range 140 {
		req.Tools = append(req.Tools, provider.ToolSpec{Name: fmt.Sprintf("mcp__s__t%03d", i), Schema: schema})
	}
	req.Tools = append(req.Tools, provider.ToolSpec{Name: "write_file", Schema: schema})
	f, url := serve(t, streams(okReply))
	p := New(Options{Name: "deepseek", BaseURL: url})
	var told []string
	for range 2 {
		_, notices, _, err := collected(p, req)
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, notices...)
	}
	names := map[string]bool{}
	for _, n := range f.bodies[1].Get("tools.#.function.name").Array() {
		names[n.String()] = true
	}
	if len(names) != 128 || !names["ls"] || !names["write_file"] || !names["mcp__s__t000"] || names["mcp__s__t139"] {
		t.Errorf("%d tools", len(names))
	}
	if len(told) != 1 || !strings.Contains(told[0], "128 tools: 14 are left out") {
		t.Errorf("told %q", told)
	}
	f, url = serve(t, streams(okReply))
	if _, notices, _, _ := collected(New(Options{Name: "xai", BaseURL: url}), req); len(notices) != 0 || f.bodies[0].Get("tools.#").Int() != 142 {
		t.Errorf("a server without a bound got %d, told %q", f.bodies[0].Get("tools.#").Int(), notices)
	}
}

// TestFirstTryAtMistral holds no field that it refuses.
func TestFirstTryAtMistral(t *testing.T) {
	if body := encodeAt(t, "mistral", simple); body.Get("stream_options").Exists() {
		t.Error(body.Raw)
	}
	if body := encodeAt(t, "groq", simple); !body.Get("stream_options.include_usage").Bool() {
		t.Error(body.Raw)
	}
}

// TestThinkingOffAtGemini: most of its models cannot be told not to think.
func TestThinkingOffAtGemini(t *testing.T) {
	for model, want := range map[string]string{"gemini-2.5-flash": "none", "gemini-3-flash-preview": "minimal", "gemini-2.5-pro": "low", "gemini-3-pro-preview": "low"} {
		req := simple
		req.Model, req.Effort = model, provider.EffortNone
		if got := encodeAt(t, "gemini", req).Get("reasoning_effort").String(); got != want {
			t.Errorf("%s: %q, want %q", model, got, want)
		}
		req.Effort = provider.EffortMinimal
		if got := encodeAt(t, "gemini", req).Get("reasoning_effort").String(); got != "minimal" {
			t.Errorf("%s: minimal became %q", model, got)
		}
	}
}

// TestConstOfAnyType keeps its type where it cannot stay itself.
func TestConstOfAnyType(t *testing.T) {
	got := gjson.Parse(trimSchema(json.RawMessage(`{"type":"object","properties":{"a":{"const":5},"b":{"const":true},"c":{"const":"x"}}}`), schemaSafe))
	if got.Get("properties.a.type").String() != "number" || got.Get("properties.b.type").String() != "boolean" || got.Get("properties.c.enum.0").String() != "x" {
		t.Error(got.Raw)
	}
}

// TestImagesRefusedAtARouter are left out, and only where there were some.
func TestImagesRefusedAtARouter(t *testing.T) {
	no := refuses(404, `{"error":{"message":"No endpoints found that support image input","code":404}}`)
	req := provider.Request{Model: "m", Messages: []provider.Message{user(provider.Text{Text: "look"}, provider.Image{MIME: "image/png", Data: "QUJD"})}}
	f, url := serve(t, no, streams(okReply))
	m, notices, _, err := collected(New(Options{Name: "openrouter", BaseURL: url}), req)
	if err != nil || m.PlainText() != "hi" || len(notices) != 1 || strings.Contains(f.bodies[1].Raw, "image_url") {
		t.Errorf("%v %q %s", err, notices, f.bodies[len(f.bodies)-1].Raw)
	}
	f, url = serve(t, no)
	if _, notices, _, err := collected(New(Options{Name: "openrouter", BaseURL: url}), simple); err == nil || len(notices) != 0 || len(f.bodies) != 1 {
		t.Errorf("without an image: %d tries, told %q, %v", len(f.bodies), notices, err)
	}
}

// TestEffortAtXAI: a model that takes none is asked without.
func TestEffortAtXAI(t *testing.T) {
	f, url := serve(t, refuses(400, `{"code":"Client specified an invalid argument","error":"Model grok-code-fast-1 does not support parameter reasoningEffort."}`), streams(okReply))
	req := simple
	req.Effort = provider.EffortHigh
	_, notices, _, err := collected(New(Options{Name: "xai", BaseURL: url}), req)
	if err != nil || len(notices) != 1 || f.bodies[1].Get("reasoning_effort").Exists() {
		t.Errorf("%v %q", err, notices)
	}
}

// TestBaseURLWithoutV1 finds the server all the same, and keeps to it.
func TestBaseURLWithoutV1(t *testing.T) {
	nothing := refuses(404, `{"detail":"Not Found"}`)
	f, url := serve(t, nothing, streams(okReply))
	p := New(Options{Name: "xai", BaseURL: url + "/"})
	for n := range 2 {
		m, notices, _, err := collected(p, simple)
		if err != nil || m.PlainText() != "hi" || len(notices) != 1-n {
			t.Errorf("%q, told %q, %v", m.PlainText(), notices, err)
		}
	}
	if got := strings.Join(f.paths, " "); got != "/chat/completions /v1/chat/completions /v1/chat/completions" {
		t.Error(got)
	}
	for _, c := range []struct{ base, body string }{
		{"/v1", `{"detail":"Not Found"}`},
		{"/openai", `{"detail":"Not Found"}`},
		{"", `{"error":{"message":"The model m does not exist","code":"model_not_found"}}`},
	} {
		f, url = serve(t, refuses(404, c.body))
		if _, _, _, err := collected(New(Options{Name: "xai", BaseURL: url + c.base}), simple); err == nil || len(f.paths) != 1 {
			t.Errorf("%s: %v, %v", c.base, f.paths, err)
		}
	}
}

// TestThinkingBlocksOfLiteLLM go back whole, beside the call they led to.
func TestThinkingBlocksOfLiteLLM(t *testing.T) {
	reply := frames(
		delta(`{"reasoning_content":"a","thinking_blocks":[{"type":"thinking","thinking":"a","signature":null}]}`),
		delta(`{"reasoning_content":"b\n","thinking_blocks":[{"type":"thinking","thinking":"b\n","signature":""}]}`),
		delta(`{"content":"","thinking_blocks":[{"type":"thinking","thinking":"","signature":"SIG+/="}]}`),
		delta(`{"thinking_blocks":[{"type":"redacted_thinking","data":"ZZ"}]}`),
		delta(`{"tool_calls":[{"index":0,"id":"x","function":{"name":"ls","arguments":"{}"}}],"thinking_blocks":null}`), finish("tool_calls"), "[DONE]")
	_, url := serve(t, streams(reply))
	req := provider.Request{Model: "claude-sonnet-4-5", Messages: []provider.Message{provider.UserText("x")}, Tools: []provider.ToolSpec{ls}}
	m, _, _, err := collected(New(Options{Name: "xai", BaseURL: url}), req)
	if err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, m, user(answer(m.ToolUses()[0].ID, "ok")))
	got := encodeAt(t, "xai", req).Get("messages.1")
	if want := `[{"type":"thinking","thinking":"ab\n","signature":"SIG+/="},{"type":"redacted_thinking","data":"ZZ"}]`; got.Get("thinking_blocks").Raw != want {
		t.Errorf("got %s", got.Raw)
	}
	if got.Get("reasoning_content").String() != "ab\n" {
		t.Errorf("got %s", got.Raw)
	}
	req.Model = "gpt-5.2"
	if got := encodeAt(t, "xai", req).Get("messages.1"); got.Get("thinking_blocks").Exists() {
		t.Errorf("another model's: %s", got.Raw)
	}
	// One that was cut has no signature.
	cut := frames(delta(`{"reasoning_content":"a","thinking_blocks":[{"type":"thinking","thinking":"a"}]}`), delta(`{"content":"hi"}`), finish("length"))
	m, err = provider.Collect(Decode(strings.NewReader(cut), DecodeOptions{}), nil)
	if th := m.Blocks[0].(provider.Thinking); err != nil || th.Text != "a" || th.Extra != "" {
		t.Errorf("%+v %v", th, err)
	}
}
