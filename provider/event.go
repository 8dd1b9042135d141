package provider

import "time"

// Event is a piece of a reply as it arrives. Index is the place of its block in
// the message; a wire gives each block its own, counting up, without holes.
type Event interface{ event() }

type (
	// Start opens a reply. Origin becomes Message.Origin.
	Start struct{ Origin string }
	// TextDelta is more text for block Index.
	TextDelta struct {
		Index int
		Text  string
	}
	// ThinkingDelta is more reasoning, or a piece of its signature. Field and Extra
	// are as in Thinking; a non-empty Extra replaces what the block had.
	ThinkingDelta struct {
		Index                         int
		Text, Signature, Field, Extra string
	}
	// ToolUseStart opens a call. ID is forge's own; WireID is the server's. It may
	// come again for the same Index with the same ID where the server named the
	// call in pieces; the later one counts.
	ToolUseStart struct {
		Index                   int
		ID, WireID, Name, Extra string
	}
	// ToolUseDelta is more of the argument string. Extra, where not empty, replaces
	// the call's Extra.
	ToolUseDelta struct {
		Index       int
		JSON, Extra string
	}
	// OpaqueBlock is a whole block of a kind forge does not know.
	OpaqueBlock struct {
		Index int
		Block Opaque
	}
	// Stop ends a reply; after it comes no event. Detail is the server's own word
	// where it adds something (a refusal's explanation). Before the error of a
	// stream whose usage was reported it comes with StopError, so that the tokens
	// are counted.
	Stop struct {
		Reason StopReason
		Usage  Usage
		Detail string
	}
	// Retry says that everything since Start is void and that another attempt
	// follows After this long. Attempt counts from 1, of Attempts.
	Retry struct {
		Err               error
		After             time.Duration
		Attempt, Attempts int
	}
	// Notice is one line for a person: a field the server refused and forge left
	// out, input that was cut by the server, …
	Notice struct{ Text string }
	// Phase says what the wire is waiting for now; it carries nothing to keep.
	// Until is when the wait is over, where that is known.
	Phase struct {
		Waiting Wait
		Until   time.Time
	}
)

// Wait names the cause of a wait for the status line.
type Wait string

// The waits of one model call.
const (
	WaitConnect   Wait = "connecting"
	WaitFirstByte Wait = "first byte"
	WaitBytes     Wait = "bytes"      // a reply that began goes on with nothing; see Silence
	WaitLimit     Wait = "rate limit" // another request of forge was told to wait
	WaitStream    Wait = ""           // data flows
)

func (Start) event()         {}
func (TextDelta) event()     {}
func (ThinkingDelta) event() {}
func (ToolUseStart) event()  {}
func (ToolUseDelta) event()  {}
func (OpaqueBlock) event()   {}
func (Stop) event()          {}
func (Retry) event()         {}
func (Notice) event()        {}
func (Phase) event()         {}
