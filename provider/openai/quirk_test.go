package openai

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"forge/provider"
)

// frames makes an event stream of its lines.
func frames(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString("data: " + l + "\n\n")
	}
	return b.String()
}

func delta(d string) string { return `{"choices":[{"index":0,"delta":` + d + `}]}` }

func finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

// What servers do and no recording shows. Each case gives the calls as
// "id name arguments", one a line.
func TestCallQuirks(t *testing.T) {
	for name, c := range map[string]struct{ in, calls string }{
		"legacy function_call": {
			frames(delta(`{"function_call":{"name":"ls","arguments":""}}`), delta(`{"function_call":{"arguments":"{\"p\":"}}`), delta(`{"function_call":{"arguments":"1}"}}`), finish("function_call")),
			` ls {"p":1}`},
		"arguments as an object": {
			frames(delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":{"path":"a", "n":1}}}]}`), finish("tool_calls")),
			`a ls {"path": "a", "n": 1}`},
		"arguments encoded twice": {
			frames(delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"\"{\\\"path\\\":"}}]}`), delta(`{"tool_calls":[{"index":0,"function":{"arguments":"\\\"a\\\"}\""}}]}`), finish("tool_calls")),
			`a ls {"path":"a"}`},
		"arguments that are a string and no object": {
			frames(delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"\"plain\""}}]}`), finish("tool_calls")),
			`a ls "plain"`},
		"one label, a new id": {
			frames(delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"ls","arguments":"{"}}]}`), delta(`{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}`),
				delta(`{"tool_calls":[{"index":0,"id":"b","function":{"name":"ls","arguments":"{"}}]}`), delta(`{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}`), finish("stop")),
			"a ls {}\nb ls {}"},
		"no label, no id, two calls": {
			frames(delta(`{"tool_calls":[{"function":{"name":"ls","arguments":"{\"a\":1}"}},{"function":{"name":"ls","arguments":"{\"b\":2}"}}]}`), finish("stop")),
			" ls {\"a\":1}\n ls {\"b\":2}"},
		"no label, no id, one call in pieces": {
			frames(delta(`{"tool_calls":[{"function":{"name":"ls","arguments":"{\"a\""}}]}`), delta(`{"tool_calls":[{"function":{"name":"ls","arguments":":1}"}}]}`), finish("stop")),
			` ls {"a":1}`},
		"id and name after the arguments": {
			frames(delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}`), delta(`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`),
				delta(`{"tool_calls":[{"index":0,"id":"late","function":{"name":"ls"}}]}`), finish("tool_calls")),
			`late ls {"a":1}`},
		"id after the name": {
			frames(delta(`{"tool_calls":[{"index":0,"function":{"name":"ls","arguments":"{}"}}]}`), delta(`{"tool_calls":[{"index":0,"id":"late"}]}`), finish("tool_calls")),
			`late ls {}`},
		"name and id in every piece": {
			frames(delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"write","arguments":"{"}}]}`), delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"write","arguments":"}"}}]}`), finish("tool_calls")),
			`a write {}`},
		"first label 1, interleaved": {
			frames(delta(`{"tool_calls":[{"index":1,"id":"a","function":{"name":"x"}},{"index":4,"id":"b","function":{"name":"y"}}]}`),
				delta(`{"tool_calls":[{"index":4,"function":{"arguments":"{\"b\":1}"}},{"index":1,"function":{"arguments":"{\"a\":1}"}}]}`), finish("tool_calls")),
			"a x {\"a\":1}\nb y {\"b\":1}"},
		"no arguments at all": {frames(delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x"}}]}`), finish("stop")), `a x {}`},
		"cut by length":       {frames(delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x"}}]}`), finish("length")), `a x `},
		"call, finish and usage in one frame": {
			frames(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`),
			`a x {}`},
		"arguments after the finish": {
			frames(delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{"}}]}`), `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"a\":"}}]},"finish_reason":"tool_calls"}]}`,
				delta(`{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}`)),
			`a x {"a":1}`},
		"the message whole": {
			`{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"x","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"y","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
			"a x {}\nb y {}"},
		"another choice's call": {
			frames(`{"choices":[{"index":1,"delta":{"tool_calls":[{"index":0,"id":"z","function":{"name":"no","arguments":"{}"}}]}}]}`, delta(`{"content":"x"}`), finish("stop")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			for i, src := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
				m, err := provider.Collect(Decode(src, DecodeOptions{NewID: counter()}), nil)
				if err != nil {
					t.Fatal(err)
				}
				var lines []string
				for _, u := range m.ToolUses() {
					if u.ID == "" {
						t.Error("a call has no id of ours")
					}
					lines = append(lines, u.WireID+" "+u.Name+" "+u.Input)
				}
				if got := strings.Join(lines, "\n"); got != c.calls {
					t.Errorf("way %d: got %q, want %q", i, got, c.calls)
				}
				if len(lines) > 0 && m.Stop != provider.StopToolUse && name != "cut by length" {
					t.Errorf("stop %q", m.Stop)
				}
			}
		})
	}
}

func TestTextQuirks(t *testing.T) {
	for name, c := range map[string]struct {
		in, text, reasoning string
		stop                provider.StopReason
	}{
		"message where a delta belongs": {frames(`{"choices":[{"index":0,"message":{"content":"hi","reasoning_content":"hm"},"finish_reason":"stop"}]}`), "hi", "hm", "end_turn"},
		"message beside the delta":      {frames(`{"choices":[{"delta":{"content":"a"},"message":{"content":"a"}}]}`, `{"choices":[{"message":{"content":"ab"},"finish_reason":"stop"}]}`), "a", "", "end_turn"},
		"one JSON body":                 {"\n {\n \"choices\": [ {\"message\": {\"content\": \"hi\"}, \"finish_reason\": \"stop\"} ]\n}\n", "hi", "", "end_turn"},
		"gemini's flagged thought": {frames(delta(`{"content":"<thought>let me","extra_content":{"google":{"thought":true}}}`), delta(`{"content":" see","extra_content":{"google":{"thought":true}}}`),
			delta(`{"content":"</thought>4"}`), delta(`{"content":"2"}`), finish("stop")), "42", "let me see", "end_turn"},
		"copilot":                {frames(delta(`{"reasoning_text":"hm","reasoning_opaque":"zz"}`), delta(`{"content":"x"}`), finish("stop")), "x", "hm", "end_turn"},
		"the details alone":      {frames(delta(`{"reasoning_details":[{"type":"reasoning.summary","summary":"a","index":0},{"type":"reasoning.text","text":"b","index":1}]}`), finish("stop")), "", "ab", "end_turn"},
		"the details as well":    {frames(delta(`{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0}]}`), finish("stop")), "", "a", "end_turn"},
		"thinking as a string":   {frames(delta(`{"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"x"}]}`), finish("stop")), "x", "hm", "end_turn"},
		"dashscope's null":       {frames(`{"choices":[{"delta":{"content":"a"},"finish_reason":"null"}]}`, finish("stop")), "a", "", "end_turn"},
		"done without a finish":  {frames(delta(`{"content":"a"}`), "[DONE]"), "a", "", "end_turn"},
		"eos":                    {frames(delta(`{"content":"a"}`), finish("eos")), "a", "", "end_turn"},
		"an unknown finish":      {frames(delta(`{"content":"a"}`), finish("shiny")), "a", "", "other"},
		"a window that is full":  {frames(delta(`{"content":"a"}`), finish("model_context_window_exceeded")), "a", "", "max_tokens"},
		"error null and empty":   {frames(`{"error":null,"choices":[{"delta":{"content":"a"}}]}`, `{"error":{},"choices":[{"delta":{"content":"b"}}]}`, finish("stop")), "ab", "", "end_turn"},
		"data after [DONE]":      {frames(delta(`{"content":"a"}`), finish("stop"), "[DONE]", `{"error":{"message":"no"}}`), "a", "", "end_turn"},
		"alike frames, one text": {frames(delta(`{"content":"a"}`), delta(`{"content":"b"}`), delta(`{"content":"\"c\""}`), delta(`{"content":"d"}`), delta(`{"content":""}`), finish("stop")), `ab"c"d`, "", "end_turn"},
		"alike frames, reasoning": {frames(delta(`{"reasoning":"a","content":""}`), delta(`{"reasoning":"b","content":""}`), delta(`{"reasoning":"","content":"x"}`), delta(`{"reasoning":"","content":"y"}`),
			finish("stop")), "xy", "ab", "end_turn"},
		"frames that differ in an index": {frames(delta(`{"content":"a"}`), `{"choices":[{"index":1,"delta":{"content":"a"}}]}`, delta(`{"content":"b"}`), finish("stop")), "ab", "", "end_turn"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := provider.Collect(Decode(strings.NewReader(c.in), DecodeOptions{}), nil)
			if err != nil {
				t.Fatal(err)
			}
			reasoning := ""
			for _, b := range m.Blocks {
				if th, ok := b.(provider.Thinking); ok {
					reasoning += th.Text
				}
			}
			if m.PlainText() != c.text || reasoning != c.reasoning || m.Stop != c.stop {
				t.Errorf("got %q, %q, %q", m.PlainText(), reasoning, m.Stop)
			}
		})
	}
}

