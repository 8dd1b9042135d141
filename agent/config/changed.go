package config

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
)

// wrote notes what a file says of a setting, for Changed: its hash, since it may be a key.
func (c *Config) wrote(scope Scope, name string, raw []byte) {
	if c.written == nil {
		c.written = map[string][sha256.Size]byte{}
	}
	c.written[name+"\x00"+string(scope)] = sha256.Sum256(raw)
}

// Changed names the settings of which the files of c say something else than those of
// before, sorted.
func (c *Config) Changed(before *Config) []string {
	names := map[string]bool{}
	for _, side := range []struct{ a, b map[string][sha256.Size]byte }{{c.written, before.written}, {before.written, c.written}} {
		for at, raw := range side.a {
			if other, ok := side.b[at]; !ok || other != raw {
				name, _, _ := strings.Cut(at, "\x00")
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// TakeUp notes that these settings are in force as fresh has them, so that Changed does not
// name them again.
func (c *Config) TakeUp(fresh *Config, names []string) {
	taken := func(at string, _ [sha256.Size]byte) bool {
		name, _, _ := strings.Cut(at, "\x00")
		return slices.Contains(names, name)
	}
	maps.DeleteFunc(c.written, taken)
	for at, sum := range fresh.written {
		if taken(at, sum) {
			if c.written == nil {
				c.written = map[string][sha256.Size]byte{}
			}
			c.written[at] = sum
		}
	}
}
