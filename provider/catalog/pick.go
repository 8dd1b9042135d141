package catalog

import (
	"context"
	"fmt"
	"strings"
	"time"

	"forge/provider"
)

// named is for an endpoint or an address somebody wrote down.
func (c *chooser) named(w Wish) (Choice, error) {
	e, err := c.endpoint(w)
	if err != nil {
		return Choice{}, err
	}
	choice := Choice{Endpoint: e}
	if choice, err = c.key(choice, w); err != nil {
		return Choice{}, err
	}
	return c.model(choice, w.Model)
}

func (c *chooser) endpoint(w Wish) (Endpoint, error) {
	if w.Provider == "" {
		return At(w.BaseURL, "")
	}
	e, ok := Find(w.Provider)
	if !ok {
		if near := nearest(w.Provider); near != "" {
			return e, fmt.Errorf("no provider %q: did you mean %s? forge models lists all", w.Provider, near)
		}
		return e, fmt.Errorf("no provider %q: forge models lists all; any other server goes with --base-url", w.Provider)
	}
	e = e.WithEnv(c.Getenv)
	if w.BaseURL != "" {
		e = e.at(trimPath(w.BaseURL))
	}
	return e, nil
}

// trimPath takes off what people paste too much of.
func trimPath(base string) string {
	base = strings.TrimRight(strings.TrimSpace(base), "/")
	for _, tail := range []string{"/chat/completions", "/v1/messages", "/messages"} {
		base = strings.TrimSuffix(base, tail)
	}
	return base
}

// key finds the key of an endpoint; its absence is an error where one is needed.
func (c *chooser) key(choice Choice, w Wish) (Choice, error) {
	e := choice.Endpoint
	if w.KeyEnv != "" {
		choice.Key, choice.KeyEnv = strings.TrimSpace(c.Getenv(w.KeyEnv)), w.KeyEnv
		if choice.Key == "" {
			return choice, keyEmpty(fmt.Sprintf("%s is empty: set it to the key of %s, or leave out --api-key-env", w.KeyEnv, e.Name))
		}
		return choice, nil
	}
	choice.Key, choice.KeyEnv = e.Key(c.Getenv)
	if choice.KeyEnv == "ANTHROPIC_AUTH_TOKEN" {
		choice.Endpoint.BearerAuth = true
	}
	if choice.Key == "" && c.Stored != nil {
		choice.Key = c.Stored(e.KeyName())
	}
	if choice.Key == "" && len(e.KeyEnv) > 0 && !(e.Overridden && e.Local) {
		return choice, keyMissing(fmt.Sprintf("%s needs a key: set %s, or give it with forge login %s", e.Name, e.KeyEnv[0], e.Name))
	}
	return choice, nil
}

// model decides the model at an endpoint that is decided.
func (c *chooser) model(choice Choice, words string) (Choice, error) {
	e := choice.Endpoint
	ref := ResolveModel(words, e.Name)
	choice.Effort = ref.Effort
	if own, ok := Find(e.Name); ok && own.Local {
		return c.local(choice, ref)
	}
	if ref.ID == "" && !e.Overridden {
		ref.ID = e.DefaultModel
	}
	if ref.ID == "" {
		id, err := c.onlyModel(&choice)
		if err != nil {
			return choice, err
		}
		ref.ID = id
	}
	m, ok := e.Model(ref.ID)
	if !ok {
		m, ok = choice.Endpoint.Model(ref.ID)
	}
	if !ok {
		m, ok = c.listed(choice, ref.ID)
	}
	if !ok { // newer than the catalogue: the server will say whether it exists
		m = provider.Model{Provider: e.Name, ID: ref.ID, Name: ref.ID}
	}
	choice.Model = m
	return choice, nil
}

// listedWait bounds what stands between a person who named a model and their
// first screen.
const listedWait = 2 * time.Second

// listed asks a server on this machine for a model that a person named: without
// its window a conversation runs over it. Elsewhere nobody waits for a list.
func (c *chooser) listed(choice Choice, id string) (provider.Model, bool) {
	ask := c.Peek
	if ask == nil {
		ask = c.List
	}
	if ask == nil || !loopback(choice.Endpoint.BaseURL) {
		return provider.Model{}, false
	}
	ctx, cancel := context.WithTimeout(c.ctx, listedWait)
	defer cancel()
	e := choice.Endpoint
	e.Models, _ = ask(ctx, e, choice.Key) // a server that does not answer will be told of when it is spoken to
	return e.Model(id)
}

// onlyModel asks a server nobody named a model for: one model needs no naming, of
// several the first that can call tools is as good as any.
func (c *chooser) onlyModel(choice *Choice) (string, error) {
	e := choice.Endpoint
	if c.List == nil {
		return "", fmt.Errorf("which model at %s? name one with --model", provider.Address(e.BaseURL))
	}
	models, err := c.List(c.ctx, e, choice.Key)
	if err != nil {
		return "", fmt.Errorf("which model at %s? asking it failed (%w): name one with --model", provider.Address(e.BaseURL), err)
	}
	choice.Endpoint.Models = models
	if id := begin(models, nil); id != "" {
		return id, nil
	}
	return "", fmt.Errorf("%s lists no model: name one with --model", provider.Address(e.BaseURL))
}

// local is for an endpoint whose models only the server knows.
func (c *chooser) local(choice Choice, ref Ref) (Choice, error) {
	e := choice.Endpoint
	for _, f := range c.discover() {
		if f.Name != e.Name || f.BaseURL != e.BaseURL {
			continue
		}
		choice.Endpoint = f.Endpoint
		if ref.ID == "" {
			ref.ID = f.DefaultModel
		}
		if ref.ID == "" {
			return choice, fmt.Errorf("%s has no model yet: %s", e.Title, pullHint(e.Name))
		}
		m, ok := f.Model(ref.ID)
		if !ok && e.Name == "ollama" {
			m, ok = f.Model(ref.ID + ":latest")
		}
		if !ok {
			return choice, fmt.Errorf("%s has no model %s (it has %s): %s", e.Title, ref.ID, some(f.Models), pullHint(e.Name))
		}
		choice.Model = m
		return choice, nil
	}
	// Not on a usual port, or slow to answer: take the person's word for it.
	if ref.ID != "" {
		m, ok := c.listed(choice, ref.ID)
		if !ok {
			m = provider.Model{Provider: e.Name, ID: ref.ID, Name: ref.ID}
		}
		choice.Model = m
		return choice, nil
	}
	if c.List != nil {
		if models, err := c.List(c.ctx, e, choice.Key); err == nil {
			if id := begin(models, nil); id != "" {
				choice.Endpoint.Models = models
				choice.Model, _ = choice.Endpoint.Model(id)
				return choice, nil
			}
		}
	}
	return choice, fmt.Errorf("%s does not answer at %s: start it, or give its address with --base-url", e.Title, provider.Address(e.BaseURL))
}

func pullHint(name string) string {
	if name == "ollama" {
		return "ollama pull NAME gets one"
	}
	return "load one there first"
}

func some(models []provider.Model) string {
	var ids []string
	for i, m := range models {
		if i == 4 {
			ids = append(ids, "…")
			break
		}
		ids = append(ids, m.ID)
	}
	if len(ids) == 0 {
		return "none"
	}
	return strings.Join(ids, ", ")
}

func (c *chooser) discover() []Found {
	if !c.asked && c.Discover != nil {
		c.found = c.Discover(c.ctx)
	}
	c.asked = true
	return c.found
}