func TestFailuresInside200(t *testing.T) {
	for name, c := range map[string]struct {
		in, message string
		kind        provider.Kind
	}{
		"object":                 {frames(delta(`{"content":"a"}`), `{"error":{"message":"boom","code":502}}`), "boom", provider.KindServer},
		"string":                 {frames(`{"error":"boom"}`), "boom", provider.KindServer},
		"after the finish":       {frames(delta(`{"content":"a"}`), finish("stop"), `{"error":{"message":"boom"}}`), "boom", provider.KindServer},
		"event name":             {"event: error\n" + frames(`{"message":"boom","type":"server_error"}`), "boom", provider.KindServer},
		"event name, as before":  {frames(delta(`{"content":"a"}`)) + "event: error\n" + frames(delta(`{"content":"b"}`)), "", provider.KindServer},
		"event name, text":       {"event: error\n" + frames(`boom`), "boom", provider.KindServer},
		"field":                  {"error: {\"error\":{\"message\":\"boom\"}}\n\n", "boom", provider.KindServer},
		"flat (Mistral)":         {frames(`{"object":"error","message":"boom","type":"invalid_request_error","code":"1500"}`), "boom", provider.KindInvalid},
		"flat (DashScope)":       {frames(`{"code":"InvalidParameter","message":"boom","request_id":"x"}`), "boom", ""},
		"flat, a type alone":     {frames(`{"message":"boom","type":"server_error","param":"","code":""}`), "boom", provider.KindServer},
		"flat (xAI)":             {frames(`{"code":"Client specified an invalid argument","error":"boom"}`), "boom", provider.KindInvalid},
		"too fast (DashScope)":   {frames(`{"error":{"code":"limit_burst_rate","message":"Request rate increased too quickly.","type":"limit_burst_rate"}}`), "too quickly", provider.KindRate},
		"FastAPI":                {`{"detail":[{"loc":["body","messages"],"msg":"field required"}]}`, "field required", ""},
		"array (Google)":         {`[{"error":{"code":429,"message":"quota per minute","status":"RESOURCE_EXHAUSTED"}}]`, "quota per minute", provider.KindRate},
		"array in the stream":    {frames(`[{"error":{"code":503,"message":"busy"}}]`), "busy", provider.KindServer},
		"JSON in the message":    {frames(`{"error":{"message":"{\"error\":{\"message\":\"inner boom\"}}"}}`), "inner boom", provider.KindServer},
		"x_groq":                 {frames(`{"choices":[],"x_groq":{"error":"over capacity"}}`), "over capacity", provider.KindServer},
		"overflow":               {frames(`{"error":{"message":"This model's maximum context length is 8192 tokens"}}`), "8192", provider.KindOverflow},
		"network_error":          {frames(delta(`{"content":"a"}`), finish("network_error")), "network_error", provider.KindServer},
		"finish error":           {frames(delta(`{"content":"a"}`), finish("stop"), finish("error")), "error", provider.KindServer},
		"cut":                    {frames(delta(`{"content":"a"}`)), "stream ended early", provider.KindNetwork},
		"nothing":                {"", "stream ended early", provider.KindNetwork},
		"keep-alives":            {": ka\n\n: ka\n\n", "stream ended early", provider.KindNetwork},
		"HTML":                   {"<!DOCTYPE html>\n<h1>502 Bad Gateway</h1>", "502 Bad Gateway", provider.KindInvalid},
		"text":                   {"upstream fell over\n", "upstream fell over", provider.KindInvalid},
		"NDJSON":                 {"{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n{\"choices\":[]}\n", "chat completions", provider.KindInvalid},
		"NDJSON error":           {"{\"error\":\"boom\"}\n{}\n", "boom", provider.KindServer},
		"Ollama's own":           {`{"model":"m","message":{"role":"assistant","content":"hi"},"done":true}`, "Ollama", provider.KindInvalid},
		"Anthropic's":            {"event: message_start\n" + frames(`{"type":"message_start","message":{}}`), "Anthropic", provider.KindInvalid},
		"cut in the first frame": {`data: {"choices":[{"del`, "stream ended early", provider.KindNetwork},
		"cut in the first line":  {"dat", "stream ended early", provider.KindNetwork},
		"cut within a frame":     {frames(delta(`{"content":"a"}`), `{"choices":[{"delta":{"content":"b`), "stream ended early", provider.KindNetwork},
		"error of a choice":      {frames(delta(`{"content":"a"}`), `{"choices":[{"index":0,"delta":{},"error":{"code":502,"message":"boom"}}]}`), "boom", provider.KindServer},
		"finish abort":           {frames(delta(`{"content":"a"}`), finish("abort")), "abort", provider.KindServer},
		"MiniMax":                {`{"id":"x","base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`, "insufficient balance", provider.KindQuota},
		"MiniMax, streamed":      {frames(`{"id":"x","choices":null,"base_resp":{"status_code":1004,"status_msg":"login fail"}}`), "login fail", provider.KindAuth},
		"broken JSON":            {frames(delta(`{"content":"a"}`), `{"choices":[{"delta":{"content":"b`, delta(`{"content":"c"}`)), "not valid JSON", provider.KindServer},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := provider.Collect(Decode(strings.NewReader(c.in), DecodeOptions{}), nil)
			var e *provider.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(e.Message, c.message) || c.kind != "" && e.Kind != c.kind {
				t.Errorf("got %q, %s", e.Message, e.Kind)
			}
			if e.Hint == "" && e.Kind == provider.KindInvalid && strings.Contains("HTML text NDJSON", name) {
				t.Error("no hint")
			}
		})
	}
}

