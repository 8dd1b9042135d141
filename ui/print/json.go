package print

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"forge/agent"
	"forge/agent/budget"
	"forge/provider"
	"forge/tools"
	"forge/ui/lang"
)

// object is one JSON line; maps marshal with sorted keys, so lines are stable.
type object map[string]any

func (p *Printer) writeJSON(v any) {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = p.o.Out.Write(append(b, '\n'))
	}
	if err != nil && p.err == nil {
		p.err = err
	}
}

// Result is the last line of json and stream-json.
type Result struct {
	Type       string              `json:"type"` // "result"
	OK         bool                `json:"ok"`
	ExitCode   int                 `json:"exit_code"`
	Text       string              `json:"text"`
	StopReason provider.StopReason `json:"stop_reason"`
	Turns      int                 `json:"turns"`
	Usage      Usage               `json:"usage"`
	Cost       *float64            `json:"cost_usd"` // null: the price is unknown
	Duration   int64               `json:"duration_ms"`
	Provider   string              `json:"provider,omitempty"`
	Model      string              `json:"model,omitempty"`
	Session    string              `json:"session,omitempty"`
	Refused    []Refusal           `json:"refused"`
	Error      *Failure            `json:"error"`
}

// Usage is tokens, named as in `forge debug decode`.
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	CacheRead  int `json:"cache_read_tokens"`
	CacheWrite int `json:"cache_write_tokens"`
	Reasoning  int `json:"reasoning_tokens"`
}

// Failure is an error for a program: Kind is a provider.Kind, "limit", "interrupted" or "other".
type Failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Limit   *Limit `json:"limit,omitempty"` // the budget that ended the run
}

// Limit is a budget the next request would have crossed. The numbers are US dollars,
// tokens, turns or seconds.
type Limit struct {
	Per   string  `json:"per"`  // session or day
	Kind  string  `json:"kind"` // usd, tokens, turns or time
	Limit float64 `json:"limit"`
	Spent float64 `json:"spent"`
	Next  float64 `json:"next"`
}

func usage(u provider.Usage) Usage {
	return Usage{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning}
}

func (p *Printer) result(err error, code int) Result {
	_, answer, _ := provider.SplitThink(p.answer)
	spent := p.spent()
	r := Result{
		Type: "result", OK: code == ExitDone, ExitCode: code, Text: answer, StopReason: p.stop,
		Turns: p.turns, Usage: usage(spent.Usage), Duration: max(0, p.o.Now().Sub(p.start).Milliseconds()),
		Provider: p.o.Model.Provider, Model: p.o.Model.ID, Session: p.o.Session,
		Refused: p.refused, Error: failure(err),
	}
	if r.Refused == nil {
		r.Refused = []Refusal{}
	}
	if p.end.Totals.CostKnown || p.end != (agent.RunEnd{}) && p.turns == 0 && spent.Usage == (provider.Usage{}) { // no request costs nothing
		cost := dollars(spent.Cost)
		r.Cost = &cost
	}
	return r
}

// dollars drops what adding up small fractions left behind.
func dollars(v float64) float64 { return math.Round(v*1e10) / 1e10 }

// spent is what this run used up, of all the conversation did.
func (p *Printer) spent() agent.Totals {
	t, b := p.end.Totals, p.o.Before
	t.Cost -= b.Cost
	t.Usage.Input -= b.Usage.Input
	t.Usage.Output -= b.Usage.Output
	t.Usage.CacheRead -= b.Usage.CacheRead
	t.Usage.CacheWrite -= b.Usage.CacheWrite
	t.Usage.Reasoning -= b.Usage.Reasoning
	if p.end == (agent.RunEnd{}) { // nothing began
		t = agent.Totals{}
	}
	return t
}

func failure(err error) *Failure {
	var pe *provider.Error
	var over *budget.Exceeded
	switch {
	case err == nil:
		return nil
	case errors.As(err, &pe):
		return &Failure{Kind: string(pe.Kind), Message: pe.Error(), Hint: pe.Hint}
	case errors.Is(err, context.Canceled):
		return &Failure{Kind: "interrupted", Message: "interrupted", Hint: "forge -c goes on"}
	case errors.As(err, &over):
		return &Failure{Kind: "limit", Message: err.Error(), Hint: "raise " + over.Flag(),
			Limit: &Limit{string(over.Scope), string(over.Kind), over.Limit, dollars(over.Spent), dollars(over.Next)}}
	case errors.Is(err, ErrNotAllowed):
		return &Failure{Kind: "permission", Message: err.Error()}
	case errors.Is(err, agent.ErrStuck):
		return &Failure{Kind: "limit", Message: err.Error(), Hint: "see why the call fails"}
	case errors.Is(err, agent.ErrTurnLimit):
		return &Failure{Kind: "limit", Message: err.Error(), Hint: "raise --max-turns"}
	}
	return &Failure{Kind: "other", Message: err.Error()}
}

