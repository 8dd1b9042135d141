package catalog

import (
	"strings"

	"charm.land/catwalk/pkg/catwalk"

	"forge/provider"
)

// ours is what the embedded catalogue lacks or says otherwise. An entry of the
// same name is laid over the catalogue's: what is empty here is taken from there,
// and from gives models of another entry. The order is the order of trying.
func ours() []entry {
	return []entry{
		{Endpoint: Endpoint{Name: "deepseek", DefaultModel: "deepseek-v4-pro"}},
		{Endpoint: Endpoint{Name: "anthropic", BaseURL: "https://api.anthropic.com", BaseEnv: []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_API_ENDPOINT"},
			KeyEnv: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"}, DefaultModel: "claude-sonnet-5"}},
		// gpt-5.4 and later refuse tools together with an effort on this wire; 5.2 is
		// the last that thinks and calls tools.
		{Endpoint: Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1", BaseEnv: []string{"OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_ENDPOINT"}, DefaultModel: "gpt-5.2"}},
		{Endpoint: Endpoint{Name: "openrouter", Header: map[string]string{"X-Title": "forge"}}},
		{Endpoint: Endpoint{Name: "gemini", Wire: OpenAI, BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai",
			KeyEnv: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, DefaultModel: "gemini-3-flash-preview"}},
		{Endpoint: Endpoint{Name: "mistral", Title: "Mistral", Wire: OpenAI, BaseURL: "https://api.mistral.ai/v1", KeyEnv: []string{"MISTRAL_API_KEY"}, DefaultModel: "devstral-latest",
			Models: []provider.Model{{Provider: "mistral", ID: "devstral-latest", Name: "Devstral", Window: 256_000}, {Provider: "mistral", ID: "mistral-medium-latest", Name: "Mistral Medium", Window: 128_000, Images: true}}}},
		{Endpoint: Endpoint{Name: "dashscope", Title: "Alibaba (China)", Wire: OpenAI, BaseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1", KeyEnv: []string{"DASHSCOPE_API_KEY"}}, from: "alibaba-singapore"},
		{Endpoint: Endpoint{Name: "minimax", BearerAuth: true}},
		{Endpoint: Endpoint{Name: "minimax-china", BearerAuth: true}},
		{Endpoint: Endpoint{Name: "vercel", KeyEnv: []string{"VERCEL_API_KEY", "AI_GATEWAY_API_KEY"}, Header: map[string]string{"X-Title": "forge"}}},
		// Its catalogue default answers on the other wire only.
		{Endpoint: Endpoint{Name: "opencode-go", DefaultModel: "glm-5.2"}},
		{Endpoint: Endpoint{Name: "deepseek-anthropic", Title: "DeepSeek (messages)", Wire: Anthropic, BaseURL: "https://api.deepseek.com/anthropic", KeyEnv: []string{"DEEPSEEK_API_KEY"}}, from: "deepseek", last: true},
		{Endpoint: Endpoint{Name: "moonshot-china", Title: "Moonshot (China)", Wire: OpenAI, BaseURL: "https://api.moonshot.cn/v1", KeyEnv: []string{"MOONSHOT_CN_API_KEY"}}, from: "moonshot", last: true},
		{Endpoint: Endpoint{Name: "ollama", Title: "Ollama", Wire: OpenAI, BaseURL: "http://127.0.0.1:11434/v1", BaseEnv: []string{"OLLAMA_HOST"}, Local: true}, last: true},
		{Endpoint: Endpoint{Name: "llamacpp", Title: "llama.cpp", Wire: OpenAI, BaseURL: "http://127.0.0.1:8080/v1", Local: true}, last: true},
		{Endpoint: Endpoint{Name: "lmstudio", Title: "LM Studio", Wire: OpenAI, BaseURL: "http://127.0.0.1:1234/v1", Local: true}, last: true},
		{Endpoint: Endpoint{Name: "vllm", Title: "vLLM", Wire: OpenAI, BaseURL: "http://127.0.0.1:8000/v1", Local: true}, last: true},
	}
}

type entry struct {
	Endpoint
	from string // the catalogue entry whose models it has; empty: the one of its name
	last bool   // after the catalogue's
}

// build lays our table over the catalogue.
func build(theirs entries) []Endpoint {
	var head, tail []Endpoint
	done := map[string]bool{}
	for _, o := range ours() {
		done[o.Name] = true
		from := o.from
		if from == "" {
			from = o.Name
		}
		e := o.Endpoint
		if p, ok := theirs.read(from); ok {
			e = overlay(e, convert(p, e.Name))
		}
		if o.last {
			tail = append(tail, e)
		} else {
			head = append(head, e)
		}
	}
	for _, id := range theirs.order {
		if done[id] {
			continue
		}
		p, _ := theirs.read(id)
		if e := convert(p, id); e.Wire != "" && len(e.KeyEnv) > 0 && strings.HasPrefix(e.BaseURL, "http") {
			head = append(head, e)
		}
	}
	return append(head, tail...)
}

func overlay(e, under Endpoint) Endpoint {
	pick := func(over, under string) string {
		if over != "" {
			return over
		}
		return under
	}
	e.Title, e.Wire, e.BaseURL = pick(e.Title, under.Title), pick(e.Wire, under.Wire), pick(e.BaseURL, under.BaseURL)
	e.DefaultModel = pick(e.DefaultModel, under.DefaultModel)
	if len(e.KeyEnv) == 0 {
		e.KeyEnv = under.KeyEnv
	}
	if len(e.Models) == 0 {
		e.Models = under.Models
	}
	return e
}

// convert reads a catalogue entry. Wire is empty where it speaks neither of ours.
// Its default headers are left out: they say that another program is calling.
func convert(p catwalk.Provider, name string) Endpoint {
	e := Endpoint{Name: name, Title: p.Name, BaseURL: strings.TrimRight(p.APIEndpoint, "/"), DefaultModel: p.DefaultLargeModelID}
	switch p.Type {
	case catwalk.TypeOpenAI, catwalk.TypeOpenAICompat, catwalk.TypeOpenRouter, catwalk.TypeVercel:
		e.Wire = OpenAI
	case catwalk.TypeAnthropic:
		e.Wire = Anthropic
	}
	if env, ok := strings.CutPrefix(p.APIKey, "$"); ok {
		e.KeyEnv = []string{env}
	}
	if strings.HasPrefix(e.BaseURL, "$") { // a variable without a value: the table has the address
		e.BaseURL = ""
	}
	e.Models = make([]provider.Model, 0, len(p.Models))
	for _, m := range p.Models {
		if name == "openai" && (strings.Contains(m.ID, "codex") || strings.HasSuffix(m.ID, "-pro")) {
			continue // answer on /v1/responses only
		}
		e.Models = append(e.Models, convertModel(m, name))
	}
	return e
}

func convertModel(m catwalk.Model, endpoint string) provider.Model {
	out := provider.Model{
		Provider: endpoint, ID: m.ID, Name: m.Name, Window: int(m.ContextWindow), MaxOutput: int(m.DefaultMaxTokens),
		Reasoning: m.CanReason, Images: m.SupportsImages, Blind: !m.SupportsImages, Price: price(m),
	}
	if answersAtOnce(m.ID) {
		out.Reasoning, m.ReasoningLevels = false, nil
	}
	for _, l := range m.ReasoningLevels {
		out.Efforts = append(out.Efforts, provider.Effort(l))
		if l == m.DefaultReasoningEffort {
			out.Default = provider.Effort(l)
		}
	}
	if endpoint == "openai" {
		switch {
		case strings.HasPrefix(m.ID, "gpt-5.6"): // any tool needs the explicit "none"
			out.Efforts, out.Default = []provider.Effort{provider.EffortNone}, provider.EffortNone
		case strings.HasPrefix(m.ID, "gpt-5.4"), strings.HasPrefix(m.ID, "gpt-5.5"): // no effort beside tools
			out.Efforts, out.Default = nil, provider.EffortDefault
		}
	}
	return out
}

// answersAtOnce reports models that do not think by their name. The catalogue
// gives some gateways' models the same efforts all alike, and a server that holds
// to the model refuses the first request for one.
func answersAtOnce(id string) bool {
	id = strings.ToLower(id)
	if strings.Contains(id, "think") || strings.Contains(id, "reason") {
		return false
	}
	for _, word := range []string{"instruct", "-coder-", "gpt-4o", "gpt-4.1", "llama-3.", "llama3", "codestral", "pixtral"} {
		if strings.Contains(id, word) && !strings.Contains(id, "nemotron") {
			return true
		}
	}
	return false
}

// price tells the catalogue's two cache figures apart by size: their names mean
// different things from entry to entry, but a read never costs more than fresh
// input and a write never less.
func price(m catwalk.Model) provider.Price {
	p := provider.Price{Input: m.CostPer1MIn, Output: m.CostPer1MOut}
	for _, c := range []float64{m.CostPer1MInCached, m.CostPer1MOutCached} {
		switch {
		case c <= 0:
		case c > p.Input:
			p.CacheWrite = c
		case p.CacheRead == 0 || c < p.CacheRead:
			p.CacheRead = c
		}
	}
	p.Known = p.Input > 0 || p.Output > 0 || strings.HasSuffix(m.ID, ":free") || strings.HasSuffix(m.ID, "-free")
	return p
}
