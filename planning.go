package main

import (
	"slices"
	"strings"
	"sync"

	"forge/agent/session"
	"forge/provider"
	"forge/tools/permission"
)

// What the model is told of plan mode. They stand in stored conversations: older
// words must stay known to planned.
const (
	planBegins = "Plan mode is on: the user wants a plan first, and every call that would change something is refused. " +
		"Read and search as much as you need, then answer with the plan: what changes where, in which order, how it will be checked, and what is still open. " +
		"The user reads it and says whether to carry it out."
	planEnds = "Plan mode is over: calls that change something are possible again, within what the user permits."
)

// planning tells the model when nothing may change, before it finds out by calls
// that are refused, and when that is over. Its methods may be called from any
// goroutine.
type planning struct {
	mu   sync.Mutex
	told bool // the conversation says that plan mode is on
}

// news is what the model is to be told, now that this mode is in force.
func (p *planning) news(mode permission.Mode) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	on := mode == permission.ModePlan
	if on == p.told {
		return nil
	}
	p.told = on
	if on {
		return []string{planBegins}
	}
	return []string{planEnds}
}

// took is told of the conversation there is from now on.
func (p *planning) took(records []session.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = planned(records)
}

// planned reports whether the last that a conversation says of plan mode is that it
// is on.
func planned(records []session.Record) bool {
	for _, r := range slices.Backward(records) {
		if !r.Steer || r.Message == nil || r.Message.Role != provider.User {
			continue
		}
		switch text := r.Message.PlainText(); {
		case strings.Contains(text, planBegins):
			return true
		case strings.Contains(text, planEnds):
			return false
		}
	}
	return false
}

// news is what has changed around the model since its last turn.
func (f *forge) news() []string {
	out := append(f.moves.news(f.movedNote), f.plan.news(f.hands.guard.Mode())...)
	out = append(out, f.folders.news()...)
	out = append(slices.Concat(out, f.goal.news(), f.reloaded.news()), f.hands.env.Jobs.News()...)
	if f.lsp != nil {
		out = append(out, f.lsp.News()...)
	}
	if f.mounted != nil {
		out = append(out, f.mounted.News()...)
	}
	return out
}
