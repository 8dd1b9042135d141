package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/provider"
)

// byModel is for a model named without an endpoint: at the endpoint it names, else
// at the first with a key that lists it, else at a local server that has it.
func (c *chooser) byModel(w Wish) (Choice, error) {
	ref := ResolveModel(w.Model, "")
	if ref.Endpoint != "" {
		named := w
		named.Provider = ref.Endpoint
		choice, err := c.named(named)
		if err == nil {
			return choice, nil
		}
		// No key there; but "anthropic/claude-…" is also an ID of routers.
		if other, ok := c.keyed(strings.TrimSpace(strings.TrimSuffix(w.Model, ":"+string(ref.Effort))), w); ok {
			other.Effort = ref.Effort
			return other, nil
		}
		return Choice{}, err
	}
	if choice, ok := c.keyed(ref.ID, w); ok {
		choice.Effort = ref.Effort
		return choice, nil
	}
	for _, f := range c.discover() {
		if m, ok := f.Model(ref.ID); ok {
			return Choice{Endpoint: f.Endpoint, Model: m, Effort: ref.Effort}, nil
		}
	}
	var needs string
	for _, e := range known.Get() {
		if _, ok := e.Model(ref.ID); ok && len(e.KeyEnv) > 0 {
			needs = fmt.Sprintf("model %s is offered by %s: set %s", ref.ID, e.Name, e.KeyEnv[0])
			break
		}
	}
	if needs != "" {
		return Choice{}, errors.New(needs)
	}
	// Unknown everywhere: a new model of whoever we have a key for.
	choice, err := c.search(w)
	if errors.Is(err, ErrNothing) {
		err = fmt.Errorf("nobody offers model %s, and there is %w", ref.ID, err)
	}
	if err != nil {
		return Choice{}, err
	}
	if choice.Endpoint.Local {
		return Choice{}, fmt.Errorf("no model %s: forge models lists what there is; name its provider as NAME/%s", ref.ID, ref.ID)
	}
	choice.Model = provider.Model{Provider: choice.Endpoint.Name, ID: ref.ID, Name: ref.ID}
	choice.Effort = ref.Effort
	return choice, nil
}

// keyed finds the first endpoint with a key that lists id.
func (c *chooser) keyed(id string, w Wish) (Choice, bool) {
	for _, e := range known.Get() {
		m, ok := e.Model(id)
		if !ok || e.Local {
			continue
		}
		choice, err := c.key(Choice{Endpoint: e.WithEnv(c.Getenv)}, Wish{KeyEnv: w.KeyEnv})
		if err != nil {
			continue
		}
		choice.Model = m
		return choice, true
	}
	return Choice{}, false
}

// search is for nobody having said anything: the first key, then a local server.
func (c *chooser) search(w Wish) (Choice, error) {
	for _, e := range known.Get() {
		if e.Local || w.KeyEnv != "" && !slices.Contains(e.KeyEnv, w.KeyEnv) {
			continue
		}
		e = e.WithEnv(c.Getenv)
		choice, err := c.key(Choice{Endpoint: e}, Wish{})
		if err != nil || choice.Key == "" && !e.Overridden {
			continue
		}
		choice, err = c.model(choice, "")
		if err != nil {
			return Choice{}, err
		}
		switch {
		case choice.KeyEnv != "":
			choice.Why = choice.KeyEnv
		case choice.Key != "":
			choice.Why = "stored key"
		default:
			choice.Why = e.BaseEnv[0]
		}
		return choice, nil
	}
	if w.KeyEnv != "" {
		return Choice{}, fmt.Errorf("whose key is in %s? name its --provider, and set the variable if it is empty", w.KeyEnv)
	}
	for _, f := range c.discover() {
		if m, ok := f.Model(f.DefaultModel); ok && f.DefaultModel != "" {
			return Choice{Endpoint: f.Endpoint, Model: m, Why: "local server"}, nil
		}
	}
	return Choice{}, ErrNothing
}
