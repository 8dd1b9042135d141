package openai

import (
	"strings"

	"github.com/tidwall/gjson"

	"forge/provider"
)

// assistantMessage writes what the model said: text, its reasoning in the dialect
// it came in, its calls.
func (e *encoder) assistantMessage(t turn) {
	var text strings.Builder
	for _, p := range t.parts {
		if p, ok := p.(provider.Text); ok {
			text.WriteString(p.Text)
		}
	}
	th := e.reasoning(t, text.String())
	e.out = append(e.out, `,"content":`...)
	switch {
	case th.parts != "":
		e.out = append(e.out, `[{"type":"thinking","thinking":[{"type":"text","text":`...)
		e.out = appendQuote(e.out, th.parts)
		e.out = append(e.out, `}]}`...)
		if text.Len() > 0 {
			e.out = append(e.out, ',')
			e.textPart(text.String(), false)
		}
		e.out = append(e.out, ']')
	case text.Len() == 0 && e.srv.null:
		e.out = append(e.out, "null"...)
	default: // never an array: models imitate it
		e.out = appendQuote(e.out, text.String())
	}
	for _, f := range th.fields {
		e.raw(f.name, f.raw)
	}
	if len(t.calls) == 0 {
		return
	}
	e.out = append(e.out, `,"tool_calls":[`...)
	for i, u := range t.calls {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.out = append(e.out, `{"id":`...)
		e.out = appendQuote(e.out, u.wire)
		e.out = append(e.out, `,"type":"function","function":{"name":`...)
		e.out = appendQuote(e.out, provider.CallName(u.Name))
		e.out = append(e.out, `,"arguments":`...)
		e.out = appendQuote(e.out, arguments(u.Input))
		e.out = append(e.out, '}')
		if extra := e.callExtra(u, i); extra != "" {
			e.out = append(e.out, `,"extra_content":`...)
			e.out = append(e.out, extra...)
		}
		e.out = append(e.out, '}')
	}
	e.out = append(e.out, ']')
}

// callExtra is what goes back beside a call. Gemini 3 refuses the first call of a
// message without its signature; for one that it did not write there is a word
// that it takes instead.
func (e *encoder) callExtra(u wireUse, place int) string {
	if e.quirks.Refused("extra_content") {
		return ""
	}
	if u.own && u.Extra != "" && gjson.Valid(u.Extra) {
		return u.Extra
	}
	model := strings.ToLower(e.req.Model)
	if place == 0 && !u.own && e.srv.name == "gemini" && brand(model) == "gemini" && !strings.Contains(model, "gemini-1") && !strings.Contains(model, "gemini-2") {
		return `{"google":{"thought_signature":"skip_thought_signature_validator"}}`
	}
	return ""
}

// replay is how a message's reasoning goes back.
type replay struct {
	parts  string // as a part of the content (Mistral)
	fields []rawField
}

type rawField struct{ name, raw string }

// standIn takes the place of reasoning that is not ours to send, for servers that
// want some beside every call. Not empty: one of them refuses that.
const standIn = "."

// reasoning works out what goes back with t.
func (e *encoder) reasoning(t turn, content string) replay {
	var r replay
	var text strings.Builder
	field, extra := "", ""
	if t.own {
		for _, th := range t.think {
			text.WriteString(th.Text)
			if th.Field != "" {
				field = th.Field
			}
			if th.Extra != "" && gjson.Valid(th.Extra) {
				extra = th.Extra
			}
		}
	}
	if field == "" {
		field = fieldContent
		if extra != "" && text.Len() == 0 {
			field = fieldDetails
		}
	}
	said := t.own && len(t.think) > 0
	calls := len(t.calls) > 0
	add := func(name, raw string) {
		if !e.quirks.Refused(name) {
			r.fields = append(r.fields, rawField{name, raw})
		}
	}
	if strings.HasPrefix(extra, "[") {
		add(fieldDetails, extra)
		if e.srv.details {
			return r
		}
	} else if strings.HasPrefix(extra, "{") {
		gjson.Parse(extra).ForEach(func(k, v gjson.Result) bool {
			add(k.String(), v.Raw)
			return true
		})
	}
	switch field {
	case fieldParts:
		r.parts = text.String()
		return r
	case fieldDetails, fieldThought:
		return r
	}
	// A template of gpt-oss takes text or reasoning beside calls, not both.
	if e.srv.local && brand(e.req.Model) == "gpt-oss" && calls && content != "" {
		return r
	}
	switch {
	case said && (text.Len() > 0 || calls):
		raw := string(appendQuote(nil, text.String()))
		if want, ok := e.quirks.Required(fieldContent); ok && want != "" && text.Len() == 0 {
			raw = want
		}
		add(field, raw)
	case calls && e.insists():
		raw := string(appendQuote(nil, standIn))
		if want, ok := e.quirks.Required(fieldContent); ok && want != "" && want != `""` {
			raw = want
		}
		add(fieldContent, raw)
	}
	return r
}

// insists reports whether calls must come back with reasoning.
func (e *encoder) insists() bool {
	if _, ok := e.quirks.Required(fieldContent); ok {
		return true
	}
	if !e.srv.insists || e.req.Effort == provider.EffortNone {
		return false
	}
	model := strings.ToLower(e.req.Model)
	switch e.srv.name {
	case "deepseek":
		return !strings.Contains(model, "deepseek-chat")
	default: // Kimi's first models did not think
		return !strings.HasPrefix(model, "moonshot-v1") && !strings.Contains(model, "k2-0") && !strings.Contains(model, "k2-turbo") && !strings.Contains(model, "k2-instruct")
	}
}

// ours reports whether a message's reasoning may go back: the same server and the
// same family of models wrote it.
func (e *encoder) ours(origin string) bool {
	if !e.sameServer(origin) {
		return false
	}
	model := strings.TrimPrefix(origin, e.serverOrigin())
	return brand(model) == brand(e.req.Model)
}

func (e *encoder) sameServer(origin string) bool { return strings.HasPrefix(origin, e.serverOrigin()) }

func (e *encoder) serverOrigin() string { return "openai/" + e.srv.name + "/" }
