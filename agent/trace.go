package agent

import (
	"context"
	"log/slog"
	"strings"

	"forge/tools"
)

// traced reports whether somebody reads what a run does in the log.
func traced() bool { return slog.Default().Enabled(context.Background(), slog.LevelDebug) }

// deed is what a call does, for the log: a command by the whole of its first line, since a
// title may cut a key in two, and then nothing knows it for one; what a model says to forge
// or to another agent by its beginning.
func deed(e tools.Effect) string {
	switch {
	case e.Kind == tools.Exec && e.Command != "":
		first, rest, _ := strings.Cut(strings.TrimSpace(e.Command), "\n")
		if rest != "" {
			first += " …"
		}
		return "run " + first
	case e.Kind == tools.Internal, e.Kind == tools.Delegate:
		what, _, _ := strings.Cut(e.Title, ": ")
		return what
	}
	return e.Title
}

// trace tells the log of an event: what was done, how long it took and what it cost, and no
// word of what was said. A sub-agent's events are told by its own run.
func (r *run) trace(e Event) {
	log := slog.Default()
	if r.o.Host != nil {
		log = log.With("agent", r.o.Host.id)
	}
	switch e := e.(type) {
	case UserMessage:
		log.Debug("prompt", "bytes", len(e.Text), "images", len(e.Images), "steer", e.Steer)
	case TurnStart:
		log.Debug("turn", "n", e.Turn, "model", r.o.Model.ID)
	case TurnEnd:
		log.Debug("turn ended", "stop", string(e.Stop), "input", e.Usage.Input, "output", e.Usage.Output, "cached", e.Usage.CacheRead, "used", e.Used, "window", e.Window)
	case Retrying:
		log.Info("tried again", "attempt", e.Attempt, "of", e.Attempts, "after", e.After.String(), "err", e.Err)
	case Waiting:
		if e.For != "" {
			log.Debug("waiting", "for", e.For)
		}
	case ToolStart:
		log.Debug("call prepared", "tool", e.Name, "id", e.ID, "kind", e.Effect.Kind, "what", deed(e.Effect))
	case ToolRunning:
		log.Debug("call runs", "id", e.ID)
	case ToolEnd:
		log.Debug("call ended", "tool", e.Name, "id", e.ID, "took", e.Took.String(), "failed", e.Result.IsError, "bytes", len(e.Result.Text), "changes", len(e.Changes))
	case Compacting:
		log.Debug("compacting", "why", e.Reason)
	case Compacted:
		log.Debug("compacted", "before", e.Before, "after", e.After, "err", e.Err)
	case Notice:
		log.Debug("notice", "text", e.Text)
	case Delegated:
		log.Debug("delegated", "call", e.ID, "agent", e.Agent, "kept", e.Session)
	case RunEnd:
		log.Debug("run ended", "err", e.Err, "limit", e.Limit, "turns", e.Totals.Turns, "usd", e.Totals.Cost)
	}
}
