package anthropic

import (
	"strconv"
	"strings"

	"forge/lazy"
	"forge/provider"
)

// The output allowance a request gets where its maker named none: room for the
// thinking and for a long file written whole. It bounds an accident, not the cost;
// effort does that.
const (
	usualOutput = 32_000
	hardOutput  = 64_000 // at the two strongest efforts
	leastBudget = 1_024  // the wire's own floor
)

// budgets are thinking tokens for models that are told a number.
var budgets = lazy.Value[map[provider.Effort]int]{Of: func() map[provider.Effort]int {
	return map[provider.Effort]int{
		provider.EffortMinimal: leastBudget,
		provider.EffortLow:     4_096,
		provider.EffortMedium:  10_000,
		provider.EffortHigh:    16_000,
		provider.EffortXHigh:   32_000,
		provider.EffortMax:     48_000,
	}
}}

// settings are the fields that say how much may be thought and written.
type settings struct {
	maxTokens int
	thinking  string // raw JSON, empty for none
	effort    string // empty for none
	on        bool   // the model will think, as far as can be told
}

// settle works out max_tokens, thinking and effort together, since each bounds
// the others. bare says that the tool loop in progress holds no thinking: a model
// told a budget then refuses to think.
func (e *encoder) settle(bare bool) settings {
	f, q := e.family, e.quirks
	var s settings
	limit := f.maxOutput
	if e.maxOutput > 0 {
		limit = e.maxOutput
	}
	if v, ok := q.Required("max_tokens"); ok {
		if n, err := strconv.Atoi(v); err == nil && n > 0 {
			limit = n
		}
	}
	s.maxTokens = usualOutput
	if e.req.Effort == provider.EffortXHigh || e.req.Effort == provider.EffortMax {
		s.maxTokens = hardOutput
	}
	mode := f.think
	if v, ok := q.Required("thinking.type"); ok && mode != adaptive && v == `"adaptive"` {
		mode, f.display = adaptive, true
		if f.efforts == nil {
			f.efforts = to46
		}
	}
	if v, ok := q.Required("thinking.type"); mode == adaptive && (e.state.knows(&e.state.manual) || ok && v == `"enabled"`) {
		mode, f.efforts, f.always = manual, nil, false
	}
	if q.Refused("thinking") {
		mode = noThinking
	}
	budget := budgets.Get()[e.req.Effort]
	if e.req.MaxTokens == 0 && budget > 0 && (mode == manual || mode == toggled) {
		s.maxTokens = max(s.maxTokens, budget+16_000)
	}
	if e.req.MaxTokens > 0 {
		s.maxTokens = e.req.MaxTokens
		if _, ok := q.Required("max_tokens"); !ok {
			limit = max(limit, s.maxTokens) // the person's word counts until the server's contradicts
		}
	}
	s.maxTokens = min(s.maxTokens, limit)
	if e.lowered > 0 {
		s.maxTokens = min(s.maxTokens, e.lowered)
	}

	switch mode {
	case adaptive:
		e.adaptive(&s, f)
	case manual, toggled:
		budget = min(budget, s.maxTokens*3/4)
		switch {
		case e.req.Effort == provider.EffortDefault:
			s.on = mode == toggled
		case e.req.Effort == provider.EffortNone:
			if mode == toggled && !q.Refused("thinking.type.disabled") {
				s.thinking = `{"type":"disabled"}`
			}
		case budget >= leastBudget && !(mode == manual && bare):
			s.on = true
			s.thinking = `{"type":"enabled","budget_tokens":` + strconv.Itoa(budget) + `}`
			if q.Refused("thinking.budget_tokens") || q.Refused("thinking.enabled.budget_tokens") {
				s.thinking = `{"type":"enabled"}`
			}
			if len(f.efforts) > 0 {
				s.effort = string(f.nearest(e.req.Effort))
			}
		}
	}
	if s.effort != "" {
		if q.Refused("output_config") || q.Refused("output_config.effort") || q.Refused("effort") {
			s.effort = ""
		} else {
			s.effort = q.Value("output_config.effort", s.effort)
		}
	}
	return s
}

// adaptive is for models that decide themselves how much to think and are told an
// effort. Those that think unasked are told nothing but to show it.
func (e *encoder) adaptive(s *settings, f family) {
	q := e.quirks
	s.on = f.on || e.req.Effort != provider.EffortDefault
	effort := e.req.Effort
	if effort == provider.EffortNone {
		if !f.always && !q.Refused("thinking.type.disabled") && !q.Refused("thinking.disabled") {
			s.on = false
			if f.on {
				s.thinking = `{"type":"disabled"}`
			}
			return
		}
		effort = provider.EffortLow // it cannot be kept from thinking, but held short
	}
	if effort != provider.EffortDefault && len(f.efforts) > 0 {
		s.effort = string(f.nearest(effort))
	}
	if !s.on {
		return
	}
	fields := []string{`"type":"adaptive"`}
	if f.display && !q.Refused("thinking.display") && !q.Refused("thinking.adaptive.display") {
		fields = append(fields, `"display":"summarized"`)
	}
	if v, ok := e.blockBinding(); ok {
		fields = append(fields, `"block_binding":`+v)
	}
	s.thinking = "{" + strings.Join(fields, ",") + "}"
}

// blockBinding is the order to drop thinking that no longer fits its place rather
// than refuse the request, once a server has refused one for it.
func (e *encoder) blockBinding() (string, bool) {
	q := e.quirks
	if q.Refused("thinking.block_binding") || q.Refused("thinking.adaptive.block_binding") {
		return "", false
	}
	return q.Required("thinking.block_binding")
}
