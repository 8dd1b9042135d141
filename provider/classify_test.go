package provider

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestClassifyFixtures holds every recorded error body against its kind, and
// where it matters against the numbers, field and hint.
func TestClassifyFixtures(t *testing.T) {
	want := map[string]struct {
		window      int
		field, hint string
	}{
		"anthropic-context-length":      {window: 200000},
		"deepseek-context-length":       {window: 1048565},
		"openrouter-context-length":     {window: 200000},
		"llamacpp-context-length":       {window: 512},
		"anthropic-401":                 {hint: "key refused"},
		"deepseek-401":                  {hint: "key refused"},
		"openrouter-401":                {hint: "no key was sent"},
		"llamacpp-tools-without-jinja":  {hint: "--jinja"},
		"llamacpp-no-images":            {hint: "--mmproj"},
		"deepseek-no-images":            {hint: "cannot see images"},
		"openai-404-model":              {hint: "forge models"},
		"openrouter-400-model":          {hint: "forge models"},
		"mistral-400-flat":              {hint: "forge models"},
		"venice-404-string-error":       {hint: "forge models"},
		"openai-top-p":                  {field: "top_p"},
		"openai-400-temperature":        {field: "temperature"},
		"openai-tools-with-effort":      {field: "reasoning_effort"},
		"deepseek-thinking-tool-choice": {field: "tool_choice"},
		"anthropic-orphan-tool-use":     {hint: "/compact or /new"},
		"anthropic-too-many-optional":   {hint: "schema"},
		"openai-max-tokens-too-small":   {hint: "raise --max-tokens"},
	}
	files, _ := filepath.Glob("testdata/errors/*.json")
	if len(files) < 30 {
		t.Fatalf("%d fixtures, want all of them", len(files))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var fx struct {
				Kind    Kind
				Status  int
				Headers map[string]string
				Body    string
			}
			if err := json.Unmarshal(raw, &fx); err != nil {
				t.Fatal(err)
			}
			h := http.Header{}
			for k, v := range fx.Headers {
				h.Set(k, v)
			}
			e := Classify(fx.Status, h, []byte(fx.Body))
			if e.Kind != fx.Kind {
				t.Errorf("kind %s, want %s", e.Kind, fx.Kind)
			}
			if e.Hint == "" || strings.Contains(e.Hint+e.Message, "\n") || e.Message == "" {
				t.Errorf("message %q, hint %q: want one line each", e.Message, e.Hint)
			}
			w := want[name]
			delete(want, name)
			if e.Window != w.window {
				t.Errorf("window %d, want %d", e.Window, w.window)
			}
			if w.field != "" && e.Field != w.field {
				t.Errorf("field %q, want %q", e.Field, w.field)
			}
			if !strings.Contains(e.Hint, w.hint) {
				t.Errorf("hint %q, want %q in it", e.Hint, w.hint)
			}
			if h.Get("X-Should-Retry") == "false" && !e.NoRetry {
				t.Error("the server forbade a retry")
			}
			if name == "azure-429" && e.After != time.Second {
				t.Errorf("After %s, want 1s", e.After)
			}
			if name == "openrouter-429" && !strings.Contains(e.Message, "temporarily rate-limited upstream") {
				t.Errorf("message %q lacks what the inner server said", e.Message)
			}
		})
	}
	for name := range want {
		t.Errorf("no fixture %s", name)
	}
}

