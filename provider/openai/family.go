package openai

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"forge/provider"
)

// server is what one kind of endpoint needs that others do not.
type server struct {
	name  string
	hosts []string // ends of host names, a part of a path, or :port
	names []string // catalogue names beside name

	effort     effortStyle
	schema     schemaStyle
	ids        idStyle
	completion bool // max_completion_tokens for every model
	null       bool // content null beside calls, where most want ""
	toolImages bool // a tool message may hold images
	marks      bool // cache_control on parts, for Claude models
	cacheKey   bool // prompt_cache_key
	numCtx     bool // num_ctx
	toolStream bool // tool_stream, without which arguments come at once
	split      bool // reasoning_split, without which reasoning stands in the text
	costs      bool // usage:{include:true}
	details    bool // reasoning_details alone go back, not the same text beside them
	insists    bool // calls must come back with their reasoning, or a stand-in
	local      bool // somebody's own machine: chat templates, small windows
	apiKey     bool // the key goes into api-key, not Authorization
	noOptions  bool // stream_options is refused; the usage comes all the same
	tools      int  // the most tools of one request; 0: no known bound
}

// The ways to say how much to think.
type effortStyle int

const (
	effortField    effortStyle = iota // reasoning_effort
	effortThinking                    // thinking:{type}
	effortDeepSeek                    // thinking:{type} and reasoning_effort
	effortQwen                        // enable_thinking, thinking_budget
	effortTemplate                    // chat_template_kwargs
	effortObject                      // reasoning:{effort}
)

type idStyle int

const (
	idAny     idStyle = iota
	idShort           // at most 40 characters
	idMistral         // nine letters and digits
)

// servers is the table. The first match by name, then by host, wins.
var servers = []server{
	{name: "openai", hosts: []string{"api.openai.com"}, completion: true, null: true, ids: idShort, cacheKey: true, tools: 128},
	{name: "azure", hosts: []string{".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"}, null: true, ids: idShort, apiKey: true, tools: 128},
	{name: "copilot", hosts: []string{"githubcopilot.com"}, ids: idShort, tools: 128},
	{name: "deepseek", hosts: []string{"api.deepseek.com"}, effort: effortDeepSeek, insists: true, tools: 128},
	{name: "moonshot", names: []string{"kimi", "moonshot-cn", "moonshot-china"}, hosts: []string{"moonshot.ai", "moonshot.cn", "api.kimi.com"}, effort: effortThinking, schema: schemaSafe, insists: true},
	{name: "zai", names: []string{"zhipu", "zhipu-coding", "z.ai"}, hosts: []string{"api.z.ai", "bigmodel.cn"}, effort: effortThinking, toolStream: true},
	{name: "alibaba", names: []string{"alibaba-singapore", "alibaba-united-states", "dashscope", "qwen"}, hosts: []string{"aliyuncs.com"}, effort: effortQwen},
	{name: "minimax", names: []string{"minimax-china"}, hosts: []string{"minimax.io", "minimaxi.com"}, effort: effortThinking, split: true},
	{name: "openrouter", hosts: []string{"openrouter.ai"}, effort: effortObject, toolImages: true, marks: true, costs: true, details: true},
	{name: "vercel", hosts: []string{"ai-gateway.vercel.sh"}, effort: effortObject, marks: true},
	{name: "snowflake", hosts: []string{"snowflakecomputing.com"}, effort: effortObject},
	{name: "gemini", names: []string{"vertexai", "google"}, hosts: []string{"generativelanguage.googleapis.com", "aiplatform.googleapis.com"}, schema: schemaSafe},
	{name: "mistral", hosts: []string{"api.mistral.ai"}, ids: idMistral, noOptions: true},
	{name: "cerebras", hosts: []string{"api.cerebras.ai"}, schema: schemaSafe},
	{name: "fireworks", hosts: []string{"api.fireworks.ai"}, schema: schemaSafe},
	{name: "groq", hosts: []string{"api.groq.com"}, tools: 128},
	{name: "xai", hosts: []string{"api.x.ai"}},
	{name: "nvidia", hosts: []string{"integrate.api.nvidia.com"}, effort: effortTemplate},
	{name: "ollama", hosts: []string{":11434", "ollama.com"}, toolImages: true, schema: schemaSafe, numCtx: true, local: true},
	{name: "llamacpp", names: []string{"llama.cpp", "llama-server"}, hosts: []string{":8080"}, toolImages: true, schema: schemaSafe, effort: effortTemplate, local: true},
	{name: "lmstudio", names: []string{"lm-studio"}, hosts: []string{":1234"}, schema: schemaSafe, local: true},
	{name: "vllm", hosts: []string{":8000"}, schema: schemaSafe, effort: effortTemplate, local: true},
	{name: "sglang", hosts: []string{":30000"}, schema: schemaSafe, effort: effortTemplate, local: true},
}

