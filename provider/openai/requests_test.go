package openai

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// notOurs are recorded bodies that say what forge has no words for.
var notOurs = map[string]string{
	"ollama-reasoning-both-fields":          "it is a body of the messages wire",
	"openai-required-tool-reasoning-effort": "it forces one tool, which forge never does",
	"openai-gpt56-cache-breakpoint":         "it sets an explicit breakpoint for a cache that works without",
}

// endpoints names the server each body was recorded at.
var endpoints = map[string]string{
	"azure": "azure", "deepseek": "deepseek", "groq": "groq", "hf": "huggingface", "kimi": "avian", "llamacpp": "llamacpp", "mistral": "mistral",
	"openai": "openai", "openrouter": "openrouter", "snowflake": "snowflake", "vercelgw": "vercel", "xai": "xai", "zai": "zai",
}

// readBody reads a recorded body into our words.
func readBody(t *testing.T, body gjson.Result, origin string) provider.Request {
	t.Helper()
	req := provider.Request{Model: body.Get("model").String()}
	for _, k := range []string{"max_tokens", "max_completion_tokens"} {
		req.MaxTokens += int(body.Get(k).Int())
	}
	switch {
	case body.Get("reasoning_effort").Exists():
		req.Effort = provider.Effort(body.Get("reasoning_effort").String())
	case body.Get("reasoning.effort").Exists():
		req.Effort = provider.Effort(body.Get("reasoning.effort").String())
	case body.Get("reasoning.enabled").Bool():
		req.Effort = provider.EffortMedium
	case body.Get("thinking.type").String() == "enabled":
		req.Effort = provider.EffortHigh
	case body.Get("thinking.type").String() == "disabled":
		req.Effort = provider.EffortNone
	}
	for _, tool := range body.Get("tools").Array() {
		f := tool.Get("function")
		req.Tools = append(req.Tools, provider.ToolSpec{Name: f.Get("name").String(), Description: f.Get("description").String(), Schema: json.RawMessage(f.Get("parameters").Raw)})
	}
	own := map[string]string{}
	for _, m := range body.Get("messages").Array() {
		switch role := m.Get("role").String(); role {
		case "system", "developer":
			req.System += plainText(m.Get("content"))
		case "user":
			req.Messages = append(req.Messages, provider.Message{Role: provider.User, Blocks: contentBlocks(m.Get("content"))})
		case "tool":
			r := provider.ToolResult{ID: own[m.Get("tool_call_id").String()], Content: contentBlocks(m.Get("content"))}
			if n := len(req.Messages); n > 0 && req.Messages[n-1].Role == provider.User {
				req.Messages[n-1].Blocks = append(req.Messages[n-1].Blocks, r)
			} else {
				req.Messages = append(req.Messages, provider.Message{Role: provider.User, Blocks: []provider.Block{r}})
			}
		case "assistant":
			msg := provider.Message{Role: provider.Assistant, Origin: origin}
			th := provider.Thinking{Extra: m.Get("reasoning_details").Raw}
			for _, f := range []string{"reasoning_content", "reasoning"} {
				if v := m.Get(f); v.Exists() {
					th.Text, th.Field = v.String(), f
				}
			}
			if c := m.Get("content"); c.IsArray() && c.Get("0.type").String() == "thinking" {
				th.Text, th.Field = c.Get("0.thinking.0.text").String(), fieldParts
			}
			if th != (provider.Thinking{}) {
				msg.Blocks = append(msg.Blocks, th)
			}
			msg.Blocks = append(msg.Blocks, contentBlocks(m.Get("content"))...)
			for _, c := range m.Get("tool_calls").Array() {
				id := c.Get("id").String()
				own[id] = "ours" + id
				msg.Blocks = append(msg.Blocks, provider.ToolUse{ID: own[id], WireID: id, Name: c.Get("function.name").String(), Input: c.Get("function.arguments").String()})
			}
			req.Messages = append(req.Messages, msg)
		default:
			t.Fatalf("role %q", role)
		}
	}
	return req
}

func plainText(content gjson.Result) string {
	if !content.IsArray() {
		return content.String()
	}
	s := ""
	for _, p := range content.Array() {
		s += p.Get("text").String()
	}
	return s
}

func contentBlocks(content gjson.Result) []provider.Block {
	if !content.IsArray() {
		if content.String() == "" {
			return nil
		}
		return []provider.Block{provider.Text{Text: content.String()}}
	}
	var out []provider.Block
	for _, p := range content.Array() {
		switch p.Get("type").String() {
		case "text":
			out = append(out, provider.Text{Text: p.Get("text").String()})
		case "image_url":
			mime, data, _ := strings.Cut(strings.TrimPrefix(p.Get("image_url.url").String(), "data:"), ";base64,")
			out = append(out, provider.Image{MIME: mime, Data: data})
		}
	}
	return out
}

