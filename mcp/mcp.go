// Package mcp mounts the tools of Model Context Protocol servers here, and serves
// ours to clients elsewhere.
//
// It owns the servers: their configuration, processes, connections, states and
// logs, and it is the only room that knows the protocol. A remote tool leaves it
// as a tools.Tool, a server's question as a tools.Question; the other rooms hold
// no type of it. main calls Mount and Close; the screen's cockpit is fed from
// Manager.Status. In the other direction main makes a Service of the one door calls
// go through. session.go says what forge needs of a protocol engine; only
// engine_client.go, engine_requests.go and engine_server.go name the one it has, and
// oauth.go its logins, so that it can be replaced; the transports under it (stdio.go,
// http.go) are ours.
package mcp

import (
	"log/slog"
	"runtime/debug"
)

// clientName and clientVersion are how forge introduces itself to servers.
const clientName = "forge"

// recovered keeps a panic of a goroutine from ending the program.
func recovered(what string) {
	if v := recover(); v != nil {
		slog.Error("panic", "where", what, "value", v, "stack", string(debug.Stack()))
	}
}
