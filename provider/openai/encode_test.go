package openai

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"forge/provider"
)

func encodeAt(t *testing.T, srv string, req provider.Request) gjson.Result {
	t.Helper()
	s := &state{}
	return encodeWith(t, srv, req, s)
}

func encodeWith(t *testing.T, srv string, req provider.Request, s *state) gjson.Result {
	t.Helper()
	e := &encoder{req: req, srv: serverFor(srv, ""), state: s, quirks: &s.quirks}
	got := e.encode()
	if !json.Valid(got) {
		t.Fatalf("not JSON: %s", got)
	}
	return gjson.ParseBytes(got)
}

func user(blocks ...provider.Block) provider.Message {
	return provider.Message{Role: provider.User, Blocks: blocks}
}

func said(origin string, blocks ...provider.Block) provider.Message {
	return provider.Message{Role: provider.Assistant, Origin: origin, Blocks: blocks}
}

func ask(id string) provider.ToolUse {
	return provider.ToolUse{ID: id, WireID: "w" + id, Name: "ls", Input: `{"p": 1}`}
}

func answer(id, text string) provider.ToolResult {
	return provider.ToolResult{ID: id, Content: []provider.Block{provider.Text{Text: text}}}
}

var ls = provider.ToolSpec{Name: "ls", Description: "list", Schema: json.RawMessage(`{"type":"object","properties":{"p":{"type":"integer"}},"required":["p"]}`)}

// roles is the conversation as "role content", one a line.
func roles(body gjson.Result) string {
	var out []string
	for _, m := range body.Get("messages").Array() {
		out = append(out, m.Get("role").String()+" "+m.Get("content").Raw)
	}
	return strings.Join(out, "\n")
}