func TestUsageQuirks(t *testing.T) {
	type u = provider.Usage
	for name, c := range map[string]struct {
		usage string
		want  u
	}{
		"null":                 {`null`, u{}},
		"nulls inside, floats": {`{"prompt_tokens":12.0,"completion_tokens":3.0,"total_tokens":null,"prompt_tokens_details":null}`, u{Input: 12, Output: 3, Reported: true}},
		"deepseek":             {`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_cache_hit_tokens":6,"prompt_cache_miss_tokens":4}`, u{Input: 10, Output: 5, CacheRead: 6, Reported: true}},
		"moonshot":             {`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"cached_tokens":4}`, u{Input: 10, Output: 5, CacheRead: 4, Reported: true}},
		"openai writes":        {`{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":1,"cache_write_tokens":7}}`, u{Input: 10, Output: 5, CacheRead: 1, CacheWrite: 7, Reported: true}},
		"xai":                  {`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":45,"completion_tokens_details":{"reasoning_tokens":30}}`, u{Input: 10, Output: 35, Reasoning: 30, Completion: 5, Total: 45, Reported: true}},
		"gemini hidden":        {`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":45}`, u{Input: 10, Output: 35, Completion: 5, Total: 45, Reported: true}},
		"vercel gemini":        {`{"prompt_tokens":28,"completion_tokens":9,"total_tokens":37,"completion_tokens_details":{"reasoning_tokens":61}}`, u{Input: 28, Output: 70, Reasoning: 61, Completion: 9, Total: 37, Reported: true}},
		"openrouter rounding":  {`{"prompt_tokens":43,"completion_tokens":10,"total_tokens":53,"cost":0.5,"completion_tokens_details":{"reasoning_tokens":11}}`, u{Input: 43, Output: 11, Reasoning: 11, Completion: 10, Total: 53, Cost: 0.5, Reported: true}},
	} {
		t.Run(name, func(t *testing.T) {
			in := frames(delta(`{"content":"a"}`), `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":`+c.usage+`}`, `{"choices":[],"usage":null}`)
			m, err := provider.Collect(Decode(strings.NewReader(in), DecodeOptions{}), nil)
			if err != nil || m.Usage != c.want {
				t.Errorf("got %+v, %v", m.Usage, err)
			}
		})
	}
	for _, in := range []string{
		frames(delta(`{"content":"a"}`), `{"choices":[{"delta":{},"finish_reason":"stop"}],"x_groq":{"usage":{"prompt_tokens":1,"completion_tokens":2}}}`),
		frames(delta(`{"content":"a"}`), `{"choices":[{"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":1,"completion_tokens":2}}]}`),
		frames(delta(`{"content":"a"}`), `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`, `{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}`),
	} {
		m, err := provider.Collect(Decode(strings.NewReader(in), DecodeOptions{}), nil)
		if err != nil || m.Usage != (u{Input: 1, Output: 2, Reported: true}) {
			t.Errorf("got %+v, %v", m.Usage, err)
		}
	}
}

