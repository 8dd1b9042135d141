package provider

import (
	"fmt"
	"strings"
	"time"
)

// Kind sorts failures by what can be done about them.
type Kind string

// The kinds of failure.
const (
	KindAuth     Kind = "auth"     // the key is missing, wrong or not allowed
	KindRate     Kind = "rate"     // too many requests: wait and try again
	KindQuota    Kind = "quota"    // no money or allowance left: waiting does not help
	KindOverflow Kind = "overflow" // the request is larger than the model's window
	KindInvalid  Kind = "invalid"  // the server does not accept the request as it is
	KindServer   Kind = "server"   // the server failed
	KindNetwork  Kind = "network"  // no connection, or it broke
	KindRefused  Kind = "refused"  // a policy declined to answer
)

// Error is a failure of a model call.
type Error struct {
	Kind    Kind
	Status  int           // HTTP status, 0 where there was none
	Code    string        // the server's own code, where it gave one
	Message string        // the server's words, one line, keys removed
	Hint    string        // what a person can do next, one line
	After   time.Duration // the server asked for at least this wait; 0: said nothing
	Field   string        // the request field a 400 names, where it names one
	Window  int           // the model's window in tokens, where an overflow names it
	NoRetry bool          // the server said that a retry is pointless
	Err     error         // the cause beneath, if any
}

// Error gives thing and cause; the hint is separate so that a face can place it.
func (e *Error) Error() string {
	msg := e.Message
	if msg == "" && e.Err != nil {
		msg = e.Err.Error()
	}
	if e.Status != 0 {
		return fmt.Sprintf("model server: %s (HTTP %d, %s)", msg, e.Status, e.Kind)
	}
	return fmt.Sprintf("model server: %s (%s)", msg, e.Kind)
}

// Unwrap returns the cause beneath.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool {
	return !e.NoRetry && (e.Kind == KindRate || e.Kind == KindServer || e.Kind == KindNetwork)
}

// WrongAddress reports whether nothing that the wire calls is at the address: the
// server answers, but knows no such path. A missing model is another thing.
func (e *Error) WrongAddress() bool {
	return (e.Status == 404 || e.Status == 405) && e.Kind == KindInvalid &&
		!strings.Contains(strings.ToLower(e.Code+" "+e.Message), "model") && !strings.Contains(e.Message, "endpoints found")
}
