package anthropic

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// beyond lists the recorded requests that say something forge has no words for,
// each with what that is.
var beyond = map[string]string{
	"anthropic-cache-1h-system":                     "a cache life of an hour",
	"anthropic-tools-cache-1h":                      "a cache life of an hour",
	"anthropic-disable-parallel":                    "tool_choice: forge always lets the model choose",
	"anthropic-tool-choice-none":                    "tool_choice: forge always lets the model choose",
	"anthropic-document-pdf":                        "a document block",
	"anthropic-image-url":                           "an image by address: forge sends the bytes",
	"anthropic-midconv-system-cc":                   "a system message in the middle for a model that may refuse it: it degrades, see TestSystemInTheMiddle",
	"anthropic-midconv-tool-addition":               "a tool added by a system message",
	"anthropic-opus46-effort-json-schema":           "an answer by JSON schema",
	"anthropic-opus5-thinking-disabled-effort-high": "an effort beside disabled thinking",
	"anthropic-prefill-stop":                        "an answer begun for the model, stop sequences",
	"anthropic-server-and-client-tools":             "tools that run on the server; their blocks are kept, see TestUnknownBlocksReturn",
}

// TestRecordedRequests reads each body real endpoints accepted into forge's words,
// encodes it again and compares what the two say.
func TestRecordedRequests(t *testing.T) {
	paths, err := filepath.Glob("testdata/requests/*.json")
	if err != nil || len(paths) < 29 {
		t.Fatalf("%d requests, %v", len(paths), err)
	}
	seen := 0
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		t.Run(name, func(t *testing.T) {
			if why := beyond[name]; why != "" {
				t.Skip(why)
			}
			seen++
			body := read(t, path)
			got := encode(t, "", requestOf(t, string(body)))
			g, w := meaning(t, got), meaning(t, body)
			for _, key := range []string{"model", "max_tokens", "thinking", "effort", "system", "tools", "messages"} {
				if !reflect.DeepEqual(g[key], w[key]) {
					t.Errorf("%s:\n got %v\nwant %v", key, show(g[key]), show(w[key]))
				}
			}
			for _, mark := range []string{"tools.last", "system.last", "messages.last"} {
				if w["mark."+mark] == true && g["mark."+mark] != true {
					t.Errorf("no cache mark at %s", mark)
				}
			}
		})
	}
	if want := len(paths) - len(beyond); seen != want {
		t.Errorf("%d requests compared, want %d: a name in the list has no file", seen, want)
	}
}

func show(v any) string { b, _ := json.Marshal(v); return string(b) }

// encode returns the body for req at base ("": the vendor's own endpoint).
func encode(t testing.TB, base string, req provider.Request) []byte {
	t.Helper()
	e := New(Options{BaseURL: base}).(*endpoint).encoder(req)
	b, err := e.encode()
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(b) {
		t.Fatalf("not JSON: %s", b)
	}
	return b
}

// requestOf reads a body into forge's words.
func requestOf(t *testing.T, body string) provider.Request {
	t.Helper()
	b := gjson.Parse(body)
	req := provider.Request{
		Model: b.Get("model").String(), MaxTokens: int(b.Get("max_tokens").Int()),
		Effort: provider.Effort(b.Get("output_config.effort").String()),
	}
	if req.Effort == "" {
		switch b.Get("thinking.type").String() {
		case "adaptive":
			req.Effort = provider.EffortHigh
		case "enabled":
			req.Effort = provider.EffortMinimal
		case "disabled":
			req.Effort = provider.EffortNone
		}
	}
	req.System = strings.Join(texts(b.Get("system")), "\n\n")
	for _, tool := range b.Get("tools").Array() {
		if tool.Get("input_schema").Exists() { // tools of the vendor's own types have none
			req.Tools = append(req.Tools, provider.ToolSpec{
				Name: tool.Get("name").String(), Description: tool.Get("description").String(),
				Schema: json.RawMessage(tool.Get("input_schema").Raw),
			})
		}
	}
	for _, m := range b.Get("messages").Array() {
		msg := provider.Message{Role: provider.Role(m.Get("role").String())}
		if msg.Role == provider.Assistant {
			msg.Origin = Origin(req.Model)
		}
		if c := m.Get("content"); c.Type == gjson.String {
			msg.Blocks = []provider.Block{provider.Text{Text: c.Str}}
		} else {
			msg.Blocks = blocksOf(t, c, msg.Origin)
		}
		req.Messages = append(req.Messages, msg)
	}
	return req
}

