package main

import (
	"forge/compact"
	"forge/provider"
	"forge/tools/permission"
)

// compaction is how conversations of this session are shortened.
func (f *forge) compaction(p provider.Provider, m provider.Model) compact.Options {
	return compact.Options{Provider: p, Model: m, Budget: first(f.flags.Budget, f.cfg.Budget), Keep: first(f.flags.Keep, f.cfg.Keep),
		At: f.cfg.Compact.At, Rest: f.cfg.Compact.Rest, Off: f.cfg.Compact.Off}
}

func (f *forge) maxTokens() int { return first(f.flags.MaxTokens, f.cfg.MaxTokens) }

func (f *forge) maxTurns() int { return first(f.flags.MaxTurns, f.cfg.MaxTurns) }

// wantedMode is the permission mode that flags or settings name, as far as a policy
// lets it be.
func (f *forge) wantedMode() permission.Mode {
	want := string(f.flags.Mode)
	if want == "" {
		want = f.cfg.Permissions.Mode
	}
	if m, err := permission.ParseMode(f.cfg.Policy.AtMostMode(want)); err == nil {
		return m
	}
	return permission.ModeAsk
}

func first(ns ...int) int {
	for _, n := range ns {
		if n != 0 {
			return n
		}
	}
	return 0
}

func firstText(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}
