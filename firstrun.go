package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"forge/provider"
	"forge/provider/catalog"
	"forge/ui"
	"forge/ui/lang"
)

// firstRun offers ways to a first model.
func (f *forge) firstRun() *ui.FirstRun {
	first := &ui.FirstRun{
		Local: func(ctx context.Context) []ui.ModelChoice {
			var out []ui.ModelChoice
			for _, found := range f.speech.look(ctx) {
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
			first.Keys = append(first.Keys, ui.KeyChoice{Name: e.Title, Try: func(ctx context.Context, key string) (provider.Model, error) {
				return f.tryKey(ctx, e.WithEnv(os.Getenv), key)
			}})
		}
	}
	return first
}

// wanted is the provider that was named, if it is one whose key can be pasted.
func (f *forge) wanted() (catalog.Endpoint, bool) {
	name := firstText(f.flags.Provider, f.cfg.Provider)
	if name == "" {
		name = catalog.ResolveModel(firstText(f.flags.Model, f.cfg.Model), "").Endpoint
	}
	e, ok := catalog.Find(name)
	return e, ok && !e.Local
}

// tryKey makes one small request with a pasted key and keeps the key if the
// server takes it.
func (f *forge) tryKey(ctx context.Context, e catalog.Endpoint, key string) (provider.Model, error) {
	m, ok := e.Model(e.DefaultModel)
	if w, named := f.wanted(); named && w.Name == e.Name {
		if ref := catalog.ResolveModel(firstText(f.flags.Model, f.cfg.Model), e.Name); ref.ID != "" {
			if m, ok = e.Model(ref.ID); !ok {
				m, ok = provider.Model{Provider: e.Name, ID: ref.ID, Name: ref.ID}, true
			}
		}
	}
	if !ok {
		return f.model, fmt.Errorf(lang.T("%s has no default model: give one with --model"), e.Title)
	}
	c := f.speech.settle(catalog.Choice{Endpoint: e, Model: m, Key: key})
	p, err := f.speech.once(c)
	if err != nil {
		return f.model, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	_, err = provider.Collect(p.Stream(ctx, provider.Request{Model: m.ID, Messages: []provider.Message{provider.UserText("Reply with: ok")}, MaxTokens: 512}), nil)
	if err != nil {
		return f.model, err
	}
	if _, err := f.dirs.Secrets().Set(e.Name, key); err != nil {
		return f.model, fmt.Errorf(lang.T("the key works, but could not be kept: %w"), err)
	}
	return f.use(c)
}
