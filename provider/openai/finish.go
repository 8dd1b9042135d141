package openai

import (
	"strings"

	"forge/lazy"
	"forge/provider"
)

const finishWindow = "model_context_window_exceeded"

// failedFinish are finish reasons that mean the server broke off.
var failedFinish = lazy.Value[map[string]bool]{Of: func() map[string]bool {
	return map[string]bool{
		"error": true, "network_error": true, "insufficient_system_resource": true, "server_error": true, "abort": true,
	}
}}

// refusedFinish are finish reasons of a filter or a policy, Google's own words
// among them. The Gemini endpoint says which filter behind a colon.
var refusedFinish = lazy.Value[map[string]bool]{Of: func() map[string]bool {
	return map[string]bool{
		"content_filter": true, "refusal": true, "sensitive": true, "safety": true,
		"recitation": true, "prohibited_content": true, "blocklist": true, "spii": true,
	}
}}

// reason translates how the reply ended. Whether it asks for tools is decided by
// its calls, because servers say "stop" beside them, or nothing.
func (d *decoder) reason() provider.StopReason {
	if d.refusal.Len() > 0 {
		return provider.StopRefusal
	}
	if filter, _, _ := strings.Cut(d.finish, ":"); refusedFinish.Get()[filter] {
		return provider.StopRefusal
	}
	switch d.finish {
	case "length", "max_tokens", "max_output_tokens", finishWindow:
		return provider.StopMaxTokens
	}
	if len(d.calls) > 0 {
		return provider.StopToolUse
	}
	switch d.finish {
	case "", "stop", "eos", "eos_token", "stop_sequence", "end_turn", "stop_token":
		return provider.StopEnd
	case "tool_calls", "function_call", "tool_use":
		return provider.StopToolUse
	}
	return provider.StopOther
}
