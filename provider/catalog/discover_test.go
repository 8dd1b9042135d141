package catalog

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"forge/provider"
)

// server answers fixed paths, the way the real one does.
func server(t *testing.T, answers map[string]string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Method + " " + r.URL.Path
		if r.Method == "POST" {
			body, _ := io.ReadAll(r.Body)
			key += " " + string(body)
		}
		a, ok := answers[key]
		if !ok {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, a)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func at(name, root string) Endpoint {
	e, _ := Find(name)
	e.BaseURL = root + "/v1"
	return e
}

func TestDiscover(t *testing.T) {
	ollama := server(t, map[string]string{
		"GET /api/tags":                                      `{"models":[{"name":"gemma:2b"},{"name":"qwen3:8b"},{"name":"nomic-embed-text:latest"},{"name":"tuned:latest"}]}`,
		"GET /api/ps":                                        `{"models":[{"name":"qwen3:8b","context_length":4096}]}`,
		`POST /api/show {"model":"qwen3:8b"}`:                `{"capabilities":["completion","tools","thinking"],"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960}}`,
		`POST /api/show {"model":"gemma:2b"}`:                `{"capabilities":["completion","vision"],"model_info":{"gemma.context_length":8192}}`,
		`POST /api/show {"model":"nomic-embed-text:latest"}`: `{"capabilities":["embedding"],"model_info":{"nomic-bert.context_length":2048}}`,
		`POST /api/show {"model":"tuned:latest"}`:            `{"capabilities":["completion","tools"],"parameters":"stop \"x\"\nnum_ctx                        16384\n","model_info":{"llama.context_length":131072}}`,
	})
	llamacpp := server(t, map[string]string{
		"GET /props":     `{"default_generation_settings":{"n_ctx":8192},"model_path":"/models/qwen.gguf","modalities":{"vision":true},"chat_template":"…"}`,
		"GET /v1/models": `{"object":"list","data":[{"id":"/models/qwen.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":32768}}]}`,
	})
	lmstudio := server(t, map[string]string{"GET /api/v0/models": `{"data":[
		{"id":"text-embedding-x","type":"embeddings","max_context_length":2048},
		{"id":"small","type":"llm","state":"not-loaded","max_context_length":32768},
		{"id":"seer","type":"vlm","state":"loaded","max_context_length":131072,"loaded_context_length":4096,"capabilities":["tool_use"]}]}`})
	vllm := server(t, map[string]string{"GET /v1/models": `{"object":"list","data":[{"id":"Qwen/Qwen3-32B","owned_by":"vllm","max_model_len":40960}]}`})

	got := discover(t.Context(), []Endpoint{at("ollama", ollama), at("llamacpp", llamacpp), at("lmstudio", lmstudio), at("vllm", vllm)}, 10*time.Second)
	if len(got) != 4 {
		t.Fatalf("found %d: %+v", len(got), got)
	}
	want := map[string][]provider.Model{
		"ollama": {
			{Provider: "ollama", ID: "gemma:2b", Name: "gemma:2b", Window: 8192, NoTools: true, Images: true},
			{Provider: "ollama", ID: "qwen3:8b", Name: "qwen3:8b", Window: 4096, Reasoning: true},
			{Provider: "ollama", ID: "tuned:latest", Name: "tuned:latest", Window: 16384},
		},
		"llamacpp": {{Provider: "llamacpp", ID: "/models/qwen.gguf", Name: "qwen.gguf", Window: 8192, Images: true}},
		"lmstudio": {{Provider: "lmstudio", ID: "small", Name: "small", Window: 32768}, {Provider: "lmstudio", ID: "seer", Name: "seer", Window: 4096, Images: true}},
		"vllm":     {{Provider: "vllm", ID: "Qwen/Qwen3-32B", Name: "Qwen/Qwen3-32B", Window: 40960}},
	}
	begins := map[string]string{"ollama": "qwen3:8b", "llamacpp": "/models/qwen.gguf", "lmstudio": "seer", "vllm": "Qwen/Qwen3-32B"}
	for _, f := range got {
		if !slices.EqualFunc(f.Models, want[f.Name], func(a, b provider.Model) bool { return sameModel(a, b) }) {
			t.Errorf("%s:\n%+v\n%+v", f.Name, f.Models, want[f.Name])
		}
		if f.DefaultModel != begins[f.Name] || !f.Local || f.Wire != OpenAI {
			t.Errorf("%s begins with %q: %+v", f.Name, f.DefaultModel, f.Endpoint)
		}
	}
}

func sameModel(a, b provider.Model) bool {
	return slices.Equal(a.Efforts, b.Efforts) && a.ID == b.ID && a.Provider == b.Provider && a.Name == b.Name && a.Window == b.Window &&
		a.NoTools == b.NoTools && a.Images == b.Images && a.Reasoning == b.Reasoning && a.Price == b.Price && a.MaxOutput == b.MaxOutput
}

// Whatever else listens there is not taken for a model server, and a port that
// accepts and says nothing does not hold up the rest.
func TestDiscoverIgnoresStrangers(t *testing.T) {
	web := server(t, map[string]string{"GET /props": "<html>", "GET /v1/models": `{"data":[{"id":"x","owned_by":"somebody"}]}`, "GET /api/tags": `{"error":"no"}`, "GET /api/v0/models": `[]`})
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	real := server(t, map[string]string{"GET /v1/models": `{"data":[{"id":"m","max_model_len":9000}]}`})
	closed, _ := net.Listen("tcp", "127.0.0.1:0")
	closed.Close()
	got := discover(t.Context(), []Endpoint{
		at("ollama", web), at("llamacpp", web), at("lmstudio", web), at("vllm", web),
		at("ollama", "http://"+silent.Addr().String()), at("llamacpp", "http://"+closed.Addr().String()), at("vllm", real),
	}, discoverWait)
	if len(got) != 1 || got[0].BaseURL != real+"/v1" {
		t.Errorf("%+v", got)
	}
}

func TestListRemote(t *testing.T) {
	openai := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer k" {
			w.WriteHeader(401)
			io.WriteString(w, `{"error":{"message":"Incorrect API key provided"}}`)
			return
		}
		io.WriteString(w, `{"data":[{"id":"z","context_window":1000},{"id":"text-embedding-3"},{"id":"models/gem","display_name":"Gem"},
			{"id":"or/m","name":"M","context_length":2000,"top_provider":{"max_completion_tokens":500},"supported_parameters":["temperature","reasoning"],"architecture":{"input_modalities":["text","image"]},"pricing":{"prompt":"0.000003","completion":"0.000015","input_cache_read":"0.0000003"}}]}`)
	}))
	defer openai.Close()
	e := Endpoint{Name: "custom", Wire: OpenAI, BaseURL: openai.URL + "/v1/", KeyEnv: []string{"MY_KEY"}}
	got, err := ListRemote(t.Context(), openai.Client(), e, "k")
	if err != nil {
		t.Fatal(err)
	}
	want := []provider.Model{
		{Provider: "custom", ID: "gem", Name: "Gem"},
		{Provider: "custom", ID: "or/m", Name: "M", Window: 2000, MaxOutput: 500, NoTools: true, Reasoning: true, Images: true},
		{Provider: "custom", ID: "z", Name: "z", Window: 1000},
	}
	if len(got) != 3 || got[1].Price.Input < 2.99 || got[1].Price.Input > 3.01 || !got[1].Price.Known {
		t.Fatalf("%+v", got)
	}
	got[1].Price = provider.Price{}
	for i := range got {
		if !sameModel(got[i], want[i]) {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
	if _, err := ListRemote(t.Context(), openai.Client(), e, "wrong"); err == nil || !strings.Contains(err.Error(), "auth") || err.(*provider.Error).Hint != "key refused: check MY_KEY" {
		t.Errorf("%v", err)
	}

	anthropic := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || r.Header.Get("X-Api-Key") != "k" || r.Header.Get("Anthropic-Version") == "" {
			w.WriteHeader(400)
			return
		}
		io.WriteString(w, `{"data":[{"type":"model","id":"claude-sonnet-5","display_name":"Claude Sonnet 5"}],"has_more":false}`)
	}))
	defer anthropic.Close()
	a, _ := Find("anthropic")
	a.BaseURL = anthropic.URL
	got, err = ListRemote(t.Context(), anthropic.Client(), a, "k")
	if err != nil || len(got) != 1 || got[0].Window != 1_000_000 || !got[0].Price.Known {
		t.Errorf("%+v %v: the catalogue's figures are missing", got, err)
	}
	page := server(t, map[string]string{"GET /models": "<html>hello"})
	if _, err := ListRemote(t.Context(), nil, Endpoint{Name: "x", Wire: OpenAI, BaseURL: page}, ""); err == nil || !strings.Contains(err.Error(), "most end in /v1") {
		t.Errorf("%v", err)
	}
}

