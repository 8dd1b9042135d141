package catalog

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"forge/provider"
)

// TestEndpointsAreWhole: every endpoint can be called as it stands.
func TestEndpointsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Endpoints() {
		if seen[e.Name] {
			t.Errorf("%s twice", e.Name)
		}
		seen[e.Name] = true
		u, err := url.Parse(e.BaseURL)
		if err != nil || u.Host == "" || e.Title == "" || e.Wire != OpenAI && e.Wire != Anthropic {
			t.Errorf("%s: base %q title %q wire %q", e.Name, e.BaseURL, e.Title, e.Wire)
		}
		if e.Local {
			if len(e.KeyEnv) > 0 || !loopback(e.BaseURL) {
				t.Errorf("%s is local: %v %s", e.Name, e.KeyEnv, e.BaseURL)
			}
			continue
		}
		if len(e.KeyEnv) == 0 || u.Scheme != "https" {
			t.Errorf("%s: key %v at %s", e.Name, e.KeyEnv, e.BaseURL)
		}
		m, ok := e.Model(e.DefaultModel)
		if !ok || m.ID != e.DefaultModel {
			t.Errorf("%s: default model %q is not among its %d", e.Name, e.DefaultModel, len(e.Models))
		}
		if m.NoTools || m.Window < 30_000 {
			t.Errorf("%s: default model %+v cannot do the work", e.Name, m)
		}
		for _, m := range e.Models {
			if m.Provider != e.Name || m.ID == "" {
				t.Errorf("%s: model %+v", e.Name, m)
			}
			if m.Default != "" && !slices.Contains(m.Efforts, m.Default) {
				t.Errorf("%s/%s: default effort %s is none of %v", e.Name, m.ID, m.Default, m.Efforts)
			}
			for _, f := range m.Efforts {
				if !slices.Contains(provider.Efforts(), f) {
					t.Errorf("%s/%s: unknown effort %q", e.Name, m.ID, f)
				}
			}
		}
		for _, v := range e.Header {
			if strings.Contains(strings.ToLower(v), "crush") || strings.Contains(v, "charm.land") {
				t.Errorf("%s says that another program calls: %v", e.Name, e.Header)
			}
		}
	}
	for _, want := range []string{"openai", "anthropic", "deepseek", "deepseek-anthropic", "openrouter", "ollama", "llamacpp", "lmstudio", "vllm", "gemini", "groq", "xai", "zai", "moonshot", "minimax", "mistral"} {
		if !seen[want] {
			t.Errorf("no %s", want)
		}
	}
	for _, none := range []string{"bedrock", "vertexai", "azure", "copilot"} {
		if seen[none] {
			t.Errorf("%s speaks neither wire with a key", none)
		}
	}
}

// TestDefaultsSurviveTheirFirstToolCall: what is known to fail is nobody's default.
func TestDefaultsSurviveTheirFirstToolCall(t *testing.T) {
	e, _ := Find("openai")
	if m, _ := e.Model(e.DefaultModel); strings.HasPrefix(m.ID, "gpt-5.4") || strings.HasPrefix(m.ID, "gpt-5.5") || strings.HasPrefix(m.ID, "gpt-5.6") || !m.Reasoning {
		t.Errorf("openai default %+v: refuses tools together with an effort", m)
	}
	for _, m := range e.Models {
		if strings.Contains(m.ID, "codex") || strings.HasSuffix(m.ID, "-pro") {
			t.Errorf("%s does not answer on chat completions", m.ID)
		}
		if strings.HasPrefix(m.ID, "gpt-5.6") && m.Default != provider.EffortNone {
			t.Errorf("%s: default effort %q, want none", m.ID, m.Default)
		}
		if (strings.HasPrefix(m.ID, "gpt-5.4") || strings.HasPrefix(m.ID, "gpt-5.5")) && m.Default != "" {
			t.Errorf("%s: default effort %q, want nothing sent", m.ID, m.Default)
		}
	}
	if m, ok := modelAt("groq", "moonshotai/kimi-k2-instruct-0905"); !ok || m.Reasoning || m.Default != "" || m.Efforts != nil {
		t.Errorf("groq: %+v does not think, and its server refuses an effort", m)
	}
	if m, _ := modelAt("groq", "openai/gpt-oss-120b"); m.ID != "" && m.Default == "" {
		t.Errorf("groq: %+v thinks", m)
	}
	if e, _ := Find("opencode-go"); strings.HasPrefix(e.DefaultModel, "minimax") {
		t.Errorf("opencode-go default %s answers on the messages wire only", e.DefaultModel)
	}
}

func modelAt(endpoint, id string) (provider.Model, bool) {
	e, _ := Find(endpoint)
	return e.Model(id)
}

