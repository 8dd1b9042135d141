package journal

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"forge/sorting"
	"forge/tools/diff"
)

// Scope is how far an undo goes back.
type Scope int

// The scopes.
const (
	LastRun  Scope = iota // everything the last prompt's run changed
	LastTurn              // what its last model turn changed
)

// Do is what a plan does to a file.
type Do string

// What is done.
const (
	Restore Do = "restore" // it gets the content it had, and stands there again if it was gone
	Remove  Do = "remove"
	Merge   Do = "merge" // as Restore, and edits made since are kept
	Mode    Do = "mode"  // only its permissions change
	Keep    Do = "keep"  // it stays as it is: Why
)

// File is one path of a plan.
type File struct {
	Path  string // relative to the main folder where it lies in it, else absolute; with slashes
	Do    Do
	Dir   bool
	Why   string      // why it is kept, for a person
	Hunks []diff.Hunk // what would change in it; of one in conflict, what it was to be
	abs   string
	tree  *tree
	rel   string
	now   State  // as it is
	want  State  // as it will be
	data  []byte // the content it will have

	unkept   bool   // it stays because a content is not kept
	from, to string // of a file that gets its old name again: where it is now, where it will be; absolute
	temp     string // in the name of the file that is to take its place
}

// Plan is what taking back, or bringing again, would do now.
type Plan struct {
	Label string    // the prompt whose changes they are
	When  time.Time // when the last of them was made, UTC
	Redo  bool
	Turns int // model turns that changed something, in the runs taken back
	Files []File

	j     *Journal
	steps []int
	redo  *taken
}

// Undo plans to take back the last changes that were not taken back yet.
// ErrNothing: there are none.
func (j *Journal) Undo(scope Scope) (*Plan, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for {
		active := j.book.active()
		if len(active) == 0 {
			return nil, ErrNothing
		}
		last := active[len(active)-1]
		var steps []*Step
		for _, s := range active {
			if s.Run == last.Run && (scope == LastRun || s.Turn == last.Turn) {
				steps = append(steps, s)
			}
		}
		p := j.plan(steps)
		halted := j.book.halted(p.steps, nil)
		if len(p.Files) > 0 || len(halted) == 0 {
			return p, nil
		}
		// All of it was done when forge was killed, but for the note.
		if err := j.book.took(&taken{Steps: p.steps, Label: p.Label, Time: time.Now().UTC(), Changes: halted}); err != nil {
			j.tellOnce("write", notKept(err))
		}
	}
}

// Since plans to take back what was first changed after a time, and everything that was
// changed behind it, whatever the clock said then.
func (j *Journal) Since(t time.Time) (*Plan, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var steps []*Step
	for _, s := range j.book.active() {
		if len(steps) > 0 || s.Time.After(t) {
			steps = append(steps, s)
		}
	}
	if len(steps) == 0 {
		return nil, ErrNothing
	}
	return j.plan(steps), nil
}

// Redo plans to bring again what was taken back last.
func (j *Journal) Redo() (*Plan, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := len(j.book.redo)
	if n == 0 {
		return nil, ErrNothing
	}
	t := j.book.redo[n-1]
	p := &Plan{j: j, Redo: true, Label: t.Label, When: t.Time, redo: t}
	p.Files = j.files([][]Change{t.Changes})
	return p, nil
}

func (j *Journal) plan(steps []*Step) *Plan {
	last := steps[len(steps)-1]
	p := &Plan{j: j, Label: steps[0].Label, When: last.Time}
	var changes [][]Change
	turns := map[[2]int]bool{}
	for _, s := range steps {
		p.steps = append(p.steps, s.ID)
		changes = append(changes, s.Changes)
		turns[[2]int{s.Run, s.Turn}] = true
	}
	p.Turns = len(turns)
	p.Files = j.files(changes)
	return p
}