func TestConversationShape(t *testing.T) {
	png := provider.Image{MIME: "image/png", Data: "QUJD"}
	for name, c := range map[string]struct {
		srv  string
		msgs []provider.Message
		want string
	}{
		"one message a result, in the order of the calls, text after": {"deepseek", []provider.Message{
			provider.UserText("hi"), said("", ask("a"), ask("b")), user(answer("b", "B"), answer("a", "A"), provider.Text{Text: "go on"})},
			"system \"sys\"\nuser \"hi\"\nassistant \"\"\ntool \"A\"\ntool \"B\"\nuser \"go on\""},
		"neighbours merge": {"deepseek", []provider.Message{
			provider.UserText("a"), provider.UserText("b"), said("", provider.Text{Text: "c"}), said("", provider.Text{Text: "d"}), provider.UserText("e")},
			"system \"sys\"\nuser \"a\\n\\nb\"\nassistant \"cd\"\nuser \"e\""},
		"a system message in the middle is the user's, a leading one the system's": {"deepseek", []provider.Message{
			{Role: provider.System, Blocks: []provider.Block{provider.Text{Text: "lead"}}}, provider.UserText("a"), said("", provider.Text{Text: "b"}),
			{Role: provider.System, Blocks: []provider.Block{provider.Text{Text: "mid"}}}},
			"system \"sys\\n\\nlead\"\nuser \"a\"\nassistant \"b\"\nuser \"mid\""},
		"an empty assistant message is dropped": {"deepseek", []provider.Message{
			provider.UserText("a"), said("", provider.Thinking{Text: "hm"}), said("", provider.Text{}), provider.UserText("b")},
			"system \"sys\"\nuser \"a\\n\\nb\""},
		"a call without result gets one": {"deepseek", []provider.Message{
			provider.UserText("a"), said("", ask("a"), ask("b")), user(answer("a", "A"))},
			"system \"sys\"\nuser \"a\"\nassistant \"\"\ntool \"A\"\ntool \"no result: the call was interrupted\""},
		"also where the assistant goes on": {"deepseek", []provider.Message{
			provider.UserText("a"), said("", ask("a")), said("", provider.Text{Text: "b"}), provider.UserText("c")},
			"system \"sys\"\nuser \"a\"\nassistant \"\"\ntool \"no result: the call was interrupted\"\nassistant \"b\"\nuser \"c\""},
		"a result without call becomes text": {"deepseek", []provider.Message{user(answer("zz", "Z"), provider.Text{Text: "x"})},
			"system \"sys\"\nuser \"Result of an earlier call: Z\\n\\nx\""},
		"it does not end with the assistant": {"deepseek", []provider.Message{provider.UserText("a"), said("", provider.Text{Text: "b"})},
			"system \"sys\"\nuser \"a\"\nassistant \"b\"\nuser \"Continue.\""},
		"content null at OpenAI": {"openai", []provider.Message{provider.UserText("a"), said("", ask("a")), user(answer("a", "A"))},
			"system \"sys\"\nuser \"a\"\nassistant null\ntool \"A\""},
		"a failed result says so; an empty one is not empty": {"deepseek", []provider.Message{provider.UserText("a"), said("", ask("a"), ask("b")),
			user(provider.ToolResult{ID: "a", IsError: true, Content: []provider.Block{provider.Text{Text: "no such file"}}}, provider.ToolResult{ID: "b"})},
			"system \"sys\"\nuser \"a\"\nassistant \"\"\ntool \"Error: no such file\"\ntool \"(no output)\""},
		"images of results follow": {"deepseek", []provider.Message{provider.UserText("a"), said("", ask("a"), ask("b")),
			user(provider.ToolResult{ID: "a", Content: []provider.Block{png}}, answer("b", "B"), provider.Text{Text: "see"})},
			`system "sys"` + "\n" + `user "a"` + "\n" + `assistant ""` + "\n" + `tool "The image follows."` + "\n" + `tool "B"` + "\n" +
				`user [{"type":"text","text":"Image from ls:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}},{"type":"text","text":"see"}]`},
		"or stand in them": {"llamacpp", []provider.Message{provider.UserText("a"), said("", ask("a")), user(provider.ToolResult{ID: "a", Content: []provider.Block{provider.Text{Text: "x"}, png}})},
			`system "sys"` + "\n" + `user "a"` + "\n" + `assistant ""` + "\n" + `tool [{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}}]`},
		"foreign opaque blocks stay out": {"deepseek", []provider.Message{provider.UserText("a"),
			said("anthropic/claude", provider.Thinking{Text: "hm", Signature: "s"}, provider.Opaque{Origin: "anthropic/claude", JSON: `{"type":"x"}`}, provider.Text{Text: "b"}), provider.UserText("c")},
			"system \"sys\"\nuser \"a\"\nassistant \"b\"\nuser \"c\""},
	} {
		t.Run(name, func(t *testing.T) {
			body := encodeAt(t, c.srv, provider.Request{Model: "m", System: "sys", Messages: c.msgs})
			if got := roles(body); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestReasoningGoesBack(t *testing.T) {
	own := func(srv, model string) string { return "openai/" + srv + "/" + model }
	turn := func(origin string, th ...provider.Block) []provider.Message {
		return []provider.Message{provider.UserText("a"), said(origin, append(th, ask("a"))...), user(answer("a", "A"))}
	}
	for name, c := range map[string]struct {
		srv, model string
		effort     provider.Effort
		msgs       []provider.Message
		key, want  string // of the assistant message, raw
	}{
		"in its field":                   {"deepseek", "deepseek-v4-pro", "", turn(own("deepseek", "deepseek-v4-flash"), provider.Thinking{Text: "hm", Field: "reasoning_content"}), "reasoning_content", `"hm"`},
		"empty, beside a call":           {"deepseek", "deepseek-v4-pro", "", turn(own("deepseek", "deepseek-v4-pro"), provider.Thinking{Field: "reasoning_content"}), "reasoning_content", `""`},
		"a stand-in for a foreign turn":  {"deepseek", "deepseek-v4-pro", "", turn("anthropic/claude-x", provider.Thinking{Text: "secret", Signature: "s"}), "reasoning_content", `"."`},
		"a stand-in at Moonshot":         {"moonshot", "kimi-k2.5", "", turn("openai/deepseek/deepseek-v4-pro", provider.Thinking{Text: "secret", Field: "reasoning_content"}), "reasoning_content", `"."`},
		"no stand-in without thinking":   {"deepseek", "deepseek-v4-pro", "none", turn("anthropic/claude-x"), "reasoning_content", ``},
		"no stand-in elsewhere":          {"groq", "m", "", turn("anthropic/claude-x"), "reasoning_content", ``},
		"dropped for another family":     {"openrouter", "x-ai/grok-4", "", turn(own("openrouter", "anthropic/claude-sonnet-5"), provider.Thinking{Text: "hm", Field: "reasoning"}), "reasoning", ``},
		"dropped for another server":     {"vercel", "anthropic/claude-sonnet-5", "", turn(own("openrouter", "anthropic/claude-sonnet-5"), provider.Thinking{Text: "hm", Field: "reasoning"}), "reasoning", ``},
		"the field reasoning":            {"groq", "openai/gpt-oss-120b", "", turn(own("groq", "openai/gpt-oss-120b"), provider.Thinking{Text: "hm", Field: "reasoning"}), "reasoning", `"hm"`},
		"the details unchanged":          {"openrouter", "anthropic/claude-sonnet-5", "", turn(own("openrouter", "anthropic/claude-sonnet-5"), provider.Thinking{Text: "hm", Field: "reasoning", Extra: `[{"type":"reasoning.text", "text":"hm","signature":"s"}]`}), "reasoning_details", `[{"type":"reasoning.text", "text":"hm","signature":"s"}]`},
		"not the same twice":             {"openrouter", "anthropic/claude-sonnet-5", "", turn(own("openrouter", "anthropic/claude-sonnet-5"), provider.Thinking{Text: "hm", Field: "reasoning", Extra: `[{"type":"reasoning.text"}]`}), "reasoning", ``},
		"copilot's opaque":               {"copilot", "claude-sonnet-4.5", "", turn(own("copilot", "claude-sonnet-4.5"), provider.Thinking{Text: "hm", Field: "reasoning_text", Extra: `{"reasoning_opaque":"zz"}`}), "reasoning_opaque", `"zz"`},
		"mistral's parts":                {"mistral", "mistral-small-latest", "", turn(own("mistral", "mistral-small-latest"), provider.Thinking{Text: "hm", Field: "content"}), "content", `[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]`},
		"gemini's flagged text does not": {"gemini", "gemini-3-pro", "", turn(own("gemini", "gemini-3-pro"), provider.Thinking{Text: "hm", Field: "extra_content"}), "reasoning_content", ``},
		"gpt-oss: text or reasoning":     {"llamacpp", "gpt-oss-20b", "", turn(own("llamacpp", "gpt-oss-20b"), provider.Thinking{Text: "hm", Field: "reasoning_content"}, provider.Text{Text: "x"}), "reasoning_content", ``},
	} {
		t.Run(name, func(t *testing.T) {
			body := encodeAt(t, c.srv, provider.Request{Model: c.model, Effort: c.effort, Messages: c.msgs, Tools: []provider.ToolSpec{ls}})
			if got := body.Get("messages.1." + c.key).Raw; got != c.want {
				t.Errorf("got %s, want %s in %s", got, c.want, body.Get("messages.1").Raw)
			}
			if strings.Contains(body.Raw, "secret") {
				t.Error("foreign reasoning went out")
			}
		})
	}
}

func TestReasoningFieldLearned(t *testing.T) {
	s := &state{}
	s.quirks.Learn(&provider.Error{Kind: provider.KindInvalid, Status: 400, Message: "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2"})
	body := encodeWith(t, "somewhere", provider.Request{Model: "kimi-k2.5", Messages: []provider.Message{provider.UserText("a"), said("", ask("a")), user(answer("a", "A"))}}, s)
	if got := body.Get("messages.1.reasoning_content").String(); got == "" {
		t.Errorf("not sent: %s", body.Raw)
	}
}

func TestGeminiSignatures(t *testing.T) {
	origin := "openai/gemini/gemini-3-pro"
	a, b := ask("a"), ask("b")
	a.Extra = `{"google":{"thought_signature":"sig"}}`
	body := encodeAt(t, "gemini", provider.Request{Model: "gemini-3-flash", Messages: []provider.Message{
		provider.UserText("x"), said(origin, a, b), user(answer("a", "A"), answer("b", "B")),
		said("anthropic/claude", ask("c"), ask("d")), user(answer("c", "C"), answer("d", "D"))}})
	for path, want := range map[string]string{
		"messages.1.tool_calls.0.extra_content": `{"google":{"thought_signature":"sig"}}`,
		"messages.1.tool_calls.1.extra_content": ``,
		"messages.4.tool_calls.0.extra_content": `{"google":{"thought_signature":"skip_thought_signature_validator"}}`,
		"messages.4.tool_calls.1.extra_content": ``,
	} {
		if got := body.Get(path).Raw; got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestIDs(t *testing.T) {
	call := func(id, wire string) provider.ToolUse {
		return provider.ToolUse{ID: id, WireID: wire, Name: "ls", Input: "{}"}
	}
	history := func(origin string, uses ...provider.ToolUse) []provider.Message {
		var ms []provider.Message
		for _, u := range uses {
			ms = append(ms, provider.UserText("x"), said(origin, u), user(answer(u.ID, "r")))
		}
		return ms
	}
	sent := func(srv, model string, ms []provider.Message) []string {
		body := encodeAt(t, srv, provider.Request{Model: model, Messages: ms})
		var calls, results []string
		for _, m := range body.Get("messages").Array() {
			for _, c := range m.Get("tool_calls").Array() {
				calls = append(calls, c.Get("id").String())
			}
			if m.Get("role").String() == "tool" {
				results = append(results, m.Get("tool_call_id").String())
			}
		}
		if strings.Join(calls, " ") != strings.Join(results, " ") {
			t.Errorf("calls %v, results %v", calls, results)
		}
		return calls
	}
	kimi := "openai/moonshot/kimi-k2.5"
	if got := sent("moonshot", "kimi-k2.5", history(kimi, call("o1", "functions.ls:0"), call("o2", "functions.ls:0"))); got[0] != "functions.ls:0" || got[1] != "functions.ls:0" {
		t.Errorf("kimi: %v", got)
	}
	if got := sent("groq", "m", history("openai/groq/m", call("o1", "0"), call("o2", "0"))); got[0] != "0" || got[1] == "0" {
		t.Errorf("repeated: %v", got)
	}
	got := sent("mistral", "m", history("openai/mistral/m", call("o1", "Abc123xyz"), call("o2", "call_with_a_long_name")))
	if got[0] != "Abc123xyz" || len(got[1]) != 9 || !plain(got[1], "") {
		t.Errorf("mistral: %v", got)
	}
	long := strings.Repeat("x", 41)
	if got := sent("openai", "gpt-5", history("openai/openai/gpt-5", call(long, long))); len(got[0]) > 40 {
		t.Errorf("openai: %v", got)
	}
	if got := sent("openrouter", "anthropic/claude-x", history("openai/openrouter/kimi", call("functions.x:1", "functions.ls:0"))); !plain(got[0], "-_") {
		t.Errorf("claude: %v", got)
	}
	// A foreign server's id is not ours to send, and what we send is stable.
	one, two := sent("deepseek", "m", history("anthropic/x", call("call1", "toolu_1"))), sent("deepseek", "m", history("anthropic/x", call("call1", "toolu_1")))
	if one[0] != "call1" || two[0] != one[0] {
		t.Errorf("foreign: %v, %v", one, two)
	}
}

func TestArgumentsGoBack(t *testing.T) {
	for in, want := range map[string]string{
		`{"a" :  1}`: `{"a" :  1}`, "": "{}", " ": "{}", `{"a":`: `{"_invalid_json":"{\"a\":"}`, `{"a":1}{"b":2}`: `{"_invalid_json":"{\"a\":1}{\"b\":2}"}`, `[1]`: `{"_invalid_json":"[1]"}`,
	} {
		body := encodeAt(t, "ollama", provider.Request{Model: "m", Messages: []provider.Message{provider.UserText("x"), said("", provider.ToolUse{ID: "a", Name: "ls", Input: in}), user(answer("a", "A"))}})
		if got := body.Get("messages.1.tool_calls.0.function.arguments").String(); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

// No default model may fail on its first tool call.
func TestEffort(t *testing.T) {
	for _, c := range []struct {
		srv, model string
		effort     provider.Effort
		tools      bool
		key, want  string
	}{
		{"openai", "gpt-5.6-terra", "high", true, "reasoning_effort", `"none"`},
		{"openai", "gpt-5.6-terra", "", true, "reasoning_effort", `"none"`},
		{"openai", "gpt-5.6", "high", false, "reasoning_effort", `"high"`},
		{"openai", "gpt-5.6", "", false, "reasoning_effort", ``},
		{"azure", "gpt-5.6-sol", "", true, "reasoning_effort", `"none"`},
		{"copilot", "gpt-5.6-luna", "low", true, "reasoning_effort", `"none"`},
		{"aihubmix", "gpt-5.6", "low", true, "reasoning_effort", `"none"`},
		{"openai", "gpt-5.4-mini", "high", true, "reasoning_effort", ``},
		{"openai", "gpt-5.5", "high", true, "reasoning_effort", ``},
		{"openai", "gpt-5.5", "high", false, "reasoning_effort", `"high"`},
		{"openai", "gpt-5.2", "max", true, "reasoning_effort", `"xhigh"`},
		{"openai", "gpt-5.1", "max", true, "reasoning_effort", `"high"`},
		{"openai", "gpt-5", "none", true, "reasoning_effort", `"minimal"`},
		{"openai", "gpt-5", "", true, "reasoning_effort", ``},
		{"openai", "o4-mini", "minimal", true, "reasoning_effort", `"low"`},
		{"openai", "gpt-4o", "high", true, "reasoning_effort", ``},
		{"openrouter", "openai/gpt-5.6", "high", true, "reasoning", `{"effort":"high"}`},
		{"deepseek", "deepseek-v4-pro", "high", true, "thinking", `{"type":"enabled"}`},
		{"deepseek", "deepseek-v4-pro", "max", true, "reasoning_effort", `"max"`},
		{"deepseek", "deepseek-v4-pro", "none", true, "thinking", `{"type":"disabled"}`},
		{"zai", "glm-5", "low", true, "thinking", `{"type":"enabled"}`},
		{"alibaba", "qwen3-max", "none", true, "enable_thinking", `false`},
		{"alibaba", "qwen3-max", "low", true, "thinking_budget", `4096`},
		{"vllm", "qwen3", "none", true, "chat_template_kwargs", `{"enable_thinking":false,"thinking":false}`},
		{"llamacpp", "gpt-oss-20b", "xhigh", true, "reasoning_effort", `"high"`},
		{"groq", "openai/gpt-oss-120b", "max", true, "reasoning_effort", `"high"`},
		{"groq", "qwen/qwen3-32b", "high", true, "reasoning_effort", `"default"`},
		{"xai", "grok-4", "", true, "reasoning_effort", ``},
		{"ollama", "qwen3", "none", true, "reasoning_effort", `"none"`},
	} {
		req := provider.Request{Model: c.model, Effort: c.effort, Messages: []provider.Message{provider.UserText("x")}}
		if c.tools {
			req.Tools = []provider.ToolSpec{ls}
		}
		if got := encodeAt(t, c.srv, req).Get(c.key).Raw; got != c.want {
			t.Errorf("%s %s %q, tools %v: %s is %s, want %s", c.srv, c.model, c.effort, c.tools, c.key, got, c.want)
		}
	}
}

func TestFields(t *testing.T) {
	req := func(model string) provider.Request {
		return provider.Request{Model: model, MaxTokens: 100, System: "s", Messages: []provider.Message{provider.UserText("x")}, Tools: []provider.ToolSpec{ls}}
	}
	for _, c := range []struct{ srv, model, key, want string }{
		{"openai", "gpt-4o", "max_completion_tokens", "100"},
		{"openai", "gpt-4o", "max_tokens", ""},
		{"azure", "o4-mini", "max_completion_tokens", "100"},
		{"deepseek", "deepseek-v4-pro", "max_tokens", "100"},
		{"openrouter", "openai/gpt-5", "max_tokens", "100"},
		{"deepseek", "deepseek-v4-pro", "stream_options", `{"include_usage":true}`},
		{"zai", "glm-5", "tool_stream", "true"},
		{"minimax", "minimax-m2", "reasoning_split", "true"},
		{"openrouter", "x", "usage", `{"include":true}`},
		{"groq", "x", "prompt_cache_key", ""},
		{"groq", "x", "temperature", ""},
		{"groq", "x", "parallel_tool_calls", ""},
	} {
		if got := encodeAt(t, c.srv, req(c.model)).Get(c.key).Raw; got != c.want {
			t.Errorf("%s %s: %s is %s", c.srv, c.model, c.key, got)
		}
	}
	key := encodeAt(t, "openai", req("gpt-5")).Get("prompt_cache_key").String()
	other := req("gpt-5")
	other.Messages = append(other.Messages, said("", provider.Text{Text: "y"}), provider.UserText("z"))
	if key == "" || len(key) > 64 || encodeAt(t, "openai", other).Get("prompt_cache_key").String() != key {
		t.Errorf("cache key %q", key)
	}
	s := &state{}
	e := &encoder{req: req("qwen3"), srv: serverFor("ollama", ""), state: s, quirks: &s.quirks, window: 32768}
	if got := gjson.GetBytes(e.encode(), "num_ctx").Int(); got != 32768 {
		t.Errorf("num_ctx %d", got)
	}
}

// What a server refused or insists on, the next body honours.
func TestQuirksAreHonoured(t *testing.T) {
	s := &state{}
	for _, msg := range []string{
		"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
		"stream_options: Extra inputs are not permitted",
		"Function tools with reasoning_effort are not supported for x in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'",
	} {
		if changed, note := s.quirks.Learn(&provider.Error{Kind: provider.KindInvalid, Status: 400, Message: msg, Field: provider.Classify(400, nil, []byte(msg)).Field}); !changed || note == "" {
			t.Errorf("%q taught nothing", msg)
		}
	}
	body := encodeWith(t, "somewhere", provider.Request{Model: "x", MaxTokens: 100, Messages: []provider.Message{provider.UserText("x")}, Tools: []provider.ToolSpec{ls}}, s)
	if body.Get("max_completion_tokens").Int() != 100 || body.Get("max_tokens").Exists() || body.Get("stream_options").Exists() || body.Get("reasoning_effort").String() != "none" {
		t.Errorf("got %s", body.Raw)
	}
}

func TestTools(t *testing.T) {
	z := ls
	z.Name = "zz"
	req := provider.Request{Model: "m", Messages: []provider.Message{provider.UserText("x")}, Tools: []provider.ToolSpec{z, ls}}
	body := encodeAt(t, "deepseek", req)
	if got := body.Get("tools.#.function.name").Raw; got != `["ls","zz"]` {
		t.Errorf("order %s", got)
	}
	if req.Tools[0].Name != "zz" {
		t.Error("the request's own tools were sorted")
	}
	if encodeAt(t, "deepseek", provider.Request{Model: "m", Messages: req.Messages}).Get("tools").Exists() {
		t.Error("an empty array of tools")
	}
	used := provider.Request{Model: "anthropic/claude-x", Messages: []provider.Message{provider.UserText("x"), said("", ask("a")), user(answer("a", "A"))}}
	body = encodeAt(t, "openrouter", used)
	if body.Get("tools.0.function.name").String() != "ls" || body.Get("tool_choice").String() != "none" {
		t.Errorf("history with calls, no tools: %s", body.Raw)
	}
}

func TestCacheMarks(t *testing.T) {
	ms := []provider.Message{provider.UserText("a"), said("", ask("a"), ask("b")), user(answer("a", "A"), answer("b", "B"))}
	body := encodeAt(t, "openrouter", provider.Request{Model: "anthropic/claude-x", System: "s", Messages: ms, Tools: []provider.ToolSpec{ls}})
	if n := strings.Count(body.Raw, "cache_control"); n != 3 {
		t.Errorf("%d marks in %s", n, body.Raw)
	}
	for path, want := range map[string]bool{"messages.0": true, "messages.1": true, "messages.2": false, "messages.3": false, "messages.4": true} {
		if strings.Contains(body.Get(path).Raw, "cache_control") != want {
			t.Errorf("%s: %s", path, body.Get(path).Raw)
		}
	}
	if body := encodeAt(t, "openrouter", provider.Request{Model: "x-ai/grok", System: "s", Messages: ms}); strings.Contains(body.Raw, "cache_control") {
		t.Error("marks for another model")
	}
	s := &state{}
	s.quirks.Learn(&provider.Error{Kind: provider.KindInvalid, Status: 400, Message: "cache_control: Extra inputs are not permitted", Field: "messages.0.content.0.cache_control"})
	if body := encodeWith(t, "vercel", provider.Request{Model: "anthropic/claude-x", System: "s", Messages: ms}, s); strings.Contains(body.Raw, "cache_control") {
		t.Error("marks although refused")
	}
}

// A conversation that only grew makes a body that begins with the last one.
func TestPrefixIsStable(t *testing.T) {
	for _, srv := range []string{"openai", "deepseek", "moonshot", "mistral", "gemini", "ollama", "groq"} {
		model := map[string]string{"openai": "gpt-5.2", "deepseek": "deepseek-v4-pro", "moonshot": "kimi-k2.5", "gemini": "gemini-3-pro"}[srv]
		origin := "openai/" + srv + "/" + model
		ms := []provider.Message{
			provider.UserText("one"),
			said(origin, provider.Thinking{Text: "r1", Field: "reasoning_content"}, provider.Text{Text: "t1"}, ask("a"), ask("b")),
			user(answer("a", "A"), provider.ToolResult{ID: "b", Content: []provider.Block{provider.Image{MIME: "image/png", Data: "QUJD"}}}),
			said(origin, provider.Thinking{Text: "r2", Field: "reasoning_content"}, provider.Text{Text: "t2"}),
			provider.UserText("two"),
			said("anthropic/x", provider.Thinking{Text: "r3", Signature: "s"}, ask("c")),
			user(answer("c", "C"), provider.Text{Text: "three"}),
			said(origin, provider.Text{Text: "t4"}),
			provider.UserText("four"),
		}
		last := ""
		for n := 1; n <= len(ms); n += 2 {
			body := encodeAt(t, srv, provider.Request{Model: model, System: "s", Messages: ms[:n], Tools: []provider.ToolSpec{ls}, MaxTokens: 1000}).Raw
			if last != "" && !strings.HasPrefix(body, strings.TrimSuffix(last, "]}")) {
				t.Errorf("%s, %d messages:\n%s\nis no beginning of\n%s", srv, n, last, body)
			}
			last = body
		}
	}
}

// What a server said comes back as it said it: decode a recording, encode the
// message, and the calls' arguments and the reasoning are there, byte for byte.
func TestRoundTrip(t *testing.T) {
	files, _ := filepath.Glob("testdata/wire/*.sse")
	calls := 0
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		m, err := provider.Collect(Decode(f, DecodeOptions{Origin: "openai/groq/m"}), nil)
		f.Close()
		if err != nil || m.Stop == provider.StopMaxTokens {
			continue
		}
		body := encodeAt(t, "groq", provider.Request{Model: "m", Messages: []provider.Message{provider.UserText("x"), m, provider.UserText("y")}})
		uses := m.ToolUses()
		got := body.Get("messages.1.tool_calls").Array()
		if len(got) != len(uses) {
			t.Errorf("%s: %d calls of %d", file, len(got), len(uses))
			continue
		}
		for i, u := range uses {
			calls++
			if c := got[i]; c.Get("function.arguments").String() != u.Input || c.Get("function.name").String() != u.Name || u.WireID != "" && c.Get("id").String() != u.WireID {
				t.Errorf("%s: %s from %+v", file, c.Raw, u)
			}
		}
		for _, b := range m.Blocks {
			if th, ok := b.(provider.Thinking); ok && th.Extra != "" && body.Get("messages.1.reasoning_details").Raw != th.Extra {
				t.Errorf("%s: details %s from %s", file, body.Get("messages.1.reasoning_details").Raw, th.Extra)
			}
		}
	}
	if calls < 60 {
		t.Errorf("only %d calls", calls)
	}
}

func TestFamily(t *testing.T) {
	for _, c := range []struct{ name, url, want string }{
		{"openai", "", "openai"}, {"openai", "https://api.openai.com/v1", "openai"}, {"openai", "http://127.0.0.1:11434/v1", "ollama"},
		{"openai", "https://gateway.corp.example/v1", "gateway.corp.example"}, {"", "https://api.deepseek.com/v1", "deepseek"}, {"deepseek", "http://127.0.0.1:9999", "deepseek"},
		{"", "https://my.openai.azure.com/openai/deployments/x?api-version=1", "azure"}, {"", "http://localhost:8080/v1", "llamacpp"}, {"", "https://host.example:8080/v1", "host.example:8080"},
		{"zhipu", "https://open.bigmodel.cn/api/paas/v4", "zai"}, {"", "https://notopenrouter.ai/v1", "notopenrouter.ai"}, {"corp", "https://x.example", "corp"},
	} {
		if got := serverFor(c.name, c.url).name; got != c.want {
			t.Errorf("%q %q: %s", c.name, c.url, got)
		}
	}
	for model, want := range map[string]string{
		"openai/gpt-oss-120b": "gpt-oss", "gpt-5.2": "gpt", "o4-mini": "gpt", "anthropic/claude-sonnet-5": "claude", "moonshotai/Kimi-K2": "kimi", "Qwen3-VL-2B": "qwen", "z-ai/glm-5": "glm", "weird7b": "weird",
	} {
		if got := brand(model); got != want {
			t.Errorf("%s: %s", model, got)
		}
	}
	for in, want := range map[string]string{
		"": "https://api.openai.com/v1/chat/completions", "http://h/v1/": "http://h/v1/chat/completions", "http://h/v1/chat/completions": "http://h/v1/chat/completions",
		"https://x.openai.azure.com/openai/deployments/d?api-version=1": "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1",
	} {
		if got := chatURL(in); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
}

func TestAppendQuote(t *testing.T) {
	for _, s := range []string{"", "plain", "a\"b\\c\n\t\r\x00\x1f<>&", "日本👩‍👩‍👧", "\u2028"} {
		var back string
		if err := json.Unmarshal(appendQuote(nil, s), &back); err != nil || back != s {
			t.Errorf("%q became %q, %v", s, back, err)
		}
	}
	var back string
	if err := json.Unmarshal(appendQuote(nil, "a\xffb"), &back); err != nil || back != "a\uFFFDb" {
		t.Errorf("got %q, %v", back, err)
	}
}