// TestPrices holds the figures that are easy to mix up against their vendors'.
func TestPrices(t *testing.T) {
	for ref, want := range map[string]provider.Price{
		"anthropic/claude-sonnet-4-6": {Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75, Known: true},
		"openai/gpt-5.2":              {Input: 1.75, Output: 14, CacheRead: 0.175, Known: true},
		"openai/gpt-5.6-terra":        {Input: 2.5, Output: 15, CacheRead: 0.25, CacheWrite: 3.125, Known: true},
		"openai/o3":                   {Input: 2, Output: 8, CacheRead: 0.5, Known: true},
		"deepseek/deepseek-v4-flash":  {Input: 0.14, Output: 0.28, CacheRead: 0.0028, Known: true},
		"kimi-coding/kimi-for-coding": {},
	} {
		name, id, _ := strings.Cut(ref, "/")
		m, ok := modelAt(name, id)
		if !ok || m.Price != want {
			t.Errorf("%s: %+v, want %+v", ref, m.Price, want)
		}
	}
	both, _ := modelAt("deepseek-anthropic", "deepseek-v4-pro")
	if both.Provider != "deepseek-anthropic" || both.Window != 1_000_000 {
		t.Errorf("%+v", both)
	}
}

func TestFind(t *testing.T) {
	for in, want := range map[string]string{"Claude": "anthropic", " llama.cpp ": "llamacpp", "OLLAMA": "ollama", "kimi": "moonshot"} {
		if e, ok := Find(in); !ok || e.Name != want {
			t.Errorf("%q found %q", in, e.Name)
		}
	}
	for alias, name := range aliases.Get() {
		if _, ok := Find(name); !ok {
			t.Errorf("alias %s points to %s, which does not exist", alias, name)
		}
	}
	if _, ok := Find("nope"); ok {
		t.Error("found nope")
	}
	if m, ok := modelAt("anthropic", "claude-haiku-4-5"); !ok || m.ID != "claude-haiku-4-5-20251001" {
		t.Errorf("%v", m.ID)
	}
}

func TestResolveModel(t *testing.T) {
	for _, c := range []struct {
		ref, endpoint string
		want          Ref
	}{
		{"claude-sonnet-5", "", Ref{"", "claude-sonnet-5", ""}},
		{"anthropic/claude-sonnet-5:high", "", Ref{"anthropic", "claude-sonnet-5", "high"}},
		{"claude/claude-sonnet-5", "", Ref{"anthropic", "claude-sonnet-5", ""}},
		{"qwen3:8b", "", Ref{"", "qwen3:8b", ""}},
		{"ollama/qwen3:8b", "", Ref{"ollama", "qwen3:8b", ""}},
		{"ollama/qwen3:8b:low", "", Ref{"ollama", "qwen3:8b", "low"}},
		{"meta-llama/llama-4", "", Ref{"", "meta-llama/llama-4", ""}},
		{"openrouter/anthropic/claude-sonnet-4.6:MAX", "", Ref{"openrouter", "anthropic/claude-sonnet-4.6", "max"}},
		{"anthropic/claude-sonnet-4.6", "openrouter", Ref{"openrouter", "anthropic/claude-sonnet-4.6", ""}},
		{"openrouter/anthropic/claude-sonnet-4.6", "openrouter", Ref{"openrouter", "anthropic/claude-sonnet-4.6", ""}},
		{"zai-org/GLM-5.2:fireworks-ai", "huggingface", Ref{"huggingface", "zai-org/GLM-5.2:fireworks-ai", ""}},
		{"deepseek-v4-pro:none", "DeepSeek", Ref{"deepseek", "deepseek-v4-pro", "none"}},
		{"", "", Ref{}},
	} {
		if got := ResolveModel(c.ref, c.endpoint); got != c.want {
			t.Errorf("%q at %q: %+v, want %+v", c.ref, c.endpoint, got, c.want)
		}
	}
}

func TestBaseURLs(t *testing.T) {
	for _, c := range []struct{ name, env, value, want string }{
		{"openai", "OPENAI_BASE_URL", "http://localhost:9/v1/", "http://localhost:9/v1"},
		{"anthropic", "ANTHROPIC_BASE_URL", "https://gw/x", "https://gw/x"},
		{"ollama", "OLLAMA_HOST", "0.0.0.0", "http://127.0.0.1:11434/v1"},
		{"ollama", "OLLAMA_HOST", "box:9999", "http://box:9999/v1"},
		{"ollama", "OLLAMA_HOST", "https://box", "https://box:443/v1"},
		{"ollama", "OLLAMA_HOST", "[::1]:5", "http://[::1]:5/v1"},
		{"ollama", "OLLAMA_HOST", "http://box/deep/", "http://box:80/deep/v1"},
		{"ollama", "NOTHING", "x", "http://127.0.0.1:11434/v1"},
	} {
		e, _ := Find(c.name)
		got := e.WithEnv(func(n string) string {
			if n == c.env {
				return c.value
			}
			return ""
		})
		if got.BaseURL != c.want {
			t.Errorf("%s with %s=%s: %s, want %s", c.name, c.env, c.value, got.BaseURL, c.want)
		}
		if c.name != "ollama" && !got.Overridden {
			t.Errorf("%s is not marked as moved", c.name)
		}
	}
}

func TestNearest(t *testing.T) {
	for in, want := range map[string]string{"antropic": "anthropic", "openia": "openai", "deepsek": "deepseek", "zzzzzz": ""} {
		if got := nearest(in); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// BenchmarkBuild is a part of every start. Goal: 2 ms at most.
func BenchmarkBuild(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if len(build(stored())) == 0 {
			b.Fatal("nothing")
		}
	}
}
