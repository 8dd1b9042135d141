package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"forge/provider"
)

// Wish is what one source says about the model to use. Any field may be empty.
type Wish struct {
	Provider string // an endpoint's name
	Model    string // "[endpoint/]id[:effort]"
	BaseURL  string
	KeyEnv   string // the variable to take the key from
	Effort   provider.Effort
	// Workspace says that the words come from a file inside the workspace. Such a
	// file may be anybody's: it can choose among endpoints, but neither an address
	// nor a variable, or a cloned repository could have a key sent to it.
	Workspace bool
}

// Inputs is everything a choice depends on.
type Inputs struct {
	Flag   Wish
	Config []Wish // strongest first: the workspace's, then the person's
	Last   Wish
	Getenv func(string) string
	// Stored returns the key kept under a name, see Endpoint.KeyName, "" for none; may be nil.
	Stored func(name string) string
	// Discover finds local servers; called only where the choice needs it; may be nil.
	Discover func(context.Context) []Found
	// List asks an endpoint for its models; called only where neither words nor
	// catalogue name one; may be nil.
	List func(ctx context.Context, e Endpoint, key string) ([]provider.Model, error)
	// Peek is List for what is only good to know: it waits for nobody; nil: List.
	Peek func(ctx context.Context, e Endpoint, key string) ([]provider.Model, error)
}

// Choice is the model to use and how to reach it.
type Choice struct {
	Endpoint Endpoint // BaseURL and BearerAuth as they are to be used
	Model    provider.Model
	Effort   provider.Effort // the person's; empty: Model.Default
	Key      string
	KeyEnv   string // the variable Key came from; empty: stored, or no key
	Why      string // one or two words for a person: "flag", "config", "last used", "DEEPSEEK_API_KEY", "local server"
}

// ErrNothing says that nobody named a model, no key was found and no local server
// answers: the moment for a first-run choice.
var ErrNothing = errors.New("no model to talk to: give forge a key with forge login, start a local server, or try --demo")

// ErrNoKey says that a provider was named whose key is not there; a face that can
// ask for one does.
var ErrNoKey = errors.New("a key is missing")

// keyMissing is an ErrNoKey in its own words.
type keyMissing string

func (e keyMissing) Error() string        { return string(e) }
func (e keyMissing) Is(target error) bool { return target == ErrNoKey }

// ErrKeyEmpty says that the variable that was named for the key holds nothing.
var ErrKeyEmpty = errors.New("the variable of a key is empty")

// keyEmpty is an ErrKeyEmpty in its own words.
type keyEmpty string

func (e keyEmpty) Error() string        { return string(e) }
func (e keyEmpty) Is(target error) bool { return target == ErrKeyEmpty }

// Choose decides in this order: flag, config, last used, first key found, a local
// server that answers. It reads nothing but in. Its errors are one line that says
// what to do.
func Choose(ctx context.Context, in Inputs) (Choice, error) {
	c := chooser{Inputs: in, ctx: ctx}
	if c.Getenv == nil {
		c.Getenv = func(string) string { return "" }
	}
	w, why, err := c.merge()
	if err != nil {
		return Choice{}, err
	}
	var choice Choice
	switch {
	case w.BaseURL != "" || w.Provider != "":
		choice, err = c.named(w)
	case w.Model != "":
		choice, err = c.byModel(w)
	default:
		choice, err = c.search(w)
		why = choice.Why
	}
	if err != nil {
		return Choice{}, err
	}
	choice.Why = why
	if w.Effort != "" {
		choice.Effort = w.Effort
	}
	return choice, nil
}

type chooser struct {
	Inputs
	ctx   context.Context
	found []Found
	asked bool
}

// merge lays the sources over each other. A model belongs to the endpoint it was
// named with: a stronger source that names another endpoint silences a weaker
// one's model.
func (c *chooser) merge() (w Wish, why string, err error) {
	w, why = c.Flag, "flag"
	named := w.Provider != "" || w.Model != "" || w.BaseURL != ""
	lower := append(slices.Clone(c.Config), c.Last)
	for i, s := range lower {
		source := "config"
		if i == len(lower)-1 {
			source = "last used"
		}
		if s.Workspace {
			if s.BaseURL != "" && !loopback(s.BaseURL) {
				return w, "", fmt.Errorf("the workspace's own config names base URL %s: a cloned project could take your key that way; put it in your own config, or give --base-url", provider.Address(s.BaseURL))
			}
			s.KeyEnv = ""
		}
		if w.Effort == "" && (source == "config" || !named) {
			w.Effort = s.Effort
		}
		says := s.Provider != "" || s.Model != "" || s.BaseURL != ""
		if !says {
			if !named && s.KeyEnv != "" && w.KeyEnv == "" {
				w.KeyEnv = s.KeyEnv
			}
			continue
		}
		switch {
		case !named:
			effort, keyEnv := w.Effort, w.KeyEnv
			w, why, named = s, source, true
			w.Effort = effort
			if keyEnv != "" {
				w.KeyEnv = keyEnv
			}
		case w.Provider == "" && w.BaseURL == "": // only a model was named: at the weaker source's endpoint, if that has it
			if c.fits(w.Model, s) {
				w.Provider, w.BaseURL = s.Provider, s.BaseURL
				if w.KeyEnv == "" {
					w.KeyEnv = s.KeyEnv
				}
			}
		case sameEndpoint(w, s):
			if w.Model == "" {
				w.Model = s.Model
			}
			if w.BaseURL == "" {
				w.BaseURL = s.BaseURL
			}
			if w.KeyEnv == "" {
				w.KeyEnv = s.KeyEnv
			}
		}
	}
	return w, why, nil
}

// fits reports whether a model named alone is meant for the endpoint of s: it does
// not name another, and it is not listed at another only.
func (c *chooser) fits(model string, s Wish) bool {
	r := ResolveModel(model, "")
	if s.BaseURL != "" {
		return r.Endpoint == "" || r.Endpoint == s.Provider
	}
	e, ok := Find(s.Provider)
	if !ok {
		return false
	}
	if _, known := e.Model(ResolveModel(model, e.Name).ID); known {
		return true
	}
	if r.Endpoint != "" {
		return r.Endpoint == e.Name
	}
	for _, other := range known.Get() {
		if _, listed := other.Model(r.ID); listed {
			return false
		}
	}
	return true
}

func sameEndpoint(a, b Wish) bool {
	x, ok1 := Find(a.Provider)
	y, ok2 := Find(b.Provider)
	return ok1 && ok2 && x.Name == y.Name
}