// TestClassifyShapes goes through the facts that no fixture holds: shapes of
// bodies, overflow texts and their veto, quota against rate, odd statuses.
func TestClassifyShapes(t *testing.T) {
	obj := func(msg string) string {
		b, _ := json.Marshal(map[string]any{"error": map[string]any{"message": msg}})
		return string(b)
	}
	for _, c := range []struct {
		name, body string
		status     int
		kind       Kind
		message    string // must be in it
		hint       string // must be in it
	}{
		{"google array", `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, 400, KindAuth, "API key not valid", "key refused"},
		{"fastapi", `{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted","type":"extra_forbidden"}]}`, 422, KindInvalid, "stream_options: Extra inputs", "stream_options"},
		{"fastapi text", `{"detail":"Not authenticated"}`, 403, KindAuth, "Not authenticated", "the API key"},
		{"mistral detail in message", `{"object":"error","message":{"detail":[{"loc":["body","parallel_tool_calls"],"msg":"Extra inputs are not permitted"}]},"type":"invalid_request_error"}`, 422, KindInvalid, "parallel_tool_calls", ""},
		{"json in string", `{"error":"{\"message\":\"prompt is too long: 9 tokens > 5 maximum\"}"}`, 400, KindOverflow, "prompt is too long", "5 tokens"},
		{"json after words", obj(`litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error","message":"input length and ` + "`max_tokens`" + ` exceed context limit: 190000 + 20000 > 200000, decrease input length"}}`), 400, KindOverflow, "exceed context limit", "--max-tokens"},
		{"raw json in metadata", `{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"Unsupported parameter: 'store'\"}}"}}}`, 400, KindInvalid, "Provider returned error: Unsupported parameter", "store"},
		{"html", "<!DOCTYPE html><html><head><title>502 Bad\n Gateway</title></head></html>", 502, KindServer, "web page", "gateway"},
		{"html 404", "<html><head><title>Not Found</title></head></html>", 404, KindInvalid, "Not Found", "base URL"},
		{"html 403", "<html><title>Just a moment...</title></html>", 403, KindAuth, "Just a moment", "firewall"},
		{"empty 400", "", 400, KindOverflow, "bad request", "/compact"},
		{"empty 413", "", 413, KindOverflow, "", "/compact"},
		{"empty 401", "", 401, KindAuth, "unauthorized", "key refused"},
		{"empty 529", "", 529, KindServer, "overloaded", "overloaded"},
		{"nginx 413", "<html><head><title>413 Request Entity Too Large</title></head></html>", 413, KindInvalid, "Too Large", "images"},
		{"anthropic 413", obj("Request exceeds the maximum size"), 413, KindInvalid, "", "images"},
		{"vertex 413", obj("Prompt has 300000 tokens, more than allowed"), 413, KindOverflow, "", "/compact"},
		{"plain text 503", "upstream connect error or disconnect/reset before headers", 503, KindServer, "upstream", "try again"},
		{"tpm veto", obj("Rate limit reached on tokens per minute (TPM): maximum context length is 8000"), 429, KindRate, "", "too many"},
		{"tpm veto 400", obj("tokens per minute exceeded; please reduce the length of the messages"), 400, KindInvalid, "", ""},
		{"openai quota", `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, 429, KindQuota, "", "top up"},
		{"moonshot quota", `{"error":{"message":"Your account is suspended","type":"exceeded_current_quota_error"}}`, 429, KindQuota, "", ""},
		{"zai limit", `{"error":{"code":"1308","message":"[1308][Usage limit reached for 5 hour. Your limit will reset at 2026-11-29 12:00:00]"}}`, 429, KindQuota, "", "wait for its reset"},
		{"zai balance", `{"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}`, 429, KindQuota, "", "top up"},
		{"anthropic credit", obj("Your credit balance is too low to access the Anthropic API."), 400, KindQuota, "", "top up"},
		{"deepseek 402", obj("Insufficient Balance"), 402, KindQuota, "", "top up"},
		{"gemini free tier", `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}]`, 429, KindRate, "", "34"},
		{"azure filter", `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter"}}`, 400, KindRefused, "", "policy"},
		{"openrouter moderation", obj("openai/gpt requires moderation on Azure. Your input was flagged for \"violence\""), 403, KindRefused, "", ""},
		{"dashscope", `{"error":{"code":"data_inspection_failed","message":"Input data may contain inappropriate content."}}`, 400, KindRefused, "", ""},
		{"qwen template", obj("System message must be at the beginning."), 500, KindInvalid, "", ""},
		{"gptoss template", obj("Cannot pass both content and thinking in an assistant message with tool calls"), 500, KindInvalid, "", ""},
		{"ollama tools", obj("registry.ollama.ai/library/gemma:2b does not support tools"), 400, KindInvalid, "", "cannot call tools"},
		{"ollama pull", obj(`model "nope" not found, try pulling it first`), 404, KindInvalid, "", "ollama pull"},
		{"vllm tools", obj(`"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`), 400, KindInvalid, "", "vLLM"},
		{"loading", obj("Loading model"), 503, KindServer, "", "still loading"},
		{"conflict", "", 409, KindServer, "", ""},
		{"timeout", "", 408, KindServer, "", ""},
		{"early", "", 425, KindServer, "", ""},
		{"proxy login", "", 407, KindNetwork, "", "proxy"},
		{"region", obj("Country, region, or territory not supported"), 403, KindAuth, "", "region"},
		{"wrong path", obj("Not Found"), 404, KindInvalid, "", "base URL"},
		{"deprecated", obj("`temperature` is deprecated for this model"), 400, KindInvalid, "", "temperature"},
		{"type nil", `{"error":{"message":"boom","type":"<nil>","code":null}}`, 500, KindServer, "boom", ""},
		{"sse as error", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n", 529, KindServer, "Overloaded", "overloaded"},
	} {
		e := Classify(c.status, nil, []byte(c.body))
		if e.Kind != c.kind || !strings.Contains(e.Message, c.message) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: got %s %q hint %q\nwant %s %q hint %q", c.name, e.Kind, e.Message, e.Hint, c.kind, c.message, c.hint)
		}
	}
}

// TestOverflowTexts: one real sentence for each way to say it.
func TestOverflowTexts(t *testing.T) {
	for text, window := range map[string]int{
		"prompt is too long: 210000 tokens > 200000 maximum":                                                                    200000,
		"Input is too long for requested model.":                                                                                0,
		"Your input exceeds the context window of this model. Please adjust your input and try again.":                          0,
		"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.":                   272000,
		"This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.":               128000,
		"Please reduce the length of the messages or completion.":                                                               0,
		"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).":                               1048575,
		"This model's maximum prompt length is 131072 but the request contains 537812 tokens.":                                  131072,
		"prompt token count of 200001 exceeds the limit of 128000":                                                              128000,
		"the request exceeds the available context size (4096 tokens), try increasing the context size or enable context shift": 4096,
		"tokens to keep from the initial prompt is greater than the context length":                                             0,
		"invalid params, context window exceeds limit (2013)":                                                                   0,
		"Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)":                                  262144,
		"Range of input length should be [1, 98304]":                                                                            98304,
		"Prompt contains 65673 tokens, too large for model with 32768 maximum context length":                                   32768,
		"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is longer than the model's context length": 4096,
		"configured context size is 8192":                      8192,
		"Token limit exceeded":                                 0,
		"The maximum allowed input length is 30000 characters": 0,
		"tokens in request more than max tokens allowed":       0,
	} {
		e := Classify(400, nil, []byte(`{"error":{"message":`+string(mustJSON(text))+`}}`))
		if e.Kind != KindOverflow || e.Window != window {
			t.Errorf("%q: kind %s window %d, want overflow %d", text, e.Kind, e.Window, window)
		}
	}
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func TestRetryAfter(t *testing.T) {
	at := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		header map[string]string
		body   string
		want   time.Duration
	}{
		{"seconds", map[string]string{"Retry-After": "20"}, "", 20 * time.Second},
		{"fraction", map[string]string{"Retry-After": "1.5"}, "", 1500 * time.Millisecond},
		{"ms wins", map[string]string{"Retry-After": "20", "Retry-After-Ms": "1500"}, "", 1500 * time.Millisecond},
		{"date, by the server's clock", map[string]string{"Retry-After": at.Add(30 * time.Second).Format(http.TimeFormat), "Date": at.Format(http.TimeFormat)}, "", 30 * time.Second},
		{"date in the past", map[string]string{"Retry-After": at.Add(-time.Minute).Format(http.TimeFormat), "Date": at.Format(http.TimeFormat)}, "", 0},
		{"junk", map[string]string{"Retry-After": "soon"}, "", 0},
		{"negative", map[string]string{"Retry-After": "-3"}, "", 0},
		{"anthropic reset", map[string]string{"Date": at.Format(http.TimeFormat), "Anthropic-Ratelimit-Input-Tokens-Remaining": "0", "Anthropic-Ratelimit-Input-Tokens-Reset": at.Add(42 * time.Second).Format(time.RFC3339)}, "", 42 * time.Second},
		{"reset of what is left", map[string]string{"X-Ratelimit-Remaining-Requests": "9", "X-Ratelimit-Reset-Requests": "6m0s"}, "", 0},
		{"openai reset", map[string]string{"X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "6m0s"}, "", 6 * time.Minute},
		{"unix ms", map[string]string{"Date": at.Format(http.TimeFormat), "X-Ratelimit-Remaining": "0", "X-Ratelimit-Reset": "1795953660000"}, "", time.Minute},
		{"groq words", nil, "Rate limit reached. Please try again in 6.5s.", 6500 * time.Millisecond},
		{"words with minutes", nil, "Please try again in 1m30s.", 90 * time.Second},
		{"words ms", nil, "please try again in 120ms", 120 * time.Millisecond},
		{"azure words", nil, "Please retry after 20 seconds.", 20 * time.Second},
		{"minutes", nil, "try again in 2 minutes", 2 * time.Minute},
	} {
		h := http.Header{}
		for k, v := range c.header {
			h.Set(k, v)
		}
		if got := Classify(429, h, []byte(c.body)).After; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestShouldRetryWins(t *testing.T) {
	yes, no := http.Header{"X-Should-Retry": {"true"}}, http.Header{"X-Should-Retry": {"false"}}
	if !Classify(400, yes, []byte("odd")).Temporary() {
		t.Error("x-should-retry: true on a 400 is not retried")
	}
	if Classify(503, no, []byte("odd")).Temporary() {
		t.Error("x-should-retry: false on a 503 is retried")
	}
	if Classify(401, yes, []byte("odd")).Temporary() {
		t.Error("a wrong key is retried")
	}
}

func TestClassifyStream(t *testing.T) {
	for _, c := range []struct {
		code, typ, msg string
		kind           Kind
	}{
		{"", "overloaded_error", "Overloaded", KindServer},
		{"", "rate_limit_error", "slow down", KindRate},
		{"", "invalid_request_error", "bad tool", KindInvalid},
		{"", "api_error", "Internal server error", KindServer},
		{"502", "", "Bad gateway", KindServer},
		{"429", "", "slow", KindRate},
		{"401", "", "no", KindAuth},
		{"network_error", "", "", KindServer},
		{"insufficient_system_resource", "", "", KindServer},
		{"model_context_window_exceeded", "", "", KindOverflow},
		{"sensitive", "", "", KindRefused},
		{"insufficient_quota", "", "You exceeded your current quota", KindQuota},
		{"tool_use_failed", "invalid_request_error", "Failed to call a function", KindInvalid},
		{"", "", `{"error":{"message":"prompt is too long: 9 tokens > 5 maximum"}}`, KindOverflow},
		{"", "", "something odd", KindServer},
	} {
		e := ClassifyStream(c.code, c.typ, c.msg)
		if e.Kind != c.kind || e.Message == "" || e.Hint == "" {
			t.Errorf("%v: got %s %q %q, want %s", c, e.Kind, e.Message, e.Hint, c.kind)
		}
	}
}

func TestRedact(t *testing.T) {
	key := "sk-" + "ab12cd34ef56gh78ij90kl"
	for _, s := range []string{
		"Incorrect API key provided: " + key + ".",
		"Authorization: Bearer abcdef0123456789",
		`{"api_key":"abcdef0123456789","x":1}`,
		"https://h/v1?key=abcdef0123456789&alt=sse",
		"x-api-key: abcdef0123456789",
		"https://user:abcdef0123456789@proxy:3128",
		"AIzaSyabcdef0123456789abcdef0123456789",
	} {
		got := Redact(s)
		if strings.Contains(got, "abcdef0123456789") || strings.Contains(got, key) || !strings.Contains(got, removed) {
			t.Errorf("%q became %q", s, got)
		}
	}
	for _, s := range []string{"max_tokens: 100000 > 64000", "task-list_of_things", "the key is missing", "monkey-business", "prompt_cache_key refused"} {
		if got := Redact(s); got != s {
			t.Errorf("%q became %q", s, got)
		}
	}
	if e := Classify(401, nil, []byte(`{"error":{"message":"Incorrect API key provided: `+key+`"}}`)).WithKeyEnv("OPENAI_API_KEY"); strings.Contains(e.Error(), key) || e.Hint != "key refused: check OPENAI_API_KEY" {
		t.Errorf("%v, hint %q", e, e.Hint)
	}
}

func TestAddress(t *testing.T) {
	for in, want := range map[string]string{
		"https://gw.example/8f3a9c1d7e2b6a40/v1":                               "https://gw.example/[key removed]/v1",
		"https://gw.example/k/hunter2pass/openai/v1/models?limit=1000":         "https://gw.example/k/[key removed]/openai/v1/models?limit=1000",
		"https://gw.example/123e4567-e89b-12d3-a456-426614174000":              "https://gw.example/[key removed]",
		"https://gw.example/sk-proj-abcdef0123456789ab/v1":                     "https://gw.example/[key removed]/v1",
		"https://gw.example/abcdefghijklmnopqrstuvwxyz/v1#x1y2z3a4b5c6":        "https://gw.example/[key removed]/v1#x1y2z3a4b5c6",
		"https://u:pa55word9@gw.example/v1":                                    "https://u:[key removed]@gw.example/v1",
		"https://h/openai/deployments/gpt-4o-mini-2024-07-18/chat/completions": "",
		"https://h/compatible-mode/v1":                                         "",
		"https://h/v1/models/claude-sonnet-4-20250514":                         "",
		"http://127.0.0.1:11434/v1beta1":                                       "",
		"http://[::1]:8080":                                                    "", "no address at all, abcdefghijklmnopqrstuvwxyz0": "", "": "", "://": "", "https:///": "",
	} {
		if want == "" {
			want = in
		}
		if got := Address(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestStructuralAndImages(t *testing.T) {
	for _, s := range []string{
		"messages with role 'tool' must be a response to a preceeding message with 'tool_calls'",
		"An assistant message with 'tool_calls' must be followed by tool messages",
		"messages: text content blocks must be non-empty",
		"messages.5.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
		"The `reasoning_content` in the thinking mode must be passed back to the API.",
		"Function call is missing a thought_signature",
		"`tool_use` ids must be unique",
	} {
		if e := Classify(400, nil, mustJSON(map[string]any{"error": map[string]any{"message": s}})); !e.Structural() {
			t.Errorf("%q is not taken for structural", s)
		}
	}
	if Classify(400, nil, []byte("Unsupported parameter: 'store'")).Structural() {
		t.Error("a refused field is taken for structural")
	}
	if !Classify(400, nil, []byte("Could not process image")).AboutImages() || Classify(400, nil, []byte("no")).AboutImages() {
		t.Error("AboutImages")
	}
}

func FuzzClassify(f *testing.F) {
	f.Add(400, []byte(`{"error":{"message":"x","metadata":{"raw":"{}"}}}`))
	f.Add(429, []byte(`[[[[{"error":"{\"error\":1}"}]]]]`))
	f.Add(500, []byte("<title>"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := Classify(status, nil, body)
		if e.Kind == "" || e.Message == "" || e.Hint == "" || strings.ContainsAny(e.Message, "\n\r\x1b") {
			t.Fatalf("%+v", e)
		}
		var q Quirks
		q.Learn(e)
		if changed, _ := q.Learn(e); changed {
			t.Fatalf("the same lesson twice: %+v", e)
		}
	})
}
