package journal

import (
	"io/fs"
	"slices"
	"time"
)

// Step is what one call changed. Run and Turn say in which prompt's run, and in
// which model turn of it, it was made; both count from 1, and 0 is before any.
type Step struct {
	ID      int       `json:"id"`
	Run     int       `json:"run"`
	Turn    int       `json:"turn,omitempty"`
	Label   string    `json:"label,omitempty"` // the prompt's first line
	Title   string    `json:"title,omitempty"` // of the call
	Time    time.Time `json:"time"`            // UTC, when the call had ended
	Changes []Change  `json:"changes"`
}

// taken says that steps were taken back: Changes is what that did to the files,
// which is what bringing them again turns round.
type taken struct {
	ID      int       `json:"id"`
	Steps   []int     `json:"steps"`
	Label   string    `json:"label,omitempty"`
	Time    time.Time `json:"time"`
	Changes []Change  `json:"changes"`
	Temp    string    `json:"temp,omitempty"` // in the names of files that stand beside others for a moment
}

// record is one line of the journal.
type record struct {
	// Type is step, undo, redo, or shed: the steps up to ID are forgotten; or begun: what
	// Undo says is about to be done to the files.
	Type string `json:"type"`
	*Step
	Undo *taken `json:"undo,omitempty"`
	Of   int    `json:"of,omitempty"` // the undo that a redo, or the step that a shed, speaks of
}

// A book is the journal of one conversation.
type book struct {
	store
	steps  []*Step
	undone map[int]bool // by step
	redo   []*taken     // what can be brought again, the last one last
	begun  *taken       // what was begun, and whose end is not known
	last   int          // the highest ID given
	fresh  int64        // bytes kept since room was counted
	room   int64        // bytes of all objects
}

// openBook reads a conversation's journal; there need not be one.
func openBook(dir string) (*book, error) {
	b := &book{store: store{dir: dir}}
	rs, err := b.lines()
	for _, r := range rs {
		b.replay(r)
	}
	if len(b.steps) > 0 {
		b.room = b.size()
	}
	return b, err
}

func (b *book) replay(r record) {
	if r.Type == "begun" {
		b.begun = r.Undo
		return
	}
	b.begun = nil
	switch {
	case r.Type == "step" && r.Step != nil:
		b.steps = append(b.steps, r.Step)
		b.last = max(b.last, r.Step.ID)
		b.redo = nil
	case r.Type == "undo" && r.Undo != nil:
		b.mark(r.Undo.Steps, true)
		b.redo = append(b.redo, r.Undo)
		b.last = max(b.last, r.Undo.ID)
	case r.Type == "redo":
		if i := slices.IndexFunc(b.redo, func(t *taken) bool { return t.ID == r.Of }); i >= 0 {
			b.mark(b.redo[i].Steps, false)
			b.redo = slices.Delete(b.redo, i, i+1)
		}
	case r.Type == "shed":
		b.drop(r.Of)
	}
}

func (b *book) mark(steps []int, undone bool) {
	if b.undone == nil {
		b.undone = map[int]bool{}
	}
	for _, id := range steps {
		b.undone[id] = undone
	}
}

// add writes a step. What was taken back before it can no longer be brought again.
// The step counts also where it could not be written.
func (b *book) add(s *Step) error {
	b.last++
	s.ID = b.last
	r := record{Type: "step", Step: s}
	b.replay(r)
	return b.append(r)
}

// begins writes what is about to be done to the files, so that nothing of it is lost
// should forge be killed in the middle of it.
func (b *book) begins(t *taken) error {
	r := record{Type: "begun", Undo: t}
	b.replay(r)
	return b.append(r)
}

// halted is what an undo of these steps had done when forge was killed, all but to
// these files, which it had not come to.
func (b *book) halted(steps []int, left []*File) (out []Change) {
	if b.begun == nil || len(steps) == 0 || !slices.Equal(b.begun.Steps, steps) {
		return nil
	}
	for _, c := range b.begun.Changes {
		if !slices.ContainsFunc(left, func(f *File) bool { return f.abs == string(c.Path) }) {
			out = append(out, c)
		}
	}
	return out
}

// took writes that steps were taken back.
func (b *book) took(t *taken) error {
	b.last++
	t.ID = b.last
	r := record{Type: "undo", Undo: t}
	b.replay(r)
	return b.append(r)
}

// brought writes that they were brought again.
func (b *book) brought(t *taken) error {
	r := record{Type: "redo", Of: t.ID}
	b.replay(r)
	return b.append(r)
}

func (b *book) lastRun() int {
	n := 0
	for _, s := range b.steps {
		n = max(n, s.Run)
	}
	return n
}

// active are the steps that were not taken back, the oldest first.
func (b *book) active() []*Step {
	var out []*Step
	for _, s := range b.steps {
		if !b.undone[s.ID] {
			out = append(out, s)
		}
	}
	return out
}

func (b *book) drop(upTo int) {
	b.steps = slices.DeleteFunc(b.steps, func(s *Step) bool { return s.ID <= upTo })
	b.redo = slices.DeleteFunc(b.redo, func(t *taken) bool { return t.ID <= upTo })
}

// shed forgets the oldest steps until the contents take at most limit bytes. The
// newest step stays, whatever it takes.
func (b *book) shed(limit int64) {
	sizes := map[string]int64{}
	b.each(func(hash string, fi fs.FileInfo) { sizes[hash] = fi.Size() })
	var total int64
	for _, n := range sizes {
		total += n
	}
	users := map[string]int{}
	count := func(cs []Change, by int) (freed int64) {
		for _, c := range cs {
			for _, s := range []State{c.Before, c.After} {
				if s.Hash == "" {
					continue
				}
				if users[s.Hash] += by; users[s.Hash] == 0 {
					freed += sizes[s.Hash]
				}
			}
		}
		return freed
	}
	for _, s := range b.steps {
		count(s.Changes, 1)
	}
	for _, t := range b.redo {
		count(t.Changes, 1)
	}
	if b.begun != nil {
		count(b.begun.Changes, 1)
	}
	upTo := 0
	for _, s := range b.steps[:max(0, len(b.steps)-1)] {
		if total <= limit {
			break
		}
		total -= count(s.Changes, -1)
		upTo = s.ID
	}
	if upTo > 0 {
		b.drop(upTo)
		_ = b.append(record{Type: "shed", Of: upTo})
	}
	used := map[string]bool{}
	for hash, n := range users {
		used[hash] = n > 0
	}
	b.sweep(used)
	b.room, b.fresh = b.size(), 0
}
