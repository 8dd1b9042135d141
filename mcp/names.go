package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// maxName is what every provider takes as the name of a tool, in bytes.
const maxName = 64

// maxKey is how much of that a server's key may take.
const maxKey = 24

// serverKeys gives each server the part of its tools' names that says whose they
// are. It is made of the name in the configuration, never of what the server calls
// itself; no two are the same, and none holds "__", which ends it.
func serverKeys(names []string) map[string]string {
	keys := map[string]string{}
	taken := map[string]bool{}
	names = slices.Sorted(slices.Values(names))
	for _, exact := range []bool{true, false} { // a name that needs no change goes first
		for _, n := range names {
			k := keyOf(n)
			if (k == n) != exact {
				continue
			}
			if k == "" || len(k) > maxKey || taken[k] {
				k = strings.TrimRight(k[:min(len(k), maxKey-9)], "_") + "_" + digest(n)
				k = strings.TrimLeft(k, "_")
			}
			taken[k] = true
			keys[n] = k
		}
	}
	return keys
}

func keyOf(name string) string {
	k := nameChars(name)
	for strings.Contains(k, "__") {
		k = strings.ReplaceAll(k, "__", "_")
	}
	return strings.Trim(k, "_")
}

// toolNames gives each tool of a server the name the model sees: the alias where
// there is one, else mcp__key__tool. A tool's name depends on the others of its
// server only where two would get the same, and the one that needs no change wins;
// the words it returns say which aliases are not used, and why.
func toolNames(server, key string, remote []string, aliases map[string]string) (map[string]string, []string) {
	out := map[string]string{}
	taken := map[string]bool{}
	var problems []string
	remote = slices.Sorted(slices.Values(remote))
	for _, r := range remote {
		a, ok := aliases[r]
		if !ok {
			continue
		}
		switch {
		case a == "" || a != nameChars(a) || len(a) > maxName:
			problems = append(problems, fmt.Sprintf("the alias %q of %s is no name for a tool; 1 to 64 of A-Z a-z 0-9 _ - are", a, r))
			continue
		case taken[a] || strings.HasPrefix(a, "mcp__"):
			problems = append(problems, fmt.Sprintf("the alias %q of %s is taken", a, r))
			continue
		}
		taken[a] = true
		out[r] = a
	}
	prefix := "mcp__" + key + "__"
	for _, exact := range []bool{true, false} {
		for _, r := range remote {
			if _, done := out[r]; done {
				continue
			}
			n := prefix + nameChars(r)
			if whole := n == prefix+r && len(n) <= maxName; whole != exact {
				continue
			}
			if len(n) > maxName || taken[n] {
				n = n[:min(len(n), maxName-9)] + "_" + digest(server+"\x00"+r)
			}
			taken[n] = true
			out[r] = n
		}
	}
	return out, problems
}

// nameChars replaces what no provider takes in a name.
func nameChars(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, s)
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

// allowed says whether the configuration lets a tool be used; a denial wins.
func (c ServerConfig) allowed(tool string) bool {
	match := func(globs []string) bool {
		return slices.ContainsFunc(globs, func(g string) bool {
			ok, err := path.Match(g, tool)
			return ok && err == nil || g == tool
		})
	}
	return !match(c.Deny) && (len(c.Allow) == 0 || match(c.Allow))
}

// Prefixes is what the names of the tools of each of these servers begin with, sorted.
func Prefixes(servers map[string]ServerConfig) (out []string) {
	for _, key := range serverKeys(slices.Collect(maps.Keys(servers))) {
		out = append(out, "mcp__"+key+"__")
	}
	slices.Sort(out)
	return out
}
