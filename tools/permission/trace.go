package permission

import (
	"context"
	"log/slog"

	"forge/tools"
)

// trace tells the log what was decided about a call, and why.
func (m *Manager) trace(ctx context.Context, call tools.Call, j judgement) {
	if !slog.Default().Enabled(ctx, slog.LevelDebug) {
		return
	}
	by := j.by
	if by == "" {
		by = "mode " + string(m.Mode())
	}
	slog.Debug("permission", "tool", call.Name, "id", call.ID, "decision", []string{"allow", "ask", "deny"}[j.decision], "by", by, "risk", j.level.String(), "risks", reasons(j.risks), "why", j.reason)
}

// traceAnswer tells it what a person said.
func (m *Manager) traceAnswer(call tools.Call, v tools.Verdict, err error) {
	slog.Debug("permission answered", "tool", call.Name, "id", call.ID, "allowed", v.Allow, "changed", v.Changes != nil, "err", err)
}
