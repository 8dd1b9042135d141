package mcp

import (
	"encoding/json"
	"fmt"
	"strings"
)

// sieve looks at each tool of a tools/list result and leaves out those that are
// broken, so that the rest can be used: an engine that decodes the list as a whole
// loses all of them for one. The definitions are kept as they came.
func (w *wire) sieve(result json.RawMessage) (json.RawMessage, error) {
	var list struct {
		Tools []json.RawMessage `json:"tools"`
		Next  json.RawMessage   `json:"nextCursor"`
	}
	if err := json.Unmarshal(result, &list); err != nil {
		return nil, fmt.Errorf("the server's list of tools cannot be read: %w", err)
	}
	if list.Next != nil && string(list.Next) != "null" && list.Next[0] != '"' {
		return nil, fmt.Errorf("the server's list of tools has the cursor %s, which is no text", clip(string(list.Next), 80))
	}
	w.aged(result)
	good := make([]json.RawMessage, 0, len(list.Tools))
	for i, raw := range list.Tools {
		name, fixed, err := checkTool(raw)
		if err != nil {
			if name == "" {
				name = fmt.Sprintf("tool %d of the list", i+1)
			}
			w.warn(fmt.Sprintf("%s is switched off: %v", name, err))
			w.mu.Lock()
			w.broken[name] = err.Error()
			w.mu.Unlock()
			continue
		}
		w.mu.Lock()
		w.tools[name] = fixed
		delete(w.broken, name)
		w.mu.Unlock()
		good = append(good, fixed)
	}
	tools, err := json.Marshal(good)
	if err != nil {
		return nil, err
	}
	if result, err = put(result, "tools", tools); err != nil {
		return nil, err
	}
	// The manager alone decides when to ask again; the engine shall not answer for
	// the server.
	return put(result, "ttlMs", json.RawMessage("0"))
}

// checkTool checks the fields of one definition and mends what has one meaning
// only: a missing schema is that of a tool without arguments.
func checkTool(raw json.RawMessage) (name string, fixed json.RawMessage, err error) {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || m == nil {
		return "", nil, fmt.Errorf("its definition is %s", clip(string(raw), 80))
	}
	if json.Unmarshal(m["name"], &name) != nil || strings.TrimSpace(name) == "" {
		return "", nil, fmt.Errorf("it has no name")
	}
	if len(name) > 512 {
		return clip(name, 40), nil, fmt.Errorf("its name has %d bytes", len(name))
	}
	for _, key := range []string{"title", "description"} {
		var s string
		if v, ok := m[key]; ok {
			if string(v) == "null" {
				delete(m, key)
			} else if json.Unmarshal(v, &s) != nil {
				return name, nil, fmt.Errorf("its %s is %s, not a text", key, clip(string(v), 40))
			}
		}
	}
	switch in := m["inputSchema"]; {
	case in == nil, string(in) == "null", string(in) == "true":
		m["inputSchema"] = json.RawMessage(`{"type":"object"}`)
	case !isObject(in):
		return name, nil, fmt.Errorf("its inputSchema is %s, not an object", clip(string(in), 40))
	}
	if out, ok := m["outputSchema"]; ok && !isObject(out) {
		delete(m, "outputSchema")
	}
	for _, key := range []string{"annotations", "_meta"} {
		if v, ok := m[key]; ok && !isObject(v) {
			delete(m, key)
		}
	}
	if a, ok := m["annotations"]; ok {
		var hints struct {
			Title                          string
			ReadOnlyHint, IdempotentHint   bool
			DestructiveHint, OpenWorldHint *bool
		}
		if json.Unmarshal(a, &hints) != nil {
			delete(m, "annotations")
		}
	}
	delete(m, "icons") // never fetched, never shown
	if err := checkHeaders(m["inputSchema"]); err != nil {
		return name, nil, err
	}
	fixed, err = json.Marshal(m)
	return name, fixed, err
}

// checkHeaders checks the x-mcp-header annotations of a schema: they may stand at
// properties alone, on text, whole numbers and booleans, and each name once. A
// tool that breaks this must not be offered: its calls would be routed by a header
// that says something else than its arguments.
func checkHeaders(schema json.RawMessage) error {
	if !strings.Contains(string(schema), "x-mcp-header") {
		return nil
	}
	var v any
	if err := json.Unmarshal(schema, &v); err != nil {
		return err
	}
	seen := map[string]bool{}
	return walkHeaders(v, true, true, "", seen)
}

// walkHeaders visits a schema. Annotated is allowed at a schema reached through
// properties only; root itself is no property.
func walkHeaders(v any, chain, root bool, at string, seen map[string]bool) error {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			if err := walkHeaders(x, false, false, at, seen); err != nil {
				return err
			}
		}
	case map[string]any:
		if h, ok := v["x-mcp-header"]; ok {
			name, isText := h.(string)
			switch t := v["type"]; {
			case root || !chain:
				return fmt.Errorf("x-mcp-header stands at %s, where it may not", orRoot(at))
			case !isText || !isToken(name):
				return fmt.Errorf("x-mcp-header at %s is no header name", orRoot(at))
			case t != "string" && t != "integer" && t != "boolean":
				return fmt.Errorf("x-mcp-header at %s is on type %v; only string, integer and boolean may have one", orRoot(at), t)
			case seen[strings.ToLower(name)]:
				return fmt.Errorf("x-mcp-header %q comes twice", name)
			}
			seen[strings.ToLower(name)] = true
		}
		for key, x := range v {
			switch key {
			case "properties":
				props, _ := x.(map[string]any)
				for name, p := range props {
					if err := walkHeaders(p, chain, false, at+"/"+name, seen); err != nil {
						return err
					}
				}
			case "x-mcp-header", "default", "const", "enum", "examples":
			default:
				if err := walkHeaders(x, false, false, at+"/"+key, seen); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func orRoot(at string) string {
	if at == "" {
		return "the root of the schema"
	}
	return at
}

// isToken says whether s can be the name of an HTTP header.
func isToken(s string) bool {
	for _, r := range s {
		if r >= 0x7f || r <= ' ' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) {
			return false
		}
	}
	return s != ""
}
