package mcp

import (
	"bytes"
	"encoding/json"
)

// An empty cursor is a valid one, and the engine takes it for the end of a list. So it
// gets another name on its way up, and its own back on its way down.
const emptyCursor = "forge: the empty cursor"

func isList(method string) bool {
	switch method {
	case "tools/list", "prompts/list", "resources/list", "resources/templates/list":
		return true
	}
	return false
}

// named gives the empty cursor of a list its name; a list without is nil.
func named(result json.RawMessage) (json.RawMessage, error) {
	var r struct {
		Next *string `json:"nextCursor"`
	}
	if json.Unmarshal(result, &r) != nil || r.Next == nil || *r.Next != "" {
		return nil, nil
	}
	name, err := json.Marshal(emptyCursor)
	if err != nil {
		return nil, err
	}
	return put(result, "nextCursor", name)
}

// unnamed is a frame with the empty cursor as the server wrote it.
func unnamed(frame []byte) []byte {
	if !bytes.Contains(frame, []byte(emptyCursor)) {
		return frame
	}
	var h head
	if json.Unmarshal(frame, &h) != nil || !isList(h.Method) {
		return frame
	}
	params, err := put(h.Params, "cursor", json.RawMessage(`""`))
	if err != nil {
		return frame
	}
	h.Params = params
	return encode(h)
}
