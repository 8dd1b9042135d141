package journal

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync/atomic"
	"time"
)

// lookAll looks at every folder of the workspace and returns what changed, if
// that is wanted.
func (j *Journal) lookAll(ctx context.Context, wanted, whole bool) []Change {
	var changes []Change
	for _, t := range j.trees {
		began := time.Now()
		var quit *atomic.Bool
		if whole { // what a call did is looked at to the end
			quit = &j.closing
		}
		l, err := t.look(j.since, whole, quit)
		if err != nil {
			j.tellOnce("look", "changes by commands are not remembered: "+err.Error())
			j.blind = true
			return nil
		}
		first := l.first
		l.settle(ctx, j.o.Git)
		if l.quits() { // what was not looked at did not change
			l.close()
			j.blind = true
			return nil
		}
		if wanted {
			changes = append(changes, l.changes(ctx, j.o.Git)...)
		}
		l.close()
		switch took := time.Since(began); {
		case t.full.Load():
			j.goBlind(fmt.Sprintf("%s holds more than %d files: what commands change in it cannot be taken back, what forge writes itself can", t.root, j.o.Limits.Entries))
			return changes
		case !first && took > j.o.Limits.Patience:
			j.goBlind(fmt.Sprintf("looking at %s takes %s: what commands change in it cannot be taken back any more, what forge writes itself can", t.root, took.Round(100*time.Millisecond)))
			return changes
		}
		if first {
			j.base = j.seen.held()
			n, cannot := t.over.Load(), t.cannot.Load()
			switch {
			case n > 0 && cannot != nil:
				j.tellOnce("over", fmt.Sprintf("what commands change of %s in %s cannot be taken back: they cannot be kept: %v", files(n), t.root, *cannot))
			case n > 0:
				j.tellOnce("over", fmt.Sprintf("%s holds more than %d MB that git does not have: what commands change of the rest, %s, cannot be taken back", t.root, j.o.Limits.Seen>>20, files(n)))
			}
			slog.Info("first look at the workspace", "root", t.root, "entries", t.count.Load(), "not kept", t.unkept.Load(), "took", time.Since(began))
		}
	}
	return changes
}

func (j *Journal) goBlind(why string) {
	j.blind = true
	for _, t := range j.trees {
		t.top = nil
		t.watch.close()
	}
	j.seen.close()
	j.tellOnce("blind", why)
}

// renew forgets everything that was seen when contents nobody needs any more have
// taken the room, so that the next look begins anew.
func (j *Journal) renew() {
	if j.flying > 0 || !j.seen.full() || j.seen.held()-j.base < j.o.Limits.Seen/4 {
		return
	}
	for _, t := range j.trees {
		t.top = nil
		t.count.Store(0)
		t.over.Store(0)
		t.cannot.Store(nil)
	}
	j.seen.close()
}

// changes are what a look found, as the journal has it.
func (l *looker) changes(ctx context.Context, git Git) []Change {
	l.fetch(ctx, git)
	l.settleForeign()
	var out []Change
	for _, c := range l.found {
		before, after := c.before.state(), c.after.state()
		after.Foreign = c.foreign
		if before.same(after) {
			continue
		}
		out = append(out, Change{exact(l.abs(c.path)), before, after})
	}
	return out
}

// settleForeign finds out which of the new files that are older than the command
// were moved, or are another name of one that is there.
func (l *looker) settleForeign() {
	if !slices.ContainsFunc(l.found, func(c found) bool { return c.foreign }) {
		return
	}
	known := map[uint64]int{}
	for _, c := range l.found {
		if c.before.kind == KindFile {
			known[c.before.ino] += 2
		}
	}
	var count func(f *folder)
	count = func(f *folder) {
		for i := range f.entries {
			e := &f.entries[i]
			if e.kind == KindFile && !e.skipped {
				known[e.ino]++
			}
			if e.sub != nil {
				count(e.sub)
			}
		}
	}
	count(l.top)
	for i := range l.found {
		if c := &l.found[i]; c.foreign && known[c.after.ino] > 1 { // itself is one
			c.foreign = false
		}
	}
}

// record writes a step of a turn.
func (j *Journal) record(turn int, title string, changes []Change) {
	if len(changes) == 0 {
		return
	}
	if err := j.home(); err != nil {
		j.tellOnce("write", notKept(err))
		return
	}
	if err := j.keep(changes); err != nil {
		j.tellOnce("write", notKept(err))
	}
	s := &Step{Run: j.run, Turn: turn, Title: firstLine(title), Label: j.label, Time: j.o.Now().UTC(), Changes: changes}
	if err := j.book.add(s); err != nil {
		j.tellOnce("write", notKept(err))
	}
	if j.book.room += j.book.fresh; j.book.room > j.o.Limits.Session {
		j.book.shed(j.o.Limits.Session / 4 * 3)
	}
	j.book.fresh = 0
	j.prune()
}

func notKept(err error) string {
	return "changes to files are not all kept for undo: " + err.Error() + "; the work goes on"
}

// home makes sure there is a place for the journal.
func (j *Journal) home() error {
	if j.book.dir != "" && j.book.key != nil {
		return nil
	}
	if err := os.MkdirAll(j.o.Dir, 0o700); err != nil {
		return err
	}
	key, err := makeSecret(j.o.Dir)
	if err != nil {
		return err
	}
	j.book.key = key
	if j.book.dir != "" {
		return nil
	}
	dir, err := os.MkdirTemp(j.o.Dir, scratchPrefix+"*") // mode 0700
	if err != nil {
		return err
	}
	j.book.dir, j.scratch = dir, dir
	return nil
}

// keep makes the contents of changes things of the journal.
func (j *Journal) keep(changes []Change) error {
	var errs error
	for _, c := range changes {
		for _, s := range []State{c.Before, c.After} {
			if s.Kind != KindFile || s.Hash == "" || j.book.has(s.Hash) {
				continue
			}
			data, err := j.seen.get(key(s.Hash))
			if err == nil {
				_, err = j.book.put(data)
			}
			if err == nil {
				j.book.fresh += int64(len(data))
			} else if errs == nil {
				errs = err
			}
		}
	}
	return errs
}

func (j *Journal) tellOnce(what, text string) {
	if j.told[what] {
		return
	}
	j.told[what] = true
	slog.Warn("undo journal", "said", text)
	if j.o.Tell != nil {
		j.o.Tell(text)
	}
}

func files(n int64) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}
