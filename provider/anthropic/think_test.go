package anthropic

import (
	"testing"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// TestThinking holds, per family, what a request says about thinking, effort and
// length, and that nothing ever says temperature.
func TestThinking(t *testing.T) {
	for _, c := range []struct {
		model    string
		effort   provider.Effort
		thinking string
		word     string
		max      int64
	}{
		{"claude-3-haiku-20240307", "high", ``, "", 4096},
		{"claude-3-5-sonnet-20241022", "high", ``, "", 8192},
		{"claude-3-7-sonnet-20250219", "", ``, "", 32000},
		{"us.anthropic.claude-3-7-sonnet-20250219-v1:0", "low", `{"type":"enabled","budget_tokens":4096}`, "", 32000},
		{"claude-opus-4-20250514", "max", `{"type":"enabled","budget_tokens":24000}`, "", 32000},
		{"claude-sonnet-4-5@20250929", "max", `{"type":"enabled","budget_tokens":48000}`, "", 64000},
		{"claude-haiku-4-5", "none", ``, "", 32000},
		{"claude-haiku-4-5", "minimal", `{"type":"enabled","budget_tokens":1024}`, "", 32000},
		{"anthropic/claude-opus-4.6", "xhigh", `{"type":"adaptive"}`, "high", 64000},
		{"claude-sonnet-4-6", "minimal", `{"type":"adaptive"}`, "low", 32000},
		{"claude-sonnet-4-6", "", ``, "", 32000},
		{"claude-opus-4-7", "xhigh", `{"type":"adaptive","display":"summarized"}`, "xhigh", 64000},
		{"claude-opus-4-8", "", ``, "", 32000},
		{"claude-opus-5", "", `{"type":"adaptive","display":"summarized"}`, "", 32000},
		{"claude-sonnet-5", "none", `{"type":"disabled"}`, "", 32000},
		{"claude-fable-5-1", "none", `{"type":"adaptive","display":"summarized"}`, "low", 32000},
		{"claude-mythos-preview", "max", `{"type":"adaptive","display":"summarized"}`, "max", 64000},
		{"claude-opus-5-5", "none", `{"type":"adaptive","display":"summarized"}`, "low", 32000},
		{"claude-haiku-5-5", "none", `{"type":"disabled"}`, "", 32000},
		{"claude-opus-latest", "high", `{"type":"adaptive","display":"summarized"}`, "high", 32000},
		{"deepseek-v4-pro", "low", `{"type":"enabled","budget_tokens":4096}`, "high", 32000},
		{"deepseek-v4-pro", "", ``, "", 32000},
		{"deepseek-v4-pro", "none", `{"type":"disabled"}`, "", 32000},
		{"deepseek-chat", "", ``, "", 8192},
		{"kimi-k2.5", "medium", `{"type":"enabled","budget_tokens":10000}`, "", 32000},
		{"MiniMax-M2.7", "none", `{"type":"disabled"}`, "", 32000},
		{"some-local.gguf", "", ``, "", 16384},
	} {
		body := encode(t, "", provider.Request{Model: c.model, Effort: c.effort, Messages: []provider.Message{provider.UserText("q")}})
		b := gjson.ParseBytes(body)
		if got := b.Get("thinking").Raw; got != c.thinking {
			t.Errorf("%s %q: thinking %s, want %s", c.model, c.effort, got, c.thinking)
		}
		if got := b.Get("output_config.effort").String(); got != c.word {
			t.Errorf("%s %q: effort %q, want %q", c.model, c.effort, got, c.word)
		}
		if got := b.Get("max_tokens").Int(); got != c.max {
			t.Errorf("%s %q: max_tokens %d, want %d", c.model, c.effort, got, c.max)
		}
		if budget := b.Get("thinking.budget_tokens").Int(); budget > 0 && budget >= c.max {
			t.Errorf("%s: budget %d leaves no room for the answer", c.model, budget)
		}
		for _, key := range []string{"temperature", "top_p", "top_k", "tool_choice"} {
			if b.Get(key).Exists() {
				t.Errorf("%s: %s is sent", c.model, key)
			}
		}
	}
}

// The catalogue's figure bounds the allowance, a person's own counts as it is, and
// thinking stops where it leaves no room.
func TestMaxTokens(t *testing.T) {
	req := provider.Request{Model: "claude-sonnet-4-5", Effort: provider.EffortHigh, Messages: []provider.Message{provider.UserText("q")}}
	body := func(known, asked int) gjson.Result {
		req.MaxTokens = asked
		e := New(Options{MaxOutput: func(string) int { return known }}).(*endpoint).encoder(req)
		b, err := e.encode()
		if err != nil {
			t.Fatal(err)
		}
		return gjson.ParseBytes(b)
	}
	if n := body(20_000, 0).Get("max_tokens").Int(); n != 20_000 {
		t.Errorf("max_tokens %d beyond what the model writes", n)
	}
	if n := body(0, 100_000).Get("max_tokens").Int(); n != 100_000 {
		t.Errorf("max_tokens %d, the person said 100000", n)
	}
	if b := body(0, 1000); b.Get("max_tokens").Int() != 1000 || b.Get("thinking").Exists() {
		t.Errorf("no room to think in 1000 tokens: %s", b)
	}
}

// A model told a budget refuses to think in the middle of a tool loop that another
// model began; one that decides itself does not mind.
func TestBareLoopDoesNotThink(t *testing.T) {
	msgs := []provider.Message{user(text_("go")), answer("other", use("a", "{}")), user(result("a", "A"))}
	for model, want := range map[string]string{"claude-sonnet-4-5": "", "claude-opus-4-6": "adaptive"} {
		body := encode(t, "", provider.Request{Model: model, Effort: provider.EffortHigh, Messages: msgs})
		if got := gjson.GetBytes(body, "thinking.type").String(); got != want {
			t.Errorf("%s: thinking %q, want %q", model, got, want)
		}
	}
	msgs[1] = answer("claude-sonnet-4-5", provider.Thinking{Text: "t", Signature: "s"}, use("a", "{}"))
	body := encode(t, "", provider.Request{Model: "claude-sonnet-4-5", Effort: provider.EffortHigh, Messages: msgs})
	if got := gjson.GetBytes(body, "thinking.type").String(); got != "enabled" {
		t.Errorf("its own loop: thinking %q", got)
	}
}
