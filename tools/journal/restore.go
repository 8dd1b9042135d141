package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/sorting"
	"forge/swap"
)

// Done is what became of a plan.
type Done struct {
	Files []File // those that were changed
	Kept  []File // those that stay as they are, with the reason
}

// Apply carries the plan out, all but what it keeps. A file that is no longer what
// it was when the plan was made stays as it is. What is overwritten is kept first,
// so that it can be brought again: where that fails nothing is changed. The error
// says that nothing was changed.
func (p *Plan) Apply() (Done, error) {
	j := p.j
	j.mu.Lock()
	defer j.mu.Unlock()
	if !p.current() {
		return Done{}, errors.New("the journal went on meanwhile; look at the changes again")
	}
	var done Done
	var todo []*File
	for i := range p.Files {
		if f := &p.Files[i]; f.Do != Keep && !f.tree.readState(f.rel).same(f.now) {
			f.Do, f.Why = Keep, "it was edited just now"
		}
	}
	together(p.Files)
	for i := range p.Files {
		f := &p.Files[i]
		if f.Do == Keep {
			done.Kept = append(done.Kept, *f)
			continue
		}
		todo = append(todo, f)
	}
	if len(todo) == 0 {
		return done, nil
	}
	if err := j.save(todo); err != nil {
		return Done{}, fmt.Errorf("what is there now could not be kept: %w; nothing was changed", err)
	}
	roots := map[*tree]*os.Root{}
	defer func() {
		for _, r := range roots {
			r.Close()
		}
	}()
	for _, f := range todo {
		if roots[f.tree] == nil {
			r, err := os.OpenRoot(f.tree.root)
			if err != nil {
				return Done{}, fmt.Errorf("%w; nothing was changed", err)
			}
			roots[f.tree] = r
		}
	}
	halted := j.book.halted(p.steps, todo)
	begun := &taken{Steps: p.steps, Label: p.Label, Time: time.Now().UTC(), Temp: rand.Text()}
	for _, f := range todo {
		f.temp = begun.Temp
		begun.Changes = append(begun.Changes, Change{exact(f.abs), f.now, f.want})
	}
	begun.Changes = append(begun.Changes, halted...)
	if err := j.book.begins(begun); err != nil {
		return Done{}, fmt.Errorf("%w; nothing was changed", err)
	}
	errs := restore(todo, roots)
	t := &taken{Steps: p.steps, Label: p.Label, Time: begun.Time, Changes: halted}
	for _, f := range todo {
		if err := errs[f]; err != nil {
			if !errors.Is(err, errInUse) {
				f.Do, f.Why = Keep, err.Error()
				done.Kept = append(done.Kept, *f)
			}
			continue
		}
		done.Files = append(done.Files, *f)
		t.Changes = append(t.Changes, Change{exact(f.abs), f.now, f.want})
	}
	if len(done.Files) == 0 {
		return done, nil
	}
	var err error
	if p.Redo {
		err = j.book.brought(p.redo)
	} else {
		err = j.book.took(t)
	}
	if err != nil {
		j.tellOnce("write", notKept(err))
	}
	return done, nil
}

// current says whether the plan still is about what was done last.
func (p *Plan) current() bool {
	b := p.j.book
	if p.Redo {
		return len(b.redo) > 0 && b.redo[len(b.redo)-1] == p.redo
	}
	last := p.steps[len(p.steps)-1]
	active := b.active()
	return len(active) > 0 && active[len(active)-1].ID == last && p.j.flying == 0
}

