package catalog

import (
	"context"
	"errors"
	"strings"
	"testing"

	"forge/provider"
)

func TestChoose(t *testing.T) {
	env := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	ollama, _ := Find("ollama")
	ollama.Models = []provider.Model{{Provider: "ollama", ID: "gemma:2b", NoTools: true, Window: 8192}, {Provider: "ollama", ID: "qwen3:latest", Window: 4096}}
	ollama.DefaultModel = "qwen3:latest"
	running := []Found{{Endpoint: ollama}}

	for _, c := range []struct {
		name  string
		in    Inputs
		env   map[string]string
		found []Found
		list  []provider.Model
		want  string // endpoint|model|effort|key|why, or "error: part of it"
		base  string
	}{
		{name: "nothing at all", want: "error: --demo"},
		{name: "first key", env: env("OPENAI_API_KEY", "k", "GROQ_API_KEY", "g"), want: "openai|gpt-5.2||k|OPENAI_API_KEY"},
		{name: "order of keys", env: env("OPENAI_API_KEY", "k", "DEEPSEEK_API_KEY", "d"), want: "deepseek|deepseek-v4-pro||d|DEEPSEEK_API_KEY"},
		{name: "blank key is none", env: env("OPENAI_API_KEY", "  "), found: running, want: "ollama|qwen3:latest|||local server"},
		{name: "stored key", in: Inputs{Stored: func(e string) string { return map[string]string{"xai": "s"}[e] }}, want: "xai|grok-4.5||s|stored key"},
		{name: "local server last", found: running, want: "ollama|qwen3:latest|||local server"},
		{name: "auth token means bearer", env: env("ANTHROPIC_AUTH_TOKEN", "t"), want: "anthropic|claude-sonnet-5||t|ANTHROPIC_AUTH_TOKEN|bearer"},
		{name: "flag over config over last", in: Inputs{Flag: Wish{Provider: "groq"}, Config: []Wish{{Provider: "xai", Model: "grok-4.5"}}, Last: Wish{Provider: "openai"}}, env: env("GROQ_API_KEY", "g", "XAI_API_KEY", "x"), want: "groq|moonshotai/kimi-k2-instruct-0905||g|flag"},
		{name: "config over last", in: Inputs{Config: []Wish{{}, {Provider: "xai"}}, Last: Wish{Provider: "openai"}}, env: env("OPENAI_API_KEY", "k", "XAI_API_KEY", "x"), want: "xai|grok-4.5||x|config"},
		{name: "last over keys", in: Inputs{Last: Wish{Provider: "openai", Model: "gpt-4.1", Effort: "low"}}, env: env("OPENAI_API_KEY", "k", "DEEPSEEK_API_KEY", "d"), want: "openai|gpt-4.1|low|k|last used"},
		{name: "config's model at the flag's provider", in: Inputs{Flag: Wish{Provider: "openai"}, Config: []Wish{{Provider: "openai", Model: "gpt-4.1"}}}, env: env("OPENAI_API_KEY", "k"), want: "openai|gpt-4.1||k|flag"},
		{name: "flag's model at config's provider", in: Inputs{Flag: Wish{Model: "deepseek/deepseek-v4-pro"}, Config: []Wish{{Provider: "openrouter"}}}, env: env("OPENROUTER_API_KEY", "o", "DEEPSEEK_API_KEY", "d"), want: "openrouter|deepseek/deepseek-v4-pro||o|flag"},
		{name: "flag's model of another provider than config's", in: Inputs{Flag: Wish{Model: "gpt-4.1"}, Config: []Wish{{Provider: "deepseek"}}}, env: env("OPENAI_API_KEY", "k", "DEEPSEEK_API_KEY", "d"), want: "openai|gpt-4.1||k|flag"},
		{name: "new model at config's provider", in: Inputs{Flag: Wish{Model: "deepseek-v9"}, Config: []Wish{{Provider: "deepseek"}}}, env: env("DEEPSEEK_API_KEY", "d"), want: "deepseek|deepseek-v9||d|flag"},
		{name: "effort of config stays", in: Inputs{Flag: Wish{Provider: "deepseek"}, Config: []Wish{{Effort: "max"}}}, env: env("DEEPSEEK_API_KEY", "d"), want: "deepseek|deepseek-v4-pro|max|d|flag"},
		{name: "effort in the model", in: Inputs{Flag: Wish{Model: "deepseek/deepseek-v4-flash:none"}}, env: env("DEEPSEEK_API_KEY", "d"), want: "deepseek|deepseek-v4-flash|none|d|flag"},
		{name: "effort flag wins", in: Inputs{Flag: Wish{Model: "deepseek/deepseek-v4-flash:none", Effort: "high"}}, env: env("DEEPSEEK_API_KEY", "d"), want: "deepseek|deepseek-v4-flash|high|d|flag"},
		{name: "router has the named model", in: Inputs{Flag: Wish{Model: "anthropic/claude-sonnet-4.6:low"}}, env: env("OPENROUTER_API_KEY", "o"), want: "openrouter|anthropic/claude-sonnet-4.6|low|o|flag"},
		{name: "model names a provider without key", in: Inputs{Flag: Wish{Model: "anthropic/claude-sonnet-5"}}, want: "error: anthropic needs a key: set ANTHROPIC_API_KEY"},
		{name: "model known, no key", in: Inputs{Flag: Wish{Model: "claude-sonnet-5"}}, want: "error: set ANTHROPIC_API_KEY"},
		{name: "model of a local server", in: Inputs{Flag: Wish{Model: "gemma:2b"}}, found: running, want: "ollama|gemma:2b|||flag"},
		{name: "model nobody knows", in: Inputs{Flag: Wish{Model: "zzz"}}, found: running, want: "error: no model zzz"},
		{name: "new model of whoever has a key", in: Inputs{Flag: Wish{Model: "gpt-9"}}, env: env("OPENAI_API_KEY", "k"), want: "openai|gpt-9||k|flag"},
		{name: "typo", in: Inputs{Flag: Wish{Provider: "antropic"}}, want: "error: did you mean anthropic"},
		{name: "unknown provider", in: Inputs{Flag: Wish{Provider: "qqqqqqqq"}}, want: "error: --base-url"},
		{name: "provider without key", in: Inputs{Flag: Wish{Provider: "deepseek"}}, want: "error: deepseek needs a key: set DEEPSEEK_API_KEY"},
		{name: "key variable", in: Inputs{Flag: Wish{Provider: "deepseek", KeyEnv: "MINE"}}, env: env("MINE", "m", "DEEPSEEK_API_KEY", "d"), want: "deepseek|deepseek-v4-pro||m|flag"},
		{name: "empty key variable", in: Inputs{Flag: Wish{Provider: "deepseek", KeyEnv: "MINE"}}, env: env("DEEPSEEK_API_KEY", "d"), want: "error: MINE is empty"},
		{name: "key variable of nobody", in: Inputs{Flag: Wish{KeyEnv: "MINE"}}, env: env("MINE", "m"), want: "error: whose key is in MINE"},
		{name: "ollama by name", in: Inputs{Flag: Wish{Provider: "ollama"}}, found: running, want: "ollama|qwen3:latest|||flag"},
		{name: "ollama short name", in: Inputs{Flag: Wish{Provider: "ollama", Model: "qwen3"}}, found: running, want: "ollama|qwen3:latest|||flag"},
		{name: "ollama lacks it", in: Inputs{Flag: Wish{Provider: "ollama", Model: "llama9"}}, found: running, want: "error: it has gemma:2b, qwen3:latest"},
		{name: "ollama is down", in: Inputs{Flag: Wish{Provider: "ollama"}}, want: "error: Ollama does not answer at http://127.0.0.1:11434/v1: start it"},
		{name: "ollama elsewhere, slow", in: Inputs{Flag: Wish{Model: "ollama/x"}}, env: env("OLLAMA_HOST", "box"), want: "ollama|x|||flag", base: "http://box:11434/v1"},
		{name: "any base url", in: Inputs{Flag: Wish{BaseURL: "http://127.0.0.1:9/v1/chat/completions", Model: "m"}}, env: env("OPENAI_API_KEY", "k"), want: "custom|m|||flag", base: "http://127.0.0.1:9/v1"},
		{name: "any base url asks for its model", in: Inputs{Flag: Wish{BaseURL: "https://h/v1"}}, list: []provider.Model{{ID: "a", NoTools: true}, {ID: "b"}}, want: "custom|b|||flag"},
		{name: "base url, nobody to ask", in: Inputs{Flag: Wish{BaseURL: "https://h/v1"}}, want: "error: name one with --model"},
		{name: "base url without scheme", in: Inputs{Flag: Wish{BaseURL: "h/v1", Model: "m"}}, want: "error: with its scheme"},
		{name: "base url with its wire", in: Inputs{Flag: Wish{BaseURL: "https://h/anthropic", Model: "m"}}, want: "custom|m|||flag|messages"},
		{name: "base url of a provider", in: Inputs{Flag: Wish{Provider: "openai", BaseURL: "https://gw/v1", Model: "m"}}, env: env("OPENAI_API_KEY", "k"), want: "openai|m||k|flag", base: "https://gw/v1"},
		{name: "OPENAI_BASE_URL without key", env: env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"), list: []provider.Model{{ID: "loc"}}, want: "openai|loc|||OPENAI_BASE_URL", base: "http://127.0.0.1:9/v1"},
		{name: "OPENAI_BASE_URL with key", env: env("OPENAI_BASE_URL", "https://gw/v1", "OPENAI_API_KEY", "k"), list: []provider.Model{{ID: "gw-model"}}, want: "openai|gw-model||k|OPENAI_API_KEY", base: "https://gw/v1"},
		{name: "ANTHROPIC_BASE_URL", in: Inputs{Flag: Wish{Model: "claude-sonnet-5"}}, env: env("ANTHROPIC_BASE_URL", "https://gw", "ANTHROPIC_API_KEY", "k"), want: "anthropic|claude-sonnet-5||k|flag", base: "https://gw"},
		{name: "workspace may choose an endpoint", in: Inputs{Config: []Wish{{Provider: "xai", KeyEnv: "AWS_SECRET", Workspace: true}}}, env: env("XAI_API_KEY", "x", "AWS_SECRET", "secret"), want: "xai|grok-4.5||x|config"},
		{name: "workspace may not move the key", in: Inputs{Config: []Wish{{Provider: "openai", BaseURL: "https://evil/v1", Workspace: true}}}, env: env("OPENAI_API_KEY", "k"), want: "error: --base-url"},
		{name: "workspace may name this machine", in: Inputs{Config: []Wish{{BaseURL: "http://localhost:9/v1", Model: "m", Workspace: true}}}, want: "custom|m|||config"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := c.in
			in.Getenv = func(k string) string { return c.env[k] }
			in.Discover = func(context.Context) []Found { return c.found }
			if c.list != nil {
				in.List = func(context.Context, Endpoint, string) ([]provider.Model, error) { return c.list, nil }
			}
			got, err := Choose(t.Context(), in)
			if part, ok := strings.CutPrefix(c.want, "error: "); ok {
				if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
					t.Fatalf("%v, want %q", err, part)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			s := strings.Join([]string{got.Endpoint.Name, got.Model.ID, string(got.Effort), got.Key, got.Why}, "|")
			if got.Endpoint.BearerAuth {
				s += "|bearer"
			}
			if got.Endpoint.Name == "custom" && got.Endpoint.Wire == Anthropic {
				s += "|messages"
			}
			if s != c.want {
				t.Errorf("%s, want %s", s, c.want)
			}
			if c.base != "" && got.Endpoint.BaseURL != c.base {
				t.Errorf("base %s, want %s", got.Endpoint.BaseURL, c.base)
			}
		})
	}
	_, err := Choose(t.Context(), Inputs{Flag: Wish{Model: "brand-new"}})
	if !errors.Is(err, ErrNothing) || !strings.HasPrefix(err.Error(), "nobody offers model brand-new, and there is no model to talk to: ") {
		t.Errorf("a model nobody has: %v", err)
	}
	if _, err := Choose(t.Context(), Inputs{Flag: Wish{Model: "anthropic/claude-sonnet-5"}}); !errors.Is(err, ErrNoKey) || errors.Is(err, ErrNothing) {
		t.Errorf("without a key: %v", err)
	}
	if _, err := Choose(t.Context(), Inputs{}); !errors.Is(err, ErrNothing) {
		t.Errorf("%v is not ErrNothing", err)
	}
}

// Looking for servers costs time: with a key in the environment nobody looks.
func TestChooseDiscoversOnlyWhenNeeded(t *testing.T) {
	_, err := Choose(t.Context(), Inputs{
		Getenv:   func(k string) string { return map[string]string{"DEEPSEEK_API_KEY": "d"}[k] },
		Discover: func(context.Context) []Found { t.Error("looked for servers"); return nil },
	})
	if err != nil {
		t.Error(err)
	}
}
