package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"forge/provider"
	"forge/sorting"
)

// ListRemote asks an endpoint which models it offers (GET /models of its wire) and
// returns them with whatever the answer tells of window, output, price and
// abilities, filled up from the catalogue. Its error is an *provider.Error
// wherever a server answered. client may be nil.
func ListRemote(ctx context.Context, client *http.Client, e Endpoint, key string) ([]provider.Model, error) {
	models, err := listAnywhere(ctx, client, e, key)
	if err == nil && e.Wire == OpenAI && loopback(e.BaseURL) {
		fillLocal(ctx, e, models)
	}
	return models, err
}

// fillLocal asks a server on this machine in its own words for what the list does
// not tell: above all the window, which is not what the model was trained for.
func fillLocal(ctx context.Context, e Endpoint, models []provider.Model) {
	root := strings.TrimSuffix(strings.TrimRight(e.BaseURL, "/"), "/v1")
	ask := asker{client: &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // and no proxy: it is this machine
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for _, probe := range []func(context.Context, string) *Found{ask.llamacpp, ask.ollama, ask.lmstudio} {
		f := probe(ctx, root)
		if f == nil {
			continue
		}
		for i := range models {
			if m, ok := f.Model(models[i].ID); ok && m.Window > 0 {
				models[i].Window, models[i].NoTools = m.Window, m.NoTools
				models[i].Images, models[i].Blind, models[i].Reasoning = m.Images, m.Blind, m.Reasoning
			}
		}
		return
	}
}

// listAnywhere asks at the address, and with /v1 behind it where that was left out.
func listAnywhere(ctx context.Context, client *http.Client, e Endpoint, key string) ([]provider.Model, error) {
	models, err := list(ctx, client, e, key)
	u, bad := url.Parse(e.BaseURL)
	if err == nil || ctx.Err() != nil || e.Wire != OpenAI || bad != nil || strings.Trim(u.Path, "/") != "" {
		return models, err
	}
	e.BaseURL = u.JoinPath("v1").String() // what the wire does too where it is left out
	if models, with := list(ctx, client, e, key); with == nil {
		return models, nil
	}
	return nil, err
}

// list asks at the very address.
func list(ctx context.Context, client *http.Client, e Endpoint, key string) ([]provider.Model, error) {
	if client == nil {
		client = http.DefaultClient
	}
	quiet := *client // a key in a custom header must not follow a redirect
	quiet.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	address := strings.TrimRight(e.BaseURL, "/") + "/models"
	if e.Wire == Anthropic {
		address = strings.TrimSuffix(strings.TrimRight(e.BaseURL, "/"), "/v1") + "/v1/models?limit=1000"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, &provider.Error{Kind: provider.KindInvalid, Code: "url", Message: "bad base URL: " + provider.Address(e.BaseURL), Hint: "write it with its scheme, like https://host/v1", Err: err, NoRetry: true}
	}
	for k, v := range e.Header {
		req.Header.Set(k, v)
	}
	req.Header.Set("User-Agent", "forge")
	switch {
	case key == "":
	case e.Wire == Anthropic && !e.BearerAuth:
		req.Header.Set("X-Api-Key", key)
	default:
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if e.Wire == Anthropic {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	resp, err := quiet.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var u *url.Error
		if errors.As(err, &u) { // which holds the whole address
			err = u.Err
		}
		return nil, fmt.Errorf("list models of %s: %w", e.Name, errors.New(provider.Redact(err.Error())))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 2*answerMax))
	if err != nil {
		return nil, fmt.Errorf("list models of %s: %w", e.Name, err)
	}
	if resp.StatusCode != http.StatusOK {
		env := ""
		if len(e.KeyEnv) > 0 {
			env = e.KeyEnv[0]
		}
		return nil, provider.Classify(resp.StatusCode, resp.Header, body).WithKeyEnv(env)
	}
	if !gjson.ValidBytes(body) {
		return nil, fmt.Errorf("list models of %s: %s answered no JSON: check the base URL (most end in /v1)", e.Name, provider.Address(address))
	}
	return readModels(e, gjson.ParseBytes(body)), nil
}

func readModels(e Endpoint, v gjson.Result) []provider.Model {
	list := v.Get("data")
	if !list.IsArray() {
		list = v.Get("models")
	}
	if v.IsArray() {
		list = v // Together
	}
	var out []provider.Model
	for _, m := range list.Array() {
		id := m.Get("id").String()
		if id == "" {
			id = m.Get("name").String()
		}
		id = strings.TrimPrefix(id, "models/") // Gemini
		if kind := m.Get("type").String(); id == "" || kind == "embedding" || kind == "image" || kind == "audio" || strings.Contains(id, "embed") {
			continue
		}
		known, _ := e.Model(id)
		known.Provider, known.ID = e.Name, id
		fillModel(&known, m)
		out = append(out, known)
	}
	sorting.StableBy(out, func(a, b provider.Model) int { return strings.Compare(a.ID, b.ID) })
	return out
}

func fillModel(m *provider.Model, v gjson.Result) {
	number := func(paths ...string) int {
		for _, p := range paths {
			if n := int(v.Get(p).Int()); n > 0 {
				return n
			}
		}
		return 0
	}
	if name := v.Get("display_name").String(); name != "" {
		m.Name = name
	} else if name := v.Get("name").String(); name != "" && m.Name == "" {
		m.Name = name
	}
	if m.Name == "" {
		m.Name = baseName(m.ID)
	}
	if n := number("max_model_len", "loaded_context_length", "context_length", "context_window", "max_context_length", "max_input_tokens", "meta.n_ctx_train"); n > 0 {
		m.Window = n
	}
	if n := number("top_provider.max_completion_tokens", "max_completion_tokens", "max_output_tokens", "max_tokens"); n > 0 {
		m.MaxOutput = n
	}
	if p := v.Get("supported_parameters"); p.IsArray() && len(p.Array()) > 0 {
		m.NoTools = !strings.Contains(p.Raw, `"tools"`)
		m.Reasoning = m.Reasoning || strings.Contains(p.Raw, `"reasoning"`)
	}
	if p := v.Get("architecture.input_modalities"); p.IsArray() {
		m.Images = strings.Contains(p.Raw, `"image"`)
		m.Blind = !m.Images
	}
	if p := v.Get("pricing"); p.Get("prompt").Type == gjson.String { // OpenRouter: dollars per token, as text
		perMillion := func(key string) float64 {
			f, err := strconv.ParseFloat(p.Get(key).String(), 64)
			if err != nil || f < 0 {
				return 0
			}
			return f * 1e6
		}
		m.Price = provider.Price{Input: perMillion("prompt"), Output: perMillion("completion"), CacheRead: perMillion("input_cache_read"), CacheWrite: perMillion("input_cache_write"), Known: true}
	}
}
