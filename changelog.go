package main

import (
	"context"
	_ "embed" // for the changelog

	"forge/agent"
	"forge/ui"
)

// changelog is what is new in this build, for forge changelog and /release-notes.
//
//go:embed CHANGELOG.md
var changelog string

// besideWork is what a face asks of the model beside the work, with what the
// conversation has used afterwards.
func (f *forge) besideWork(ask func(context.Context) (string, error)) ui.Beside {
	return func(ctx context.Context) (string, agent.Totals, error) {
		text, err := ask(ctx)
		return text, f.agent.Totals(), err
	}
}