// serverFor finds the table's row: by a host name that is in it, else by the
// endpoint's name, else by a port of the person's own machine. What is not in it
// is a plain server under its own name. The name "openai" alone says nothing of a
// server that stands elsewhere: it is what people call the wire.
func serverFor(name, baseURL string) server {
	name = strings.ToLower(name)
	host := ""
	if u, err := url.Parse(baseURL); err == nil {
		host = strings.ToLower(u.Host)
	}
	if s, ok := byHost(host, false); ok {
		return s
	}
	for _, s := range servers {
		if (s.name == name || slices.Contains(s.names, name)) && (name != "openai" || host == "") {
			return s
		}
	}
	home := localHost(host)
	if home {
		if s, ok := byHost(host, true); ok {
			return s
		}
	}
	if name == "" || name == "openai" {
		name = host
	}
	if home {
		return server{name: name, local: true, schema: schemaSafe, effort: effortTemplate}
	}
	return server{name: name}
}

// byHost looks for a host name, or with port for a port.
func byHost(host string, port bool) (server, bool) {
	for _, s := range servers {
		for _, h := range s.hosts {
			if port && h[0] == ':' && strings.HasSuffix(host, h) || !port && h[0] != ':' && within(host, h) {
				return s, true
			}
		}
	}
	return server{}, false
}

func within(host, end string) bool {
	if i := strings.LastIndexByte(host, ':'); i >= 0 {
		host = host[:i]
	}
	return host == end || strings.HasSuffix(host, "."+strings.TrimPrefix(end, "."))
}

func localHost(host string) bool {
	if u, err := url.Parse("http://" + host); err == nil {
		host = u.Hostname()
	}
	for _, p := range []string{"127.", "10.", "192.168.", "172.16.", "172.17.", "172.18."} {
		if strings.HasPrefix(host, p) {
			return true
		}
	}
	return host == "localhost" || host == "::1" || host == "0.0.0.0" || host == "host.docker.internal" || strings.HasSuffix(host, ".local") || host != "" && !strings.ContainsAny(host, ".:")
}

// brand is a model's family: reasoning goes back within one, never across.
func brand(model string) string {
	id := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	for _, f := range [...]struct{ begin, brand string }{
		{"gpt-oss", "gpt-oss"}, {"gpt-", "gpt"}, {"chatgpt", "gpt"}, {"codex", "gpt"}, {"o1", "gpt"}, {"o3", "gpt"}, {"o4", "gpt"},
		{"claude", "claude"}, {"gemini", "gemini"}, {"gemma", "gemma"}, {"kimi", "kimi"}, {"moonshot", "kimi"}, {"deepseek", "deepseek"},
		{"glm", "glm"}, {"chatglm", "glm"}, {"qwen", "qwen"}, {"qwq", "qwen"}, {"qvq", "qwen"}, {"grok", "grok"}, {"mistral", "mistral"},
		{"magistral", "mistral"}, {"codestral", "mistral"}, {"devstral", "mistral"}, {"ministral", "mistral"}, {"minimax", "minimax"}, {"llama", "llama"},
	} {
		if strings.HasPrefix(id, f.begin) {
			return f.brand
		}
	}
	end := strings.IndexFunc(id, func(r rune) bool { return r < 'a' || r > 'z' })
	if end > 0 {
		return id[:end]
	}
	return id
}

// gptVersion reads 5.6 out of "gpt-5.6-terra"; 0 for anything else.
func gptVersion(model string) float64 {
	id, ok := strings.CutPrefix(strings.ToLower(model[strings.LastIndexByte(model, '/')+1:]), "gpt-")
	if !ok {
		return 0
	}
	end := strings.IndexFunc(id, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end >= 0 {
		id = id[:end]
	}
	v, _ := strconv.ParseFloat(id, 64) // "oss" gives 0
	return v
}

// thinks reports whether an OpenAI model is one that reasons: those take
// max_completion_tokens and an effort.
func thinks(model string) bool {
	id := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	return gptVersion(model) >= 5 || len(id) > 1 && id[0] == 'o' && id[1] >= '1' && id[1] <= '9'
}

// besideTools is the effort an OpenAI model takes in a request with tools. Since
// 5.4 the two exclude each other here; since 5.6 the absence of thinking must be
// said as well, or the first tool call fails.
func besideTools(model string, want provider.Effort) (provider.Effort, bool) {
	switch v := gptVersion(model); {
	case v >= 5.6:
		return provider.EffortNone, true
	case v >= 5.4:
		return provider.EffortDefault, true
	}
	return want, false
}