// save keeps what is about to be overwritten, and what a merge made.
func (j *Journal) save(todo []*File) error {
	if err := j.home(); err != nil {
		return err
	}
	for _, f := range todo {
		if f.now.Kind == KindFile && !f.want.sameContent(f.now) && f.to == "" {
			data, err := f.tree.content(f.rel)
			if err == nil && hashOf(data) != f.now.Hash {
				err = errors.New("it was edited just now")
			}
			if err == nil {
				_, err = j.book.put(data)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
		}
		if f.want.Kind == KindFile && f.data != nil {
			if _, err := j.book.put(f.data); err != nil {
				return err
			}
		}
	}
	return nil
}

// content reads a file as it is.
func (t *tree) content(rel string) ([]byte, error) {
	h, err := openRoot(t.root)
	if err != nil {
		return nil, err
	}
	defer h.close()
	dir, name := split(rel)
	sub, err := h.sub(dir)
	if err != nil {
		return nil, err
	}
	defer sub.close()
	return sub.read(name, t.limits.File)
}

// errInUse says that a folder is not empty and so stays: somebody else's files are
// in it.
var errInUse = errors.New("the folder is in use")

// restore makes every file what it is to be: first what goes, the deepest first,
// then folders, then what comes, then the permissions of folders, which may forbid
// the rest.
func restore(todo []*File, roots map[*tree]*os.Root) map[*File]error {
	errs := map[*File]error{}
	depth := func(f *File) int { return strings.Count(f.rel, "/") }
	byDepth := slices.Clone(todo)
	sorting.StableBy(byDepth, func(a, b *File) int { return depth(a) - depth(b) })
	deepest := slices.Clone(byDepth)
	slices.Reverse(deepest)

	for _, f := range byDepth { // so that what is in them can be changed at all
		if f.now.Kind == KindDir && f.now.mode()&0o700 != 0o700 {
			_ = roots[f.tree].Chmod(native(f.rel), f.now.mode()|0o700)
		}
	}
	moveBack(todo, roots, errs)
	for _, f := range deepest {
		if f.now.Kind == KindNone || f.now.Kind == f.want.Kind || f.to != "" {
			continue
		}
		err := roots[f.tree].Remove(native(f.rel))
		if err != nil && f.now.Kind == KindDir && !errors.Is(err, fs.ErrPermission) {
			err = errInUse
			_ = roots[f.tree].Chmod(native(f.rel), f.now.mode())
		}
		errs[f] = plain(err)
	}
	for _, f := range byDepth {
		if f.want.Kind == KindDir && f.now.Kind != KindDir && errs[f] == nil {
			errs[f] = plain(roots[f.tree].MkdirAll(native(f.rel), 0o755))
		}
	}
	for _, f := range byDepth {
		if errs[f] != nil || f.from != "" {
			continue
		}
		r, name := roots[f.tree], native(f.rel)
		switch {
		case f.want.Kind == KindFile && f.want.sameContent(f.now):
			errs[f] = plain(r.Chmod(name, f.want.mode()))
		case f.want.Kind == KindFile:
			errs[f] = plain(f.write(r))
		case f.want.Kind == KindLink:
			errs[f] = plain(f.link(r))
		}
	}
	for _, f := range deepest {
		if f.want.Kind == KindDir && errs[f] == nil {
			errs[f] = plain(roots[f.tree].Chmod(native(f.rel), f.want.mode()))
		}
	}
	return errs
}

// write puts the file in its place in one step: nobody sees half of it, and a hard
// link elsewhere keeps what it has.
func (f *File) write(r *os.Root) error {
	temp, err := f.neighbour(r)
	if err != nil {
		return err
	}
	w, err := r.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = w.Write(f.data)
	if f.now.Kind == KindFile {
		if fi, e := r.Lstat(native(f.rel)); e == nil {
			keepOwner(w, fi)
		}
	}
	err = errors.Join(err, w.Chmod(f.want.mode()), w.Close())
	if err == nil {
		err = swap.Patiently(func() error { return r.Rename(temp, native(f.rel)) })
	}
	if err != nil {
		_ = r.Remove(temp)
	}
	return err
}

// link puts a symbolic link in its place in one step.
func (f *File) link(r *os.Root) error {
	temp, err := f.neighbour(r)
	if err != nil {
		return err
	}
	if err := r.Symlink(string(f.want.Link), temp); err != nil {
		return err
	}
	if err := swap.Patiently(func() error { return r.Rename(temp, native(f.rel)) }); err != nil {
		_ = r.Remove(temp)
		return err
	}
	return nil
}

// neighbour makes the folders a file stands in and names a new file in the last.
func (f *File) neighbour(r *os.Root) (string, error) {
	if err := r.MkdirAll(native(path.Dir(f.rel)), 0o755); err != nil {
		return "", err
	}
	return tempName(f.rel, f.temp), nil
}

func tempName(rel, temp string) string {
	return native(path.Join(path.Dir(rel), ".forge-"+temp+".tmp"))
}

// tidy removes what a kill left beside the files that were being written.
func (j *Journal) tidy(t *taken) {
	if t == nil || len(t.Temp) != len(rand.Text()) || strings.ContainsAny(t.Temp, `/\.`) {
		return
	}
	for _, c := range t.Changes {
		tree, rel := j.reach(string(c.Path))
		if tree == nil {
			continue
		}
		r, err := os.OpenRoot(tree.root)
		if err != nil {
			continue
		}
		_ = r.Remove(tempName(rel, t.Temp)) // nearly always there is none
		r.Close()
	}
}

func native(rel string) string { return filepath.FromSlash(rel) }

// plain is an error of the system without the path, which stands before it.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return le.Err
	}
	return err
}
