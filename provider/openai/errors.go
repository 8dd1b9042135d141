package openai

import (
	"context"
	"errors"
	"strings"

	"forge/provider"
	"forge/provider/sse"
)

// endedEarly is a reply that broke off: no finish reason and no [DONE].
func endedEarly(cause error) *provider.Error {
	return &provider.Error{
		Kind: provider.KindNetwork, Code: "stream_ended", Message: "stream ended early",
		Hint: "the connection broke in the middle of the answer: try again", Err: cause,
	}
}

// readError names a failure to read the stream.
func readError(err error) error {
	var known *provider.Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, sse.ErrTooLong) {
		return &provider.Error{Kind: provider.KindServer, Message: err.Error(), NoRetry: true, Err: err,
			Hint: "the server sends more in one piece than a model server does: check --base-url"}
	}
	return endedEarly(err)
}

// broken is a data line that is not JSON: something in between damaged it, and
// guessing at the rest could run half a command.
func broken(text string) *provider.Error {
	return &provider.Error{
		Kind: provider.KindServer, Code: "broken_json", Message: "a piece of the reply is not valid JSON: " + begin(text),
		Hint: "a proxy or the server damaged the reply: try again; --raw FILE records what came",
	}
}

// notAStream is a 200 that is no reply of this wire. body is its beginning.
func notAStream(body []byte) *provider.Error {
	e := &provider.Error{Kind: provider.KindInvalid, Code: "not_a_stream"}
	text := strings.TrimSpace(string(body))
	switch low := strings.ToLower(text); {
	case strings.HasPrefix(text, "<"):
		e.Message = "a web page answered instead of a model server: " + begin(text)
		e.Hint = "check --base-url: it usually ends in /v1"
	case strings.HasPrefix(text, "{") && strings.Contains(low, `"done":`):
		e.Message = "the server answered in Ollama's own format: " + begin(text)
		e.Hint = "set --base-url to the address that ends in /v1"
	default:
		e.Message = "the answer is no chat completions stream: " + begin(text)
		e.Hint = "check --base-url and --provider"
	}
	return e
}

// wrongWire is a stream of another format.
func wrongWire(wire string) *provider.Error {
	e := &provider.Error{Kind: provider.KindInvalid, Code: "wrong_wire"}
	if wire == "anthropic" {
		e.Message = "the server answers in the Anthropic messages format"
		e.Hint = "use --provider anthropic with this --base-url"
	} else {
		e.Message = "the server answers in the Responses format"
		e.Hint = "use an address that serves /chat/completions"
	}
	return e
}

// begin is the first 500 bytes of a text on one line.
func begin(text string) string {
	if len(text) > sse.HeadLen {
		text = text[:sse.HeadLen]
	}
	return strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "")
}

// begun reports whether head is a piece of the first line of an event.
func begun(head []byte) bool {
	line := strings.TrimLeft(string(head), "\ufeff \r\n")
	for _, field := range []string{"data:", "event:", "id:", "retry:"} {
		if line != "" && strings.HasPrefix(field, line) {
			return true
		}
	}
	return false
}

// onlyComments reports whether a stream held nothing but keep-alives.
func onlyComments(head []byte) bool {
	for line := range strings.Lines(string(head)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != ':' {
			return false
		}
	}
	return true
}
