package mcp

import (
	"time"
)

// State is where a server is in its life.
type State string

// The states.
const (
	Disabled   State = "disabled"    // by the configuration, or by the person
	Unapproved State = "unapproved"  // a project's, and nobody said yes to its command
	Idle       State = "idle"        // lazy: its tools are known, the first call starts it
	Starting   State = "starting"    // it is being started or connected to
	Ready      State = "ready"       // its tools can be called
	NeedsLogin State = "needs-login" // it wants a login first
	Failed     State = "failed"      // Reason says why, and what happens next
	Stopped    State = "stopped"     // forge is leaving
)

// Status is all there is to know of a server. It is the one source of truth for
// whoever shows servers.
type Status struct {
	Name    string
	State   State
	Reason  string // one line; empty where the state says all
	Since   time.Time
	About   About
	Command string // or the URL, as configured: references are not replaced
	Source  Source
	Latency time.Duration // of the last answer
	Starts  int           // how often it was started
	Tools   []ToolStatus
	Tokens  int // what its active tools cost each request, about
	Defer   bool
	Notes   []string // what is odd about its configuration or its tools
	Changes []Change // what waits for an approval
	Stderr  string   // the end of what it wrote to its error stream, and of our remarks
	Frames  []Frame  // the last messages
	LogFile string
}

// ToolStatus is one tool of a server.
type ToolStatus struct {
	Name        string // as the model sees it
	Remote      string // as the server has it
	Description string
	Tokens      int
	On          bool
	Why         string   // why it is off
	Warnings    []string // what is suspicious in its definition
	ReadOnly    bool     // by its server's word
}
