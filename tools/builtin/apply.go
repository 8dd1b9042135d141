package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"forge/tools"
	"forge/tools/diff"
	"forge/tools/sandbox"
)

// maxFile is the largest file that is held in memory whole, and so the largest
// that can be edited, in bytes.
const maxFile = 16 << 20

// maxShown is how many lines around its changes a result shows.
const maxShown = 60

// current reads what p holds now. data is nil if it does not exist, and not nil if
// it is empty.
func (e *Env) current(p sandbox.Path) (data []byte, mode fs.FileMode, err error) {
	fi, err := e.Workspace.Writable(p)
	if err != nil || fi == nil {
		return nil, 0, err
	}
	data, err = e.Workspace.ReadFile(p, maxFile)
	if errors.Is(err, sandbox.ErrTooLarge) {
		err = fmt.Errorf("%s is %s, files up to %s are changed here; use run_bash (sed, a script) for it", p.Name, size(fi.Size()), size(maxFile))
	}
	return data, fi.Mode(), err
}

// known refuses a file that somebody changed since the model saw it: what it wants
// to write was thought out for another text.
func (e *Env) known(p sandbox.Path, data []byte) (freshness, error) {
	state, last := e.Seen.check(p.Abs, data)
	if state != changed {
		return state, nil
	}
	what := ""
	if last != nil {
		what = "\nwhat changed:\n" + changesText(diff.Hunks(readable(last), readable(data)), 40)
	}
	return state, fmt.Errorf("%s changed on disk since you last read it; read it again, then change it%s", p.Name, what)
}

// proposal is one change to a file as Prepare worked it out.
type proposal struct {
	env    *Env
	path   sandbox.Path
	change tools.Change
	note   string // for the result
	whole  bool   // the model sent all of the file, so it knows it
}

// invocation proposes a change. verb is what the title begins with.
func (p proposal) invocation(verb string) *tools.Invocation {
	hunks := diff.Hunks(readable(p.change.Before), readable(p.change.After))
	return &tools.Invocation{
		Effect: tools.Effect{
			Kind:    tools.Write,
			Title:   fmt.Sprintf("%s %s (%s)", verb, p.path.Name, stats(hunks)),
			Paths:   []string{p.path.Abs},
			Changes: []tools.Change{p.change},
		},
		Run: func(_ context.Context, effect tools.Effect, _ io.Writer) (tools.Result, error) { return p.run(effect) },
	}
}

func stats(hunks []diff.Hunk) string {
	added, removed := diff.Stats(hunks)
	return fmt.Sprintf("+%d −%d", added, removed)
}

// run writes exactly the changes of effect, which a reviewer may have cut down,
// and tells what landed.
func (p proposal) run(effect tools.Effect) (tools.Result, error) {
	var b strings.Builder
	written := false
	for _, c := range effect.Changes {
		if c.Op != tools.Delete && bytes.Equal(c.Before, c.After) && c.Op != tools.Create {
			continue // every hunk was dropped
		}
		if err := p.env.write(c, p.whole); err != nil {
			return tools.Result{}, err
		}
		written = true
		b.WriteString(p.landed(c))
	}
	if !written {
		return tools.Result{
			Text:    fmt.Sprintf("nothing was written to %s: the reviewer dropped every hunk; ask what they want before you try again", p.path.Name),
			Display: "nothing applied",
		}, nil
	}
	if p.note != "" {
		b.WriteString(p.note + "\n")
	}
	display, _, _ := strings.Cut(b.String(), "\n")
	return tools.Result{Text: strings.TrimSuffix(b.String(), "\n"), Display: display}, nil
}

// write makes one change, if the file still is what the change starts from. An
// edit does not make a file known that was never read.
func (e *Env) write(c tools.Change, whole bool) error {
	path, err := e.Workspace.Resolve(c.Path)
	if err != nil {
		return err
	}
	before := c.Before
	switch {
	case c.Op == tools.Create:
		before = nil
	case before == nil:
		before = []byte{} // an empty file, not a missing one
	}
	if c.Op == tools.Delete {
		err = e.Workspace.Remove(path, before)
	} else {
		err = e.Workspace.Write(path, before, c.After, c.Mode)
	}
	switch {
	case errors.Is(err, sandbox.ErrChanged):
		return fmt.Errorf("nothing was written: %w (after this change was prepared); read it again, then change it", err)
	case err != nil:
		return fmt.Errorf("nothing was written: %w", err)
	case c.Op == tools.Delete:
		e.Seen.Forget(path.Abs)
	}
	if state, _ := e.Seen.check(path.Abs, before); c.Op != tools.Delete && (whole || state != unread) {
		e.Seen.Record(path.Abs, c.After)
	}
	return nil
}

// landed tells what a written change did, and what of the proposal it left out.
func (p proposal) landed(c tools.Change) string {
	hunks := diff.Hunks(readable(c.Before), readable(c.After))
	verb := map[tools.Op]string{tools.Create: "created", tools.Modify: "changed", tools.Delete: "deleted"}[c.Op]
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s)\n", verb, c.Path, stats(hunks))
	if c.Path == p.change.Path && !bytes.Equal(c.After, p.change.After) {
		b.WriteString(p.leftOut(c))
	}
	if c.Op == tools.Modify {
		b.WriteString(around(c.Before, c.After, maxShown))
	}
	return b.String()
}

// leftOut tells how the reviewer's version differs from what was proposed.
func (p proposal) leftOut(c tools.Change) string {
	hunks := diff.Hunks(p.change.Before, p.change.After)
	kept, ok := diff.Kept(p.change.Before, hunks, c.After)
	if !ok {
		return "the reviewer wrote another version; this is how it differs from yours:\n" +
			changesText(diff.Hunks(readable(p.change.After), readable(c.After)), maxShown)
	}
	var dropped []diff.Hunk
	for i, k := range kept {
		if !k {
			dropped = append(dropped, hunks[i])
		}
	}
	return fmt.Sprintf("applied %d of %s; the reviewer dropped, and the file does not have:\n%s",
		len(hunks)-len(dropped), plural(len(hunks), "hunk"), changesText(dropped, maxShown)) + "the file now:\n"
}

// droppedBits is what to say where a write cannot keep all of a mode.
func droppedBits(p sandbox.Path, mode fs.FileMode) string {
	if mode&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) == 0 {
		return ""
	}
	return fmt.Sprintf("note: %s had a setuid, setgid or sticky bit, which was dropped", p.Name)
}
