// Package catalog knows which endpoints and models exist.
//
// It owns the list of endpoints: those of charm.land/catwalk's catalogue (kept here
// in a form that is quick to read, and nowhere else) that take an API key and speak
// one of our two wires, and a small table of our own for what it lacks: local
// servers, second wires, base URLs. It finds local servers and lists what a
// server offers, and it makes the choice among them: flag, config, last used,
// first key, local server. Nothing is parsed before it is first asked for. The
// wiring calls it at the start; the commands that list models call it later.
package catalog

import (
	"net/url"
	"slices"
	"strings"

	"forge/lazy"
	"forge/provider"
)

// The two wires.
const (
	OpenAI    = "openai"    // chat completions
	Anthropic = "anthropic" // messages
)

// Endpoint is a server and how to speak with it.
type Endpoint struct {
	Name         string // as in --provider and "name/model"
	Title        string // for people
	Wire         string // OpenAI or Anthropic
	BaseURL      string // OpenAI: ends where /chat/completions begins; Anthropic: where /v1/messages begins
	BaseEnv      []string
	KeyEnv       []string // the variables a key may stand in, first wins; empty: none is needed
	Header       map[string]string
	Local        bool // on this machine, or meant to be
	BearerAuth   bool // the Anthropic wire sends Authorization: Bearer instead of x-api-key
	DefaultModel string
	Models       []provider.Model // what is known without asking; may be empty

	// Overridden says that BaseURL is not the endpoint's own, so that Models says
	// nothing about what is offered there.
	Overridden bool
}

// Endpoints lists what is known, the ones tried first first. The result is the
// caller's; the models in it are shared and not to be changed.
func Endpoints() []Endpoint { return slices.Clone(known.Get()) }

var known = lazy.Value[[]Endpoint]{Of: func() []Endpoint { return build(stored()) }}

// aliases are names people type for an endpoint.
var aliases = lazy.Value[map[string]string]{Of: func() map[string]string {
	return map[string]string{
		"claude": "anthropic", "google": "gemini", "grok": "xai", "x.ai": "xai", "kimi": "moonshot", "glm": "zai", "z.ai": "zai", "hf": "huggingface",
		"llama.cpp": "llamacpp", "llama-cpp": "llamacpp", "llama-server": "llamacpp", "lm-studio": "lmstudio", "lm_studio": "lmstudio",
		"ai-gateway": "vercel", "qwen": "dashscope", "opencode": "opencode-zen",
	}
}}

// Find returns the endpoint of that name or alias, in any case.
func Find(name string) (Endpoint, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if a, ok := aliases.Get()[name]; ok {
		name = a
	}
	for _, e := range known.Get() {
		if e.Name == name {
			return e, true
		}
	}
	return Endpoint{}, false
}

// Model returns the endpoint's model of that ID. A name without its date finds the dated
// one (claude-haiku-4-5).
func (e Endpoint) Model(id string) (provider.Model, bool) {
	for _, m := range e.Models {
		if m.ID == id {
			return m, true
		}
	}
	for _, m := range e.Models {
		if strings.EqualFold(m.ID, id) || id != "" && strings.HasPrefix(m.ID, id+"-20") {
			return m, true
		}
	}
	return provider.Model{}, false
}

// WithEnv returns e with its base URL taken from the environment where a variable
// names one.
func (e Endpoint) WithEnv(getenv func(string) string) Endpoint {
	for _, name := range e.BaseEnv {
		v := strings.TrimSpace(getenv(name))
		if v == "" {
			continue
		}
		if name == "OLLAMA_HOST" {
			v = ollamaHost(v) + "/v1"
		}
		return e.at(v)
	}
	return e
}

// at returns e at another address.
func (e Endpoint) at(base string) Endpoint {
	base = strings.TrimRight(base, "/")
	if base == e.BaseURL {
		return e
	}
	e.BaseURL = base
	if !e.Local {
		e.Overridden = true
		e.Local = loopback(base)
	}
	return e
}

// Key returns the key for e and the variable it stood in.
func (e Endpoint) Key(getenv func(string) string) (key, env string) {
	for _, name := range e.KeyEnv {
		if v := strings.TrimSpace(getenv(name)); v != "" {
			return v, name
		}
	}
	return "", ""
}

// ollamaHost reads OLLAMA_HOST the way ollama does: a bare host gets its port, a
// scheme its own, and the address a server listens on is no address to call.
func ollamaHost(v string) string {
	scheme, rest, ok := strings.Cut(v, "://")
	port := map[string]string{"http": "80", "https": "443"}[scheme]
	if !ok {
		scheme, rest, port = "http", v, "11434"
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil || u.Host == "" {
		return "http://127.0.0.1:11434"
	}
	host := u.Hostname()
	if host == "0.0.0.0" || host == "::" || host == "" {
		host = "127.0.0.1"
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if u.Port() != "" {
		port = u.Port()
	}
	return u.Scheme + "://" + host + ":" + port + strings.TrimRight(u.Path, "/")
}

// loopback reports whether a URL points to this machine.
func loopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	h := u.Hostname()
	return h == "localhost" || h == "::1" || strings.HasPrefix(h, "127.") || strings.HasSuffix(h, ".localhost")
}