// What must go back beside the reasoning's text arrives with it.
func TestReasoningExtras(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want provider.Thinking
	}{
		"pieces of one entry join": {frames(
			delta(`{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","format":"f","index":0}]}`),
			delta(`{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","format":"f","index":0}]}`),
			delta(`{"reasoning_details":[{"type":"reasoning.text","signature":"sig","index":0}]}`),
			delta(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"x","id":"c1","index":0}]}`),
			delta(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"y","id":"c2","index":0}]}`), finish("stop")),
			provider.Thinking{Text: "ab", Field: "reasoning", Extra: `[{"type":"reasoning.text","text":"ab","format":"f","index":0,"signature":"sig"},{"type":"reasoning.encrypted","data":"x","id":"c1","index":0},{"type":"reasoning.encrypted","data":"y","id":"c2","index":0}]`}},
		"encrypted alone": {frames(delta(`{"content":"x","reasoning_details":[{"type":"reasoning.encrypted","data":"x"}]}`), finish("stop")),
			provider.Thinking{Field: "reasoning_details", Extra: `[{"type":"reasoning.encrypted","data":"x"}]`}},
		"copilot": {frames(delta(`{"reasoning_text":"hm"}`), delta(`{"reasoning_opaque":"zz"}`), finish("stop")),
			provider.Thinking{Text: "hm", Field: "reasoning_text", Extra: `{"reasoning_opaque":"zz"}`}},
		"a field that stayed empty beside a call": {frames(delta(`{"reasoning_content":"","tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}`), finish("tool_calls")),
			provider.Thinking{Field: "reasoning_content"}},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := provider.Collect(Decode(strings.NewReader(c.in), DecodeOptions{}), nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []provider.Thinking
			for _, b := range m.Blocks {
				if th, ok := b.(provider.Thinking); ok {
					got = append(got, th)
				}
			}
			if len(got) != 1 || got[0] != c.want {
				t.Errorf("got %+v", got)
			}
		})
	}
	m, err := provider.Collect(Decode(strings.NewReader(frames(
		delta(`{"tool_calls":[{"id":"a","extra_content":{"google":{"thought_signature":"sig"}},"function":{"name":"x","arguments":"{}"}}]}`), finish("stop"))), DecodeOptions{}), nil)
	if err != nil || m.ToolUses()[0].Extra != `{"google":{"thought_signature":"sig"}}` {
		t.Errorf("got %+v, %v", m, err)
	}
}

