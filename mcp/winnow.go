package mcp

import (
	"encoding/json"
	"fmt"
)

// winnow looks at each entry of a list of prompts or resources and leaves out those
// that are broken, as sieve does for tools.
func (w *wire) winnow(method string, result json.RawMessage) (json.RawMessage, error) {
	key, name := "prompts", "name"
	switch method {
	case "resources/list":
		key, name = "resources", "uri"
	case "resources/templates/list":
		key, name = "resourceTemplates", "uriTemplate"
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(result, &m); err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if v := m[key]; v != nil && json.Unmarshal(v, &list) != nil {
		return nil, fmt.Errorf("the server answered %s with %s, not with a list", method, clip(string(v), 80))
	}
	good := make([]json.RawMessage, 0, len(list))
	for i, raw := range list {
		fixed := entry(raw, name)
		if fixed == nil {
			w.warn(fmt.Sprintf("entry %d of %s is left out: %s", i+1, method, clip(string(raw), 80)))
			continue
		}
		good = append(good, fixed)
	}
	all, err := json.Marshal(good)
	if err != nil {
		return nil, err
	}
	m[key] = all
	return json.Marshal(m)
}

// entry is one entry without what of it is of another kind than it should be; nil: it
// cannot be used.
func entry(raw json.RawMessage, name string) json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil || plainText(m[name]) == "" {
		return nil
	}
	for key, v := range m {
		fine := true
		switch key {
		case "name", "title", "description", "mimeType", "uri", "uriTemplate":
			var text string
			fine = json.Unmarshal(v, &text) == nil
		case "size":
			var n int64
			fine = json.Unmarshal(v, &n) == nil
		case "arguments":
			var args []json.RawMessage
			if fine = json.Unmarshal(v, &args) == nil; fine {
				m[key] = arguments(args)
			}
		case "annotations", "_meta", "icons": // nothing here looks at them
			fine = false
		}
		if !fine {
			delete(m, key)
		}
	}
	fixed, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	return fixed
}

// arguments are those of a prompt that can be used.
func arguments(list []json.RawMessage) json.RawMessage {
	good := []json.RawMessage{}
	for _, raw := range list {
		var m map[string]json.RawMessage
		if json.Unmarshal(raw, &m) != nil || plainText(m["name"]) == "" {
			continue
		}
		var required bool
		if json.Unmarshal(m["required"], &required) != nil {
			delete(m, "required")
		}
		if fixed := entry(marshalled(m), "name"); fixed != nil {
			good = append(good, fixed)
		}
	}
	return marshalled(good)
}

// marshalled writes what was JSON when it came.
func marshalled(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return b
}
