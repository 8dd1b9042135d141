package config

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// Policy is the laxest that the machine's administrator lets anybody choose, by
// settings, flag or key. Empty fields bound nothing.
type Policy struct {
	Mode    string // of permissions
	Sandbox string
	Network string // of confined commands
}

// PolicyFiles are where policies may stand: the one of the machine, and the one
// that FORGE_POLICY names besides it. A policy can only restrict, so that naming
// one more undoes nothing.
func PolicyFiles() []string { return policyFiles(runtime.GOOS, os.Getenv) }

func policyFiles(goos string, getenv func(string) string) []string {
	at := "/etc/forge/policy.json"
	switch goos {
	case "windows":
		base := getenv("ProgramData")
		if base == "" {
			base = `C:\ProgramData`
		}
		at = filepath.Join(base, "forge", "policy.json")
	case "darwin":
		at = "/Library/Application Support/forge/policy.json"
	}
	files := []string{at}
	if more := getenv("FORGE_POLICY"); more != "" {
		files = append(files, more)
	}
	return files
}

// policed turns what a policy set into bounds.
func (c *Config) policed() {
	c.Policy = Policy{Mode: c.Policy.AtMostMode(c.Permissions.Mode), Sandbox: c.Policy.AtMostSandbox(c.Sandbox), Network: c.Policy.AtMostNetwork(c.SandboxNetwork)}
	if c.careless { // it is not known what they forbid
		c.Policy.Mode = Stricter(modes, "ask", c.Policy.Mode)
	}
	c.Permissions.Mode, c.Sandbox, c.SandboxNetwork = "", "", ""
}

// Stricter is the stricter of two words of a list that has the strictest first; an
// empty or unknown one bounds nothing.
func Stricter(words []string, a, b string) string {
	i, j := slices.Index(words, a), slices.Index(words, b)
	if i < 0 || j >= 0 && j < i {
		return b
	}
	return a
}

// AtMostMode is the mode a person may have who wants this one.
func (p Policy) AtMostMode(want string) string { return Stricter(modes, want, p.Mode) }

// AtMostSandbox is how commands are confined where a person wants this.
func (p Policy) AtMostSandbox(want string) string { return Stricter(boxes, want, p.Sandbox) }

// AtMostNetwork is what confined commands have of the network where a person wants
// this.
func (p Policy) AtMostNetwork(want string) string { return Stricter(nets, want, p.Network) }
