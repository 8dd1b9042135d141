package builtin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"forge/tools"
	"forge/tools/sandbox"
)

type moveInput struct {
	From string `json:"from"`
	To   string `json:"to"`
}

func newMove(e *Env) tools.Tool {
	return prepared("move_file", "Move or rename a file or folder to a path that is free; with / at its end, into that folder.",
		func(_ context.Context, in moveInput) (*tools.Invocation, error) { return e.prepareMove(in) })
}

func (e *Env) prepareMove(in moveInput) (*tools.Invocation, error) {
	t, err := e.whole(in.From, "run_bash (mv)")
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(in.To, "/") {
		in.To += path.Base(t.Path.Rel)
	}
	to, err := e.Workspace.ResolveEntry(in.To)
	if err != nil {
		return nil, err
	}
	if err := e.Workspace.Vacant(t, to); err != nil {
		return nil, err
	}
	c := e.taken(t)
	c.Op, c.Path, c.From = tools.Move, to.Name, t.Path.Name
	if c.Thing != tools.Folder && c.Thing != tools.Link {
		c.Thing = tools.Text // whatever it holds, it holds it still
	}
	p := proposal{env: e, path: to, change: c, tree: &t}
	if c.Thing == tools.Link && path.Dir(t.Path.Rel) != path.Dir(to.Rel) {
		if says, err := e.Workspace.Readlink(t.Path.Parent(), path.Base(t.Path.Rel)); err == nil && !filepath.IsAbs(says) {
			p.note = fmt.Sprintf("note: the link says %s, which is read from the folder it lies in", shown(says))
		}
	}
	return p.invocation("move"), nil
}

// maxTree is how many files, links and folders are moved or deleted in one call.
const maxTree = 2000

// whole looks at what is to be moved or deleted. other is how else that can be done.
func (e *Env) whole(name, other string) (sandbox.Tree, error) {
	p, err := e.Workspace.ResolveEntry(name)
	if err != nil {
		return sandbox.Tree{}, err
	}
	t, err := e.Workspace.Tree(p, maxTree)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, e.missing(p)
	case errors.Is(err, sandbox.ErrCrowded):
		return t, fmt.Errorf("%w; use %s for it", err, other)
	}
	return t, err
}

// taken is the change that takes t away from where it is.
func (e *Env) taken(t sandbox.Tree) tools.Change {
	c := tools.Change{Path: t.Path.Name, Op: tools.Delete}
	n, size := t.Count()
	c.Size = size
	switch mode := t.Info().Mode(); {
	case mode.IsDir():
		c.Thing, c.Files = tools.Folder, n
	case mode&fs.ModeSymlink != 0:
		c.Thing = tools.Link
	}
	return c
}

// relocate carries out a deletion or a move, if what it is about still is what was
// looked at.
func (p proposal) relocate(c tools.Change) error {
	e, t := p.env, *p.tree
	if c.Op == tools.Move {
		switch err := e.Workspace.Move(t, p.path); {
		case errors.Is(err, sandbox.ErrCopied):
			return err
		case err != nil:
			return fmt.Errorf("nothing was moved: %w", err)
		}
		e.Seen.Move(t.Path.Abs, p.path.Abs)
		return nil
	}
	gone, err := 0, error(nil)
	if c.Thing == tools.Text {
		before := c.Before
		if before == nil {
			before = []byte{} // an empty file, not a missing one
		}
		err = e.Workspace.Remove(p.path, before)
	} else {
		gone, err = e.Workspace.Delete(t)
	}
	switch {
	case err != nil && gone > 0:
		return fmt.Errorf("only %d of %d entries are gone, the rest stays: %w", gone, len(t.Entries), err)
	case errors.Is(err, sandbox.ErrChanged):
		return fmt.Errorf("nothing was deleted: %w, after this was prepared; look again, then delete it", err)
	case err != nil:
		return fmt.Errorf("nothing was deleted: %w", err)
	}
	e.Seen.Forget(t.Path.Abs)
	return nil
}
