package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	// Stored returns the key kept for an endpoint, "" for none; may be nil.
	Stored func(endpoint string) string
	// Discover finds local servers; called only where the choice needs it; may be nil.
	Discover func(context.Context) []Found
	// List asks an endpoint for its models; called only where neither words nor
	// catalogue name one; may be nil.
	List func(ctx context.Context, e Endpoint, key string) ([]provider.Model, error)
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
var ErrNothing = errors.New("no model to talk to: set DEEPSEEK_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY, start a local server, or try --demo")

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
				return w, "", fmt.Errorf("the workspace's own config names base URL %s: a cloned project could take your key that way; put it in your own config, or give --base-url", provider.Redact(s.BaseURL))
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
	for _, other := range known() {
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
		wire := OpenAI
		if strings.Contains(w.BaseURL, "anthropic") || strings.HasSuffix(strings.TrimRight(w.BaseURL, "/"), "/messages") {
			wire = Anthropic
		}
		e := Endpoint{Name: "custom", Title: w.BaseURL, Wire: wire, BaseURL: trimPath(w.BaseURL), Local: loopback(w.BaseURL), Overridden: true}
		if !strings.HasPrefix(e.BaseURL, "http://") && !strings.HasPrefix(e.BaseURL, "https://") {
			return e, fmt.Errorf("base URL %q: write it with its scheme, like https://host/v1", provider.Redact(w.BaseURL))
		}
		return e, nil
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
			return choice, fmt.Errorf("%s is empty: set it to the key of %s, or leave out --api-key-env", w.KeyEnv, e.Name)
		}
		return choice, nil
	}
	choice.Key, choice.KeyEnv = e.Key(c.Getenv)
	if choice.KeyEnv == "ANTHROPIC_AUTH_TOKEN" {
		choice.Endpoint.BearerAuth = true
	}
	if choice.Key == "" && c.Stored != nil {
		choice.Key = c.Stored(e.Name)
	}
	if choice.Key == "" && len(e.KeyEnv) > 0 && !(e.Overridden && e.Local) {
		return choice, fmt.Errorf("%s needs a key: set %s, or name a variable with --api-key-env", e.Name, e.KeyEnv[0])
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
	if !ok { // newer than the catalogue: the server will say whether it exists
		m = provider.Model{Provider: e.Name, ID: ref.ID, Name: ref.ID}
	}
	choice.Model = m
	return choice, nil
}

// onlyModel asks a server nobody named a model for: one model needs no naming, of
// several the first that can call tools is as good as any.
func (c *chooser) onlyModel(choice *Choice) (string, error) {
	e := choice.Endpoint
	if c.List == nil {
		return "", fmt.Errorf("which model at %s? name one with --model", e.BaseURL)
	}
	models, err := c.List(c.ctx, e, choice.Key)
	if err != nil {
		return "", fmt.Errorf("which model at %s? asking it failed (%w): name one with --model", e.BaseURL, err)
	}
	choice.Endpoint.Models = models
	if id := begin(models, nil); id != "" {
		return id, nil
	}
	return "", fmt.Errorf("%s lists no model: name one with --model", e.BaseURL)
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
		choice.Model = provider.Model{Provider: e.Name, ID: ref.ID, Name: ref.ID}
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
	return choice, fmt.Errorf("%s does not answer at %s: start it, or give its address with --base-url", e.Title, e.BaseURL)
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
	for _, e := range known() {
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
	for _, e := range known() {
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
	for _, e := range known() {
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