// TestListWithoutV1: people leave it out, and most servers want it.
func TestListWithoutV1(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"data":[{"id":"m"}]}`))
	}))
	defer srv.Close()
	got, err := ListRemote(t.Context(), nil, Endpoint{Name: "x", Wire: OpenAI, BaseURL: srv.URL}, "")
	if err != nil || len(got) != 1 || got[0].ID != "m" {
		t.Errorf("%v %v", got, err)
	}
	if _, err := ListRemote(t.Context(), nil, Endpoint{Name: "x", Wire: OpenAI, BaseURL: srv.URL + "/other"}, ""); err == nil {
		t.Error("an address with a path is taken as it is")
	}
}

// TestWindowAtAnotherPort: a llama.cpp given by its address alone tells the window
// it really has, and a model named there is looked up.
func TestWindowAtAnotherPort(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/props":
			_, _ = w.Write([]byte(`{"default_generation_settings":{"n_ctx":16384},"modalities":{"vision":true}}`))
		case "/v1/models":
			_, _ = w.Write([]byte(`{"data":[{"id":"m.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}`))
		default:
			http.NotFound(w, r)
		}
	}))
	defer srv.Close()
	list := func(ctx context.Context, e Endpoint, key string) ([]provider.Model, error) {
		return ListRemote(ctx, nil, e, key)
	}
	for _, w := range []Wish{
		{BaseURL: srv.URL}, {BaseURL: srv.URL + "/v1"}, {BaseURL: srv.URL + "/v1", Model: "m.gguf"}, {Provider: "llamacpp", BaseURL: srv.URL, Model: "m.gguf"},
	} {
		c, err := Choose(t.Context(), Inputs{Flag: w, List: list})
		if err != nil || c.Model.ID != "m.gguf" || c.Model.Window != 16384 || !c.Model.Images {
			t.Errorf("%+v: %+v, %v", w, c.Model, err)
		}
	}
	if c, err := Choose(t.Context(), Inputs{Flag: Wish{BaseURL: srv.URL + "/v1", Model: "other"}, List: list}); err != nil || c.Model.ID != "other" {
		t.Errorf("a model that is not listed: %+v, %v", c.Model, err)
	}
}

// TestNamedModelAtASlowServer: a list nobody needs is not waited for long.
func TestNamedModelAtASlowServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, _ Endpoint, _ string) ([]provider.Model, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		began := time.Now()
		c, err := Choose(t.Context(), Inputs{Flag: Wish{BaseURL: "http://127.0.0.1:7/v1", Model: "m"}, List: slow})
		if err != nil || c.Model.ID != "m" || time.Since(began) != listedWait {
			t.Errorf("%+v, %v, after %s", c.Model, err, time.Since(began))
		}
	})
}