func texts(v gjson.Result) []string {
	if v.Type == gjson.String {
		return []string{v.Str}
	}
	var out []string
	for _, b := range v.Array() {
		out = append(out, b.Get("text").String())
	}
	return out
}

func blocksOf(t *testing.T, list gjson.Result, origin string) []provider.Block {
	t.Helper()
	var out []provider.Block
	for _, b := range list.Array() {
		switch kind := b.Get("type").String(); kind {
		case "text":
			out = append(out, provider.Text{Text: b.Get("text").String()})
		case "thinking":
			out = append(out, provider.Thinking{Text: b.Get("thinking").String(), Signature: b.Get("signature").String()})
		case "redacted_thinking":
			out = append(out, provider.Opaque{Origin: origin, JSON: b.Raw})
		case "tool_use":
			out = append(out, provider.ToolUse{
				ID: "ours-" + b.Get("id").String(), WireID: b.Get("id").String(), Name: b.Get("name").String(), Input: b.Get("input").Raw,
			})
		case "tool_result":
			r := provider.ToolResult{ID: "ours-" + b.Get("tool_use_id").String(), IsError: b.Get("is_error").Bool()}
			if c := b.Get("content"); c.Type == gjson.String {
				r.Content = []provider.Block{provider.Text{Text: c.Str}}
			} else {
				r.Content = blocksOf(t, c, origin)
			}
			out = append(out, r)
		case "image":
			out = append(out, provider.Image{MIME: b.Get("source.media_type").String(), Data: b.Get("source.data").String()})
		default:
			t.Fatalf("block of type %q: list this request with its reason", kind)
		}
	}
	return out
}

// meaning is a body without what says nothing: spelling of one text as a list,
// flags at their default, the order of tools, where cache marks stand.
func meaning(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var b map[string]any
	if err := json.Unmarshal(body, &b); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{"model": b["model"], "max_tokens": b["max_tokens"]}
	if th, ok := b["thinking"].(map[string]any); ok && th["type"] != "disabled" {
		out["thinking"] = th["type"] // how much and how shown is forge's choice
	} else if b["thinking"] == nil && familyOf(b["model"].(string)).on {
		out["thinking"] = "adaptive" // it thinks unasked
	}
	out["effort"] = gjson.GetBytes(body, "output_config.effort").String()
	if out["effort"] == "" && out["thinking"] == "adaptive" {
		out["effort"] = "high" // the default, spelled out
	}
	out["system"] = strings.Join(texts(gjson.GetBytes(body, "system")), "\n\n")
	tools, _ := b["tools"].([]any)
	var plain []string
	for i, x := range tools {
		tool := x.(map[string]any)
		out["mark.tools.last"] = i == len(tools)-1 && tool["cache_control"] != nil
		delete(tool, "cache_control")
		if tool["strict"] == false {
			delete(tool, "strict")
		}
		if tool["description"] == "" {
			delete(tool, "description")
		}
		if tool["input_schema"] != nil {
			plain = append(plain, show(tool))
		}
	}
	sort.Strings(plain)
	out["tools"] = plain
	if sys := gjson.GetBytes(body, "system").Array(); len(sys) > 0 {
		out["mark.system.last"] = sys[len(sys)-1].Get("cache_control").IsObject()
	}
	var msgs []any
	for _, x := range b["messages"].([]any) {
		m := x.(map[string]any)
		list, marked := plainBlocks(m["content"])
		out["mark.messages.last"] = marked
		msgs = append(msgs, map[string]any{"role": m["role"], "content": list})
	}
	out["messages"] = msgs
	return out
}