// Blocks come in the order in which they were said, without holes.
func TestBlockOrder(t *testing.T) {
	in := frames(delta(`{"reasoning":"r1"}`), delta(`{"content":"t1"}`), delta(`{"reasoning":"r2"}`), delta(`{"content":"t2"}`),
		delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}`), delta(`{"content":"t3"}`), finish("stop"))
	m, err := provider.Collect(Decode(strings.NewReader(in), DecodeOptions{NewID: counter()}), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []provider.Block{
		provider.Thinking{Text: "r1", Field: "reasoning"}, provider.Text{Text: "t1"}, provider.Thinking{Text: "r2", Field: "reasoning"}, provider.Text{Text: "t2"},
		provider.ToolUse{ID: "id1", WireID: "a", Name: "x", Input: "{}"}, provider.Text{Text: "t3"},
	}
	if len(m.Blocks) != len(want) {
		t.Fatalf("got %+v", m.Blocks)
	}
	for i := range want {
		if m.Blocks[i] != want[i] {
			t.Errorf("block %d: got %+v", i, m.Blocks[i])
		}
	}
}

func TestCallAsTextIsOnlyAHint(t *testing.T) {
	for text, hinted := range map[string]bool{
		`<tool_call>{\"name\":\"rm\"}</tool_call>`:      true,
		`ok <|tool_calls_section_begin|>functions.rm:0`: true,
		`write ` + "`<tool_call>`" + ` there`:           false,
		"```\\n<tool_call>\\n```":                       false,
		`nothing special`:                               false,
	} {
		hints := 0
		m, err := provider.Collect(Decode(strings.NewReader(frames(delta(`{"content":"`+text+`"}`), finish("stop"))), DecodeOptions{}), func(ev provider.Event) {
			if _, ok := ev.(provider.Notice); ok {
				hints++
			}
		})
		if err != nil || len(m.ToolUses()) != 0 || (hints == 1) != hinted {
			t.Errorf("%q: %d hints, %d calls, %v", text, hints, len(m.ToolUses()), err)
		}
	}
}

