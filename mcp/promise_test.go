//go:build unix

package mcp

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestPromisedResults(t *testing.T) {
	const weather = `{"type":"object","properties":{"degrees":{"type":"number"},"days":{"type":"array","items":{"$ref":"#/$defs/day"}}},"required":["degrees"],"$defs":{"day":{"type":"string"}}}`
	for _, c := range []struct{ schema, value, want string }{
		{weather, `{"degrees":3,"days":["mon"]}`, ""},
		{weather, `{"days":["mon"]}`, "degrees"},
		{weather, `{"degrees":"3"}`, "want \"number\""},
		{weather, `{"degrees":3,"days":[7]}`, "want \"string\""},
		{weather, `[1]`, "want \"object\""},
		{`{"type":"object","properties":{"next":{"$ref":"#"}}}`, `{"next":{"next":3}}`, "want \"object\""},
		{`{"$id":"x:y","type":"array"}`, `{}`, "want \"array\""},
		// What cannot be checked, or not safely, is let through.
		{`{"$ref":"#"}`, `{}`, ""},
		{`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#"}]}}}`, `{}`, ""},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"dependentSchemas":{"x":{"$ref":"#"}}}}}`, `{"x":1}`, ""},
		{`{"$defs":{"a":{"$id":"x:a","$ref":"#"}},"$ref":"#/$defs/a"}`, `{}`, ""},
		{`{"$dynamicRef":"#"}`, `{}`, ""},
		{`{"$ref":"#/nowhere"}`, `{}`, ""},
		{`{"$ref":"https://example.com/s.json"}`, `{}`, ""},
		{`{"type":"string","pattern":"(?=x)"}`, `"y"`, ""},
		{`{"type":7}`, `{}`, ""},
		{weather, `{"days":["` + strings.Repeat("x", maxPromised) + `"]}`, ""},
	} {
		got := breach(json.RawMessage(c.schema), RemoteResult{Structured: json.RawMessage(c.value)})
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s against %.80s: %q, want %q", c.value[:min(80, len(c.value))], c.schema, got, c.want)
		}
	}
	if got := breach(json.RawMessage(weather), RemoteResult{Structured: json.RawMessage(`{}`), IsError: true}); got != "" {
		t.Errorf("a failure is held against the schema: %q", got)
	}
	if got := breach(json.RawMessage(weather), RemoteResult{}); got != "" {
		t.Errorf("text alone is held against the schema: %q", got)
	}
}

// What breaks its promise is handed on, with a word.
func TestBreachIsTold(t *testing.T) {
	t.Parallel()
	h := mount(t, Options{Servers: bads(t, map[string]string{"s": "breach"})})
	h.until("s", Ready)
	r := h.call("mcp__s__t", `{}`)
	if r.IsError || !strings.HasPrefix(r.Text, `{"celsius":3}`+"\n(this does not match the tool's output schema: ") || !strings.Contains(r.Text, "degrees") {
		t.Errorf("%+v", r)
	}
}
