package anthropic

import (
	"strings"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// stop reads the delta of a message_delta.
func (d *decoder) stop(delta gjson.Result) {
	if r := delta.Get("stop_reason"); r.Type == gjson.String && r.Str != "" {
		d.reason = r.Str
	}
	d.details(delta.Get("stop_details"))
}

// details keeps what a refusal says for itself: category, explanation, and the
// model it recommends instead.
func (d *decoder) details(v gjson.Result) {
	if !v.IsObject() {
		return
	}
	var parts []string
	for _, key := range []string{"category", "explanation"} {
		if s := v.Get(key).String(); s != "" {
			parts = append(parts, s)
		}
	}
	s := strings.Join(parts, ": ")
	if m := v.Get("recommended_model").String(); m != "" {
		s = strings.TrimSpace(s + " (recommended model: " + m + ")")
	}
	if s != "" {
		d.detail = s
	}
}

// stopReason puts the wire's word in forge's; where forge's says less, the second
// result keeps the server's own word.
func stopReason(word string) (provider.StopReason, string) {
	switch word {
	case "end_turn", "stop_sequence":
		return provider.StopEnd, ""
	case "tool_use":
		return provider.StopToolUse, ""
	case "max_tokens":
		return provider.StopMaxTokens, ""
	case "model_context_window_exceeded": // the window is full, not the answer's allowance
		return provider.StopMaxTokens, word
	case "refusal":
		return provider.StopRefusal, ""
	case "pause_turn":
		return provider.StopPause, ""
	}
	return provider.StopOther, word
}
