package catalog

import (
	"fmt"
	"net/url"
	"strings"

	"forge/provider"
)

// Custom is the name of an endpoint that was given by its address alone.
const Custom = "custom"

// At is the endpoint at an address that the catalogue has no name for. wire is what it
// speaks; empty: what the address looks like. The error says what an address needs.
func At(base, wire string) (Endpoint, error) {
	if wire == "" {
		wire = OpenAI
		if strings.Contains(base, "anthropic") || strings.HasSuffix(strings.TrimRight(base, "/"), "/messages") {
			wire = Anthropic
		}
	}
	e := Endpoint{Name: Custom, Title: base, Wire: wire, BaseURL: trimPath(base), Local: loopback(base), Overridden: true}
	u, err := url.Parse(e.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return e, fmt.Errorf("base URL %q: write it with its scheme, like https://host/v1", provider.Address(base))
	}
	return e, nil
}

// KeyName is the name that a key for e is kept under: of an endpoint without a name of
// the catalogue's its whole address, so that no other address is ever sent that key.
func (e Endpoint) KeyName() string {
	if _, ok := Find(e.Name); ok {
		return e.Name
	}
	return e.BaseURL
}

// First is the model to begin with out of a list; empty: there is none.
func First(models []provider.Model) string { return begin(models, nil) }

// Near is the name of an endpoint that was probably meant; empty: none is near.
func Near(name string) string { return nearest(name) }
