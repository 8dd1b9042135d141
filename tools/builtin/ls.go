package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"forge/sorting"
	"forge/tools"
	"forge/tools/sandbox"
)

const (
	maxEntries   = 200
	defaultDepth = 2
	maxDepth     = 10
)

// unlisted are the folders that are named, but not opened: what version control
// keeps and what builds make.
var unlisted = []string{
	".git", ".hg", ".svn", ".jj", "node_modules", "vendor", "target", "dist", "build", "out", "__pycache__",
	".venv", "venv", ".tox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".next", ".nuxt", ".gradle", ".cache", "coverage",
}

type listInput struct {
	Path  string `json:"path,omitempty"`
	Depth int    `json:"depth,omitempty" description:"levels of folders, default 2"`
}

func newList(e *Env) tools.Tool {
	return prepared("list_dir", "List a folder as a tree, with sizes. Shows up to 200 entries, the upper levels first; "+
		"version control and build folders are named, not opened.",
		func(_ context.Context, in listInput) (*tools.Invocation, error) { return e.prepareList(in) })
}

func (e *Env) prepareList(in listInput) (*tools.Invocation, error) {
	if in.Depth < 0 || in.Depth > maxDepth {
		return nil, fmt.Errorf("depth is %d, must be 1 to %d", in.Depth, maxDepth)
	}
	p, err := e.Workspace.Resolve(cmp.Or(in.Path, "."))
	if err != nil {
		return nil, err
	}
	fi, err := e.Workspace.Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, e.missing(p)
	case err != nil:
		return nil, err
	case !fi.IsDir():
		return nil, fmt.Errorf("%s is a file; use read_file for it", p.Name)
	}
	return &tools.Invocation{
		Effect: tools.Effect{Kind: tools.Read, Title: "list " + p.Name, Paths: []string{p.Abs}},
		Run: func(ctx context.Context, _ tools.Effect, _ io.Writer) (tools.Result, error) {
			return e.list(ctx, p, cmp.Or(in.Depth, defaultDepth))
		},
	}, nil
}

// entry is one line of the tree.
type entry struct {
	name  string
	dir   bool
	note  string // its size, where it points, or why nothing is below it
	below []*entry
	hides int // entries below that found no room
}

func (e *Env) list(ctx context.Context, p sandbox.Path, depth int) (tools.Result, error) {
	top := &entry{name: p.Name, dir: true}
	type level struct {
		path string
		at   *entry
	}
	room := maxEntries
	now := []level{{p.Abs, top}}
	for d := 0; len(now) > 0; d++ {
		var next []level
		for _, l := range now {
			if ctx.Err() != nil {
				return tools.Result{}, ctx.Err()
			}
			found, err := e.entries(l.path)
			if err != nil && l.at == top {
				return tools.Result{}, fmt.Errorf("list_dir: %w", err)
			}
			switch {
			case err != nil:
				l.at.note = "cannot be read"
				continue
			case d == depth || room == 0: // its folder is shown, what is in it is only counted
				if len(found) > 0 {
					l.at.note = counted(len(found))
				}
				continue
			}
			l.at.below = found[:min(len(found), room)]
			l.at.hides = len(found) - len(l.at.below)
			room -= len(l.at.below)
			for _, c := range l.at.below {
				if c.dir && c.note == "" {
					next = append(next, level{filepath.Join(l.path, c.name), c})
				}
			}
		}
		now = next
	}
	var b strings.Builder
	if len(top.below) == 0 {
		fmt.Fprintf(&b, "%s is empty", p.Name)
	} else {
		fmt.Fprintf(&b, "%s:\n", p.Name)
		top.draw(&b, p.Name, "")
	}
	return tools.Result{Text: strings.TrimSuffix(b.String(), "\n"), Display: counted(maxEntries - room)}, nil
}

func counted(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// entries reads one folder, its folders first. Links are named, not followed.
func (e *Env) entries(abs string) ([]*entry, error) {
	p, err := e.Workspace.Resolve(abs)
	if err != nil {
		return nil, err
	}
	es, err := e.Workspace.ReadDir(p)
	if err != nil {
		return nil, err
	}
	hide := e.hidden("list_dir")
	out := make([]*entry, 0, len(es))
	for _, d := range es {
		if hide != nil && hide(filepath.Join(abs, d.Name())) {
			continue
		}
		c := &entry{name: d.Name(), dir: d.IsDir()}
		switch {
		case c.dir && slices.Contains(unlisted, c.name):
			c.note = "not listed"
		case c.dir:
		case d.Type()&fs.ModeSymlink != 0:
			c.note = "link"
			if to, err := e.Workspace.Readlink(p, d.Name()); err == nil {
				c.note = "→ " + shown(to)
			}
		case !d.Type().IsRegular():
			c.note = "pipe, socket or device"
		default:
			if fi, err := d.Info(); err == nil {
				c.note = size(fi.Size())
			}
		}
		out = append(out, c)
	}
	sorting.StableBy(out, func(a, b *entry) int {
		switch {
		case a.dir == b.dir:
			return 0
		case a.dir:
			return -1
		}
		return 1
	})
	return out, nil
}

// draw writes what is below t, whose path is where.
func (t *entry) draw(b *strings.Builder, where, indent string) {
	for _, c := range t.below {
		switch {
		case c.dir && c.note != "":
			fmt.Fprintf(b, "%s%s (%s)\n", indent, shown(c.name+"/"), c.note)
		case c.dir:
			fmt.Fprintf(b, "%s%s\n", indent, shown(c.name+"/"))
		default:
			fmt.Fprintf(b, "%s%s  %s\n", indent, shown(c.name), c.note)
		}
		c.draw(b, path.Join(where, c.name), indent+"  ")
	}
	if t.hides > 0 {
		fmt.Fprintf(b, "%s…(%s more in %s; use glob to find among them)\n", indent, counted(t.hides), where)
	}
}
