// Package provider speaks with language models in one vocabulary.
//
// It owns the words every wire is translated to and from: ordered blocks in
// messages, events in a stream, kinds of error, usage. A wire (a folder beneath
// this one) only translates; adding up, retrying, classifying failures and cost
// live here and are shared. It imports nothing else of forge. The agent calls it
// from one goroutine per run; nothing here is called by a screen.
package provider

import (
	"context"
	"encoding/json"
	"iter"
)

// Provider is one endpoint that answers requests in one wire format.
type Provider interface {
	// Stream sends req and yields the reply as it arrives. An error comes at most
	// once, last, and is an *Error wherever its cause is known. Leaving the range,
	// or ending ctx, closes the connection.
	Stream(ctx context.Context, req Request) iter.Seq2[Event, error]
}

// Request is one model call. The zero MaxTokens lets the wire choose (Anthropic
// requires the field, so its wire always sends one).
type Request struct {
	Model     string
	System    string // the leading system messages, joined; empty: none
	Messages  []Message
	Tools     []ToolSpec // the wire sorts them by name so that the prefix stays byte-stable
	MaxTokens int        // output tokens, reasoning included; 0: the wire's choice
	Effort    Effort
}

// ToolSpec describes a tool to a model. Schema is a JSON Schema whose root has
// type object; each wire trims it to what its servers accept.
type ToolSpec struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// Effort says how much a model may think. It, not MaxTokens, controls cost. The
// empty Effort sends nothing and leaves the choice to the server.
type Effort string

// The efforts, weakest first. A wire maps one it has no word for to its nearest.
const (
	EffortDefault Effort = ""
	EffortNone    Effort = "none" // no thinking, said explicitly
	EffortMinimal Effort = "minimal"
	EffortLow     Effort = "low"
	EffortMedium  Effort = "medium"
	EffortHigh    Effort = "high"
	EffortXHigh   Effort = "xhigh"
	EffortMax     Effort = "max"
)

// Efforts lists every effort a person may name, weakest first.
func Efforts() []Effort {
	return []Effort{EffortNone, EffortMinimal, EffortLow, EffortMedium, EffortHigh, EffortXHigh, EffortMax}
}
