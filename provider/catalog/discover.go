package catalog

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"time"

	"forge/provider"
)

// discoverWait bounds the whole search: it stands between a person and their
// first screen. A server on this machine answers such a question in milliseconds.
const discoverWait = 400 * time.Millisecond

// Found is a local server that answered: its endpoint with the models it offers
// now and, as DefaultModel, the one to begin with (empty where it has none).
type Found struct {
	Endpoint
	// Loaded names the models that are in memory, where the server tells.
	Loaded []string
}

// Discover asks the usual ports of this machine, and OLLAMA_HOST, all at once and
// for no longer than 0.4 s, and returns the servers that answered, in the order of
// the catalogue. A port that something else listens on is not mistaken for one.
func Discover(ctx context.Context, getenv func(string) string) []Found {
	var targets []Endpoint
	for _, name := range []string{"ollama", "llamacpp", "lmstudio", "vllm"} {
		if e, ok := Find(name); ok {
			targets = append(targets, e.WithEnv(getenv))
		}
	}
	return discover(ctx, targets, discoverWait)
}

func discover(ctx context.Context, targets []Endpoint, wait time.Duration) []Found {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	ask := asker{client: &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // and no proxy: it is this machine
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	answers := make([]*Found, len(targets))
	var wg sync.WaitGroup
	for i, e := range targets {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { _ = recover() }() // a strange answer is no server, and no crash
			root := strings.TrimSuffix(e.BaseURL, "/v1")
			var f *Found
			switch e.Name {
			case "ollama":
				f = ask.ollama(ctx, root)
			case "llamacpp":
				f = ask.llamacpp(ctx, root)
			case "lmstudio":
				f = ask.lmstudio(ctx, root)
			case "vllm":
				f = ask.vllm(ctx, root)
			}
			if f == nil {
				return
			}
			models := f.Models
			f.Endpoint = e
			f.Models = nil
			for _, m := range models {
				m.Provider = e.Name
				if m.Name == "" {
					m.Name = m.ID
				}
				f.Models = append(f.Models, m)
			}
			f.DefaultModel = begin(f.Models, f.Loaded)
			answers[i] = f
		}()
	}
	wg.Wait()
	var out []Found
	for _, f := range answers {
		if f != nil {
			out = append(out, *f)
		}
	}
	return out
}

// begin picks the model to start with: one that calls tools, if possible one that
// is in memory already, else the first the server lists.
func begin(models []provider.Model, loaded []string) string {
	best, score := "", -1
	for _, m := range models {
		s := 0
		if !m.NoTools {
			s += 2
		}
		for _, l := range loaded {
			if l == m.ID {
				s++
			}
		}
		if s > score {
			best, score = m.ID, s
		}
	}
	return best
}
