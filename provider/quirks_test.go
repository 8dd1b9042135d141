package provider

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
)

// TestQuirksLearn: one row per refusal seen in the wild.
func TestQuirksLearn(t *testing.T) {
	for _, c := range []struct {
		name, body        string
		refused           []string
		required          map[string]string
		value             [3]string // field, wanted, got
		unlearned, noNote bool
	}{
		{name: "max_completion_tokens", body: `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}`,
			refused: []string{"max_tokens"}, required: map[string]string{"max_completion_tokens": ""}},
		{name: "temperature takes top_p along", body: `{"error":{"message":"Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.","param":"temperature","code":"unsupported_value"}}`,
			refused: []string{"temperature", "top_p"}},
		{name: "deprecated", body: "`temperature` is deprecated for this model", refused: []string{"temperature", "top_p"}},
		{name: "gpt-5.4", body: "Function tools with reasoning_effort are not supported for gpt-5.4-mini in /v1/chat/completions. Please use /v1/responses instead.", refused: []string{"reasoning_effort"}},
		{name: "gpt-5.6", body: "Function tools with reasoning_effort are not supported for gpt-5.6-terra in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
			required: map[string]string{"reasoning_effort": `"none"`}},
		{name: "effort value", body: `{"error":{"message":"Unsupported value: 'reasoning_effort' does not support 'xhigh' with this model. Supported values are: 'low', 'medium', and 'high'.","param":"reasoning_effort"}}`,
			value: [3]string{"reasoning_effort", "xhigh", "high"}},
		{name: "mistral", body: `{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`, refused: []string{"stream_options"}},
		{name: "stream_options part", body: `{"error":{"message":"Unknown parameter: 'stream_options.include_usage'.","param":"stream_options.include_usage"}}`, refused: []string{"stream_options"}},
		{name: "two at once", body: `{"detail":[{"loc":["body","parallel_tool_calls"],"msg":"Extra inputs are not permitted"},{"loc":["body","store"],"msg":"Extra inputs are not permitted"}]}`, refused: []string{"parallel_tool_calls"}},
		{name: "unrecognized", body: `{"error":{"message":"Unrecognized request argument supplied: parallel_tool_calls"}}`, refused: []string{"parallel_tool_calls"}},
		{name: "gemini", body: `[{"error":{"message":"Invalid JSON payload received. Unknown name \"store\": Cannot find field."}}]`, refused: []string{"store"}},
		{name: "strict in tools", body: `{"type":"error","error":{"message":"tools.0.custom.strict: Extra inputs are not permitted"}}`, refused: []string{"strict"}},
		{name: "cache mark on thinking", body: `{"error":{"message":"messages.1.content.0.thinking.cache_control: Extra inputs are not permitted"}}`, refused: []string{"cache_control"}},
		{name: "groq reasoning", body: `{"error":{"message":"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]"}}`, refused: []string{"reasoning_content"}},
		{name: "output_config.effort", body: `{"error":{"message":"output_config.effort: Extra inputs are not permitted"}}`, refused: []string{"output_config.effort"}},
		{name: "thinking type", body: "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.",
			refused: []string{"thinking.type.enabled"}, required: map[string]string{"thinking.type": `"adaptive"`}},
		{name: "deepseek reasoning", body: "The `reasoning_content` in the thinking mode must be passed back to the API.", required: map[string]string{"reasoning_content": `""`}},
		{name: "kimi reasoning", body: "thinking is enabled but reasoning_content is missing in assistant tool call message at index 3", required: map[string]string{"reasoning_content": `"."`}},
		{name: "bound thinking", body: "messages.5.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.", required: map[string]string{"thinking.block_binding": `{"prefix_mismatch_behavior":"drop_block"}`}},
		{name: "developer role", body: "messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`", refused: []string{RoleDeveloper}},
		{name: "system in the middle", body: "role 'system' is not supported on this model", refused: []string{RoleSystem}},
		{name: "tool_choice", body: "Thinking mode does not support this tool_choice", refused: []string{"tool_choice"}},
		{name: "litellm", body: "litellm.UnsupportedParamsError: azure does not support parameters: ['reasoning_effort'], for model=x", refused: []string{"reasoning_effort"}},
		{name: "anthropic output limit", body: "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude", required: map[string]string{"max_tokens": "64000"}},
		{name: "deepseek output limit", body: "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", required: map[string]string{"max_tokens": "8192"}},
		{name: "openai output limit", body: "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.", required: map[string]string{"max_tokens": "16384"}},
		{name: "groq output limit", body: "`max_completion_tokens` must be less than or equal to `32768`, the maximum value for `max_completion_tokens` is less than the `context_window` for this model", required: map[string]string{"max_completion_tokens": "32768"}},
		{name: "essential", body: `{"error":{"message":"Extra inputs are not permitted","param":"messages"}}`, unlearned: true},
		{name: "tools", body: `{"error":{"message":"Unsupported parameter: 'tools'"}}`, unlearned: true},
		{name: "a value of ours is wrong", body: `{"error":{"message":"Invalid 'temperature': decimal above maximum value.","param":"temperature"}}`, unlearned: true},
		{name: "orphan", body: "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: call_1.", unlearned: true},
		{name: "empty text", body: "messages: text content blocks must be non-empty", unlearned: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var q Quirks
			e := Classify(400, nil, []byte(c.body))
			if e.Kind != KindInvalid {
				t.Fatalf("kind %s", e.Kind)
			}
			changed, note := q.Learn(e)
			if changed == c.unlearned {
				t.Fatalf("changed %v (field %q): refused %v required %v", changed, e.Field, q.refused, q.required)
			}
			if changed && (note == "" || strings.Contains(note, "\n")) {
				t.Errorf("note %q, want one line", note)
			}
			for _, f := range c.refused {
				if !q.Refused(f) {
					t.Errorf("%s is not refused: %v", f, q.refused)
				}
			}
			for f, want := range c.required {
				got, ok := q.Required(f)
				if !ok || got != want {
					t.Errorf("required %s = %q %v, want %q (%v)", f, got, ok, want, q.required)
				}
				if got != "" && !json.Valid([]byte(got)) {
					t.Errorf("required %s = %q is not JSON", f, got)
				}
			}
			if len(c.refused) == 0 && len(q.refused) > 0 {
				t.Errorf("refuses %v as well", q.refused)
			}
			if c.value[0] != "" {
				if got := q.Value(c.value[0], c.value[1]); got != c.value[2] {
					t.Errorf("value %q, want %q", got, c.value[2])
				}
			}
			if again, _ := q.Learn(e); again {
				t.Error("the same refusal taught something new: the caller would try for ever")
			}
		})
	}
}

