package anthropic

import (
	"strconv"
	"strings"

	"forge/lazy"
	"forge/provider"
)

// thinkMode is how a model is asked to think.
type thinkMode int

const (
	noThinking thinkMode = iota
	manual               // thinking {enabled, budget_tokens}
	adaptive             // thinking {adaptive} and output_config.effort
	toggled              // a clone: thinking {enabled, budget_tokens} or {disabled}
)

// family is what must be known of a model before it can be asked without a
// refusal. It holds no prices and no windows: those are the catalogue's. The facts
// are the vendor's documentation and reports of 2026; what changes is learned from
// refusals (provider.Quirks).
type family struct {
	claude    bool
	think     thinkMode
	on        bool              // thinks where nothing is said
	always    bool              // cannot be told not to
	display   bool              // hides its thinking unless asked to sum it up
	bound     bool              // thinking is bound to all that was before it; reads system messages in the middle
	wants     bool              // insists on thinking beside every call in the history
	efforts   []provider.Effort // the words it takes, weakest first; none: it has no such setting
	maxOutput int               // tokens, thinking included
}

var claudeName = lazy.Regexp{Expr: `claude-(?:(opus|sonnet|haiku|fable|mythos)[a-z]*-?)?(?:v?(\d)(?:[.-](\d{1,2})(?:[^\d]|$))?)?(?:-?(opus|sonnet|haiku))?`}

var (
	to46  = []provider.Effort{provider.EffortLow, provider.EffortMedium, provider.EffortHigh, provider.EffortMax}
	to47  = []provider.Effort{provider.EffortLow, provider.EffortMedium, provider.EffortHigh, provider.EffortXHigh, provider.EffortMax}
	clone = []provider.Effort{provider.EffortHigh, provider.EffortMax}
)

// familyOf reads a model's name as any endpoint writes it: claude-opus-4-5-20251101,
// anthropic/claude-opus-4.5, us.anthropic.claude-3-7-sonnet-20250219-v1:0.
func familyOf(model string) family {
	id := strings.ToLower(model)
	if m := claudeName.Get().FindStringSubmatch(id); m != nil {
		name := m[1]
		if name == "" {
			name = m[4]
		}
		version := 500 // no number: a name the vendor moves to its newest
		if m[2] != "" {
			major, _ := strconv.Atoi(m[2])
			minor, _ := strconv.Atoi(m[3])
			version = 100*major + minor
		}
		return claude(name, version)
	}
	switch {
	case strings.Contains(id, "deepseek"):
		f := family{think: toggled, wants: true, efforts: clone, maxOutput: 32_000}
		if strings.Contains(id, "deepseek-chat") {
			f.maxOutput = 8_192
		}
		return f
	case strings.Contains(id, "kimi"), strings.Contains(id, "moonshot"):
		return family{think: toggled, wants: true, maxOutput: 32_000}
	case strings.Contains(id, "glm"), strings.Contains(id, "minimax"), strings.Contains(id, "qwen"):
		return family{think: toggled, maxOutput: 32_000}
	}
	return family{think: toggled, maxOutput: 16_384} // a local server, a router, something new
}

// claude is the vendor's own line; version is 100 times major plus minor.
func claude(name string, version int) family {
	f := family{claude: true, maxOutput: 128_000}
	if name == "fable" || name == "mythos" {
		f.think, f.on, f.always, f.display, f.efforts = adaptive, true, true, true, to47
		f.bound = name == "mythos" || version >= 501
		return f
	}
	switch {
	case version < 305:
		f.maxOutput = 4_096
	case version < 307:
		f.maxOutput = 8_192
	case version < 406:
		f.think, f.maxOutput = manual, 64_000
		if name == "opus" && version < 405 {
			f.maxOutput = 32_000
		}
	case version == 406:
		f.think, f.efforts = adaptive, to46
		if name != "opus" {
			f.maxOutput = 64_000
		}
	case version < 500:
		f.think, f.efforts, f.display = adaptive, to47, true
	default:
		f.think, f.efforts, f.display, f.on = adaptive, to47, true, true
		if version >= 505 {
			f.bound, f.always = true, name != "haiku"
		}
	}
	return f
}

// nearest is e in a word the family has: itself, else the strongest word below it,
// else the weakest there is. It never asks for more than was asked for where that
// can be helped: a stronger word costs more.
func (f family) nearest(e provider.Effort) provider.Effort {
	rank := func(e provider.Effort) int {
		for i, x := range provider.Efforts() {
			if x == e {
				return i
			}
		}
		return -1
	}
	best := f.efforts[0]
	for _, x := range f.efforts {
		if x == e {
			return x
		}
		if rank(x) < rank(e) {
			best = x
		}
	}
	return best
}

var dated = lazy.Regexp{Expr: `([-@]20\d{6}|-latest)(-v\d+(:\d+)?)?$`}

// sameModel reports whether two origins name the same model; a name with its date
// and the one without are the same.
func sameModel(a, b string) bool {
	return a == b || dated.Get().ReplaceAllString(a, "") == dated.Get().ReplaceAllString(b, "")
}
