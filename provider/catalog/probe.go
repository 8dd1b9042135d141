package catalog

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// answerMax bounds what is read of an answer, in bytes.
const answerMax = 8 << 20

// asker asks local servers in their own words.
type asker struct{ client *http.Client }

// ask returns the JSON of a 200 answer, !Exists() for anything else.
func (a asker) ask(ctx context.Context, method, url string, body string) gjson.Result {
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		return gjson.Result{}
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return gjson.Result{}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, answerMax))
	if err != nil || resp.StatusCode != http.StatusOK || !gjson.ValidBytes(text) {
		return gjson.Result{}
	}
	return gjson.ParseBytes(text)
}

// showMax bounds how many of ollama's models are asked about one by one.
const showMax = 32

// ollama lists with /api/tags, learns of each model with /api/show, and with
// /api/ps which are loaded and how much context they were given: that, not what
// the model could do, is where the server begins to cut silently.
func (a asker) ollama(ctx context.Context, root string) *Found {
	tags := a.ask(ctx, "GET", root+"/api/tags", "")
	if !tags.Get("models").IsArray() {
		return nil
	}
	running := map[string]int{}
	f := &Found{}
	for _, m := range a.ask(ctx, "GET", root+"/api/ps", "").Get("models").Array() {
		running[m.Get("name").String()] = int(m.Get("context_length").Int())
		f.Loaded = append(f.Loaded, m.Get("name").String())
	}
	list := tags.Get("models").Array()
	models := make([]provider.Model, len(list))
	var wg sync.WaitGroup
	for i, m := range list {
		models[i] = provider.Model{ID: m.Get("name").String()}
		if i >= showMax {
			continue
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { _ = recover() }()
			models[i] = ollamaModel(models[i].ID, a.ask(ctx, "POST", root+"/api/show", fmt.Sprintf(`{"model":%s}`, strconv.Quote(models[i].ID))))
		}()
	}
	wg.Wait()
	for _, m := range models {
		if m.ID == "" {
			continue // an embedding model
		}
		if n := running[m.ID]; n > 0 {
			m.Window = n
		}
		f.Models = append(f.Models, m)
	}
	return f
}

// ollamaModel reads /api/show. The ID is empty for what cannot chat.
func ollamaModel(id string, show gjson.Result) provider.Model {
	m := provider.Model{ID: id}
	show.Get("model_info").ForEach(func(k, v gjson.Result) bool {
		if strings.HasSuffix(k.String(), ".context_length") {
			m.Window = int(v.Int())
			return false
		}
		return true
	})
	for line := range strings.Lines(show.Get("parameters").String()) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == "num_ctx" {
			if n, err := strconv.Atoi(f[1]); err == nil && n > 0 {
				m.Window = n
			}
		}
	}
	if caps := show.Get("capabilities"); caps.IsArray() {
		can := map[string]bool{}
		for _, c := range caps.Array() {
			can[c.String()] = true
		}
		m.NoTools, m.Images, m.Blind, m.Reasoning = !can["tools"], can["vision"], !can["vision"], can["thinking"]
		if can["embedding"] && !can["completion"] {
			m.ID = ""
		}
	}
	return m
}

// llamacpp knows itself by /props; its n_ctx is what one slot really has.
func (a asker) llamacpp(ctx context.Context, root string) *Found {
	props := a.ask(ctx, "GET", root+"/props", "")
	if !props.Get("default_generation_settings").Exists() && !props.Get("chat_template").Exists() {
		return nil
	}
	window := int(props.Get("default_generation_settings.n_ctx").Int())
	f := &Found{}
	for _, m := range a.ask(ctx, "GET", root+"/v1/models", "").Get("data").Array() {
		pm := provider.Model{ID: m.Get("id").String(), Window: window, Images: props.Get("modalities.vision").Bool(), Blind: props.Get("modalities.vision").Type == gjson.False}
		if pm.Window == 0 {
			pm.Window = int(m.Get("meta.n_ctx_train").Int())
		}
		if pm.ID != "" {
			pm.Name = baseName(pm.ID)
			f.Models = append(f.Models, pm)
		}
	}
	return f
}

// lmstudio has its own list beside the compatible one, with both windows.
func (a asker) lmstudio(ctx context.Context, root string) *Found {
	list := a.ask(ctx, "GET", root+"/api/v0/models", "").Get("data")
	if !list.IsArray() {
		return nil
	}
	f := &Found{}
	for _, m := range list.Array() {
		kind := m.Get("type").String()
		if kind != "llm" && kind != "vlm" {
			continue // embeddings
		}
		pm := provider.Model{ID: m.Get("id").String(), Images: kind == "vlm", Blind: kind == "llm", Window: int(m.Get("max_context_length").Int())}
		if n := int(m.Get("loaded_context_length").Int()); n > 0 {
			pm.Window = n
		}
		if m.Get("state").String() == "loaded" {
			f.Loaded = append(f.Loaded, pm.ID)
		}
		if caps := m.Get("capabilities"); caps.IsArray() {
			pm.NoTools = !strings.Contains(caps.Raw, `"tool_use"`)
		}
		f.Models = append(f.Models, pm)
	}
	return f
}

// vllm is known by owned_by and max_model_len; port 8000 has many other tenants.
func (a asker) vllm(ctx context.Context, root string) *Found {
	list := a.ask(ctx, "GET", root+"/v1/models", "").Get("data")
	f := &Found{}
	for _, m := range list.Array() {
		if m.Get("max_model_len").Exists() || m.Get("owned_by").String() == "vllm" {
			f.Models = append(f.Models, provider.Model{ID: m.Get("id").String(), Name: baseName(m.Get("id").String()), Window: int(m.Get("max_model_len").Int())})
		}
	}
	if len(f.Models) == 0 {
		return nil
	}
	return f
}

// baseName shortens an ID that is a path on disk.
func baseName(id string) string {
	if !strings.HasPrefix(id, "/") && !strings.Contains(id, `\`) {
		return id
	}
	return id[strings.LastIndexAny(id, `/\`)+1:]
}
