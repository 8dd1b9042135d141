package mcp

import "encoding/json"

// Codes of errors that are ours and not the server's. A server must not be able to
// make one: that would have forge call again what was called, or drop the session. So
// they lie where JSON-RPC and the protocol give no meaning, and a server's error that
// has one of them gets another (theirError).
const (
	codeBroken = -1_926_000_001 - iota
	codeLost   // the session is gone, and with it this connection
	codeLogin  // the server wants a login
)

// codeNone stands for a code that is none, or one of ours.
const codeNone = -32603

// theirError is a server's error as the engine can read it: servers send codes that
// are texts or fractions, messages that are objects, or a bare text.
func theirError(raw json.RawMessage) (code int64, message string, data json.RawMessage) {
	var e struct {
		Code    json.RawMessage `json:"code"`
		Message json.RawMessage `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if !isObject(raw) || json.Unmarshal(raw, &e) != nil {
		return codeNone, "the server sent an error that cannot be read: " + clip(string(raw), 200), nil
	}
	if e.Message != nil && string(e.Message) != "null" {
		message = unquote(e.Message)
	}
	if json.Unmarshal(e.Code, &code) != nil || e.Code == nil || code == codeBroken || code == codeLost || code == codeLogin {
		if e.Code != nil {
			message += " (code " + clip(string(e.Code), 40) + ")"
		}
		code = codeNone
	}
	if message == "" {
		message = "the server gave no reason"
	}
	return code, message, e.Data
}

// errorFrame is the answer that is an error.
func errorFrame(id string, code int64, message string, data json.RawMessage) []byte {
	body, err := json.Marshal(struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{code, message, data})
	if err != nil { // data was JSON when it came
		return failure(id, codeBroken, err.Error())
	}
	return encode(head{Version: "2.0", ID: json.RawMessage(id), Error: body})
}
