package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Limits of what one tool may cost the conversation.
const (
	maxSchema      = 64 << 10 // bytes of its schema
	maxSchemaDepth = 64
	maxDescription = 2 << 10 // bytes of its description
)

// usableSchema returns the schema as the model gets it: an object at its root,
// invisible letters gone. What each provider's wire cannot take is its own business;
// here a schema is refused only if it is none, or would cost too much.
func usableSchema(raw json.RawMessage) (json.RawMessage, error) {
	raw = bytes.ToValidUTF8(raw, []byte("\uFFFD")) // else the request is refused, and each after it
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("its schema has %s, up to %s are taken", size(int64(len(raw))), size(maxSchema))
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("its schema cannot be read: %w", err)
	}
	if d := depth(raw); d > maxSchemaDepth {
		return nil, fmt.Errorf("its schema is %d levels deep, up to %d are taken", d, maxSchemaDepth)
	}
	if ref := foreignRef(raw); ref != "" {
		return nil, fmt.Errorf("its schema refers to %s; nothing is fetched for a schema", clip(ref, 80))
	}
	if hidden(string(raw)) {
		raw = json.RawMessage(clean(string(raw)))
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, fmt.Errorf("its schema is unreadable without its invisible letters: %w", err)
		}
		if raw, _ = json.Marshal(cleanAll(v)); json.Unmarshal(raw, &m) != nil {
			return nil, fmt.Errorf("its schema is no object")
		}
	}
	if unquote(m["type"]) == "object" {
		return raw, nil
	}
	return put(raw, "type", json.RawMessage(`"object"`))
}

// hidden says whether JSON text holds letters that are not seen, written out or as
// escapes.
func hidden(s string) bool {
	if strings.IndexFunc(s, unseen) >= 0 {
		return true
	}
	if !strings.Contains(s, `\u`) && !strings.Contains(s, `\b`) && !strings.Contains(s, `\f`) {
		return false
	}
	var v any
	if json.Unmarshal([]byte(s), &v) != nil {
		return false
	}
	found := false
	walkTexts(v, func(t string) { found = found || strings.IndexFunc(t, unseen) >= 0 })
	return found
}

func walkTexts(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, x := range v {
			walkTexts(x, f)
		}
	case map[string]any:
		for k, x := range v {
			f(k)
			walkTexts(x, f)
		}
	}
}

func cleanAll(v any) any {
	switch v := v.(type) {
	case string:
		return clean(v)
	case []any:
		for i := range v {
			v[i] = cleanAll(v[i])
		}
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[clean(k)] = cleanAll(x)
		}
		return out
	}
	return v
}

func depth(raw []byte) int {
	most, now, in, esc := 0, 0, false, false
	for _, c := range raw {
		switch {
		case esc:
			esc = false
		case in && c == '\\':
			esc = true
		case c == '"':
			in = !in
		case in:
		case c == '{' || c == '[':
			now++
			most = max(most, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return most
}

// eachObject calls f with every object within a decoded JSON value.
func eachObject(v any, f func(map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			eachObject(x, f)
		}
	case map[string]any:
		f(v)
		for _, x := range v {
			eachObject(x, f)
		}
	}
}

// foreignRef finds a reference that leaves the schema.
func foreignRef(raw []byte) string {
	if !strings.Contains(string(raw), `"$ref"`) && !strings.Contains(string(raw), `"$dynamicRef"`) {
		return ""
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return ""
	}
	found := ""
	eachObject(v, func(m map[string]any) {
		for k, x := range m {
			if s, ok := x.(string); ok && (k == "$ref" || k == "$dynamicRef") && !strings.HasPrefix(s, "#") && strings.Contains(s, "://") {
				found = s
			}
		}
	})
	return found
}

// describe is the description of a tool as the model gets it.
func describe(server string, t RemoteTool) string {
	d := strings.TrimSpace(clean(t.Description))
	if d == "" {
		d = strings.TrimSpace(clean(t.Title))
	}
	if d == "" {
		d = fmt.Sprintf("Tool %s of the MCP server %s.", clean(t.Name), server)
	}
	if len(d) > maxDescription {
		d = strings.ToValidUTF8(d[:maxDescription], "") + "…"
	}
	return d
}

// tokens estimates what a definition costs in a request.
func tokens(name, description string, schema []byte) int {
	return (len(name)+len(description)+len(schema))/4 + 8
}
