package mcp

import (
	"encoding/json"
	"fmt"

	"forge/lazy"
)

// greeting looks at what a server says of itself when it is first spoken to. What is
// for display alone is left out where it is of another kind than it should be, and a
// capability that is merely true is one; nil: the result is fine as it is.
func greeting(method string, result json.RawMessage) (json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(result, &m); err != nil {
		return nil, err
	}
	changed := false
	drop := func(o map[string]json.RawMessage, key string) {
		delete(o, key)
		changed = true
	}
	if v, ok := m["protocolVersion"]; method == "initialize" && ok && plainText(v) == "" {
		return nil, fmt.Errorf("the server answered initialize with the version %s, which is no text", clip(string(v), 80))
	}
	if v, ok := m["instructions"]; ok && plainText(v) == "" {
		drop(m, "instructions")
	}
	if v, ok := m["_meta"]; ok && !isObject(v) {
		drop(m, "_meta")
	}
	if v, ok := m["serverInfo"]; ok {
		var info struct{ Name, Title, Version, WebsiteURL, Description string }
		if !isObject(v) || json.Unmarshal(v, &info) != nil {
			drop(m, "serverInfo")
		}
	}
	if v, ok := m["capabilities"]; ok {
		var caps map[string]json.RawMessage
		if json.Unmarshal(v, &caps) != nil || caps == nil {
			caps = map[string]json.RawMessage{}
			changed = true
		}
		for key, c := range caps {
			switch {
			case string(c) == "true":
				caps[key], changed = json.RawMessage("{}"), true
			case !isObject(c):
				drop(caps, key)
			case known.Get()[key] && json.Unmarshal(c, &flags{}) != nil:
				caps[key], changed = json.RawMessage("{}"), true
			}
		}
		m["capabilities"] = marshalled(caps)
	}
	if !changed {
		return nil, nil
	}
	return json.Marshal(m)
}

// known are the capabilities whose flags are looked at.
var known = lazy.Value[map[string]bool]{Of: func() map[string]bool {
	return map[string]bool{"tools": true, "prompts": true, "resources": true}
}}

type flags struct{ ListChanged, Subscribe bool }