// plainBlocks returns the blocks without marks and defaults, and whether the last
// of them had a mark.
func plainBlocks(content any) (blocks []any, marked bool) {
	if s, ok := content.(string); ok {
		return []any{map[string]any{"type": "text", "text": s}}, false
	}
	for _, x := range content.([]any) {
		b := x.(map[string]any)
		marked = b["cache_control"] != nil
		delete(b, "cache_control")
		if b["is_error"] == false {
			delete(b, "is_error")
		}
		if b["type"] == "tool_result" {
			b["content"], _ = plainBlocks(b["content"])
		}
		if text, ok := b["text"].(string); ok && strings.TrimSpace(text) == "" {
			continue // some models refuse it
		}
		blocks = append(blocks, b)
	}
	return blocks, marked
}

// At most four marks, never on thinking, for every recorded request.
func TestCacheMarksBounded(t *testing.T) {
	paths, _ := filepath.Glob("testdata/requests/*.json")
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if beyond[name] != "" {
			continue
		}
		req := requestOf(t, string(read(t, path)))
		for _, c := range []struct {
			base string
			want int
		}{{"", 4}, {"http://127.0.0.1:1", 4}} {
			body := string(encode(t, c.base, req))
			if n := strings.Count(body, `"cache_control"`); n > c.want || n == 0 {
				t.Errorf("%s: %d cache marks", name, n)
			}
			gjson.Get(body, "messages.#.content|@flatten").ForEach(func(_, b gjson.Result) bool {
				if k := b.Get("type").String(); strings.Contains(k, "thinking") && b.Get("cache_control").Exists() {
					t.Errorf("%s: a mark on %s", name, k)
				}
				return true
			})
		}
	}
	e := New(Options{NoCache: true}).(*endpoint).encoder(provider.Request{Model: "claude-opus-4-6", System: "s", Messages: []provider.Message{provider.UserText("hi")}})
	b, err := e.encode()
	if err != nil || strings.Contains(string(b), "cache_control") {
		t.Errorf("marks although none are wanted: %s %v", b, err)
	}
}

// Every recorded answer goes back as it was: thinking, signatures, unknown blocks,
// citations and arguments byte for byte.
func TestAnswersReturnByteExact(t *testing.T) {
	for _, path := range streams(t) {
		m, err := provider.Collect(Decode(strings.NewReader(string(read(t, path))), Origin("claude-opus-4-6")), nil)
		if err != nil || len(m.Blocks) == 0 {
			continue // cut streams and empty refusals are not history
		}
		msgs := []provider.Message{provider.UserText("q"), m}
		var results []provider.Block
		for _, u := range m.ToolUses() {
			results = append(results, provider.ToolResult{ID: u.ID, Content: []provider.Block{provider.Text{Text: "r"}}})
		}
		msgs = append(msgs, provider.Message{Role: provider.User, Blocks: append(results, provider.Text{Text: "and now?"})})
		body := encode(t, "", provider.Request{Model: "claude-opus-4-6", Messages: msgs})
		content := gjson.GetBytes(body, "messages.1.content")
		if n := gjson.GetBytes(body, "messages.#").Int(); n != 3 {
			t.Errorf("%s: %d messages, want 3", path, n)
		}
		for _, b := range m.Blocks {
			want := ""
			switch b := b.(type) {
			case provider.Text:
				want = `"text":` + quote(b.Text)
				if strings.TrimSpace(b.Text) == "" {
					continue
				}
			case provider.Thinking:
				want = fmt.Sprintf(`"thinking":%s,"signature":%s`, quote(b.Text), quote(b.Signature))
				if b.Signature == "" {
					continue
				}
			case provider.ToolUse:
				if !json.Valid([]byte(b.Input)) {
					continue
				}
				want = `"id":` + quote(b.WireID) + `,"name":` + quote(b.Name) + `,"input":` + b.Input
			case provider.Opaque:
				want = strings.TrimSuffix(b.JSON, "}")
				if c := gjson.Get(b.JSON, "citations"); gjson.Get(b.JSON, "type").Str == citationsType {
					want = `,"citations":` + c.Raw + "}"
				}
			}
			if !strings.Contains(content.Raw, want) {
				t.Errorf("%s: %T does not return as it was", path, b)
			}
		}
	}
}