// progressBody counts the events that its owner was told of.
type progressBody struct {
	io.Reader
	n int
}

func (b *progressBody) Progress() { b.n++ }

func TestProgressIsPayloadOnly(t *testing.T) {
	b := &progressBody{Reader: strings.NewReader(": ka\n\n" + frames(delta(`{"role":"assistant","content":""}`), delta(`{"content":"a"}`), delta(`{"content":"b"}`), delta(`{"reasoning":"c"}`),
		`{"choices":[]}`, delta(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}`)) + "event: ping\ndata: {}\n\n" + frames(finish("stop")))}
	if _, err := provider.Collect(Decode(b, DecodeOptions{}), nil); err != nil {
		t.Fatal(err)
	}
	if b.n != 4 {
		t.Errorf("%d times", b.n)
	}
}

// A server that keeps the connection open after the finish does not hold the
// reply up, and one that breaks it there spoils nothing.
func TestGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		go func() {
			_, _ = io.WriteString(w, frames(delta(`{"content":"a"}`), finish("stop"), `{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}`))
		}()
		start := time.Now()
		m, err := provider.Collect(Decode(r, DecodeOptions{Grace: DefaultGrace}), nil)
		if err != nil || m.Stop != provider.StopEnd || !m.Usage.Reported {
			t.Errorf("got %+v, %v", m, err)
		}
		if took := time.Since(start); took != DefaultGrace {
			t.Errorf("waited %v", took)
		}
	})
	// A finish that comes long before the end costs nothing of the text.
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		go func() {
			for _, text := range []string{"a", "b", "c"} {
				_, _ = io.WriteString(w, frames(`{"choices":[{"index":0,"delta":{"content":"`+text+`"},"finish_reason":"length"}]}`))
				time.Sleep(DefaultGrace - time.Second)
			}
			w.Close()
		}()
		m, err := provider.Collect(Decode(r, DecodeOptions{Grace: DefaultGrace}), nil)
		if err != nil || m.PlainText() != "abc" || m.Stop != provider.StopMaxTokens {
			t.Errorf("got %+v, %v", m, err)
		}
	})
	reset := errors.New("reset")
	m, err := provider.Collect(Decode(io.MultiReader(strings.NewReader(frames(delta(`{"content":"a"}`), finish("stop"))), iotest.ErrReader(reset)), DecodeOptions{}), nil)
	if err != nil || m.Stop != provider.StopEnd {
		t.Errorf("got %+v, %v", m, err)
	}
	_, err = provider.Collect(Decode(io.MultiReader(strings.NewReader(frames(delta(`{"content":"a"}`))), iotest.ErrReader(reset)), DecodeOptions{}), nil)
	var e *provider.Error
	if !errors.As(err, &e) || e.Kind != provider.KindNetwork || !errors.Is(err, reset) {
		t.Errorf("got %v", err)
	}
}

// Leaving the range stops the decoder at once.
func TestLeaving(t *testing.T) {
	n := 0
	for range Decode(&stream{n: 1 << 30}, DecodeOptions{}) {
		if n++; n == 5 {
			break
		}
	}
}

// Whatever comes, the decoder ends, gives an error only last, and does not depend
// on how the bytes were cut.
func FuzzDecode(f *testing.F) {
	for _, file := range recordings(f) {
		if body, err := os.ReadFile(file); err == nil && len(body) < 3000 {
			f.Add(body, len(body)/2)
		}
	}
	f.Add([]byte(`{"choices":[{"message":{"content":"x"}}]}`), 3)
	f.Fuzz(func(t *testing.T, body []byte, at int) {
		over := func(src io.Reader) string {
			ended := false
			var text string
			n := provider.Normalise(func(yield func(provider.Event, error) bool) {
				for ev, err := range Decode(src, DecodeOptions{NewID: counter()}) {
					if ended {
						t.Fatalf("%T after the end", ev)
					}
					ended = err != nil
					if !yield(ev, err) {
						return
					}
				}
			})
			text = string(n.JSON())
			return text
		}
		whole := over(bytes.NewReader(body))
		if one := over(iotest.OneByteReader(bytes.NewReader(body))); one != whole {
			t.Fatalf("byte by byte %s, whole %s", one, whole)
		}
		if at > 0 && at < len(body) {
			if cut := over(io.MultiReader(bytes.NewReader(body[:at]), bytes.NewReader(body[at:]))); cut != whole {
				t.Fatalf("cut at %d %s, whole %s", at, cut, whole)
			}
		}
	})
}

// TestSmallQuirks holds single oddities against what they mean.
func TestSmallQuirks(t *testing.T) {
	for name, c := range map[string]struct {
		in, text string
		calls    int
		stop     provider.StopReason
	}{
		"index as a string":     {frames(`{"choices":[{"index":"0","delta":{"content":"a"},"finish_reason":"stop"}]}`), "a", 0, provider.StopEnd},
		"escaped key":           {frames(`{"choices":[{"index":0,"delta":{"c\u006fntent":"a"},"finish_reason":"stop"}]}`), "a", 0, provider.StopEnd},
		"MAX_TOKENS":            {frames(delta(`{"content":"a"}`), finish("MAX_TOKENS")), "a", 0, provider.StopMaxTokens},
		"the filter's name":     {frames(delta(`{"content":"a"}`), finish("content_filter: PROHIBITED_CONTENT")), "a", 0, provider.StopRefusal},
		"RECITATION":            {frames(delta(`{"content":"a"}`), finish("RECITATION")), "a", 0, provider.StopRefusal},
		"a place for a call":    {frames(delta(`{"tool_calls":[{"index":0}]}`), delta(`{"content":"a"}`), finish("stop")), "a", 0, provider.StopEnd},
		"an empty call":         {frames(delta(`{"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":"","arguments":""}}]}`), delta(`{"content":"a"}`), finish("stop")), "a", 0, provider.StopEnd},
		"a place, then a call":  {frames(delta(`{"tool_calls":[{"index":0}]}`), delta(`{"tool_calls":[{"index":0,"id":"x","function":{"name":"f","arguments":"{}"}}]}`), finish("stop")), "", 1, provider.StopToolUse},
		"cut behind the finish": {frames(delta(`{"content":"a"}`), finish("stop")) + `data: {"choices":[],"usage":{"prompt_to`, "a", 0, provider.StopEnd},
		"base_resp of 0":        {frames(`{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}],"base_resp":{"status_code":0,"status_msg":""}}`), "a", 0, provider.StopEnd},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := provider.Collect(Decode(strings.NewReader(c.in), DecodeOptions{}), nil)
			if err != nil || m.PlainText() != c.text || len(m.ToolUses()) != c.calls || m.Stop != c.stop {
				t.Errorf("got %q, %d calls, %s, %v", m.PlainText(), len(m.ToolUses()), m.Stop, err)
			}
		})
	}
}

// TestWindowInAStream: an overflow that comes inside a 200 names the window too.
func TestWindowInAStream(t *testing.T) {
	in := frames(`{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`)
	_, err := provider.Collect(Decode(strings.NewReader(in), DecodeOptions{}), nil)
	var e *provider.Error
	if !errors.As(err, &e) || e.Kind != provider.KindOverflow || e.Window != 4096 {
		t.Errorf("%+v", e)
	}
}
