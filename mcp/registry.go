package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// OfficialRegistry is where servers are looked for unless another place is named.
const OfficialRegistry = "https://registry.modelcontextprotocol.io"

// A Catalogue is an MCP registry, as its public API shows it.
type Catalogue struct {
	Base string       // its address; empty: OfficialRegistry
	HTTP *http.Client // nil: the usual one
}

// registryLimit is how long a registry may take, registryMax how much it may say.
const (
	registryLimit = 20 * time.Second
	registryMax   = 8 << 20
	registryPage  = 50
)

// Entry is a server a registry knows. All its texts are its publisher's.
type Entry struct {
	Name        string `json:"name"` // such as io.github.someone/something
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Version     string `json:"version,omitempty"`
	Repository  struct {
		URL string `json:"url,omitempty"`
	} `json:"repository,omitzero"`
	Packages []entryPackage `json:"packages,omitempty"`
	Remotes  []entryRemote  `json:"remotes,omitempty"`
	Status   string         `json:"status,omitempty"` // active, deprecated or deleted
}

type entryPackage struct {
	Registry  string       `json:"registryType"` // npm, pypi, oci, nuget, cargo, mcpb
	Base      string       `json:"registryBaseUrl,omitempty"`
	ID        string       `json:"identifier"`
	Version   string       `json:"version,omitempty"`
	Transport entryRemote  `json:"transport"`
	Before    []entryInput `json:"runtimeArguments,omitempty"`
	After     []entryInput `json:"packageArguments,omitempty"`
	Env       []entryInput `json:"environmentVariables,omitempty"`
}

type entryRemote struct {
	Type      string                `json:"type"`
	URL       string                `json:"url,omitempty"`
	Headers   []entryInput          `json:"headers,omitempty"`
	Variables map[string]entryInput `json:"variables,omitempty"`
}

// An entryInput is an argument, a variable or a header of an entry.
type entryInput struct {
	Type        string                `json:"type,omitempty"` // of an argument: positional or named
	Name        string                `json:"name,omitempty"`
	Hint        string                `json:"valueHint,omitempty"`
	Description string                `json:"description,omitempty"`
	Value       string                `json:"value,omitempty"`
	Default     string                `json:"default,omitempty"`
	Required    bool                  `json:"isRequired,omitempty"`
	Variables   map[string]entryInput `json:"variables,omitempty"`
}

// answered is an entry as the API wraps it: what the registry itself says of it is
// kept apart from what its publisher does.
type answered struct {
	Server Entry `json:"server"`
	Meta   struct {
		Official struct {
			Status string `json:"status"`
			Latest *bool  `json:"isLatest"`
		} `json:"io.modelcontextprotocol.registry/official"`
	} `json:"_meta"`
}

func (a answered) entry() Entry {
	if a.Meta.Official.Status != "" {
		a.Server.Status = a.Meta.Official.Status
	}
	return a.Server
}

// Search finds servers with a word in their name, the newest version of each. more
// says that the registry knows others beside those.
func (c Catalogue) Search(ctx context.Context, word string) (found []Entry, more bool, err error) {
	var page struct {
		Servers  []answered `json:"servers"`
		Metadata struct {
			Next string `json:"nextCursor"`
		} `json:"metadata"`
	}
	q := url.Values{"search": {word}, "version": {"latest"}, "limit": {fmt.Sprint(registryPage)}}
	if err := c.get(ctx, "/servers?"+q.Encode(), &page); err != nil {
		return nil, false, err
	}
	for _, a := range page.Servers {
		// A registry that does not know version=latest gives the old ones, too.
		if e := a.entry(); e.Name != "" && e.Status != "deleted" && (a.Meta.Official.Latest == nil || *a.Meta.Official.Latest) {
			found = append(found, e)
		}
	}
	return found, page.Metadata.Next != "", nil
}

// errNotKnown is a registry's answer that there is no such thing.
var errNotKnown = errors.New("it is not known there")

// Get finds the newest version of one server by its whole name.
func (c Catalogue) Get(ctx context.Context, name string) (Entry, error) {
	var a answered
	err := c.get(ctx, "/servers/"+url.PathEscape(name)+"/versions/latest", &a)
	switch {
	case errors.Is(err, errNotKnown):
		return Entry{}, fmt.Errorf("the registry knows no server %q; forge mcp search tells whole names", name)
	case err != nil:
		return Entry{}, err
	case a.Server.Name != name:
		return Entry{}, fmt.Errorf("the registry answers with %q when it is asked for %q", a.Server.Name, name)
	}
	e := a.entry()
	if e.Status == "deleted" {
		return Entry{}, fmt.Errorf("%s was deleted from the registry", name)
	}
	return e, nil
}

func (c Catalogue) get(ctx context.Context, path string, into any) error {
	base := strings.TrimRight(c.Base, "/")
	if base == "" {
		base = OfficialRegistry
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("the MCP registry %q is no address; it begins with https://", base)
	}
	if !strings.HasSuffix(u.Path, "/v0") && !strings.HasSuffix(u.Path, "/v0.1") {
		base += "/v0.1"
	}
	ctx, cancel := context.WithTimeoutCause(ctx, registryLimit, fmt.Errorf("no answer within %s", registryLimit))
	defer cancel()
	fail := func(err error) error {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		var at *url.Error
		if errors.As(err, &at) {
			err = at.Err
		}
		return fmt.Errorf("ask the MCP registry %s: %w", u.Host, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
	if err != nil {
		return fail(err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", clientName)
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return fail(err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return fail(errNotKnown)
	case resp.StatusCode != http.StatusOK:
		return fail(fmt.Errorf("it answers HTTP %d", resp.StatusCode))
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, registryMax+1))
	if err != nil {
		return fail(err)
	}
	if len(body) > registryMax {
		return fail(fmt.Errorf("its answer is longer than %d MB", registryMax>>20))
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fail(fmt.Errorf("its answer is none of a registry: %w", err))
	}
	return nil
}
