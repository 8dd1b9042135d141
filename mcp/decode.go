package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// sectionRank says whether a key of a file holds servers, and how it ranks: an mcp.json
// of some editors has them under another one.
func sectionRank(key, path string) (rank int) {
	switch {
	case key == "mcpServers":
		return 2
	case key == "servers" && strings.HasSuffix(filepath.Base(path), "mcp.json"):
		return 1
	}
	return 0
}

// decodeServer reads one server. Keys of other clients are left alone; a key that
// is ours with another value than it can have is its Problem.
func decodeServer(raw []byte) ServerConfig {
	var c ServerConfig
	if !isObject(raw) {
		return ServerConfig{Problem: "it must be an object with a command or a url"}
	}
	if err := json.Unmarshal(inShape(raw), &c); err != nil {
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

// inShape is a server in the usual shape: some clients have another key for the address,
// and take numbers and truth values where texts are wanted.
func inShape(raw []byte) []byte {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return raw
	}
	for _, key := range []string{"serverUrl", "httpUrl"} {
		if m["url"] == nil && plainText(m[key]) != "" {
			m["url"] = m[key]
		}
	}
	var list []json.RawMessage
	if json.Unmarshal(m["args"], &list) == nil && list != nil {
		for i := range list {
			list[i] = asText(list[i])
		}
		m["args"] = marshalled(list)
	}
	for _, key := range []string{"env", "headers"} {
		var set map[string]json.RawMessage
		if json.Unmarshal(m[key], &set) == nil && set != nil {
			for k, v := range set {
				set[k] = asText(v)
			}
			m[key] = marshalled(set)
		}
	}
	return marshalled(m)
}

// asText makes a text of a number or a truth value.
func asText(v json.RawMessage) json.RawMessage {
	if len(v) == 0 || strings.ContainsRune(`"{[n`, rune(v[0])) {
		return v
	}
	return marshalled(string(v))
}
