package openai

import (
	"github.com/tidwall/gjson"

	"forge/provider"
)

// readUsage takes a usage object, wherever it was. Servers send it once, twice or
// in every chunk, so the last one counts; null and an object of nothing but zeros
// after real figures do not.
func (d *decoder) readUsage(v gjson.Result) {
	if !v.IsObject() {
		return
	}
	u := usageOf(v)
	if d.usage.Reported && u.Input == 0 && u.Output == 0 {
		return
	}
	d.usage = u
}

// usageOf reads every dialect. Output includes the reasoning, which xAI and
// Gemini leave out of completion_tokens and show only in the total.
func usageOf(v gjson.Result) provider.Usage {
	input := pick(v, "prompt_tokens", "input_tokens")
	completion := pick(v, "completion_tokens", "output_tokens")
	u := provider.Usage{
		Reported:   true,
		Input:      input,
		Output:     completion,
		CacheRead:  pick(v, "prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens", "prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens"),
		CacheWrite: pick(v, "prompt_tokens_details.cache_write_tokens", "prompt_tokens_details.cache_creation_tokens", "cache_creation_input_tokens"),
		Reasoning:  pick(v, "completion_tokens_details.reasoning_tokens", "output_tokens_details.reasoning_tokens", "reasoning_tokens"),
	}
	if cost := v.Get("cost"); cost.Type == gjson.Number {
		u.Cost = cost.Num
	}
	total := pick(v, "total_tokens")
	u.Output = max(completion, total-input)
	// Reasoning a little above the completion is a gateway's rounding; far above,
	// it was not counted in it.
	if over := u.Reasoning - u.Output; over > 2 && over > u.Output/10 {
		u.Output += u.Reasoning
	}
	u.Output = max(u.Output, u.Reasoning)
	if u.Output != completion || total > 0 && total-input != completion {
		u.Completion, u.Total = completion, total
		if total == 0 {
			u.Total = input + completion
		}
	}
	return u
}

// pick returns the first of the keys that is a number above 0.
func pick(v gjson.Result, keys ...string) int {
	for _, k := range keys {
		if n := v.Get(k); n.Type == gjson.Number || n.Type == gjson.String {
			if i := int(n.Int()); i > 0 {
				return i
			}
		}
	}
	return 0
}
