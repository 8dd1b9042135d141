package openai

import (
	"strconv"
	"strings"

	"forge/provider"
)

// effort writes how much the model may think, each server in its own words. The
// default effort writes nothing, but for what a model needs to work at all.
func (e *encoder) effort() {
	want := e.req.Effort
	// OpenAI's own rule, which Azure, Copilot and plain gateways pass on.
	if e.srv.effort == effortField && !e.srv.local {
		if forced, ok := besideTools(e.req.Model, want); ok && e.tools {
			e.silenced = want != forced && want != provider.EffortNone && want != provider.EffortDefault
			want = forced
		}
	}
	if raw, ok := e.quirks.Required("reasoning_effort"); ok && raw != "" {
		e.raw("reasoning_effort", raw)
		return
	}
	if want == provider.EffortDefault {
		return
	}
	on := want != provider.EffortNone
	switch style := e.style(); style {
	case effortField:
		if v := e.effortWord(want); v != "" {
			e.field("reasoning_effort", string(appendQuote(nil, e.quirks.Value("reasoning_effort", v))))
		}
	case effortThinking, effortDeepSeek:
		kind := `{"type":"disabled"}`
		if on {
			kind = `{"type":"enabled"}`
		}
		e.field("thinking", kind)
		if w := deepSeekWord(want); on && style == effortDeepSeek && w != "high" { // high is what enabled means
			e.field("reasoning_effort", string(appendQuote(nil, e.quirks.Value("reasoning_effort", w))))
		}
	case effortQwen:
		e.field("enable_thinking", strconv.FormatBool(on))
		if budget := qwenBudget(want); budget > 0 {
			e.field("thinking_budget", strconv.Itoa(budget))
		}
	case effortTemplate: // templates differ in the word they read
		e.field("chat_template_kwargs", `{"enable_thinking":`+strconv.FormatBool(on)+`,"thinking":`+strconv.FormatBool(on)+`}`)
	case effortObject:
		e.field("reasoning", `{"effort":`+string(appendQuote(nil, e.quirks.Value("reasoning.effort", e.effortWord(want))))+`}`)
	}
}

// style is the server's, but for models that have their own everywhere.
func (e *encoder) style() effortStyle {
	b := brand(e.req.Model)
	switch {
	case e.srv.effort == effortTemplate && (b == "gpt-oss" || b == "gpt"):
		return effortField
	case e.srv.effort == effortField && e.quirks.Refused("reasoning_effort") && (b == "qwen" || b == "glm" || b == "deepseek" || b == "kimi"):
		return effortTemplate
	}
	return e.srv.effort
}

// effortWord maps an effort to the nearest the model knows; "" sends nothing.
func (e *encoder) effortWord(want provider.Effort) string {
	low := func(w provider.Effort) string { // low, medium and high, as most know them
		switch w {
		case provider.EffortNone, provider.EffortMinimal:
			return "low"
		case provider.EffortXHigh, provider.EffortMax:
			return "high"
		}
		return string(w)
	}
	none := func(w provider.Effort) string {
		if w == provider.EffortNone {
			return "none"
		}
		return low(w)
	}
	if e.srv.effort == effortObject { // the gateway maps for its models
		if want == provider.EffortMax {
			return "xhigh"
		}
		return string(want)
	}
	switch b := brand(e.req.Model); {
	case b == "gpt" && gptVersion(e.req.Model) >= 5.1:
		switch {
		case want == provider.EffortMinimal:
			return "low"
		case want == provider.EffortXHigh || want == provider.EffortMax:
			if gptVersion(e.req.Model) >= 5.2 {
				return "xhigh"
			}
			return "high"
		}
		return string(want)
	case b == "gpt" && gptVersion(e.req.Model) >= 5:
		if want == provider.EffortNone || want == provider.EffortMinimal {
			return "minimal"
		}
		return low(want)
	case b == "gpt" && thinks(e.req.Model), b == "gpt-oss":
		return low(want)
	case b == "gpt":
		return "" // gpt-4 and older do not think
	case e.srv.name == "groq" && b == "qwen":
		if want == provider.EffortNone {
			return "none"
		}
		return "default"
	case e.srv.name == "gemini" && want == provider.EffortNone: // only one family can be kept from thinking
		switch {
		case strings.Contains(e.req.Model, "2.5-flash"):
			return "none"
		case strings.Contains(e.req.Model, "flash"):
			return "minimal"
		}
		return "low"
	case e.srv.name == "gemini" && want == provider.EffortMinimal:
		return "minimal"
	case e.srv.name == "mistral":
		if want == provider.EffortNone || want == provider.EffortMinimal || want == provider.EffortLow {
			return "none"
		}
		return "high"
	}
	return none(want)
}

func deepSeekWord(want provider.Effort) string {
	switch want {
	case provider.EffortMinimal, provider.EffortLow:
		return "low"
	case provider.EffortXHigh, provider.EffortMax:
		return "max"
	}
	return "high"
}

// qwenBudget is in tokens; 0 leaves it to the server.
func qwenBudget(want provider.Effort) int {
	switch want {
	case provider.EffortMinimal:
		return 1024
	case provider.EffortLow:
		return 4096
	case provider.EffortMedium:
		return 16384
	}
	return 0
}
