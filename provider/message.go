package provider

// Role says who speaks. Tool results are blocks of a user message.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// StopReason says why a message ended, in forge's words.
type StopReason string

// The stop reasons. A turn goes on when the message asks for tools, whatever
// the reason says; the reason is for limits, refusals and the record.
const (
	StopNone      StopReason = ""
	StopEnd       StopReason = "end_turn"
	StopToolUse   StopReason = "tool_use"
	StopMaxTokens StopReason = "max_tokens"
	StopRefusal   StopReason = "refusal"
	StopPause     StopReason = "pause" // a server-side loop paused: send the message back unchanged
	StopError     StopReason = "error"
	StopOther     StopReason = "other"
	StopAborted   StopReason = "aborted" // the stream failed or was cancelled; never sent by a server
)

// Usage counts tokens as forge means them, whatever the wire calls them: Input is
// all input, cached or not (Anthropic's input_tokens excludes the cache, its wire
// adds it), Output includes Reasoning.
type Usage struct {
	Input      int     `json:"input"`
	Output     int     `json:"output"`
	CacheRead  int     `json:"cache_read,omitempty"`
	CacheWrite int     `json:"cache_write,omitempty"`
	Reasoning  int     `json:"reasoning,omitempty"`
	Cost       float64 `json:"cost,omitempty"`    // US dollars, where the server reports it (OpenRouter)
	Context    int     `json:"context,omitempty"` // input tokens of the last round, where Input is a sum over server-side rounds; else 0
	Reported   bool    `json:"reported,omitempty"`
	Completion int     `json:"completion,omitempty"` // output as the server counted it; set, with Total, only where that is not Output
	Total      int     `json:"total,omitempty"`      // input and output together, as reported
}

// Message is one turn of a conversation. The order of its blocks is part of it.
type Message struct {
	Role   Role
	Blocks []Block
	Origin string // wire and model that wrote it, "anthropic/claude-x"; empty for ours
	Stop   StopReason
	Usage  Usage
}

// Block is a piece of a message: Text, Thinking, ToolUse, ToolResult, Image or Opaque.
type Block interface{ block() }

type (
	// Text is words.
	Text struct{ Text string }
	// Thinking is a model's reasoning; it goes back byte for byte to the wire and
	// model that wrote it and to no other. Field names the place an OpenAI-format
	// server used for it ("reasoning_content", "reasoning", …), Extra is raw JSON to
	// be echoed (reasoning_details, a whole Anthropic block).
	Thinking struct{ Text, Signature, Field, Extra string }
	// ToolUse asks for a tool. ID is forge's and unique in the session; WireID and
	// Extra (raw JSON beside the call, e.g. a thought signature) go back to their
	// wire. Input is the argument string exactly as streamed, valid JSON or not.
	ToolUse struct{ ID, WireID, Name, Input, Extra string }
	// ToolResult answers the ToolUse with the same ID in the very next message.
	ToolResult struct {
		ID      string
		Content []Block // Text and Image
		IsError bool
	}
	// Image is a picture; Data is base64, standard encoding.
	Image struct{ MIME, Data string }
	// Opaque is a block only its own wire understands, kept to be sent back there.
	Opaque struct{ Origin, JSON string }
)

func (Text) block()       {}
func (Thinking) block()   {}
func (ToolUse) block()    {}
func (ToolResult) block() {}
func (Image) block()      {}
func (Opaque) block()     {}

// ToolUses returns the calls a message asks for, in order.
func (m Message) ToolUses() []ToolUse {
	var uses []ToolUse
	for _, b := range m.Blocks {
		if u, ok := b.(ToolUse); ok {
			uses = append(uses, u)
		}
	}
	return uses
}

// PlainText joins the Text blocks of a message; what is Attached to one is left out.
func (m Message) PlainText() string {
	var s string
	for _, b := range m.Blocks {
		t, ok := b.(Text)
		if !ok {
			continue
		}
		if _, is := t.attached(); !is || m.Role != User {
			s += t.Text
		}
	}
	return s
}

// UserText is a user message of one Text block.
func UserText(s string) Message { return Message{Role: User, Blocks: []Block{Text{s}}} }
