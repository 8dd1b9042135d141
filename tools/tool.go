// Package tools is the contract by which a model acts on the world.
//
// It owns the words Tool, Call, Effect, Invocation and Result, the registry of
// what a model may call, and the one door every call goes through: Executor,
// which prepares, authorizes, runs and bounds. It imports nothing else of forge:
// it knows no model and no permission policy, only the Guard a policy implements.
package tools

import (
	"context"
	"encoding/json"
	"io"
)

// Tool is something a model may call. A remote tool needs nothing but this.
type Tool interface {
	// Spec describes the tool to a model; it does not change while registered.
	Spec() Spec
	// Prepare checks the input and works out what the call would do. It may read;
	// it changes nothing. Its error is shown to the model, so it names the thing,
	// the cause and the next step.
	Prepare(ctx context.Context, call Call) (*Invocation, error)
}

// Proxy is a tool by which a model calls others that are not in its list. A call of
// it is taken for the call it stands for, before anything is made of it: what is
// shown, asked, allowed and recorded is that one.
type Proxy interface {
	Tool
	// Unwrap gives the call that is meant, under the same ID. Its error is shown to the
	// model.
	Unwrap(call Call) (Call, error)
}

// Spec describes a tool. Schema is a JSON Schema with an object at its root.
type Spec struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// Call is one request for a tool. Input is the argument string as the model
// streamed it, valid JSON or not.
type Call struct{ ID, Name, Input string }

// Invocation is a prepared call: what it would do, and the function that does it.
type Invocation struct {
	Effect Effect
	// Run causes Effect. What it writes to out is for eyes, as it happens; Result is
	// for the model. It reads Effect.Changes from the Effect it is given, which may
	// be the reviewer's version of what Prepare proposed.
	Run func(ctx context.Context, effect Effect, out io.Writer) (Result, error)
}

// Result is what the model is told. Text is bounded by the Executor. Display,
// where not empty, is a short summary for eyes ("12 matches in 4 files").
type Result struct {
	Text    string
	Images  []Image
	IsError bool
	Display string
	Own     bool     // Display is words of the person's or the model's: it is in no language of forge's
	Refused bool     // the guard did not allow it
	Hidden  []Hidden // secrets that were replaced in Text and Display
	// Again is another way to do it, after the sandbox stopped this one or a file was
	// changed while an answer was waited for. The guard is asked anew, about its own
	// effect.
	Again *Invocation
	// Wrote is what was really written, where that is not all of the effect's Changes;
	// nil: all of them if there was no error, else nothing.
	Wrote []Change
	// Found is what a Checker says of the files as they are now. Text says it too.
	Found []Found
	// Review tells how what landed differs from what was proposed, for eyes: words, and
	// hunks as a unified diff has them. Text says it too.
	Review string
	// Looks are lines of Text with the colours a command gave them, where they are not
	// known from its output; for eyes.
	Looks []string
}

// Image is a picture in a result; Data is base64, standard encoding.
type Image struct{ MIME, Data string }