// meaning is a body without what may differ: order of keys, null for "", names
// for the system's role, ids that are mapped, marks' places.
func meaning(t *testing.T, body gjson.Result) map[string]any {
	t.Helper()
	var msgs []any
	ids := map[string]int{}
	id := func(s string) int {
		if _, ok := ids[s]; !ok {
			ids[s] = len(ids)
		}
		return ids[s]
	}
	for _, m := range body.Get("messages").Array() {
		role := m.Get("role").String()
		if role == "developer" {
			role = "system"
		}
		one := map[string]any{"role": role, "text": strings.TrimSpace(plainText(m.Get("content")))}
		for _, k := range []string{"reasoning", "reasoning_content", "reasoning_details"} {
			if v := m.Get(k); v.Exists() {
				one[k] = v.Value()
			}
		}
		if d := m.Get("reasoning_details"); d.Exists() && body.Get("usage.include").Bool() {
			delete(one, "reasoning") // OpenRouter takes either; the array says all
		}
		if v := m.Get("content.0.thinking.0.text"); v.Exists() {
			one["thinking"] = v.String()
		}
		for _, p := range m.Get("content").Array() {
			if u := p.Get("image_url.url"); u.Exists() {
				one["image"] = u.String()
			}
		}
		if v := m.Get("tool_call_id"); v.Exists() {
			one["answers"] = id(v.String())
		}
		var calls []any
		for _, c := range m.Get("tool_calls").Array() {
			calls = append(calls, []any{id(c.Get("id").String()), c.Get("function.name").String(), c.Get("function.arguments").String()})
		}
		one["calls"] = calls
		msgs = append(msgs, one)
	}
	var tools []any
	for _, tool := range body.Get("tools").Array() {
		f := tool.Get("function")
		schema := f.Get("parameters").Value().(map[string]any)
		if r, ok := schema["required"].([]any); ok && len(r) == 0 {
			delete(schema, "required")
		}
		delete(schema, "additionalProperties")
		tools = append(tools, map[string]any{"name": f.Get("name").String(), "description": f.Get("description").String(), "schema": schema})
	}
	sort.Slice(tools, func(i, j int) bool {
		return tools[i].(map[string]any)["name"].(string) < tools[j].(map[string]any)["name"].(string)
	})
	out := map[string]any{"model": body.Get("model").String(), "messages": msgs, "tools": tools, "marks": strings.Contains(body.Raw, "cache_control")}
	for _, k := range []string{"max_tokens", "max_completion_tokens", "reasoning_effort", "thinking.type"} {
		if v := body.Get(k); v.Exists() {
			out[k] = v.Value()
		}
	}
	if e := body.Get("reasoning"); e.Exists() && !e.Get("enabled").Exists() {
		out["reasoning"] = e.Get("effort").String()
	}
	return out
}

func TestRecordedRequests(t *testing.T) {
	files, err := filepath.Glob("testdata/requests/*.json")
	if err != nil || len(files) < 25 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	done := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			if why, ok := notOurs[name]; ok {
				t.Skip(why)
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			body := gjson.ParseBytes(text)
			kind, _, _ := strings.Cut(name, "-")
			srv := serverFor(endpoints[kind], "")
			if endpoints[kind] == "" {
				t.Fatal("no endpoint for it")
			}
			s := &state{}
			e := &encoder{req: readBody(t, body, "openai/"+srv.name+"/"+body.Get("model").String()), srv: srv, state: s, quirks: &s.quirks}
			got := e.encode()
			if !json.Valid(got) {
				t.Fatalf("not JSON: %s", got)
			}
			want, have := meaning(t, body), meaning(t, gjson.ParseBytes(got))
			if srv.marks && strings.Contains(name, "claude") {
				want["marks"] = true // forge always sets some there
			}
			if strings.Contains(name, "thinking-tool-result") && srv.name == "vercel" {
				delete(have, "reasoning") // recorded as enabled:true, which is no effort
			}
			for k := range want {
				if !reflect.DeepEqual(want[k], have[k]) {
					w, _ := json.Marshal(want[k])
					h, _ := json.Marshal(have[k])
					t.Errorf("%s:\ngot  %s\nwant %s", k, h, w)
				}
			}
			for k := range have {
				if _, ok := want[k]; !ok {
					t.Errorf("%s: %v was not there", k, have[k])
				}
			}
		})
		done++
	}
	for name := range notOurs {
		if _, err := os.Stat(filepath.Join("testdata/requests", name+".json")); err != nil {
			t.Error(err)
		}
	}
}
