// Package lsp tells what language servers say of files that a call has changed.
//
// It owns the servers' processes, what they were told of the files, and the errors
// they found; a model and a person hear of those that are new, in the result of the
// call. The door of tools tells it of changes through tools.Checker, and main, which
// makes the one Manager of a session, of those that came another way. Before anything of
// a folder runs the person has said yes. No other room knows that there are language
// servers.
package lsp

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"
)

// Approvals remembers what a person allowed a folder to do.
type Approvals interface {
	Approved(folder, item, hash string) bool
	Approve(folder, item, hash string) error
}

// What is asked about is the folder, not the server: the servers are the person's own
// choice, but most of them run what the folder holds.
const (
	trustItem = "lsp"
	trustHash = "language servers may start here"
)

// Options are what a Manager needs.
type Options struct {
	Servers []Server // in the order they are asked
	Root    string   // of the workspace, absolute: what no root marker is found for belongs to it
	// Resolve gives the absolute path of a tools.Change's, or an error where it is outside.
	Resolve func(path string) (string, error)
	// Withheld says of an absolute path whether its words are not for a model: it lies
	// outside of the workspace, or a rule keeps it from being read. Of such a file nothing
	// is shown and nothing told; nil: there is none.
	Withheld func(path string) bool
	// Ask puts before the person whether language servers may start in a folder, the first
	// of them s; nil: nobody is there.
	Ask       func(ctx context.Context, s Server, folder string) (yes bool, err error)
	Approvals Approvals
	Consent   bool          // the person trusts the workspace, for this run
	Mark      func() string // a value for a process' environment by which it is found; nil: a random one
	Version   string        // of forge
	// Notify is told when a server's state is another; nil: nobody wants to know. It
	// may take its time, and is told by several goroutines.
	Notify func(Status)
}

const (
	// defaultWait is how long an edit waits for what a server says of it.
	defaultWait = 2500 * time.Millisecond
	// slowLook is after how long a person is told what is waited for.
	slowLook = 400 * time.Millisecond
	// baseShare is the part of that, as a divisor, in which it must be known what was wrong
	// before.
	baseShare = 2
	// lateWait is how long what came too late for an edit is still waited for, beside
	// the work.
	lateWait = 90 * time.Second
	// startLimit is how long a server may take for its first answer.
	startLimit = 30 * time.Second
	// tellLimit is how long whoever is told of a server's state may take at the end.
	tellLimit = time.Second
	// endLimit is how long the end waits for the work with servers: what starts is ended.
	endLimit = 2 * time.Second
	// idleLimit is after how long without an edit a server is ended.
	idleLimit = 30 * time.Minute
	// mostDeaths is how often a server that died is started again by itself.
	mostDeaths = 2
	// mostProcesses is how many servers run at one time; the one that was not used for
	// longest goes.
	mostProcesses = 6
	// mostLate is after how many edits in a row that waited for nothing a server is not
	// waited for, until it has answered in time.
	mostLate = 2
	// shortWait is how long one of those is waited for, and one that reads the project,
	// once an edit has waited for that.
	shortWait = 150 * time.Millisecond
	// mostOpen is how many files a server holds open.
	mostOpen = 24
	// maxText is the largest file that is shown to a server, in bytes.
	maxText = 2 << 20
	// defaultMemory is what a server and all it started may take, in MB.
	defaultMemory = 4096
)

// recovered keeps a panic of a goroutine from ending the program.
func recovered(what string) {
	if v := recover(); v != nil {
		slog.Error("panic", "where", what, "value", v, "stack", string(debug.Stack()))
	}
}
