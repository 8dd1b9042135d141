package builtin

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"

	"forge/tools"
	"forge/tools/sandbox"
)

type deleteInput struct {
	Path string `json:"path"`
}

func newDelete(e *Env) tools.Tool {
	return prepared("delete_file", "Delete a file, or a folder with all in it.",
		func(_ context.Context, in deleteInput) (*tools.Invocation, error) { return e.prepareDelete(in) })
}

// maxListed is how many files of a folder a person is shown before it is deleted.
const maxListed = 200

func (e *Env) prepareDelete(in deleteInput) (*tools.Invocation, error) {
	t, err := e.whole(in.Path, "run_bash (rm -r)")
	if err != nil {
		return nil, err
	}
	if err := e.allKnown(t); err != nil {
		return nil, err
	}
	c := e.taken(t)
	switch c.Thing {
	case tools.Folder:
		c.Before = listed(t)
	case tools.Link:
		says, err := e.Workspace.Readlink(t.Path.Parent(), path.Base(t.Path.Rel))
		if err != nil {
			return nil, err
		}
		c.Before = []byte("→ " + says + "\n")
	default:
		if err := e.content(t, &c); err != nil {
			return nil, err
		}
	}
	if e.UndoLimit > 0 {
		for _, f := range t.Entries {
			if f.Info.Mode().IsRegular() && f.Info.Size() > e.UndoLimit {
				c.Lost++
			}
		}
	}
	return proposal{env: e, path: t.Path, change: c, tree: &t}.invocation("delete"), nil
}

// maxGone is how much text of a file is shown before it is deleted, in bytes.
const maxGone = 256 << 10

// content fills in what a file holds that is to be deleted, where that can be shown.
func (e *Env) content(t sandbox.Tree, c *tools.Change) error {
	if _, err := e.Workspace.Writable(t.Path); err != nil {
		return err
	}
	if t.Info().Size() > maxGone {
		c.Thing = tools.Large
		return nil
	}
	data, err := e.Workspace.ReadFile(t.Path, maxGone)
	if err != nil {
		return err
	}
	e.learn(data)
	if bytes.IndexByte(readable(data), 0) >= 0 {
		c.Thing = tools.Binary
		return nil
	}
	c.Before = data
	return nil
}

// allKnown refuses what somebody changed since the model saw it.
func (e *Env) allKnown(t sandbox.Tree) error {
	for _, f := range t.Entries {
		p := t.At(f.Rel)
		if !f.Info.Mode().IsRegular() || !e.Seen.has(p.Abs) {
			continue
		}
		data, err := e.Workspace.ReadFile(p, maxFile)
		if err != nil {
			return err
		}
		if _, err := e.known(p, data); err != nil {
			return err
		}
	}
	return nil
}

// listed names what is in a folder, a line each.
func listed(t sandbox.Tree) []byte {
	var b bytes.Buffer
	n := 0
	for i, f := range t.Entries {
		last := i+1 == len(t.Entries) || !strings.HasPrefix(t.Entries[i+1].Rel, f.Rel+"/")
		if i == 0 || f.Info.IsDir() && !last { // a folder is named by what is in it
			continue
		}
		if n++; n <= maxListed {
			name := shown(f.Rel)
			if f.Info.IsDir() {
				name += "/"
			}
			b.WriteString(name + "\n")
		}
	}
	if n > maxListed {
		fmt.Fprintf(&b, "… +%d\n", n-maxListed)
	}
	return b.Bytes()
}
