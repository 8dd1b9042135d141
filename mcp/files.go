package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"forge/swap"
)

// Files says where servers are configured. Either file may be missing.
type Files struct {
	User     string // the person's, in the shape of .mcp.json
	Settings string // the person's forge.json, which may hold servers, too; what else is wrong with it is told elsewhere
	Project  string // the workspace's .mcp.json
	// Named are files in the shape of .mcp.json that the command line names. They count
	// as its servers do: the person chose them.
	Named []string
}

// ProjectFile is where a workspace configures servers, for all clients alike.
func ProjectFile(workspace string) string { return filepath.Join(workspace, ".mcp.json") }

// Load reads the servers of the files and of the --mcp flags. Where a name comes twice
// the person's own files win over the project's, the file of servers over the settings,
// and what the command line
// says over all: its files, a later one over an earlier, and over those its servers. It
// never fails: what cannot be read is a problem to be shown.
func (f Files) Load(flags []string, self string) (servers map[string]ServerConfig, problems []string) {
	servers = map[string]ServerConfig{}
	for _, part := range []struct{ file, scope string }{{f.Project, "project"}, {f.Settings, "user"}, {f.User, "user"}} {
		if part.file == "" {
			continue
		}
		got, err := ParseFile(part.file, part.scope)
		if err != nil && part.file != f.Settings {
			problems = append(problems, "MCP servers: "+err.Error())
		}
		for _, name := range slices.Sorted(maps.Keys(got)) {
			switch p, twice := servers[name]; {
			case twice && p.Source.Scope == "user":
				problems = append(problems, fmt.Sprintf("%s: the MCP server %q is not used, since %s has one of that name", p.Source, name, part.file))
			case twice:
				problems = append(problems, fmt.Sprintf("%s: the project's MCP server %q is not used, since you have one of that name", p.Source, name))
			}
			c := got[name]
			if part.scope == "project" && c.Trust {
				// It arrives with a repository: what runs unasked is not its to say.
				c.Trust = false
				problems = append(problems, fmt.Sprintf("%s: a project may not trust its MCP server %q; put it into %s if you do", c.Source, name, f.User))
			}
			servers[name] = c
		}
	}
	for _, file := range f.Named {
		got, err := ReadNamed(file)
		if err != nil {
			problems = append(problems, err.Error())
		}
		maps.Copy(servers, got)
	}
	for _, flag := range flags {
		name, c, err := ParseFlag(flag, self)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		servers[name] = c
	}
	return servers, problems
}

// ReadNamed reads a file of servers that the command line names. Unlike the others it
// must be there, and have servers.
func ReadNamed(file string) (map[string]ServerConfig, error) {
	_, err := os.Stat(file)
	var got map[string]ServerConfig
	if err == nil {
		got, err = ParseFile(file, "flag")
	}
	var pe *fs.PathError
	switch {
	case errors.As(err, &pe):
		return nil, fmt.Errorf("--mcp-config %s cannot be read: %w", file, pe.Err)
	case err != nil:
		return nil, fmt.Errorf("--mcp-config %w", err)
	case len(got) == 0:
		return nil, fmt.Errorf("--mcp-config %s names no server; it is written as a .mcp.json is: {\"mcpServers\": {…}}", file)
	}
	return got, nil
}

// Add writes a server to a file, which is made if need be; comments and the other
// servers stay. One of that name is an error, unless replace is set.
func Add(file, name string, c ServerConfig, replace bool) error {
	if !serverName.Get().MatchString(name) {
		return fmt.Errorf("%q is no name for a server; letters, digits, _ . and - are", name)
	}
	if p := c.check(); p != "" {
		return errors.New(p)
	}
	return edit(file, func(root *hujson.Value) error {
		if root.Find("/mcpServers") == nil {
			if err := patch(root, "add", "/mcpServers", json.RawMessage("{}")); err != nil {
				return err
			}
		}
		at := "/mcpServers/" + pointer(name)
		if root.Find(at) != nil && !replace {
			return fmt.Errorf("%s has a server %q already; remove it first", file, name)
		}
		return patch(root, "add", at, c)
	})
}

// Remove takes a server out of a file.
func Remove(file, name string) error {
	return edit(file, func(root *hujson.Value) error {
		at := "/mcpServers/" + pointer(name)
		if root.Find(at) == nil {
			return fmt.Errorf("%s has no server %q", file, name)
		}
		return patch(root, "remove", at, nil)
	})
}

func pointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func patch(root *hujson.Value, op, at string, value any) error {
	b, err := json.Marshal([]map[string]any{{"op": op, "path": at, "value": value}})
	if err != nil {
		return err
	}
	return root.Patch(b)
}

// parse reads JSON with comments and last commas. A comment may end with the file.
func parse(text []byte) (hujson.Value, error) {
	root, err := hujson.Parse(text)
	if err == nil {
		return root, nil
	}
	if root, again := hujson.Parse(append(bytes.Clone(text), '\n')); again == nil {
		return root, nil
	}
	return root, err
}

// edit changes a file as a whole: another program sees the old one or the new one.
func edit(file string, change func(root *hujson.Value) error) error {
	var text []byte
	f, err := os.Open(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return err
	default:
		text, err = io.ReadAll(io.LimitReader(f, maxConfig))
		f.Close()
		if err != nil {
			return err
		}
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	root, err := parse(text)
	if err != nil {
		return fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), "hujson: "))
	}
	if err := change(&root); err != nil {
		return err
	}
	out := root.Pack()
	var plain bytes.Buffer
	if root.IsStandard() && json.Indent(&plain, out, "", "  ") == nil {
		out = append(bytes.TrimSpace(plain.Bytes()), '\n')
	} else {
		root.Format()
		out = root.Pack()
	}
	mode := os.FileMode(0o600) // it may hold keys
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	if real, err := filepath.EvalSymlinks(file); err == nil { // a link stays one
		file = real
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return swap.Write(file, out, mode, swap.Durable)
}
