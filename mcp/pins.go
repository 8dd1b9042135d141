package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	udiff "github.com/aymanbagabas/go-udiff"

	"forge/swap"
)

// A manifest is what is remembered of a server: the definitions of its tools as they
// were approved, and how it is spoken to. It lets a lazy server offer its tools
// before it runs, and it is what later definitions are held against.
type manifest struct {
	Config       string                     `json:"config"` // hash of what the server is
	Era          string                     `json:"era"`    // protocol version it spoke last
	Instructions string                     `json:"instructions,omitempty"`
	Tools        map[string]json.RawMessage `json:"tools"`             // by name, canonical
	Last         []string                   `json:"last"`              // the names it offered last
	Off          []string                   `json:"off,omitempty"`     // switched off by hand
	Until        time.Time                  `json:"until,omitzero"`    // how long that holds, by its word
	Private      bool                       `json:"private,omitempty"` // and only for whom it was told
	For          string                     `json:"for,omitempty"`
	Salt         string                     `json:"salt,omitempty"`
}

// Identity is a hash of what a server is: its command or address and all that is
// given to it, before any reference to the environment is replaced, so that no
// secret is in it.
func (c ServerConfig) Identity() string {
	b, err := json.Marshal(map[string]any{"command": c.Command, "args": c.Args, "env": c.Env, "cwd": c.Cwd, "type": c.Type, "url": c.URL, "headers": c.Headers, "aliases": c.Aliases})
	if err != nil { // texts, lists and maps of them
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// A Change is a definition that is not what was approved. Its tool is withheld until
// it is approved anew.
type Change struct {
	Tool string // empty: the server's instructions
	Diff string
	New  bool // it was not there when the others were approved
}

// definition is what is pinned of a tool, in one form.
func pinned(t RemoteTool) json.RawMessage {
	b, err := json.Marshal(t)
	if err != nil {
		return nil
	}
	return canonical(b)
}

// judge compares a server's tools with what was approved. It returns those that may
// be used, and the changes that keep the others back. What is used for the first
// time is taken over into m; strict asks about that, too, once anything is approved.
func (m *manifest) judge(ts []RemoteTool, strict bool) (ok []RemoteTool, changes []Change) {
	first := len(m.Tools) == 0
	if m.Tools == nil {
		m.Tools = map[string]json.RawMessage{}
	}
	m.Last = nil
	for _, t := range ts {
		m.Last = append(m.Last, t.Name)
		now := pinned(t)
		before, known := m.Tools[t.Name]
		switch {
		case known && string(before) == string(now):
		case known:
			changes = append(changes, Change{Tool: t.Name, Diff: diff(before, now)})
			continue
		case strict && !first:
			changes = append(changes, Change{Tool: t.Name, Diff: diff(nil, now), New: true})
			continue
		default:
			m.Tools[t.Name] = now
		}
		ok = append(ok, t)
	}
	return ok, changes
}

// approve takes the definitions over as they are now.
func (m *manifest) approve(ts []RemoteTool, names func(string) bool) {
	for _, t := range ts {
		if names(t.Name) {
			m.Tools[t.Name] = pinned(t)
		}
	}
}

// heard compares a server's instructions with those that were approved: like a
// description, they are words for the model. The first are taken over.
func (m *manifest) heard(now string) (changes []Change) {
	if m.Instructions == "" {
		m.Instructions = now
	}
	if m.Instructions == now || now == "" {
		return nil
	}
	return []Change{{Diff: udiff.Unified("approved", "now", visible(m.Instructions)+"\n", visible(now)+"\n")}}
}

// remembered gives the tools a server offered last, as they were approved.
func (m *manifest) remembered() []RemoteTool {
	var out []RemoteTool
	for _, name := range m.Last {
		var t RemoteTool
		if raw, ok := m.Tools[name]; ok && json.Unmarshal(raw, &t) == nil {
			out = append(out, t)
		}
	}
	return out
}

func diff(before, now json.RawMessage) string {
	return udiff.Unified("approved", "now", readable(before), readable(now))
}

// readable lays a definition out so that a diff of it can be read: its texts as
// lines.
func readable(raw json.RawMessage) string {
	if raw == nil {
		return ""
	}
	var t RemoteTool
	if json.Unmarshal(raw, &t) != nil {
		return string(raw) + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\n", t.Name)
	if t.Title != "" {
		fmt.Fprintf(&b, "title: %s\n", t.Title)
	}
	b.WriteString(visible(t.Description) + "\n")
	for _, part := range []struct {
		name string
		v    any
	}{{"arguments", t.Input}, {"result", t.Output}, {"hints", t.Hints}} {
		if j, err := json.MarshalIndent(part.v, "", "  "); err == nil && string(j) != "null" && string(j) != "{}" {
			fmt.Fprintf(&b, "%s: %s\n", part.name, visible(string(j)))
		}
	}
	return b.String()
}

// visible writes letters that are not seen as their numbers: a change of nothing
// else must not look like none.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unseen(r) {
			fmt.Fprintf(&b, "<U+%04X>", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// manifestFile is where a server's manifest is kept; empty: nowhere.
func manifestFile(dir, key, identity string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, key+"-"+identity[:12]+".json")
}

// maxManifest bounds a manifest, in bytes.
const maxManifest = 16 << 20

// loadManifest reads what is remembered of a server; nothing, if that is of another
// one or cannot be read.
func loadManifest(path, identity string) (*manifest, error) {
	m := &manifest{Config: identity}
	if path == "" {
		return m, nil
	}
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxManifest))
	var read manifest
	if err == nil {
		err = json.Unmarshal(b, &read)
	}
	if err != nil {
		return m, fmt.Errorf("read %s: %w", path, err)
	}
	if read.Config != identity {
		return m, nil
	}
	return &read, nil
}

// save writes the manifest, whole or not at all.
func (m *manifest) save(path string) error {
	if path == "" {
		return nil
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return swap.Write(path, b, 0o600, swap.Quick)
}
