package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/lazy"
	"forge/plainfile"

	"github.com/tailscale/hujson"
)

// ServerConfig is one server of .mcp.json's mcpServers, in the shape every client
// reads, and a few keys of ours.
type ServerConfig struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`

	Type    string            `json:"type,omitempty"` // stdio, http (streamable-http) or sse; empty: by what is there
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	OAuth   *OAuthConfig      `json:"oauth,omitempty"`

	Timeout        Duration          `json:"timeout,omitempty"`        // of a call without a sign of progress
	MaxTime        Duration          `json:"maxTime,omitempty"`        // of a call in any case
	StartupTimeout Duration          `json:"startupTimeout,omitempty"` // of the start
	Disabled       bool              `json:"disabled,omitempty"`
	Lazy           bool              `json:"lazy,omitempty"`   // started by the first call, if its tools are known
	Defer          *bool             `json:"defer,omitempty"`  // its tools are found with find_tools; nil: if they are many
	Trust          bool              `json:"trust,omitempty"`  // believe what it says of its tools
	Strict         bool              `json:"strict,omitempty"` // tools that were not there at the approval need one of their own
	Allow          []string          `json:"allow,omitempty"`  // globs of tool names; empty: all
	Deny           []string          `json:"deny,omitempty"`
	Aliases        map[string]string `json:"aliases,omitempty"` // the server's name of a tool → the one the model sees

	Source  Source `json:"-"`
	Problem string `json:"-"` // why it cannot be used; it is shown, and the others go on
}

// OAuthConfig is for servers whose login needs more than they tell themselves.
type OAuthConfig struct {
	ClientID     string   `json:"clientId,omitempty"`
	ClientSecret string   `json:"clientSecret,omitempty"`
	Document     string   `json:"clientMetadataUrl,omitempty"` // where a document about the client lies, which is its ID then
	CallbackPort int      `json:"callbackPort,omitempty"`
	Scopes       []string `json:"scopes,omitempty"`
}

// Source is where a server was configured.
type Source struct {
	Scope string // user, project, flag
	File  string // empty for a flag
	Line  int    // from 1; 0: unknown
}

func (s Source) String() string {
	switch {
	case s.File == "":
		return "--mcp"
	case s.Line == 0:
		return s.File
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}

// Duration is a length of time in a file: milliseconds, as other clients have it,
// or a text such as "30s".
type Duration time.Duration

// UnmarshalJSON implements json.Unmarshaler.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var ms float64
	var s string
	if json.Unmarshal(b, &ms) == nil {
		*d = Duration(ms * float64(time.Millisecond))
	} else if json.Unmarshal(b, &s) != nil {
		return fmt.Errorf("%s is no length of time; write milliseconds, or \"30s\"", b)
	} else {
		v, err := time.ParseDuration(s)
		if err != nil {
			return fmt.Errorf("%q is no length of time; write milliseconds, or \"30s\"", s)
		}
		*d = Duration(v)
	}
	if *d <= 0 || time.Duration(*d) > 24*time.Hour {
		return fmt.Errorf("%s is out of range; up to a day is possible", b)
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// maxConfig bounds a file of servers, in bytes.
const maxConfig = 1 << 20

// ParseFile reads the mcpServers of a file in the shape of .mcp.json; comments and
// a last comma are allowed. A file without any is no error. A server that cannot be
// read is in the result all the same, with its Problem; an error is of the file as a
// whole. Texts are not expanded yet.
func ParseFile(path, scope string) (map[string]ServerConfig, error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxConfig) {
		err = errors.New("it is no regular file of at most 1 MB")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	text, _, err := plainfile.Read(path, maxConfig)
	if err != nil {
		return nil, err
	}
	return Parse(text, path, scope)
}

// Parse is ParseFile for text that was read already.
func Parse(text []byte, path, scope string) (map[string]ServerConfig, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	root, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %s; none of its servers is used until that is mended", path, strings.TrimPrefix(err.Error(), "hujson: "))
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%s: it must be one object, {\"mcpServers\": {…}}", path)
	}
	line := func(offset int) int { return 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n")) }
	out := map[string]ServerConfig{}
	ranks := map[string]int{}
	for _, m := range object.Members {
		section := m.Name.Value.(hujson.Literal).String()
		rank := sectionRank(section, path)
		if rank == 0 {
			continue
		}
		servers, ok := m.Value.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%s:%d: %s must be an object of servers", path, line(m.Name.StartOffset), section)
		}
		for _, s := range servers.Members {
			name := s.Name.Value.(hujson.Literal).String()
			if ranks[name] > rank {
				continue
			}
			ranks[name] = rank
			v := s.Value.Clone()
			v.Minimize()
			c := decodeServer(v.Pack())
			if name == "" {
				c = ServerConfig{Problem: "it has no name"}
			}
			c.Source = Source{Scope: scope, File: path, Line: line(s.Name.StartOffset)}
			out[name] = c
		}
	}
	return out, nil
}

// Local says whether the server is a process of this machine.
func (c ServerConfig) Local() bool { return c.Command != "" }

// reference is ${NAME} or ${NAME:-otherwise}.
var reference = lazy.Regexp{Expr: `\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`}

// expand replaces references to the environment. One that is not set and has no
// default is an error that names it: a literal ${NAME} is never passed on.
func expand(s string, getenv func(string) (string, bool)) (string, error) {
	var missing []string
	out := reference.Get().ReplaceAllStringFunc(s, func(m string) string {
		g := reference.Get().FindStringSubmatch(m)
		if v, ok := getenv(g[1]); ok && (v != "" || g[2] == "") {
			return v
		}
		if g[2] != "" {
			return g[2][2:]
		}
		missing = append(missing, g[1])
		return ""
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("the environment variable %s is not set; set it, or write ${%s:-default}", strings.Join(missing, ", "), missing[0])
	}
	return out, nil
}

// Expand replaces the references in command, args, env, cwd, url and headers.
func (c ServerConfig) Expand(getenv func(string) (string, bool)) (ServerConfig, error) {
	var err error
	one := func(what, s string) string {
		own := c.Source.Scope == "user" && what != "command" && !strings.HasPrefix(what, "args")
		parts, e := []string{s}, error(nil)
		if own && ownReference.Get().MatchString(s) { // each is read once: what one holds is no reference of the other kind
			parts = around(s)
		}
		v := ""
		for _, part := range parts {
			text := part
			var wrong error
			if own && ownReference.Get().MatchString(part) {
				text, wrong = elsewhere(part, filepath.Dir(c.Source.File), getenv)
			} else {
				text, wrong = expand(part, getenv)
			}
			if v += text; e == nil {
				e = wrong
			}
		}
		if e != nil && err == nil {
			err = fmt.Errorf("%s: %w", what, e)
		}
		return v
	}
	all := func(what string, m map[string]string) map[string]string {
		if m == nil {
			return nil
		}
		out := make(map[string]string, len(m))
		for _, k := range slices.Sorted(maps.Keys(m)) {
			out[k] = one(what+"."+k, m[k])
		}
		return out
	}
	c.Command, c.Cwd, c.URL = one("command", c.Command), one("cwd", c.Cwd), one("url", c.URL)
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = one(fmt.Sprintf("args[%d]", i), a)
	}
	c.Args, c.Env, c.Headers = args, all("env", c.Env), all("headers", c.Headers)
	if c.OAuth != nil {
		o := *c.OAuth
		o.ClientID, o.ClientSecret = one("oauth.clientId", o.ClientID), one("oauth.clientSecret", o.ClientSecret)
		if o.Document = one("oauth.clientMetadataUrl", o.Document); o.Document != "" {
			if u, e := url.Parse(o.Document); err == nil && (e != nil || u.Scheme != "https" || strings.Trim(u.Path, "/") == "" || u.Fragment != "") {
				err = fmt.Errorf("oauth.clientMetadataUrl: %q is no address of a document; it begins with https:// and has a path", o.Document)
			}
		}
		c.OAuth = &o
	}
	if err != nil {
		return c, err
	}
	if c.URL != "" {
		u, e := url.Parse(c.URL)
		if e != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return c, fmt.Errorf("url: %q is no address; it begins with https:// or http://", c.URL)
		}
	}
	return c, nil
}

// Dir is the folder a local server runs in.
func (c ServerConfig) dir(workspace string) string {
	switch {
	case c.Cwd == "":
		return workspace
	case strings.HasPrefix(c.Cwd, "~/"):
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, c.Cwd[2:])
		}
	case !filepath.IsAbs(c.Cwd):
		return filepath.Join(workspace, c.Cwd)
	}
	return c.Cwd
}

// Getenv reads the environment for Expand.
func Getenv(name string) (string, bool) { return os.LookupEnv(name) }