// files works out what becomes of each path that changes speak of; they are in
// order, the oldest first.
func (j *Journal) files(changes [][]Change) []File {
	byPath := map[string][]Change{}
	for _, cs := range changes {
		for _, c := range cs {
			byPath[string(c.Path)] = append(byPath[string(c.Path)], c)
		}
	}
	var out []File
	for path, cs := range byPath {
		f := File{abs: path, Path: j.name(path)}
		if f.tree, f.rel = j.reach(path); f.tree == nil || f.rel == "." || private(f.rel) {
			f.Do, f.Why = Keep, "it lies in no folder of this workspace"
			out = append(out, f)
			continue
		}
		f.now = f.tree.readState(f.rel)
		f.Dir = f.now.Kind == KindDir || f.now.Kind == KindNone && cs[0].Before.Kind == KindDir
		j.back(&f, cs)
		if f.Do != "" {
			out = append(out, f)
		}
	}
	sorting.By(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	pair(out)
	return out
}

// name is how a path is shown.
func (j *Journal) name(abs string) string {
	if len(j.o.Roots) > 0 {
		if rel, err := filepath.Rel(j.o.Roots[0], abs); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(abs)
}

// back turns the changes of one path round, the newest first. What differs from
// what a change left behind was edited by somebody since, and is kept if it can be
// told apart.
func (j *Journal) back(f *File, cs []Change) {
	s := f.now
	var data []byte // of s, where it is in no store
	merged := false
	for i := len(cs) - 1; i >= 0; i-- {
		c := cs[i]
		next, nextData, did, err := j.invert(f, s, data, c)
		if err != nil {
			f.Do, f.Why = Keep, err.Error()
			var clash conflict
			if errors.As(err, &clash) {
				f.Hunks = clash.hunks
			}
			return
		}
		s, data = next, nextData
		merged = merged || did
	}
	if s.same(f.now) {
		return // nothing to do
	}
	f.want, f.data = s, data
	if s.Kind == KindFile && !s.sameContent(f.now) && data == nil {
		var err error
		if f.data, err = j.content(s.Hash); err != nil {
			f.Do, f.Why, f.unkept = Keep, missing(s), true
			return
		}
	}
	if f.now.Kind == KindFile && s.Kind != KindFile || f.now.Kind == KindFile && !s.sameContent(f.now) {
		// What is overwritten must be there to be brought again.
		if f.now.Hash == "" {
			f.Do, f.Why, f.unkept = Keep, missing(f.now), true
			return
		}
	}
	switch {
	case s.Kind == KindNone:
		f.Do = Remove
	case s.sameContent(f.now):
		f.Do = Mode
	case merged:
		f.Do = Merge
	default:
		f.Do = Restore
	}
	if f.now.Kind != KindDir && s.Kind != KindDir {
		f.Hunks = diff.Hunks(text(j, f.now, nil), text(j, s, f.data))
	}
}

// text is a content as a diff shows it; nothing of what is no text.
func text(j *Journal, s State, data []byte) []byte {
	switch {
	case s.Kind == KindLink:
		return []byte("→ " + string(s.Link) + "\n")
	case s.Kind != KindFile:
		return nil
	case data == nil:
		data, _ = j.content(s.Hash)
	}
	if isBinary(data) {
		return []byte(fmt.Sprintf("(binary, %d bytes)\n", len(data)))
	}
	return data
}

func isBinary(data []byte) bool { return bytes.IndexByte(data[:min(len(data), 8<<10)], 0) >= 0 }

func missing(s State) string {
	if s.Hash == "" {
		return "what it held is not kept: it is too large, or there was no room"
	}
	return "what it held is no longer kept"
}

// content reads what is known under a hash.
func (j *Journal) content(hash string) ([]byte, error) {
	data, err := j.book.get(hash)
	if err != nil {
		if d, e := j.seen.get(key(hash)); e == nil {
			return d, nil
		}
	}
	return data, err
}

// conflict is an edit of the person's in the same lines.
type conflict struct {
	places int
	hunks  []diff.Hunk
}

func (c conflict) Error() string {
	if c.places == 1 {
		return "the same lines were edited since"
	}
	return fmt.Sprintf("the same lines were edited since, in %d places", c.places)
}

// invert is s as it would be had c not happened. s, or data where it is in no
// store, is what is there now; the result comes the same way. merged says that
// edits were kept. The error says, for a person, why that cannot be done.
func (j *Journal) invert(f *File, s State, data []byte, c Change) (_ State, _ []byte, merged bool, err error) {
	before, after := c.Before, c.After
	switch {
	case s.sameContent(after):
		if after.Foreign && before.Kind == KindNone {
			return s, data, false, errors.New("it was moved here from where forge does not look: nothing else may hold it")
		}
		mode, err := modeBack(s, before, after)
		if before.Kind == after.Kind && before.sameContent(after) { // only the mode
			s.Mode = mode
			return s, data, false, err
		}
		out := before
		if before.Kind == after.Kind {
			out.Mode = mode
		}
		return out, nil, false, err
	case s.sameContent(before):
		if s.Kind != KindNone {
			s.Mode, err = modeBack(s, before, after)
		}
		return s, data, false, err
	case before.sameContent(after): // only the mode changed, and the content since
		if s.Kind == before.Kind {
			s.Mode, err = modeBack(s, before, after)
		}
		return s, data, false, err
	case s.Kind == KindNone && before.Kind == KindNone:
		return s, data, false, nil
	case s.Kind == KindNone:
		return s, data, false, errors.New("it was deleted since")
	case after.Kind == KindNone:
		return s, data, false, errors.New("another stands in its place now")
	case before.Kind == KindNone:
		return s, data, false, errors.New("it was edited since it was made")
	case s.Kind != KindFile || before.Kind != KindFile || after.Kind != KindFile:
		return s, data, false, errors.New("it is something else now than what was left there")
	case s.Hash == "" || before.Hash == "" || after.Hash == "":
		return s, data, false, errors.New("it was edited since, and is too large to keep both")
	}
	base, err := j.content(after.Hash)
	theirs, err2 := j.content(before.Hash)
	ours := data
	var err3 error
	if ours == nil {
		if ours, err3 = j.content(s.Hash); err3 != nil { // not kept, but it is still there
			ours, err3 = f.tree.content(f.rel)
		}
	}
	if errors.Join(err, err2, err3) != nil {
		return s, data, false, errors.New("it was edited since, and what it held before is no longer kept")
	}
	if isBinary(base) || isBinary(theirs) || isBinary(ours) {
		return s, data, false, errors.New("it was edited since, and is no text")
	}
	out, places := mergeBack(base, ours, theirs)
	if places > 0 {
		return s, data, false, conflict{places, diff.Hunks(ours, theirs)}
	}
	s.Hash, s.Size = hashOf(out), int64(len(out))
	s.Mode, err = modeBack(s, before, after)
	return s, out, true, err
}

// modeBack is the mode s gets: what it had before, unless somebody gave it another
// one since.
func modeBack(s, before, after State) (uint32, error) {
	if s.Mode == after.Mode && before.Kind != KindNone && after.Kind != KindNone {
		return before.Mode, nil
	}
	return s.Mode, nil
}