func TestQuirksOnlyBelievesInvalid(t *testing.T) {
	for _, e := range []*Error{nil,
		Classify(401, nil, []byte("Unsupported parameter: 'store'")),
		Classify(404, nil, []byte("Unknown parameter: 'store'")),
		Classify(400, nil, []byte("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000")),
	} {
		var q Quirks
		if changed, _ := q.Learn(e); changed {
			t.Errorf("learned from %+v", e)
		}
	}
}

func TestQuirksNearestValue(t *testing.T) {
	var q Quirks
	q.Learn(Classify(400, nil, []byte(`{"error":{"message":"Invalid value: 'minimal'. Supported values are: 'none', 'low', and 'high'.","param":"reasoning_effort"}}`)))
	for want, got := range map[string]string{"minimal": "none", "low": "low", "medium": "low", "max": "high"} {
		if v := q.Value("reasoning_effort", want); v != got {
			t.Errorf("%s became %s, want %s", want, v, got)
		}
	}
	if v := q.Value("other", "xhigh"); v != "xhigh" {
		t.Errorf("an unknown field changed to %s", v)
	}
}

func TestQuirksConcurrently(t *testing.T) {
	var q Quirks
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			q.Learn(Classify(400, nil, []byte("Unsupported parameter: 'store'")))
			q.Refused("store")
			q.Required("x")
			q.Value("x", "low")
		})
	}
	wg.Wait()
	if !q.Refused("store") {
		t.Error("store is not refused")
	}
}
