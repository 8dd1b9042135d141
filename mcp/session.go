package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// The newest version of the era before server/discover, and the first with it.
const (
	lastLegacy  = "2025-11-25"
	firstModern = "2026-07-28"
)

// Session is what forge needs of a connection to a server. Any protocol engine
// that can do this can stand here.
type Session interface {
	About() About
	// Tools lists the tools, all pages of them. One that is broken has but a name and
	// the reason.
	Tools(ctx context.Context) ([]RemoteTool, Fresh, error)
	// Call calls a tool. arguments is a JSON object, passed on byte for byte.
	// progress may be nil; it must not block.
	Call(ctx context.Context, tool string, arguments json.RawMessage, progress func(Progress)) (RemoteResult, error)
	Prompts(ctx context.Context) ([]Prompt, error)
	Prompt(ctx context.Context, name string, args map[string]string) ([]PromptMessage, error)
	Resources(ctx context.Context) ([]Resource, error)
	Templates(ctx context.Context) ([]Resource, error)
	Read(ctx context.Context, uri string) ([]Content, error)
	// Watch asks the server to tell when a resource changes, for as long as the session
	// lasts; hooks.updated hears of it.
	Watch(ctx context.Context, uri string) error
	Complete(ctx context.Context, ref Reference, argument, value string, known map[string]string) ([]string, error)
	// Close ends it. Done is closed when it has ended, for whatever reason, and
	// Err tells that reason.
	Close()
	Done() <-chan struct{}
	Err() error
}

// About is what a server says of itself; unverified, for display alone.
type About struct {
	Version                                           string // of the protocol
	Transport                                         string // stdio, http or sse
	Name                                              string
	Release                                           string
	Instructions                                      string
	HasTools, HasPrompts, HasResources, HasCompletion bool
	HasSubscriptions                                  bool // of resources
}

// Modern says whether the server speaks the era of server/discover.
func (a About) Modern() bool { return a.Version >= firstModern }

// RemoteTool is a tool as its server defines it.
type RemoteTool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
	Hints       Hints           `json:"annotations,omitzero"`
	Broken      string          `json:"-"` // why it cannot be used
}

// Hints are what a server claims of a tool; they count only for a trusted one.
type Hints struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    bool   `json:"readOnlyHint,omitempty"`
	Idempotent  bool   `json:"idempotentHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

// hooks are what a session tells its owner, and asks.
type hooks struct {
	changed func(what string) // "tools", "prompts" or "resources"
	updated func(uri string)  // a resource that is watched
	elicit  func(ctx context.Context, q Elicitation) (ElicitAnswer, error)
}

// errLost marks a connection that ended, as opposed to a server that answered no.
var errLost = errors.New("connection lost")

// errForgotten marks a request the server did not look at, since it knows the session
// no more.
var errForgotten = errors.New("the request was not handled")

// RPCError is an error a server answered with.
type RPCError struct {
	Code    int64
	Message string
	Data    json.RawMessage
}

// Error implements error.
func (e *RPCError) Error() string {
	message := clip(clean(e.Message), 4000) // it goes to the model and to a screen
	if e.Code == codeBroken {
		return message
	}
	return fmt.Sprintf("%s (error %d of the server)", message, e.Code)
}
