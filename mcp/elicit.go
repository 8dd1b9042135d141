package mcp

import (
	"encoding/json"
)

// Elicitation is what a server asks a person in the middle of a call: a form of
// flat fields, or to open a URL.
type Elicitation struct {
	Message string
	Schema  json.RawMessage // of a form
	URL     string
	ID      string
}

// ElicitAnswer is the answer. Action is accept, decline or cancel.
type ElicitAnswer struct {
	Action  string
	Content map[string]any
}
