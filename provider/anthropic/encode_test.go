package anthropic

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"forge/provider"
)

const opus = "claude-opus-4-6"

func user(blocks ...provider.Block) provider.Message {
	return provider.Message{Role: provider.User, Blocks: blocks}
}

func answer(model string, blocks ...provider.Block) provider.Message {
	return provider.Message{Role: provider.Assistant, Origin: Origin(model), Blocks: blocks}
}

func text_(s string) provider.Block { return provider.Text{Text: s} }

func use(id, input string) provider.ToolUse {
	return provider.ToolUse{ID: id, WireID: "wire-" + id, Name: "read", Input: input}
}

func result(id, s string) provider.ToolResult {
	return provider.ToolResult{ID: id, Content: []provider.Block{text_(s)}}
}

// messages encodes msgs and returns the body's messages, marks removed, in a short
// notation: role, then each block's type and words.
func messages(t *testing.T, model string, msgs ...provider.Message) string {
	t.Helper()
	return brief(encode(t, "", provider.Request{Model: model, Messages: msgs}))
}

func brief(body []byte) string {
	var out []string
	for _, m := range gjson.GetBytes(body, "messages").Array() {
		s := m.Get("role").String() + ":"
		for _, b := range m.Get("content").Array() {
			switch k := b.Get("type").String(); k {
			case "text":
				s += " " + quote(b.Get("text").String())
			case "tool_use":
				s += " use(" + b.Get("id").String() + " " + b.Get("input").Raw + ")"
			case "tool_result":
				s += " result(" + b.Get("tool_use_id").String() + " " + b.Get("content").Raw
				if b.Get("is_error").Bool() {
					s += " error"
				}
				s += ")"
			case "thinking":
				s += " thinking(" + b.Get("thinking").String() + "|" + b.Get("signature").String() + ")"
			default:
				s += " " + k
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

// TestManners holds what breaks in silence, or loudly an hour later.
func TestManners(t *testing.T) {
	const deepseek = "deepseek-v4-pro"
	png := provider.Image{MIME: "image/png", Data: "QUJD"}
	for _, c := range []struct {
		name  string
		model string
		msgs  []provider.Message
		want  string
	}{
		{
			"all results of a turn in one user message, results before words", opus,
			[]provider.Message{
				user(text_("go")), answer(opus, use("a", `{"p":1}`), use("b", `{"p":2}`)),
				user(text_("by the way")), user(result("a", "A")), user(result("b", "B")),
			},
			`user: "go"
assistant: use(wire-a {"p":1}) use(wire-b {"p":2})
user: result(wire-a "A") result(wire-b "B") "by the way"`,
		},
		{
			"is_error is set", opus,
			[]provider.Message{
				user(text_("go")), answer(opus, use("a", `{}`)),
				user(provider.ToolResult{ID: "a", IsError: true, Content: []provider.Block{text_("no such file")}}),
			},
			`user: "go"
assistant: use(wire-a {})
user: result(wire-a "no such file" error)`,
		},
		{
			"a call without a result is answered, an answer without its call becomes words", opus,
			[]provider.Message{
				user(result("gone", "old words")), answer(opus, use("a", `{}`), use("b", `{}`)),
				user(result("b", "B"), result("b", "again")),
				answer(opus, use("c", `{}`)), answer(opus, text_("later")), user(result("c", "late")),
			},
			`user: "Result of an earlier call:" "old words"
assistant: use(wire-a {}) use(wire-b {})
user: result(wire-b "B") result(wire-a "No result: the call was interrupted before it ran or before it ended." error) "Result of an earlier call:" "again"
assistant: use(wire-c {})
user: result(wire-c "No result: the call was interrupted before it ran or before it ended." error)
assistant: "later"
user: "Result of an earlier call:" "late"`,
		},
		{
			"neighbours merge, empty words go, the user begins and ends", opus,
			[]provider.Message{
				answer(opus, text_("")), answer(opus, text_("one"), text_(" \n")), answer(opus, text_("two")),
				user(text_("a")), user(text_(""), text_("b")), answer(opus, text_("three  ")),
			},
			`user: "(The earlier part of this conversation was removed.)"
assistant: "one" "two"
user: "a" "b"
assistant: "three  "
user: "Continue."`,
		},
		{
			"a paused turn goes back as the last one, without trailing white space", opus,
			[]provider.Message{user(text_("go")), {
				Role: provider.Assistant, Origin: Origin(opus), Stop: provider.StopPause,
				Blocks: []provider.Block{provider.Opaque{Origin: Origin(opus), JSON: `{"type":"server_tool_use"}`}, text_("half \n")},
			}},
			`user: "go"
assistant: server_tool_use "half"`,
		},
		{
			"input that is no object goes back whole inside one", opus,
			[]provider.Message{
				user(text_("go")), answer(opus, use("a", `{"p": "cut`), use("b", `[1]`), use("c", ""), use("d", "{\"z\":1,\n \"a\":2}")),
				user(result("a", "A"), result("b", "B"), result("c", "C"), result("d", "D")),
			},
			`user: "go"
assistant: use(wire-a {"_invalid_json":"{\"p\": \"cut"}) use(wire-b {"_invalid_json":"[1]"}) use(wire-c {}) use(wire-d {"z":1,
 "a":2})
user: result(wire-a "A") result(wire-b "B") result(wire-c "C") result(wire-d "D")`,
		},
		{
			"words behind a call move before it", opus,
			[]provider.Message{
				user(text_("go")), answer("other", use("a", `{}`), text_("I will look")), user(result("a", "A")),
			},
			`user: "go"
assistant: "I will look" use(wire-a {})
user: result(wire-a "A")`,
		},
		{
			"foreign thinking and blocks are dropped, our own stay in their place", opus,
			[]provider.Message{
				user(text_("go")),
				answer("claude-opus-4-5", provider.Thinking{Text: "foreign", Signature: "s"}, provider.Opaque{Origin: Origin("claude-opus-4-5"), JSON: `{"type":"x"}`}, text_("hm")),
				user(text_("and")),
				answer(opus+"-20260205", provider.Thinking{Text: " mine\n", Signature: "sig"}, provider.Thinking{Signature: "only"}, text_("ok")),
				user(text_("on")),
				answer(opus, provider.Thinking{Text: "cut before its signature"}, text_("x")),
				user(text_("end")),
			},
			`user: "go"
assistant: "hm"
user: "and"
assistant: thinking( mine
|sig) thinking(|only) "ok"
user: "on"
assistant: "x"
user: "end"`,
		},
		{
			"ids are unique and made of what the wire takes", opus,
			[]provider.Message{
				user(text_("go")),
				answer("kimi", provider.ToolUse{ID: "call_1", WireID: "functions.add:0", Name: "add"}, provider.ToolUse{ID: "call_2", WireID: "0", Name: "add"}),
				user(result("call_1", "1"), result("call_2", "2")),
				answer("kimi", provider.ToolUse{ID: "call_3", WireID: "0", Name: "add"}, provider.ToolUse{ID: "call:4", WireID: "0", Name: "add"}, provider.ToolUse{ID: "call_4", WireID: "", Name: "add"}),
				user(result("call_3", "3"), result("call:4", "4"), result("call_4", "5")),
			},
			`user: "go"
assistant: use(call_1 {}) use(0 {})
user: result(call_1 "1") result(0 "2")
assistant: use(call_3 {}) use(call_4 {}) use(call_4_2 {})
user: result(call_3 "3") result(call_4 "4") result(call_4_2 "5")`,
		},
		{
			"pictures stand in messages and in results; empty results say so", opus,
			[]provider.Message{
				user(png, provider.Image{MIME: "image/bmp", Data: "QQ=="}), answer(opus, use("a", `{}`), use("b", `{}`)),
				user(provider.ToolResult{ID: "a", Content: []provider.Block{text_("shot"), png}}, provider.ToolResult{ID: "b", Content: []provider.Block{text_("")}}),
			},
			`user: image "(an image of type image/bmp was here; only png, jpeg, gif and webp can be shown)"
assistant: use(wire-a {}) use(wire-b {})
user: result(wire-a [{"type":"text","text":"shot"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}]) result(wire-b "(no output)")`,
		},
		{
			"DeepSeek gets its thinking back, without a signature too, and a stand-in for another model's", deepseek,
			[]provider.Message{
				user(text_("go")), answer("other", use("a", `{}`)), user(result("a", "A")),
				answer(deepseek, provider.Thinking{Text: "hm"}, use("b", `{}`)), user(result("b", "B")),
			},
			`user: "go"
assistant: thinking(.|) use(wire-a {})
user: result(wire-a "A")
assistant: thinking(hm|) use(wire-b {})
user: result(wire-b "B")`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := messages(t, c.model, c.msgs...); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestSystemInTheMiddle(t *testing.T) {
	sys := func(s string) provider.Message {
		return provider.Message{Role: provider.System, Blocks: []provider.Block{text_(s)}}
	}
	msgs := []provider.Message{
		sys("rules"), user(text_("a")), sys("note"), answer(opus, use("u", `{}`)), sys("early"), user(result("u", "r")), sys("late"),
	}
	req := provider.Request{Model: opus, System: "base", Messages: msgs}
	body := encode(t, "", req)
	if got := gjson.GetBytes(body, "system.0.text").String(); got != "base\n\nrules" {
		t.Errorf("system %q: only the leading messages belong there", got)
	}
	degraded := `user: "a" "<system>\nnote\n</system>"
assistant: use(wire-u {})
user: result(wire-u "r") "<system>\nearly\n</system>" "<system>\nlate\n</system>"`
	if got := brief(body); got != degraded {
		t.Errorf("got\n%s\nwant\n%s", got, degraded)
	}
	req.Model = "claude-opus-5-5"
	want := `user: "a"
system: "note"
assistant: use(wire-u {})
user: result(wire-u "r") "<system>\nearly\n</system>"
system: "late"`
	if got := brief(encode(t, "", req)); got != want {
		t.Errorf("a model that reads them: got\n%s\nwant\n%s", got, want)
	}
	if got := brief(encode(t, "https://openrouter.ai/api/v1", req)); got != degraded {
		t.Errorf("another endpoint: got\n%s\nwant\n%s", got, degraded)
	}
}

var mark = regexp.MustCompile(`,"cache_control":\{"type":"ephemeral"\}`)

// TestPrefixIsByteStable: what was sent once begins every later request. Cache
// marks are left out of the comparison: they move to the last two user turns and
// are no part of what a server caches, and whether a result is last decides
// nothing else.
func TestPrefixIsByteStable(t *testing.T) {
	tool := func(name string) provider.ToolSpec {
		return provider.ToolSpec{Name: name, Description: "d", Schema: []byte(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}`)}
	}
	history := []provider.Message{user(text_("start"))}
	for i := range 12 {
		id := fmt.Sprint("c", i)
		history = append(history,
			answer(opus, provider.Thinking{Text: "t", Signature: id}, text_("x"), use(id, `{"n": `+fmt.Sprint(i)+`}`), use(id+"x", "")),
			user(result(id, "r"), result(id+"x", "")),
		)
		if i%3 == 0 {
			history = append(history, answer(opus, text_("done")), user(text_("next")), provider.Message{Role: provider.System, Blocks: []provider.Block{text_("mode")}})
		}
	}
	for _, model := range []string{opus, "claude-fable-5-2", "deepseek-v4"} {
		var before []byte
		for n := 1; n <= len(history); n++ {
			if history[n-1].Role == provider.Assistant {
				continue // a request ends with the user
			}
			tools := []provider.ToolSpec{tool("b"), tool("a"), tool("c")}
			if n%2 == 0 {
				tools[0], tools[2] = tools[2], tools[0] // mounted in another order
			}
			body := mark.ReplaceAll(encode(t, "", provider.Request{Model: model, System: "s", Tools: tools, Messages: history[:n], Effort: provider.EffortHigh}), nil)
			// The last message may still grow (a system message may join it), so that its
			// closing brackets are not part of the prefix.
			prefix := bytes.TrimSuffix(body, []byte(`]}]}`))
			if before != nil && !bytes.HasPrefix(body, before) {
				t.Fatalf("%s: message %d changed what had been sent\n%s\n%s", model, n, before, body)
			}
			before = prefix
		}
	}
}

func TestTools(t *testing.T) {
	req := provider.Request{Model: opus, Messages: []provider.Message{provider.UserText("hi")}, Tools: []provider.ToolSpec{
		{Name: "write", Description: "w", Schema: []byte(`{ "type": "object", "properties": {} }`)},
		{Name: "glob", Schema: []byte(`not json`)},
		{Name: "write", Description: "twice"},
	}}
	tools := gjson.GetBytes(encode(t, "", req), "tools")
	want := `[{"name":"glob","input_schema":{"type":"object","properties":{}}},{"name":"write","description":"w","input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral"}}]`
	if tools.Raw != want {
		t.Errorf("got  %s\nwant %s", tools.Raw, want)
	}
	if body := encode(t, "", provider.Request{Model: opus, Messages: req.Messages}); gjson.GetBytes(body, "tools").Exists() {
		t.Error("an empty list of tools is refused: leave it out")
	}
}

func TestNothingToSend(t *testing.T) {
	e := New(Options{}).(*endpoint).encoder(provider.Request{Model: opus, System: "s", Messages: []provider.Message{user(text_(" "))}})
	if b, err := e.encode(); err == nil {
		t.Errorf("encoded %s", b)
	}
}

func TestUnknownBlocksReturn(t *testing.T) {
	o := provider.Opaque{Origin: Origin(opus), JSON: `{"type":"server_tool_use","id":"s","name":"n","input":{"q":  1}}`}
	msgs := []provider.Message{user(text_("q")), answer(opus, o, text_("a")), user(text_("b"))}
	body := string(encode(t, "", provider.Request{Model: opus, Messages: msgs}))
	if !strings.Contains(body, o.JSON) {
		t.Errorf("%s is not in %s", o.JSON, body)
	}
	if body := string(encode(t, "", provider.Request{Model: "claude-opus-4-5", Messages: msgs})); strings.Contains(body, "server_tool_use") {
		t.Error("another model got a block it did not write")
	}
}