// eventLine is the JSON of an event, or nil for those that are for eyes only.
func eventLine(e agent.Event) object {
	switch e := e.(type) {
	case agent.UserMessage:
		o := object{"type": "user", "text": e.Text}
		if e.Line != "" {
			o["line"] = e.Line
		}
		return o
	case agent.Attached:
		if e.Err != nil {
			return object{"type": "attached", "from": e.Label, "error": e.Err.Error()}
		}
		return object{"type": "attached", "from": e.Label, "text": e.Text, "images": len(e.Images)}
	case agent.TurnStart:
		return object{"type": "turn_start", "turn": e.Turn}
	case agent.TextDelta:
		return object{"type": "text", "block": e.Block, "text": e.Text}
	case agent.ThinkingDelta:
		return object{"type": "thinking", "block": e.Block, "text": e.Text}
	case agent.ToolStart:
		return object{"type": "tool_start", "id": e.ID, "tool": e.Name, "input": e.Input, "title": e.Effect.Title, "effect": e.Effect.Kind}
	case agent.ToolOutput:
		return object{"type": "tool_output", "id": e.ID, "text": e.Text}
	case agent.ToolEnd:
		o := object{"type": "tool_end", "id": e.ID, "tool": e.Name, "text": e.Result.Text, "is_error": e.Result.IsError,
			"refused": e.Result.Refused, "files": changed(e), "duration_ms": e.Took.Milliseconds()}
		if e.Result.Review != "" {
			o["review"] = e.Result.Review
		}
		if len(e.Result.Found) > 0 {
			o["found"] = e.Result.Found
		}
		if hs := hidden(e.Result.Hidden); len(hs) > 0 {
			o["hidden"] = hs
		}
		return o
	case agent.TurnEnd:
		o := object{"type": "turn_end", "stop_reason": e.Stop, "usage": usage(e.Usage), "context_tokens": e.Used, "context_window": e.Window}
		if e.CostKnown {
			o["cost_usd"] = dollars(e.Cost)
		}
		return o
	case agent.Retrying:
		return object{"type": "retry", "error": e.Err.Error(), "after_ms": e.After.Milliseconds(), "attempt": e.Attempt, "attempts": e.Attempts}
	case agent.BudgetWarned:
		return object{"type": "budget", "per": e.Scope, "kind": e.Kind, "limit": e.Limit, "spent": dollars(e.Spent)}
	case agent.Notice:
		return object{"type": "notice", "text": e.Text}
	case agent.Compacted:
		if e.Err != nil {
			return object{"type": "compacted", "before": e.Before, "after": e.Before, "error": e.Err.Error()}
		}
		o := object{"type": "compacted", "before": e.Before, "after": e.After}
		if e.Own != "" {
			o["own"] = e.Own
		}
		return o
	case agent.Uncompacted:
		return object{"type": "uncompacted", "before": e.Before, "after": e.After}
	case agent.CacheMissed:
		o := object{"type": "cache_missed", "cause": e.Cause, "tokens": e.Tokens, "expected": e.Expected}
		if e.At >= 0 {
			o["byte"] = e.At
		}
		if e.CostKnown {
			o["cost_usd"] = dollars(e.Cost)
		}
		return o
	case agent.Nested:
		if inner := eventLine(e.Event); inner != nil {
			if inner["parent"] == nil { // of an agent two floors down, its own call
				inner["parent"] = e.ID
			}
			return inner
		}
	}
	return nil
}

// hidden lists the secrets that were replaced, without a word of what they are.
func hidden(hs []tools.Hidden) []object {
	out := []object{}
	for _, h := range hs {
		out = append(out, object{"kind": h.Kind, "placeholder": h.Placeholder, "count": h.Count})
	}
	return out
}

func changed(e agent.ToolEnd) []string {
	files := []string{}
	for _, c := range e.Changes {
		if c.From != "" {
			files = append(files, c.From)
		}
		files = append(files, c.Path)
	}
	return files
}

// warned says how far a budget is spent.
func warned(e agent.BudgetWarned) string {
	format := lang.T("%d%% of the budget of this conversation are spent: %s of %s")
	if e.Scope == budget.Day {
		format = lang.T("%d%% of the budget of today are spent: %s of %s")
	}
	return fmt.Sprintf(format, int(100*e.Share()), e.Kind.Say(e.Spent), e.Kind.Say(e.Limit))
}
