package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// languageServers takes the setting lsp: true, false, or an object of servers that are
// true, false or an object each. Whoever starts them reads those.
func languageServers(c *Config, raw json.RawMessage) error {
	var on bool
	if decode(raw, &on) == nil {
		c.LSP = raw
		return nil
	}
	var servers map[string]json.RawMessage
	if err := decode(raw, &servers); err != nil {
		return errors.New("must be true, false or an object {…} of servers")
	}
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		var object map[string]json.RawMessage
		if decode(servers[name], &on) != nil && decode(servers[name], &object) != nil {
			return fmt.Errorf("%s must be true, false or an object {…}", name)
		}
	}
	c.LSP = raw
	return nil
}

// languageServersSchema is what the schema says of it.
func languageServersSchema() map[string]any {
	either := func(object map[string]any) []any {
		object["type"] = "object"
		return []any{map[string]any{"type": "boolean"}, object}
	}
	return map[string]any{"anyOf": either(map[string]any{"additionalProperties": map[string]any{"anyOf": either(map[string]any{})}})}
}
