package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"forge/provider"
	"forge/provider/catalog"
	"forge/ui"
)

// firstRun offers ways to a first model.
func (f *forge) firstRun() *ui.FirstRun {
	first := &ui.FirstRun{
		Local: func(ctx context.Context) []ui.ModelChoice {
			var out []ui.ModelChoice
			for _, found := range f.source.Look(ctx) {
				for _, m := range found.Models {
					out = append(out, choice(m))
				}
			}
			return out
		},
		Use:  func(c ui.ModelChoice) (provider.Model, error) { return f.setModel(c, "") },
		Demo: func(written string) { f.demoNext, f.demoDraft = true, written },
	}
	names := []string{"deepseek", "anthropic", "openai", "openrouter"}
	if e, ok := f.wanted(); ok { // what was asked for comes first
		names = append([]string{e.Name}, slices.DeleteFunc(names, func(n string) bool { return n == e.Name })...)
	}
	for _, name := range names {
		if e, ok := catalog.Find(name); ok {
			first.Keys = append(first.Keys, ui.KeyChoice{Name: e.Title, Try: func(ctx context.Context, key string) (ui.LoggedIn, error) {
				return f.logIn(ctx, e.WithEnv(os.Getenv), "", key)
			}})
		}
	}
	var all []string
	for _, e := range catalog.Endpoints() {
		if !e.Local && !slices.Contains(names, e.Name) {
			all = append(all, e.Name, e.Title)
		}
	}
	first.Names = strings.Join(all, " ")
	return first
}

// wanted is the provider that was named, if it is one whose key can be pasted.
func (f *forge) wanted() (catalog.Endpoint, bool) {
	name := firstText(f.flags.Provider, f.cfg.Provider)
	if name == "" {
		model := firstText(f.flags.Model, f.cfg.Model)
		if model == "" { // nothing to look up in a catalogue that is read when it is needed
			return catalog.Endpoint{}, false
		}
		name = catalog.ResolveModel(model, "").Endpoint
	}
	e, ok := catalog.Find(name)
	return e, ok && !e.Local
}
