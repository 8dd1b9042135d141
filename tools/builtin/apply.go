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
	e.learn(data)
	if errors.Is(err, sandbox.ErrTooLarge) {
		err = fmt.Errorf("%s is %s, files up to %s are changed here; use run_bash (sed, a script) for it", p.Name, size(fi.Size()), size(maxFile))
	}
	return data, fi.Mode(), err
}

// learn looks for secrets in a whole file, whatever part of it is shown.
func (e *Env) learn(data []byte) {
	if e.Veil != nil && len(data) > 0 {
		e.Veil.Learn(string(data))
	}
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
	note   string        // for the result
	model  []byte        // what the model proposed itself, where change is that joined with a file that was changed; nil: change.After
	whole  bool          // the model sent all of the file, so it knows it
	tree   *sandbox.Tree // what is deleted, or moved to path; nil: neither
}

// invocation proposes a change. verb is what the title begins with.
func (p proposal) invocation(verb string) *tools.Invocation {
	paths := []string{p.path.Abs}
	if p.tree != nil {
		paths = p.tree.Under(p.tree.Path)
	}
	if p.change.Op == tools.Move {
		paths = append(paths, p.tree.Under(p.path)...)
	}
	return &tools.Invocation{
		Effect: tools.Effect{
			Kind:    tools.Write,
			Title:   verb + " " + told(p.change),
			Paths:   paths,
			Changes: []tools.Change{p.change},
		},
		Run: func(_ context.Context, effect tools.Effect, _ io.Writer) (tools.Result, error) { return p.run(effect) },
	}
}

// told names a change: the file, and how much of it changes.
func told(c tools.Change) string {
	switch {
	case c.Op == tools.Move && c.Thing == tools.Folder:
		return fmt.Sprintf("folder %s → %s (%s)", c.From, c.Path, plural(c.Files, "file"))
	case c.Op == tools.Move:
		return fmt.Sprintf("%s → %s", c.From, c.Path)
	case c.Thing == tools.Folder:
		return fmt.Sprintf("folder %s (%s, %s)", c.Path, plural(c.Files, "file"), size(c.Size))
	case c.Thing == tools.Link:
		return "link " + c.Path
	case c.Thing != tools.Text:
		return fmt.Sprintf("%s (%s)", c.Path, size(c.Size))
	}
	return fmt.Sprintf("%s (%s)", c.Path, stats(diff.Hunks(readable(c.Before), readable(c.After))))
}

func stats(hunks []diff.Hunk) string {
	added, removed := diff.Stats(hunks)
	return fmt.Sprintf("+%d −%d", added, removed)
}

// run writes exactly the changes of effect, which a reviewer may have cut down or
// rewritten, and tells what landed. A file that was changed since the proposal was
// made is not written: the result offers the change joined with it.
func (p proposal) run(effect tools.Effect) (tools.Result, error) {
	var told, review strings.Builder
	res := tools.Result{Wrote: []tools.Change{}}
	for _, c := range effect.Changes {
		if c.Op == tools.Modify && bytes.Equal(c.Before, c.After) && c.Mode == 0 {
			continue // every hunk was dropped
		}
		err := p.apply(c)
		if errors.Is(err, sandbox.ErrChanged) && p.tree == nil {
			return p.stale(c, err, res, told.String())
		}
		if err != nil && len(res.Wrote) > 0 {
			return tools.Result{Text: told.String() + err.Error(), IsError: true, Wrote: res.Wrote, Display: "written in part"}, nil
		}
		if err != nil {
			return tools.Result{}, err
		}
		res.Wrote = append(res.Wrote, c)
		text, differs := p.landed(c)
		if strings.Contains(differs, cutShort) {
			p.forget(c)
		}
		told.WriteString(text)
		review.WriteString(differs)
	}
	switch {
	case len(res.Wrote) > 0:
	case p.tree != nil:
		res.Text = fmt.Sprintf("nothing was changed: the reviewer did not let %s go; ask what they want before you try again", p.tree.Path.Name)
		res.Display = "nothing applied"
		return res, nil
	default:
		res.Text = fmt.Sprintf("nothing was written to %s: the reviewer dropped every hunk; ask what they want before you try again", p.path.Name)
		res.Display = "nothing applied"
		return res, nil
	}
	if p.note != "" {
		told.WriteString(p.note + "\n")
	}
	res.Display, _, _ = strings.Cut(told.String(), "\n")
	res.Text, res.Review = strings.TrimSuffix(told.String(), "\n"), review.String()
	if first, _, _ := strings.Cut(res.Review, "\n"); first != "" {
		res.Display = strings.TrimSuffix(first, ":")
	}
	return res, nil
}

// forget notes that the model was not told all of what a reviewer wrote: it knows
// its own version, and has to read the file before it changes that.
func (p proposal) forget(c tools.Change) {
	path, err := p.env.Workspace.Resolve(c.Path)
	if state, _ := p.env.Seen.check(path.Abs, c.After); err == nil && state == fresh {
		p.env.Seen.Record(path.Abs, p.change.After)
	}
}

func (p proposal) apply(c tools.Change) error {
	if p.tree != nil {
		return p.relocate(c)
	}
	return p.env.write(c, p.whole)
}

// write makes one change, if the file still is what the change starts from. An
// edit does not make a file known that was never read, or was changed since.
func (e *Env) write(c tools.Change, whole bool) error {
	path, err := e.Workspace.Resolve(c.Path)
	if err != nil {
		return err
	}
	if c.Conflicts > 0 {
		return fmt.Errorf("nothing was written: %s was changed %s where you changed it too; read it again, then change it", c.Path, meanwhile)
	}
	before := c.Before
	switch {
	case c.Op == tools.Create:
		before = nil
	case before == nil:
		before = []byte{} // an empty file, not a missing one
	}
	err = e.Workspace.Write(path, before, c.After, c.Mode)
	switch {
	case errors.Is(err, sandbox.ErrChanged):
		return fmt.Errorf("nothing was written: %w, after this change was prepared; read it again, then change it", err)
	case err != nil:
		return fmt.Errorf("nothing was written: %w", err)
	}
	if state, _ := e.Seen.check(path.Abs, before); whole || state == fresh {
		e.Seen.Record(path.Abs, c.After)
	}
	return nil
}

// droppedBits is what to say where a write cannot keep all of a mode.
func droppedBits(p sandbox.Path, mode fs.FileMode) string {
	if mode&(fs.ModeSetuid|fs.ModeSetgid|fs.ModeSticky) == 0 {
		return ""
	}
	return fmt.Sprintf("note: %s had a setuid, setgid or sticky bit, which was dropped", p.Name)
}
