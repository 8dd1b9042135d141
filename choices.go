package main

import (
	"forge/compact"
	"forge/provider"
	"forge/tools/permission"
	"forge/ui/lang"
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
	if m, err := permission.ParseMode(f.cfg.Policy.AtMostMode(f.askedMode())); err == nil {
		return m
	}
	return permission.ModeAsk
}

// askedMode is the mode that flags or settings name, whatever a policy says; empty: none.
func (f *forge) askedMode() string { return firstText(string(f.flags.Mode), f.cfg.Permissions.Mode) }

// tellMode says it where a policy does not let the mode be that was asked for.
func (f *forge) tellMode() {
	if asked, m := f.askedMode(), string(f.wantedMode()); asked != "" && asked != m && f.cfg.Policy.AtMostMode(asked) != asked {
		f.tell(lang.T("not in mode %s: a policy of this machine allows no laxer mode than %s", asked, m))
	}
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
