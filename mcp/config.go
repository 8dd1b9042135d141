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
	"regexp"
	"slices"
	"strings"
	"time"

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
	text, err := os.ReadFile(path)
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
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %s; none of its servers is used until that is mended", path, strings.TrimPrefix(err.Error(), "hujson: "))
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%s: it must be one object, {\"mcpServers\": {…}}", path)
	}
	line := func(offset int) int { return 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n")) }
	out := map[string]ServerConfig{}
	for _, m := range object.Members {
		if m.Name.Value.(hujson.Literal).String() != "mcpServers" {
			continue
		}
		servers, ok := m.Value.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%s:%d: mcpServers must be an object of servers", path, line(m.Name.StartOffset))
		}
		for _, s := range servers.Members {
			name := s.Name.Value.(hujson.Literal).String()
			v := s.Value.Clone()
			v.Minimize()
			c := decodeServer(v.Pack())
			c.Source = Source{Scope: scope, File: path, Line: line(s.Name.StartOffset)}
			out[name] = c
		}
	}
	return out, nil
}

// decodeServer reads one server. Keys of other clients are left alone; a key that
// is ours with another value than it can have is its Problem.
func decodeServer(raw []byte) ServerConfig {
	var c ServerConfig
	if err := json.Unmarshal(raw, &c); err != nil {
		var t *json.UnmarshalTypeError
		if errors.As(err, &t) && t.Field != "" {
			return ServerConfig{Problem: fmt.Sprintf("%s must not be a %s", t.Field, t.Value)}
		}
		return ServerConfig{Problem: err.Error()}
	}
	c.Problem = c.check()
	return c
}

// check says what is wrong with a server; empty: nothing.
func (c ServerConfig) check() string {
	switch c.Type {
	case "", "stdio", "http", "streamable-http", "streamableHttp", "sse":
	default:
		return fmt.Sprintf("type %q is unknown; stdio, http and sse are known", c.Type)
	}
	switch {
	case c.Command == "" && c.URL == "":
		return "it has neither a command nor a url"
	case c.Command != "" && c.URL != "":
		return "it has a command and a url; one of them is wanted"
	case c.Command == "" && c.Type == "stdio":
		return "type stdio needs a command"
	case c.URL == "" && c.Type != "" && c.Type != "stdio":
		return "type " + c.Type + " needs a url"
	}
	return ""
}

// Local says whether the server is a process of this machine.
func (c ServerConfig) Local() bool { return c.Command != "" }

// reference is ${NAME} or ${NAME:-otherwise}.
var reference = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}`)

// expand replaces references to the environment. One that is not set and has no
// default is an error that names it: a literal ${NAME} is never passed on.
func expand(s string, getenv func(string) (string, bool)) (string, error) {
	var missing []string
	out := reference.ReplaceAllStringFunc(s, func(m string) string {
		g := reference.FindStringSubmatch(m)
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
		v, e := expand(s, getenv)
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

// ParseFlag reads the value of --mcp: NAME=COMMAND…, NAME=URL, or a bare command or
// URL, which gets a name made of it. Words may be quoted as in a shell; nothing else
// of a shell is understood. demo is the small server forge has in itself, started as
// self.
func ParseFlag(value, self string) (string, ServerConfig, error) {
	src := Source{Scope: "flag"}
	value = strings.TrimSpace(value)
	if value == "demo" {
		return "demo", ServerConfig{Command: self, Args: []string{"mcp", "demo"}, Trust: true, Source: src}, nil
	}
	name, rest := "", value
	if n, r, ok := strings.Cut(value, "="); ok && serverName.MatchString(n) {
		name, rest = n, r
	}
	words, err := splitWords(rest)
	if err != nil {
		return "", ServerConfig{}, fmt.Errorf("--mcp %s: %w", value, err)
	}
	if len(words) == 0 {
		return "", ServerConfig{}, fmt.Errorf("--mcp %q names no command; write NAME=COMMAND, NAME=URL or demo", value)
	}
	c := ServerConfig{Command: words[0], Args: words[1:], Source: src}
	if strings.HasPrefix(words[0], "http://") || strings.HasPrefix(words[0], "https://") {
		if len(words) > 1 {
			return "", ServerConfig{}, fmt.Errorf("--mcp %s: nothing may follow a URL", value)
		}
		c = ServerConfig{URL: words[0], Source: src}
	}
	if name == "" {
		name = nameFor(words)
	}
	return name, c, nil
}

var serverName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// nameFor makes a name of a command: the package npx or uvx is to run, the host of a
// URL, or else the program.
func nameFor(words []string) string {
	if u, err := url.Parse(words[0]); err == nil && u.Host != "" {
		return plainName(u.Hostname())
	}
	base := filepath.Base(words[0])
	switch strings.TrimSuffix(base, ".exe") {
	case "npx", "uvx", "bunx", "pnpx", "pipx", "node", "python", "python3", "docker", "go", "deno", "bun", "uv":
		for _, w := range words[1:] {
			if strings.HasPrefix(w, "-") || w == "run" || w == "exec" || w == "dlx" {
				continue
			}
			base = w[strings.LastIndexAny(w, `/\`)+1:]
			if at := strings.LastIndexByte(base, '@'); at > 0 {
				base = base[:at]
			}
			break
		}
	}
	base = strings.TrimSuffix(base, filepath.Ext(base))
	for _, p := range []string{"mcp-server-", "server-"} {
		if s := strings.TrimPrefix(base, p); s != "" {
			base = s
		}
	}
	return plainName(base)
}

func plainName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z') {
			return r
		}
		return '-'
	}, s)
	if s = strings.Trim(s, "-"); s == "" {
		return "server"
	}
	return s
}

// splitWords splits a line into words as a shell does, with its quotes and
// backslashes, and understands nothing else of it.
func splitWords(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	open, inWord := rune(0), false
	escaped := false
	for _, r := range s {
		switch {
		case escaped:
			if open == '"' && r != '"' && r != '\\' && r != '$' && r != '`' {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && open != '\'' && filepath.Separator != '\\':
			escaped, inWord = true, true
		case open != 0:
			if r == open {
				open = 0
			} else {
				word.WriteRune(r)
			}
		case r == '\'' || r == '"':
			open, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			inWord = true
			word.WriteRune(r)
		}
	}
	if open != 0 {
		return nil, fmt.Errorf("a quote %c is not closed", open)
	}
	if escaped {
		return nil, errors.New("it ends with a backslash")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
